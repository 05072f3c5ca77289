// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/evidence.h"
#include "simulator/invariants/registry_view.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

const ActiveSet& set_of(const Event& event) {
  return *event.as<ActiveSet>();
}

/// setActiveTools, by whoever: not the start, not a registration.
bool is_set_call(const Event& event) {
  const auto& by = set_of(event).by;
  return by != "start" && by != "registration" && by != "host";
}

std::vector<std::string> known_names(const Event& event, const Story& story) {
  const auto* registry = story.registry_at(event.seq);
  return registry == nullptr ? std::vector<std::string>() : names_in(registry->tools.get());
}

std::vector<std::string> sorted(std::vector<std::string> names) {
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return names;
}

/// The requested names that exist and may be shown.
std::vector<std::string> selectable(const Event& event, const Story& story) {
  auto names = set_of(event).requested;
  std::erase_if(names, [&](const auto& name) {
    const Json* tool = story.tool_at(name, event.seq);
    return tool == nullptr || view_at(*tool, "exposure") == "hidden";
  });
  return sorted(names);
}

bool starts_active(const Json& tool) {
  const auto exposure = text_at(tool, "exposure");
  const bool is_declarable = exposure.empty() || exposure == "direct" || exposure == "model-only";
  return is_declarable && at(tool, "defaultActive") != false;
}

/// A list of +name and -name changes the defaults (REG-15).
bool holds_modifiers(const Json& list) {
  const auto names = strings_in(list);
  return std::ranges::any_of(
      names, [](const auto& name) { return name.starts_with('+') || name.starts_with('-'); });
}

bool has_host_selection(const Story& story) {
  const Json& tools = at(story.host(), "tools");
  return !at(tools, "active").is_null() || holds_modifiers(at(tools, "allow"));
}

bool was_set_before(const Story& story, std::int64_t seq) {
  return std::ranges::any_of(story.active_sets,
                             [&](const Event* e) { return e->seq < seq && is_set_call(*e); });
}

std::vector<std::string> extension_tools_at(const Request& request, const Story& story) {
  std::vector<std::string> names;
  const auto* registry = story.registry_at(request.event->seq);
  if (registry == nullptr) return names;
  for (const auto& tool : registry->tools.get()) {
    if (view_at(tool, "level") == "extension" && starts_active(tool)) {
      names.push_back(text_at(tool, "name"));
    }
  }
  return names;
}

/// The first request of the trace, with tools of extensions that nobody switched.
bool is_untouched_start(const Request& request, const Story& story) {
  if (&request != &story.requests.front() || has_host_selection(story)) return false;
  if (was_set_before(story, request.event->seq)) return false;
  return !extension_tools_at(request, story).empty();
}

Complaint declares_extension_tools_at_start(const Request& request, const Story& story) {
  for (const auto& name : extension_tools_at(request, story)) {
    if (!contains(request.declared, name)) {
      return finding("the first request lacks the extension tool " + name, request.event);
    }
  }
  return std::nullopt;
}

// ------------------------------------------------------------------ registered at run time

/// The first request after an event, or null.
const Request* request_after(std::int64_t seq, const Story& story) {
  const auto found = std::ranges::upper_bound(
      story.requests, seq, {}, [](const Request& request) { return request.event->seq; });
  return found == story.requests.end() ? nullptr : &*found;
}

std::vector<std::string> new_tools(const Event& event, const Story& story) {
  std::vector<std::string> names;
  if (story.requests.empty() || event.seq < story.requests.front().event->seq) return names;
  const auto* earlier = story.registry_at(event.seq - 1);
  if (earlier == nullptr || has_host_selection(story)) return names;
  for (const auto& tool : event.as<RegistryRefresh>()->tools.get()) {
    const auto name = text_at(tool, "name");
    const bool is_new = find_entry(earlier->tools.get(), name) == nullptr;
    if (is_new && starts_active(tool)) names.push_back(name);
  }
  return names;
}

bool registers_late(const Event& event, const Story& story) {
  return !new_tools(event, story).empty() && request_after(event.seq, story) != nullptr;
}

bool is_set_between(const Story& story, std::int64_t from, std::int64_t to) {
  return std::ranges::any_of(story.active_sets, [&](const Event* e) {
    return e->seq > from && e->seq < to && is_set_call(*e);
  });
}

Complaint next_request_declares(const Event& event, const Story& story) {
  const Request* request = request_after(event.seq, story);
  if (is_set_between(story, event.seq, request->event->seq)) return std::nullopt;
  for (const auto& name : new_tools(event, story)) {
    if (contains(request->declared, name)) continue;
    return finding("the request after the registration lacks " + name, request->event);
  }
  return std::nullopt;
}

// ------------------------------------------------------------------ setActiveTools

std::vector<std::string> unknown_names(const Event& event, const Story& story) {
  const auto known = known_names(event, story);
  auto names = set_of(event).requested;
  std::erase_if(names, [&](const auto& name) { return contains(known, name); });
  return names;
}

bool names_unknown(const Event& event, const Story& story) {
  return is_set_call(event) && !unknown_names(event, story).empty();
}

