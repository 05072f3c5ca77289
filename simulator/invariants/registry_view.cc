// SPDX-License-Identifier: Apache-2.0
#include "simulator/invariants/registry_view.h"

#include <algorithm>

#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

bool is_modifier(const std::string& entry) {
  return entry.starts_with('+') || entry.starts_with('-');
}

bool matches_any(const std::vector<std::string>& patterns, std::string_view name) {
  return std::ranges::any_of(patterns,
                             [&](const auto& pattern) { return fits_pattern(pattern, name); });
}

}  // namespace

std::vector<Candidate> candidates_in(const RegistryRefresh& registry) {
  std::vector<Candidate> candidates;
  if (!registry.candidates.get().is_array()) return candidates;
  for (const auto& entry : registry.candidates.get()) {
    candidates.push_back({text_at(entry, "name"), text_at(entry, "level"), path_of(entry), &entry});
  }
  return candidates;
}

std::map<std::string, std::vector<Candidate>> rivals_in(const RegistryRefresh& registry) {
  std::map<std::string, std::vector<Candidate>> rivals;
  for (auto& candidate : candidates_in(registry)) rivals[candidate.name].push_back(candidate);
  return rivals;
}

std::int64_t load_before(std::int64_t seq, const Story& story) {
  std::int64_t found = -1;
  for (const auto* ends : {&story.shutdowns, &story.crashes}) {
    for (const auto end : *ends) {
      if (end < seq) found = std::max(found, end);
    }
  }
  return found;
}

std::vector<ToolRegistration> registrations_at(std::int64_t seq, const Story& story) {
  const auto from = load_before(seq, story);
  const auto is_refused = [&](const ToolRegistration& one) {
    return std::ranges::any_of(story.diagnostics, [&](const Event* event) {
      const auto* diagnostic = event->as<Diagnostic>();
      return diagnostic->code == "invalid_tool" && diagnostic->tool == one.name &&
             diagnostic->path == one.extension;
    });
  };
  std::vector<ToolRegistration> found;
  for (const auto& one : story.tool_registrations) {
    if (one.seq > from && one.seq < seq && !is_refused(one)) found.push_back(one);
  }
  return found;
}

std::map<std::string, std::vector<std::string>> registrants_at(std::int64_t seq,
                                                               const Story& story) {
  std::map<std::string, std::vector<std::string>> registrants;
  for (const auto& one : registrations_at(seq, story)) {
    auto& extensions = registrants[one.name];
    if (!contains(extensions, one.extension)) extensions.push_back(one.extension);
  }
  return registrants;
}

std::vector<std::string> names_in(const Json& list) {
  std::vector<std::string> names;
  if (!list.is_array()) return names;
  for (const auto& one : list) {
    names.push_back(one.is_string() ? one.get<std::string>() : text_at(one, "name"));
  }
  return names;
}

const Json* find_entry(const Json& list, std::string_view name) {
  if (!list.is_array()) return nullptr;
  for (const auto& one : list) {
    if (at(one, "name") == name) return &one;
  }
  return nullptr;
}

std::string path_of(const Json& entry) {
  return text_at(at(entry, "sourceInfo"), "path");
}

Filters filters_of(const Story& story) {
  const Json& tools = at(story.host(), "tools");
  Filters filters;
  filters.exclude = strings_in(at(tools, "exclude"));
  if (!at(tools, "allow").is_array()) return filters;
  const auto allow = strings_in(at(tools, "allow"));
  const bool is_filter = allow.empty() || !std::ranges::all_of(allow, is_modifier);
  if (is_filter) filters.allow = allow;
  return filters;
}

bool fits_pattern(std::string_view pattern, std::string_view name) {
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos;
  std::size_t retry = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++retry;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool is_allowed_by(const Filters& filters, std::string_view name) {
  return !filters.allow || matches_any(*filters.allow, name);
}

bool is_excluded_by(const Filters& filters, std::string_view name) {
  return matches_any(filters.exclude, name);
}

bool is_filtered(std::string_view name, const Story& story) {
  const auto filters = filters_of(story);
  return !is_allowed_by(filters, name) || is_excluded_by(filters, name);
}

}  // namespace plumb::invariants
