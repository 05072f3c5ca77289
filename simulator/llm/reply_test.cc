// SPDX-License-Identifier: Apache-2.0
#include "simulator/llm/reply.h"

#include <gtest/gtest.h>

namespace plumb::simulator {
namespace {

ModelStep reply_with_call() {
  ModelStep reply;
  reply.text = "née";
  CallScript call;
  call.id = "c1";
  call.tool = "read";
  call.args = Json{{"path", "a"}};
  reply.calls.push_back(call);
  return reply;
}

std::string types_of(const std::vector<StreamPiece>& pieces) {
  std::string types;
  for (const StreamPiece& piece : pieces) {
    types += piece.type + (piece.delta.empty() ? "" : "=" + piece.delta) + " ";
  }
  return types;
}

TEST(Reply, StopsForItsCallsUnlessToldOtherwise) {
  ModelStep reply = reply_with_call();

  EXPECT_EQ(message_of(reply).stop_reason, engine::StopReason::tool_use);
  reply.stop = "length";
  EXPECT_EQ(message_of(reply).stop_reason, engine::StopReason::length);
  reply.stop.clear();
  reply.calls.clear();
  EXPECT_EQ(message_of(reply).stop_reason, engine::StopReason::stop);
}

TEST(Reply, StreamsWholeBlocks) {
  EXPECT_EQ(types_of(pieces_of(reply_with_call())),
            "text_start text_delta=née text_end "
            "toolcall_start toolcall_delta={\"path\":\"a\"} toolcall_end ");
}

TEST(Reply, StreamsChunksOfCodePoints) {
  ModelStep reply;
  reply.text = "née!";
  reply.chunk = 2;

  EXPECT_EQ(types_of(pieces_of(reply)), "text_start text_delta=né text_delta=e! text_end ");
}

TEST(Reply, NamesTheCallWhenItStarts) {
  EXPECT_EQ(dump_json(to_json(pieces_of(reply_with_call())[3])),
            R"({"type":"toolcall_start","contentIndex":1,"id":"c1","name":"read"})");
}

TEST(Reply, StreamsRawArgumentsAndReportsThem) {  // PIPE-15
  ModelStep reply = reply_with_call();
  reply.calls[0].arguments_text = "{\"path\":";
  reply.calls[0].arguments_error = "unexpected end";

  const auto calls = engine::tool_calls_of(message_of(reply));

  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].arguments_error, "unexpected end");
  EXPECT_EQ(pieces_of(reply)[4].delta, "{\"path\":");
}

TEST(Reply, PartialMessageHoldsWhatCame) {
  ModelStep reply = reply_with_call();
  reply.chunk = 1;

  const auto message = partial_message_of(reply, 3);

  EXPECT_EQ(engine::text_of(message.content), "né");
  EXPECT_TRUE(engine::tool_calls_of(message).empty());
}

TEST(Reply, CallThatWasCutHasNoArguments) {
  ModelStep reply = reply_with_call();
  reply.chunk = 4;

  const auto calls = engine::tool_calls_of(partial_message_of(reply, 5));

  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].arguments.get(), Json::object());
  EXPECT_FALSE(calls[0].arguments_error.empty());
}

TEST(Reply, PartialMessageOfAllPiecesIsWhole) {
  const ModelStep reply = reply_with_call();

  EXPECT_EQ(partial_message_of(reply, 100).content, message_of(reply).content);
}

TEST(Reply, FailureHasTheWordsOfItsKindOrItsOwn) {
  EXPECT_EQ(failure_message({"overloaded", "", 0, -1, 0}), "529 overloaded");
  EXPECT_EQ(failure_message({"rate_limit", "slow down", 0, 250, 0}),
            "slow down; retry after 250 ms");
  EXPECT_EQ(failure_status({"rate_limit", "", 0, -1, 0}), 429);
  EXPECT_EQ(failure_status({"server", "", 503, -1, 0}), 503);
}

}  // namespace
}  // namespace plumb::simulator
