// SPDX-License-Identifier: Apache-2.0
// Every rule against hand-made traces (fixtures/invariants): kept in the trace as it stands, broken
// by each change that a `bad` line names, and not triggered by an empty trace.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "simulator/invariants/judge.h"
#include "simulator/invariants/trace_text.h"

namespace plumb::invariants {
namespace {

std::vector<TraceText> all_texts() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator("fixtures/invariants")) {
    paths.push_back(entry.path().string());
  }
  std::ranges::sort(paths);
  std::vector<TraceText> texts;
  for (const auto& path : paths) {
    std::ifstream file(path);
    std::stringstream content;
    content << file.rdbuf();
    texts.push_back(read_trace_text(path, content.str()));
  }
  return texts;
}

std::string describe(const Judgement& judgement) {
  std::string text = judgement.id + ": " + std::string(to_string(judgement.verdict));
  for (const auto& finding : judgement.findings) {
    text += "\n  " + finding.message + " (seq " + std::to_string(finding.seq) + "; expected " +
            finding.expected + "; actual " + finding.actual + ")";
  }
  return text;
}

Judgement judge_one(const Trace& trace, const std::string& rule) {
  const auto judgements = judge(trace, {}, {.rules = {rule}});
  return judgements.size() == 1 ? judgements.front() : Judgement{rule, {}, "no such rule", {}};
}

class InvariantsTest : public ::testing::TestWithParam<TraceText> {};

TEST_P(InvariantsTest, GoodTracePassesItsRulesAndFailsNone) {
  const auto trace = build_trace(GetParam());
  ASSERT_TRUE(trace) << trace.error().message;

  for (const auto& judgement : judge(*trace, {})) {
    const bool is_abridged = std::ranges::count(GetParam().abridged, judgement.id) > 0;
    EXPECT_EQ(judgement.verdict == Verdict::fail, is_abridged) << describe(judgement);
    if (std::ranges::count(GetParam().good, judgement.id) == 0) continue;
    EXPECT_EQ(judgement.verdict, Verdict::pass) << describe(judgement);
  }
}

const JudgeOptions kAllCalls{.rules = {}, .asks_of_all = true};

