// SPDX-License-Identifier: Apache-2.0
// Engines that are not ours, from the command line: the reference session behind its adapter comes
// to the verdicts that it has in process, a command is judged by its requests and files, and
// whatever cannot be judged is refused with its code.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>

#include "engine/values/json.h"
#include "engine/values/json_members.h"
#include "simulator/cli/program_fixture.h"

namespace plumb::simulator {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string kReference = " --subject " PLUMB_REFERENCE_ADAPTER " ";
/// A command runs in the workspace.
std::string black_box(const std::string& trouble = "") {
  return " --subject-command 'python3 " + std::filesystem::current_path().string() +
         "/fixtures/adapters/black_box.py {base_url} {prompt} " + trouble + "' ";
}

Json record_in(const std::string& folder) {
  auto record = parse_json(slurp(folder + "/record.json"));
  return record ? *std::move(record) : Json();
}

using VerdictKey = std::tuple<std::string, std::string, std::string>;  // scenario, variant, rule

std::map<VerdictKey, std::string> verdicts_of(const Json& record) {
  std::map<VerdictKey, std::string> verdicts;
  for (const auto& scenario : at(record, "scenarios")) {
    for (const auto& rule : at(scenario, "rules")) {
      verdicts[{text_at(scenario, "id"), text_at(scenario, "variant"), text_at(rule, "rule")}] =
          text_at(rule, "verdict");
    }
  }
  return verdicts;
}

/// "pipe/PIPE-03-... PIPE-20" for a verdict, "... expect" and "... run" for what else went wrong.
std::set<std::string> differences(const Json& ours, const Json& theirs) {
  std::set<std::string> found;
  const auto known = verdicts_of(ours);
  for (const auto& [key, verdict] : verdicts_of(theirs)) {
    const auto other = known.find(key);
    if (verdict != "fail" && verdict != "harness_error") continue;
    if (other != known.end() && other->second == verdict) continue;
    found.insert(std::get<0>(key) + " " + std::get<2>(key));
  }
  for (const auto& scenario : at(theirs, "scenarios")) {
    if (!at(scenario, "expectation_failures").empty())
      found.insert(text_at(scenario, "id") + " expect");
    if (!at(scenario, "errors").empty()) found.insert(text_at(scenario, "id") + " run");
  }
  return found;
}

/// `is_of_timing`: the difference shows in some runs only.
struct Reason {
  std::string why;
  bool is_of_timing = false;
};

/// Why the wire gives other verdicts; by what `differences` says, or by its beginning or end.
const std::map<std::string, Reason>& reasons() {
  static const std::map<std::string, Reason> kReasons{
      {"abort/ABORT-02-abort-in-a-gate", {"an abort from another process may come late", true}},
      {"batch/BATCH-16", {"the service refuses a repeated call id, as providers do"}},
      {"hook/HOOK-26-nobody-answers-means-no expect", {"who has no user asks nobody"}},
      {"pipe/PIPE-03-validation-failure-ends-the-call PIPE-20", {"the API takes objects only"}},
      {"pipe/PIPE-14-arguments-must-be-an-object PIPE-20", {"the API takes objects only"}},
      {"reg/REG-19-names-are-exact run", {"the service refuses such a name of a tool"}},
  };
  return kReasons;
}

/// Takes the differences that have a reason out; gives the reasons that nothing needs.
std::set<std::string> take_explained(std::set<std::string>& differences) {
  std::set<std::string> idle;
  for (const auto& [what, reason] : reasons()) {
    const auto taken = std::erase_if(differences, [&what](const std::string& difference) {
      return difference.starts_with(what) || difference.ends_with(what);
    });
    if (taken == 0 && !reason.is_of_timing) idle.insert(what);
  }
  return idle;
}

TEST(ReferenceAdapter, ComesToTheVerdictsOfTheSessionInProcess) {
  const Scratch scratch;

  shell("plumb run --out " + (scratch / "ours"));
  const auto ran = shell("plumb run" + kReference + "--out " + (scratch / "theirs"));

  const Json theirs = record_in(scratch / "theirs");
  auto unexplained = differences(record_in(scratch / "ours"), theirs);
  EXPECT_THAT(take_explained(unexplained), IsEmpty()) << "reasons without a difference";
  EXPECT_THAT(unexplained, IsEmpty()) << ran.out;
  EXPECT_EQ(text_at(theirs, "subject"), "reference");
  const Json& summary = at(theirs, "summary");
  EXPECT_GE(at(summary, "scenarios_passed").get<int>(), 150);
  EXPECT_GE(at(summary, "rules_passed").get<int>(), 200);
  EXPECT_THAT(ran.out, HasSubstr("untestable: faults of the file port need a simulated world"));
}

TEST(ReferenceAdapter, LeavesTheSameTraceTwiceOnceNormalised) {
  const Scratch scratch;
  const std::string scenario = "scenarios/edit/EDIT-43-the-model-sees-no-diff";
  const std::string trace = "/traces/edit/EDIT-43-the-model-sees-no-diff.jsonl";

  for (const char* folder : {"one", "two"}) {
    shell("plumb run " + scenario + ".yaml" + kReference + "--out " + (scratch / folder));
    shell("plumb trace normalise " + (scratch / folder) + trace + " > " + (scratch / folder) +
          ".jsonl");
  }

  EXPECT_THAT(slurp(scratch / "one.jsonl"), HasSubstr("\"live\""));
  EXPECT_EQ(slurp(scratch / "one.jsonl"), slurp(scratch / "two.jsonl"));
}

const std::string kMiniFails = "simulator/subjects/adapters/mini_engine_fails.txt";

/// The rules that fail anywhere in the record, a line each.
std::string failing_rules(const Json& record) {
  std::set<std::string> rules;
  for (const auto& [key, verdict] : verdicts_of(record)) {
    if (verdict == "fail") rules.insert(std::get<2>(key));
  }
  std::string lines;
  for (const auto& rule : rules) lines += rule + "\n";
  return lines;
}

TEST(MiniEngine, BreaksExactlyTheRulesOnItsList) {
  const Scratch scratch;

  const auto ran =
      shell("plumb run --subject 'python3 simulator/subjects/adapters/mini_engine.py' --out " +
            (scratch / "mini"));

  const Json record = record_in(scratch / "mini");
  const std::string text =
      "# SPDX-License-Identifier: Apache-2.0\n"
      "# The rules that mini_engine.py breaks in the scenarios that it can play.\n" +
      failing_rules(record);
  if (std::getenv("PLUMB_UPDATE_GOLDEN") != nullptr) std::ofstream(kMiniFails) << text;
  EXPECT_EQ(slurp(kMiniFails), text) << "renew it with PLUMB_UPDATE_GOLDEN=1";
  EXPECT_GE(std::ranges::count(text, '\n'), 12);
  EXPECT_EQ(at(at(record, "summary"), "harness_error"), 0) << ran.out;
  EXPECT_EQ(ran.code, 1);
}

TEST(BlackBox, IsJudgedByItsRequestsAndFiles) {
  const auto ran = shell("plumb run fixtures/adapters/black_box.yaml --no-reports" + black_box());

  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("subject black-box"));
}

