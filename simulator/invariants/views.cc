// SPDX-License-Identifier: Apache-2.0
#include "simulator/invariants/views.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace plumb::invariants {
namespace {

constexpr std::size_t kShownCharactersMax = 240;

const Json kNullJson;

std::string shorten(const Json& value) {
  std::string text = dump_json(value);
  if (text.size() <= kShownCharactersMax) return text;
  return text.substr(0, kShownCharactersMax) + "...";
}

/// An event in a finding's words: its kind, the hook, the call.
std::string told(const Event& event) {
  std::string text(event.kind());
  if (const auto* entered = event.as<HookCall>()) text += " " + entered->event;
  if (const auto* returned = event.as<HookReturn>()) text += " " + returned->event;
  return event.call.empty() ? text : text + " of call " + event.call;
}

bool is_hook(const Event& event, std::string_view name) {
  const auto* call = event.as<HookCall>();
  return call != nullptr && call->event == name;
}

bool is_hook_return(const Event& event, std::string_view name) {
  const auto* returned = event.as<HookReturn>();
  return returned != nullptr && returned->event == name;
}

/// The messages that a context handler gave for a request in place of the session's, or null.
const Json* rewrites(const Event& event, const Request& request, const Story& story) {
  const auto* returned = event.as<HookReturn>();
  if (returned == nullptr || !returned->event.starts_with("context")) return nullptr;
  const auto from = request.previous < 0
                        ? -1
                        : story.requests[static_cast<std::size_t>(request.previous)].event->seq;
  if (event.seq < from || event.seq > request.event->seq) return nullptr;
  const Json& messages = at(returned->result.get(), "messages");
  return messages.is_array() ? &messages : nullptr;
}

/// Whether a list of messages holds the call's result as its end event says it.
bool keeps_result(const Json& messages, const Call& call) {
  if (!messages.is_array()) return false;
  for (const auto& message : messages) {
    for (const auto& result : results_in(message)) {
      if (result.call != call.id) continue;
      return result.is_error == is_error(call) &&
             equal_json(result.content.get(), as_blocks(at(result_of(call), "content")));
    }
  }
  return false;
}

bool is_failure(const FileOperation& operation) {
  return operation.phase == "end" && operation.result != "ok";
}

/// It only tells that nothing is there: the call asks on.
bool is_mere_lookup(const FileOperation& operation, const Call& call) {
  const bool is_absent = operation.result == "ENOENT" || operation.result == "ENOTDIR";
  return is_absent &&
         (operation.op == "real_path" || (operation.op == "access" && call.name == "read"));
}

}  // namespace

bool is_named(const Event& event, EventName name) {
  return event.payload.index() == name.index() || hook_name_of(event) == name.index();
}

std::vector<const Event*> all(const Call& call, EventName name) {
  std::vector<const Event*> events;
  if (count(call, name) == 0) return events;
  for (const Event* event : call.events) {
    if (is_named(*event, name)) events.push_back(event);
  }
  return events;
}

std::int64_t seq_of(const Call& call, EventName name) {
  const Event* event = first(call, name);
  return event == nullptr ? -1 : event->seq;
}

const ToolExecutionStart* start_of(const Call& call) {
  return call.events.first<ToolExecutionStart>();
}
const ToolExecutionEnd* end_of(const Call& call) {
  return call.events.first<ToolExecutionEnd>();
}
const ExecuteBegin* begin_of(const Call& call) {
  return call.events.first<ExecuteBegin>();
}
const ExecuteEnd* settled_of(const Call& call) {
  return call.events.first<ExecuteEnd>();
}

std::string_view cause_of(const Call& call) {
  const auto* outcome = call.events.first<CallOutcome>();
  return outcome == nullptr ? std::string_view() : outcome->outcome;
}

bool has_executed(const Call& call) {
  return begin_of(call) != nullptr;
}

bool is_error(const Call& call) {
  const auto* end = end_of(call);
  return end != nullptr && end->is_error;
}

bool has_started(const Call& call) {
  return start_of(call) != nullptr;
}

bool is_top_level(const Call& call) {
  return call.parent.empty() && call.batch >= 0;
}

const Json& result_of(const Call& call) {
  const auto* end = end_of(call);
  return end == nullptr ? kNullJson : end->result.get();
}

std::string result_text(const Call& call) {
  return text_in(at(result_of(call), "content"));
}

std::vector<const HookReturn*> returns_of(const Call& call, std::string_view event) {
  std::vector<const HookReturn*> returns;
  if (count(call, "hook_return") == 0) return returns;
  for (const Event* one : call.events) {
    if (is_hook_return(*one, event)) returns.push_back(one->as<HookReturn>());
  }
  return returns;
}

bool has_own_result(const Call& call) {
  return returns_of(call, "tool_result").empty();
}

