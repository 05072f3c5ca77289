// SPDX-License-Identifier: Apache-2.0
// The expectations file: verdicts that are known and explained, each for a limited time. It is red
// when an entry is expired, when the verdict is another one, and when it speaks of something that
// did not happen.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/record.h"
#include "simulator/script/place.h"

namespace plumb::simulator {

/// An entry may reach this far into the future, in days.
inline constexpr std::int64_t kExpectedDaysMax = 90;

/// `rule`: empty: every rule of the scenario, its own expectations included. `scenario`: an id
/// ("edit/EDIT-03-x"); empty: every scenario. `errors`: the subject's own errors in a run of
/// `scenario`, each by what its message says ("*": any text); they count as a failure of `rule`,
/// which must have failed besides if, and only if, there is a `verdict`. `expires`: YYYY-MM-DD, the
/// last day on which it counts.
struct ExpectedVerdict {
  std::string rule;
  std::string scenario;
  std::vector<std::string> errors;
  std::optional<reports::Verdict> verdict;
  std::string reason;
  std::string expires;
  std::string where;  ///< file:line:col of the entry.
};

/// What entries may speak of. `rules`, `scenarios`: all known ids; empty: not checked. `api`: the
/// one that the subject is met in ("messages", "chat"); entries of another are left out. `today`:
/// YYYY-MM-DD.
struct ExpectationScope {
  std::vector<std::string_view> rules;
  std::vector<std::string_view> scenarios;
  std::string_view api;
  std::string_view today;
};

/// YAML: {expected: [{rule, scenario?, verdict, api?, reason, expires}]}; `rule` or `scenario` is
/// needed. With `error` (a text or a list) both are, and `verdict` may be `fail` only.
/// Errors: all that were found, unknown ids, second entries for the same and a date beyond
/// kExpectedDaysMax among them.
Checked<std::vector<ExpectedVerdict>> read_expected_verdicts(std::string_view text,
                                                             const std::string& file,
                                                             const ExpectationScope& scope);

/// Marks the verdicts that entries speak of, and lists the entries that matched none; entries for a
/// scenario that was not run are left alone. Errors of a run that an entry speaks of become
/// findings of its rule, in the place of what that rule showed otherwise.
void apply_expected(reports::Record& record, const std::vector<ExpectedVerdict>& entries,
                    std::string_view today);

}  // namespace plumb::simulator
