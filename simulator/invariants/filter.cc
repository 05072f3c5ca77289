// SPDX-License-Identifier: Apache-2.0
// The host's allow and exclude lists. They are read from the host's step "start": {tools: {allow?,
// exclude?}}; an engine can not vouch for its own filters.
#include <algorithm>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/registry_view.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

const RegistryRefresh& snapshot(const Event& event) {
  return *event.as<RegistryRefresh>();
}

/// Names of candidates that fit a condition.
std::vector<std::string> candidate_names(const Event& event, auto&& fits) {
  std::vector<std::string> names;
  for (const auto& candidate : candidates_in(snapshot(event))) {
    if (fits(candidate.name) && !contains(names, candidate.name)) names.push_back(candidate.name);
  }
  return names;
}

Complaint lacks(const Event& event, const std::vector<std::string>& unwanted, const char* why) {
  for (const auto& name : names_in(snapshot(event).tools.get())) {
    if (contains(unwanted, name)) return finding(name + " is registered although " + why, &event);
  }
  return std::nullopt;
}

std::vector<std::string> not_allowed(const Event& event, const Story& story) {
  const auto filters = filters_of(story);
  return candidate_names(event, [&](const auto& name) { return !is_allowed_by(filters, name); });
}

std::vector<std::string> excluded(const Event& event, const Story& story) {
  const auto filters = filters_of(story);
  return candidate_names(event, [&](const auto& name) { return is_excluded_by(filters, name); });
}

bool allow_list_bites(const Event& event, const Story& story) {
  const auto filters = filters_of(story);
  return filters.allow && !filters.allow->empty() && !not_allowed(event, story).empty();
}

Complaint only_allowed(const Event& event, const Story& story) {
  return lacks(event, not_allowed(event, story), "the allow list does not name it");
}

/// What passes both filters is registered.
Complaint allowed_is_there(const Event& event, const Story& story) {
  const auto filters = filters_of(story);
  const auto wanted = candidate_names(event, [&](const auto& name) {
    return is_allowed_by(filters, name) && !is_excluded_by(filters, name);
  });
  const auto registered = names_in(snapshot(event).tools.get());
  for (const auto& name : wanted) {
    if (!contains(registered, name))
      return finding(name + " passes the filters but is missing", &event);
  }
  return std::nullopt;
}

bool exclude_list_bites(const Event& event, const Story& story) {
  return !excluded(event, story).empty();
}

Complaint none_excluded(const Event& event, const Story& story) {
  return lacks(event, excluded(event, story), "the exclude list names it");
}

bool is_in_both(const Event& event, const Story& story) {
  const auto filters = filters_of(story);
  return filters.allow && !candidate_names(event, [&](const auto& name) {
                             return is_allowed_by(filters, name) && is_excluded_by(filters, name);
                           }).empty();
}

bool allows_nothing(const Story& story, const Story&) {
  const auto filters = filters_of(story);
  return filters.allow && filters.allow->empty() && !story.registries.empty();
}

Complaint nothing_is_there(const Story& story, const Story&) {
  for (const Event* event : story.registries) {
    if (!names_in(snapshot(*event).tools.get()).empty()) {
      return finding("a tool is registered although the allow list is empty", event);
    }
  }
  for (const auto& request : story.requests) {
    if (!request.declared.empty()) return finding("a tool is declared", request.event);
  }
  return std::nullopt;
}

bool has_wildcard(const std::vector<std::string>& patterns) {
  return std::ranges::any_of(patterns, [](const auto& pattern) { return pattern.contains('*'); });
}

bool uses_wildcards(const Event& event, const Story& story) {
  const auto filters = filters_of(story);
  const bool is_used =
      has_wildcard(filters.exclude) || (filters.allow && has_wildcard(*filters.allow));
  return is_used && (!not_allowed(event, story).empty() || !excluded(event, story).empty());
}

