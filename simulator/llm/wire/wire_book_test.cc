// SPDX-License-Identifier: Apache-2.0
#include "simulator/llm/wire/wire_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulator/llm/wire/wire_script_fixture.h"

namespace plumb::simulator {
namespace {

using ::testing::HasSubstr;

Json json_of(const Delivery& delivery) {
  return parse_json(delivery.body).value();
}

std::string text_of(const Delivery& delivery) {
  const Json body = json_of(delivery);
  if (!body.contains("content") || body["content"].empty()) return "";
  return body["content"][0]["text"].get<std::string>();
}

std::string header_of(const Delivery& delivery, const std::string& name) {
  for (const auto& [key, value] : delivery.headers) {
    if (key == name) return value;
  }
  return "";
}

constexpr const char* kTwoReplies = "  - model: one\n  - model: two\n";

TEST(WireBook, AnswersWithoutAStream) {  // WIRE-07, WIRE-14
  WireBook book(script_of(kTwoReplies), {});

  const Delivery delivery = book.answer(messages_request());

  EXPECT_EQ(delivery.status, 200);
  EXPECT_EQ(text_of(delivery), "one");
  EXPECT_EQ(header_of(delivery, "request-id"), "req_0001");
  EXPECT_FALSE(delivery.is_stream);
}

TEST(WireBook, GivesTheSameBytesInEveryRun) {  // WIRE-08
  const std::string steps = "  - model: {text: abc, chunk: 1, calls: [{id: c1, tool: f}]}\n";
  std::string bytes;
  for (int run = 0; run < 2; ++run) {
    WireBook book(script_of(steps), {});
    const std::string streamed =
        book.answer(messages_request(kHello, "/v1/messages", R"(,"stream":true)")).body;
    if (run == 0) bytes = streamed;
    EXPECT_EQ(streamed, bytes);
  }
}

TEST(WireBook, KeepsConversationsApart) {  // WIRE-11, WIRE-13
  WireBook book(script_of(kTwoReplies), {});

  EXPECT_EQ(text_of(book.answer(messages_request(kHello, "/c/a/v1/messages"))), "one");
  EXPECT_EQ(text_of(book.answer(messages_request(kHello, "/c/b/messages?beta=true"))), "one");
  EXPECT_EQ(text_of(book.answer(messages_request(kHello, "/c/a/v1/messages"))), "two");
  HttpRequest by_header = messages_request();
  by_header.headers.emplace_back("x-plumb-conversation", "b");
  const Delivery delivery = book.answer(by_header);
  EXPECT_EQ(text_of(delivery), "two");
  EXPECT_EQ(json_of(delivery)["id"], "msg_b_0002");
}

TEST(WireBook, AConversationPlaysTheTrackOfItsName) {
  WireBook book(script_of("  - model: one\n  - model: {track: side, text: other}\n"), {});

  EXPECT_EQ(text_of(book.answer(messages_request(kHello, "/c/side/v1/messages"))), "other");
  EXPECT_EQ(text_of(book.answer(messages_request(kHello, "/c/x/t/side/v1/messages"))), "other");
  EXPECT_EQ(text_of(book.answer(messages_request(kHello, "/c/x/v1/messages"))), "one");
}

TEST(WireBook, ASummaryIsAskedForWithoutTools) {  // WIRE-11
  WireBook book(script_of("  - model: one\n  - model: {track: summary, text: short}\n"), {});
  const std::string tools = R"(,"tools":[{"name":"f","input_schema":{"type":"object"}}])";

  EXPECT_EQ(text_of(book.answer(messages_request(kHello, "/v1/messages", tools))), "one");
  EXPECT_EQ(text_of(book.answer(messages_request())), "short");
}

TEST(WireBook, IsLoudWhenTheScriptRunsOut) {  // WIRE-10
  WireBook book(script_of("  - model: one\n"), {});
  book.answer(messages_request());

  const Delivery delivery = book.answer(messages_request());

  EXPECT_EQ(delivery.status, 500);
  EXPECT_EQ(header_of(delivery, "x-should-retry"), "false");
  EXPECT_THAT(delivery.body, HasSubstr("exhausted: request 2 on track 'main', which has 1 reply"));
  EXPECT_THAT(delivery.body, HasSubstr("x.yaml:5:5"));
  ASSERT_EQ(book.errors().size(), 1U);
  EXPECT_EQ(book.errors()[0].code, "exhausted");
}

TEST(WireBook, SaysWhatNobodyAskedFor) {  // WIRE-10
  WireBook book(script_of(kTwoReplies), {});
  EXPECT_EQ(book.left_over().size(), 1U);
  book.answer(messages_request());

  const auto errors = book.left_over();

  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0],
            (LlmError{"left_over", "track 'main' has 1 reply that no request took", "x.yaml:6:5"}));
}