TEST(BlackBox, ThatDiesOrHangsIsTold) {
  const std::string run =
      "plumb run fixtures/adapters/black_box.yaml --no-reports --subject-timeout 2";

  const auto crashed = shell(run + black_box("crash"));
  const auto hanging = shell(run + black_box("hang"));

  EXPECT_EQ(crashed.code, 3);
  EXPECT_THAT(crashed.out, HasSubstr("the command was ended by signal 11"));
  EXPECT_EQ(hanging.code, 3);
  EXPECT_THAT(hanging.out, HasSubstr("the command did not end within 2000 ms"));
}

TEST(LiveSubjects, AreRefusedWhenTheWordsAreWrong) {
  const std::string run = "run scenarios/edit --no-reports ";

  EXPECT_THAT(
      endings({run + "--subject sesion", run + kReference + "--schedules all",
               run + "--subject-api chat", run + kReference + "--subject-api chat",
               run + "--subject-command 'x {base_url} {promt}'", run + kReference + "--mutant x"}),
      testing::Each(HasSubstr("4, 1 errors, 0 passed, 1 failed, 0 skipped")));
}

TEST(LiveSubjects, ThatFailTheSmokeTestAreNotJudged) {
  const std::string run = "plumb run scenarios/edit --no-reports --subject ";

  const auto missing = shell(run + "./no-such-adapter");
  const auto leaving = shell(run + "'python3 fixtures/adapters/hostile.py exits'");

  EXPECT_EQ(missing.code, 3);
  EXPECT_THAT(missing.err, HasSubstr("the adapter failed its smoke test"));
  EXPECT_EQ(leaving.code, 3);
  EXPECT_THAT(leaving.err, HasSubstr("exited with code 3; expected its 'hello'"));
}

}  // namespace
}  // namespace plumb::simulator
