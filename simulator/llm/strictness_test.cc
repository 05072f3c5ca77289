// SPDX-License-Identifier: Apache-2.0
#include "simulator/llm/strictness.h"

#include <gtest/gtest.h>

namespace plumb::simulator {
namespace {

using engine::ModelRequest;

Json user() {
  return Json{{"role", "user"}, {"content", "go"}};
}

Json answer(const std::vector<std::string>& ids) {
  Json content = Json::array();
  for (const std::string& id : ids) {
    content.push_back({{"type", "toolCall"}, {"id", id}, {"name", "read"}});
  }
  return Json{{"role", "assistant"}, {"content", content}};
}

Json result(const std::string& id) {
  return Json{{"role", "toolResult"}, {"toolCallId", id}, {"content", "ok"}};
}

/// The codes of all errors, with the call that each is located by.
std::string codes_of(const ModelRequest& request) {
  std::string codes;
  for (const LlmError& error : check_request(request, [](const std::string& id) { return id; })) {
    codes += error.code + (error.where.empty() ? "" : ":" + error.where) + " ";
  }
  return codes;
}

std::string codes_of_messages(const std::vector<Json>& messages) {
  ModelRequest request;
  for (const Json& message : messages) request.messages.emplace_back(message);
  return codes_of(request);
}

std::string codes_of_tool(const std::string& name, const Json& declaration) {
  ModelRequest request;
  request.messages.emplace_back(user());
  request.tools.push_back({name, SharedJson(declaration)});
  return codes_of(request);
}

TEST(Strictness, AcceptsCallsWithTheirResultsInOrder) {  // BATCH-17, BATCH-06
  EXPECT_EQ(
      codes_of_messages({user(), answer({"a", "b"}), result("a"), result("b"), answer({}), user()}),
      "");
}

/// What is said of `messages` does not depend on how many of them were accepted before.
void expect_same_verdict(const std::vector<Json>& messages) {
  ModelRequest request;
  for (const Json& message : messages) request.messages.emplace_back(message);
  const auto same_id = [](const std::string& id) { return id; };
  const auto whole = check_request(request, same_id);
  for (std::size_t count = 0; count <= messages.size(); ++count) {
    ModelRequest earlier = request;
    earlier.messages = request.messages.first(count);
    if (!check_request(earlier, same_id).empty()) continue;
    EXPECT_EQ(check_request(request, same_id, earlier.messages), whole) << count;
  }
}

TEST(Strictness, SaysTheSameWhateverWasAcceptedBefore) {
  const std::vector<Json> good{user(),      answer({"a", "b"}), result("a"),
                               result("b"), answer({"c"}),      result("c")};
  expect_same_verdict(good);
  for (const Json& last : {result("c"), result("a"), result("x"), answer({"d"}), user()}) {
    auto messages = good;
    messages.push_back(last);
    expect_same_verdict(messages);
  }
}

TEST(Strictness, RefusesARequestWithoutMessages) {
  EXPECT_EQ(codes_of_messages({}), "empty_messages ");
}

TEST(Strictness, RefusesAnUnknownRole) {
  EXPECT_EQ(codes_of_messages({user(), Json{{"role", "custom"}, {"content", "x"}}}),
            "unknown_role ");
}

TEST(Strictness, RefusesAResultThatNobodyAskedFor) {
  EXPECT_EQ(codes_of_messages({user(), result("x")}), "orphan_result:x ");
}

TEST(Strictness, RefusesAResultBeforeItsCall) {
  EXPECT_EQ(codes_of_messages({user(), result("a"), answer({"a"}), result("a")}),
            "early_result:a ");
}

TEST(Strictness, RefusesACallWithoutResult) {  // BATCH-17
  EXPECT_EQ(codes_of_messages({user(), answer({"a", "b"}), result("a"), user()}),
            "missing_result:b ");
  EXPECT_EQ(codes_of_messages({user(), answer({"a"})}), "missing_result:a ");
}

TEST(Strictness, RefusesASecondResult) {
  EXPECT_EQ(codes_of_messages({user(), answer({"a"}), result("a"), result("a")}),
            "duplicate_result:a ");
  EXPECT_EQ(codes_of_messages({user(), answer({"a"}), result("a"), user(), result("a")}),
            "duplicate_result:a ");
}

TEST(Strictness, RefusesResultsInAnotherOrder) {  // BATCH-06
  EXPECT_EQ(codes_of_messages({user(), answer({"a", "b"}), result("b"), result("a")}),
            "result_order:a ");
}

TEST(Strictness, RefusesAResultBehindAnotherMessage) {
  EXPECT_EQ(codes_of_messages({user(), answer({"a"}), user(), result("a")}),
            "missing_result:a late_result:a ");
}

TEST(Strictness, TakesAResultForEachCallOfARepeatedId) {  // BATCH-16
  EXPECT_EQ(codes_of_messages({user(), answer({"a", "a"}), result("a"), result("a")}), "");
  EXPECT_EQ(codes_of_messages({user(), answer({"a", "a"}), result("a")}), "missing_result:a ");
}

TEST(Strictness, RefusesBadTools) {
  const Json good{{"name", "t"}, {"parameters", {{"type", "object"}}}};

  EXPECT_EQ(codes_of_tool("my-tool_1", good), "");
  EXPECT_EQ(codes_of_tool("my tool", good), "bad_tool ");
  EXPECT_EQ(codes_of_tool("", good), "bad_tool ");
  EXPECT_EQ(codes_of_tool(std::string(129, 'x'), good), "bad_tool ");
  EXPECT_EQ(codes_of_tool("t", Json{{"name", "t"}}), "bad_tool ");
  EXPECT_EQ(codes_of_tool("t", Json{{"parameters", {{"type", "string"}}}}), "bad_tool ");
}

TEST(Strictness, RefusesTwoToolsOfOneName) {
  ModelRequest request;
  request.messages.emplace_back(user());
  const Json declaration{{"parameters", {{"type", "object"}}}};
  request.tools.push_back({"t", SharedJson(declaration)});
  request.tools.push_back({"t", SharedJson(declaration)});

  EXPECT_EQ(codes_of(request), "duplicate_tool ");
}

}  // namespace
}  // namespace plumb::simulator
