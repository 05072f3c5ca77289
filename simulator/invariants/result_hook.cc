// SPDX-License-Identifier: Apache-2.0
// The chain of tool_result handlers.
#include <algorithm>
#include <array>
#include <set>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/hook_view.h"
#include "simulator/invariants/shown_content.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

constexpr std::array<const char*, 5> kPatchFields{"content", "details", "structuredContent",
                                                  "isError", "usage"};

const Event* end_marker(const Call& call) {
  return first(call, "tool_execution_end");
}

bool is_patch(const HookReturn& returned) {
  return returned.error.empty() && returned.result.get().is_object();
}

/// A field that is given as null counts as given: it takes the old value away.
bool gives(const HookReturn& returned, const char* field) {
  return is_patch(returned) && returned.result.get().contains(field);
}

/// A patch whose content or isError is of no kind that a result can have is none at all.
bool is_well_formed(const HookReturn& returned) {
  const Json& patch = returned.result.get();
  const Json& content = at(patch, "content");
  const bool has_content = content.is_string() || content.is_array();
  return (!gives(returned, "content") || has_content) &&
         (!gives(returned, "isError") || at(patch, "isError").is_boolean());
}

/// HOOK-17: given fields replace, omitted ones stay, new content drops structuredContent.
void apply_patch(Json& result, const HookReturn& returned) {
  if (!is_patch(returned) || !is_well_formed(returned)) return;
  if (gives(returned, "content")) result["structuredContent"] = nullptr;
  for (const char* field : kPatchFields) {
    if (gives(returned, field)) result[field] = at(returned.result.get(), field);
  }
}

/// The fields of a result that handlers can see and change.
Json patchable(const Json& result) {
  Json fields = Json::object();
  for (const char* field : kPatchFields) fields[field] = at(result, field);
  fields["content"] = as_blocks(fields["content"]);
  if (fields["isError"].is_null()) fields["isError"] = false;
  return fields;
}

/// Content may be written as a text; blocks are what is compared.
Json after_patches(const Call& call, std::size_t handlers) {
  const auto calls = hook_calls_of(call, "tool_result");
  const auto returns = returns_of(call, "tool_result");
  Json result = patchable(calls.front()->input.get());
  for (std::size_t i = 0; i < std::min(handlers, returns.size()); ++i) {
    apply_patch(result, *returns[i]);
    result["content"] = as_blocks(result["content"]);
  }
  return result;
}

Json final_result(const Call& call) {
  Json result = patchable(result_of(call));
  result["isError"] = is_error(call);
  return result;
}

bool has_result_chain(const Call& call) {
  return count(call, "tool_result") > 0 && end_of(call) != nullptr;
}

bool has_patch_field(const Call& call, const char* field) {
  return std::ranges::any_of(returns_of(call, "tool_result"),
                             [&](const HookReturn* returned) { return gives(*returned, field); });
}

bool chains_content(const Call& call, const Story&) {
  return has_result_chain(call) && has_patch_field(call, "content");
}

Complaint each_sees_the_latest(const Call& call, const Story&) {
  const auto calls = hook_calls_of(call, "tool_result");
  for (std::size_t i = 1; i < calls.size(); ++i) {
    if (auto stale =
            differ("a handler does not see the latest content", after_patches(call, i)["content"],
                   as_blocks(at(calls[i]->input.get(), "content")), all(call, "tool_result")[i])) {
      return stale;
    }
  }
  return std::nullopt;
}

Complaint result_handlers_follow_registration(const Call& call, const Story& story) {
  return follows_registration(call, "tool_result", story);
}

Complaint content_is_the_latest(const Call& call, const Story& story) {
  const Json expected = after_patches(call, returns_of(call, "tool_result").size())["content"];
  if (auto lost = differ("the end event does not hold the last content", expected,
                         as_blocks(at(result_of(call), "content")), end_marker(call))) {
    return lost;
  }
  const auto* shown = shown_result(call, story);
  if (shown == nullptr) return std::nullopt;
  return differ("the model sees other content than the handlers left", expected,
                shown_content(call, expected, story), next_request_of(call, story)->event);
}

bool is_patched_at_all(const Call& call, const Story&) {
  return has_result_chain(call) && std::ranges::any_of(kPatchFields, [&](const char* field) {
           return has_patch_field(call, field);
         });
}

Complaint fields_are_replaced(const Call& call, const Story&) {
  // The host's own hook comes last and replaces everything (HOOK-24).
  if (cause_of(call) == "after_hook_failed") return std::nullopt;
  return differ("the end event is not the result with the patches applied",
                after_patches(call, returns_of(call, "tool_result").size()), final_result(call),
                end_marker(call));
}

bool tries_to_terminate(const Call& call, const Story&) {
  return has_result_chain(call) && has_patch_field(call, "terminate") &&
         settled_of(call) != nullptr;
}

Complaint terminate_stays(const Call& call, const Story&) {
  const bool executed = at(settled_of(call)->result.get(), "terminate") == true;
  return require(executed == (at(result_of(call), "terminate") == true),
                 "a result handler changed terminate", end_marker(call));
}

// ------------------------------------------------------------------ failing handlers

const HookReturn* failing_handler(const Call& call) {
  for (const auto* returned : returns_of(call, "tool_result")) {
    if (!returned->error.empty()) return returned;
  }
  return nullptr;
}

bool has_failing_handler(const Call& call, const Story&) {
  return has_result_chain(call) && failing_handler(call) != nullptr;
}

