// SPDX-License-Identifier: Apache-2.0
// plumb oracle: executes the rows of oracle files and says which hold.
#include <map>

#include "simulator/cli/inputs.h"
#include "simulator/cli/options.h"
#include "simulator/cli/terminal_io.h"
#include "simulator/oracle/row.h"
#include "simulator/oracle/run_row.h"

namespace plumb::simulator {
namespace {

/// `*` matches any run of characters, `?` one.
bool matches_glob(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern[0] == '*') {
    return matches_glob(pattern.substr(1), name) ||
           (!name.empty() && matches_glob(pattern, name.substr(1)));
  }
  const bool fits = !name.empty() && (pattern[0] == '?' || pattern[0] == name[0]);
  return fits && matches_glob(pattern.substr(1), name.substr(1));
}

bool is_selected(const OracleRow& row, const std::vector<std::string>& only) {
  if (only.empty()) return true;
  for (const auto& pattern : only) {
    if (matches_glob(pattern, row.id)) return true;
  }
  return false;
}

struct Tally {
  std::int64_t passed = 0;
  std::int64_t failed = 0;
  std::int64_t skipped = 0;
  std::int64_t broken = 0;
  std::map<std::string, std::int64_t> reasons;

  void add(const CaseVerdict& verdict) {
    if (verdict.outcome == CaseOutcome::passed) ++passed;
    if (verdict.outcome == CaseOutcome::failed) ++failed;
    if (verdict.outcome == CaseOutcome::harness_error) ++broken;
    if (verdict.outcome != CaseOutcome::skipped) return;
    ++skipped;
    ++reasons[verdict.reason];
  }
  std::string last_line() const {
    return std::to_string(passed) + " passed, " + std::to_string(failed + broken) + " failed, " +
           std::to_string(skipped) + " skipped\n";
  }
};

std::string verdict_text(const CaseVerdict& verdict) {
  std::string text(to_string(verdict.outcome));
  text += (text.size() < 5 ? "  " : " ") + verdict.id;
  if (!verdict.reason.empty()) text += ": " + verdict.reason;
  for (std::size_t i = 0; i < verdict.set_aside.size(); ++i) {
    text += (i == 0 ? " (set aside: " : ", ") + verdict.set_aside[i];
  }
  if (!verdict.set_aside.empty()) text += ")";
  text += "\n";
  for (const auto& difference : verdict.differences) text += "      " + describe(difference) + "\n";
  return text;
}

std::string reasons_text(const Tally& tally) {
  std::string text;
  for (const auto& [reason, count] : tally.reasons) {
    text += "  " + std::to_string(count) + " skipped: " + reason + "\n";
  }
  return text;
}

Json summary_of(const std::string& edition, const Tally& tally, Json cases) {
  Json json{{"edition", edition}, {"passed", tally.passed}, {"failed", tally.failed}};
  json["errors"] = tally.broken;
  json["skipped"] = tally.skipped;
  json["reasons"] = Json::object();
  for (const auto& [reason, count] : tally.reasons) json["reasons"][reason] = count;
  json["cases"] = std::move(cases);
  return json;
}

int exit_code_of(const Tally& tally, bool has_errors) {
  if (has_errors) return kExitInput;
  if (tally.broken > 0) return kExitHarness;
  if (tally.failed > 0) return kExitNonconforming;
  return tally.passed > 0 ? kExitOk : kExitNothing;
}

}  // namespace

int oracle_command(const OracleCommand& command) {
  Tally tally;
  Json cases = Json::array();
  std::vector<Error> errors;
  for (const auto& path : command.paths) {
    const auto text = read_text_file(path);
    if (!text) {
      errors.push_back(text.error());
      continue;
    }
    const OracleFile file = read_oracle(*text, path);
    errors.insert(errors.end(), file.errors.begin(), file.errors.end());
    for (const auto& note : file.notes) print_error("note: " + note + "\n");
    for (const auto& row : file.rows) {
      if (!is_selected(row, command.only)) continue;
      const CaseVerdict verdict = run_row(row, command.edition);
      tally.add(verdict);
      if (command.is_json) {
        cases.push_back(to_json(verdict));
      } else {
        print_out(verdict_text(verdict));
      }
    }
  }
  print_errors(errors);
  if (command.is_json) {
    print_out(dump_json_pretty(summary_of(command.edition, tally, std::move(cases))) + "\n");
    print_error(tally.last_line());
  } else {
    print_out(reasons_text(tally) + tally.last_line());
  }
  return exit_code_of(tally, !errors.empty());
}

}  // namespace plumb::simulator
