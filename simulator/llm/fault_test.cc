// SPDX-License-Identifier: Apache-2.0
#include "simulator/llm/fault.h"

#include <gtest/gtest.h>

#include "simulator/llm/reply.h"

namespace plumb::simulator {
namespace {

ModelStep reply_of(std::vector<std::string> calls, ReplyFaultScript fault) {
  ModelStep reply;
  reply.text = "née";
  for (std::string& id : calls) {
    CallScript call;
    call.id = std::move(id);
    call.tool = "read";
    call.args = Json{{"path", "a.txt"}};
    reply.calls.push_back(call);
  }
  reply.fault = std::move(fault);
  return reply;
}

TEST(Fault, StandsWhereItIsWrittenOrWhereTheSeedSays) {
  EXPECT_EQ(fault_position({"cut", 3}, 10, 7), 3);
  EXPECT_EQ(fault_position({"cut", 30}, 10, 7), 10);
  EXPECT_EQ(fault_position({"cut"}, 10, 0), 5);
  EXPECT_EQ(fault_position({"cut"}, 0, 7), 0);

  const std::int64_t seeded = fault_position({"cut"}, 1000, 7);

  EXPECT_EQ(fault_position({"cut"}, 1000, 7), seeded);
  EXPECT_NE(fault_position({"cut"}, 1000, 8), seeded);
}

TEST(Fault, CutsArgumentsSoThatTheyAreNoJson) {
  for (std::int64_t at = 0; at < 20; ++at) {
    const ModelStep cut = with_content_fault(reply_of({"c1"}, {"cut_arguments", at}), 0);
    EXPECT_FALSE(parse_json(arguments_text(cut.calls[0]))) << arguments_text(cut.calls[0]);
  }
  const ModelStep cut = with_content_fault(reply_of({"c1", "c2"}, {"cut_arguments", 6, "c1"}), 0);
  EXPECT_EQ(cut.calls[0].arguments_text, R"({"path)");
  EXPECT_EQ(cut.calls[1].arguments_text, "");
}

TEST(Fault, GarblesArgumentsSoThatTheyAreNoJson) {
  for (std::int64_t at = 0; at < 20; ++at) {
    const ModelStep bad = with_content_fault(reply_of({"c1"}, {"garbled_arguments", at}), 0);
    EXPECT_FALSE(parse_json(arguments_text(bad.calls[0]))) << arguments_text(bad.calls[0]);
  }
}

TEST(Fault, GivesAllCallsOneId) {
  const ModelStep twins = with_content_fault(reply_of({"c1", "c2"}, {"duplicate_ids"}), 0);

  EXPECT_EQ(twins.calls[1].id, "c1");
}

TEST(Fault, ReachesTheOutputLimitWithinTheLastBlock) {
  const ModelStep text = with_content_fault(reply_of({}, {"length", 2}), 0);
  const ModelStep call = with_content_fault(reply_of({"c1"}, {"length", 1}), 0);

  EXPECT_EQ(text.stop, "length");
  EXPECT_EQ(text.text, "n");  // Never within a character.
  EXPECT_EQ(call.calls[0].arguments_text, "{");
}

PlayerScript two_turns() {
  PlayerScript script;
  script.file = "x.yaml";
  ModelStep one;
  one.text = "one";
  ModelStep two = reply_of({"c1", "c2"}, {});
  two.fault.reset();
  script.tracks["main"] = {{one, {4, 5}}, {two, {5, 5}}};
  return script;
}

TEST(FaultSweep, NamesEveryPointOnce) {
  std::string points;
  for (const FaultPoint& point : fault_points(two_turns())) points += to_string(point) + " ";

  EXPECT_EQ(points,
            "overloaded@main:1 rate_limit@main:1 server@main:1 network@main:1 cut@main:1 "
            "stall@main:1 length@main:1 overloaded@main:2 rate_limit@main:2 server@main:2 "
            "network@main:2 cut@main:2 stall@main:2 cut_arguments@main:2 "
            "garbled_arguments@main:2 duplicate_ids@main:2 length@main:2 ");
}

TEST(FaultSweep, AFailureComesBeforeTheReplyThatItDelays) {
  const auto script = with_fault(two_turns(), {"main", 2, "rate_limit", -1});

  ASSERT_TRUE(script) << script.error().message;
  const auto& replies = script->tracks.at("main");
  ASSERT_EQ(replies.size(), 3U);
  EXPECT_EQ(replies[1].reply->fail, (FailureScript{"rate_limit", "", 0, 20}));
  EXPECT_EQ(replies[2], two_turns().tracks.at("main")[1]);
}

TEST(FaultSweep, BadContentTakesTheReplysPlace) {
  const auto script = with_fault(two_turns(), {"main", 2, "duplicate_ids", -1});

  ASSERT_TRUE(script) << script.error().message;
  EXPECT_EQ(script->tracks.at("main").size(), 2U);
  EXPECT_EQ(script->tracks.at("main")[1].reply->fault->kind, "duplicate_ids");
}

TEST(FaultSweep, SaysWhatItCannotStrike) {
  EXPECT_EQ(with_fault(two_turns(), {"main", 3, "cut", -1}).error().message,
            "fault 'cut@main:3': the script has no such turn");
  EXPECT_EQ(
      with_fault(two_turns(), {"main", 1, "cut_arguments", -1}).error(),
      (Error{ErrorCode::rejected,
             "fault 'cut_arguments@main:1' finds nothing to strike in this reply", "x.yaml:4:5"}));
}

TEST(FaultPoint, IsReadAsItIsWritten) {
  for (const char* text : {"cut@main:2+40", "overloaded@summary:1", "cut@main:1"}) {
    const auto point = fault_point_of(text);
    ASSERT_TRUE(point) << point.error().message;
    EXPECT_EQ(to_string(*point), text);
  }
  EXPECT_EQ(fault_point_of("cut@2").value(), (FaultPoint{"main", 2, "cut", -1}));
}

TEST(FaultPoint, RefusesWhatItDoesNotUnderstand) {
  EXPECT_EQ(fault_point_of("cut").error().message, "fault 'cut', expected KIND@TURN as in cut@2");
  EXPECT_EQ(fault_point_of("cutt@1").error().message,
            "fault 'cutt@1' has an unknown kind; did you mean 'cut'?");
  EXPECT_EQ(fault_point_of("cut@0").error().message,
            "fault 'cut@0' has no turn, expected a number from 1");
  EXPECT_EQ(fault_point_of("cut@1+x").error().message, "fault 'cut@1+x' has no byte behind '+'");
}

}  // namespace
}  // namespace plumb::simulator
