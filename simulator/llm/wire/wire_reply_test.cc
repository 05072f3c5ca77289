// SPDX-License-Identifier: Apache-2.0
// Golden bytes of replies, written down from the rules.
#include "simulator/llm/wire/wire_reply.h"

#include <gtest/gtest.h>

namespace plumb::simulator {
namespace {

CallScript call_of(std::string id, std::string tool, Json args) {
  CallScript call;
  call.id = std::move(id);
  call.tool = std::move(tool);
  call.args = std::move(args);
  return call;
}

WireReply text_reply(std::string text) {
  WireReply reply;
  reply.reply.text = std::move(text);
  reply.model = "m";
  reply.stem = "0001";
  reply.usage = {3, 5};
  return reply;
}

std::string joined(const EventStream& stream) {
  std::string bytes;
  for (const std::string& event : stream.events) bytes += event;
  return bytes;
}

/// The JSON of an event.
Json data_of(const std::string& event) {
  const std::size_t begin = event.find("data: ") + 6;
  return parse_json(event.substr(begin, event.size() - begin - 2)).value();
}

constexpr const char* kUsage =
    R"({"input_tokens":3,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,)"
    R"("cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},)";

TEST(MessagesReply, StreamsATextTurn) {  // WIRE-01, WIRE-02, WIRE-20, WIRE-21, WIRE-22, WIRE-26
  WireReply reply = text_reply("ab🌍");
  reply.reply.chunk = 2;

  EXPECT_EQ(joined(messages_events(reply)),
            "event: message_start\n"
            R"(data: {"type":"message_start","message":{"id":"msg_0001","type":"message",)"
            R"("role":"assistant","model":"m","content":[],"stop_reason":null,)"
            R"("stop_sequence":null,"usage":)" +
                std::string(kUsage) + R"("output_tokens":1,"service_tier":"standard"}}})" +
                "\n\n"
                "event: content_block_start\n"
                R"(data: {"type":"content_block_start","index":0,)"
                R"("content_block":{"type":"text","text":""}})"
                "\n\nevent: ping\ndata: {\"type\":\"ping\"}\n\n"
                "event: content_block_delta\n"
                R"(data: {"type":"content_block_delta","index":0,)"
                R"("delta":{"type":"text_delta","text":"ab"}})"
                "\n\nevent: content_block_delta\n"
                R"(data: {"type":"content_block_delta","index":0,)"
                R"("delta":{"type":"text_delta","text":"🌍"}})"
                "\n\nevent: content_block_stop\n"
                R"(data: {"type":"content_block_stop","index":0})"
                "\n\nevent: message_delta\n"
                R"(data: {"type":"message_delta","delta":{"stop_reason":"end_turn",)"
                R"("stop_sequence":null},"usage":{"input_tokens":3,)"
                R"("cache_creation_input_tokens":0,"cache_read_input_tokens":0,)"
                R"("output_tokens":5}})"
                "\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n");
}

TEST(MessagesReply, ThinkingEndsWithOneSignature) {  // WIRE-23
  WireReply reply = text_reply("");
  reply.reply.thinking = "hm";
  reply.reply.wire.signature = "s";
  reply.reply.wire.redacted = "r";
  reply.reply.calls.push_back(call_of("toolu_a", "f", Json::object()));

  const EventStream stream = messages_events(reply);

  std::vector<Json> blocks;
  for (const std::string& event : stream.events) {
    const Json data = data_of(event);
    if (data.contains("content_block")) blocks.push_back(data["content_block"]);
    if (data.contains("delta") && data.contains("index")) blocks.push_back(data["delta"]);
  }
  const Json thinking{{"type", "thinking"}, {"thinking", ""}, {"signature", ""}};
  const Json words{{"type", "thinking_delta"}, {"thinking", "hm"}};
  const Json signature{{"type", "signature_delta"}, {"signature", "s"}};
  const Json redacted{{"type", "redacted_thinking"}, {"data", "r"}};
  const Json call{
      {"type", "tool_use"}, {"id", "toolu_a"}, {"name", "f"}, {"input", Json::object()}};
  const Json empty{{"type", "input_json_delta"}, {"partial_json", ""}};
  EXPECT_EQ(blocks, (std::vector{thinking, words, signature, redacted, call, empty}));
}

