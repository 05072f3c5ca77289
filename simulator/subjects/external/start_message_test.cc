// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/external/start_message.h"

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/kernel/folder_tree.h"
#include "simulator/subjects/external/black_box.h"
#include "simulator/subjects/external/placeholders.h"
#include "simulator/subjects/external/sandbox.h"

namespace plumb::simulator {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Step step_of(Action action) {
  Step step;
  step.action = std::move(action);
  return step;
}

AdapterHello able() {
  AdapterHello hello;
  hello.steps = {"user"};
  hello.emits = {"turn_start"};
  return hello;
}

TEST(StartMessage, SaysOnlyWhatTheScenarioChanges) {
  Settings settings;
  settings.execution = "sequential";
  settings.retries = 2;

  EXPECT_EQ(dump_json(settings_json(Settings())), "{}");
  EXPECT_EQ(dump_json(settings_json(settings)), R"({"execution":"sequential","retries":2})");
}

TEST(StartMessage, NamesTheStep) {
  ConfigureStep change;
  change.active = {"read"};
  change.has_ui = false;

  EXPECT_EQ(dump_json(step_json(step_of(InputStep{"steer", "left", {}}))),
            R"({"type":"step","id":0,"step":"steer","text":"left"})");
  EXPECT_EQ(dump_json(step_json(step_of(change))),
            R"({"type":"step","id":0,"step":"configure","active":["read"],"ui":false})");
  EXPECT_TRUE(step_json(step_of(WaitStep{5})).is_null());
  EXPECT_TRUE(step_json(step_of(CrashStep())).is_null());
}

TEST(StartMessage, ListsThePartsThatASubjectMustSupport) {
  Scenario scenario;
  scenario.settings.system = "be brief";
  scenario.tools.allow = {"read"};
  scenario.extensions.emplace_back();

  EXPECT_THAT(parts_of(scenario), ElementsAre("settings.system", "tools.allow", "extensions"));
}

TEST(StartMessage, SaysWhyASubjectCannotBeAsked) {
  Scenario settings;
  settings.settings.execution = "sequential";
  Scenario steering;
  steering.steps = {step_of(InputStep{"steer", "left", {}})};
  Scenario waiting;
  Trigger trigger;
  trigger.text = "execute_begin call c1";
  trigger.pattern.kind = "execute_begin";
  waiting.steps = {step_of(WriteStep{{}, trigger})};

  EXPECT_EQ(reason_against_subject(settings, able()),
            "the subject does not support 'settings.execution'");
  EXPECT_EQ(reason_against_subject(steering, able()), "the subject has no step 'steer'");
  EXPECT_THAT(reason_against_subject(waiting, able()), HasSubstr("execute_begin call c1"));
  EXPECT_EQ(reason_against_subject(Scenario(), able()), "");
}

TEST(StartMessage, LeavesSimulatedWorldsToTheSimulator) {
  Scenario faults;
  faults.faults.emplace_back();
  Scenario slow;
  slow.steps = {step_of(WaitStep{900'000})};
  Scenario sleepy;
  sleepy.extensions.emplace_back();
  sleepy.extensions.front().definition =
      Json::parse(R"({"on":{"tool_call":[{"do":[{"delay":6000}]}]}})");

  EXPECT_THAT(reason_against_live(faults), HasSubstr("simulated world"));
  EXPECT_THAT(reason_against_live(slow), HasSubstr("900000 ms would really pass"));
  EXPECT_THAT(reason_against_live(sleepy), HasSubstr("6000 ms"));
}

TEST(LivePlaceholders, StandForPathsInBothDirections) {
  LivePlaceholders placeholders;
  placeholders.add("/tmp/x1/workspace", "/workspace");

  EXPECT_EQ(placeholders.real("cat /workspace/a.txt, /workspace"),
            "cat /tmp/x1/workspace/a.txt, /tmp/x1/workspace");
  EXPECT_EQ(placeholders.real("my/workspace /workspaces"), "my/workspace /workspaces");
  EXPECT_EQ(placeholders.shown("in /tmp/x1/workspace/a.txt"), "in /workspace/a.txt");
  EXPECT_EQ(
      dump_json(placeholders.shown_json(Json{{"/tmp/x1/workspace/a", {1, "/tmp/x1/workspace"}}})),
      R"({"/workspace/a":[1,"/workspace"]})");
}

TEST(Sandbox, HoldsTheScenariosFiles) {
  Scenario scenario;
  FileScript file;
  file.path = "a.txt";
  file.bytes = "one";
  FileScript link;
  link.path = "b";
  link.kind = FileKind::link;
  link.target = "/workspace/a.txt";
  scenario.files = {file, link};

  auto sandbox = Sandbox::create(scenario);

  ASSERT_TRUE(sandbox) << sandbox.error().message;
  const auto state = sandbox->state();
  ASSERT_TRUE(state);
  EXPECT_EQ(state->get()["a.txt"]["text"], "one");
  EXPECT_EQ(state->get()["b"]["link"], "/workspace/a.txt");
}

TEST(BlackBox, KnowsItsPlaceholders) {
  EXPECT_TRUE(check_black_box("agent --url {base_url} {prompt} | jq '{a: .b}' ${HOME}"));
  EXPECT_THAT(check_black_box("agent {prompt}").error().message, HasSubstr("{base_url}"));
  EXPECT_THAT(check_black_box("agent {base_url}").error().message, HasSubstr("{prompt}"));
  EXPECT_THAT(check_black_box("agent {base_url} {promt} {prompt}").error().message,
              HasSubstr("did you mean '{prompt}'?"));
}

}  // namespace
}  // namespace plumb::simulator
