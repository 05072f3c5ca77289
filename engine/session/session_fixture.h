// SPDX-License-Identifier: Apache-2.0
// A session over memory for the tests: a queue of answers, extensions as JSON text, and a trace to
// look at.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "engine/extensions/scripted.h"
#include "engine/kernel/memory_files.h"
#include "engine/kernel/scripted_processes.h"
#include "engine/kernel/sim_loop.h"
#include "engine/session/session.h"

namespace plumb::engine {

/// Answers in order and keeps every request. An exhausted queue is a broken script.
class QueueProvider final : public Provider {
 public:
  explicit QueueProvider(Loop& loop) : loop_(loop) {}

  Task<Result<AssistantMessage>> complete(ModelRequest request, StreamSink& sink,
                                          AbortSignal signal) override {
    requests.push_back(std::move(request));
    co_await loop_.point(Touch(TouchKind::provider, "main", true));
    for (const auto& delta : deltas) {
      sink.on_delta(SharedJson(delta));
      co_await loop_.yield();
    }
    if (on_request) on_request(std::ssize(requests));
    if (answers.empty()) co_return fail(ErrorCode::protocol, "script is exhausted");
    Result<AssistantMessage> answer = std::move(answers.front());
    answers.pop_front();
    if (signal.aborted() && cuts_on_abort) answer->stop_reason = StopReason::aborted;
    co_return answer;
  }

  std::deque<Result<AssistantMessage>> answers;
  std::vector<Json> deltas;
  std::vector<ModelRequest> requests;
  std::function<void(std::int64_t)> on_request;  ///< Before the answer; its number from 1.
  bool cuts_on_abort = false;

 private:
  Loop& loop_;
};

inline AssistantMessage said(std::string text) {
  AssistantMessage answer;
  answer.content.emplace_back(TextBlock{std::move(text)});
  return answer;
}

inline AssistantMessage failed(StopReason reason, std::string error) {
  AssistantMessage answer;
  answer.stop_reason = reason;
  answer.error_message = std::move(error);
  return answer;
}

inline ToolCallBlock call_of(std::string id, std::string tool, Json args = Json::object()) {
  ToolCallBlock block;
  block.id = std::move(id);
  block.name = std::move(tool);
  block.arguments = SharedJson(std::move(args));
  return block;
}

inline AssistantMessage called(std::vector<ToolCallBlock> calls) {
  AssistantMessage answer;
  answer.stop_reason = StopReason::tool_use;
  for (auto& call : calls) answer.content.emplace_back(std::move(call));
  return answer;
}

class SessionFixture : public ::testing::Test {
 protected:
  explicit SessionFixture(std::uint64_t seed = 0) : loop(loop_options(seed)) {}
  explicit SessionFixture(SimLoopOptions chosen) : loop(std::move(chosen)) {}

  static SimLoopOptions loop_options(std::uint64_t seed) {
    SimLoopOptions options;
    options.seed = seed;
    return options;
  }

  static Json parsed(std::string_view text) {
    auto json = parse_json(text);
    EXPECT_TRUE(json) << json.error().message << " at " << json.error().where;
    return json ? *json : Json();
  }

  /// Adds an extension that is written as JSON text.
  void extend(std::string_view text) {
    const Json definition = parsed(text);
    const SourceInfo source = scripted_source(definition);
    auto factory = make_scripted_extension(definition, source.path, world);
    ASSERT_TRUE(factory) << factory.error().message << " at " << factory.error().where;
    options.extensions.emplace_back(source, *std::move(factory));
  }

  void add_tool(std::string_view text) {
    const Json definition = parsed(text);
    auto tool = make_scripted_tool(definition, "<sdk>", world);
    ASSERT_TRUE(tool) << tool.error().message << " at " << tool.error().where;
    options.sdk_tools.push_back(*std::move(tool));
  }

  Session& start() {
    SessionPorts ports(env, provider, recorder);
    ports.ui = ui;
    session = std::make_unique<Session>(options, ports, policies);
    world.host = &session->host();
    const auto started = loop.run(session->start());
    EXPECT_TRUE(started) << started.error().message;
    return *session;
  }

  Result<void> prompt(std::string text) {
    if (!session) start();
    return loop.run(session->prompt(std::move(text)));
  }

  /// The trace as words: kinds of public events, and "hook EVENT" for handler calls.
  std::vector<std::string> words() const {
    std::vector<std::string> list;
    for (const auto& event : trace.events) {
      if (const auto* hook = event.as<HookCall>()) {
        list.push_back("hook " + hook->event);
      } else if (event.source == Source::engine) {
        list.emplace_back(event.kind());
      }
    }
    return list;
  }

  template <class T>
  std::vector<const T*> all_of() const {
    std::vector<const T*> found;
    for (const auto& event : trace.events) {
      if (const auto* payload = event.template as<T>()) found.push_back(payload);
    }
    return found;
  }

  template <class T>
  std::int64_t count_of() const {
    return std::ssize(all_of<T>());
  }

  /// The data of the notes on a topic, in order.
  std::vector<Json> notes(std::string_view topic) const {
    std::vector<Json> found;
    for (const auto* note : all_of<Notify>()) {
      if (note->topic == topic) found.push_back(note->data.get());
    }
    return found;
  }

  std::string request_text(std::size_t request) const {
    std::string text;
    for (const auto& message : provider.requests.at(request).messages) text += message.bytes();
    return text;
  }

  std::vector<std::string> declared(std::size_t request) const {
    std::vector<std::string> names;
    for (const auto& tool : provider.requests.at(request).tools) names.push_back(tool.name);
    return names;
  }

  std::string system_of(std::size_t request) const {
    return provider.requests.at(request).system.get().get<std::string>();
  }

  SimLoop loop;
  MemoryFiles files{loop};
  ScriptedProcesses processes{loop, files};
  Rng rng{1};
  Env env{loop, files, processes, rng};
  Trace trace;
  Recorder recorder{trace, [this] { return loop.now_ms(); }};
  QueueProvider provider{loop};
  Policies policies;
  ScriptWorld world{loop};
  SessionOptions options;
  UserInterface* ui = nullptr;
  std::unique_ptr<Session> session;
};

}  // namespace plumb::engine
