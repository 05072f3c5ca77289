// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <gtest/gtest.h>

#include "simulator/oracle/compare.h"
#include "simulator/oracle/judge_call.h"
#include "simulator/oracle/texts.h"

namespace plumb::simulator {
namespace {

Json json_of(std::string_view text) {
  return parse_json(text).value();
}

JudgeContext context_of(std::vector<std::string> set_aside = {}) {
  JudgeContext context;
  context.places = {"/r", "/r", "/tmp"};
  context.set_aside = std::move(set_aside);
  return context;
}

CallRecord call_of_tool(std::string tool, std::string text) {
  CallRecord call;
  call.tool = std::move(tool);
  call.error_class = "ok";
  call.result = engine::text_result(std::move(text));
  return call;
}

/// The paths of the differences, below "".
std::vector<std::string> misses(std::string_view expect, const CallRecord& call,
                                const JudgeContext& context = context_of()) {
  std::vector<std::string> paths;
  for (const auto& difference : judge_call(json_of(expect), call, "", context)) {
    paths.push_back(difference.path);
  }
  return paths;
}

using Paths = std::vector<std::string>;

TEST(JudgeCall, WithoutExpectationACallMustSucceed) {
  CallRecord call = call_of_tool("read", "x");
  EXPECT_TRUE(judge_call(nullptr, call, "", context_of()).empty());
  EXPECT_EQ(misses("{\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}", call), Paths{});

  call.error_class = "ENOENT";

  EXPECT_EQ(judge_call(nullptr, call, "", context_of())[0].path, "/class");
}

TEST(JudgeCall, ComparesClasses) {
  CallRecord call = call_of_tool("edit", "x");
  call.error_class = "not_found";

  EXPECT_EQ(misses(R"({"class":"not_found"})", call), Paths{});
  EXPECT_EQ(misses(R"({"class":"error"})", call), Paths{});
  EXPECT_EQ(misses(R"({"class":"not_unique"})", call), Paths{"/class"});
  call.error_class = "unsettled";
  EXPECT_EQ(misses(R"({"class":"error"})", call), Paths{"/class"});
}

TEST(JudgeCall, LeavesAsideWhatAQuirkNames) {
  const CallRecord call = call_of_tool("read", "x");

  EXPECT_EQ(misses(R"({"content":[]})", call), Paths{"/content"});
  EXPECT_EQ(misses(R"({"content":[]})", call, context_of({"content"})), Paths{});
}

TEST(JudgeContent, ComparesFileTextToTheLetter) {
  const CallRecord call = call_of_tool("read", "one\n/r/two\n");

  EXPECT_EQ(misses(R"({"content":[{"type":"text","text":"one\n<CWD>/two\n"}]})", call), Paths{});
  EXPECT_EQ(misses(R"({"content":[{"type":"text","text":"one\n"}]})", call),
            Paths{"/content/0/text"});
  EXPECT_EQ(misses(R"({"content":[{"type":"image","mimeType":"image/png"}]})", call),
            Paths{"/content/0/type"});
}

TEST(JudgeContent, ComparesNoticesByTheirNumbers) {
  const CallRecord call = call_of_tool("read", "a\n\n[9 lines are left, go on at 3]");

  EXPECT_EQ(misses(R"({"content":[{"type":"text","text":"a\n\n[9 more. Use offset=3.]"}]})", call),
            Paths{});
  EXPECT_EQ(misses(R"({"content":[{"type":"text","text":"a\n\n[9 more. Use offset=4.]"}]})", call),
            Paths{"/content/0/notice"});
  EXPECT_EQ(misses(R"({"content":[{"type":"text","text":"a"}]})", call),
            Paths{"/content/0/notice"});
  EXPECT_EQ(misses(R"({"content":[{"type":"text","text":"a","notice_numbers":["3","9"]}]})", call),
            Paths{});
  EXPECT_EQ(misses(R"({"content":[{"type":"text","text":"b","notice_numbers":["3","9"]}]})", call),
            Paths{"/content/0/text"});
}

TEST(JudgeContent, TakesOnlyTheKindOfAMessage) {
  CallRecord call = call_of_tool("edit", "our own words");

  EXPECT_EQ(misses(R"({"content":[{"type":"text","text":"other words"}]})", call), Paths{});
  EXPECT_EQ(misses(R"({"content":[]})", call), Paths{"/content"});
  call = call_of_tool("read", "no such file");
  call.error_class = "ENOENT";
  EXPECT_EQ(misses(R"({"class":"ENOENT","content":[{"type":"text","text":"gone"}]})", call),
            Paths{});
}

TEST(JudgeContent, SplitsTheStatusFromAFailedCommandsOutput) {
  CallRecord call = call_of_tool("bash", "out\n\nended with 3");
  call.error_class = "exit";

  EXPECT_EQ(
      misses(R"({"class":"exit","content":[{"type":"text","text":"out\n\n\ncode 3"}]})", call),
      Paths{});
  EXPECT_EQ(
      misses(R"({"class":"exit","content":[{"type":"text","text":"out\n\n\ncode 4"}]})", call),
      Paths{"/content/0/status"});
  EXPECT_EQ(misses(R"({"class":"exit","content":[{"type":"text","text":"no\n\n\ncode 3"}]})", call),
            Paths{"/content/0/text"});
  EXPECT_EQ(
      misses(R"({"class":"exit","content":[{"type":"text","text":"out","status_numbers":["3"]}]})",
             call),
      Paths{});
}

TEST(JudgeContent, PutsTheObservedSentencesBehindTheBodyOfALongText) {
  const std::string body(3000, 'a');
  const std::string observed = body + "\n\n[Cut at 50.]";
  const CallRecord call = call_of_tool("read", body + "\n\n[50 is the cap]");
  Json digest{{"long", true}, {"chars", observed.size()}, {"tail", "aaa\n\n[Cut at 50.]"}};
  Json expect{{"content", Json::array({Json{{"type", "text"}, {"text", digest}}})}};

  EXPECT_TRUE(judge_call(expect, call, "", context_of()).empty());
  expect["content"][0]["text"]["chars"] = 5;
  EXPECT_EQ(judge_call(expect, call, "", context_of())[0].path, "/content/0/text/chars");
}

TEST(JudgeContent, TakesSortedAndSampledLines) {
  const CallRecord call = call_of_tool("grep", "b\na\n\n[2 of 9]");

  EXPECT_EQ(misses(R"({"content":[{"type":"text","sortedLines":["a","b"],"notice":"[2]"}]})", call),
            Paths{});
  EXPECT_EQ(misses(R"({"content":[{"type":"text","sortedLines":["a"],"notice":"[2]"}]})", call),
            Paths{"/content/0/sortedLines"});
  EXPECT_EQ(
      misses(R"({"content":[{"type":"text","lines_from":["a","b","c"],"lines":2,"notice":"[9]"}]})",
             call),
      Paths{});
  EXPECT_EQ(
      misses(R"({"content":[{"type":"text","lines_from":["a"],"lines":3,"notice":"[9]"}]})", call),
      (Paths{"/content/0/lines", "/content/0/lines_from"}));
}

TEST(JudgeCall, ComparesDetailsAndStructuredContentPartly) {
  CallRecord call = call_of_tool("bash", "x");
  call.result.details = SharedJson(json_of(R"({"a":1,"b":{"c":[1,2]}})"));
  call.result.structured_content = SharedJson(json_of(R"({"exit_code":3,"seconds":0.5})"));

  EXPECT_EQ(misses(R"({"details":{"b":{"c":[1,2]}},"structured":{"seconds":"number"}})", call),
            Paths{});
  EXPECT_EQ(misses(R"({"details":{"b":{"c":[1]}},"structured":{"exit_code":"4","none":1}})", call),
            (Paths{"/details/b/c", "/structured/exit_code", "/structured/none"}));
}

TEST(JudgeCall, ComparesStructuredContentWithTheText) {
  CallRecord call = call_of_tool("read", "x");
  EXPECT_EQ(misses(R"({"structured":"same-as-text"})", call), Paths{"/structured"});

  call.result.structured_content = SharedJson(Json("x"));

  EXPECT_EQ(misses(R"({"structured":"same-as-text"})", call), Paths{});
}

TEST(JudgeCall, WantsTheCutContentInFrontOfTheText) {
  CallRecord call = call_of_tool("read", "abc");
  call.result.details = SharedJson(json_of(R"({"truncation":{"content":"ab"}})"));
  constexpr std::string_view expect =
      R"({"details":{"truncation":{"contentIsPrefixOfText":true}}})";

  EXPECT_EQ(misses(expect, call), Paths{});
  call.result.details = SharedJson(json_of(R"({"truncation":{"content":"b"}})"));
  EXPECT_EQ(misses(expect, call), Paths{"/details/truncation/contentIsPrefixOfText"});
}

TEST(JudgeCall, ComparesValuesAndTheTranscript) {
  CallRecord call = call_of_tool("edit", "x");
  call.value = 42;
  call.transcript_input = json_of(R"({"path":"a"})");

  EXPECT_EQ(misses(R"({"value":42,"transcript_input_after":{"path":"a"}})", call), Paths{});
  EXPECT_EQ(misses(R"({"value":43,"transcript_input_after":{"path":"b"}})", call),
            (Paths{"/transcript_input_after/path", "/value"}));
}

TEST(JudgeCall, BoundsTheTime) {
  CallRecord call = call_of_tool("bash", "x");
  call.settled_ms = 50;

  EXPECT_EQ(misses(R"({"within_ms":50})", call), Paths{});
  EXPECT_EQ(misses(R"({"within_ms":49})", call), Paths{"/within_ms"});
}

CallRecord call_with_updates() {
  CallRecord call = call_of_tool("bash", "1\n2\n");
  std::int64_t at_ms = 0;
  for (const char* text : {"", "1\n", "1\n2\n"}) {
    engine::ToolResult partial = engine::text_result(text);
    if (at_ms == 0) partial.content.clear();
    call.updates.push_back({at_ms, std::move(partial)});
    at_ms += 100;
  }
  return call;
}

TEST(JudgeUpdates, CountsThem) {
  const CallRecord call = call_with_updates();

  EXPECT_EQ(misses(R"({"updates":{"exactly":3,"min":3,"max":3},"first_update_blocks":0})", call),
            Paths{});
  EXPECT_EQ(misses(R"({"updates":{"exactly":2,"min":4,"max":2},"first_update_blocks":1})", call),
            (Paths{"/updates/exactly", "/updates/min", "/updates/max", "/first_update_blocks"}));
}

TEST(JudgeUpdates, WantsThemToGrowToTheEnd) {
  CallRecord call = call_with_updates();
  constexpr std::string_view expect = R"({"updates_grow":true,"last_update_ends":"2\n"})";
  EXPECT_EQ(misses(expect, call), Paths{});

  call.updates.back().partial = engine::text_result("2");

  EXPECT_EQ(misses(expect, call), (Paths{"/updates_grow", "/last_update_ends"}));
}

TEST(JudgeUpdates, MeasuresTheInnerGaps) {
  CallRecord call = call_with_updates();
  call.updates.insert(call.updates.begin() + 2, SeenUpdate{150, engine::text_result("1\n")});

  EXPECT_EQ(misses(R"({"update_gap_ms_min":50})", call), Paths{});
  EXPECT_EQ(misses(R"({"update_gap_ms_min":60})", call), Paths{"/update_gap_ms_min"});
}

TEST(JudgeUpdates, LooksForCutSnapshots) {
  CallRecord call = call_with_updates();
  EXPECT_EQ(misses(R"({"update_truncated_by":"lines","update_output_file":true})", call),
            (Paths{"/update_truncated_by", "/update_output_file"}));

  call.updates[1].partial.details = SharedJson(
      json_of(R"({"truncation":{"truncatedBy":"lines"},"fullOutputPath":"/tmp/x.log"})"));

  EXPECT_EQ(misses(R"({"update_truncated_by":"lines","update_output_file":true})", call), Paths{});
}

TEST(JudgeCall, LooksAtTheSavedOutput) {
  const CallRecord call = call_of_tool("bash", "x\n\n[Cut. All of it: /tmp/out-1.log]");
  JudgeContext context = context_of();
  EXPECT_EQ(output_path_of(call, context.places), "/tmp/out-1.log");
  EXPECT_EQ(misses(R"({"output_file":{"bytes":4}})", call, context), Paths{"/output_file"});

  context.output_file = HostFile{"a\nb\n", 0600};

  EXPECT_EQ(misses(R"({"output_file":{"bytes":4,"lines":2,"mode":"600"}})", call, context),
            Paths{});
  EXPECT_EQ(misses(R"({"output_file":{"bytes":5,"lines":1,"mode":"644"}})", call, context),
            (Paths{"/output_file/bytes", "/output_file/lines", "/output_file/mode"}));
}

TEST(Placeholders, MatchRandomNames) {
  const Placeholders places{"/r", "/r/w", "/tmp"};

  EXPECT_TRUE(matches_text("<TMP>/a-<HEX16>.log", "/tmp/b-0123456789abcdef.log", places));
  EXPECT_FALSE(matches_text("<TMP>/a-<HEX16>.log", "/tmp/b-0123456789abcde.log", places));
  EXPECT_FALSE(matches_text("<TMP>/a-<HEX16>.log", "/var/b-0123456789abcdef.log", places));
  EXPECT_TRUE(matches_text("<CWD>:<ROOT>", "/r/w:/r", places));
}

TEST(Texts, FindNumbersButNotThoseOfNamesAndPaths) {
  EXPECT_EQ(numbers_in("[Lines 1-20 of 5001 (50.0KB). See /tmp/a-12.log, offset=21, v2]"),
            (std::vector<std::string>{"1", "20", "5001", "50.0", "21"}));
}

TEST(Texts, CountUnitsOfUtf16) {
  EXPECT_EQ(count_utf16_units("a\xC3\xA9\xF0\x9F\x98\x80"), 4);
}

TEST(Compare, TakesNumbersByValue) {
  EXPECT_TRUE(compare_partly(1, 1.0, "", {}).empty());
  EXPECT_FALSE(compare_partly("1", 1, "", {}).empty());
}

}  // namespace
}  // namespace plumb::simulator