TEST(MessagesReply, ArgumentsAreTheSumOfTheirDeltas) {  // WIRE-24, WIRE-25
  WireReply reply = text_reply("");
  reply.reply.chunk = 3;
  reply.reply.calls.push_back(call_of("toolu_a", "f", Json{{"p", "α/β"}}));
  reply.reply.calls.push_back(call_of("toolu_b", "g", Json{{"q", Json{{"r", 1}}}}));

  std::map<std::int64_t, std::string> arguments;
  for (const std::string& event : messages_events(reply).events) {
    const Json data = data_of(event);
    if (!data.contains("delta") || !data["delta"].contains("partial_json")) continue;
    arguments[data["index"].get<std::int64_t>()] += data["delta"]["partial_json"];
  }

  EXPECT_EQ(arguments[0], R"({"p":"α/β"})");
  EXPECT_EQ(arguments[1], R"({"q":{"r":1}})");
}

TEST(MessagesReply, SaysWhyItStops) {  // WIRE-27
  const std::vector<std::pair<std::string, std::string>> stops = {
      {"stop", "end_turn"},
      {"toolUse", "tool_use"},
      {"length", "max_tokens"},
      {"stop_sequence", "stop_sequence"},
      {"pause", "pause_turn"},
      {"filter", "refusal"},
      {"context", "model_context_window_exceeded"}};
  for (const auto& [word, reason] : stops) {
    WireReply reply = text_reply("a");
    reply.reply.stop = word;
    EXPECT_EQ(messages_body(reply)["stop_reason"], reason);
  }
  WireReply refused = text_reply("");
  refused.reply.fail = FailureScript{"refusal", "no"};
  const Json body = messages_body(refused);
  EXPECT_EQ(body["content"], Json::array());
  EXPECT_EQ(body["stop_details"],
            (Json{{"type", "refusal"}, {"category", nullptr}, {"explanation", "no"}}));
}

TEST(MessagesReply, AFailureInTheStreamIsItsLastEvent) {  // WIRE-31
  WireReply reply = text_reply("ab");
  reply.reply.fail = FailureScript{"overloaded", ""};
  reply.reply.fail->after = 2;

  const EventStream stream = messages_events(reply);

  EXPECT_EQ(stream.events.back(),
            "event: error\n"
            R"(data: {"type":"error","error":{"type":"overloaded_error",)"
            R"("message":"overloaded"},"request_id":"req_0001"})"
            "\n\n");
  EXPECT_FALSE(stream.is_broken);
}

TEST(MessagesReply, ABrokenConnectionHasNoEnd) {
  WireReply reply = text_reply("ab");
  reply.reply.fail = FailureScript{"network", ""};
  reply.reply.fail->after = 2;

  const EventStream stream = messages_events(reply);

  EXPECT_TRUE(stream.is_broken);
  EXPECT_EQ(data_of(stream.events.back())["type"], "content_block_stop");
}

/// Texts of the delta go behind those of the block; parts of arguments are gathered.
void add_delta(const Json& delta, Json& block, std::string& arguments) {
  for (const auto& [key, value] : delta.items()) {
    if (key == "partial_json") arguments += value.get<std::string>();
    if (key == "type" || !block.contains(key)) continue;
    block[key] = block[key].get<std::string>() + value.get<std::string>();
  }
}

/// The message that a stream adds up to, as a client makes it.
Json sum_of(const EventStream& stream) {
  Json message;
  std::map<std::int64_t, std::string> arguments;
  for (const std::string& event : stream.events) {
    const Json data = data_of(event);
    const std::string type = data["type"];
    if (type == "message_start") message = data["message"];
    if (type == "content_block_start") message["content"].push_back(data["content_block"]);
    if (type == "message_delta") {
      message.update(data["delta"]);
      message["usage"].update(data["usage"]);
    }
    if (type != "content_block_delta") continue;
    add_delta(data["delta"], message["content"][data["index"].get<std::size_t>()],
              arguments[data["index"]]);
  }
  for (const auto& [index, text] : arguments) {
    if (!text.empty()) {
      message["content"][static_cast<std::size_t>(index)]["input"] = parse_json(text).value();
    }
  }
  return message;
}