TEST(WireBook, BeginsAgainWhenItLoops) {
  WireOptions options;
  options.loops = true;
  WireBook book(script_of("  - model: {calls: [{id: c1, tool: f}]}\n"), options);

  const Json first = json_of(book.answer(messages_request()));
  const Json second = json_of(book.answer(messages_request()));

  EXPECT_EQ(first["content"][0]["id"], "toolu_c1_1");
  EXPECT_EQ(second["content"][0]["id"], "toolu_c1_2");
}

TEST(WireBook, OtherEndpointsTakeNoReply) {  // WIRE-10, WIRE-32, WIRE-33
  WireBook book(script_of("  - model: one\n"), {});
  const auto get = [&](const char* path, bool is_messages) {
    HttpRequest request = post(path, "");
    request.method = "GET";
    if (!is_messages) request.headers.clear();
    return book.answer(request);
  };

  EXPECT_EQ(json_of(get("/v1/models", true))["data"][0]["type"], "model");
  EXPECT_EQ(json_of(get("/v1/models", true))["first_id"], "fake-1");
  EXPECT_EQ(json_of(get("/models", false))["object"], "list");
  EXPECT_EQ(json_of(get("/v1/models/fake-1", false))["object"], "model");
  EXPECT_EQ(get("/v1/models/other", false).status, 404);
  EXPECT_EQ(get("/v1/models/other", true).status, 404);
  const Json few = json_of(book.answer(messages_request(kHello, "/v1/messages/count_tokens")));
  const Json more = json_of(book.answer(
      messages_request(kHello, "/v1/messages/count_tokens", R"(,"system":"very long indeed")")));
  EXPECT_GT(few["input_tokens"], 0);
  EXPECT_GT(more["input_tokens"], few["input_tokens"]);
  EXPECT_EQ(json_of(book.answer(post("/v1/responses/input_tokens", "{}")))["object"],
            "response.input_tokens");
  EXPECT_EQ(text_of(book.answer(messages_request())), "one");
}

TEST(WireBook, HasErrorsInEachProvidersShape) {  // WIRE-30, WIRE-49
  const std::vector<std::tuple<int, std::string, std::string, Json>> rows = {
      {400, "invalid_request_error", "invalid_request_error", nullptr},
      {401, "authentication_error", "invalid_request_error", "invalid_api_key"},
      {402, "billing_error", "insufficient_quota", "insufficient_quota"},
      {403, "permission_error", "permission_error", nullptr},
      {404, "not_found_error", "invalid_request_error", "model_not_found"},
      {413, "request_too_large", "invalid_request_error", nullptr},
      {429, "rate_limit_error", "rate_limit_error", "rate_limit_exceeded"},
      {500, "api_error", "server_error", nullptr},
      {504, "timeout_error", "server_error", nullptr},
      {529, "overloaded_error", "server_error", nullptr}};
  for (const auto& [status, type, chat_type, code] : rows) {
    const std::string step =
        "  - model: {fail: {kind: server, message: m, status: " + std::to_string(status) + "}}\n";
    WireBook book(script_of(step + step), {});
    const Delivery anthropic = book.answer(messages_request());
    EXPECT_EQ(anthropic.status, status);
    EXPECT_EQ(anthropic.body, R"({"type":"error","error":{"type":")" + type +
                                  R"(","message":"m"},"request_id":"req_0001"})");
    const Delivery chat = book.answer(chat_request());
    EXPECT_EQ(json_of(chat)["error"]["type"], chat_type);
    EXPECT_EQ(json_of(chat)["error"]["code"], code);
    EXPECT_EQ(header_of(chat, "x-request-id"), "req_0002");
  }
}

TEST(WireBook, SaysWhenToTryAgain) {  // WIRE-81, WIRE-82, WIRE-96, WIRE-97
  WireBook book(script_of("  - model: {fail: {kind: rate_limit, retry_after_ms: 1500, "
                          "should_retry: true, code: insufficient_quota}}\n"
                          "  - model: {fail: {kind: server, status: 502, body: <html>}}\n"),
                {});

  const Delivery limited = book.answer(chat_request());
  const Delivery html = book.answer(chat_request());

  EXPECT_EQ(limited.status, 429);
  EXPECT_EQ(header_of(limited, "retry-after-ms"), "1500");
  EXPECT_EQ(header_of(limited, "retry-after"), "2");
  EXPECT_EQ(header_of(limited, "x-should-retry"), "true");
  EXPECT_EQ(json_of(limited)["error"]["code"], "insufficient_quota");
  EXPECT_EQ(html.body, "<html>");
  EXPECT_EQ(html.content_type, "text/html");
}

