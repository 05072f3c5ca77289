// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/session_world.h"

#include <algorithm>
#include <utility>

#include "engine/tools/builtin/bash.h"
#include "engine/tools/builtin/edit.h"
#include "engine/tools/builtin/find.h"
#include "engine/tools/builtin/grep.h"
#include "engine/tools/builtin/ls.h"
#include "engine/tools/builtin/read.h"
#include "engine/tools/builtin/write.h"
#include "simulator/script/place.h"
#include "simulator/subjects/host_hooks.h"

namespace plumb::simulator {
namespace {

engine::SimLoopOptions loop_options(const RunOptions& options,
                                    std::function<void(const engine::Step&)> on_point) {
  engine::SimLoopOptions loop;
  loop.seed = options.seed;
  loop.schedule = options.schedule;
  loop.step_max = options.step_max;
  loop.records_steps = options.records_steps;
  loop.records_ready = options.records_ready;
  loop.picker = options.picker;
  loop.on_point = options.on_point;
  if (options.abort_at) loop.on_point = std::move(on_point);
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

template <class Port>
Port& inner_or(const std::unique_ptr<Port>& altered, Port& plain) {
  return altered ? *altered : plain;
}

/// The operation that traces spell so; the loader has checked the word.
std::optional<engine::FileOp> file_op_of(std::string_view word) {
  for (int i = 0; i <= static_cast<int>(engine::FileOp::hard_link); ++i) {
    const auto op = static_cast<engine::FileOp>(i);
    if (engine::file_op_name(op) == word) return op;
  }
  return std::nullopt;
}

std::vector<engine::FileFault> file_faults(const Scenario& scenario, const RunOptions& options,
                                           TraceGate& gate) {
  std::vector<engine::FileFault> faults;
  if (options.fail_at) {
    engine::FileFault any;
    any.occurrence = *options.fail_at;
    any.io_error = "EIO: i/o error";
    faults.push_back(std::move(any));
  }
  for (const auto& script : scenario.faults) {
    engine::FileFault fault;
    fault.op = file_op_of(script.op);
    if (!script.path.empty()) fault.path = absolute_of(script.path);
    fault.occurrence = script.nth;
    fault.delay_ms = script.delay_ms;
    fault.code = script.error;
    fault.io_error = script.io_error;
    if (!script.until.text.empty()) fault.until = &gate.opened_at(script.until);
    faults.push_back(std::move(fault));
  }
  return faults;
}

engine::QueueMode queue_mode(const std::string& word) {
  return word == "all" ? engine::QueueMode::all : engine::QueueMode::one_at_a_time;
}

engine::PictureLimits limits_of(const PictureLimitsScript& script) {
  engine::PictureLimits limits;
  limits.width = script.width.value_or(limits.width);
  limits.height = script.height.value_or(limits.height);
  return limits;
}

engine::ModelProfile profile_of(const ModelScript& script) {
  engine::ModelProfile profile;
  profile.takes_pictures = script.takes_pictures;
  if (script.pictures) profile.pictures = limits_of(*script.pictures);
  return profile;
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
      loop_(loop_options(options, [this](const engine::Step& step) { pass_point(step); })),
      recorder_(trace, [this] { return loop_.now_ms(); }),
      host_recorder_(trace, [this] { return loop_.now_ms(); }),
      incarnation_(loop_),
      policies_(policies_for(scenario, options)),
      memory_(loop_),
      recorded_files_(memory_, recorder_,
                      [this](const std::string& path) { return real_path_of(path); }),
      altered_files_(options.alterations.files ? options.alterations.files(recorded_files_, loop_)
                                               : nullptr),
      files_(inner_or<engine::Files>(altered_files_, recorded_files_), incarnation_),
      scripted_processes_(loop_, memory_),
      recorded_processes_(scripted_processes_, recorder_),
      altered_processes_(options.alterations.processes
                             ? options.alterations.processes(recorded_processes_, loop_)
                             : nullptr),
      processes_(inner_or<engine::Processes>(altered_processes_, recorded_processes_),
                 incarnation_),
      rng_(options.seed),
      env_(loop_, files_, processes_, rng_),
      shell_(scenario, env_, memory_, recorder_),
      host_files_(scenario, env_, recorder_),
      gate_(loop_, trace),
      model_(make_player_script(scenario), ProviderWorld(loop_, recorder_, &gate_)),
      recorded_model_(model_, recorder_),
      altered_model_(options.alterations.provider
                         ? options.alterations.provider(recorded_model_, loop_)
                         : nullptr),
      engine_model_(inner_or<engine::Provider>(altered_model_, recorded_model_), incarnation_),
      user_(loop_, scenario.ui, scenario.settings.has_ui),
      altered_user_(options.alterations.ui ? options.alterations.ui(user_) : nullptr),
      engine_user_(inner_or<engine::UserInterface>(altered_user_, user_), incarnation_),
      queue_(loop_, env_.files, recorder_, policies_),
      scripts_(loop_) {
  lay_out_files();
  add_scripts(scenario_, scripted_processes_);
  faults_ = engine::FaultPlan(file_faults(scenario, options, gate_));
  memory_.set_faults(&faults_);
  watch_for_replies();
  engine::SessionPorts ports(env_, engine_model_, recorder_);
  if (scenario.settings.has_ui || altered_user_) ports.ui = &engine_user_;
  session_ = std::make_unique<engine::Session>(session_options(), ports, policies_);
  scripts_.host = &session_->host();
  scripts_.queue = &queue_;
  if (hosted_ != nullptr) hosted_->set_session(session_->host());
}

SessionWorld::~SessionWorld() {
  // Frames that are still suspended point into the ports below; nothing they do is recorded.
  sever();
  loop_.destroy_fibers();
}

/// Aborts from within the loop, before the step's fiber goes on.
void SessionWorld::pass_point(const engine::Step& step) {
  if (options_.on_point) options_.on_point(step);
  if (++point_count_ != *options_.abort_at) return;
  plumb::Step event;
  event.step = "abort";
  event.data = SharedJson(Json{{"point", engine::point_text(step.id)}});
  recorder_.record(Source::host, std::move(event));
  session_->abort();
}

void SessionWorld::sever() {
  incarnation_.sever();
  recorder_.sever();
}

/// The events that replies wait for are watched from the start: waiting for one is then all that a
/// schedule can change.
void SessionWorld::watch_for_replies() {
  for (const auto& step : scenario_.steps) {
    const auto* reply = std::get_if<ModelStep>(&step.action);
    if (reply != nullptr && !reply->until.text.empty()) gate_.watch(reply->until.text);
  }
}

std::string SessionWorld::real_path_of(const std::string& path) {
  const engine::FileRequest request(engine::FileOp::real_path, path);
  auto reply = memory_.perform_now(request);
  return reply ? reply->text : path;
}

void SessionWorld::lay_out_files() {
  memory_.put_directory(std::string(kWorkspace));
  memory_.put_directory(std::string(kHome));
  memory_.put_directory(std::string(kTemporary));
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

engine::SessionOptions SessionWorld::session_options() {
  const Settings& settings = scenario_.settings;
  engine::SessionOptions options;
  options.cwd = settings.cwd == "." ? std::string(kWorkspace) : absolute_of(settings.cwd);
  options.prompt.cwd_shown = options.cwd;
  options.model = settings.model;
  for (const auto& [name, model] : settings.models) options.models[name] = profile_of(model);
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
  if (settings.failing_after_hook) {
    options.wrap_hooks = [this](engine::ToolHooks& inner) {
      return std::make_unique<FailingAfterHook>(inner, recorder_,
                                                *scenario_.settings.failing_after_hook);
    };
  }
  if (options_.alterations.session) options_.alterations.session(options);
  extensions_ = options.extensions;
  return options;
}

std::vector<engine::ExtensionSource> SessionWorld::without_extension(const std::string& name) {
  for (const auto& script : scenario_.extensions) {
    if (script.name != name) continue;
    std::erase_if(extensions_, [&](const auto& one) { return one.source.path == script.path; });
  }
  return extensions_;
}

Place SessionWorld::place_of_host_tool(std::size_t index) const {
  const auto& places = scenario_.tools.sdk_places;
  return index < places.size() ? places[index] : Place{};
}

void SessionWorld::add_tools(engine::SessionOptions& options) {
  const auto operations = engine::local_operations(env_.files);
  const std::string home(kHome);
  engine::ReadOptions reading{host_files_.for_read(operations), options.cwd, home};
  reading.model = [this] {
    return engine::CurrentModel{session_->host().model(), session_->model_profile()};
  };
  if (scenario_.settings.pictures) reading.pictures = limits_of(*scenario_.settings.pictures);
  options.builtin_tools.push_back(engine::read_tool(std::move(reading)));
  engine::EditOptions edit(operations, queue_, policies_);
  edit.cwd = options.cwd;
  edit.home = home;
  options.builtin_tools.push_back(engine::edit_tool(edit));
  edit.operations = host_files_.for_write(operations);
  options.builtin_tools.push_back(engine::write_tool(std::move(edit)));
  add_search_tools(options, home);
  // A command that nobody scripted could not run.
  if (!scenario_.processes.empty()) {
    engine::BashOptions bash = shell_.options(policies_);
    bash.cwd = options.cwd;
    bash.temporary_folder = kTemporary;
    options.builtin_tools.push_back(engine::bash_tool(std::move(bash)));
  }
  for (std::size_t i = 0; i < scenario_.tools.sdk.size(); ++i) {
    auto tool = engine::make_scripted_tool(scenario_.tools.sdk[i], "sdk", scripts_);
    if (tool) {
      options.sdk_tools.push_back(*std::move(tool));
    } else {
      definition_errors_.push_back(
          definition_error(std::move(tool).error(), scenario_.file, place_of_host_tool(i)));
    }
  }
}

/// Registered where a scenario names them, so that other runs keep their registry.
void SessionWorld::add_search_tools(engine::SessionOptions& options, const std::string& home) {
  engine::SearchOptions searching(env_.files);
  searching.cwd = options.cwd;
  searching.home = home;
  const auto is_named = [this](const std::string& name) {
    const auto has = [&](const std::optional<std::vector<std::string>>& names) {
      return names && (std::ranges::find(*names, name) != names->end() ||
                       std::ranges::find(*names, "+" + name) != names->end());
    };
    return has(scenario_.tools.active) || has(scenario_.tools.allow);
  };
  if (is_named("grep")) options.builtin_tools.push_back(engine::grep_tool(searching));
  if (is_named("find")) options.builtin_tools.push_back(engine::find_tool(searching));
  if (is_named("ls")) options.builtin_tools.push_back(engine::ls_tool(searching));
}

void SessionWorld::add_hosted(engine::SessionOptions& options, const ExtensionScript& script) {
  if (hosted_ == nullptr) hosted_ = std::make_unique<HostedRun>(loop_, memory_, recorder_);
  auto ready = hosted_->prepare(options, options_.seed);
  if (!ready) {
    ready.error().where = located(scenario_.file, script.place);
    definition_errors_.push_back(std::move(ready).error());
    return;
  }
  options.extensions.push_back(
      hosted_->extension(script.path, hosted_file(scenario_.file, script.hosted)));
}

void SessionWorld::add_extensions(engine::SessionOptions& options) {
  for (const auto& script : scenario_.extensions) {
    if (!script.hosted.empty()) {
      add_hosted(options, script);
      continue;
    }
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
