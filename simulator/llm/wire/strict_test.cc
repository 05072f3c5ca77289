// SPDX-License-Identifier: Apache-2.0
// One violation each (WIRE-71, WIRE-72), beside a request that is right.
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "simulator/llm/wire/wire_request.h"

namespace plumb::simulator {
namespace {

using Problems = std::vector<RequestProblem>;

/// "code at position" of every problem.
std::string named(const Problems& problems) {
  std::string text;
  for (const RequestProblem& problem : problems) {
    text += (text.empty() ? "" : ", ") + problem.code + " at " + problem.position;
  }
  return text;
}

std::string messages(const std::string& list, const std::string& rest = "") {
  const std::string body = R"({"model":"m","max_tokens":9,"messages":[)" + list + "]" + rest + "}";
  return named(check_messages_body(parse_json(body).value()));
}

std::string chat(const std::string& list, const std::string& rest = "") {
  const std::string body = R"({"model":"m","messages":[)" + list + "]" + rest + "}";
  return named(check_chat_body(parse_json(body).value()));
}

const std::string kUser = R"({"role":"user","content":"hi"})";
const std::string kCall =
    R"({"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]})";
const std::string kResult =
    R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]})";

TEST(StrictMessages, TakesWhatIsRight) {  // WIRE-71
  EXPECT_EQ(messages(kUser + "," + kCall + "," + kResult), "");
  EXPECT_EQ(messages(kUser, R"(,"tools":[{"name":"f","input_schema":{"type":"object"}}])"), "");
  EXPECT_EQ(messages(kUser, R"(,"tools":[{"type":"web_search_20250305","name":"web_search"}])"),
            "");
  EXPECT_EQ(messages(kUser + R"(,{"role":"assistant","content":""})"), "");
}

TEST(StrictMessages, NeedsAModelTokensAndMessages) {
  EXPECT_EQ(named(check_messages_body(Json::object())),
            "missing_model at model, missing_max_tokens at max_tokens, empty_messages at messages");
}

TEST(StrictMessages, RefusesWrongMessages) {
  EXPECT_EQ(messages(R"({"role":"assistant","content":"a"},)" + kUser),
            "first_assistant at messages.0");
  EXPECT_EQ(messages(R"({"role":"user","content":[]},)" + kUser), "empty_content at messages.0");
  EXPECT_EQ(messages(R"({"role":"user","content":[{"type":"text","text":" \n"}]})"),
            "blank_text at messages.0.content.0");
  EXPECT_EQ(messages(R"({"role":"tool","content":"a"})"), "unknown_role at messages.0.role");
  EXPECT_EQ(messages(R"({"role":"user","content":7})"), "bad_content at messages.0.content");
}

TEST(StrictMessages, WantsEachResultOnceAndDirectly) {
  EXPECT_EQ(messages(kUser + "," + kCall + "," + kUser), "missing_result at messages.2");
  EXPECT_EQ(messages(kUser + "," + kCall), "missing_result at messages.1");
  EXPECT_EQ(messages(kUser + "," + kResult), "orphan_result at messages.1.content.0");
  EXPECT_EQ(messages(kUser + "," + kCall + "," + kUser + "," + kResult),
            "missing_result at messages.2, late_result at messages.3.content.0");
  const std::string twice = R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"a"},)"
                            R"({"type":"tool_result","tool_use_id":"a"}]})";
  EXPECT_EQ(messages(kUser + "," + kCall + "," + twice),
            "duplicate_result at messages.2.content.1");
  const std::string behind = R"({"role":"user","content":[{"type":"text","text":"x"},)"
                             R"({"type":"tool_result","tool_use_id":"a"}]})";
  EXPECT_EQ(messages(kUser + "," + kCall + "," + behind),
            "results_not_first at messages.2.content.1");
}

TEST(StrictMessages, RefusesResultsOverTwoMessages) {
  const std::string two =
      R"({"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},)"
      R"({"type":"tool_use","id":"b","name":"f","input":{}}]})";
  const std::string second =
      R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"b"}]})";

  EXPECT_EQ(messages(kUser + "," + two + "," + kResult + "," + second),
            "missing_result at messages.2, late_result at messages.3.content.0");
}

