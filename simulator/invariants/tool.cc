// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/registry_view.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

// ------------------------------------------------------------------ definitions

bool is_plain_definition(const Json& entry) {
  const bool has_parts = !text_at(entry, "name").empty() &&
                         !text_at(entry, "description").empty() &&
                         at(entry, "parameters").is_object();
  return has_parts && view_at(entry, "level") != "builtin" &&
         at(entry, "promptSnippet").is_null() && at(entry, "promptGuidelines").empty();
}

/// A definition with the required parts only was called.
bool uses_plain_tool(const Story& story, const Story&) {
  return std::ranges::any_of(story.calls, [&](const Call& call) {
    const Json* tool = tool_of(call, story);
    return tool != nullptr && is_plain_definition(*tool) && is_declared(call, story);
  });
}

Complaint plain_candidates_register(const Story& story, const Story&) {
  for (const Event* event : story.registries) {
    const auto* registry = event->as<RegistryRefresh>();
    for (const auto& candidate : candidates_in(*registry)) {
      if (!is_plain_definition(*candidate.entry) || is_filtered(candidate.name, story)) continue;
      if (find_entry(registry->tools.get(), candidate.name) != nullptr) continue;
      return finding("the tool " + candidate.name + " can not be listed", event);
    }
  }
  return std::nullopt;
}

Complaint plain_tools_run(const Story& story, const Story&) {
  for (const auto& call : story.calls) {
    const Json* tool = tool_of(call, story);
    if (tool == nullptr || !is_plain_definition(*tool) || !is_declared(call, story)) continue;
    if (cause_of(call) != "unknown_tool") continue;
    return finding("the declared tool " + call.name + " can not be called",
                   first(call, "tool_execution_end"));
  }
  return std::nullopt;
}

std::set<std::string> registering_extensions(const Event& event, const Story& story) {
  std::set<std::string> extensions;
  for (const auto& one : registrations_at(event.seq, story)) extensions.insert(one.extension);
  return extensions;
}

bool has_two_sources(const Event& event, const Story& story) {
  const auto& registry = *event.as<RegistryRefresh>();
  const auto names = names_in(registry.tools.get());
  std::set<std::string> extensions;
  for (const auto& name : names) {
    const Json* tool = find_entry(registry.tools.get(), name);
    if (tool != nullptr && view_at(*tool, "level") == "extension") extensions.insert(name);
  }
  return extensions.size() >= 2 && registering_extensions(event, story).size() >= 2;
}

/// A candidate of the name and level has the same source: what the host and the engine bring.
bool has_a_candidate(const Json& tool, const RegistryRefresh& registry) {
  return std::ranges::any_of(candidates_in(registry), [&](const Candidate& candidate) {
    return candidate.name == text_at(tool, "name") && candidate.level == text_at(tool, "level") &&
           at(*candidate.entry, "sourceInfo") == at(tool, "sourceInfo");
  });
}

/// The origin of an extension's tool is an extension that registered the name, and is loaded.
Complaint source_is_the_registrar(const Event& event, const Story& story) {
  const auto& registry = *event.as<RegistryRefresh>();
  const auto registrants = registrants_at(event.seq, story);
  for (const auto& name : names_in(registry.tools.get())) {
    const Json* entry = find_entry(registry.tools.get(), name);
    if (entry == nullptr) return finding("an entry of the listing has no name", &event);
    const Json& tool = *entry;
    const bool is_extension = view_at(tool, "level") == "extension";
    const auto found = registrants.find(name);
    const bool is_known = is_extension
                              ? found != registrants.end() && contains(found->second, path_of(tool))
                              : has_a_candidate(tool, registry);
    if (path_of(tool).empty() || !is_known) {
      return finding("the listing gives " + name + " a source that did not register it", &event);
    }
    if (is_extension && !contains(story.load_order, path_of(tool))) {
      return finding("the source of " + name + " is no loaded extension", &event);
    }
  }
  return std::nullopt;
}

/// What ran says by itself whose it is.
Complaint owners_agree(const Event& event, const Story& story) {
  for (const auto& call : story.calls) {
    if (!has_executed(call) || tool_of(call, story) == nullptr) continue;
    const Json* tool = find_entry(event.as<RegistryRefresh>()->tools.get(), call.name);
    if (tool == nullptr || tool_of(call, story)->dump() != tool->dump()) continue;
    if (auto other =
            differ("source of " + call.name, Json(begin_of(call)->owner), path_of(*tool), &event)) {
      return other;
    }
  }
  return std::nullopt;
}

