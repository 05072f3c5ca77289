// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/normal_form.h"

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/trace/jsonl.h"
#include "engine/trace/request_fold.h"

namespace plumb {
namespace {

using testing::SizeIs;

/// One live run: what the engine says and what the model was asked come in either order.
struct LiveTrace {
  explicit LiveTrace(std::string folder, std::int64_t time)
      : recorder(trace, [this] { return now++; }), now(time) {
    trace.header.subject = "pi";
    trace.header.determinism = Determinism::live;
    trace.header.emits = {kEventKinds.begin(), kEventKinds.end()};
    path = "/tmp/" + std::move(folder) + "/a.txt";
  }
  void say() {
    Json message{{"role", "user"}, {"content", "look into " + path}, {"timestamp", now}};
    recorder.record(Source::engine, MessageEnd{"user", SharedJson(std::move(message))});
  }
  void ask() {
    const Json body{{"role", "user"}, {"content", path}};
    Json params{{"model", "fake-1"}, {"wire", {{"path", "/v1/messages"}, {"bytes", now}}}};
    const auto seq = recorder.record(
        Source::llm,
        deltas.next("main", {{Zone::messages, SharedJson(body)}}, SharedJson(std::move(params))));
    deltas.sent(seq);
    recorder.record(Source::llm, ProviderResponse{1, "stop", SharedJson(), ""}, "", seq);
  }

  Trace trace;
  Recorder recorder;
  RequestDeltas deltas;
  std::int64_t now;
  std::string path;
};

TEST(NormalForm, IsTheSameOfLiveRunsThatDidTheSame) {
  LiveTrace first("plumb-ab12", 10);
  first.say();
  first.ask();
  LiveTrace second("plumb-zz99", 7000);
  second.ask();
  second.say();

  const auto one = normal_form(first.trace);
  const auto other = normal_form(second.trace);

  ASSERT_TRUE(one && other);
  EXPECT_EQ(write_trace(*one), write_trace(*other));
  EXPECT_TRUE(read_trace(write_trace(*one), "normal.jsonl"));
  EXPECT_TRUE(write_trace(*one).contains("/tmp/<dir-1>/a.txt"));
}

TEST(NormalForm, TellsRunsApartThatDidNot) {
  LiveTrace first("plumb-ab12", 10);
  first.say();
  first.ask();
  LiveTrace second("plumb-zz99", 10);
  second.ask();

  EXPECT_NE(write_trace(*normal_form(first.trace)), write_trace(*normal_form(second.trace)));
}

TEST(NormalForm, PutsPlaceholdersForPortsTimesAndIds) {
  LiveTrace live("x", 0);
  const std::string text =
      "http://127.0.0.1:40123/v1 2026-11-30T18:41:23.123Z "
      "0b6f9c1e-8a51-4a8b-9c39-0123456789ab";
  live.recorder.record(Source::engine, Input{text, "prompt"});

  const auto normal = normal_form(live.trace);

  ASSERT_TRUE(normal);
  EXPECT_EQ(normal->events.front().as<Input>()->text, "http://127.0.0.1:<port>/v1 <time> <uuid-1>");
}

TEST(NormalForm, LeavesTheOrderAndTheTimesOfAHermeticRun) {
  LiveTrace hermetic("x", 5);
  hermetic.trace.header.determinism = Determinism::hermetic;
  hermetic.ask();
  hermetic.say();

  const auto normal = normal_form(hermetic.trace);

  ASSERT_TRUE(normal);
  ASSERT_THAT(normal->events, SizeIs(3));
  EXPECT_EQ(normal->events[0].kind(), "provider_request");
  EXPECT_EQ(normal->events[2].at, hermetic.trace.events[2].at);
}

}  // namespace
}  // namespace plumb
