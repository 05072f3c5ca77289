// SPDX-License-Identifier: Apache-2.0
// From judged runs to the record that the reports show.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reports/record.h"
#include "simulator/explore/case_run.h"
#include "simulator/script/catalogue.h"

namespace plumb::simulator {

/// A scenario whose rules are named in it: those are always shown, others only when the run
/// triggered them.
reports::ScenarioResult scenario_result(const Scenario& scenario, const CaseRun& run,
                                        const Catalogue& catalogue);

/// A trace that no scenario of ours made: every rule is shown.
reports::ScenarioResult trace_result(const std::string& file, const Trace& trace,
                                     std::span<const invariants::Judgement> judgements,
                                     const Catalogue& catalogue);

/// Adds the verdicts of relation rules that the scenario names or triggered.
void add_relations(reports::ScenarioResult& result, const Scenario& scenario, const RunResult& run,
                   std::span<const invariants::Judgement> judgements, const Catalogue& catalogue);

/// "scenarios/edit/x.yaml" -> "edit/x": unique among the scenarios of a suite.
std::string id_of_file(const std::string& file);

}  // namespace plumb::simulator