constexpr const char* kFailThenGood =
    "  - model: {fail: {kind: rate_limit}}\n  - model: one\n  - model: two\n";

TEST(WireBook, AFailedReplyIsUsedUpInSequence) {  // WIRE-11
  WireBook book(script_of(kFailThenGood), {});

  EXPECT_EQ(book.answer(messages_request()).status, 429);
  EXPECT_EQ(text_of(book.answer(messages_request())), "one");
  EXPECT_EQ(text_of(book.answer(messages_request())), "two");
}

TEST(WireBook, HistoryAloneChoosesTheReply) {  // WIRE-11
  WireOptions options;
  options.selection = Selection::history;
  WireBook book(script_of(kFailThenGood), options);
  const std::string longer =
      R"([{"role":"user","content":"hi"},{"role":"assistant","content":"one"},)"
      R"({"role":"user","content":"go on"}])";

  EXPECT_EQ(book.answer(messages_request()).status, 429);
  EXPECT_EQ(text_of(book.answer(messages_request())), "one");
  EXPECT_EQ(text_of(book.answer(messages_request())), "one");
  EXPECT_EQ(text_of(book.answer(messages_request(longer))), "two");
  EXPECT_EQ(text_of(book.answer(messages_request(kHello, "/c/other/messages", ""))), "");
}

TEST(WireBook, AResetCountsInSequenceAlone) {  // WIRE-11
  const std::string steps = "  - model: {fail: {kind: network}}\n  - model: one\n  - model: two\n";
  WireOptions options;
  WireBook sequence(script_of(steps), options);
  options.selection = Selection::history;
  WireBook history(script_of(steps), options);

  for (WireBook* book : {&sequence, &history}) {
    EXPECT_EQ(book->answer(messages_request()).ending, ReplyEnding::reset);
    EXPECT_EQ(text_of(book->answer(messages_request())), "one");
  }
  EXPECT_EQ(text_of(sequence.answer(messages_request())), "two");
  EXPECT_EQ(text_of(history.answer(messages_request())), "one");
}

TEST(WireBook, HistoryKeepsParallelSessionsApart) {  // WIRE-11
  WireOptions options;
  options.selection = Selection::history;
  WireBook book(script_of("  - model: {fail: {kind: rate_limit}}\n  - model: one\n"
                          "  - model: {fail: {kind: overloaded}}\n  - model: two\n"),
                options);
  const std::string longer =
      R"([{"role":"user","content":"hi"},{"role":"assistant","content":"one"},)"
      R"({"role":"user","content":"go on"}])";

  EXPECT_EQ(book.answer(messages_request()).status, 429);
  EXPECT_EQ(book.answer(messages_request(longer)).status, 529);
  EXPECT_EQ(text_of(book.answer(messages_request())), "one");
  EXPECT_EQ(text_of(book.answer(messages_request(longer))), "two");
}

TEST(WireBook, TwoSummariesAreTwoReplies) {  // WIRE-11
  WireBook book(script_of("  - model: one\n  - model: {track: summary, text: first, delay_ms: 9}\n"
                          "  - model: {track: summary, text: second}\n  - model: two\n"),
                {});
  const std::string tools = R"(,"tools":[{"name":"f","input_schema":{"type":"object"}}])";
  book.answer(messages_request(kHello, "/v1/messages", tools));

  const Delivery first = book.answer(messages_request());
  const Delivery second = book.answer(messages_request());

  EXPECT_EQ(book.open_count(), 3);
  EXPECT_EQ(text_of(first) + " " + text_of(second), "first second");
  EXPECT_EQ(text_of(book.answer(messages_request(kHello, "/v1/messages", tools))), "two");
}

