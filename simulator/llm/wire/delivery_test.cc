// SPDX-License-Identifier: Apache-2.0
#include "simulator/llm/wire/delivery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plumb::simulator {
namespace {

using ::testing::ElementsAre;

EventStream three_events() {
  return {{"aaaa", "bbbb", "cc"}, 2, false};
}

TEST(Delivery, WritesEventByEvent) {  // WIRE-03
  const Delivery delivery = stream_delivery({}, three_events(), "event", 0);

  EXPECT_THAT(delivery.part_ends, ElementsAre(4, 8, 10));
  EXPECT_EQ(delivery.body, "aaaabbbbcc");
  EXPECT_EQ(delivery.content_type, "text/event-stream");
}

TEST(Delivery, WritesAllAtOnceOrSoManyBytes) {  // WIRE-03
  EXPECT_THAT(stream_delivery({}, three_events(), "all", 0).part_ends, ElementsAre(10));
  EXPECT_THAT(stream_delivery({}, three_events(), "3", 0).part_ends, ElementsAre(3, 6, 9, 10));
  ModelStep reply;
  reply.wire.write = "7";
  EXPECT_THAT(stream_delivery(reply, three_events(), "all", 0).part_ends, ElementsAre(7, 10));
}

TEST(Delivery, EndsWhereTheConnectionIsCut) {
  ModelStep reply;
  reply.fault = ReplyFaultScript{"cut", 6};
  const Delivery reset = stream_delivery(reply, three_events(), "event", 0);
  reply.fault->close = "fin";
  const Delivery fin = stream_delivery(reply, three_events(), "all", 0);

  EXPECT_THAT(reset.part_ends, ElementsAre(4, 6));
  EXPECT_EQ(reset.ending, ReplyEnding::reset);
  EXPECT_THAT(fin.part_ends, ElementsAre(6));
  EXPECT_EQ(fin.ending, ReplyEnding::fin);
}

TEST(Delivery, CutsWhereTheSeedSays) {
  ModelStep reply;
  reply.fault = ReplyFaultScript{"cut"};

  EXPECT_THAT(stream_delivery(reply, three_events(), "all", 0).part_ends, ElementsAre(5));
  EXPECT_EQ(stream_delivery(reply, three_events(), "all", 9).part_ends,
            stream_delivery(reply, three_events(), "all", 9).part_ends);
}

TEST(Delivery, StallsAtAByte) {
  ModelStep reply;
  reply.fault = ReplyFaultScript{"stall", 5};
  reply.fault->ms = 70;

  const Delivery delivery = stream_delivery(reply, three_events(), "all", 0);

  EXPECT_THAT(delivery.part_ends, ElementsAre(5, 10));
  EXPECT_EQ(delivery.stall_at, 5);
  EXPECT_EQ(delivery.stall_ms, 70);
}

TEST(Delivery, WaitsBeforeTheEndOfTheMessage) {
  ModelStep reply;
  reply.until.text = "agent_start";

  const Delivery delivery = stream_delivery(reply, three_events(), "all", 0);

  EXPECT_THAT(delivery.part_ends, ElementsAre(8, 10));
  EXPECT_EQ(delivery.until_at, 8);
}

TEST(Delivery, CountsWholeEvents) {  // WIRE-12
  const Delivery delivery = stream_delivery({}, three_events(), "event", 0);

  EXPECT_EQ(events_within(delivery, 0), 0);
  EXPECT_EQ(events_within(delivery, 7), 1);
  EXPECT_EQ(events_within(delivery, 10), 3);
}

}  // namespace
}  // namespace plumb::simulator
