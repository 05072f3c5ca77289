// SPDX-License-Identifier: Apache-2.0
// Interruptions of the reference session: what a crash leaves, and steps that act inside an event.
#include "simulator/subjects/session_subject.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/kernel/task.h"
#include "simulator/subjects/severable_ports.h"

namespace plumb::simulator {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Step step(Action action) {
  return Step{std::move(action), {}};
}

Step user(std::string text) {
  InputStep input;
  input.text = std::move(text);
  return step(std::move(input));
}

Step answer(std::string text) {
  ModelStep model;
  model.text = std::move(text);
  return step(std::move(model));
}

Step write_call() {
  CallScript call;
  call.id = "c1";
  call.tool = "write";
  call.args = Json{{"path", "a.txt"}, {"content", "new"}};
  ModelStep model;
  model.calls.push_back(std::move(call));
  return step(std::move(model));
}

Step crash_at(std::string pattern) {
  CrashStep crash;
  crash.when.text = std::move(pattern);
  return step(std::move(crash));
}

const FinalFiles* final_files(const Trace& trace) {
  for (const auto& event : trace.events) {
    if (const auto* files = event.as<FinalFiles>()) return files;
  }
  return nullptr;
}

TEST(SessionCrash, LeavesTheDiskAsItIsAndNoFurtherRecord) {
  Scenario scenario;
  scenario.steps = {user("go"), write_call(), crash_at("execute_begin call c1")};
  SessionSubject subject;

  const auto run = subject.run(scenario, RunOptions());

  EXPECT_THAT(run.errors, IsEmpty());
  ASSERT_GE(run.trace.events.size(), 2U);
  const auto& events = run.trace.events;
  EXPECT_NE(events[events.size() - 3].as<ExecuteBegin>(), nullptr);
  EXPECT_NE(events[events.size() - 2].as<Crash>(), nullptr);
  ASSERT_NE(final_files(run.trace), nullptr);
  EXPECT_FALSE(final_files(run.trace)->files.get().contains("a.txt"));
}

TEST(SessionCrash, StepsBehindItAreErrors) {
  Scenario scenario;
  scenario.steps = {user("go"), write_call(), crash_at("execute_begin call c1"), user("more"),
                    answer("done")};
  SessionSubject subject;

  const auto run = subject.run(scenario, RunOptions());

  ASSERT_EQ(run.errors.size(), 2U);
  EXPECT_THAT(run.errors[0].message, HasSubstr("was not played: the engine had crashed"));
}

TEST(SessionSteps, StepInsideAnEventMayCauseTheNextOne) {
  InputStep steer;
  steer.mode = "steer";
  steer.text = "wait";
  steer.when.text = "message_end role user";
  AbortStep abort;
  abort.when.text = "input mode steer";
  Scenario scenario;
  scenario.steps = {user("go"), step(steer), step(abort)};
  SessionSubject subject;

  const auto run = subject.run(scenario, RunOptions());

  EXPECT_THAT(run.errors, IsEmpty());
  std::vector<std::string> order;
  for (const auto& event : run.trace.events) {
    if (event.as<plumb::Step>() != nullptr || event.as<Input>() != nullptr) {
      order.emplace_back(event.kind());
    }
  }
  EXPECT_THAT(order, ElementsAre("step", "step", "input", "step", "input", "step"));
}

TEST(SessionSteps, StepsThatWaitForOneEventActAtIt) {
  InputStep first;
  first.mode = "steer";
  first.text = "one";
  first.when.text = "execute_begin call c1";
  InputStep second = first;
  second.mode = "follow_up";
  Scenario scenario;
  scenario.steps = {user("go"),     write_call(),   step(first),   step(second),
                    answer("done"), answer("done"), answer("done")};
  SessionSubject subject;

  const auto run = subject.run(scenario, RunOptions());

  EXPECT_THAT(run.errors.size(), 1U);  // the last answer is not asked for
  EXPECT_THAT(run.errors.front().message, HasSubstr("left_over"));
}

/// EVENT-43: whoever goes on after every answer meets the limit of the host.
TEST(SessionLimits, StopEndlessContinuations) {
  const Json more{{"type", "custom_message"}, {"customType", "more"}, {"content", "go on"}};
  const Json proposal{{"entries", Json::array({more})}, {"continue", true}};
  const Json handler{{"do", Json::array({Json{{"return", proposal}}})}};
  ExtensionScript endless;
  endless.name = "endless";
  endless.path = "<inline:endless>";
  endless.definition =
      Json{{"name", "endless"}, {"on", Json{{"agent_before_settle", Json::array({handler})}}}};
  Scenario scenario;
  scenario.settings.turns_max = 3;
  scenario.extensions.push_back(std::move(endless));
  scenario.steps = {user("go"), answer("one"), answer("two"), answer("three")};
  SessionSubject subject;

  const auto run = subject.run(scenario, RunOptions());

  ASSERT_EQ(run.errors.size(), 1U);
  EXPECT_THAT(run.errors.front().message, HasSubstr("limit of 3 turns"));
}

// ------------------------------------------------------------------ severed ports

class OneAnswer final : public engine::Provider {
 public:
  OneAnswer(engine::Loop& loop, engine::Incarnation& incarnation)
      : loop_(loop), incarnation_(incarnation) {}
  engine::Task<Result<engine::AssistantMessage>> complete(engine::ModelRequest /*request*/,
                                                          engine::StreamSink& sink,
                                                          engine::AbortSignal /*signal*/) override {
    ++asked_count;
    sink.on_delta(SharedJson(Json("before")));
    if (cuts) incarnation_.sever();
    sink.on_delta(SharedJson(Json("behind")));
    co_await loop_.yield();
    co_return engine::AssistantMessage();
  }
  bool cuts = false;
  std::int64_t asked_count = 0;

 private:
  engine::Loop& loop_;
  engine::Incarnation& incarnation_;
};

class CountingSink final : public engine::StreamSink {
 public:
  void on_delta(SharedJson /*partial*/) override { ++count; }
  std::int64_t count = 0;
};

class SeverablePorts : public ::testing::Test {
 protected:
  Result<engine::AssistantMessage> ask() {
    engine::ModelRequest request;
    return loop_.run(port_.complete(std::move(request), sink_, engine::AbortSignal()));
  }

  engine::SimLoop loop_;
  engine::Incarnation incarnation_{loop_};
  OneAnswer model_{loop_, incarnation_};
  SeverableProvider port_{model_, incarnation_};
  CountingSink sink_;
};

TEST_F(SeverablePorts, PassRequestsOnWhileAlive) {
  EXPECT_TRUE(ask());
  EXPECT_EQ(sink_.count, 2);
}

TEST_F(SeverablePorts, NothingComesThroughBehindTheCut) {
  model_.cuts = true;

  EXPECT_EQ(ask().error().code, ErrorCode::stuck);
  EXPECT_EQ(sink_.count, 1);
}

TEST_F(SeverablePorts, NothingIsSentBehindTheCut) {
  incarnation_.sever();

  EXPECT_EQ(ask().error().code, ErrorCode::stuck);
  EXPECT_EQ(model_.asked_count, 0);
}

}  // namespace
}  // namespace plumb::simulator
