// SPDX-License-Identifier: Apache-2.0
// What the host and the handlers of a run choose, and what the conversation says of it.
#include <algorithm>
#include <span>
#include <utility>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/registry_view.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

using Names = std::vector<std::string>;

Names in_order(Names names) {
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return names;
}

Names less(Names names, const Names& others) {
  std::erase_if(names, [&](const auto& name) { return contains(others, name); });
  return names;
}

/// Built-ins that are active unless somebody says otherwise (ACTIVE-02).
const Names& default_names() {
  static const Names kNames{"read", "bash", "edit", "write"};
  return kNames;
}

Names host_list(const Story& story, const char* list) {
  return strings_in(at(at(story.host(), "tools"), list));
}

bool has_host_list(const Story& story, const char* list) {
  return at(at(story.host(), "tools"), list).is_array();
}

bool is_start(const Event& event) {
  return event.as<ActiveSet>()->by == "start";
}

bool is_for_models(const Json& tool) {
  const auto exposure = text_at(tool, "exposure");
  return exposure.empty() || exposure == "direct" || exposure == "model-only";
}

/// Names of the registry at an event that a condition accepts.
Names names_where(const Event& event, const Story& story, bool (*accepts)(const Json&)) {
  Names names;
  const auto* registry = story.registry_at(event.seq);
  if (registry == nullptr) return names;
  for (const auto& tool : registry->tools.get()) {
    if (accepts(tool)) names.push_back(text_at(tool, "name"));
  }
  return names;
}

bool comes_with_the_engine(const Json& tool) {
  return view_at(tool, "level") == "builtin";
}

// ------------------------------------------------------------------ the start

bool starts_with_defaults(const Event& event, const Story& story) {
  return is_start(event) && !has_host_list(story, "active") && !has_host_list(story, "allow") &&
         !names_where(event, story, comes_with_the_engine).empty();
}

Complaint defaults_are_active(const Event& event, const Story& story) {
  for (const auto& name : names_where(event, story, comes_with_the_engine)) {
    const bool is_active = contains(event.as<ActiveSet>()->after, name);
    if (is_active == contains(default_names(), name)) continue;
    return finding(
        "the built-in " + name + (is_active ? " is active" : " is inactive") + " at the start",
        &event);
  }
  return std::nullopt;
}

bool starts_without_builtins(const Event& event, const Story& story) {
  return is_start(event) && has_host_list(story, "active") && host_list(story, "active").empty() &&
         story.registry_at(event.seq) != nullptr;
}

Complaint builtins_stay_registered(const Event& event, const Story& story) {
  for (const auto& candidate : candidates_in(*story.registry_at(event.seq))) {
    if (candidate.level != "builtin" || is_filtered(candidate.name, story)) continue;
    const Json* tool = story.tool_at(candidate.name, event.seq);
    if (tool == nullptr) {
      return finding("the built-in " + candidate.name + " is not registered", &event);
    }
    if (comes_with_the_engine(*tool) && contains(event.as<ActiveSet>()->after, candidate.name)) {
      return finding("the built-in " + candidate.name + " is active at the start", &event);
    }
  }
  return require(!names_where(event, story, comes_with_the_engine).empty(),
                 "no built-in is registered", &event);
}

bool is_modifier_list(const Names& names) {
  return !names.empty() && std::ranges::all_of(names, [](const auto& name) {
    return name.starts_with('+') || name.starts_with('-');
  });
}

Names modifiers_of(const Story& story) {
  for (const char* list : {"active", "allow"}) {
    if (is_modifier_list(host_list(story, list))) return host_list(story, list);
  }
  return {};
}

bool starts_with_modifiers(const Event& event, const Story& story) {
  return is_start(event) && !modifiers_of(story).empty() && story.registry_at(event.seq) != nullptr;
}

bool starts_by_itself(const Json& tool) {
  if (comes_with_the_engine(tool)) return contains(default_names(), text_at(tool, "name"));
  return is_for_models(tool) && at(tool, "defaultActive") != false;
}

Complaint modifiers_change_the_defaults(const Event& event, const Story& story) {
  Names expected = names_where(event, story, starts_by_itself);
  for (const auto& modifier : modifiers_of(story)) {
    const auto name = modifier.substr(1);
    std::erase(expected, name);
    const Json* tool = story.tool_at(name, event.seq);
    if (modifier.front() == '+' && tool != nullptr) expected.push_back(name);
  }
  return differ("the active set at the start", as_json(in_order(expected)),
                as_json(in_order(event.as<ActiveSet>()->after)), &event);
}

