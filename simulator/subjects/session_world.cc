// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/session_world.h"

#include <utility>

#include "engine/tools/builtin/edit.h"
#include "engine/tools/builtin/read.h"
#include "engine/tools/builtin/write.h"
#include "simulator/script/place.h"

namespace plumb::simulator {
namespace {

engine::SimLoopOptions loop_options(const RunOptions& options) {
  engine::SimLoopOptions loop;
  loop.seed = options.seed;
  loop.schedule = options.schedule;
  loop.step_max = options.step_max;
  loop.records_steps = options.records_steps;
  loop.records_ready = options.records_ready;
  loop.picker = options.picker;
  loop.on_point = options.on_point;
  return loop;
}

std::string_view edition_name(Edition edition) {
  return edition == Edition::seed ? "seed" : "pi-1.6.0";
}

engine::Policies policies_for(const Scenario& scenario, const RunOptions& options) {
  engine::Policies policies = engine::policies_of(edition_name(scenario.edition));
  if (options.alterations.policies) options.alterations.policies(policies);
  return policies;
}

/// The operation that traces spell so; the loader has checked the word.
std::optional<engine::FileOp> file_op_of(std::string_view word) {
  for (int i = 0; i <= static_cast<int>(engine::FileOp::hard_link); ++i) {
    const auto op = static_cast<engine::FileOp>(i);
    if (engine::file_op_name(op) == word) return op;
  }
  return std::nullopt;
}

std::vector<engine::FileFault> file_faults(const Scenario& scenario) {
  std::vector<engine::FileFault> faults;
  for (const auto& script : scenario.faults) {
    engine::FileFault fault;
    fault.op = file_op_of(script.op);
    if (!script.path.empty()) fault.path = absolute_of(script.path);
    fault.occurrence = script.nth;
    fault.delay_ms = script.delay_ms;
    fault.code = script.error;
    faults.push_back(std::move(fault));
  }
  return faults;
}

engine::QueueMode queue_mode(const std::string& word) {
  return word == "all" ? engine::QueueMode::all : engine::QueueMode::one_at_a_time;
}

/// An interpreter's error names a place by JSON pointer; the scenario's line says where that is.
Error definition_error(Error error, const std::string& file, Place place) {
  error.message += error.where.empty() ? "" : " (at " + error.where + ")";
  error.where = located(file, place);
  return error;
}

}  // namespace

std::string absolute_of(std::string_view path) {
  if (path.starts_with("~/")) return std::string(kHome) + "/" + std::string(path.substr(2));
  return std::string(kWorkspace) + "/" + std::string(path);
}

SessionWorld::SessionWorld(const Scenario& scenario, const RunOptions& options, Trace& trace)
    : scenario_(scenario),
      options_(options),
      loop_(loop_options(options)),
      recorder_(trace, [this] { return loop_.now_ms(); }),
      policies_(policies_for(scenario, options)),
      faults_(file_faults(scenario)),
      memory_(loop_),
      recorded_files_(memory_, recorder_,
                      [this](const std::string& path) { return real_path_of(path); }),
      altered_files_(options.alterations.files ? options.alterations.files(recorded_files_, loop_)
                                               : nullptr),
      processes_(loop_, altered_files_ ? *altered_files_ : recorded_files_),
      rng_(options.seed),
      env_(loop_, altered_files_ ? *altered_files_ : recorded_files_, processes_, rng_),
      gate_(loop_, trace),
      model_(make_player_script(scenario), ProviderWorld(loop_, recorder_, &gate_)),
      recorded_model_(model_, recorder_),
      altered_model_(options.alterations.provider
                         ? options.alterations.provider(recorded_model_, loop_)
                         : nullptr),
      user_(loop_, scenario.ui, scenario.settings.has_ui),
      altered_user_(options.alterations.ui ? options.alterations.ui(user_) : nullptr),
      queue_(loop_, env_.files, recorder_, policies_),
      scripts_(loop_) {
  lay_out_files();
  script_processes();
  memory_.set_faults(&faults_);
  engine::SessionPorts ports(
      env_, altered_model_ ? *altered_model_ : static_cast<engine::Provider&>(recorded_model_),
      recorder_);
  if (scenario.settings.has_ui) ports.ui = &user_;
  if (altered_user_) ports.ui = altered_user_.get();
  session_ = std::make_unique<engine::Session>(session_options(), ports, policies_);
  scripts_.host = &session_->host();
}

SessionWorld::~SessionWorld() {
  // Frames that are still suspended point into the ports below; nothing they do is recorded.
  recorder_.sever();
  loop_.destroy_fibers();
}

void SessionWorld::sever() {
  recorder_.sever();
}

std::string SessionWorld::real_path_of(const std::string& path) {
  const engine::FileRequest request(engine::FileOp::real_path, path);
  auto reply = memory_.perform_now(request);
  return reply ? reply->text : path;
}

void SessionWorld::lay_out_files() {
  memory_.put_directory(std::string(kWorkspace));
  memory_.put_directory(std::string(kHome));
  for (const auto& file : scenario_.files) {
    const auto path = absolute_of(file.path);
    switch (file.kind) {
      case FileKind::regular:
        memory_.put_file(path, file.bytes);
        break;
      case FileKind::directory:
        memory_.put_directory(path);
        break;
      case FileKind::link:
        memory_.put_symlink(path, file.target);
        break;
      case FileKind::hard_link:
        memory_.put_hard_link(path, absolute_of(file.target));
        break;
    }
  }
  for (const auto& file : scenario_.files) {
    if (file.mode) memory_.set_mode(absolute_of(file.path), *file.mode);
  }
}

void SessionWorld::script_processes() {
  for (const auto& script : scenario_.processes) {
    engine::ScriptedCommand command(script.command);
    for (const auto& piece : script.output) {
      const auto stream =
          piece.stream == "stderr" ? engine::OutputStream::err : engine::OutputStream::out;
      command.chunks.emplace_back(piece.after_ms, stream, piece.text);
    }
    command.exit_code = script.exit;
    command.hangs = script.hangs;
    processes_.add(std::move(command));
  }
}

engine::SessionOptions SessionWorld::session_options() {
  const Settings& settings = scenario_.settings;
  engine::SessionOptions options;
  options.cwd = settings.cwd == "." ? std::string(kWorkspace) : absolute_of(settings.cwd);
  options.prompt.cwd_shown = options.cwd;
  options.model = settings.model;
  options.tool_execution = settings.execution == "sequential" ? engine::ExecutionMode::sequential
                                                              : engine::ExecutionMode::parallel;
  options.steering = queue_mode(settings.steering);
  options.follow_up = queue_mode(settings.follow_up);
  options.prompt.custom = settings.system;
  options.prompt.appended = settings.append_system;
  options.retry.count_max = settings.retries;
  options.retry.delay_ms = settings.retry_delay_ms;
  if (settings.turns_max) options.turns_max = *settings.turns_max;
  options.filters.allowed = scenario_.tools.allow;
  options.filters.excluded = scenario_.tools.exclude;
  options.active.initial = scenario_.tools.active;
  add_tools(options);
  add_extensions(options);
  if (options_.alterations.session) options_.alterations.session(options);
  return options;
}

void SessionWorld::add_tools(engine::SessionOptions& options) {
  const auto operations = engine::local_operations(env_.files);
  const std::string home(kHome);
  options.builtin_tools.push_back(engine::read_tool({operations, options.cwd, home}));
  engine::EditOptions edit(operations, queue_, policies_);
  edit.cwd = options.cwd;
  edit.home = home;
  options.builtin_tools.push_back(engine::edit_tool(edit));
  options.builtin_tools.push_back(engine::write_tool(edit));
  for (const auto& definition : scenario_.tools.sdk) {
    auto tool = engine::make_scripted_tool(definition, "sdk", scripts_);
    if (tool) {
      options.sdk_tools.push_back(*std::move(tool));
    } else {
      definition_errors_.push_back(
          definition_error(std::move(tool).error(), scenario_.file, Place{1, 1}));
    }
  }
}

void SessionWorld::add_extensions(engine::SessionOptions& options) {
  for (const auto& script : scenario_.extensions) {
    auto source = engine::scripted_source(script.definition);
    auto factory = engine::make_scripted_extension(script.definition, source.path, scripts_);
    if (factory) {
      options.extensions.emplace_back(std::move(source), *std::move(factory));
    } else {
      definition_errors_.push_back(
          definition_error(std::move(factory).error(), scenario_.file, script.place));
    }
  }
}

}  // namespace plumb::simulator
