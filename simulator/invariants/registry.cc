// SPDX-License-Identifier: Apache-2.0
// Which definition a name stands for.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/registry_view.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

const RegistryRefresh& refresh_of(const Event& event) {
  return *event.as<RegistryRefresh>();
}

std::set<std::string> levels_of(const std::vector<Candidate>& rivals) {
  std::set<std::string> levels;
  for (const auto& rival : rivals) levels.insert(rival.level);
  return levels;
}

std::vector<std::string> extensions_of(const std::vector<Candidate>& rivals) {
  std::vector<std::string> paths;
  for (const auto& rival : rivals) {
    if (rival.level == "extension" && !contains(paths, rival.path)) paths.push_back(rival.path);
  }
  return paths;
}

bool has_levels(const Event& event, const Story&) {
  return std::ranges::any_of(rivals_in(refresh_of(event)),
                             [](const auto& one) { return levels_of(one.second).size() >= 2; });
}

Complaint highest_level_wins(const Event& event, const Story&) {
  for (const auto& [name, rivals] : rivals_in(refresh_of(event))) {
    const Json* tool = find_entry(refresh_of(event).tools.get(), name);
    if (tool == nullptr) continue;  // Filtered.
    const auto levels = levels_of(rivals);
    const auto* expected = levels.contains("sdk")         ? "sdk"
                           : levels.contains("extension") ? "extension"
                                                          : "builtin";
    if (auto odd = differ("level of the definition that " + name + " stands for", Json(expected),
                          at(*tool, "level"), &event)) {
      return odd;
    }
  }
  return std::nullopt;
}

/// What runs is what the registry says: the other half of the override rules.
Complaint owner_is_registered(const Call& call, const Story& story) {
  const Json* tool = tool_of(call, story);
  if (tool == nullptr) return std::nullopt;
  return differ("execute belongs to another definition than the registry's", path_of(*tool),
                Json(begin_of(call)->owner), first(call, "execute_begin"));
}

bool is_overriding(const Call& call, const Story& story) {
  const Batch* batch = batch_of(call, story);
  if (!has_executed(call) || batch == nullptr) return false;
  const auto* registry = story.registry_at(batch->response->seq);
  if (registry == nullptr) return false;
  const auto rivals = rivals_in(*registry);
  const auto found = rivals.find(call.name);
  return found != rivals.end() && found->second.size() >= 2;
}

// ------------------------------------------------------------------ clashes of extensions

/// The owner of a name is the first extension that had it (REG-02, REG-20); within one refresh the
/// one that stands first.
class FirstExtensionChecker final : public Checker {
 public:
  void see(const Event& event, const Story& story, Report& report) override {
    for (const auto& [name, rivals] : rivals_in(refresh_of(event))) {
      const auto paths = extensions_of(rivals);
      if (paths.empty()) continue;
      const auto owner = owners_.try_emplace(name, paths.front()).first->second;
      if (paths.size() < 2 || !contains(paths, owner)) continue;
      report.trigger();
      const Json* tool = find_entry(refresh_of(event).tools.get(), name);
      if (tool == nullptr || at(*tool, "level") != "extension") continue;
      if (is_late(name, rivals.size()) && !story.is_edition("seed")) continue;
      report.complain(differ("owner of " + name, Json(owner), path_of(*tool), &event));
    }
    is_first_ = false;
  }

 private:
  /// A rival that came after the first refresh registered late: its rank is the edition's choice.
  bool is_late(const std::string& name, std::size_t rivals) {
    const auto known = counts_.try_emplace(name, is_first_ ? rivals : 1).first->second;
    return rivals > known;
  }

  std::map<std::string, std::string> owners_;
  std::map<std::string, std::size_t> counts_;
  bool is_first_ = true;
};

using Clash = std::pair<std::string, std::string>;  // Tool and losing extension.

std::map<Clash, std::string> clashes_in(const Story& story) {
  std::map<Clash, std::string> clashes;
  std::map<std::string, std::string> owners;
  for (const Event* event : story.registries) {
    for (const auto& [name, rivals] : rivals_in(refresh_of(*event))) {
      const auto paths = extensions_of(rivals);
      if (paths.empty()) continue;
      const auto& owner = owners.try_emplace(name, paths.front()).first->second;
      for (const auto& path : paths) {
        if (path != owner) clashes.try_emplace({name, path}, owner);
      }
    }
  }
  return clashes;
}

std::vector<const Event*> conflicts_about(const Story& story, const std::string& tool) {
  std::vector<const Event*> conflicts;
  for (const Event* event : story.diagnostics) {
    const auto* diagnostic = event->as<Diagnostic>();
    if (diagnostic->code == "tool_conflict" && diagnostic->tool == tool) conflicts.push_back(event);
  }
  return conflicts;
}