/// Whether a text has the name as a word of its own.
bool says_name(std::string_view text, std::string_view name) {
  const auto is_part = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  for (auto at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const auto end = at + name.size();
    const bool starts = at == 0 || !is_part(text[at - 1]);
    if (starts && (end == text.size() || !is_part(text[end]))) return true;
  }
  return false;
}

/// Whether an error or a diagnostic is about the name: but for those of a registration, nothing in
/// a run has a reason to name a tool that does not exist.
bool complains(const Event& event, const std::string& name) {
  if (const auto* error = event.as<ExtensionError>()) return says_name(error->error, name);
  const auto* diagnostic = event.as<Diagnostic>();
  const bool is_of_registration = diagnostic->code == "tool_conflict" ||
                                  diagnostic->code == "tool_takeover" ||
                                  diagnostic->code == "invalid_tool";
  return !is_of_registration && (diagnostic->tool == name || says_name(diagnostic->message, name));
}

Complaint unknown_is_dropped(const Event& event, const Story& story) {
  if (auto odd =
          differ("active set after a request with unknown names", as_json(selectable(event, story)),
                 as_json(sorted(set_of(event).after)), &event)) {
    return odd;
  }
  const auto unknown = unknown_names(event, story);
  const auto reports_it = [&](const Event* error) {
    return std::ranges::any_of(unknown, [&](const auto& name) { return complains(*error, name); });
  };
  for (const auto* list : {&story.extension_errors, &story.diagnostics}) {
    const auto report = std::ranges::find_if(*list, reports_it);
    if (report != list->end()) return finding("an unknown name was reported", *report);
  }
  return std::nullopt;
}

bool leaves_some_out(const Event& event, const Story& story) {
  return is_set_call(event) && story.registry_at(event.seq) != nullptr &&
         std::ranges::any_of(set_of(event).before, [&](const auto& name) {
           return !contains(set_of(event).requested, name);
         });
}

Complaint set_is_replaced(const Event& event, const Story& story) {
  return differ("active set after setActiveTools", as_json(selectable(event, story)),
                as_json(sorted(set_of(event).after)), &event);
}

bool hands_back_all_but_one(const Event& event, const Story& story) {
  const auto& set = set_of(event);
  auto given = set.requested;
  std::erase_if(given, [&](const auto& name) { return contains(set.before, name); });
  return is_set_call(event) && given.empty() && set.requested.size() + 1 == set.before.size() &&
         known_names(event, story).size() > set.before.size();
}

bool requests_in_other_order(const Event& event, const Story& story) {
  const auto& set = set_of(event);
  return is_set_call(event) && story.registry_at(event.seq) != nullptr &&
         (set.requested != sorted(set.requested) || set.requested != set.after);
}

/// ACTIVE-12: names that stay keep their order, new ones follow as given, each once.
Complaint order_is_stable(const Event& event, const Story& story) {
  const auto wanted = selectable(event, story);
  const auto& set = set_of(event);
  std::vector<std::string> expected;
  for (const auto* list : {&set.before, &set.requested}) {
    for (const auto& name : *list) {
      if (contains(wanted, name) && !contains(expected, name)) expected.push_back(name);
    }
  }
  return differ("order of the active set", as_json(expected), as_json(set.after), &event);
}

// ------------------------------------------------------------------ requests

/// The set changed in this run after the request before.
bool follows_a_change(const Request& request, const Story& story) {
  if (request.previous < 0) return false;
  const auto from = story.requests[static_cast<std::size_t>(request.previous)].event->seq;
  if (story.run_end_after(from) < request.event->seq) return false;
  return std::ranges::any_of(story.active_sets, [&](const Event* event) {
    return event->seq > from && event->seq < request.event->seq &&
           sorted(set_of(*event).before) != sorted(set_of(*event).after);
  });
}

Complaint declares_the_active_set(const Request& request, const Story& story) {
  return differ("the request declares another set than the active one",
                as_json(sorted(story.active_at(request.event->seq)->after)),
                as_json(sorted(request.declared)), request.event);
}

bool is_host_start(const Request& request, const Story& story) {
  const Json& chosen = at(at(story.host(), "tools"), "active");
  return &request == &story.requests.front() && !chosen.is_null() && !holds_modifiers(chosen) &&
         !was_set_before(story, request.event->seq) &&
         story.registry_at(request.event->seq) != nullptr;
}

Complaint builtins_are_the_hosts(const Request& request, const Story& story) {
  const auto chosen = strings_in(at(at(story.host(), "tools"), "active"));
  for (const auto& tool : story.registry_at(request.event->seq)->tools.get()) {
    const auto name = text_at(tool, "name");
    if (view_at(tool, "level") != "builtin") continue;
    if (contains(chosen, name) != contains(request.declared, name)) {
      return finding("the host's choice does not decide about " + name, request.event);
    }
  }
  return std::nullopt;
}

// ------------------------------------------------------------------ calls