std::string call_with(const std::string& members) {
  return kUser + R"(,{"role":"assistant","content":[{"type":"tool_use",)" + members + "}]}";
}

TEST(StrictMessages, RefusesWrongCalls) {
  EXPECT_EQ(messages(call_with(R"("id":"a.b","name":"f","input":{})")),
            "bad_call_id at messages.1.content.0.id, missing_result at messages.1");
  EXPECT_EQ(messages(call_with(R"("id":"a","name":"f g","input":{})")),
            "bad_call_name at messages.1.content.0.name, missing_result at messages.1");
  EXPECT_EQ(messages(call_with(R"("id":"a","name":"f","input":"{}")")),
            "bad_arguments at messages.1.content.0.input, missing_result at messages.1");
  EXPECT_EQ(messages(kUser + "," + kCall + "," + kResult + "," + kCall + "," + kResult),
            "duplicate_call at messages.3.content.0.id");
}

TEST(StrictMessages, RefusesWrongTools) {
  EXPECT_EQ(messages(kUser, R"(,"tools":[{"name":"f"}])"), "bad_tool at tools.0");
  EXPECT_EQ(messages(kUser, R"(,"tools":[{"name":"f","input_schema":{"type":"array"}}])"),
            "bad_tool at tools.0");
  EXPECT_EQ(messages(kUser, R"(,"tools":[{"name":"f","input_schema":{"type":"object"}},)"
                            R"({"name":"f","input_schema":{"type":"object"}}])"),
            "duplicate_tool at tools.1");
}

std::string chat_call(const std::string& calls) {
  return kUser + R"(,{"role":"assistant","content":null,"tool_calls":)" + calls + "}";
}

const std::string kChatCall =
    chat_call(R"([{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}])");
const std::string kChatResult = R"({"role":"tool","tool_call_id":"a","content":"x"})";

TEST(StrictChat, TakesWhatIsRight) {  // WIRE-72
  EXPECT_EQ(chat(kChatCall + "," + kChatResult), "");
  EXPECT_EQ(chat(kUser + R"(,{"role":"assistant","refusal":"no"})"), "");
  EXPECT_EQ(chat(kUser, R"(,"tools":[{"type":"function","function":{"name":"f"}}])"), "");
}

TEST(StrictChat, WantsEachResultOnceAndDirectly) {
  EXPECT_EQ(chat(kChatCall), "missing_result at messages[1]");
  EXPECT_EQ(chat(kChatCall + "," + kUser), "missing_result at messages[2]");
  EXPECT_EQ(chat(kUser + "," + kChatResult), "orphan_result at messages[1]");
  EXPECT_EQ(chat(kChatCall + "," + kChatResult + "," + kChatResult),
            "duplicate_result at messages[3]");
  EXPECT_EQ(chat(kChatCall + "," + kChatResult + "," + kUser + "," + kChatResult),
            "late_result at messages[4]");
}

TEST(StrictChat, RefusesWrongAnswers) {
  EXPECT_EQ(chat(chat_call("[]")), "empty_calls at messages[1].tool_calls");
  EXPECT_EQ(chat(kUser + R"(,{"role":"assistant","content":null})"),
            "empty_message at messages[1]");
  EXPECT_EQ(chat(R"({"role":"toolResult","content":"a"})"), "unknown_role at messages[0].role");
  EXPECT_EQ(chat(R"({"role":"user"})"), "bad_content at messages[0].content");
}

TEST(StrictChat, RefusesWrongCalls) {
  const std::string good = R"({"id":"a","function":{"name":"f","arguments":"{}"}})";
  EXPECT_EQ(chat(chat_call("[" + good + "," + good + "]") + "," + kChatResult),
            "duplicate_call at messages[1].tool_calls[1].id, missing_result at messages[2]");
  EXPECT_EQ(chat(chat_call(R"([{"id":"a","function":{"name":"","arguments":"{}"}}])") + "," +
                 kChatResult),
            "bad_call_name at messages[1].tool_calls[0].function.name");
  EXPECT_EQ(
      chat(chat_call(R"([{"id":"a","function":{"name":"f","arguments":{}}}])") + "," + kChatResult),
      "bad_arguments at messages[1].tool_calls[0].function.arguments");
  EXPECT_EQ(chat(chat_call(R"([{"id":"","function":{"name":"f","arguments":"{}"}}])") +
                 R"(,{"role":"tool","tool_call_id":"","content":"x"})"),
            "bad_call_id at messages[1].tool_calls[0].id");
}