TEST(MessagesReply, StreamAndObjectAreOne) {  // WIRE-07
  WireReply reply = text_reply("née 🌍");
  reply.reply.thinking = "hm";
  reply.reply.chunk = 2;
  reply.reply.wire.redacted = "r";
  reply.reply.calls.push_back(call_of("toolu_a", "f", Json{{"p", 1}, {"q", "α"}}));
  reply.reply.calls.push_back(call_of("toolu_b", "g", Json::object()));
  reply.usage = {11, 22, 33, 44, 5};

  const Json sum = sum_of(messages_events(reply));

  EXPECT_TRUE(equal_json(sum, messages_body(reply))) << dump_json_pretty(sum);
}

/// The same for chunks: content, calls, finish reason.
Json chat_sum_of(const EventStream& stream) {
  Json sum{{"content", ""}, {"calls", Json::array()}, {"finish", nullptr}};
  for (const std::string& event : stream.events) {
    if (event.contains("[DONE]")) continue;
    const Json data = data_of(event);
    sum["id"] = data["id"];
    if (data.contains("usage") && !data["usage"].is_null()) sum["usage"] = data["usage"];
    if (data["choices"].empty()) continue;
    const Json& choice = data["choices"][0];
    if (!choice["finish_reason"].is_null()) sum["finish"] = choice["finish_reason"];
    const Json& delta = choice["delta"];
    if (delta.contains("content")) {
      sum["content"] = sum["content"].get<std::string>() + delta["content"].get<std::string>();
    }
    if (!delta.contains("tool_calls")) continue;
    const Json& call = delta["tool_calls"][0];
    if (call.contains("id")) {
      sum["calls"].push_back(
          {{"id", call["id"]},
           {"type", call["type"]},
           {"function", {{"name", call["function"]["name"]}, {"arguments", ""}}}});
    }
    Json& text = sum["calls"][call["index"].get<std::size_t>()]["function"]["arguments"];
    text = text.get<std::string>() + call["function"]["arguments"].get<std::string>();
  }
  return sum;
}

TEST(ChatReply, StreamAndObjectAreOne) {  // WIRE-07
  WireReply reply = text_reply("née 🌍");
  reply.reply.chunk = 2;
  reply.includes_usage = true;
  reply.reply.calls.push_back(call_of("call_a", "f", Json{{"p", 1}, {"q", "α"}}));
  reply.reply.calls.push_back(call_of("call_b", "g", Json::object()));
  reply.usage = {11, 22, 33, 44, 5};

  const Json sum = chat_sum_of(chat_events(reply));
  const Json body = chat_body(reply);

  EXPECT_EQ(sum["id"], body["id"]);
  EXPECT_EQ(sum["content"], body["choices"][0]["message"]["content"]);
  EXPECT_EQ(sum["calls"], body["choices"][0]["message"]["tool_calls"]);
  EXPECT_EQ(sum["finish"], body["choices"][0]["finish_reason"]);
  EXPECT_EQ(sum["usage"], body["usage"]);
}

TEST(MessagesReply, HasTheMembersOfAMessage) {  // WIRE-07
  WireReply reply = text_reply("text");
  reply.reply.thinking = "hm";
  reply.reply.calls.push_back(call_of("toolu_a", "f", Json{{"p", 1}}));
  reply.usage = {11, 22, 33, 44, 5};

  EXPECT_EQ(
      dump_json(messages_body(reply)),
      R"({"id":"msg_0001","type":"message","role":"assistant","model":"m","content":[)"
      R"({"type":"thinking","thinking":"hm","signature":"sig_0001"},{"type":"text","text":"text"},)"
      R"({"type":"tool_use","id":"toolu_a","name":"f","input":{"p":1}}],)"
      R"("stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":11,)"
      R"("cache_creation_input_tokens":44,"cache_read_input_tokens":33,"cache_creation":)"
      R"({"ephemeral_5m_input_tokens":44,"ephemeral_1h_input_tokens":0},"output_tokens":22,)"
      R"("service_tier":"standard","output_tokens_details":{"thinking_tokens":5}}})");
}