/// What a tool or its extension says by itself: a note `running` from execute, a note `registered`
/// {tool} of the one that registered it.
Complaint owners_say_so(const Event& event, const Story& story) {
  for (const Event* one : story.notes) {
    const auto* note = one->as<Notify>();
    std::string name = text_at(note->data.get(), "tool");
    if (note->topic == "running") {
      const Call* call = call_of(*one, story);
      name = call == nullptr ? std::string() : call->name;
    } else if (note->topic != "registered") {
      continue;
    }
    const Json* tool = find_entry(event.as<RegistryRefresh>()->tools.get(), name);
    if (tool == nullptr || view_at(*tool, "level") != "extension") continue;
    if (auto other = differ("source of " + name, Json(note->by), path_of(*tool), &event)) {
      return other;
    }
  }
  return std::nullopt;
}

bool lists_inactive_tools(const Event& event, const Story& story) {
  const auto* registry = story.registry_at(event.seq);
  if (registry == nullptr) return false;
  const auto& active = event.as<ActiveSet>()->after;
  return std::ranges::any_of(names_in(registry->tools.get()),
                             [&](const auto& name) { return !contains(active, name); });
}

Complaint shows_metadata_only(const Event& event, const Story& story) {
  const Json& tools = story.registry_at(event.seq)->tools.get();
  for (const char* field : {"execute", "prepareArguments"}) {
    const bool is_shown = std::ranges::any_of(
        tools, [&](const Json& tool) { return tool.is_object() && tool.contains(field); });
    if (is_shown) return finding("the listing hands out " + std::string(field), &event);
  }
  return std::nullopt;
}

Complaint listing_has_all_active(const Event& event, const Story& story) {
  const auto names = names_in(story.registry_at(event.seq)->tools.get());
  for (const auto& name : event.as<ActiveSet>()->after) {
    if (!contains(names, name)) return finding("the listing lacks the active " + name, &event);
  }
  return std::nullopt;
}

// ------------------------------------------------------------------ one call

bool is_execution(const Event& event, const Story&) {
  return event.as<ExecuteBegin>() != nullptr;
}

Complaint id_is_the_models(const Event& event, const Story& story) {
  const Call* call = call_of(event, story);
  if (event.call.empty() || call == nullptr) return finding("execute without a call id", &event);
  const bool is_known = call->batch >= 0 || !call->parent.empty();
  if (!is_known) return finding("execute got an id that no answer holds: " + event.call, &event);
  if (start_of(*call) == nullptr) return finding("execute got an id without a start event", &event);
  const std::string& name = event.as<ExecuteBegin>()->name;
  if (name == call->name) return std::nullopt;
  return differ("execute of another tool under this id", Json(call->name), Json(name), &event);
}

// ------------------------------------------------------------------ addedToolNames

/// How the active set changed while a call executed.
struct ActiveChange {
  std::vector<std::string> before;
  std::vector<std::string> after;
  bool is_set = false;
};

ActiveChange change_during(const Call& call, const Story& story) {
  ActiveChange change;
  const auto begun = seq_of(call, "execute_begin");
  const auto settled = seq_of(call, "execute_end");
  if (begun < 0 || settled < 0) return change;
  for (const Event* event : story.active_sets) {
    if (event->seq < begun || event->seq > settled) continue;
    const auto* set = event->as<ActiveSet>();
    if (!change.is_set) change.before = set->before;
    change.after = set->after;
    change.is_set = true;
  }
  return change;
}

std::vector<std::string> missing_in(const std::vector<std::string>& names,
                                    const std::vector<std::string>& others) {
  auto missing = names;
  std::erase_if(missing, [&](const auto& name) { return contains(others, name); });
  return missing;
}

bool only_adds(const Call& call, const Story& story) {
  const auto change = change_during(call, story);
  return change.is_set && end_of(call) != nullptr && settled_of(call)->outcome != "threw" &&
         missing_in(change.before, change.after).empty() &&
         !missing_in(change.after, change.before).empty();
}

bool removes(const Call& call, const Story& story) {
  const auto change = change_during(call, story);
  return change.is_set && end_of(call) != nullptr &&
         !missing_in(change.before, change.after).empty();
}

