// SPDX-License-Identifier: Apache-2.0
// Whole runs of the reference session: turns of no-op calls against the scripted model, with the
// typed trace in memory. Every run is played as `plumb run` plays a scenario.
#pragma once

#include <cstdint>
#include <string>

#include "engine/values/sha256.h"
#include "simulator/explore/case_run.h"
#include "simulator/subjects/session_subject.h"

namespace plumb::simulator {

/// `turns` answers with `calls` calls each, then a last answer without. `has_hooks`: an extension
/// hears of every call before and after it.
struct RunWorkload {
  std::int64_t turns = 1;
  std::int64_t calls = 1;
  bool is_sequential = false;
  bool has_hooks = false;
};

/// The rules, read once from the root of the repository; empty when there are none.
inline const Catalogue& bench_catalogue() {
  static const Catalogue kCatalogue = load_catalogue("scenarios/rules").value_or(Catalogue());
  return kCatalogue;
}

inline std::string answer_with_calls(std::int64_t turn, std::int64_t calls) {
  std::string text = "  - model:\n      calls:\n";
  for (std::int64_t i = 0; i < calls; ++i) {
    text += "        - {id: c" + std::to_string(turn) + "_" + std::to_string(i) +
            ", tool: noop, args: {i: " + std::to_string(i) + "}}\n";
  }
  return text;
}

inline std::string scenario_text(const RunWorkload& workload) {
  std::string text =
      "scenario: calls that do nothing\n"
      "rules: [EVENT-01]\n"
      "tools:\n"
      "  allow: [noop]\n"
      "  sdk:\n"
      "    - name: noop\n"
      "      description: does nothing\n"
      "      parameters: {type: object, properties: {i: {type: number}}}\n"
      "      do: [{result: ok}]\n";
  if (workload.is_sequential) text += "settings: {execution: sequential}\n";
  if (workload.has_hooks) {
    text +=
        "extensions:\n"
        "  - name: gate\n"
        "    on: {tool_call: [{do: [allow]}], tool_result: [{do: [{patch: {details: seen}}]}]}\n";
  }
  text += "steps:\n  - user: go\n";
  for (std::int64_t i = 0; i < workload.turns; ++i) text += answer_with_calls(i, workload.calls);
  return text + "  - model: done\n";
}

/// Ready to be played. Errors: the scenario's own, as `plumb lint` gives them.
inline Checked<Variant> run_variant(const RunWorkload& workload) {
  auto scenario = parse_scenario(scenario_text(workload), "bench.yaml", bench_catalogue());
  if (!scenario) return std::unexpected(scenario.error());
  return Variant{"", "", *std::move(scenario), 0};
}

/// What was said, apart from the system's words and from what no other engine shows alike: for a
/// comparison with one. Lists in JSON, one a line, as a digest.
inline std::string conversation_digest(const Trace& trace) {
  std::string lines;
  for (const auto& event : trace.events) {
    const auto* end = event.as<MessageEnd>();
    if (end == nullptr || end->role == "system") continue;
    const Json& message = end->message.get();
    Json line = Json::array({end->role, message["content"]});
    for (const auto* key : {"toolCallId", "toolName", "isError", "stopReason"}) {
      if (message.contains(key)) line.push_back(message[key]);
    }
    lines += line.dump() + "\n";
  }
  return sha256_hex(lines);
}

/// Why a run is worth nothing, or "": errors of the run, or a rule that does not hold.
inline std::string reason_against(const CaseRun& run) {
  for (const auto& error : run.result.errors) return error_line(error);
  for (const auto& judgement : run.judgements) {
    if (judgement.verdict == invariants::Verdict::fail) return judgement.id + " fails";
    if (judgement.verdict == invariants::Verdict::harness_error) return judgement.reason;
  }
  return "";
}

}  // namespace plumb::simulator