TEST_P(InvariantsTest, EachTamperedTraceFailsItsRule) {
  for (const auto& bad : GetParam().bad) {
    const auto text = tamper(GetParam(), bad.edits);
    ASSERT_TRUE(text) << bad.rule << ": " << text.error().message;
    const auto trace = build_trace(*text);
    ASSERT_TRUE(trace) << bad.rule << ": " << trace.error().message;
    EXPECT_EQ(to_string(judge_one(*trace, bad.rule).verdict), "fail")
        << "BAD " << bad.rule << ": " << bad.edits;
    // What a rule passes over without a look could not have broken it.
    EXPECT_EQ(judge(*trace, {}), judge(*trace, {}, kAllCalls));
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, InvariantsTest, ::testing::ValuesIn(all_texts()),
                         [](const auto& one) {
                           return std::filesystem::path(one.param.file).stem().string();
                         });

/// Rules with a tamper: a scenario's trace that passes, and an edit of it that fails, which the
/// suite of wrong engines proves.
std::set<std::string> tampered_rules() {
  std::set<std::string> rules;
  for (const auto& family : std::filesystem::directory_iterator("scenarios/rules")) {
    if (!family.is_directory()) continue;
    for (const auto& entry : std::filesystem::directory_iterator(family.path())) {
      const auto& path = entry.path();
      if (path.extension() == ".yaml") rules.insert(path.stem().string());
    }
  }
  return rules;
}

TEST(InvariantsCoverage, EachRuleHasAGoodAndABadTrace) {
  std::set<std::string> good = tampered_rules();
  std::set<std::string> bad = good;
  for (const auto& text : all_texts()) {
    good.insert(text.good.begin(), text.good.end());
    for (const auto& one : text.bad) bad.insert(one.rule);
  }

  for (const auto& rule : all_rules()) {
    EXPECT_TRUE(good.contains(rule.id)) << rule.id << " has no good trace";
    EXPECT_TRUE(bad.contains(rule.id)) << rule.id << " has no bad trace";
  }
}

TEST(InvariantsCoverage, EmptyTraceTriggersNothing) {
  for (const auto& judgement : judge(Trace{}, {})) {
    EXPECT_EQ(judgement.verdict, Verdict::not_triggered) << describe(judgement);
  }
}

TEST(InvariantsCoverage, RuleIdsAreUniqueAndExplained) {
  std::set<std::string> ids;
  for (const auto& rule : all_rules()) {
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id << " twice";
    EXPECT_FALSE(rule.how.empty()) << rule.id;
  }
}

// ------------------------------------------------------------------ verdicts

Trace emitting(std::vector<std::string> kinds) {
  Trace trace;
  trace.header.emits = std::move(kinds);
  return trace;
}

TEST(Judge, MissingKindIsUntestable) {
  const Catalogue catalogue{
      {"EVENT-03", {.needs = {"tool_execution_end"}, .editions = {}, .engines = {}}}};

  const auto judgements = judge(emitting({"input"}), catalogue, {.rules = {"EVENT-03"}});

  ASSERT_EQ(judgements.size(), 1U);
  EXPECT_EQ(judgements[0].verdict, Verdict::untestable);
  EXPECT_EQ(judgements[0].reason, "the subject does not emit tool_execution_end");
}

TEST(Judge, NeedsAreReadByTheirAliases) {
  const Catalogue catalogue{
      {"EVENT-02", {.needs = {"tool_call", "tool_result"}, .editions = {}, .engines = {}}}};

  const auto judgements = judge(emitting({"hook_call"}), catalogue, {.rules = {"EVENT-02"}});

  EXPECT_EQ(judgements.at(0).verdict, Verdict::not_triggered);
}

TEST(Judge, OtherEditionOrEngineDoesNotApply) {
  const Catalogue editions{{"EVENT-03", {.needs = {}, .editions = {"pi-1.6.0"}, .engines = {}}}};
  const Catalogue engines{{"EVENT-03", {.needs = {}, .editions = {}, .engines = {"durable"}}}};
  const Catalogue any{{"EVENT-03", {.needs = {}, .editions = {"seed"}, .engines = {"any"}}}};

  EXPECT_EQ(judge({}, editions, {.rules = {"EVENT-03"}}).at(0).verdict, Verdict::not_applicable);
  EXPECT_EQ(judge({}, engines, {.rules = {"EVENT-03"}}).at(0).verdict, Verdict::not_applicable);
  EXPECT_EQ(judge({}, any, {.rules = {"EVENT-03"}}).at(0).verdict, Verdict::not_triggered);
}

TEST(Judge, UncertainOrderIsUntestable) {
  auto text = read_trace_text("inline", R"(
header live=true
request tools=["echo"]
answer calls=[["c1","echo",{}]]
tool_execution_end c1 name=echo is_error=false src=port
tool_execution_start c1 name=echo src=probe
)");
  const auto trace = build_trace(text);
  ASSERT_TRUE(trace) << trace.error().message;

  EXPECT_EQ(judge_one(*trace, "EVENT-03").verdict, Verdict::untestable);
}

TEST(Judge, DamagedTraceIsAHarnessError) {
  auto trace = *build_trace(read_trace_text("inline", "request tools=[\"echo\"]\nrequest"));
  auto request = *trace.events[1].as<ProviderRequest>();
  request.common = 9;
  trace.events[1].payload = request;

  const auto judgement = judge_one(trace, "BATCH-17");

  EXPECT_EQ(judgement.verdict, Verdict::harness_error);
  EXPECT_FALSE(judgement.reason.empty());
}

// ------------------------------------------------------------------ relations

const RelationRule& relation_named(const std::string& id) {
  return *std::ranges::find(all_relations(), id, &RelationRule::id);
}

Trace trace_of(const char* lines) {
  const auto trace = build_trace(read_trace_text("inline", lines));
  EXPECT_TRUE(trace) << trace.error().message;
  return trace ? *trace : Trace{};
}

Verdict compare(const std::string& id, const char* first, const char* second) {
  const std::vector<Trace> traces{trace_of(first), trace_of(second)};
  return judge_relation(relation_named(id), traces, {}).verdict;
}

TEST(JudgeRelation, FilesOfAllPermutationsAreEqual) {  // EDIT-04
  const char* one = R"(final_files files={"a":{"text":"x"}})";

  EXPECT_EQ(compare("EDIT-04", one, one), Verdict::pass);
  EXPECT_EQ(compare("EDIT-04", one, R"(final_files files={"a":{"text":"y"}})"), Verdict::fail);
}

TEST(JudgeRelation, ToolBytesOfAllRunsAreEqual) {  // CACHE-10
  const char* one = R"(request tools=[{"name":"a","x":1,"y":2}])";

  EXPECT_EQ(compare("CACHE-10", one, one), Verdict::pass);
  EXPECT_EQ(compare("CACHE-10", one, R"(request tools=[{"name":"a","y":2,"x":1}])"), Verdict::fail);
}

TEST(JudgeRelation, ObserverDoesNotChangeTheCourse) {  // EVENT-24
  const char* one = "request tools=[\"e\"]\nanswer calls=[[\"c1\",\"e\",{\"v\":1}]]\nbegin c1";
  const char* other =
      "request tools=[\"e\"]\nanswer calls=[[\"c1\",\"e\",{\"v\":1}]]\nbegin c1 args={\"v\":2}";

  EXPECT_EQ(compare("EVENT-24", one, one), Verdict::pass);
  EXPECT_EQ(compare("EVENT-24", one, other), Verdict::fail);
}

TEST(JudgeRelation, ExtensionThatWasTakenOutLeavesNothing) {  // EXT-33
  const std::string calls = "request tools=[\"e\"]\nanswer calls=[[\"c1\",\"e\",{\"v\":1}]]\n";
  const std::string taken_out = "step step=uninstall\n" + calls + "begin c1";
  const std::string never_there = calls + "begin c1";
  const std::string other = calls + "begin c1 args={\"v\":2}";

  EXPECT_EQ(compare("EXT-33", taken_out.c_str(), never_there.c_str()), Verdict::pass);
  EXPECT_EQ(compare("EXT-33", taken_out.c_str(), other.c_str()), Verdict::fail);
  EXPECT_EQ(compare("EXT-33", never_there.c_str(), other.c_str()), Verdict::not_triggered);
}

TEST(JudgeRelation, OneRunTriggersNothing) {
  const std::vector<Trace> one{Trace{}};

  EXPECT_EQ(judge_relation(relation_named("EDIT-04"), one, {}).verdict, Verdict::not_triggered);
}

TEST(Judge, AppliesTheContractThatIsDeclared) {  // PIPE-08
  std::ifstream file("fixtures/invariants/hooks.trace");
  std::stringstream content;
  content << file.rdbuf();
  const auto good = read_trace_text("hooks.trace", content.str());
  const auto bad = std::ranges::find(good.bad, "PIPE-07", &TamperedLines::rule);
  ASSERT_NE(bad, good.bad.end());
  Trace trace = build_trace(tamper(good, bad->edits).value()).value();
  const Catalogue catalogue{{"PIPE-07", RuleFacts{{}, {}, {"session"}}}};
  const JudgeOptions only{.rules = {"PIPE-07"}};

  const auto as_session = judge(trace, catalogue, only);
  trace.header.engine = "durable";
  const auto as_durable = judge(trace, catalogue, only);

  EXPECT_EQ(as_session.front().verdict, Verdict::fail);
  EXPECT_EQ(as_durable.front().verdict, Verdict::not_applicable);
}

}  // namespace
}  // namespace plumb::invariants
