// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/pipeline.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "engine/tools/parameter_schema.h"
#include "engine/tools/update_gate.h"
#include "engine/values/json_members.h"

namespace plumb::engine {
namespace {

/// Calls nested in calls: PARENT/1/1/... (a tool that calls itself must come to an end).
constexpr std::int64_t kNestingDepthMax = 16;

/// The fiber works for a call meanwhile: ports stamp its effects with the call's id.
class LabelScope {
 public:
  LabelScope(Fiber& fiber, const std::string& label)
      : fiber_(fiber), before_(std::exchange(fiber.label, label)) {}
  LabelScope(const LabelScope&) = delete;
  ~LabelScope() { fiber_.label = before_; }

 private:
  Fiber& fiber_;
  std::string before_;
};

/// What was thrown, in words. Called inside a catch block.
struct Thrown {
  std::string message;
  bool is_error_object = true;
};

Thrown describe_thrown() {
  try {
    throw;
  } catch (const std::exception& error) {
    return {error.what(), true};
  } catch (const std::string& text) {
    return {text, false};
  } catch (const char* text) {
    return {text, false};
  } catch (...) {
    return {"unknown error", false};
  }
}

FinishedCall finished_call(const PreparedCall& call, Cause cause, ToolResult result) {
  FinishedCall finished;
  finished.id = call.request.block.id;
  finished.name = call.request.block.name;
  finished.parent = call.request.parent;
  finished.cause = cause;
  finished.result = std::move(result);
  return finished;
}

/// The call ends here, before execute.
void end_with(PreparedCall& call, Cause cause, std::string text, bool terminate = false) {
  ToolResult result = error_result(std::move(text));
  result.terminate = terminate;
  call.finished = finished_call(call, cause, std::move(result));
}

std::string tool_named(const std::string& name) {
  return "tool '" + name + "'";
}

/// PIPE-19: the tool, each failing path with the reason, what was received.
std::string describe_issues(const std::string& name, const std::vector<SchemaIssue>& issues,
                            const Json& received) {
  std::string text = "Invalid arguments for " + tool_named(name) + ":\n";
  for (const auto& issue : issues) {
    text += "- " + (issue.path.empty() ? "(root)" : issue.path) + ": " + issue.reason + "\n";
  }
  return text + "Received arguments: " + dump_json(received);
}

/// What `value` is now, which may change: mostly it is a value that is there already.
SharedJson shared_copy(const Json& value, const SharedJson& known) {
  return is_same_json(value, known.get()) ? known : SharedJson(value);
}

CallView view_of(const PreparedCall& call) {
  CallView view(call.request.block.id, call.request.block.name, call.params);
  view.parent = call.request.parent;
  view.signal = call.request.signal;
  return view;
}

/// A result as events show it: made on first read.
SharedJson shown_result(std::shared_ptr<const ToolResult> result) {
  return SharedJson::lazy([held = std::move(result)] { return to_json(*held); });
}

/// As tool_execution_end shows it, which has a flag of its own for errors.
SharedJson shown_at_end(const FinishedCall& call) {
  if (!call.shown.same_object(SharedJson())) return call.shown;
  ToolResult result = call.result;
  result.is_error = false;
  return shown_result(std::make_shared<const ToolResult>(std::move(result)));
}

std::string terms_of_mismatch(const std::vector<SchemaIssue>& issues) {
  std::string text = "structuredContent does not match outputSchema";
  for (const auto& issue : issues) text += "; " + issue.path + ": " + issue.reason;
  return text;
}

std::vector<SchemaIssue> output_issues(const RegisteredTool& tool, const ToolResult& result) {
  if (tool.output_schema == nullptr || result.is_error) return {};
  return tool.output_schema->check(result.structured_content.get());
}

}  // namespace

struct CallPipeline::Caller {
  explicit Caller(const CallRequest& call)
      : id(call.block.id), turn(call.turn), signal(call.signal), depth(call.depth) {}
  std::string id;
  std::shared_ptr<const TurnTools> turn;
  AbortSignal signal;
  std::int64_t depth;
  std::int64_t nested_count = 0;  ///< No id of a nested call is given twice.
};

struct CallPipeline::Executed {
  ToolResult result;
  // Shared with the trace: what the tool returned, and the form in which execute_end shows it.
  std::shared_ptr<const ToolResult> returned;
  SharedJson shown;
  bool threw = false;
  std::int64_t duration_ms = 0;
  std::shared_ptr<UpdateGate> gate;  ///< Shared with the tool, as the gate says.
};

/// Records the event; whether somebody listens to its kind, who is then to be told.
bool CallPipeline::announce(const std::string& call_id, const Payload& event) {
  const bool is_wanted = ports_.hooks.wants(kEventKinds[event.index()]);
  ports_.recorder.record(Source::engine, event, call_id);
  return is_wanted;
}

Task<void> CallPipeline::start(PreparedCall& call) {
  Payload event(ToolExecutionStart{.name = call.request.block.name,
                                   .args = call.start_arguments,
                                   .parent = call.request.parent});
  if (announce(call.request.block.id, event))
    co_await ports_.hooks.on_event(call.request.block.id, std::move(event));
}

Task<void> CallPipeline::end(const FinishedCall& call) {
  CallOutcome outcome;
  outcome.outcome = to_string(call.cause);
  if (call.cause != Cause::ok) outcome.message = text_of(call.result.content);
  ports_.recorder.record(Source::probe, std::move(outcome), call.id);
  Payload event(ToolExecutionEnd{.name = call.name,
                                 .result = shown_at_end(call),
                                 .is_error = call.result.is_error,
                                 .ran = call.ran,
                                 .parent = call.parent});
  if (announce(call.id, event)) co_await ports_.hooks.on_event(call.id, std::move(event));
}

Task<PreparedCallPtr> CallPipeline::preflight(CallRequest request) {
  Fiber& fiber = co_await current_fiber();
  const LabelScope label(fiber, request.block.id);
  auto call = std::make_unique<PreparedCall>(std::move(request));
  call->start_arguments = ports_.policies.start_arguments(call->request.block);
  co_await start(*call);
  co_await check_call(*call);
  if (call->finished) co_await end(*call->finished);
  co_return call;
}

/// Steps 2 to 7.
Task<void> CallPipeline::check_call(PreparedCall& call) {
  if (call.request.signal.aborted() && ports_.policies.abort_ends_call(AbortPoint::start)) {
    call.finished = finished_call(call, Cause::aborted, ports_.policies.aborted_result());
    co_return;
  }
  if (call.request.depth > kNestingDepthMax) {
    end_with(call, Cause::blocked, "calls are nested too deeply: " + call.request.block.id);
    co_return;
  }
  call.tool = find_tool(call);
  if (call.tool == nullptr) {
    end_with(call, Cause::unknown_tool, tool_named(call.request.block.name) + " was not found");
    co_return;
  }
  check_arguments(call);
  if (!call.finished) co_await ask_hooks(call);
}

RegisteredToolPtr CallPipeline::find_tool(const PreparedCall& call) const {
  const std::string& name = call.request.block.name;
  return call.request.parent.empty() ? ports_.policies.find_tool(*call.request.turn, name)
                                     : find_callable(*call.request.turn, name);
}

/// Steps 4 to 6. The tool works on a copy: the transcript keeps what the model sent (PIPE-20).
void CallPipeline::check_arguments(PreparedCall& call) {
  const ToolCallBlock& block = call.request.block;
  const bool has_preparation = call.tool->definition.prepare_arguments != nullptr;
  Json prepared = has_preparation ? prepare_arguments(call) : block.arguments.get();
  if (call.finished) return;
  if (!block.arguments_error.empty()) {
    return end_with(call, Cause::invalid_arguments,
                    "Invalid arguments for " + tool_named(block.name) +
                        ": the text could not be parsed: " + block.arguments_error);
  }
  validate_arguments(call, std::move(prepared));
}

/// A preparation shows in the trace: what it was given, and what it returned or threw.
Json CallPipeline::prepare_arguments(PreparedCall& call) {
  const SharedJson& raw = call.request.block.arguments;
  const auto note = [&](std::string topic, SharedJson data) {
    Notify event;
    event.by = call.tool->source.path;
    event.topic = std::move(topic);
    event.data = std::move(data);
    ports_.recorder.record(Source::probe, std::move(event), call.request.block.id);
  };
  note("prepare_begin", raw);
  try {
    Json prepared = call.tool->definition.prepare_arguments(raw.get());
    note("prepare_end", SharedJson(prepared));
    return ports_.policies.prepared_arguments(raw.get(), std::move(prepared));
  } catch (...) {
    std::string message = describe_thrown().message;
    note("prepare_failed", SharedJson(Json(message)));
    if (ports_.policies.failed_preparation_ends_call(message)) {
      end_with(call, Cause::prepare_failed, std::move(message));
    }
  }
  return raw.get();
}

void CallPipeline::validate_arguments(PreparedCall& call, Json prepared) {
  auto validated = ports_.policies.validate(*call.tool, prepared);
  if (!validated.issues.empty()) {
    return end_with(call, Cause::invalid_arguments,
                    describe_issues(call.request.block.name, validated.issues, prepared));
  }
  call.validated = shared_copy(validated.value, call.request.block.arguments);
  call.params = std::make_shared<Json>(std::move(validated.value));
}

/// Step 7. An abort has priority over the verdict (HOOK-28).
Task<void> CallPipeline::ask_hooks(PreparedCall& call) {
  const BeforeOutcome outcome = co_await before_call(view_of(call));
  if (call.request.signal.aborted() &&
      ports_.policies.abort_ends_call(AbortPoint::after_before_hook)) {
    call.finished = finished_call(call, Cause::aborted, ports_.policies.aborted_result());
  } else if (!ports_.policies.verdict_stops_call(outcome)) {
    call.params =
        ports_.policies.arguments_after_handlers(*call.tool, call.validated.get(), call.params);
  } else if (outcome.verdict == BeforeVerdict::threw) {
    const std::string_view prefix =
        outcome.is_error_object ? "" : "An extension failed, execution is blocked: ";
    end_with(call, Cause::before_hook_failed, std::string(prefix) + outcome.message);
  } else {
    end_with(call, Cause::blocked, ports_.policies.block_text(outcome), outcome.terminate);
  }
}

Task<BeforeOutcome> CallPipeline::before_call(CallView view) {
  BeforeOutcome outcome;
  try {
    outcome = co_await ports_.hooks.before_call(std::move(view));
  } catch (...) {
    Thrown thrown = describe_thrown();
    outcome.verdict = BeforeVerdict::threw;
    outcome.message = std::move(thrown.message);
    outcome.is_error_object = thrown.is_error_object;
  }
  co_return outcome;
}

Task<FinishedCall> CallPipeline::execute(PreparedCallPtr call) {
  if (call->finished) co_return *std::move(call->finished);
  Fiber& fiber = co_await current_fiber();
  const LabelScope label(fiber, call->request.block.id);
  if (call->request.signal.aborted() &&
      ports_.policies.abort_ends_call(AbortPoint::before_execute)) {
    call->finished = finished_call(*call, Cause::aborted, ports_.policies.aborted_result());
    co_await end(*call->finished);
    co_return *std::move(call->finished);
  }
  Executed executed = co_await run_tool(*call);
  const auto gate = executed.gate;
  FinishedCall finished = co_await finish_executed(*call, std::move(executed));
  check_output(*call->tool, finished);
  co_await end(finished);
  gate->end();
  co_return finished;
}

/// Step 9, with its probes.
Task<CallPipeline::Executed> CallPipeline::run_tool(PreparedCall& call) {
  const ToolCallBlock& block = call.request.block;
  const auto context = ports_.host.make_context(view_of(call));
  const auto gate = std::make_shared<UpdateGate>(ports_, call);
  const auto active_before = ports_.host.active_tools();
  ToolCall arguments(ports_.policies.execute_id(block), block.name, call.params);
  arguments.signal = call.request.signal;
  arguments.context = context.get();
  arguments.on_update = [gate](const ToolResult& partial) { gate->update(partial); };
  // Shared by all copies of the function; some outlive the call.
  arguments.execute_tool = [this, caller = std::make_shared<Caller>(call.request)](
                               NestedCall nested) { return run_nested(caller, std::move(nested)); };
  ports_.loop.note(TouchKind::store, block.id, false);
  ExecuteBegin begin;
  begin.name = block.name;
  begin.owner = call.tool->source.path;
  begin.args = shared_copy(*call.params, call.validated);
  begin.signal_aborted = call.request.signal.aborted();
  ports_.recorder.record(Source::probe, std::move(begin), arguments.id);

  const std::int64_t begun_ms = ports_.loop.now_ms();
  Executed executed;
  executed.gate = gate;
  executed.result = co_await invoke(*call.tool, std::move(arguments));
  executed.duration_ms = ports_.loop.now_ms() - begun_ms;
  co_await gate->settle();
  executed.threw = executed.result.failure.has_value();
  record_end(block, executed);
  if (executed.threw) {
    std::string error_class = std::move(executed.result.error_class);
    executed.result = error_result(*std::move(executed.result.failure));
    executed.result.error_class = std::move(error_class);
  } else {
    executed.result.is_error = ports_.policies.returned_result_is_error(executed.result);
    executed.result.added_tool_names = ports_.policies.added_tool_names(
        active_before, ports_.host.active_tools(), executed.result.added_tool_names);
  }
  co_return executed;
}

void CallPipeline::record_end(const ToolCallBlock& block, Executed& executed) {
  ExecuteEnd event;
  event.name = block.name;
  const bool is_error = executed.result.is_error;
  event.outcome = executed.threw ? "threw" : is_error ? "returned_error" : "ok";
  if (executed.threw) {
    event.error = *executed.result.failure;
  } else {
    executed.returned = std::make_shared<const ToolResult>(executed.result);
    executed.shown = shown_result(executed.returned);
    event.result = executed.shown;
  }
  ports_.recorder.record(Source::probe, std::move(event), block.id);
}

/// What execute throws becomes a failure of its result (RESULT-13).
Task<ToolResult> CallPipeline::invoke(const RegisteredTool& tool, ToolCall call) {
  ToolResult result;
  try {
    result = co_await tool.definition.execute(std::move(call));
  } catch (...) {
    result = failed_result(describe_thrown().message);
  }
  co_return result;
}

/// Step 10, and why the call ended as it did.
Task<FinishedCall> CallPipeline::finish_executed(PreparedCall& call, Executed executed) {
  const bool was_error = executed.result.is_error;
  ToolResult result = std::move(executed.result);
  bool hook_failed = false;
  if (ports_.policies.result_hook_runs(executed.threw, call.request.signal.aborted())) {
    try {
      result = co_await ports_.hooks.after_call(view_of(call), std::move(result));
    } catch (...) {
      result = error_result(describe_thrown().message);
      hook_failed = true;
    }
  }
  Cause cause = Cause::ok;
  if (hook_failed) {
    cause = Cause::after_hook_failed;
  } else if (result.is_error && was_error) {
    cause = executed.threw ? Cause::execute_failed : Cause::returned_error;
  } else if (result.is_error) {
    cause = Cause::result_handler_error;
  }
  FinishedCall finished = finished_call(call, cause, std::move(result));
  finished.ran = true;
  finished.duration_ms = executed.duration_ms;
  const bool is_as_returned = executed.returned != nullptr && finished.result == *executed.returned;
  if (is_as_returned && !finished.result.is_error) finished.shown = std::move(executed.shown);
  co_return finished;
}

/// A mismatch of structuredContent is a diagnostic (RESULT-03, TOOL-21).
void CallPipeline::check_output(const RegisteredTool& tool, const FinishedCall& call) {
  const auto issues = output_issues(tool, call.result);
  if (issues.empty()) return;
  Diagnostic diagnostic;
  diagnostic.code = "output_schema_mismatch";
  diagnostic.path = tool.source.path;
  diagnostic.tool = call.name;
  diagnostic.message = terms_of_mismatch(issues);
  ports_.recorder.record(Source::probe, std::move(diagnostic), call.id);
}

/// The same gates as for the model's calls, no message (HOOK-29). A program caller is told of a
/// result that breaks its outputSchema.
Task<NestedOutcome> CallPipeline::run_nested(std::shared_ptr<Caller> caller, NestedCall nested) {
  ports_.loop.note(TouchKind::signal, caller->id, true);
  ToolCallBlock block;
  block.id = caller->id + "/" + std::to_string(++caller->nested_count);
  block.name = nested.name;
  block.arguments = nested.args;
  NestedOutcome outcome;
  outcome.id = block.id;
  outcome.name = nested.name;
  CallRequest request(std::move(block), caller->turn, nested.signal.value_or(caller->signal));
  request.parent = caller->id;
  request.depth = caller->depth + 1;
  request.on_update = std::move(nested.on_update);
  PreparedCallPtr call = co_await preflight(std::move(request));
  const RegisteredToolPtr tool = call->tool;
  FinishedCall finished = co_await execute(std::move(call));
  outcome.cause = to_string(finished.cause);
  outcome.result = std::move(finished.result);
  if (tool == nullptr) co_return outcome;
  const auto issues = output_issues(*tool, outcome.result);
  if (!issues.empty()) outcome.result = error_result(terms_of_mismatch(issues));
  co_return outcome;
}

Task<FinishedCall> CallPipeline::refuse_truncated(ToolCallBlock block) {
  PreparedCall call(CallRequest(std::move(block), nullptr, AbortSignal()));
  call.start_arguments = ports_.policies.start_arguments(call.request.block);
  co_await start(call);
  end_with(call, Cause::truncated,
           tool_named(call.request.block.name) +
               " was not run: the answer hit the output limit, so its arguments may be "
               "incomplete. Repeat the call");
  co_await end(*call.finished);
  co_return *std::move(call.finished);
}

}  // namespace plumb::engine
