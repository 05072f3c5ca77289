// SPDX-License-Identifier: Apache-2.0
// The verbs that wait, and the scripts' running.
#include "engine/extensions/script_run.h"

#include <utility>

#include "engine/extensions/script_values.h"
#include "engine/kernel/join.h"
#include "engine/tools/builtin/mutation_queue.h"

namespace plumb::engine {

namespace {

Json resolved_arguments(const ScriptState& state, const Verb& verb) {
  return resolve_value(verb.arguments, [&](std::string_view name) { return look_up(state, name); });
}

std::string text_argument(const Json& arguments, const char* name) {
  const auto found = arguments.find(name);
  if (found == arguments.end()) return "";
  return found->is_string() ? found->get<std::string>() : dump_json(*found);
}

void throw_in(ScriptState& state, std::string message) {
  state.thrown.emplace(std::move(message));
  state.has_ended = true;
}

AbortSignal signal_of(const ScriptState& state) {
  if (state.call) return state.call->signal;
  return state.handler ? state.handler->signal : AbortSignal();
}

Task<void> do_ask(ScriptStatePtr state, const Verb* verb) {
  const Json arguments = resolved_arguments(*state, *verb);
  ExtensionHost* host = state->extension->world.host;
  if (host == nullptr) co_return throw_in(*state, "no session to ask in");
  Dialog dialog(text_argument(arguments, "method"), text_argument(arguments, "title"));
  dialog.message = text_argument(arguments, "message");
  dialog.timeout_ms = arguments.value("timeout_ms", std::int64_t{0});
  if (arguments.value("signal", false)) dialog.signal = signal_of(*state);
  if (arguments.contains("options") && arguments["options"].is_array()) {
    for (const Json& option : arguments["options"]) {
      dialog.options.push_back(option.is_string() ? option.get<std::string>() : dump_json(option));
    }
  }
  const DialogAnswer answer = co_await host->ui().ask(std::move(dialog));
  state->last = answer.value;
  const std::string word =
      answer.value.is_string() ? answer.value.get<std::string>() : dump_json(answer.value);
  for (const Branch& branch : verb->branches) {
    if (branch.answer != word && branch.answer != "*") continue;
    co_await run_program(state, &branch.body);
    co_return;
  }
}

Task<void> do_call_tool(ScriptStatePtr state, const Verb* verb) {
  const Json arguments = resolved_arguments(*state, *verb);
  if (!state->call || !state->call->execute_tool) {
    co_return throw_in(*state, "tools cannot be called here");
  }
  NestedCall nested(text_argument(arguments, "tool"),
                    SharedJson(arguments.value("args", Json::object())));
  const NestedOutcome outcome = co_await state->call->execute_tool(std::move(nested));
  Json result = Json::object();
  result["id"] = outcome.id;
  result["isError"] = outcome.result.is_error;
  result["cause"] = outcome.cause;
  result["text"] = engine::text_of(outcome.result.content);
  result["result"] = to_json(outcome.result);
  state->last = std::move(result);
}

std::string absolute_in(const ExtensionHost& host, const std::string& path) {
  return path.starts_with('/') ? path : normal_path(host.cwd() + "/" + path);
}

Task<void> do_file(ScriptStatePtr state, const Verb* verb) {
  const Json arguments = resolved_arguments(*state, *verb);
  ExtensionHost* host = state->extension->world.host;
  if (host == nullptr) co_return throw_in(*state, "no session to find files in");
  const std::string path = absolute_in(*host, text_argument(arguments, "path"));
  Files& files = host->env().files;
  if (verb->kind == VerbKind::read_file) {
    const auto read = co_await files.read(path);
    if (!read) co_return throw_in(*state, read.error().message);
    state->last = *read;
    co_return;
  }
  std::string text = text_argument(arguments, "text");
  Result<void> written;
  if (verb->kind == VerbKind::write_file) {
    written = co_await files.write(path, std::move(text));
  } else {
    written = co_await files.append(path, std::move(text));
  }
  if (!written) throw_in(*state, written.error().message);
}

/// Holds the turn of a file while its verbs run.
Task<void> do_in_turn(ScriptStatePtr state, const Verb* verb) {
  const Json arguments = resolved_arguments(*state, *verb);
  ScriptWorld& world = state->extension->world;
  if (world.host == nullptr || world.queue == nullptr) {
    co_return throw_in(*state, "nothing orders changes of files here");
  }
  std::string path = absolute_in(*world.host, text_argument(arguments, "path"));
  const auto turn = co_await world.queue->enter(std::move(path), signal_of(*state));
  if (!turn) co_return throw_in(*state, turn.error().message);
  co_await run_program(state, &verb->branches.front().body);
}

Task<void> do_choice(ScriptStatePtr state, const Verb* verb) {
  const Json arguments = resolved_arguments(*state, *verb);
  const char* chosen = arguments["value"] == arguments["equals"] ? "then" : "else";
  for (const Branch& branch : verb->branches) {
    if (branch.answer == chosen) co_await run_program(state, &branch.body);
  }
}

/// What its verbs throw is the last value then, instead of an end; null if they throw nothing.
Task<void> do_attempt(ScriptStatePtr state, const Verb* verb) {
  try {
    co_await run_program(state, &verb->branches.front().body);
  } catch (...) {
    state->thrown.emplace(thrown_now());
  }
  state->last = state->thrown ? Json(state->thrown->message) : Json();
  if (!state->thrown) co_return;
  state->thrown.reset();
  state->has_ended = false;
}

Task<void> latch_opens(ScriptWorld& world, std::string name) {
  co_await world.latches.wait(name);
}

Task<void> wait_for(AbortSignal signal) {
  co_await signal.wait();
}

/// Tells the error listener what a script threw that nobody awaits (EXT-26); not when its extension
/// was replaced meanwhile (EXT-27). No handler's event is named: the handler itself has returned.
void report_detached(const ScriptState& state) {
  const ScriptedExtension& extension = *state.extension;
  if (extension.api != nullptr && !extension.api->host()) return;
  ExtensionHost* host = extension.world.host;
  if (host != nullptr) host->report_error(extension.owner, "later", state.thrown->message);
}

/// The fiber of `later`.
Task<void> run_detached(ScriptStatePtr state, const Program* program) {
  try {
    co_await run_program(state, program);
  } catch (...) {
    state->thrown.emplace(thrown_now());
  }
  if (state->thrown) report_detached(*state);
}

void start_later(const ScriptState& state, const Verb& verb) {
  auto copy = std::make_shared<ScriptState>(state);
  // The context ends with the execution, which this fiber may outlive.
  if (copy->call) copy->call->context = nullptr;
  Task<void> detached = run_detached(std::move(copy), &verb.branches.front().body);
  const Json call = look_up(state, "call");
  state.extension->world.loop.spawn(std::move(detached),
                                    call.is_string() ? call.get<std::string>() : std::string());
}

Task<void> run_waiting(ScriptStatePtr state, const Verb* verb) {
  ScriptWorld& world = state->extension->world;
  switch (verb->kind) {
    case VerbKind::ask:
      co_await do_ask(state, verb);
      break;
    case VerbKind::attempt:
      co_await do_attempt(state, verb);
      break;
    case VerbKind::call_tool:
      co_await do_call_tool(state, verb);
      break;
    case VerbKind::choose:
      co_await do_choice(state, verb);
      break;
    case VerbKind::delay: {
      std::vector<Task<void>> ways;
      ways.push_back(sleep_task(world.loop, verb->arguments["ms"].get<std::int64_t>()));
      ways.push_back(wait_for(signal_of(*state)));
      co_await race(std::move(ways));
      break;
    }
    case VerbKind::in_turn:
      co_await do_in_turn(state, verb);
      break;
    case VerbKind::sleep:
      co_await world.loop.sleep_ms(verb->arguments["ms"].get<std::int64_t>());
      break;
    case VerbKind::later:
      start_later(*state, *verb);
      break;
    case VerbKind::latch: {
      const Json arguments = resolved_arguments(*state, *verb);
      std::string name = text_argument(arguments, "wait");
      std::vector<Task<void>> ways;
      ways.push_back(latch_opens(world, std::move(name)));
      ways.push_back(wait_for(signal_of(*state)));
      co_await race(std::move(ways));
      break;
    }
    case VerbKind::wait_abort:
      co_await wait_for(signal_of(*state));
      break;
    default:
      co_await do_file(state, verb);
      break;
  }
}

}  // namespace

Task<void> run_program(ScriptStatePtr state, const Program* program) {
  for (const Verb& verb : *program) {
    if (!run_at_once(*state, verb)) co_await run_waiting(state, &verb);
    if (state->has_ended) co_return;
  }
}

}  // namespace plumb::engine
