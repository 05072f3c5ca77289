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

Result<Trace> read_input(const JudgeCommand& command, const std::string& file) {
  PLUMB_TRY(const auto text, read_text_file(file));
  if (command.from == "trace") return read_own_trace(text, file);
  std::string requests;
  const auto path = command.requests.empty() ? requests_beside(file) : command.requests;
  if (!path.empty()) {
    PLUMB_TRY(requests, read_text_file(path));
  }
  return read_pi_rpc({text, file}, {requests, path});
}

/// What the words ask for together. Errors: invalid.
Result<void> check_command(const JudgeCommand& command) {
  if (command.requests.empty()) return {};
  if (command.from != "pi-rpc") {
    return fail(ErrorCode::invalid, "--requests needs --from pi-rpc");
  }
  if (command.files.size() > 1) {
    return fail(ErrorCode::invalid, "--requests is the log of one file, not of " +
                                        std::to_string(command.files.size()));
  }
  return {};
}

/// All traces, or the errors of those that cannot be read.
Checked<std::vector<Trace>> read_inputs(const JudgeCommand& command) {
  std::vector<Trace> traces;
  std::vector<Error> errors;
  for (const auto& file : command.files) {
    auto trace = read_input(command, file);
    if (trace) {
      traces.push_back(*std::move(trace));
    } else {
      errors.push_back(std::move(trace).error());
    }
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return traces;
}

/// What the traces have in common, or "several".
std::string common_word(const std::vector<Trace>& traces, std::string TraceHeader::* word) {
  const std::string& first = traces.front().header.*word;
  for (const auto& trace : traces) {
    if (trace.header.*word != first) return "several";
  }
  return first;
}

reports::Record judged(const CommonOptions& common, const JudgeCommand& command,
                       const std::vector<Trace>& traces, const Catalogue& catalogue) {
  invariants::JudgeOptions options;
  options.rules = command.rules;
  reports::Record record;
  record.tool_version = PLUMB_VERSION;
  record.command = common.command_line;
  record.subject = common_word(traces, &TraceHeader::subject);
  record.edition = common_word(traces, &TraceHeader::edition);
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const auto judgements = invariants::judge(traces[i], facts_of(catalogue), options);
    record.scenarios.push_back(trace_result(command.files[i], traces[i], judgements, catalogue));
    record.scenarios.back().reproduce = common.command_line;
  }
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
  if (auto sound = check_command(command); !sound) return refuse({sound.error()});
  auto traces = read_inputs(command);
  if (!traces) return refuse(traces.error());
  for (auto& trace : *traces) {
    if (!command.edition.empty()) trace.header.edition = command.edition;
  }
  const auto catalogue = find_catalogue(common);
  if (!catalogue) return refuse(catalogue.error());
  const auto expected = load_expected(command.expectations, nullptr, *catalogue);
  if (!expected) return refuse(expected.error());
  if (auto known = check_rules(command.rules, *catalogue); !known) return refuse({known.error()});
  auto record = judged(common, command, *traces, *catalogue);
  apply_expected(record, *expected, today());
  return report(record, command);
}

}  // namespace plumb::simulator
