// SPDX-License-Identifier: Apache-2.0
#include "simulator/llm/scripted_provider.h"

#include <optional>

#include <gtest/gtest.h>

#include "engine/kernel/event.h"
#include "engine/kernel/sim_loop.h"

namespace plumb::simulator {
namespace {

using engine::AbortController;
using engine::AssistantMessage;
using engine::StopReason;
using engine::Task;

/// Keeps what streams, and aborts after so many pieces if asked to.
class CollectingStream final : public engine::StreamSink {
 public:
  void on_delta(SharedJson partial) override {
    types += partial.get()["type"].get<std::string>() + " ";
    if (abort != nullptr && ++count == abort_after) abort->abort("enough");
  }
  std::string types;
  AbortController* abort = nullptr;
  std::int64_t count = 0;
  std::int64_t abort_after = -1;
};

/// Opens when the test says so.
class ManualGate final : public EventGate {
 public:
  explicit ManualGate(engine::Loop& loop) : event(loop, "the gate") {}
  Task<void> wait(Trigger trigger) override {
    awaited = trigger.text;
    co_await event.wait();
  }
  engine::Event event;
  std::string awaited;
};

/// A run with one provider over scripted replies.
class ScriptedProviderTest : public testing::Test {
 protected:
  static Step model(ModelStep reply) { return {std::move(reply), {7, 5}}; }

  static ModelStep text(std::string words) {
    ModelStep reply;
    reply.text = std::move(words);
    return reply;
  }

  void use(std::vector<Step> steps) {
    Scenario scenario;
    scenario.file = "x.yaml";
    scenario.steps = std::move(steps);
    provider_.emplace(make_player_script(scenario), ProviderWorld(loop_, recorder_, &gate_));
  }

  Result<AssistantMessage> ask(const std::string& role = "user") {
    engine::ModelRequest request;
    request.messages.emplace_back(Json{{"role", role}, {"content", "go"}});
    Task<Result<AssistantMessage>> asking =
        provider_->complete(std::move(request), stream_, abort_.signal());
    auto outcome = loop_.run(std::move(asking));
    if (!outcome) return std::unexpected(outcome.error());
    return *std::move(outcome);
  }

  engine::SimLoop loop_;
  Trace trace_;
  Recorder recorder_{trace_, [this] { return loop_.now_ms(); }};
  ManualGate gate_{loop_};
  CollectingStream stream_;
  AbortController abort_;
  std::optional<ScriptedProvider> provider_;
};

TEST_F(ScriptedProviderTest, StreamsAReply) {
  use({model(text("hello"))});

  const auto message = ask();

  ASSERT_TRUE(message) << message.error().message;
  EXPECT_EQ(engine::text_of(message->content), "hello");
  EXPECT_EQ(message->stop_reason, StopReason::stop);
  EXPECT_EQ(stream_.types, "text_start text_delta text_end ");
  EXPECT_TRUE(provider_->settle().empty());
  EXPECT_TRUE(trace_.events.empty());
}

TEST_F(ScriptedProviderTest, TakesItsTime) {
  ModelStep reply = text("abc");
  reply.delay_ms = 100;
  reply.chunk = 1;
  reply.delta_delay_ms = 10;
  use({model(reply)});

  ASSERT_TRUE(ask());

  EXPECT_EQ(loop_.now_ms(), 130);
}

TEST_F(ScriptedProviderTest, FailsAfterSoManyPieces) {
  ModelStep reply = text("abc");
  reply.chunk = 1;
  reply.fail = FailureScript{"overloaded", "", 0, -1, 2};
  use({model(reply)});

  const auto message = ask();

  ASSERT_TRUE(message);
  EXPECT_EQ(message->stop_reason, StopReason::error);
  EXPECT_EQ(message->error_message, "529 overloaded");
  EXPECT_EQ(engine::text_of(message->content), "a");
  EXPECT_EQ(stream_.types, "text_start text_delta ");
}

TEST_F(ScriptedProviderTest, CutsTheStreamAtAByte) {
  ModelStep reply = text("abc");
  reply.chunk = 1;
  // {"type":"text_start","contentIndex":0} has 38 bytes, {"type":"text_delta",...,"delta":"a"} 50.
  reply.fault = ReplyFaultScript{"cut", 38 + 50 + 49};
  use({model(reply)});

  const auto message = ask();

  ASSERT_TRUE(message);
  EXPECT_EQ(message->stop_reason, StopReason::error);
  EXPECT_EQ(message->error_status, 0);
  EXPECT_EQ(engine::text_of(message->content), "a");
}

TEST_F(ScriptedProviderTest, StallsForAWhile) {
  ModelStep reply = text("abc");
  reply.fault = ReplyFaultScript{"stall", 38};
  reply.fault->ms = 70;
  use({model(reply)});

  const auto message = ask();

  ASSERT_TRUE(message);
  EXPECT_EQ(engine::text_of(message->content), "abc");
  EXPECT_EQ(loop_.now_ms(), 70);
}

TEST_F(ScriptedProviderTest, AbortCutsTheAnswer) {  // ABORT-01
  ModelStep reply = text("abc");
  reply.chunk = 1;
  use({model(reply)});
  stream_.abort = &abort_;
  stream_.abort_after = 3;

  const auto message = ask();

  ASSERT_TRUE(message);
  EXPECT_EQ(message->stop_reason, StopReason::aborted);
  EXPECT_EQ(engine::text_of(message->content), "ab");
}

TEST_F(ScriptedProviderTest, AbortEndsADelay) {
  ModelStep reply = text("late");
  reply.delay_ms = 1'000'000;
  use({model(reply)});
  abort_.abort("at once");

  const auto message = ask();

  ASSERT_TRUE(message);
  EXPECT_EQ(message->stop_reason, StopReason::aborted);
  EXPECT_TRUE(message->content.empty());
  EXPECT_EQ(loop_.now_ms(), 0);
}

TEST_F(ScriptedProviderTest, WaitsForItsEvent) {
  ModelStep reply = text("after all");
  reply.until = Trigger{"agent_start", {}, {}};
  use({model(reply)});
  gate_.event.set();

  ASSERT_TRUE(ask());

  EXPECT_EQ(gate_.awaited, "agent_start");
}

TEST_F(ScriptedProviderTest, RecordsARefusalAndAnswersAsAProviderDoes) {
  use({model(text("never"))});

  const auto message = ask("robot");

  ASSERT_TRUE(message);
  EXPECT_EQ(message->stop_reason, StopReason::error);
  EXPECT_TRUE(message->error_message.starts_with("400 invalid request: role 'robot'"));
  ASSERT_EQ(trace_.events.size(), 1U);
  EXPECT_EQ(trace_.events[0].source, Source::llm);
  EXPECT_EQ(trace_.events[0].as<LlmError>()->code, "unknown_role");
}

TEST_F(ScriptedProviderTest, EndsTheRunWhenTheScriptRanOut) {
  use({model(text("only one"))});
  ASSERT_TRUE(ask());

  const auto message = ask();

  ASSERT_FALSE(message);
  EXPECT_EQ(message.error().code, ErrorCode::protocol);
  EXPECT_EQ(message.error().where, "x.yaml:7:5");
  EXPECT_EQ(provider_->errors().at(0).code, "exhausted");
}

TEST_F(ScriptedProviderTest, RecordsWhatIsLeftOver) {
  use({model(text("one")), model(text("two"))});
  ASSERT_TRUE(ask());

  EXPECT_EQ(provider_->settle().at(0).code, "left_over");
  EXPECT_EQ(trace_.events.size(), 1U);
}

}  // namespace
}  // namespace plumb::simulator