std::vector<std::string> names_of_first(const Story& story) {
  return candidate_names(*story.registries.front(), [](const auto&) { return true; });
}

/// The refresh has a filtered name that the first one had not.
bool is_late_refresh(const Event& event, const Story& story) {
  if (story.registries.size() < 2 || story.registries.front() == &event) return false;
  const auto early = names_of_first(story);
  return !candidate_names(event, [&](const auto& name) {
            return is_filtered(name, story) && !contains(early, name);
          }).empty();
}

Complaint none_filtered(const Event& event, const Story& story) {
  return lacks(event, candidate_names(event, [&](const auto& n) { return is_filtered(n, story); }),
               "the host's filters exclude it");
}

// ------------------------------------------------------------------ the active set

bool asks_for_filtered(const Event& event, const Story& story) {
  const auto* set = event.as<ActiveSet>();
  const auto* registry = story.registry_at(event.seq);
  return registry != nullptr && std::ranges::any_of(set->requested, [&](const auto& name) {
           return is_filtered(name, story);
         });
}

Complaint filtered_stays_out(const Event& event, const Story& story) {
  for (const auto& name : event.as<ActiveSet>()->after) {
    if (is_filtered(name, story)) return finding(name + " is active although filtered", &event);
  }
  return std::nullopt;
}

/// A name registered after the first request that the filters keep out.
std::vector<std::string> late_filtered(const Story& story) {
  std::vector<std::string> names;
  if (story.registries.empty()) return names;
  const auto early = names_of_first(story);
  for (const Event* event : story.registries) {
    for (const auto& name : candidate_names(*event, [&](const auto& candidate) {
           return is_filtered(candidate, story) && !contains(early, candidate);
         })) {
      names.push_back(name);
    }
  }
  return names;
}

bool registers_filtered_late(const Story& story, const Story&) {
  return !late_filtered(story).empty();
}

Complaint restrictions_bind(const Story& story, const Story&) {
  const auto names = late_filtered(story);
  for (const Event* event : story.active_sets) {
    for (const auto& name : event->as<ActiveSet>()->after) {
      if (contains(names, name)) return finding(name + " became active although filtered", event);
    }
  }
  for (const auto& request : story.requests) {
    for (const auto& name : request.declared) {
      if (contains(names, name))
        return finding(name + " is declared although filtered", request.event);
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<Rule> filter_rules() {
  return {
      rule("REG-08",
           "with the host's allow list the registry holds exactly the candidates that it names and "
           "the exclude list does not; triggered by one that it leaves out")
          .for_each("registry_refresh")
          .when(allow_list_bites)
          .expect(only_allowed)
          .expect(allowed_is_there),
      rule("REG-09", "no candidate that the host's exclude list names is in the registry")
          .for_each("registry_refresh")
          .when(exclude_list_bites)
          .expect(none_excluded),
      rule("REG-10", "a candidate that both lists name is not in the registry")
          .for_each("registry_refresh")
          .when(is_in_both)
          .expect(none_excluded),
      rule("REG-11", "with an empty allow list no tool is registered and none declared")
          .for_the_run()
          .when(allows_nothing)
          .expect(nothing_is_there),
      rule("REG-12", "a refresh filters names that came after the first refresh too")
          .for_each("registry_refresh")
          .when(is_late_refresh)
          .expect(none_filtered),
      rule("REG-13", "setActiveTools with a filtered name does not make it active")
          .for_each("active_set")
          .when(asks_for_filtered)
          .expect(filtered_stays_out),
      rule("REG-14", "lists with * keep exactly the candidates that the patterns match as a whole")
          .for_each("registry_refresh")
          .when(uses_wildcards)
          .expect(only_allowed)
          .expect(none_excluded)
          .expect(allowed_is_there),
      rule("ACTIVE-04",
           "a tool registered late that the filters exclude is never active or declared")
          .for_the_run()
          .when(registers_filtered_late)
          .expect(restrictions_bind),
  };
}

}  // namespace plumb::invariants