bool has_failed(const Call& call) {
  const auto* settled = settled_of(call);
  return settled == nullptr ? is_error(call) : settled->outcome != "ok";
}

std::vector<const HookCall*> hook_calls_of(const Call& call, std::string_view event) {
  std::vector<const HookCall*> calls;
  if (count(call, "hook_call") == 0) return calls;
  for (const Event* one : call.events) {
    if (is_hook(*one, event)) calls.push_back(one->as<HookCall>());
  }
  return calls;
}

bool is_block(const HookReturn& returned) {
  return returned.error.empty() && at(returned.result.get(), "block") == true;
}

const HookReturn* stopper_of(const Call& call) {
  for (const auto* returned : returns_of(call, "tool_call")) {
    if (is_block(*returned) || !returned->error.empty()) return returned;
  }
  return nullptr;
}

const Json* input_after_hooks(const Call& call) {
  const auto returns = returns_of(call, "tool_call");
  return returns.empty() ? nullptr : &returns.back()->input_after.get();
}

const Json* validated_input(const Call& call) {
  const auto hooks = hook_calls_of(call, "tool_call");
  if (!hooks.empty()) return &hooks.front()->input.get();
  const auto* begin = begin_of(call);
  return begin == nullptr ? nullptr : &begin->args.get();
}

const Call* call_of(const Event& event, const Story& story) {
  const auto found = std::ranges::lower_bound(story.calls_by_event, event.seq, {}, &CallPlace::seq);
  const bool is_known = found != story.calls_by_event.end() && found->seq == event.seq;
  return is_known ? &story.calls[found->call] : nullptr;
}

const Call* call_before(std::string_view id, std::int64_t seq, const Story& story) {
  const auto found = story.calls_by_id.find(id);
  if (found == story.calls_by_id.end()) return nullptr;
  const auto& places = found->second;
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    const Call& call = story.calls[*place];
    const Batch* batch = batch_of(call, story);
    const auto known = batch != nullptr      ? batch->response->seq
                       : call.events.empty() ? seq
                                             : call.events.front()->seq;
    if (known < seq) return &call;
  }
  return nullptr;
}

std::vector<ShownCall> answered_in(const Request& request) {
  std::vector<ShownCall> answered;
  for (const auto& message : request.added) {
    for (auto& call : calls_in(message.get())) answered.push_back(std::move(call));
  }
  return answered;
}

bool is_rewritten(const Request& request, const Story& story) {
  return std::ranges::any_of(
      story.hooks, [&](const Event* event) { return rewrites(*event, request, story) != nullptr; });
}

bool is_rewritten(const Call& call, const Story& story) {
  const auto replaces = [](const HookReturn* returned) {
    return returned->error.empty() &&
           view_at(at(returned->result.get(), "message"), "role") == "toolResult";
  };
  if (std::ranges::any_of(returns_of(call, "message_end"), replaces)) return true;
  const Request* request = next_request_of(call, story);
  if (request == nullptr) return false;
  return std::ranges::any_of(story.hooks, [&](const Event* event) {
    const Json* messages = rewrites(*event, *request, story);
    return messages != nullptr && !keeps_result(*messages, call);
  });
}

bool is_asked_for(const Request& request, const Event& response, const Story& story) {
  const auto is_between = [&](const Event* event) {
    return event->seq > response.seq && event->seq < request.event->seq;
  };
  const bool has_message = std::ranges::any_of(story.messages, [&](const Event* event) {
    const auto& role = event->as<MessageEnd>()->role;
    return is_between(event) && (role == "user" || role == "custom");
  });
  return has_message || std::ranges::any_of(story.hooks, [&](const Event* event) {
           const auto* returned = event->as<HookReturn>();
           return returned != nullptr && is_between(event) &&
                  (returned->event == "turn_end" || returned->event == "agent_before_settle") &&
                  at(returned->result.get(), "continue") == true;
         });
}

const ShownResult* shown_result(const Call& call, const Story& story) {
  const Request* request = next_request_of(call, story);
  if (request == nullptr || is_rewritten(call, story)) return nullptr;
  // The last one: a request that is sent anew may repeat a result of an id that was used again.
  const auto& results = request->results;
  const auto found = std::find_if(results.rbegin(), results.rend(),
                                  [&](const ShownResult& one) { return one.call == call.id; });
  return found == results.rend() ? nullptr : &*found;
}

bool is_declared(const Call& call, const Story& story) {
  const Request* request = request_of(call, story);
  return request != nullptr && contains(request->declared, call.name);
}

const Json* tool_of(const Call& call, const Story& story) {
  const Batch* batch = batch_of(call, story);
  const auto seq = batch != nullptr ? batch->response->seq : seq_of(call, "tool_execution_start");
  return story.tool_at(call.name, seq);
}

