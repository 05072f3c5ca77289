// SPDX-License-Identifier: Apache-2.0
#include "engine/extensions/user_interface.h"

#include <gtest/gtest.h>

#include "engine/kernel/sim_loop.h"

namespace plumb::engine {
namespace {

/// A user who answers after a while, or never.
class SlowUser final : public UserInterface {
 public:
  SlowUser(Loop& loop, std::int64_t delay_ms) : loop_(loop), delay_ms_(delay_ms) {}
  bool is_attached() const override { return true; }
  Task<DialogAnswer> ask(Dialog /*dialog*/) override {
    co_await loop_.sleep_ms(delay_ms_);
    co_return DialogAnswer(Json(true));
  }

 private:
  Loop& loop_;
  std::int64_t delay_ms_;
};

Task<void> abort_after(Loop& loop, AbortController& controller, std::int64_t delay_ms) {
  co_await loop.sleep_ms(delay_ms);
  controller.abort("test");
}

Dialog confirm_within(std::int64_t timeout_ms) {
  Dialog dialog("confirm", "really?");
  dialog.timeout_ms = timeout_ms;
  return dialog;
}

TEST(UserInterface, StubAnswersNo) {  // HOOK-26
  SimLoop loop;
  NoUserInterface none;

  EXPECT_EQ(*loop.run(none.ask(Dialog("confirm", "t"))), DialogAnswer(Json(false), "no_ui"));
  EXPECT_EQ(*loop.run(none.ask(Dialog("select", "t"))), DialogAnswer(Json(nullptr), "no_ui"));
  EXPECT_FALSE(none.is_attached());
}

TEST(UserInterface, AnswerWithinTheTimeoutCounts) {
  SimLoop loop;
  SlowUser user(loop, 20);
  LimitedUserInterface limited(user);

  EXPECT_EQ(*loop.run(limited.ask(confirm_within(30))), DialogAnswer(Json(true)));
}

TEST(UserInterface, TimeoutAnswersNo) {  // HOOK-26
  SimLoop loop;
  SlowUser user(loop, 60'000);
  LimitedUserInterface limited(user);

  EXPECT_EQ(*loop.run(limited.ask(confirm_within(30'000))), DialogAnswer(Json(false), "timeout"));
  EXPECT_EQ(loop.now_ms(), 30'000);
}

TEST(UserInterface, AbortAnswersNo) {  // HOOK-26
  SimLoop loop;
  SlowUser user(loop, 60'000);
  LimitedUserInterface limited(user);
  AbortController controller;
  Dialog dialog("confirm", "really?");
  dialog.signal = controller.signal();
  loop.spawn(abort_after(loop, controller, 5), "aborter");

  EXPECT_EQ(*loop.run(limited.ask(dialog)), DialogAnswer(Json(false), "abort"));
}

TEST(UserInterface, QuestionAndAnswerAreRecorded) {
  SimLoop loop;
  Trace trace;
  Recorder recorder(trace, [&] { return loop.now_ms(); });
  SlowUser user(loop, 20);
  RecordedUserInterface recorded(user, recorder);

  ASSERT_TRUE(loop.run(recorded.ask(Dialog("confirm", "really?"))));

  ASSERT_EQ(trace.events.size(), 2U);
  EXPECT_EQ(trace.events[0].as<UiAsk>()->title, "really?");
  EXPECT_EQ(trace.events[1].as<UiAnswer>()->by, "user");
  EXPECT_EQ(trace.events[1].cause, trace.events[0].seq);
}

}  // namespace
}  // namespace plumb::engine
