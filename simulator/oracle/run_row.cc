// SPDX-License-Identifier: Apache-2.0
#include "simulator/oracle/run_row.h"

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "engine/kernel/join.h"
#include "engine/kernel/real_loop.h"
#include "engine/kernel/user_process.h"
#include "simulator/oracle/call_runner.h"
#include "simulator/oracle/compare.h"
#include "simulator/oracle/engine_steps.h"
#include "simulator/oracle/event_log.h"
#include "simulator/oracle/form_values.h"
#include "simulator/oracle/judge_call.h"
#include "simulator/oracle/plain_functions.h"
#include "simulator/oracle/row_sessions.h"
#include "simulator/oracle/session_steps.h"
#include "simulator/oracle/world.h"

namespace plumb::simulator {

using engine::Task;

namespace {

constexpr std::uint64_t kSessionSeed = 1;

std::vector<std::string> strings_at(const Json& json, const char* key) {
  return json.value(key, std::vector<std::string>());
}

/// One row. One loop.
class RowRun final {
 public:
  RowRun(engine::RealLoop& loop, OracleWorld& world, const OracleRow& row,
         const std::string& edition)
      : loop_(loop),
        world_(world),
        row_(row),
        end_(row.expect),
        log_(loop),
        calls_(loop, world, log_, edition),
        sessions_(calls_.env(), world, kSessionSeed),
        session_steps_(sessions_),
        engine_steps_(calls_.env(), sessions_) {
    for (const auto& quirk : row.quirks) {
      context_.set_aside.push_back(quirk.field);
      end_.erase(quirk.field);
    }
    context_.places = world.places();
  }

  /// Error: the world or a step cannot be made.
  Task<Result<Differences>> run() {
    const auto built = co_await world_.build(row_.setup);
    if (!built) co_return std::unexpected(built.error());
    for (index_ = 0; index_ < row_.steps.size(); ++index_) {
      const auto done = co_await run_step(row_.steps[index_], step_path(index_));
      if (!done) co_return std::unexpected(done.error());
    }
    append(found_, co_await world_.judge(sessions_.filled(end_)));
    judge_log();
    co_return found_;
  }

 private:
  static void set_aside(Json& expect, const std::string& field) {
    if (expect.is_object()) expect.erase(field);
  }

  static std::string step_path(std::size_t index) { return "/steps/" + std::to_string(index); }

  Task<Result<void>> run_step(OracleStep step, std::string path) {
    const std::string& op = step.op;
    if (op == "call" || op == "start") co_return co_await start(std::move(step), std::move(path));
    if (op == "join") co_return co_await join(step.args);
    if (op == "fs") co_return co_await world_.change(sessions_.filled(step.args));
    if (EngineSteps::handles(op)) {
      for (const auto& quirk : row_.quirks) set_aside(step.expect, quirk.field);
      auto found = co_await engine_steps_.run(std::move(step), std::move(path));
      if (!found) co_return std::unexpected(found.error());
      append(found_, *std::move(found));
      co_return Result<void>();
    }
    if (SessionSteps::handles(op)) {
      for (const auto& quirk : row_.quirks) set_aside(step.expect, quirk.field);
      auto found = co_await session_steps_.run(std::move(step), std::move(path));
      if (!found) co_return std::unexpected(found.error());
      append(found_, *std::move(found));
      co_return Result<void>();
    }
    if (op == "wait") co_await loop_.sleep_ms(step.args["ms"].get<std::int64_t>());
    if (op == "inject") calls_.inject(step.args);
    if (op == "abort") calls_.arm_abort(step.args["call"].get<std::string>(), step.at);
    if (op == "fn") judge_function(step, path + "/expect");
    co_return Result<void>();
  }

  Task<Result<void>> start(OracleStep step, std::string path) {
    const std::string name = step.args.value("as", std::string("A"));
    if (step.args.contains("job")) {
      calls_.begin(name);
      loop_.spawn(calls_.run_job(name, step.args["job"]), name);
    } else {
      const auto prepared = calls_.prepare(name, step.args);
      if (!prepared) co_return prepared;
      calls_.begin(name);
      loop_.spawn(calls_.run_call(name, step.args), name);
    }
    const bool waits = step.op == "call";
    open_[name] = std::pair(std::move(path), std::move(step));
    if (waits) co_await wait_and_judge(name, kOracleMsMax);
    co_return Result<void>();
  }

  Task<Result<void>> join(Json args) {
    const auto limit = args.value("limit_ms", kOracleMsMax);
    const auto deadline = loop_.now_ms() + limit;
    for (const auto& name : strings_at(args, "calls")) {
      co_await wait_and_judge(name, std::max<std::int64_t>(deadline - loop_.now_ms(), 0));
    }
    co_return Result<void>();
  }

  Task<void> wait_and_judge(std::string name, std::int64_t limit_ms) {
    const auto settled = co_await settles_within(name, limit_ms);
    const auto& [path, step] = open_[name];
    CallRecord& record = calls_.record(name);
    if (!settled) record.settled_ms = loop_.now_ms();
    co_await look_at_files(step, record);
    append(found_, judge_call(step.expect, record, path + "/expect", context_));
  }

  Task<bool> settles_within(std::string name, std::int64_t limit_ms) {
    Task<void> settling = settling_of(name);
    const auto settled = co_await engine::with_timeout(std::move(settling), limit_ms);
    co_return settled.has_value();
  }

  Task<void> settling_of(std::string name) { co_await calls_.settled(name).wait(); }

