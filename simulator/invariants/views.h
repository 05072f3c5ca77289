// SPDX-License-Identifier: Apache-2.0
// Questions that many rules ask about a call, a batch or a JSON value, and the wording of findings.
#pragma once

#include <cstdint>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include "engine/values/json_members.h"
#include "simulator/invariants/event_name.h"
#include "simulator/invariants/finding.h"
#include "simulator/invariants/story.h"

namespace plumb::invariants {

/// Whether a name of a rule's sentence means this event.
bool is_named(const Event& event, EventName name);

// ------------------------------------------------------------------ a call

inline const Event* first(const Call& call, EventName name) {
  return call.events.first(name);
}
inline const Event* last(const Call& call, EventName name) {
  return call.events.last(name);
}
inline std::int64_t count(const Call& call, EventName name) {
  return call.events.count(name);
}
std::vector<const Event*> all(const Call& call, EventName name);
/// Seq of the first such event, or -1.
std::int64_t seq_of(const Call& call, EventName name);

const ToolExecutionStart* start_of(const Call& call);
const ToolExecutionEnd* end_of(const Call& call);
const ExecuteBegin* begin_of(const Call& call);
const ExecuteEnd* settled_of(const Call& call);
/// The cause that call_outcome names, or "".
std::string_view cause_of(const Call& call);
bool has_executed(const Call& call);
bool is_error(const Call& call);
/// No handler spoke on the result, so that text and error are what the tool gave.
bool has_own_result(const Call& call);
/// The tool itself failed, whatever handlers made of it.
bool has_failed(const Call& call);
/// Some of the call ran: it has a start event.
bool has_started(const Call& call);
/// It is a model's call, not one that a tool made.
bool is_top_level(const Call& call);
/// The end event's result, or null.
const Json& result_of(const Call& call);
/// The text of the end event's result.
std::string result_text(const Call& call);
/// Returns of the call's handlers of one event, in order.
std::vector<const HookReturn*> returns_of(const Call& call, std::string_view event);
std::vector<const HookCall*> hook_calls_of(const Call& call, std::string_view event);
/// The return that blocked the call or threw, or null.
const HookReturn* stopper_of(const Call& call);
bool is_block(const HookReturn& returned);
/// The argument object after the last tool_call handler, or null if none ran.
const Json* input_after_hooks(const Call& call);
/// The argument object that the first tool_call handler, or else execute, was given; or null.
const Json* validated_input(const Call& call);

/// The call that an event belongs to, or null: ids may be used again in a later turn.
const Call* call_of(const Event& event, const Story& story);
/// The newest call of an id that was known before `seq`, or null.
const Call* call_before(std::string_view id, std::int64_t seq, const Story& story);
inline const Batch* batch_of(const Call& call, const Story& story) {
  if (call.batch < 0) return nullptr;
  return &story.batches[static_cast<std::size_t>(call.batch)];
}
/// The request that the call's answer replied to, or null.
inline const Request* request_of(const Call& call, const Story& story) {
  const Batch* batch = batch_of(call, story);
  if (batch == nullptr || batch->request < 0) return nullptr;
  return &story.requests[static_cast<std::size_t>(batch->request)];
}
/// The request after the call's batch, or null.
inline const Request* next_request_of(const Call& call, const Story& story) {
  const Batch* batch = batch_of(call, story);
  if (batch == nullptr || batch->next_request < 0) return nullptr;
  return &story.requests[static_cast<std::size_t>(batch->next_request)];
}
/// Somebody else asks for a further request: a message that was queued comes before it, or a
/// handler of the turn's end or of the settlement answered that it goes on.
bool is_asked_for(const Request& request, const Event& response, const Story& story);
/// The call's result as the next request shows it; null without one, and null if a handler of the
/// messages had the right to change it (see is_rewritten).
const ShownResult* shown_result(const Call& call, const Story& story);
/// Calls of assistant messages among the new blocks.
std::vector<ShownCall> answered_in(const Request& request);
/// A context handler answered with other messages for this request (EVENT-22).
bool is_rewritten(const Request& request, const Story& story);
/// A message_end handler replaced the call's message (EVENT-25), or a context handler its result in
/// the next request (EVENT-22).
bool is_rewritten(const Call& call, const Story& story);
/// Whether the model was told of a tool by the call's name. False for calls without a request.
bool is_declared(const Call& call, const Story& story);
/// The registry's entry for the call's tool when the model was answered, or null.
const Json* tool_of(const Call& call, const Story& story);
/// An abort came after the answer with the call (or with the one around it) and before the call's
/// end (or the end of its run), or -1.
std::int64_t abort_during(const Call& call, const Story& story);
/// The call whose tool made this one, or null.
const Call* call_around(const Call& call, const Story& story);
/// abort_during of a call within a call.
std::int64_t abort_around(const Call& call, const Story& story);
/// One of its file operations failed, other than by a look-up that finds nothing and goes on
/// elsewhere: for the key of a new file (QUEUE-09), or for another spelling of a path to read.
bool has_failed_operation(const Call& call);
/// Neither an abort nor a failing file operation cut the call short.
bool is_undisturbed(const Call& call, const Story& story);

// ------------------------------------------------------------------ a batch

/// In source order.
inline auto calls_of(const Batch& batch, const Story& story) {
  return batch.calls |
         std::views::transform([&story](std::size_t place) { return &story.calls[place]; });
}
std::vector<std::string> ids_of(const Batch& batch, const Story& story);
/// The answer ended normally, so its calls are processed.
bool is_normal(const Batch& batch);
/// Any call's tool is marked sequential in the registry of the turn.
bool has_sequential_tool(const Batch& batch, const Story& story);
/// The host's setting makes all batches sequential.
bool is_host_sequential(const Story& story);
bool is_sequential(const Batch& batch, const Story& story);

// ------------------------------------------------------------------ files

/// Whether a file operation of this name changes anything.
bool changes_files(std::string_view op);

/// What final_files says of a path at the end, and at the start of the run; null if absent. A path
/// may be absolute or relative to the workspace.
const Json* final_file(std::string_view path, const Story& story);
const Json* first_file(std::string_view path, const Story& story);
/// The listing's name for a path, so that two spellings of it are one.
std::string file_key(std::string_view path, const Story& story);
/// The same, behind the links that the listings show: for traces that tell of no file operations.
std::string linked_key(std::string_view path, const Story& story);

// ------------------------------------------------------------------ the host

/// A setting of the host as its start step tells it; null if it tells none.
inline const Json& setting(std::string_view name, const Story& story) {
  return at(story.settings(), name);
}

// ------------------------------------------------------------------ values

/// A number as an integer: the fraction cut off, held within +-10^15. 0 for anything else.
std::int64_t whole_number(const Json& value);
/// Whether a text has the number as a word of its own.
bool says_number(std::string_view text, std::int64_t number);
bool contains(const std::vector<std::string>& names, std::string_view name);
/// The strings of a list.
std::vector<std::string> strings_in(const Json& list);
Json as_json(const std::vector<std::string>& names);

// ------------------------------------------------------------------ findings

Finding finding(std::string_view message, const Event* event);
/// Nothing if equal (member order aside); else what was expected and what there was, cut short.
Complaint differ(std::string_view message, const Json& expected, const Json& actual,
                 const Event* event);
/// As above; what is one object needs no look into it.
Complaint differ(std::string_view message, const SharedJson& expected, const SharedJson& actual,
                 const Event* event);
/// What was expected and what there was, in words.
Finding contrast(std::string_view message, std::string expected, std::string actual,
                 const Event* event);
/// Nothing if the claim holds.
Complaint require(bool claim, std::string_view message, const Event* event);
Complaint unknowable(const Event& left, const Event& right);
/// Requires that `left` comes before `right`, if both exist.
Complaint before(const Event* left, const Event* right, const Story& story);

}  // namespace plumb::invariants
