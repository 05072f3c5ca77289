// SPDX-License-Identifier: Apache-2.0
// The engine's side against a host that is none: it needs no Node.
#include "engine/extensions/hosted/node_host.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/kernel/sim_loop.h"

namespace plumb::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kEpochMs = 1'000'000;

/// Keeps what it hears; answers questions with their own name, and calls at once.
class RecordingListener final : public HostListener {
 public:
  Result<Json> answer(const HostMessage& question) override {
    return Json{{"value", text_in(question.params, "what")}};
  }
  void begin(const HostMessage& call) override { calls.push_back(call.id); }
  void hear(const HostMessage& notification) override { heard.push_back(notification.method); }
  void hear_output(OutputStream /*stream*/, std::string text) override {
    printed.push_back(std::move(text));
  }
  void before_turn() override { ++turns; }
  void after_turn() override {}
  void has_failed(const std::string& extension, const std::string& why) override {
    failures.push_back(extension + ": " + why);
  }

  std::vector<std::int64_t> calls;
  std::vector<std::string> heard;
  std::vector<std::string> printed;
  std::vector<std::string> failures;
  std::int64_t turns = 0;
};

NodeHostOptions fake_options() {
  NodeHostOptions options;
  options.process.argv = {"python3", "fixtures/extensions/hosted/fake_host.py"};
  options.start_ms = 60'000;
  options.turn_ms = 30'000;
  options.messages_max = 1'000;
  return options;
}

/// A started fake host on a simulated loop.
class FakeHost {
 public:
  explicit FakeHost(NodeHostOptions options = fake_options())
      : host_(loop_, [this] { return kEpochMs + loop_.now_ms(); }, std::move(options), listener_) {
    hello_ = host_.start();
  }

  /// What a load of `path` gives, as JSON, or its error.
  std::string load(const std::string& path) {
    HostRequest request("load", Json{{"path", path}});
    request.extension = path + ".ts";
    request.activity = "its factory ran";
    auto reply = loop_.run(host_.request(std::move(request)));
    if (!reply) return "stopped: " + reply.error().message;
    return *reply ? dump_json(**reply) : "error: " + reply->error().message;
  }
  SimLoop& loop() { return loop_; }
  NodeHost& host() { return host_; }
  RecordingListener& listener() { return listener_; }
  const Result<Json>& hello() const { return hello_; }

 private:
  SimLoop loop_;
  RecordingListener listener_;
  NodeHost host_;
  Result<Json> hello_;
};

TEST(NodeHost, StartsAndAnswersWithinOneStep) {
  FakeHost fake;

  ASSERT_TRUE(fake.hello()) << fake.hello().error().message;
  EXPECT_EQ(fake.load("plain"), R"({"registrations":[],"path":"plain"})");
  EXPECT_EQ(fake.loop().now_ms(), 0);
  EXPECT_EQ(fake.listener().turns, 2);
  EXPECT_FALSE(fake.host().has_been_live());
}

TEST(NodeHost, RefusesAnotherProtocol) {
  NodeHostOptions options = fake_options();
  options.process.environment.emplace_back("FAKE_PROTOCOL", "9");
  FakeHost fake(std::move(options));

  ASSERT_FALSE(fake.hello());
  EXPECT_THAT(fake.hello().error().message, HasSubstr("speaks protocol 9, expected 1"));
}

TEST(NodeHost, AnswersQuestionsWhileItWaits) {
  FakeHost fake;

  EXPECT_THAT(fake.load("asks"), HasSubstr(R"("heard":{"result":{"value":"color"}})"));
}

TEST(NodeHost, KeepsTimersOnTheLoopsClock) {
  FakeHost fake;

  EXPECT_THAT(fake.load("sleeps"), HasSubstr(R"("heard":{"timer":1},"now":1005000)"));
  EXPECT_EQ(fake.loop().now_ms(), 5'000);
}

TEST(NodeHost, SettlesCallsWhenTheSessionIsDone) {
  FakeHost fake;
  fake.loop().spawn(
      [](FakeHost* owner) -> Task<void> {
        co_await owner->loop().sleep_ms(7);
        owner->host().settle(1, Json("done"));
      }(&fake),
      "");

  EXPECT_THAT(fake.load("calls"), HasSubstr(R"("heard":"done","now":1000007)"));
  EXPECT_THAT(fake.listener().calls, ElementsAre(1));
}

TEST(NodeHost, WaitsForNativeWorkAndSaysThatItWas) {
  FakeHost fake;

  EXPECT_EQ(fake.load("works"), R"({"registrations":[],"path":"works"})");
  EXPECT_TRUE(fake.host().has_been_live());
  EXPECT_THAT(fake.listener().printed, ElementsAre("worked\n"));
}

TEST(NodeHost, SaysOfAFactoryThatNeverEndsThatItWaits) {
  FakeHost fake;

  EXPECT_THAT(fake.load("never"), HasSubstr("it waits for what never comes: no end within 30000"));
  EXPECT_THAT(fake.listener().failures, IsEmpty());
  EXPECT_TRUE(fake.host().is_running());
}

TEST(NodeHost, BlamesWhoeverRanWhenTheProcessEnds) {
  FakeHost fake;

  EXPECT_THAT(fake.load("exits"), HasSubstr("exited with code 3 while its factory ran"));
  EXPECT_THAT(fake.listener().failures, ElementsAre(HasSubstr("exits.ts: ")));
  EXPECT_THAT(fake.load("plain"), HasSubstr("exited with code 3"));
  ASSERT_TRUE(fake.host().start());
  EXPECT_EQ(fake.load("plain"), R"({"registrations":[],"path":"plain"})");
}

TEST(NodeHost, EndsAHostThatHangsFloodsOrWritesGarbage) {
  NodeHostOptions hasty = fake_options();
  hasty.turn_ms = 300;
  FakeHost hanging(std::move(hasty));
  FakeHost flooding;
  FakeHost garbling;

  EXPECT_THAT(hanging.load("hangs"), HasSubstr("was not at rest within 300 ms"));
  EXPECT_THAT(flooding.load("floods"), HasSubstr("sent more than 1000 messages at once"));
  EXPECT_THAT(garbling.load("garbage"), HasSubstr("wrote what is no message (no object): [1, 2]"));
  EXPECT_FALSE(garbling.host().is_running());
}

TEST(NodeHost, CannotStartWhatIsNotThere) {
  NodeHostOptions options;
  options.process.argv = {"no-such-node"};
  FakeHost fake(std::move(options));

  ASSERT_FALSE(fake.hello());
  EXPECT_EQ(fake.hello().error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace plumb::engine
