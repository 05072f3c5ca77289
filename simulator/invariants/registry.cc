// SPDX-License-Identifier: Apache-2.0
// Which definition a name stands for.
#include <algorithm>
#include <iterator>
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
  return has_executed(call) && batch != nullptr &&
         story.is_contested_at(call.name, batch->response->seq);
}

// ------------------------------------------------------------------ clashes of extensions

/// Whether an extension other than the first registered the name after the registry was there: its
/// rank is the edition's choice.
bool has_late_rival(const std::string& name, const Event& event, const Story& story) {
  const auto from = load_before(event.seq, story);
  const auto first_refresh = std::ranges::find_if(
      story.registries, [&](const Event* refresh) { return refresh->seq > from; });
  return std::ranges::any_of(registrations_at(event.seq, story), [&](const auto& one) {
    return one.name == name && one.seq > (*first_refresh)->seq;
  });
}

bool has_rivals(const Event& event, const Story& story) {
  return std::ranges::any_of(registrants_at(event.seq, story),
                             [](const auto& one) { return one.second.size() >= 2; });
}

/// The owner of a name is the first extension that registered it (REG-02, REG-20).
Complaint first_extension_owns(const Event& event, const Story& story) {
  for (const auto& [name, extensions] : registrants_at(event.seq, story)) {
    const Json* tool = find_entry(refresh_of(event).tools.get(), name);
    if (tool == nullptr || view_at(*tool, "level") != "extension") continue;
    if (!story.is_edition("seed") && has_late_rival(name, event, story)) continue;
    if (auto taken = differ("owner of " + name, Json(extensions.front()), path_of(*tool), &event)) {
      return taken;
    }
  }
  return std::nullopt;
}

/// A later extension's registration of a name that is taken. `from`, `to`: seqs of the load.
struct Clash {
  std::string tool;
  std::string loser;
  std::string owner;
  std::int64_t from = -1;
  std::int64_t to = -1;
};

std::vector<Clash> clashes_within(std::int64_t from, std::int64_t to, const Story& story) {
  std::vector<Clash> clashes;
  for (const auto& [name, extensions] : registrants_at(to, story)) {
    for (std::size_t i = 1; i < extensions.size(); ++i) {
      clashes.push_back({name, extensions[i], extensions.front(), from, to});
    }
  }
  return clashes;
}

std::vector<Clash> clashes_in(const Story& story) {
  std::vector<std::int64_t> ends = story.shutdowns;
  ends.insert(ends.end(), story.crashes.begin(), story.crashes.end());
  ends.push_back(story.last_seq + 1);
  std::ranges::sort(ends);
  std::vector<Clash> clashes;
  std::int64_t from = -1;
  for (const auto end : ends) {
    std::ranges::copy(clashes_within(from, end, story), std::back_inserter(clashes));
    from = end;
  }
  return clashes;
}

std::vector<const Event*> conflicts_about(const Story& story, const Clash& clash) {
  std::vector<const Event*> conflicts;
  for (const Event* event : story.diagnostics) {
    const auto* diagnostic = event->as<Diagnostic>();
    const bool is_here = event->seq > clash.from && event->seq < clash.to;
    if (is_here && diagnostic->code == "tool_conflict" && diagnostic->tool == clash.tool) {
      conflicts.push_back(event);
    }
  }
  return conflicts;
}

bool has_clash(const Story& story, const Story&) {
  return !clashes_in(story).empty();
}

Complaint each_clash_is_reported(const Story& story, const Story&) {
  for (const auto& clash : clashes_in(story)) {
    const auto conflicts = conflicts_about(story, clash);
    const auto blames_loser = [&](const Event* event) {
      const auto* diagnostic = event->as<Diagnostic>();
      return diagnostic->path == clash.loser && diagnostic->owner == clash.owner;
    };
    if (std::ranges::count_if(conflicts, blames_loser) == 1) continue;
    Finding found = finding("no single diagnostic for the clash over " + clash.tool,
                            conflicts.empty() ? nullptr : conflicts.front());
    found.expected = "one that blames " + clash.loser + " and names " + clash.owner;
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
/// slot, and a name that comes later is appended.
class SlotChecker final : public Checker {
 public:
  void see(const Event& event, const Story& story, Report& report) override {
    const auto& registry = refresh_of(event);
    const auto known = slots_.size();
    for (const char* level : {"builtin", "extension", "sdk"}) append(registry, level);
    const bool has_appended = known > 0 && slots_.size() > known;
    if (has_levels(event, story) || has_appended) report.trigger();
    auto expected = slots_;
    std::erase_if(expected, [&](const auto& name) {
      return find_entry(registry.tools.get(), name) == nullptr;
    });
    report.complain(differ("order of the registry", as_json(expected),
                           as_json(names_in(registry.tools.get())), &event));
  }

 private:
  void append(const RegistryRefresh& registry, std::string_view level) {
    for (const auto& candidate : candidates_in(registry)) {
      if (candidate.level != level || contains(slots_, candidate.name)) continue;
      if (find_entry(registry.tools.get(), candidate.name) == nullptr) continue;  // Filtered.
      slots_.push_back(candidate.name);
    }
  }

  std::vector<std::string> slots_;  ///< Every name that was ever listed, in its place.
};

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
           "of two extensions that registered one tool name the first keeps it; triggered by such "
           "registrations")
          .for_each("registry_refresh")
          .when(has_rivals)
          .expect(first_extension_owns),
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
      rule("REG-18",
           "the registry's order is that of first registration by level, later names behind; "
           "triggered by a name of two levels or a later name")
          .by<SlotChecker>({"registry_refresh"}),
  };
}

}  // namespace plumb::invariants