Complaint listener_is_told(const Call& call, const Story& story) {
  const auto* failing = failing_handler(call);
  for (const Event* event : story.extension_errors) {
    const auto* error = event->as<ExtensionError>();
    if (error->event == "tool_result" && error->extension == failing->extension)
      return std::nullopt;
  }
  return finding("the error listener does not hear of the failing handler", end_marker(call));
}

/// Those that were registered when the first of them had its turn.
Complaint others_run(const Call& call, const Story& story) {
  return all_had_a_turn(call, "tool_result", seq_of(call, "tool_result"), story);
}

// ------------------------------------------------------------------ isError

/// The last isError that a handler gave, or null.
Json last_flag(const Call& call) {
  Json flag;
  for (const auto* returned : returns_of(call, "tool_result")) {
    if (is_patch(*returned) && at(returned->result.get(), "isError").is_boolean()) {
      flag = at(returned->result.get(), "isError");
    }
  }
  return flag;
}

bool is_turned_into_error(const Call& call, const Story&) {
  return has_result_chain(call) && last_flag(call) == true && settled_of(call) != nullptr &&
         settled_of(call)->outcome == "ok";
}

bool is_turned_into_success(const Call& call, const Story&) {
  return has_result_chain(call) && last_flag(call) == false && settled_of(call) != nullptr &&
         settled_of(call)->outcome != "ok";
}

Complaint flag_counts(const Call& call, const Story& story) {
  const bool expected = last_flag(call).get<bool>();
  if (is_error(call) != expected) {
    return finding("a handler's isError is ignored", end_marker(call));
  }
  const auto* shown = shown_result(call, story);
  if (shown == nullptr || !shown->has_error_flag) return std::nullopt;
  return require(shown->is_error == expected, "the model does not see a handler's isError",
                 next_request_of(call, story)->event);
}

// ------------------------------------------------------------------ when handlers run

/// Handlers were there when the call could have had them, or had a turn.
bool may_have_handlers(const Call& call, const Story& story) {
  const Event* end = first(call, "tool_execution_end");
  if (end == nullptr) return false;
  return count(call, "tool_result") > 0 || !handlers_at("tool_result", end->seq, story).empty();
}

Complaint runs_for_executed_calls_only(const Call& call, const Story& story) {
  const auto number = count(call, "tool_result");
  if (!has_executed(call)) {
    return require(number == 0, "tool_result for a call that was not executed",
                   first(call, "tool_result"));
  }
  if (auto left_out = all_had_a_turn(call, "tool_result", seq_of(call, "execute_end"), story)) {
    return left_out;
  }
  std::set<std::int64_t> seen;
  for (const auto* entered : hook_calls_of(call, "tool_result")) {
    if (!seen.insert(entered->index).second) {
      return finding("tool_result ran twice", last(call, "tool_result"));
    }
  }
  return std::nullopt;
}

bool reports_input(const Call& call, const Story&) {
  return has_executed(call) && count(call, "tool_result") > 0 &&
         !equal_json(begin_of(call)->args.get(), call.raw.get());
}

Complaint input_is_what_ran(const Call& call, const Story&) {
  for (const Event* event : all(call, "tool_result")) {
    if (auto other =
            differ("tool_result shows other arguments than execute got", begin_of(call)->args.get(),
                   at(event->as<HookCall>()->input.get(), "input"), event)) {
      return other;
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<Rule> result_hook_rules() {
  return {
      rule("HOOK-16",
           "tool_result handlers run in load and registration order, each sees the latest content, "
           "and the last one is what the model sees; triggered by a patch of content")
          .for_each_call()
          .among({"tool_result"})
          .when(chains_content)
          .expect(result_handlers_follow_registration)
          .expect(each_sees_the_latest)
          .expect(content_is_the_latest),
      rule("HOOK-17",
           "the end event is the first handler's input with the given fields replaced as a whole; "
           "new content alone drops structuredContent")
          .for_each_call()
          .among({"tool_result"})
          .when(is_patched_at_all)
          .expect(fields_are_replaced),
      rule("HOOK-18", "a patch of terminate changes nothing")
          .for_each_call()
          .among({"tool_result"})
          .when(tries_to_terminate)
          .expect(terminate_stays),
      rule(
          "HOOK-19",
          "a throwing tool_result handler: extension_error, the other registered handlers run, the "
          "result stays as it was")
          .for_each_call()
          .among({"tool_result"})
          .when(has_failing_handler)
          .expect(listener_is_told)
          .expect(others_run)
          .expect(fields_are_replaced),
      rule("HOOK-20", "a handler's isError true makes a good result an error")
          .for_each_call()
          .among({"tool_result"})
          .when(is_turned_into_error)
          .expect(flag_counts),
      rule("HOOK-21", "a handler's isError false makes a failed result a success")
          .for_each_call()
          .among({"tool_result"})
          .when(is_turned_into_success)
          .expect(flag_counts),
      rule("HOOK-22",
           "the tool_result handlers that are registered when a call has executed run once for it, "
           "and none runs for another call; triggered by such a handler")
          .for_each_call()
          .when(may_have_handlers)
          .expect(runs_for_executed_calls_only),
      rule("HOOK-23",
           "tool_result shows the arguments that execute got; triggered when they are not the raw "
           "ones")
          .for_each_call()
          .among({"tool_result"})
          .when(reports_input)
          .expect(input_is_what_ran),
  };
}

}  // namespace plumb::invariants
