// SPDX-License-Identifier: Apache-2.0
#include "simulator/oracle/call_runner.h"

#include <utility>
#include <vector>

#include "engine/tools/active_set.h"
#include "engine/tools/folder_context.h"
#include "engine/tools/registry.h"

namespace plumb::simulator {

using engine::Task;

namespace {

/// No handlers.
class NoHooks final : public engine::ToolHooks {
 public:
  Task<engine::BeforeOutcome> before_call(engine::CallView /*call*/) override {
    co_return engine::BeforeOutcome();
  }
  Task<engine::ToolResult> after_call(engine::CallView /*call*/,
                                      engine::ToolResult result) override {
    co_return result;
  }
  Task<void> on_event(std::string /*call_id*/, Payload /*event*/) override { co_return; }
  bool wants(std::string_view /*kind*/) const override { return false; }
};

class FolderHost final : public engine::ToolHost {
 public:
  explicit FolderHost(std::string folder) : folder_(std::move(folder)) {}
  std::unique_ptr<engine::ToolContext> make_context(const engine::CallView& /*call*/) override {
    return std::make_unique<engine::FolderContext>(folder_);
  }
  std::vector<std::string> active_tools() const override { return {}; }
  Task<void> deliver_result(std::string /*call_id*/,
                            engine::ToolResultMessage /*message*/) override {
    co_return;
  }

