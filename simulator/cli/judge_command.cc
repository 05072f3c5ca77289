// SPDX-License-Identifier: Apache-2.0
// plumb judge: verdicts on a trace that somebody recorded.
#include <algorithm>
#include <filesystem>
#include <utility>

#include "engine/trace/jsonl.h"
#include "engine/trace/request_fold.h"
#include "reports/terminal.h"
#include "simulator/cli/inputs.h"
#include "simulator/cli/options.h"
#include "simulator/cli/record_builder.h"
#include "simulator/cli/report_files.h"
#include "simulator/cli/terminal_io.h"
#include "simulator/subjects/pi_rpc.h"

namespace plumb::simulator {
namespace {

/// "x.events.jsonl" -> "x.requests.json", if that file is there.
std::string requests_beside(const std::string& file) {
  constexpr std::string_view kEvents = ".events.jsonl";
  if (!file.ends_with(kEvents)) return "";
  const std::string path = file.substr(0, file.size() - kEvents.size()) + ".requests.json";
  std::error_code error;
  return std::filesystem::exists(path, error) ? path : "";
}

/// Requests are told as differences; one that does not fit to those before it cannot be judged.
Result<void> check_requests(const Trace& trace, const std::string& file) {
  RequestFold fold;
  for (const auto& event : trace.events) {
    if (event.as<ProviderRequest>() == nullptr) continue;
    auto folded = fold.fold(event);
    if (folded) continue;
    // The header is line 1.
    Error error = std::move(folded).error();
    error.where = file + ":" + std::to_string(event.seq + 2) + ":1";
    return std::unexpected(std::move(error));
  }
  return {};
}

Result<Trace> read_own_trace(const std::string& text, const std::string& file) {
  PLUMB_TRY(auto trace, read_trace(text, file));
  if (auto whole = check_requests(trace, file); !whole) {
    return std::unexpected(std::move(whole).error());
  }
  return trace;
}

Result<Trace> read_input(const JudgeCommand& command) {
  PLUMB_TRY(const auto text, read_text_file(command.file));
  if (command.from == "trace") return read_own_trace(text, command.file);
  std::string requests;
  const auto path = command.requests.empty() ? requests_beside(command.file) : command.requests;
  if (!path.empty()) {
    PLUMB_TRY(requests, read_text_file(path));
  }
  return read_pi_rpc({text, command.file}, {requests, path});
}

Result<void> check_rules(const std::vector<std::string>& rules, const Catalogue& catalogue) {
  for (const auto& rule : rules) {
    if (catalogue.find(rule) != nullptr) continue;
    const auto hint = catalogue.suggest(rule);
    return fail(ErrorCode::invalid, "unknown rule '" + rule + "'" +
                                        (hint.empty() ? "" : "; did you mean '" + hint + "'?"));
  }
  return {};
}

reports::Record judged(const CommonOptions& common, const JudgeCommand& command, const Trace& trace,
                       const Catalogue& catalogue) {
  invariants::JudgeOptions options;
  options.rules = command.rules;
  const auto judgements = invariants::judge(trace, facts_of(catalogue), options);
  reports::Record record;
  record.tool_version = PLUMB_VERSION;
  record.command = common.command_line;
  record.subject = trace.header.subject;
  record.edition = trace.header.edition;
  record.scenarios.push_back(trace_result(command.file, trace, judgements, catalogue));
  record.scenarios.back().reproduce = common.command_line;
  return record;
}

int report(reports::Record& record, const JudgeCommand& command) {
  reports::settle(record);
  if (!command.out.empty()) {
    auto failed = write_report_files(record, command.out, true);
    std::ranges::move(failed, std::back_inserter(record.diagnostics));
    reports::settle(record);
  }
  reports::TerminalReporter terminal(print_out, terminal_style());
  terminal.run_started(record);
  for (const auto& scenario : record.scenarios) terminal.scenario_finished(scenario);
  terminal.run_finished(record);
  return reports::exit_code(record);
}

}  // namespace

int judge_command(const CommonOptions& common, const JudgeCommand& command) {
  auto trace = read_input(command);
  if (!trace) {
    print_located(trace.error());
    return kExitInput;
  }
  if (!command.edition.empty()) trace->header.edition = command.edition;
  const auto expected = load_expected(command.expectations);
  if (!expected) {
    print_errors(expected.error());
    return kExitInput;
  }
  const auto catalogue = find_catalogue(common);
  if (!catalogue) {
    print_errors(catalogue.error());
    return kExitInput;
  }
  if (auto known = check_rules(command.rules, *catalogue); !known) {
    print_located(known.error());
    return kExitInput;
  }
  auto record = judged(common, command, *trace, *catalogue);
  apply_expected(record, *expected, today());
  return report(record, command);
}

}  // namespace plumb::simulator