Complaint modifiers_filter_nothing(const Event& event, const Story& story) {
  for (const auto& candidate : candidates_in(*story.registry_at(event.seq))) {
    if (is_filtered(candidate.name, story)) continue;
    if (story.tool_at(candidate.name, event.seq) != nullptr) continue;
    return finding("modifiers filtered " + candidate.name, &event);
  }
  return std::nullopt;
}

// ------------------------------------------------------------------ the allow list

bool activates_by_allow_list(const Event& event, const Story& story) {
  const auto& by = event.as<ActiveSet>()->by;
  if (by != "start" && by != "registration") return false;
  if (!filters_of(story).allow || has_host_list(story, "active")) return false;
  const auto names = names_where(event, story, is_for_models);
  return std::ranges::any_of(
      names, [&](const auto& name) { return !starts_by_itself(*story.tool_at(name, event.seq)); });
}

Complaint allowed_are_active(const Event& event, const Story& story) {
  const auto missing = less(names_where(event, story, is_for_models), event.as<ActiveSet>()->after);
  return require(
      missing.empty(),
      "the allowed " + (missing.empty() ? std::string() : missing.front()) + " is not active",
      &event);
}

// ------------------------------------------------------------------ announcements

const Request* former(const Request& request, const Story& story) {
  if (request.previous < 0) return nullptr;
  return &story.requests[static_cast<std::size_t>(request.previous)];
}

std::string name_in(const Json& entry) {
  return entry.is_string() ? entry.get<std::string>() : text_at(entry, "name");
}

struct Announcement {
  std::int64_t count = 0;
  Names added;
  Names removed;
  bool is_before_results = false;
};

/// Counts a message that announces a change of the tools.
void see_announcement(const Json& body, Announcement& all) {
  const auto role = view_at(body, "role");
  if (role == kToolResultRole && all.count > 0) all.is_before_results = true;
  const bool is_one =
      role == "system" && (body.contains("toolsAdded") || body.contains("toolsRemoved"));
  if (!is_one) return;
  ++all.count;
  for (const auto& one : at(body, "toolsAdded")) all.added.push_back(name_in(one));
  for (const auto& one : at(body, "toolsRemoved")) all.removed.push_back(name_in(one));
}

/// The n-th answer and the messages up to the next one; for 0 those before all answers.
std::span<const Event* const> messages_of_answer(std::int64_t n, const Story& story) {
  const std::span<const Event* const> messages = story.messages;
  const auto& answers = story.answers;
  const auto place = [&](std::int64_t answer) {
    if (answer == 0) return std::size_t{0};
    const auto index = static_cast<std::size_t>(answer - 1);
    return index < answers.size() ? answers[index] : messages.size();
  };
  if (n < 0) return {};
  return messages.subspan(place(n), place(n + 1) - place(n));
}

/// In the request itself or, where the dialect has no place for it there, in the transcript between
/// the answer before and the one to this request.
Announcement announced_in(const Request& request, const Story& story) {
  Announcement all;
  for (const auto& message : request.fresh) see_announcement(message.get(), all);
  if (all.count > 0 || request.previous < 0) return all;
  all = Announcement();
  for (const Event* event : messages_of_answer(request.request->n - 1, story)) {
    see_announcement(event->as<MessageEnd>()->message.get(), all);
  }
  return all;
}

/// A later request whose messages nobody rewrote.
bool can_announce(const Request& request, const Story& story) {
  const Request* previous = former(request, story);
  if (previous == nullptr || request.message_break) return false;
  const bool has_changed = previous->declared != request.declared &&
                           in_order(previous->declared) != in_order(request.declared);
  return has_changed || announced_in(request, story).count > 0;
}

/// Definitions that stay declared and changed.
Names redefined(const Request& request, const Request& previous, const Story& story) {
  Names names;
  for (const auto& name : request.declared) {
    const Json* now = story.tool_at(name, request.event->seq);
    const Json* then = story.tool_at(name, previous.event->seq);
    const bool is_kept = contains(previous.declared, name) && now != nullptr && then != nullptr;
    if (is_kept && now->dump() != then->dump()) names.push_back(name);
  }
  return names;
}

Complaint delta_is_the_difference(const Request& request, const Story& story) {
  const Request& previous = *former(request, story);
  const auto said = announced_in(request, story);
  if (said.count != 1) {
    return finding("a change of the tools has " + std::to_string(said.count) + " announcements",
                   request.event);
  }
  // One that has another definition may be announced as gone and come.
  const auto added = less(said.added, redefined(request, previous, story));
  const auto removed = less(said.removed, redefined(request, previous, story));
  if (auto odd = differ("the tools that are announced as added",
                        as_json(in_order(less(request.declared, previous.declared))),
                        as_json(in_order(added)), request.event)) {
    return odd;
  }
  if (auto odd = differ("the tools that are announced as removed",
                        as_json(in_order(less(previous.declared, request.declared))),
                        as_json(in_order(removed)), request.event)) {
    return odd;
  }
  const bool says_something = !said.added.empty() || !said.removed.empty();
  if (!says_something) return finding("an announcement says nothing", request.event);
  return require(!said.is_before_results, "an announcement stands before the results",
                 request.event);
}