constexpr const char* kChunk =
    R"(data: {"id":"chatcmpl-0001","object":"chat.completion.chunk","created":1700000000,)"
    R"("model":"m","choices":[)";

std::string chunk(const std::string& delta, const std::string& reason = "null") {
  return std::string(kChunk) + R"({"index":0,"delta":)" + delta +
         R"(,"logprobs":null,"finish_reason":)" + reason + "}]";
}

TEST(ChatReply, StreamsATextTurn) {  // WIRE-40, WIRE-45
  WireReply reply = text_reply("ab");
  const std::string plain = chunk(R"({"role":"assistant","content":""})") + "}\n\n" +
                            chunk(R"({"content":"ab"})") + "}\n\n" + chunk("{}", R"("stop")") +
                            "}\n\ndata: [DONE]\n\n";
  EXPECT_EQ(joined(chat_events(reply)), plain);

  reply.includes_usage = true;
  const std::string none = ",\"usage\":null}\n\n";
  EXPECT_EQ(joined(chat_events(reply)),
            chunk(R"({"role":"assistant","content":""})") + none + chunk(R"({"content":"ab"})") +
                none + chunk("{}", R"("stop")") + none + kChunk +
                R"(],"usage":{"prompt_tokens":3,"completion_tokens":5,"total_tokens":8,)"
                R"("prompt_tokens_details":{"cached_tokens":0,"cache_write_tokens":0},)"
                R"("completion_tokens_details":{"reasoning_tokens":0}}})"
                "\n\ndata: [DONE]\n\n");
}

TEST(ChatReply, StreamsCallsByIndex) {  // WIRE-41
  WireReply reply = text_reply("");
  reply.reply.calls.push_back(call_of("call_a", "f", Json{{"p", 1}}));
  reply.reply.calls.push_back(call_of("call_b", "g", Json::object()));

  EXPECT_EQ(joined(chat_events(reply)),
            chunk(R"({"role":"assistant","content":""})") + "}\n\n" +
                chunk(R"({"tool_calls":[{"index":0,"id":"call_a","type":"function",)"
                      R"("function":{"name":"f","arguments":""}}]})") +
                "}\n\n" +
                chunk(R"({"tool_calls":[{"index":0,"function":{"arguments":"{\"p\":1}"}}]})") +
                "}\n\n" +
                chunk(R"({"tool_calls":[{"index":1,"id":"call_b","type":"function",)"
                      R"("function":{"name":"g","arguments":""}}]})") +
                "}\n\n" + chunk(R"({"tool_calls":[{"index":1,"function":{"arguments":"{}"}}]})") +
                "}\n\n" + chunk("{}", R"("tool_calls")") + "}\n\ndata: [DONE]\n\n");
}

TEST(ChatReply, InterleavesTheArgumentsOfCalls) {  // WIRE-42
  WireReply reply = text_reply("");
  reply.reply.chunk = 4;
  reply.reply.wire.interleave = true;
  reply.reply.calls.push_back(call_of("call_a", "f", Json{{"p", 1}}));
  reply.reply.calls.push_back(call_of("call_b", "g", Json{{"q", 2}}));

  std::string order;
  for (const std::string& event : chat_events(reply).events) {
    if (!event.contains("tool_calls\":[")) continue;
    const Json call = data_of(event)["choices"][0]["delta"]["tool_calls"][0];
    order += std::to_string(call["index"].get<int>()) +
             call["function"]["arguments"].get<std::string>() + " ";
  }

  EXPECT_EQ(order, "0 1 0{\"p\" 1{\"q\" 0:1} 1:2} ");
}

