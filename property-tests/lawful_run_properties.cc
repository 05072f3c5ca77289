// SPDX-License-Identifier: Apache-2.0
// Generated scenarios on the reference engine: batches of reads, edits and calls of a tool that
// takes its time, under handlers that change, block, patch and throw, side by side or one after the
// other, with an abort or without. Whatever the engine lawfully makes of them, no rule may fail.
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "property-tests/repository_suite.h"
#include "simulator/explore/case_run.h"
#include "simulator/subjects/session_subject.h"

namespace plumb::simulator {
namespace {

constexpr int kFiles = 3;
constexpr int kTurnsMax = 3;
constexpr int kCallsMax = 4;

std::string pick(std::vector<std::string> texts) {
  return *rc::gen::elementOf(std::move(texts));
}

std::string some_path() {
  return pick({"f0.txt", "f1.txt", "f2.txt", "./f0.txt", "none.txt"});
}

/// Texts that occur once, twice and never in every file.
std::string some_edit() {
  const auto old_text = pick({"one", "two", "three", "one\\ntwo", "e", "absent"});
  const auto new_text = pick({"ONE", "2", "", "a\\nb", "two"});
  return "{oldText: \"" + old_text + "\", newText: \"" + new_text + "\"}";
}

std::string some_arguments(const std::string& tool) {
  if (tool == "read")
    return "{path: " + some_path() + pick({"", ", offset: 2", ", limit: 1"}) + "}";
  if (tool == "write") return "{path: " + some_path() + ", content: \"one\\nnew\\n\"}";
  if (tool == "slow") return pick({"{}", "{n: 5}", "{n: \"5\"}", "{n: [1]}"});
  if (tool != "edit") return "{}";
  const auto more = pick({"", ", " + some_edit()});
  return "{path: " + some_path() + ", edits: [" + some_edit() + more + "]}";
}

std::string some_call(int number) {
  const auto tool = pick({"read", "edit", "edit", "write", "slow", "slow", "fails", "ghost"});
  return "{id: c" + std::to_string(number) + ", tool: " + tool + ", args: " + some_arguments(tool) +
         "}";
}

std::string some_gate(int number) {
  const auto what = pick({"allow", "delay: 5", "block: not today", "throw: gate is broken",
                          "set: {path: /n, value: 7}", "return: {reason: nothing}"});
  const bool is_bare = what == "allow";
  return "{when: {nth: " + std::to_string(number) + "}, do: [" +
         (is_bare ? what : "{" + what + "}") + "]}";
}

std::string some_patch(int number) {
  const auto what =
      pick({"patch: {content: less}", "patch: {details: null}", "patch: {isError: true}",
            "patch: {isError: false}", "throw: patch is broken", "delay: 5"});
  return "{when: {nth: " + std::to_string(number) + "}, do: [{" + what + "}]}";
}

std::string joined(int count, const std::function<std::string(int)>& item) {
  std::string text;
  for (int i = 1; i <= count; ++i) text += (text.empty() ? "" : ", ") + item(i);
  return "[" + text + "]";
}

std::string some_extension(const std::string& name) {
  const auto gates = joined(*rc::gen::inRange(0, 4), some_gate);
  const auto patches = joined(*rc::gen::inRange(0, 4), some_patch);
  return "  - {name: " + name + ", on: {tool_call: " + gates + ", tool_result: " + patches + "}}\n";
}

std::string tools_and_files() {
  std::string text = "files: {";
  for (int i = 0; i < kFiles; ++i) {
    text += (i == 0 ? "" : ", ") + ("f" + std::to_string(i)) + ".txt: \"one\\ntwo\\nthree\\n\"";
  }
  return text +
         "}\ntools:\n  sdk:\n"
         "    - {name: slow, description: d, parameters: {type: object, properties: {n: {type: "
         "number}}}, do: [{update: half}, {delay: 5}, {result: done}]}\n"
         "    - {name: fails, description: d, parameters: {type: object}, do: [{throw: it "
         "fails}]}\n";
}

std::string some_scenario() {
  std::string text = "scenario: generated\nrules: [EVENT-01]\nsettings: {execution: " +
                     pick({"parallel", "sequential"}) + "}\n" + tools_and_files() +
                     "extensions:\n" + some_extension("a") + some_extension("b") +
                     "steps:\n  - user: go\n";
  const int turns = *rc::gen::inRange(1, kTurnsMax + 1);
  const bool is_aborted = *rc::gen::arbitrary<bool>();
  int last_call = 0;
  int first_call = 1;
  for (int turn = 0; turn < turns; ++turn) {
    first_call = last_call + 1;
    const int count = *rc::gen::inRange(1, kCallsMax + 1);
    text += "  - model: {calls: " + joined(count, [&](int i) { return some_call(last_call + i); }) +
            "}\n";
    last_call += count;
  }
  if (is_aborted)
    return text + "  - abort: {when: tool_execution_start call c" +
           std::to_string(*rc::gen::inRange(first_call, last_call + 1)) + "}\n";
  return text + "  - model: done\n";
}

std::string failures_of(const CaseRun& run) {
  std::string text;
  for (const auto& error : run.result.errors) text += error.where + ": " + error.message + "\n";
  for (const auto& judgement : run.judgements) {
    const bool is_bad = judgement.verdict == invariants::Verdict::fail ||
                        judgement.verdict == invariants::Verdict::harness_error;
    if (!is_bad) continue;
    text += judgement.id + ": " +
            (judgement.findings.empty() ? judgement.reason : judgement.findings.front().message) +
            "\n";
  }
  return text;
}

RC_GTEST_PROP(LawfulRunProperties, NoRuleFails, ()) {
  const auto text = some_scenario();
  const auto scenario = parse_scenario(text, "generated.yaml", repository_suite().catalogue);
  RC_ASSERT(scenario.has_value());
  SessionSubject subject;

  const Variant variant{.name = "",
                        .relation = "",
                        .scenario = *scenario,
                        .seed = *rc::gen::inRange<std::uint64_t>(0, 8)};
  const auto run = run_case(subject, variant, {}, repository_suite().facts);

  RC_LOG() << text;
  RC_ASSERT(failures_of(run) == "");
}

}  // namespace
}  // namespace plumb::simulator