TEST(WireBook, AMatchChoosesTheReply) {  // WIRE-11
  WireOptions options;
  options.selection = Selection::match;
  WireBook book(script_of("  - model: {text: after, match: {results: {c1: fine}}}\n"
                          "  - model: {calls: [{id: c1, tool: f}], match: {user: hi, tools: [f]}}\n"
                          "  - model: {text: chat, match: {model: m, tools: []}}\n"),
                options);
  const std::string tools = R"(,"tools":[{"name":"f","input_schema":{"type":"object"}}])";
  const std::string with_result =
      R"([{"role":"user","content":"hi"},{"role":"assistant","content":[)"
      R"({"type":"tool_use","id":"toolu_c1","name":"f","input":{}}]},{"role":"user","content":[)"
      R"({"type":"tool_result","tool_use_id":"toolu_c1","content":"fine"}]}])";

  EXPECT_EQ(json_of(book.answer(chat_request()))["choices"][0]["message"]["content"], "chat");
  const Json call = json_of(book.answer(messages_request(kHello, "/v1/messages", tools)));
  EXPECT_EQ(call["content"][0]["id"], "toolu_c1");
  EXPECT_EQ(text_of(book.answer(messages_request(with_result, "/v1/messages", tools))), "after");
  EXPECT_TRUE(book.errors().empty());
  EXPECT_TRUE(book.left_over().empty());
}

TEST(WireBook, ARequestThatNothingMatchesIsLoud) {  // WIRE-10, WIRE-11
  WireOptions options;
  options.selection = Selection::match;
  WireBook book(script_of("  - model: {text: one, match: {user: bye}}\n"), options);

  const Delivery delivery = book.answer(messages_request());

  EXPECT_EQ(delivery.status, 500);
  EXPECT_EQ(header_of(delivery, "x-should-retry"), "false");
  EXPECT_THAT(delivery.body, HasSubstr("unmatched: request 1 on track 'main' matches no reply"));
  EXPECT_EQ(book.left_over().size(), 1U);
}

const std::string kOpenCall = R"([{"role":"user","content":"hi"},{"role":"assistant","content":[)"
                              R"({"type":"tool_use","id":"toolu_c1","name":"f","input":{}}]}])";

TEST(WireBook, RefusesWithPositionAndPlace) {  // WIRE-70
  WireBook book(script_of("  - model: {calls: [{id: c1, tool: f}]}\n  - model: two\n"), {});
  book.answer(messages_request());

  const Delivery delivery = book.answer(messages_request(kOpenCall));

  EXPECT_EQ(delivery.status, 400);
  EXPECT_THAT(delivery.body, HasSubstr("messages.1: call 'toolu_c1' has no result"));
  ASSERT_EQ(book.errors().size(), 1U);
  EXPECT_EQ(book.errors()[0].code, "missing_result");
  EXPECT_EQ(book.errors()[0].where, "x.yaml:5:21");
}

TEST(WireBook, LogsOnlyWhenItIsLenient) {  // WIRE-70
  WireOptions lenient;
  lenient.is_lenient = true;
  WireBook book(script_of(kTwoReplies), lenient);
  EXPECT_EQ(text_of(book.answer(messages_request(kOpenCall))), "one");
  EXPECT_EQ(book.errors().size(), 1U);

  WireOptions off;
  off.checks_off = {"missing_result"};
  WireBook without(script_of(kTwoReplies), off);
  EXPECT_EQ(text_of(without.answer(messages_request(kOpenCall))), "one");
  EXPECT_TRUE(without.errors().empty());
}

TEST(WireBook, WantsAKey) {  // WIRE-71
  WireBook book(script_of(kTwoReplies), {});
  HttpRequest request = messages_request();
  request.headers.clear();

  EXPECT_EQ(book.answer(request).status, 401);
  EXPECT_EQ(book.answer(chat_request()).status, 200);
}

TEST(WireBook, ChatNamesTheParameter) {  // WIRE-49, WIRE-70
  WireBook book(script_of(kTwoReplies), {});

  const Delivery delivery = book.answer(chat_request(R"([{"role":"bot","content":"a"}])"));

  EXPECT_EQ(delivery.status, 400);
  EXPECT_EQ(json_of(delivery)["error"]["param"], "messages[0].role");
}

TEST(WireBook, LogsBeforeTheReply) {  // WIRE-09
  std::vector<std::string> seen;
  WireOptions options;
  options.on_request = [&](const Exchange& one) {
    seen.push_back(std::to_string(one.n) + " " + std::string(to_string(one.ending)));
  };
  options.on_reply = [&](const Exchange& one) {
    seen.push_back(std::to_string(one.n) + " " + std::string(to_string(one.ending)));
  };
  WireBook book(script_of(kTwoReplies), options);

  const Delivery delivery = book.answer(messages_request());
  EXPECT_EQ(book.open_count(), 1);
  book.end(delivery, ReplyEnding::client_left, 3);

  EXPECT_THAT(seen, testing::ElementsAre("1 open", "1 client_left"));
  const auto exchanges = book.take();
  ASSERT_EQ(exchanges.size(), 1U);
  EXPECT_TRUE(exchanges[0].is_cut);
  EXPECT_EQ(exchanges[0].headers[0].second, "<set>");
  EXPECT_EQ(exchanges[0].body, messages_request().body);
  EXPECT_TRUE(book.take().empty());
}

