// SPDX-License-Identifier: Apache-2.0
// The chains of the runner: what each event makes of its handlers' answers.
#include <utility>

#include "engine/extensions/event_fields.h"
#include "engine/extensions/runner.h"

namespace plumb::engine {

namespace {

const Json* answer_member(const std::optional<Json>& returned, const char* name) {
  if (!returned || !returned->is_object()) return nullptr;
  const auto found = returned->find(name);
  return found == returned->end() ? nullptr : &*found;
}

bool answer_flag(const std::optional<Json>& returned, const char* name) {
  const Json* found = answer_member(returned, name);
  return found != nullptr && found->is_boolean() && found->get<bool>();
}

std::optional<std::string> answer_text(const std::optional<Json>& returned, const char* name) {
  const Json* found = answer_member(returned, name);
  if (found == nullptr || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

BeforeOutcome outcome_of(const HandlerResult& result, const SessionPolicies& policies) {
  if (result && *result && policies.answer_blocks(**result)) return parse_block(**result);
  BeforeOutcome outcome;
  if (result) return outcome;
  outcome.verdict = BeforeVerdict::threw;
  outcome.message = result.error().message;
  outcome.is_error_object = result.error().is_error_object;
  return outcome;
}

/// The list that a context handler returned, sharing what it left as it was: so the prefix of the
/// request stays one object.
std::vector<SharedJson> share_unchanged(const Json& returned,
                                        const std::vector<SharedJson>& before) {
  std::vector<SharedJson> after;
  for (const Json& message : returned) {
    const std::size_t place = after.size();
    const bool is_same = place < before.size() && before[place].get() == message;
    after.push_back(is_same ? before[place] : SharedJson(message));
  }
  return after;
}

Json list_of(const std::vector<SharedJson>& messages) {
  Json list = Json::array();
  for (const auto& message : messages) list.push_back(message.get());
  return list;
}

/// Exactly one of operations or result (EVENT-41).
bool is_bash_answer(const Json& returned) {
  if (!returned.is_object()) return false;
  return returned.contains("operations") != returned.contains("result");
}

}  // namespace

Task<BeforeOutcome> ExtensionRunner::before_call(CallView call) {
  BeforeOutcome verdict;
  for (Turn& turn : turns("tool_call")) {
    if (!may_run(turn)) continue;
    HandlerContext context = make_context("tool_call", call.id, call_fields(call));
    context.input = policies_.session.handler_input(call.input);
    context.signal = call.signal;
    const std::string path = path_of(turn.registration.extension);
    const HandlerResult result = co_await run_handler(std::move(turn), std::move(context));
    const BeforeOutcome outcome = outcome_of(result, policies_.session);
    if (!result && policies_.session.reports_throw("tool_call")) {
      report(path, "tool_call", outcome.message);
    }
    if (verdict.verdict == BeforeVerdict::allow) verdict = outcome;
    if (policies_.session.verdict_ends_chain(outcome)) break;
  }
  co_return verdict;
}

Task<ToolResult> ExtensionRunner::after_call(CallView call, ToolResult result) {
  const ToolResult executed = result;
  for (Turn& turn : turns("tool_result")) {
    if (!may_run(turn)) continue;
    const ToolResult seen = policies_.session.handler_result(executed, result);
    HandlerContext context = make_context("tool_result", call.id, result_fields(call, seen));
    context.signal = call.signal;
    const std::string path = path_of(turn.registration.extension);
    const HandlerResult returned = co_await run_handler(std::move(turn), std::move(context));
    result = after_handler(path, returned, std::move(result));
  }
  co_return result;
}

ToolResult ExtensionRunner::after_handler(const std::string& path, const HandlerResult& returned,
                                          ToolResult result) {
  if (!returned) {
    if (policies_.session.reports_throw("tool_result")) {
      report(path, "tool_result", returned.error().message);
    }
    return policies_.session.result_after_throw(std::move(result), returned.error().message);
  }
  if (!*returned || (*returned)->is_null()) return result;
  const auto patch = parse_patch(**returned);
  if (!patch) {
    report(path, "tool_result", patch.error().message);
    return result;
  }
  return policies_.apply_patch(std::move(result), *patch);
}

Task<void> ExtensionRunner::on_event(std::string call_id, Payload event) {
  const std::string kind(kEventKinds[event.index()]);
  Json fields = execution_fields(call_id, event);
  co_await notify(kind, std::move(call_id), std::move(fields));
}

Task<void> ExtensionRunner::notify(std::string event, std::string call, Json data) {
  for (Turn& turn : turns(event)) {
    if (!may_run(turn)) continue;
    HandlerContext context = make_context(event, call, data);
    const std::string path = path_of(turn.registration.extension);
    const HandlerResult result = co_await run_handler(std::move(turn), std::move(context));
    if (result) continue;
    if (policies_.session.reports_throw(event)) report(path, event, result.error().message);
    if (!policies_.session.chain_goes_on_after_throw(event)) co_return;
  }
}

Task<InputOutcome> ExtensionRunner::input(std::string text) {
  InputOutcome outcome(std::move(text));
  for (Turn& turn : turns("input")) {
    if (!may_run(turn)) continue;
    Json fields = Json::object();
    fields["text"] = outcome.text;
    fields["source"] = "interactive";
    HandlerContext context = make_context("input", "", std::move(fields));
    const auto returned = co_await run_isolated(std::move(turn), std::move(context));
    const auto action = answer_text(returned, "action");
    outcome.is_handled = action == "handled";
    if (outcome.is_handled) break;
    if (action == "transform") outcome.text = answer_text(returned, "text").value_or(outcome.text);
  }
  co_return outcome;
}

Task<RunPreparation> ExtensionRunner::before_agent_start(std::string prompt,
                                                         std::string system_prompt, Json options) {
  RunPreparation prepared;
  prepared.options = std::make_shared<Json>(std::move(options));
  for (Turn& turn : turns("before_agent_start")) {
    if (!may_run(turn)) continue;
    Json fields = Json::object();
    fields["messageType"] = "user";
    fields["prompt"] = prompt;
    fields["systemPrompt"] = prepared.system_prompt.value_or(system_prompt);
    fields["systemPromptOptions"] = *prepared.options;
    HandlerContext context = make_context("before_agent_start", "", std::move(fields));
    context.input = prepared.options;
    const std::string path = path_of(turn.registration.extension);
    const auto returned = co_await run_isolated(std::move(turn), std::move(context));
    apply_preparation(path, returned, prepared);
  }
  co_return prepared;
}

void ExtensionRunner::apply_preparation(const std::string& path,
                                        const std::optional<Json>& returned,
                                        RunPreparation& prepared) {
  if (auto text = answer_text(returned, "systemPrompt")) prepared.system_prompt = std::move(text);
  const Json* message = answer_member(returned, "message");
  if (message == nullptr) return;
  auto parsed = parse_custom_message(*message);
  if (parsed) {
    prepared.messages.push_back(*std::move(parsed));
  } else {
    report(path, "before_agent_start", parsed.error().message);
  }
}

Task<std::vector<SharedJson>> ExtensionRunner::context(std::string event,
                                                       std::vector<SharedJson> messages) {
  for (Turn& turn : turns(event)) {
    if (!may_run(turn)) continue;
    Json fields = Json::object();
    fields["messages"] = list_of(messages);
    HandlerContext context = make_context(event, "", std::move(fields));
    const std::string path = path_of(turn.registration.extension);
    const auto returned = co_await run_isolated(std::move(turn), std::move(context));
    const Json* list = answer_member(returned, "messages");
    if (list == nullptr) continue;
    if (list->is_array()) {
      messages = share_unchanged(*list, messages);
    } else {
      report(path, event, "messages must be a list");
    }
  }
  co_return messages;
}

Task<MessagePtr> ExtensionRunner::message_end(std::string call, MessagePtr message) {
  for (Turn& turn : turns("message_end")) {
    if (!may_run(turn)) continue;
    Json fields = Json::object();
    fields["message"] = to_json(*message);
    HandlerContext context = make_context("message_end", call, std::move(fields));
    const std::string path = path_of(turn.registration.extension);
    const auto returned = co_await run_isolated(std::move(turn), std::move(context));
    const Json* replacement = answer_member(returned, "message");
    if (replacement == nullptr) continue;
    auto replaced = replace_message(*message, *replacement);
    if (replaced) {
      message = *std::move(replaced);
    } else {
      report(path, "message_end", replaced.error().message);
    }
  }
  co_return message;
}

Task<BoundaryProposal> ExtensionRunner::boundary(std::string event, Json data) {
  BoundaryProposal proposal;
  for (Turn& turn : turns(event)) {
    if (!may_run(turn)) continue;
    Json fields = data;
    fields["entries"] = proposal.entries;
    fields["continue"] = proposal.wants_continue;
    HandlerContext context = make_context(event, "", std::move(fields));
    const std::string path = path_of(turn.registration.extension);
    const auto returned = co_await run_isolated(std::move(turn), std::move(context));
    const Json* entries = answer_member(returned, "entries");
    const auto checked = entries != nullptr ? check_drafts(*entries) : Result<void>();
    if (!checked) {
      report(path, event, checked.error().message);
      continue;
    }
    if (entries != nullptr) proposal.entries.assign(entries->begin(), entries->end());
    if (answer_member(returned, "continue") != nullptr) {
      proposal.wants_continue = answer_flag(returned, "continue");
    }
  }
  co_return proposal;
}

Task<Result<std::optional<Json>>> ExtensionRunner::user_bash(std::string command, std::string cwd) {
  for (Turn& turn : turns("user_bash")) {
    if (!may_run(turn)) continue;
    Json fields = Json::object();
    fields["command"] = command;
    fields["excludeFromContext"] = false;
    fields["cwd"] = cwd;
    HandlerContext context = make_context("user_bash", "", std::move(fields));
    const std::string path = path_of(turn.registration.extension);
    const HandlerResult returned = co_await run_handler(std::move(turn), std::move(context));
    if (returned && (!*returned || (*returned)->is_null())) continue;
    if (returned && is_bash_answer(**returned)) co_return *returned;
    const std::string reason = returned ? "user_bash needs exactly one of operations and result"
                                        : returned.error().message;
    report(path, "user_bash", reason);
    co_return fail(ErrorCode::rejected, reason);
  }
  co_return std::optional<Json>();
}

Task<Json> ExtensionRunner::answer(std::string event, Json data) {
  Json last;
  for (Turn& turn : turns(event)) {
    if (!may_run(turn)) continue;
    HandlerContext context = make_context(event, "", data);
    const auto returned = co_await run_isolated(std::move(turn), std::move(context));
    if (!returned || !returned->is_object()) continue;
    last = *returned;
    if (answer_flag(returned, "cancel")) break;
  }
  co_return last;
}

Task<bool> ExtensionRunner::is_cancelled(std::string event, Json data) {
  for (Turn& turn : turns(event)) {
    if (!may_run(turn)) continue;
    HandlerContext context = make_context(event, "", data);
    const auto returned = co_await run_isolated(std::move(turn), std::move(context));
    if (answer_flag(returned, "cancel")) co_return true;
  }
  co_return false;
}

}  // namespace plumb::engine
