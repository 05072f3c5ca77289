// SPDX-License-Identifier: Apache-2.0
// What the command line says, as data.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace plumb::simulator {

/// Exit codes of DESIGN.md section 6 that a command may end with by itself.
inline constexpr int kExitOk = 0;
inline constexpr int kExitNonconforming = 1;
inline constexpr int kExitNothing = 2;
inline constexpr int kExitHarness = 3;
inline constexpr int kExitInput = 4;

/// Traces hold a seed as a signed number.
inline constexpr std::uint64_t kSeedMax = std::numeric_limits<std::int64_t>::max();

struct CommonOptions {
  /// The rule catalogue; empty: found beside the scenarios or the program.
  std::string rules_folder;
  std::string command_line;  ///< As typed, for the record.
};

struct RunCommand {
  std::vector<std::string> paths;      ///< Empty: scenarios.
  std::vector<std::string> rules;      ///< Only scenarios that name one of these.
  std::vector<std::string> pains;      ///< Only scenarios that show one of these.
  std::string subject = "session";     ///< Or the command of an adapter.
  std::string subject_command;         ///< A command that knows nothing of us; empty: none.
  std::string subject_api;             ///< messages, chat; empty: messages.
  std::int64_t subject_timeout_s = 0;  ///< 0: the protocol's own.
  std::uint64_t seed = 0;
  std::int64_t seed_count = 1;
  std::string schedules;  ///< "", "all".
  std::string schedule;   ///< "0 2 1": one index a step.
  std::int64_t jobs = 0;  ///< 0: one a processor.
  std::string out = "reports/out";
  bool has_reports = true;
  bool has_timings = true;
  std::string expectations;
  bool aborts_everywhere = false;
  bool fails_everywhere = false;
  std::int64_t abort_at = 0;  ///< One point of such a sweep; 0: none.
  std::int64_t fail_at = 0;
  std::string mutant;  ///< A wrong decision to break the engine with; empty: none.
};

struct BenchCommand {
  RunCommand play;              ///< Of it: paths, the subject's words, the seed.
  std::string compare_subject;  ///< A second one, that takes turns with it; empty: none.
  std::int64_t runs = 0;        ///< 0: by the subject.
  std::optional<std::int64_t> warmup;
  std::string save;
  std::string compare;               ///< The file of a saved run; empty: none.
  std::optional<double> fail_above;  ///< The greatest ratio that passes.
  bool is_json = false;
};

struct JudgeCommand {
  std::vector<std::string> files;
  std::string from = "trace";  ///< trace, pi-rpc.
  std::string requests;        ///< pi-rpc: the request log of the one file; empty: beside it.
  std::string edition;         ///< Empty: the trace's own.
  std::vector<std::string> rules;
  std::string expectations;
  std::string out;
};

struct RulesCommand {
  bool is_json = false;
  bool shows_kills = false;
  bool shows_pending = false;
  std::vector<std::string> paths;
};

struct ExplainCommand {
  std::string rule;
};

struct LintCommand {
  std::vector<std::string> paths;
  bool looks_at_tools = false;
};

struct ServeCommand {
  std::string script;
  std::int64_t port = 0;            ///< 0: any.
  std::string select = "sequence";  ///< sequence, history.
  bool loops = false;
  bool is_lenient = false;
  std::vector<std::string> allowed;  ///< Codes of refusals that are not made.
  std::string usage = "scripted";    ///< scripted, computed.
  std::string write = "event";       ///< event, all, or bytes at a time.
  std::uint64_t seed = 0;
  std::vector<std::string> faults;  ///< "KIND@TURN", "KIND@TRACK:TURN+BYTE".
  std::int64_t fault_point = 0;     ///< One of the points of a sweep; 0: none.
  std::int64_t journal_max = 10'000;
  std::string log;
};

struct OracleCommand {
  std::vector<std::string> paths;
  std::string edition = "seed";
  std::vector<std::string> only;  ///< Ids, with * and ?.
  bool is_json = false;
};

struct TraceCommand {
  std::string file;
};

int run_command(const CommonOptions& common, const RunCommand& command);
int bench_command(const CommonOptions& common, const BenchCommand& command);
int judge_command(const CommonOptions& common, const JudgeCommand& command);
int rules_command(const CommonOptions& common, const RulesCommand& command);
int explain_command(const CommonOptions& common, const ExplainCommand& command);
int lint_command(const CommonOptions& common, const LintCommand& command);
int serve_command(const CommonOptions& common, const ServeCommand& command);
int oracle_command(const OracleCommand& command);
/// plumb trace normalise: prints the trace without what belongs to one run on one machine.
int trace_command(const TraceCommand& command);

}  // namespace plumb::simulator
