// SPDX-License-Identifier: Apache-2.0
#include "engine/model/message.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace plumb::engine {
namespace {

std::string text(const Json& json) {
  return dump_json(json);
}

ToolResultMessage full_result() {
  ToolResultMessage message;
  message.tool_call_id = "c1";
  message.tool_name = "edit";
  message.content = {TextBlock{"done"}};
  message.details = SharedJson(Json{{"diff", "x"}});
  message.usage = SharedJson(Json{{"input", 1}});
  message.added_tool_names = {"grep"};
  return message;
}

TEST(Message, KeepsDetailsInTheFullForm) {  // RESULT-19
  const Json json = to_json(Message(full_result()));

  EXPECT_EQ(text(json), R"({"role":"toolResult","toolCallId":"c1","toolName":"edit",)"
                        R"("content":[{"type":"text","text":"done"}],"details":{"diff":"x"},)"
                        R"("usage":{"input":1},"isError":false,"addedToolNames":["grep"]})");
}

TEST(Message, SendsNoDetailsAndNoUsageToTheModel) {  // RESULT-02, RESULT-09
  const Json json = to_request_json(Message(full_result()));

  EXPECT_EQ(text(json), R"({"role":"toolResult","toolCallId":"c1","toolName":"edit",)"
                        R"("content":[{"type":"text","text":"done"}],"isError":false})");
}

TEST(Message, SendsACustomMessageAsAUserMessage) {  // EVENT-36
  const CustomMessage custom{"note", {TextBlock{"mind the gap"}}, SharedJson(Json{{"a", 1}})};

  EXPECT_EQ(text(to_request_json(Message(custom))),
            R"({"role":"user","content":[{"type":"text","text":"mind the gap"}]})");
}

TEST(Message, SendsTheRawArgumentsOfACall) {  // PIPE-20
  AssistantMessage answer;
  answer.content = {
      ToolCallBlock{"c1", "read", SharedJson(Json{{"path", "a"}, {"n", "1"}}), "cut"}};
  answer.stop_reason = StopReason::tool_use;

  EXPECT_EQ(text(to_request_json(Message(answer))),
            R"({"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"read",)"
            R"("arguments":{"path":"a","n":"1"}}]})");
  EXPECT_EQ(to_json(Message(answer))["stopReason"], "toolUse");
  EXPECT_EQ(to_json(Message(answer))["content"][0]["argumentsError"], "cut");
}

TEST(Message, ReadsBackEveryBlockItWrites) {
  const std::vector<ContentBlock> content{
      TextBlock{"a"}, ImageBlock{"AAAA", "image/png"}, ThinkingBlock{"hm", "sig"},
      ToolCallBlock{"c", "t", SharedJson(Json{{"k", Json::array({1, 2})}}), ""}};

  const auto read = parse_content(to_json(content));

  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, content);
}

TEST(Message, ReadsAStringAsOneTextBlock) {
  const auto read = parse_content(Json("hello"));

  ASSERT_TRUE(read);
  EXPECT_EQ(*read, std::vector<ContentBlock>{TextBlock{"hello"}});
}

TEST(Message, RefusesBlocksItDoesNotKnow) {
  EXPECT_FALSE(parse_content(Json{{"type", "text"}}));
  EXPECT_FALSE(parse_content(Json::array({Json{{"type", "sound"}}})));
  EXPECT_FALSE(parse_content(Json::array({Json{{"type", "text"}, {"text", 1}}})));
  EXPECT_FALSE(parse_content(Json::array({1})));
}

TEST(Message, NamesTheRoles) {
  EXPECT_EQ(role_of(Message(UserMessage())), "user");
  EXPECT_EQ(role_of(Message(AssistantMessage())), "assistant");
  EXPECT_EQ(role_of(Message(ToolResultMessage())), "toolResult");
  EXPECT_EQ(role_of(Message(CustomMessage())), "custom");
}

TEST(Message, JoinsTextBlocksAndListsCallsInOrder) {
  AssistantMessage answer;
  answer.content = {TextBlock{"a"}, ToolCallBlock{"1", "x", SharedJson(), ""}, TextBlock{"b"},
                    ToolCallBlock{"2", "y", SharedJson(), ""}};

  const auto calls = tool_calls_of(answer);

  EXPECT_EQ(text_of(answer.content), "a\nb");
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].id + calls[1].id, "12");
}

TEST(Message, SpellsStopReasonsAsOnTheWire) {
  for (const auto reason : {StopReason::stop, StopReason::tool_use, StopReason::length,
                            StopReason::error, StopReason::aborted}) {
    EXPECT_EQ(parse_stop_reason(to_string(reason)), reason);
  }
  EXPECT_FALSE(parse_stop_reason("tool_use"));
}

TEST(Message, SharesItsJsonWithTheTrace) {
  const auto message = std::make_shared<const Message>(UserMessage{{TextBlock{"hi"}}});

  const SharedJson shared = share(message);

  EXPECT_EQ(shared.bytes(), R"({"role":"user","content":[{"type":"text","text":"hi"}]})");
  EXPECT_TRUE(SharedJson(shared).same_object(shared));
}

}  // namespace
}  // namespace plumb::engine