TEST(ChatReply, SaysWhyItStops) {  // WIRE-44, WIRE-47
  const std::vector<std::pair<std::string, std::string>> stops = {
      {"stop", "stop"},         {"toolUse", "tool_calls"},    {"length", "length"},
      {"pause", "stop"},        {"filter", "content_filter"}, {"context", "length"},
      {"stop_sequence", "stop"}};
  for (const auto& [word, reason] : stops) {
    WireReply reply = text_reply("a");
    reply.reply.stop = word;
    EXPECT_EQ(chat_body(reply)["choices"][0]["finish_reason"], reason);
  }
  WireReply refused = text_reply("");
  refused.reply.fail = FailureScript{"refusal", "no"};
  const Json choice = chat_body(refused)["choices"][0];
  EXPECT_EQ(choice["finish_reason"], "stop");
  EXPECT_EQ(choice["message"]["refusal"], "no");
}

TEST(ChatReply, CountsCachedTokensIntoThePrompt) {  // WIRE-45, WIRE-48
  WireReply reply = text_reply("a");
  reply.reply.thinking = "hm";
  reply.usage = {11, 22, 33, 44, 5};

  const Json body = chat_body(reply);

  EXPECT_EQ(body["usage"]["prompt_tokens"], 88);
  EXPECT_EQ(body["usage"]["total_tokens"], 110);
  EXPECT_EQ(body["choices"][0]["message"]["reasoning_content"], "hm");
  EXPECT_EQ(body["choices"][0]["message"]["content"], "a");
}

TEST(ChatReply, AFailureInTheStreamIsItsLastLine) {  // WIRE-49
  WireReply reply = text_reply("ab");
  reply.reply.fail = FailureScript{"rate_limit", "slow down"};
  reply.reply.fail->after = 2;

  EXPECT_EQ(chat_events(reply).events.back(),
            R"(data: {"error":{"message":"slow down","type":"rate_limit_error","param":null,)"
            R"("code":"rate_limit_exceeded"}})"
            "\n\n");
}

TEST(StreamTemplate, GivesTheBytesOfTheReply) {  // WIRE-08
  WireReply reply = text_reply("aaaaaaaa bbbbbbbb 0001");
  reply.reply.thinking = "aaaaaaaabbbbbbbb";
  reply.reply.calls.push_back(call_of("toolu_a", "f", Json{{"p", "aaaaaaaa"}}));
  reply.includes_usage = true;
  for (const Dialect dialect : {Dialect::messages, Dialect::chat}) {
    const StreamTemplate form(dialect, reply);
    for (const char* stem : {"0001", "some_conversation_0012"}) {
      reply.stem = stem;
      const EventStream direct =
          dialect == Dialect::messages ? messages_events(reply) : chat_events(reply);
      EXPECT_EQ(form.with(stem).events, direct.events);
      EXPECT_EQ(form.with(stem).finish, direct.finish);
    }
  }
}

TEST(WireReply, LeavesOutPartsOfTheProtocol) {
  WireReply reply = text_reply("a");
  reply.includes_usage = true;
  reply.reply.wire.omit = {"finish", "stop_event", "done", "usage"};

  EXPECT_FALSE(joined(messages_events(reply)).contains("message_stop"));
  EXPECT_FALSE(joined(messages_events(reply)).contains("message_delta"));
  EXPECT_FALSE(joined(messages_events(reply)).contains("usage"));
  EXPECT_FALSE(joined(chat_events(reply)).contains("[DONE]"));
  EXPECT_FALSE(joined(chat_events(reply)).contains("usage"));
  EXPECT_FALSE(joined(chat_events(reply)).contains("\"stop\""));
}

TEST(WireReply, AnEmptyAnswerHasNoBlock) {  // WIRE-90
  const WireReply reply = text_reply("");

  EXPECT_EQ(messages_body(reply)["content"], Json::array());
  EXPECT_FALSE(joined(messages_events(reply)).contains("content_block"));
  EXPECT_EQ(chat_body(reply)["choices"][0]["message"]["content"], "");
}

}  // namespace
}  // namespace plumb::simulator
