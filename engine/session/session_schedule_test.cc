// SPDX-License-Identifier: Apache-2.0
// What a session tells explorers of schedules: everything that its fibers share.
#include <algorithm>

#include <gmock/gmock.h>

#include "engine/session/session_fixture.h"

namespace plumb::engine {
namespace {

class SessionSchedule : public SessionFixture {
 protected:
  SessionSchedule() : SessionFixture(recording()) {}

  static SimLoopOptions recording() {
    SimLoopOptions recorded;
    recorded.records_steps = true;
    return recorded;
  }

  /// Plays one prompt with two calls of tools that are written as JSON text.
  std::vector<Step> play(std::string_view first, std::string_view second) {
    add_tool(first);
    add_tool(second);
    provider.answers = {called({call_of("c1", "one"), call_of("c2", "two")}), said("done"),
                        said("done"), said("done")};
    EXPECT_TRUE(prompt("go"));
    return loop.take_steps();
  }

  static bool touches(const std::vector<Step>& steps, const Touch& touch) {
    return std::ranges::any_of(
        steps, [&](const Step& step) { return std::ranges::count(step.also, touch) > 0; });
  }
};

TEST_F(SessionSchedule, TellsOfTheActiveSet) {
  const auto steps =
      play(R"({"name": "one", "do": [{"set_active": ["two"]}]})",
           R"({"name": "two", "do": [{"note": {"topic": "t", "data": "$active"}}]})");

  EXPECT_TRUE(touches(steps, Touch(TouchKind::active_set, "tools", true)));
  EXPECT_TRUE(touches(steps, Touch(TouchKind::active_set, "tools", false)));
}

TEST_F(SessionSchedule, TellsOfTheQueues) {
  const auto steps =
      play(R"({"name": "one", "do": [{"send": "left"}]})",
           R"({"name": "two", "do": [{"send": {"text": "r", "mode": "follow_up"}}]})");

  EXPECT_TRUE(touches(steps, Touch(TouchKind::queue, "steering", true)));
  EXPECT_TRUE(touches(steps, Touch(TouchKind::queue, "steering", false)));
  EXPECT_TRUE(touches(steps, Touch(TouchKind::queue, "follow-ups", true)));
}

TEST_F(SessionSchedule, TellsOfAnAbort) {
  const auto steps = play(R"({"name": "one", "do": ["abort"]})",
                          R"({"name": "two", "do": [{"note": {"topic": "t", "data": 1}}]})");

  EXPECT_TRUE(touches(steps, Touch(TouchKind::signal, "an abort", true)));
}

}  // namespace
}  // namespace plumb::engine