/// The first words in quotes behind each `opening` of a source.
void collect_codes(const std::string& source, const std::string& opening,
                   std::set<std::string>& codes) {
  for (auto at = source.find(opening); at != source.npos; at = source.find(opening, at + 1)) {
    const auto begin = source.find_first_not_of(" \n{", at + opening.size());
    if (begin == source.npos || source[begin] != '"') continue;
    codes.insert(source.substr(begin + 1, source.find('"', begin + 1) - begin - 1));
  }
}

/// What the sources of the checks report, as they stand.
std::set<std::string> reported_codes() {
  std::set<std::string> codes;
  for (const char* file :
       {"simulator/llm/strictness.cc", "simulator/llm/wire/strict_chat.cc",
        "simulator/llm/wire/strict_messages.cc", "simulator/llm/wire/body_checker.h",
        "simulator/llm/wire/wire_book.cc"}) {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    collect_codes(text.str(), "report(", codes);
    collect_codes(text.str(), "found.push_back(", codes);
  }
  return codes;
}

TEST(CheckCodes, AreThoseThatTheChecksReport) {  // WIRE-70
  std::set<std::string> known;
  for (const std::string_view code : check_codes()) known.emplace(code);

  EXPECT_EQ(known, reported_codes());
}

TEST(WireRequest, IsNeutral) {
  const Json body =
      parse_json(R"({"model":"m","stream":true,"system":[{"type":"text","text":"s",)"
                 R"("cache_control":{"type":"ephemeral"}}],"tools":[{"name":"f",)"
                 R"("description":"d","input_schema":{"type":"object"}}],"messages":[)" +
                 kUser + "," + kCall + "," + kResult + "]}")
          .value();

  const auto wire = read_wire_request(Dialect::messages, body);

  ASSERT_TRUE(wire) << wire.error().message;
  EXPECT_TRUE(wire->is_stream);
  EXPECT_EQ(wire->answers, 1);
  EXPECT_EQ(wire->request.system.get(), Json("s"));
  EXPECT_EQ(dump_json(wire->request.tools.at(0).json.get()),
            R"({"name":"f","description":"d","parameters":{"type":"object"}})");
  EXPECT_EQ(wire->request.messages[2].get()["toolCallId"], "a");
}

Json request_with(const Json& part) {
  return Json{{"model", "m"}, {"messages", {{{"role", "user"}, {"content", {part}}}}}};
}

TEST(WireRequest, HasOneFormOfPictures) {  // WIRE-118
  const Json source{{"type", "base64"}, {"media_type", "image/png"}, {"data", "aGk="}};
  const Json url{{"url", "data:image/png;base64,aGk="}};

  const auto messages = read_wire_request(
      Dialect::messages, request_with(Json{{"type", "image"}, {"source", source}}));
  const auto chat = read_wire_request(
      Dialect::chat, request_with(Json{{"type", "image_url"}, {"image_url", url}}));

  ASSERT_TRUE(messages && chat);
  EXPECT_EQ(messages->request.messages[0].get(), chat->request.messages[0].get());
  EXPECT_EQ(dump_json(messages->request.messages[0].get()["content"]),
            R"([{"type":"image","data":"aGk=","mimeType":"image/png"}])");
}

TEST(WireRequest, RefusesWhatIsNoRequest) {
  EXPECT_FALSE(read_wire_request(Dialect::chat, Json::array()));
  EXPECT_FALSE(read_wire_request(Dialect::chat, Json{{"messages", 7}}));
  EXPECT_FALSE(read_wire_request(Dialect::messages, Json{{"messages", {1, 2}}}));
}

}  // namespace
}  // namespace plumb::simulator