/// A declared tool left the active set after the answer and before its call ran.
bool was_disabled_meanwhile(const Call& call, const Story& story) {
  const Batch* batch = batch_of(call, story);
  if (batch == nullptr || !is_declared(call, story) || abort_during(call, story) >= 0) return false;
  if (batch->stop_reason == "length") return false;
  const auto end = seq_of(call, "tool_execution_end");
  const auto begun = seq_of(call, "execute_begin");
  const auto limit = begun >= 0 ? begun : end;
  return std::ranges::any_of(story.active_sets, [&](const Event* event) {
    return event->seq > batch->response->seq && event->seq < limit &&
           !contains(set_of(*event).after, call.name);
  });
}

Complaint runs_nevertheless(const Call& call, const Story&) {
  const auto cause = cause_of(call);
  const bool was_refused = cause == "invalid_arguments" || cause == "prepare_failed";
  if (stopper_of(call) != nullptr || was_refused) return std::nullopt;
  return require(has_executed(call), "a call of this turn was recalled",
                 first(call, "tool_execution_end"));
}

/// Registered, but not declared in this turn: switched off, or switched on too late.
bool is_inactive(const Call& call, const Story& story) {
  const Batch* batch = batch_of(call, story);
  return batch != nullptr && is_normal(*batch) && batch->stop_reason != "length" &&
         request_of(call, story) != nullptr && !is_declared(call, story) &&
         tool_of(call, story) != nullptr && abort_during(call, story) < 0;
}

bool came_too_late(const Call& call, const Story& story) {
  const Batch* batch = batch_of(call, story);
  const auto begun = seq_of(call, "tool_execution_start");
  if (batch == nullptr || begun < 0 || !is_normal(*batch) || is_declared(call, story)) return false;
  const auto* active = story.active_at(seq_of(call, "tool_execution_end"));
  return active != nullptr && contains(active->after, call.name);
}

Complaint is_unknown_tool(const Call& call, const Story& story) {
  const Event* end = first(call, "tool_execution_end");
  if (!is_error(call)) return finding("a call of an inactive tool is no error", end);
  if (!shows_kind(story, "call_outcome")) return std::nullopt;
  return differ("cause of call " + call.id, Json("unknown_tool"), cause_of(call), end);
}

std::vector<Rule> active_call_rules() {
  return {
      rule(
          "ACTIVE-09",
          "a call of a tool that was switched off after the answer still runs, as far as its gates "
          "let it")
          .for_each_call()
          .when(was_disabled_meanwhile)
          .expect(runs_nevertheless),
      rule("ACTIVE-10",
           "a call of a registered tool that the request did not declare: unknown_tool, no hook, "
           "no execute")
          .for_each_call()
          .when(is_inactive)
          .none("tool_call")
          .none("execute_begin")
          .expect(is_unknown_tool),
      rule("ACTIVE-11", "a tool that became active during the batch is unknown in it")
          .for_each_call()
          .when(came_too_late)
          .none("execute_begin")
          .expect(is_unknown_tool),
  };
}

std::vector<Rule> set_rules() {
  return {
      rule("ACTIVE-05",
           "setActiveTools keeps the names that exist and drops others without an error; triggered "
           "by an unknown name")
          .for_each("active_set")
          .when(names_unknown)
          .expect(unknown_is_dropped),
      rule("ACTIVE-06",
           "after setActiveTools exactly the requested names are active; triggered when one that "
           "was active is left out")
          .for_each("active_set")
          .when(leaves_some_out)
          .expect(set_is_replaced),
      rule("ACTIVE-12", "names that stay active keep their order, new ones follow, none twice")
          .for_each("active_set")
          .when(requests_in_other_order)
          .expect(order_is_stable),
      rule("ACTIVE-18",
           "handing back the active names but one switches off that one alone; triggered with an "
           "inactive tool in the registry")
          .for_each("active_set")
          .when(hands_back_all_but_one)
          .expect(set_is_replaced),
  };
}

}  // namespace

std::vector<Rule> active_rules() {
  std::vector<Rule> rules{
      rule("ACTIVE-01",
           "the first request declares every registered extension tool that activates itself; not "
           "triggered with a host's selection or after setActiveTools")
          .for_each_request()
          .when(is_untouched_start)
          .expect(declares_extension_tools_at_start),
      rule("ACTIVE-03",
           "a tool new in a refresh after the first request is declared in the next one, unless "
           "setActiveTools came between")
          .for_each("registry_refresh")
          .when(registers_late)
          .expect(next_request_declares),
      rule("ACTIVE-08",
           "a request after a change of the active set in the same run declares the new set")
          .for_each_request()
          .when(follows_a_change)
          .expect(declares_the_active_set),
      rule("ACTIVE-14",
           "of the built-ins the first request declares those that the host's start step names as "
           "tools.active")
          .for_each_request()
          .when(is_host_start)
          .expect(builtins_are_the_hosts),
  };
  for (auto& rule : set_rules()) rules.push_back(std::move(rule));
  for (auto& rule : active_call_rules()) rules.push_back(std::move(rule));
  return rules;
}

}  // namespace plumb::invariants