 private:
  std::string folder_;
};

std::string text_of_member(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::int64_t number_of_member(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? found->get<std::int64_t>() : 0;
}

/// Names of temporary files must differ between runs that share a folder: so do the roots.
std::uint64_t seed_of(std::string_view root) {
  std::uint64_t seed = 0;
  for (const char c : root) seed = seed * 257 + static_cast<unsigned char>(c);
  return seed;
}

}  // namespace

struct CallRunner::Services {
  explicit Services(std::string folder) : host(std::move(folder)) {}
  NoHooks hooks;
  FolderHost host;
};

CallRunner::CallRunner(engine::RealLoop& loop, OracleWorld& world, EventLog& log,
                       std::string edition)
    : loop_(loop),
      world_(world),
      log_(log),
      processes_(loop),
      host_processes_(processes_, world.environment()),
      rng_(seed_of(world.root())),
      env_(loop, world.files(), host_processes_, rng_),
      policies_(engine::policies_of(edition)),
      recorder_(trace_, [&loop] { return loop.now_ms(); }),
      queue_(loop, world.files(), recorder_, policies_),
      kit_(env_, world, log, injections_, queue_, policies_),
      services_(std::make_unique<Services>(world.places().cwd)),
      pipeline_(
          engine::PipelinePorts(loop, recorder_, policies_, services_->hooks, services_->host)) {}

CallRunner::~CallRunner() = default;

void CallRunner::inject(const Json& args) {
  Injection injection;
  injection.delay_ms = number_of_member(args, "delay_ms");
  injection.until = text_of_member(args, "until");
  if (args.contains("error")) injection.error = oracle_error(args["error"]);
  injections_[std::pair(text_of_member(args, "call"), text_of_member(args, "operation"))] =
      std::move(injection);
}

void CallRunner::arm_abort(const std::string& name, const Json& at) {
  if (at.contains("before")) {
    aborted_before_start_[name] = true;
    return;
  }
  log_.on(text_of_member(at, "event"), [this, name, delay_ms = number_of_member(at, "after_ms")] {
    abort_later(name, delay_ms);
  });
}

void CallRunner::abort_later(const std::string& name, std::int64_t delay_ms) {
  if (delay_ms <= 0) return abort(name);
  loop_.spawn(abort_after(name, delay_ms), "");
}

Task<void> CallRunner::abort_after(std::string name, std::int64_t delay_ms) {
  co_await loop_.sleep_ms(delay_ms);
  abort(name);
}

void CallRunner::abort(const std::string& name) {
  log_.add(name + ":abort");
  controller(name).abort("aborted");
}

engine::AbortController& CallRunner::controller(const std::string& name) {
  auto& slot = controllers_[name];
  if (slot == nullptr) slot = std::make_unique<engine::AbortController>();
  return *slot;
}

void CallRunner::begin(const std::string& name) {
  records_[name] = CallRecord();
  records_[name].started_ms = loop_.now_ms();
  settled(name).reset();
}

engine::Event& CallRunner::settled(const std::string& name) {
  auto& slot = settled_[name];
  if (slot == nullptr) slot = std::make_unique<engine::Event>(loop_, "the end of " + name);
  return *slot;
}

CallRecord& CallRunner::record(const std::string& name) {
  return records_[name];
}

Result<void> CallRunner::prepare(const std::string& name, const Json& args) {
  PLUMB_TRY(prepared_[name], make_tool(kit_, name, args));
  return {};
}

void CallRunner::settle(const std::string& name) {
  records_[name].settled_ms = loop_.now_ms();
  log_.add(name + ":settled");
  settled(name).set();
}

/// The one tool of the call, as a turn has it.
std::shared_ptr<const engine::TurnTools> CallRunner::turn_of(const std::string& name,
                                                             const Json& args) {
  Trace unseen;
  Recorder unseen_recorder(unseen, [] { return std::int64_t{0}; });
  engine::ToolRegistry registry(unseen_recorder, policies_, {});
  const auto added = registry.add_builtin(std::move(prepared_[name]));
  PLUMB_ASSERT(added.has_value());
  registry.bind();
  engine::ActiveSet set(registry, unseen_recorder, policies_);
  engine::ActiveOptions options;
  options.initial = std::vector<std::string>{text_of_member(args, "tool")};
  set.start(std::move(options));
  return std::make_shared<const engine::TurnTools>(set.snapshot());
}

Task<void> CallRunner::run_call(std::string name, Json args) {
  CallRecord& record = records_[name];
  record.tool = text_of_member(args, "tool");
  engine::ToolCallBlock block;
  block.id = name;
  block.name = record.tool;
  block.arguments = SharedJson(filled(args["input"], world_.places()));
  if (aborted_before_start_[name]) abort(name);
  log_.add(name + ":start");
  engine::CallRequest request(block, turn_of(name, args), controller(name).signal());
  request.on_update = [this, name](engine::ToolResult partial) {
    log_.add(name + ":update");
    records_[name].updates.push_back(SeenUpdate{loop_.now_ms(), std::move(partial)});
  };
  engine::PreparedCallPtr call = co_await pipeline_.preflight(std::move(request));
  const engine::FinishedCall finished = co_await pipeline_.execute(std::move(call));
  record.error_class = oracle_class_of(finished);
  record.result = finished.result;
  record.transcript_input = block.arguments.get();
  settle(name);
}

Task<void> CallRunner::run_job(std::string name, Json job) {
  const auto done = co_await do_job(name, std::move(job));
  CallRecord& record = records_[name];
  record.error_class = done ? "ok" : oracle_class_of(done.error());
  if (!done && record.error_class == "other") record.error_class = "error";
  if (done) record.value = *done;
  settle(name);
}

/// The work while it has the turn of its file.
Task<Result<Json>> CallRunner::do_job(std::string name, Json job) {
  const std::string key = world_.root() + "/" + text_of_member(job, "key");
  const auto turn = co_await queue_.enter(key);
  if (!turn) co_return std::unexpected(turn.error());
  log_.add(name + ":job:start");
  const std::string failure = text_of_member(job, "fail");
  Result<Json> outcome = job.value("value", Json());
  if (failure != "at once" && job.contains("hold_ms")) {
    co_await loop_.sleep_ms(number_of_member(job, "hold_ms"));
  }
  if (failure.empty() && job.contains("nested")) {
    const Json nested = job["nested"];
    const auto inner = co_await do_job(text_of_member(nested, "as"), nested);
    if (!inner) outcome = std::unexpected(inner.error());
  }
  if (!failure.empty()) outcome = fail(ErrorCode::protocol, "the job fails");
  log_.add(name + (outcome ? ":job:end" : ":job:fail"));
  co_return outcome;
}

}  // namespace plumb::simulator