std::int64_t abort_during(const Call& call, const Story& story) {
  const Batch* batch = batch_of(call, story);
  if (batch == nullptr) return abort_around(call, story);
  const auto end = seq_of(call, "tool_execution_end");
  const auto limit = end >= 0 ? end : story.run_end_after(batch->response->seq);
  return story.abort_between(batch->response->seq, limit);
}

bool has_failed_operation(const Call& call) {
  if (count(call, "file_op") == 0) return false;
  return std::ranges::any_of(call.events, [&call](const Event* event) {
    const auto* operation = event->as<FileOperation>();
    return operation != nullptr && is_failure(*operation) && !is_mere_lookup(*operation, call);
  });
}

bool is_undisturbed(const Call& call, const Story& story) {
  return abort_during(call, story) < 0 && !has_failed_operation(call);
}

std::vector<std::string> ids_of(const Batch& batch, const Story& story) {
  std::vector<std::string> ids;
  for (const auto* call : calls_of(batch, story)) ids.push_back(call->id);
  return ids;
}

bool is_normal(const Batch& batch) {
  return !batch.has_failed && !batch.is_cut;
}

bool has_sequential_tool(const Batch& batch, const Story& story) {
  return std::ranges::any_of(calls_of(batch, story), [&](const Call* call) {
    const Json* tool = tool_of(*call, story);
    return tool != nullptr && is_declared(*call, story) &&
           view_at(*tool, "executionMode") == "sequential";
  });
}

bool is_host_sequential(const Story& story) {
  return view_at(story.settings(), "execution") == "sequential";
}

bool is_sequential(const Batch& batch, const Story& story) {
  return is_host_sequential(story) || has_sequential_tool(batch, story);
}

bool changes_files(std::string_view op) {
  constexpr std::array<std::string_view, 8> kOps{"write",       "append",   "make_directory",
                                                 "remove",      "rename",   "symlink",
                                                 "change_mode", "hard_link"};
  return std::ranges::find(kOps, op) != kOps.end();
}

std::int64_t whole_number(const Json& value) {
  constexpr double kLimit = 1e15;
  if (!value.is_number()) return 0;
  const auto number = value.get<double>();
  if (std::isnan(number)) return 0;
  return static_cast<std::int64_t>(std::clamp(number, -kLimit, kLimit));
}

bool says_number(std::string_view text, std::int64_t number) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_digit(text[i])) continue;
    std::int64_t found = -1;
    const auto parsed = std::from_chars(text.data() + i, text.data() + text.size(), found);
    if (parsed.ec == std::errc() && found == number) return true;
    i = static_cast<std::size_t>(parsed.ptr - text.data());
  }
  return false;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::vector<std::string> strings_in(const Json& list) {
  std::vector<std::string> strings;
  if (!list.is_array()) return strings;
  for (const auto& one : list) {
    if (one.is_string()) strings.push_back(one.get<std::string>());
  }
  return strings;
}

Json as_json(const std::vector<std::string>& names) {
  Json list = Json::array();
  for (const auto& name : names) list.push_back(name);
  return list;
}

Finding finding(std::string_view message, const Event* event) {
  Finding found;
  found.message = message;
  if (event != nullptr) found.seq = event->seq;
  return found;
}

Complaint differ(std::string_view message, const Json& expected, const Json& actual,
                 const Event* event) {
  if (equal_json(expected, actual)) return std::nullopt;
  Finding found = finding(message, event);
  found.expected = shorten(expected);
  found.actual = shorten(actual);
  return found;
}

Complaint differ(std::string_view message, const SharedJson& expected, const SharedJson& actual,
                 const Event* event) {
  if (expected.same_object(actual)) return std::nullopt;
  return differ(message, expected.get(), actual.get(), event);
}

Complaint require(bool claim, std::string_view message, const Event* event) {
  if (claim) return std::nullopt;
  return finding(message, event);
}

Finding contrast(std::string_view message, std::string expected, std::string actual,
                 const Event* event) {
  Finding found = finding(message, event);
  found.expected = std::move(expected);
  found.actual = std::move(actual);
  return found;
}

Complaint unknowable(const Event& left, const Event& right) {
  Finding found = finding("the order of " + std::string(left.kind()) + " and " +
                              std::string(right.kind()) + " is not certain",
                          &left);
  found.is_unknowable = true;
  return found;
}

Complaint before(const Event* left, const Event* right, const Story& story) {
  if (left == nullptr || right == nullptr) return std::nullopt;
  if (!story.is_order_certain(*left, *right)) return unknowable(*left, *right);
  if (left->seq < right->seq) return std::nullopt;
  Finding found = finding(told(*left) + " comes after " + told(*right), left);
  found.expected = told(*left) + " before " + told(*right);
  found.actual = told(*right) + " first";
  found.related = {right->seq};
  return found;
}

}  // namespace plumb::invariants
