// SPDX-License-Identifier: Apache-2.0
// What hosted extensions await: each call is a fiber of the loop.
#include <utility>

#include "engine/extensions/hosted/host_services.h"

namespace plumb::engine {
namespace {

std::vector<std::string> command_words(const Json& params) {
  std::vector<std::string> words{text_in(params, "command")};
  const Json arguments = value_in(params, "args");
  if (!arguments.is_array()) return words;
  for (const Json& word : arguments) {
    words.push_back(word.is_string() ? word.get<std::string>() : dump_json(word));
  }
  return words;
}

Task<Result<Json>> refuse_call(std::string why) {
  co_return fail(ErrorCode::rejected, std::move(why));
}

Dialog dialog_of(const std::string& method, const Json& params, const AbortSignal& signal) {
  Dialog dialog(method, text_in(params, "title"));
  dialog.message = text_in(params, "message");
  dialog.timeout_ms = number_in(params, "timeout");
  dialog.signal = signal;
  const Json options = value_in(params, "options");
  if (!options.is_array()) return dialog;
  for (const Json& option : options) {
    dialog.options.push_back(option.is_string() ? option.get<std::string>() : dump_json(option));
  }
  return dialog;
}

}  // namespace

void HostServices::begin(const HostMessage& call) {
  auto controller = std::make_shared<AbortController>(loop_);
  calls_[call.id] = controller;
  loop_.spawn(perform(call, std::move(controller)), call_of(call));
}

Task<void> HostServices::perform(HostMessage call, std::shared_ptr<AbortController> controller) {
  const std::int64_t id = call.id;
  Result<Json> outcome = co_await outcome_of(std::move(call), controller->signal());
  calls_.erase(id);
  process_->settle(id, std::move(outcome));
}

Task<Result<Json>> HostServices::outcome_of(HostMessage call, AbortSignal signal) {
  const std::string method = call.method;
  const bool is_dialog = method == "ui.select" || method == "ui.confirm" || method == "ui.input" ||
                         method == "ui.editor";
  if (session_ == nullptr) return refuse_call("the extension runtime is not initialised");
  if (is_dialog) return ask_user(std::move(call), std::move(signal));
  if (method == "exec") return run_command(std::move(call), std::move(signal));
  if (method == "executeTool") return execute_tool(std::move(call), std::move(signal));
  if (method == "builtin.execute") return execute_builtin(std::move(call), std::move(signal));
  return refuse_call("not provided by this host: " + method);
}

Task<Result<Json>> HostServices::ask_user(HostMessage call, AbortSignal signal) {
  const std::string method = call.method.substr(std::string_view("ui.").size());
  Dialog dialog = dialog_of(method, call.params, signal);
  const DialogAnswer answer = co_await session_->ui().ask(std::move(dialog));
  co_return answer.value;
}

Task<Result<Json>> HostServices::run_command(HostMessage call, AbortSignal signal) {
  ProcessSpec spec;
  spec.argv = command_words(call.params);
  spec.cwd = text_in(call.params, "cwd", session_->cwd());
  spec.timeout_ms = number_in(call.params, "timeout");
  CollectingSink sink;
  const auto exit = co_await session_->env().processes.run(std::move(spec), sink, signal);
  if (!exit) co_return std::unexpected(exit.error());
  Json result = Json::object();
  result["stdout"] = sink.out;
  result["stderr"] = sink.err;
  result["code"] = exit->exit_code;
  result["killed"] = exit->end != ProcessEnd::exited;
  co_return result;
}

Task<Result<Json>> HostServices::execute_tool(HostMessage call, AbortSignal signal) {
  const auto* request = process_->open_request(number_in(call.params, "request", -1));
  if (request == nullptr || !request->execute_tool) {
    co_return fail(ErrorCode::rejected, "tools can be called while one runs, and not here");
  }
  NestedCall nested(text_in(call.params, "name"), SharedJson(value_in(call.params, "args")));
  // The calling tool's own signal, unless this call has one of its own.
  if (value_in(call.params, "hasSignal") == Json(true)) nested.signal = signal;
  // Kept: the request may be gone before its nested call has ended.
  const auto execute = request->execute_tool;
  const NestedOutcome outcome = co_await execute(std::move(nested));
  Json result = Json::object();
  result["toolCallId"] = outcome.id;
  result["toolName"] = outcome.name;
  result["result"] = to_json(outcome.result);
  result["isError"] = outcome.result.is_error;
  co_return result;
}

Task<Result<Json>> HostServices::execute_builtin(HostMessage call, AbortSignal signal) {
  const std::string name = text_in(call.params, "name");
  const ToolDefinition* tool = builtin(name);
  if (tool == nullptr) co_return fail(ErrorCode::rejected, "no built-in tool is named " + name);
  auto params = std::make_shared<Json>(value_in(call.params, "params"));
  ToolCall running(text_in(call.params, "callId"), name, std::move(params));
  running.signal = signal;
  const ToolResult result = co_await tool->execute(std::move(running));
  if (result.failure) co_return fail(ErrorCode::rejected, *result.failure);
  co_return to_json(result);
}

}  // namespace plumb::engine