TEST(WireBook, ForgetsOldExchangesFirst) {
  WireOptions options;
  options.loops = true;
  options.journal_max = 3;
  WireBook book(script_of(kTwoReplies), options);
  for (int i = 0; i < 10; ++i) {
    book.end(book.answer(messages_request()), ReplyEnding::complete, 1);
  }

  EXPECT_EQ(book.journal()["requests"].size(), 3U);
  EXPECT_EQ(book.journal()["requests"][0]["n"], 8);
  EXPECT_EQ(book.journal()["forgotten"], 7);
  EXPECT_EQ(book.open_count(), 0);
}

TEST(WireBook, CountsWhatItForgets) {
  WireOptions options;
  options.journal_max = 2;
  options.errors_max = 3;
  options.loops = true;
  WireBook book(script_of("  - model: one\n"), options);
  for (int i = 0; i < 5; ++i) book.answer(messages_request());
  for (int i = 0; i < 4; ++i) book.answer(post("/v1/messages", "{bad"));

  EXPECT_EQ(book.totals().answered, 5);
  EXPECT_EQ(book.totals().errors, 4);
  EXPECT_EQ(book.errors().size(), 3U);
  book.replay(script_of("  - model: one\n"));
  EXPECT_EQ(book.totals().answered + book.totals().errors, 0);
}

TEST(WireBook, HoldsNoMoreAfterManyRequests) {
  WireOptions options;
  options.loops = true;
  options.journal_max = 100;
  WireBook book(script_of(kTwoReplies), options);
  const auto held_after = [&book](int requests) {
    for (int i = 0; i < requests; ++i) {
      book.end(book.answer(messages_request()), ReplyEnding::complete, 1);
    }
    return std::ssize(dump_json(book.journal()));
  };

  const auto early = held_after(1'000);

  // The numbers of requests and replies are one digit longer.
  EXPECT_LE(held_after(10'000), early + 1'000);
  EXPECT_TRUE(book.errors().empty());
}

TEST(WireBook, ANewScriptForgetsEverything) {
  WireBook book(script_of(kTwoReplies), {});
  const Delivery old = book.answer(messages_request());
  book.replay(script_of("  - model: new\n"));
  book.end(old, ReplyEnding::complete, 1);

  EXPECT_EQ(book.open_count(), 0);
  EXPECT_TRUE(book.take().empty());
  EXPECT_EQ(text_of(book.answer(messages_request())), "new");
}

TEST(WireBook, ComputesUsageFromThePrefix) {  // WIRE-29, WIRE-120
  WireOptions options;
  options.computes_usage = true;
  WireBook book(script_of("  - model: one\n  - model: two\n  - model: three\n"), options);
  const std::string longer =
      R"([{"role":"user","content":"hi"},{"role":"assistant","content":"one"},)"
      R"({"role":"user","content":"go on"}])";
  const std::string tools = R"(,"tools":[{"name":"f","input_schema":{"type":"object"}}])";

  const Json first = json_of(book.answer(messages_request()))["usage"];
  const Json second = json_of(book.answer(messages_request(longer)))["usage"];
  const Json third = json_of(book.answer(messages_request(longer, "/v1/messages", tools)))["usage"];

  EXPECT_EQ(first["cache_read_input_tokens"], 0);
  EXPECT_GT(first["cache_creation_input_tokens"], 0);
  EXPECT_GT(second["cache_read_input_tokens"], 0);
  EXPECT_EQ(third["cache_read_input_tokens"], 0);  // A tool more breaks the prefix at its start.
  EXPECT_EQ(first["output_tokens"], 1);
}

TEST(WireBook, RefusesAReplyThatWaitsForEventsNobodySees) {
  WireBook book(script_of("  - model: {text: a, until: agent_start}\n"), {});

  const Delivery delivery = book.answer(messages_request());

  EXPECT_EQ(delivery.status, 500);
  EXPECT_THAT(delivery.body, HasSubstr("no_events"));
}

}  // namespace
}  // namespace plumb::simulator
