// SPDX-License-Identifier: Apache-2.0
// plumb oracle: executes the rows of oracle files and says which hold.
#include <algorithm>
#include <map>

#include "engine/values/suggest.h"
#include "simulator/cli/inputs.h"
#include "simulator/cli/interrupt.h"
#include "simulator/cli/options.h"
#include "simulator/cli/terminal_io.h"
#include "simulator/oracle/row.h"
#include "simulator/oracle/run_row.h"
#include "simulator/script/words.h"

namespace plumb::simulator {
namespace {

/// `*` matches any run of characters, `?` one. A run that turned out too short is tried longer, the
/// last one only: an earlier one could not do better.
bool matches_glob(std::string_view pattern, std::string_view name) {
  std::size_t at = 0;
  std::size_t in_name = 0;
  std::size_t star = pattern.npos;
  std::size_t run_end = 0;
  while (in_name < name.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      run_end = in_name;
    } else if (at < pattern.size() && (pattern[at] == '?' || pattern[at] == name[in_name])) {
      ++at;
      ++in_name;
    } else if (star != pattern.npos) {
      at = star + 1;
      in_name = ++run_end;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == pattern.npos;
}

bool is_selected(const OracleRow& row, const std::vector<std::string>& only) {
  return only.empty() || std::ranges::any_of(only, [&row](const std::string& pattern) {
           return matches_glob(pattern, row.id);
         });
}

/// A name that no row has is a mistake of the command line; a pattern may match nothing.
void check_names(const std::vector<std::string>& only, const std::vector<OracleFile>& files,
                 std::vector<Error>& errors) {
  std::vector<std::string_view> ids;
  for (const auto& file : files) {
    for (const auto& row : file.rows) ids.push_back(row.id);
  }
  for (const auto& name : only) {
    if (name.find_first_of("*?") != name.npos) continue;
    if (std::ranges::find(ids, name) != ids.end()) continue;
    errors.push_back({ErrorCode::invalid,
                      "no row is called " + in_quotes(name) + suggestion_for(name, ids),
                      {}});
  }
}

struct Tally {
  std::int64_t passed = 0;
  std::int64_t failed = 0;
  std::int64_t skipped = 0;
  std::int64_t broken = 0;
  std::int64_t unreadable = 0;  ///< Lines and files.
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
    return std::to_string(passed) + " passed, " + std::to_string(failed + broken + unreadable) +
           " failed, " + std::to_string(skipped) + " skipped\n";
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
  json["unreadable"] = tally.unreadable;
  json["skipped"] = tally.skipped;
  json["reasons"] = Json::object();
  for (const auto& [reason, count] : tally.reasons) json["reasons"][reason] = count;
  json["cases"] = std::move(cases);
  return json;
}

int exit_code_of(const Tally& tally) {
  if (tally.unreadable > 0) return kExitInput;
  if (tally.broken > 0) return kExitHarness;
  if (tally.failed > 0) return kExitNonconforming;
  return tally.passed > 0 ? kExitOk : kExitNothing;
}

/// All files, and every error in them.
std::vector<OracleFile> read_files(const std::vector<std::string>& paths,
                                   std::vector<Error>& errors) {
  std::vector<OracleFile> files;
  for (const auto& path : paths) {
    const auto text = read_text_file(path);
    if (!text) {
      errors.push_back(text.error());
      continue;
    }
    files.push_back(read_oracle(*text, path));
    const auto& found = files.back().errors;
    errors.insert(errors.end(), found.begin(), found.end());
  }
  return files;
}

void print_tally(const OracleCommand& command, const Tally& tally, Json cases) {
  if (command.is_json) {
    print_out(dump_json_pretty(summary_of(command.edition, tally, std::move(cases))) + "\n");
    print_error(tally.last_line());
    return;
  }
  const bool is_nothing = tally.passed + tally.failed + tally.broken + tally.skipped == 0;
  if (is_nothing && tally.unreadable == 0) print_out("nothing was selected\n");
  print_out(reasons_text(tally) + tally.last_line());
}

/// Runs the selected rows of a file; what they came to is printed at once, or added to `cases`.
void run_file(const OracleCommand& command, const OracleFile& file, Tally& tally, Json& cases) {
  for (const auto& row : file.rows) {
    if (!is_selected(row, command.only)) continue;
    const CaseVerdict verdict = run_row(row, command.edition, interrupt_fd());
    if (noted_interrupt() != 0) return;
    tally.add(verdict);
    if (command.is_json) {
      cases.push_back(to_json(verdict));
    } else {
      print_out(verdict_text(verdict));
    }
  }
}

}  // namespace

int oracle_command(const OracleCommand& command) {
  std::vector<Error> errors;
  const auto files = read_files(command.paths, errors);
  // What cannot be read may hold the name.
  if (errors.empty()) check_names(command.only, files, errors);
  Tally tally;
  tally.unreadable = std::ssize(errors);
  Json cases = Json::array();
  for (const auto& file : files) run_file(command, file, tally, cases);
  if (noted_interrupt() != 0) {
    errors.push_back({ErrorCode::aborted, "interrupted: the other rows were not tried", ""});
  }
  print_errors(errors);
  print_tally(command, tally, std::move(cases));
  return exit_code_of(tally);
}

}  // namespace plumb::simulator