  /// What the judgement of pictures and of saved output needs.
  Task<void> look_at_files(OracleStep step, const CallRecord& record) {
    const Json input = step.args.value("input", Json());
    const Json path = input.is_object() ? input.value("path", Json()) : Json();
    context_.input_file.clear();
    if (path.is_string()) {
      const auto bytes =
          co_await world_.files().read(world_.root() + "/" + path.get<std::string>());
      if (bytes) context_.input_file = *bytes;
    }
    context_.output_file.reset();
    const std::string output = output_path_of(record, context_.places);
    if (output.empty()) co_return;
    const auto bytes = co_await world_.files().read(output);
    const auto stat = co_await world_.files().stat(output);
    if (!bytes || !stat) co_return;
    context_.output_file = HostFile{*bytes, stat->mode};
    // Nobody else removes what a command's tool has left behind.
    (void)co_await world_.files().remove(output);
  }

  void judge_function(const OracleStep& step, const std::string& path) {
    const auto value = call_plain_function(step.args);
    const Json expected = step.expect.is_object() ? step.expect.value("value", Json()) : Json();
    if (!value) {
      found_.push_back({path, shown(expected), value.error().message});
    } else if (step.expect.is_object() && step.expect.contains("value")) {
      append(found_, compare_partly(expected, *value, path + "/value", context_.places));
    }
  }

  void judge_log() {
    const Json& expect = end_;
    if (expect.contains("log")) judge_log_order(expect);
    for (const auto& pair : expect.value("before", Json::array())) {
      const auto first = log_.first(pair[0].get<std::string>());
      const auto second = log_.first(pair[1].get<std::string>());
      if (first >= 0 && second >= 0 && first < second) continue;
      found_.push_back({"/expect/before", shown(pair), shown(Json(log_.events()))});
    }
    for (const auto& event : strings_at(expect, "never")) {
      if (log_.first(event) < 0) continue;
      found_.push_back({"/expect/never", "no " + event, shown(Json(log_.events()))});
    }
  }

  void judge_log_order(const Json& expect) {
    auto kinds = strings_at(expect, "log_kinds");
    if (!expect.contains("log_kinds")) kinds = {"access", "read", "write", "abort"};
    const auto actual = log_.of_kinds(kinds);
    const auto expected = strings_at(expect, "log");
    if (actual != expected) {
      found_.push_back({"/expect/log", shown(Json(expected)), shown(Json(actual))});
    }
  }

  engine::RealLoop& loop_;
  OracleWorld& world_;
  const OracleRow& row_;
  Json end_;  ///< What the end state must be.
  EventLog log_;
  CallRunner calls_;
  RowSessions sessions_;
  SessionSteps session_steps_;
  EngineSteps engine_steps_;
  JudgeContext context_;
  Differences found_;
  std::size_t index_ = 0;
  std::map<std::string, std::pair<std::string, OracleStep>> open_;
};

CaseVerdict verdict_of(const OracleRow& row) {
  CaseVerdict verdict;
  verdict.id = row.id;
  verdict.line = row.line;
  return verdict;
}

CaseVerdict broken(const OracleRow& row, const Error& error) {
  CaseVerdict verdict = verdict_of(row);
  const bool is_skip = error.code == ErrorCode::rejected;
  verdict.outcome = is_skip ? CaseOutcome::skipped : CaseOutcome::harness_error;
  verdict.reason = error.message;
  return verdict;
}

/// What commands leave behind runs on by the real clock.
bool has_commands(const OracleRow& row) {
  return std::ranges::any_of(row.steps, [](const OracleStep& step) {
    return step.args.value("tool", Json()) == Json("bash");
  });
}

CaseVerdict run_here(const OracleRow& row, const std::string& edition) {
  engine::RealLoopOptions options;
  options.skips_idle_time = !has_commands(row);
  engine::RealLoop loop(options);
  auto world = OracleWorld::create(loop);
  if (!world) return broken(row, world.error());
  RowRun run(loop, **world, row, edition);
  auto found = loop.run(run.run());
  loop.destroy_fibers();
  if (!found) return broken(row, found.error());
  CaseVerdict verdict = verdict_of(row);
  verdict.differences = *std::move(found);
  if (!verdict.differences.empty()) verdict.outcome = CaseOutcome::failed;
  for (const auto& quirk : row.quirks) verdict.set_aside.push_back(quirk.field);
  return verdict;
}

/// What a library throws is an error of this row, not the end of all others.
CaseVerdict run_guarded(const OracleRow& row, const std::string& edition) {
  try {
    return run_here(row, edition);
  } catch (const std::exception& error) {
    return broken(row,
                  {ErrorCode::protocol, std::string("the harness failed: ") + error.what(), ""});
  }
}

}  // namespace

CaseVerdict run_row(const OracleRow& row, const std::string& edition) {
  if (auto reason = reason_to_skip(row, edition); !reason.empty()) {
    CaseVerdict verdict = verdict_of(row);
    verdict.outcome = CaseOutcome::skipped;
    verdict.reason = std::move(reason);
    return verdict;
  }
  if (!row.setup.contains("uid")) return run_guarded(row, edition);
  const auto uid = row.setup["uid"].get<std::int64_t>();
  const auto text =
      engine::run_as(uid, [&] { return dump_json(to_json(run_guarded(row, edition))); });
  if (!text) return broken(row, text.error());
  const auto json = parse_json(*text);
  if (!json) return broken(row, json.error());
  auto verdict = parse_verdict(*json);
  return verdict ? *std::move(verdict) : broken(row, verdict.error());
}

}  // namespace plumb::simulator
