// SPDX-License-Identifier: Apache-2.0
// Hand-written records that the tests of all formats share; one for each thing a report must show.
#pragma once

#include <string>
#include <vector>

#include "reports/record.h"

namespace plumb::reports {

RuleVerdict sample_verdict(std::string rule, Verdict verdict);
ScenarioResult sample_scenario(std::string id, std::vector<RuleVerdict> rules);
/// Settled, with a version and times that never change.
Record sample_record(std::vector<ScenarioResult> scenarios);

Record all_pass_record();
Record one_failure_record();
Record harness_error_record();
Record nothing_selected_record();
Record stale_record();
/// Control characters, bad UTF-8, markup of every format, wide and right-to-left text, overlong
/// lines.
Record hostile_text_record();

struct NamedRecord {
  std::string name;
  Record record;
};
std::vector<NamedRecord> sample_records();

}  // namespace plumb::reports