bool adds_nothing(const Call& call, const Story& story) {
  const auto change = change_during(call, story);
  return change.is_set && end_of(call) != nullptr &&
         missing_in(change.before, change.after).empty() &&
         missing_in(change.after, change.before).empty();
}

std::vector<std::string> returned_names(const Call& call) {
  return strings_in(at(settled_of(call)->result.get(), "addedToolNames"));
}

Complaint names_what_was_added(const Call& call, const Story& story) {
  const auto change = change_during(call, story);
  auto expected = missing_in(change.after, change.before);
  const auto actual = strings_in(at(result_of(call), "addedToolNames"));
  const auto own = returned_names(call);
  for (const auto& name : missing_in(own, expected)) expected.push_back(name);
  const Event* end = first(call, "tool_execution_end");
  if (own.empty()) return differ("addedToolNames", as_json(expected), as_json(actual), end);
  const bool is_union = missing_in(expected, actual).empty() && actual.size() == expected.size();
  return require(is_union, "addedToolNames is not what was added and what the tool returned", end);
}

Complaint leaves_names_alone(const Call& call, const Story&) {
  const Event* end = first(call, "tool_execution_end");
  const Json& field = at(result_of(call), "addedToolNames");
  if (returned_names(call).empty()) {
    return require(field.is_null(), "addedToolNames although nothing was purely added", end);
  }
  return differ("addedToolNames", as_json(returned_names(call)), field, end);
}

// ------------------------------------------------------------------ the way into a request

bool declares_extension_tools(const Request& request, const Story& story) {
  return std::ranges::any_of(request.declared, [&](const auto& name) {
    const Json* tool = story.tool_at(name, request.event->seq);
    return tool != nullptr && view_at(*tool, "level") == "extension";
  });
}

Complaint declared_is_registered_and_active(const Request& request, const Story& story) {
  const auto* active = story.active_at(request.event->seq);
  for (const auto& name : request.declared) {
    if (story.tool_at(name, request.event->seq) == nullptr) {
      return finding(name + " is declared but not registered", request.event);
    }
    if (active != nullptr && !contains(active->after, name)) {
      return finding(name + " is declared but not active", request.event);
    }
  }
  return std::nullopt;
}

std::vector<Rule> added_name_rules() {
  return {
      rule("TOOL-10",
           "addedToolNames of the end event are the names that the active set gained during "
           "execute, in its order; triggered by a purely additive change")
          .for_each_call()
          .when(only_adds)
          .expect(names_what_was_added),
      rule("TOOL-11", "no addedToolNames when the active set lost a name during execute")
          .for_each_call()
          .when(removes)
          .expect(leaves_names_alone),
      rule("TOOL-12", "no addedToolNames when the active set was set but gained nothing")
          .for_each_call()
          .when(adds_nothing)
          .expect(leaves_names_alone),
  };
}

}  // namespace

std::vector<Rule> tool_rules() {
  auto rules = added_name_rules();
  const std::vector<Rule> others{
      rule("TOOL-01",
           "a definition with name, description and parameters only is listed, declared and can be "
           "called; triggered by such a call")
          .for_the_run()
          .when(uses_plain_tool)
          .expect(plain_candidates_register)
          .expect(plain_tools_run),
      rule("TOOL-03",
           "the source of each listed tool of an extension is one that registered its name and is "
           "loaded; notes 'running' and 'registered' of its extension agree; triggered by tools of "
           "two extensions")
          .for_each("registry_refresh")
          .when(has_two_sources)
          .expect(source_is_the_registrar)
          .expect(owners_agree)
          .expect(owners_say_so),
      rule("TOOL-06", "execute_begin carries the id and the tool of a call in an answer")
          .for_each("execute_begin")
          .when(is_execution)
          .expect(id_is_the_models),
      rule("TOOL-14",
           "the listing holds inactive tools too, and never execute; triggered by an inactive one")
          .for_each("active_set")
          .when(lists_inactive_tools)
          .expect(shows_metadata_only)
          .expect(listing_has_all_active),
      rule("TOOL-25",
           "what a request declares is registered and active before; triggered by a tool of an "
           "extension")
          .for_each_request()
          .when(declares_extension_tools)
          .expect(declared_is_registered_and_active),
  };
  rules.insert(rules.end(), others.begin(), others.end());
  return rules;
}

}  // namespace plumb::invariants