bool has_clash(const Story& story, const Story&) {
  return !clashes_in(story).empty();
}

Complaint each_clash_is_reported(const Story& story, const Story&) {
  for (const auto& [clash, owner] : clashes_in(story)) {
    const auto conflicts = conflicts_about(story, clash.first);
    const auto blames_loser = [&, &name = clash.second, &holder = owner](const Event* event) {
      const auto* diagnostic = event->as<Diagnostic>();
      return diagnostic->path == name && diagnostic->owner == holder;
    };
    if (std::ranges::count_if(conflicts, blames_loser) == 1) continue;
    Finding found = finding("no single diagnostic for the clash over " + clash.first,
                            conflicts.empty() ? nullptr : conflicts.front());
    found.expected = "one that blames " + clash.second + " and names " + owner;
    found.actual = std::to_string(conflicts.size()) + " about this tool";
    return found;
  }
  return std::nullopt;
}

/// Names that only levels compete for.
bool has_only_levels(const Story& story, const Story& whole) {
  const auto is_override = [&](const Event* event) { return has_levels(*event, whole); };
  return clashes_in(story).empty() && std::ranges::any_of(story.registries, is_override);
}

Complaint no_clash_is_reported(const Story& story, const Story&) {
  for (const Event* event : story.diagnostics) {
    if (event->as<Diagnostic>()->code == "tool_conflict") {
      return finding("an override across levels is reported as a clash", event);
    }
  }
  return std::nullopt;
}

/// REG-18: built-ins, then new names of extensions, then those of the host; an override keeps its
/// slot.
std::vector<std::string> expected_order(const RegistryRefresh& registry) {
  std::vector<std::string> names;
  for (const char* level : {"builtin", "extension", "sdk"}) {
    for (const auto& candidate : candidates_in(registry)) {
      if (candidate.level == level && !contains(names, candidate.name)) {
        names.push_back(candidate.name);
      }
    }
  }
  std::erase_if(
      names, [&](const auto& name) { return find_entry(registry.tools.get(), name) == nullptr; });
  return names;
}

Complaint slots_are_kept(const Event& event, const Story&) {
  return differ("order of the registry", as_json(expected_order(refresh_of(event))),
                as_json(names_in(refresh_of(event).tools.get())), &event);
}

// ------------------------------------------------------------------ late registration

/// A note `registered` {tool, tools} says what getAllTools gave right after registerTool.
bool reports_registration(const Event& event, const Story& story) {
  const auto* note = event.as<Notify>();
  if (note->topic != "registered") return false;
  const auto name = text_at(note->data.get(), "tool");
  return !name.empty() && !at(note->data.get(), "tools").is_null() && !is_filtered(name, story);
}

Complaint listing_has_it(const Event& event, const Story&) {
  const Json& data = event.as<Notify>()->data.get();
  const auto name = text_at(data, "tool");
  return require(contains(names_in(at(data, "tools")), name),
                 name + " is not listed right after its registration", &event);
}

}  // namespace

std::vector<Rule> registry_rules() {
  return {
      rule("REG-01",
           "of the candidates of a name the registry takes SDK over extension over built-in; "
           "triggered by a name of two levels")
          .for_each("registry_refresh")
          .when(has_levels)
          .expect(highest_level_wins),
      rule("TOOL-15",
           "execute belongs to the registry's definition and runs once; triggered by a call of a "
           "name with several candidates")
          .for_each_call()
          .when(is_overriding)
          .exactly_one("execute_begin")
          .expect(owner_is_registered),
      rule("REG-02",
           "of two extensions with one tool name the first keeps it; triggered by such a name")
          .by<FirstExtensionChecker>({"registry_refresh"}),
      rule("REG-03",
           "each name that a second extension registers has one diagnostic tool_conflict with the "
           "loser as path, and the owner")
          .for_the_run()
          .when(has_clash)
          .expect(each_clash_is_reported),
      rule("REG-05", "a name of several levels and of one extension gives no tool_conflict")
          .for_the_run()
          .when(has_only_levels)
          .expect(no_clash_is_reported),
      rule("REG-17",
           "a note registered {tool, tools: $tools} right after a registration lists the tool")
          .for_each("notify")
          .when(reports_registration)
          .expect(listing_has_it),
      rule("REG-18", "the registry's order is that of first registration by level")
          .for_each("registry_refresh")
          .when(has_levels)
          .expect(slots_are_kept),
  };
}

}  // namespace plumb::invariants