// ------------------------------------------------------------------ one run's selection

/// The first request after a prompt whose handlers edited the selection, and what they left.
std::optional<Names> edited_selection(const Request& request, const Story& story) {
  const Event* prompt = nullptr;
  for (const Event* event : story.prompts) {
    if (event->seq < request.event->seq) prompt = event;
  }
  const Request* previous = former(request, story);
  if (prompt == nullptr || (previous != nullptr && previous->event->seq > prompt->seq)) {
    return std::nullopt;
  }
  std::optional<Json> offered;
  Json left;
  for (const Event* event : story.hooks) {
    if (event->seq < prompt->seq || event->seq > request.event->seq) continue;
    const auto* asked = event->as<HookCall>();
    if (asked != nullptr && asked->event == "before_agent_start" && !offered) {
      offered = at(at(asked->input.get(), "systemPromptOptions"), "selectedTools");
    }
    const auto* returned = event->as<HookReturn>();
    if (returned == nullptr || returned->event != "before_agent_start") continue;
    left = at(returned->input_after.get(), "selectedTools");
  }
  if (!offered || !left.is_array() || left == *offered) return std::nullopt;
  return strings_in(left);
}

bool is_selected_by_handler(const Request& request, const Story& story) {
  return edited_selection(request, story).has_value();
}

Complaint selection_is_declared(const Request& request, const Story& story) {
  Names expected = *edited_selection(request, story);
  // What the registry does not have or hides cannot be declared; without one all of it can.
  const bool is_registry_known = story.registry_at(request.event->seq) != nullptr;
  std::erase_if(expected, [&](const auto& name) {
    const Json* tool = story.tool_at(name, request.event->seq);
    return is_registry_known && (tool == nullptr || view_at(*tool, "exposure") == "hidden");
  });
  return differ("the tools that the run declares", as_json(in_order(expected)),
                as_json(in_order(request.declared)), request.event);
}

/// Calls that answer this request find what was selected, and nothing else.
Complaint selection_is_callable(const Request& request, const Story& story) {
  const auto selected = *edited_selection(request, story);
  for (const auto& call : story.calls) {
    if (request_of(call, story) != &request || end_of(call) == nullptr) continue;
    const bool is_unknown = cause_of(call) == "unknown_tool";
    if (is_unknown != contains(selected, call.name)) continue;
    return finding("a call of " + call.name + " does not follow the selection of the run",
                   first(call, "tool_execution_end"));
  }
  return std::nullopt;
}

std::vector<Rule> start_rules() {
  return {
      rule("ACTIVE-02",
           "without lists of the host the built-ins read, bash, edit and write are active at the "
           "start, the others registered and inactive")
          .for_each("active_set")
          .when(starts_with_defaults)
          .expect(defaults_are_active),
      rule("ACTIVE-15",
           "with an empty tools.active of the host (step start) the built-ins are registered and "
           "none of them is active at the start")
          .for_each("active_set")
          .when(starts_without_builtins)
          .expect(builtins_stay_registered),
      rule("REG-15",
           "a list of the host with +name and -name alone changes the active set of the start in "
           "its order and filters nothing")
          .for_each("active_set")
          .when(starts_with_modifiers)
          .expect(modifiers_change_the_defaults)
          .expect(modifiers_filter_nothing),
      rule("REG-16",
           "with an allow list every registered tool for models is active after a refresh; "
           "triggered by one that would not be by itself")
          .for_each("active_set")
          .when(activates_by_allow_list)
          .expect(allowed_are_active),
  };
}

}  // namespace

std::vector<Rule> selection_rules() {
  auto rules = start_rules();
  const std::vector<Rule> others{
      rule("ACTIVE-16",
           "a request that declares other tools than the one before has one system message, after "
           "the results, with what was added and removed; without a difference there is none")
          .for_each_request()
          .when(can_announce)
          .expect(delta_is_the_difference),
      rule("ACTIVE-17",
           "the first request of a run declares the selectedTools that before_agent_start handlers "
           "left, and its calls find these; triggered when they changed them")
          .for_each_request()
          .when(is_selected_by_handler)
          .expect(selection_is_declared)
          .expect(selection_is_callable),
  };
  rules.insert(rules.end(), others.begin(), others.end());
  return rules;
}

}  // namespace plumb::invariants
