// SPDX-License-Identifier: Apache-2.0
// A tool's definition over time: where it comes from, who may see it, how it goes again.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/registry_view.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

const RegistryRefresh& snapshot_in(const Event& event) {
  return *event.as<RegistryRefresh>();
}

// ------------------------------------------------------------------ defineTool

/// A note `defined` {tool, tools, active} says what was listed and active right after defineTool.
bool reports_definition(const Event& event, const Story&) {
  const auto* note = event.as<Notify>();
  return note->topic == "defined" && !text_at(note->data.get(), "tool").empty();
}

Complaint defining_registers_nothing(const Event& event, const Story& story) {
  const auto* note = event.as<Notify>();
  const Json& data = note->data.get();
  const auto name = text_at(data, "tool");
  for (const char* list : {"tools", "active"}) {
    if (!contains(names_in(at(data, list)), name)) continue;
    return finding("defineTool alone puts " + name + " into the " + list + " list", &event);
  }
  const auto* registry = story.registry_at(event.seq);
  if (registry == nullptr) return std::nullopt;
  for (const auto& candidate : candidates_in(*registry)) {
    if (candidate.name == name && candidate.path == note->by) {
      return finding("defineTool alone registers " + name, &event);
    }
  }
  return std::nullopt;
}

// ------------------------------------------------------------------ origin

bool has_all_levels(const Event& event, const Story&) {
  std::set<std::string> levels;
  for (const auto& candidate : candidates_in(snapshot_in(event))) levels.insert(candidate.level);
  return levels.size() == 3;
}

/// The path that a source of this kind has, or "" where any may stand.
std::string expected_path(const Candidate& candidate, const Json& source) {
  if (candidate.level == "builtin") return "builtin:" + candidate.name;
  if (candidate.level == "sdk") return "<sdk:" + candidate.name + ">";
  const auto path = text_at(source, "path");
  const bool is_marked = path.starts_with("<inline:") && path.ends_with(">");
  return view_at(source, "source") == "inline" && !is_marked ? "<inline:...>" : path;
}

Complaint origins_are_well_formed(const Event& event, const Story&) {
  for (const auto& candidate : candidates_in(snapshot_in(event))) {
    const Json& source = at(*candidate.entry, "sourceInfo");
    const bool is_inline = text_at(source, "path").starts_with("<inline:");
    if (candidate.level == "extension" && !is_inline) continue;
    const std::string kind = candidate.level == "extension" ? "inline" : candidate.level;
    Json expected{{"path", expected_path(candidate, source)},
                  {"source", kind},
                  {"scope", "temporary"},
                  {"origin", "top-level"}};
    Json actual = source;
    if (actual.is_object()) actual.erase("baseDir");
    if (auto odd = differ("sourceInfo of " + candidate.name, expected, actual, &event)) return odd;
  }
  return std::nullopt;
}

// ------------------------------------------------------------------ a schema that is none

std::vector<const Event*> refusals_in(const Story& story) {
  auto refusals = story.diagnostics;
  std::erase_if(refusals,
                [](const Event* event) { return event->as<Diagnostic>()->code != "invalid_tool"; });
  return refusals;
}

std::vector<std::pair<Candidate, const Event*>> shapeless_candidates(const Story& story) {
  std::vector<std::pair<Candidate, const Event*>> found;
  for (const Event* event : story.registries) {
    for (const auto& candidate : candidates_in(snapshot_in(*event))) {
      const bool has_schema = candidate.entry->contains("parameters");
      if (!has_schema || at(*candidate.entry, "parameters").is_object()) continue;
      found.emplace_back(candidate, event);
    }
  }
  return found;
}

bool offers_a_bad_schema(const Story& story, const Story&) {
  return !refusals_in(story).empty() || !shapeless_candidates(story).empty();
}

Complaint bad_schema_is_refused(const Story& story, const Story&) {
  for (const auto& [candidate, event] : shapeless_candidates(story)) {
    return finding(candidate.name + " is registered with a schema that is no object", event);
  }
  for (const Event* event : refusals_in(story)) {
    const auto* refusal = event->as<Diagnostic>();
    const bool names_both = !refusal->tool.empty() && !refusal->path.empty() &&
                            refusal->message.contains(refusal->tool) &&
                            refusal->message.contains(refusal->path);
    if (!names_both) return finding("a refusal does not name tool and extension", event);
  }
  return std::nullopt;
}

// ------------------------------------------------------------------ overrides and other layers

/// Each member is the candidate's. What the candidate does not say may be the replaced built-in's,
/// as other layers keep it (TOOL-16), unless it is for the prompt (PROMPT-12).
bool is_listed_as(const Json& candidate, const Json& builtin, const Json& tool) {
  for (const auto& member : candidate.items()) {
    if (at(tool, member.key()) != member.value()) return false;
  }
  for (const auto& member : tool.items()) {
    const bool is_foreign = !candidate.contains(member.key()) && builtin.contains(member.key());
    const bool is_for_prompt = member.key().starts_with("prompt");
    if (is_foreign && (is_for_prompt || builtin.at(member.key()) != member.value())) return false;
  }
  return true;
}

/// A built-in that was replaced stays known with all that was said of it; what replaced it is
/// listed as it was registered.
class OverriddenBuiltinChecker final : public Checker {
 public:
  void see(const Event& event, const Story&, Report& report) override {
    for (const auto& [name, rivals] : rivals_in(snapshot_in(event))) {
      for (const auto& rival : rivals) {
        if (rival.level == "builtin") known_.try_emplace(name, *rival.entry);
      }
    }
    for (const auto& tool : snapshot_in(event).tools.get()) judge(tool, event, report);
  }

 private:
  void judge(const Json& tool, const Event& event, Report& report) {
    const auto name = text_at(tool, "name");
    const auto known = known_.find(name);
    if (known == known_.end() || view_at(tool, "level") == "builtin") return;
    report.trigger();
    Json builtin;
    bool is_as_registered = false;
    for (const auto& candidate : candidates_in(snapshot_in(event))) {
      if (candidate.name != name) continue;
      if (candidate.level == "builtin") builtin = *candidate.entry;
      const bool is_rival = candidate.level != "builtin";
      is_as_registered =
          is_as_registered || (is_rival && is_listed_as(*candidate.entry, known->second, tool));
    }
    report.complain(
        differ("what is known of the replaced built-in " + name, known->second, builtin, &event));
    report.complain(
        require(is_as_registered, name + " is listed otherwise than it was registered", &event));
  }

  std::map<std::string, Json> known_;
};

// ------------------------------------------------------------------ exposure

std::string exposure_of(const Json& tool) {
  const auto exposure = text_at(tool, "exposure");
  return exposure.empty() ? "direct" : exposure;
}

/// The host or setActiveTools named the tool up to this moment.
bool was_asked_for(const std::string& name, std::int64_t seq, const Story& story) {
  const Json& tools = at(story.host(), "tools");
  for (const char* list : {"active", "allow"}) {
    for (const auto& entry : strings_in(at(tools, list))) {
      if (fits_pattern(entry, name) || entry == "+" + name) return true;
    }
  }
  return std::ranges::any_of(story.active_sets, [&](const Event* event) {
    return event->seq <= seq && contains(event->as<ActiveSet>()->requested, name);
  });
}

bool has_other_exposures(const Story& story, const Story&) {
  return std::ranges::any_of(story.registries, [](const Event* event) {
    return std::ranges::any_of(snapshot_in(*event).tools.get(),
                               [](const Json& tool) { return exposure_of(tool) != "direct"; });
  });
}

Complaint declarations_fit_exposure(const Request& request, const Story& story) {
  for (const auto& name : request.declared) {
    const Json* tool = story.tool_at(name, request.event->seq);
    if (tool == nullptr) continue;
    const auto exposure = exposure_of(*tool);
    const bool is_for_programs = exposure == "codemode" || exposure == "deferred";
    if (exposure == "hidden" ||
        (is_for_programs && !was_asked_for(name, request.event->seq, story))) {
      return finding("the " + exposure + " tool " + name + " is declared", request.event);
    }
  }
  return std::nullopt;
}

Complaint all_declarations_fit_exposure(const Story& story, const Story&) {
  for (const auto& request : story.requests) {
    if (auto odd = declarations_fit_exposure(request, story)) return odd;
  }
  return std::nullopt;
}

Complaint hidden_is_never_active(const Story& story, const Story&) {
  for (const Event* event : story.active_sets) {
    for (const auto& name : event->as<ActiveSet>()->after) {
      const Json* tool = story.tool_at(name, event->seq);
      if (tool == nullptr || exposure_of(*tool) != "hidden") continue;
      return finding("the hidden tool " + name + " is active", event);
    }
  }
  return std::nullopt;
}

/// Calls that tools made: who may be called by them.
Complaint nested_calls_fit_exposure(const Story& story, const Story&) {
  for (const auto& call : story.calls) {
    const Call* parent =
        call.parent.empty() ? nullptr
                            : call_before(call.parent, seq_of(call, "tool_execution_start"), story);
    const Json* tool = tool_of(call, story);
    if (parent == nullptr || tool == nullptr || end_of(call) == nullptr) continue;
    const auto exposure = exposure_of(*tool);
    const bool is_refused = cause_of(call) == "unknown_tool";
    const bool is_always = exposure == "codemode" || exposure == "deferred";
    const bool is_never = exposure == "hidden" || exposure == "model-only";
    if (is_always && is_refused) {
      return finding("a tool can not call the " + exposure + " tool " + call.name,
                     first(call, "tool_execution_end"));
    }
    if (is_never && !is_refused) {
      return finding("a tool calls the " + exposure + " tool " + call.name,
                     first(call, "tool_execution_start"));
    }
  }
  return std::nullopt;
}

// ------------------------------------------------------------------ defaultActive

bool holds_dormant(const Event& event, const Story& story) {
  const auto* registry = story.registry_at(event.seq);
  return registry != nullptr && std::ranges::any_of(registry->tools.get(), [](const Json& tool) {
           return at(tool, "defaultActive") == false;
         });
}

Complaint dormant_waits_for_its_name(const Event& event, const Story& story) {
  for (const auto& name : event.as<ActiveSet>()->after) {
    const Json* tool = story.tool_at(name, event.seq);
    if (tool == nullptr || at(*tool, "defaultActive") != false) continue;
    if (contains(event.as<ActiveSet>()->before, name)) continue;
    if (was_asked_for(name, event.seq, story)) continue;
    return finding(name + " became active though nobody named it", &event);
  }
  return std::nullopt;
}

// ------------------------------------------------------------------ withdrawal

/// A tool that was listed and is now hidden.
class WithdrawalChecker final : public Checker {
 public:
  void see(const Event& event, const Story& story, Report& report) override {
    if (event.as<RegistryRefresh>() != nullptr) return note(event, report);
    if (const auto* set = event.as<ActiveSet>()) return judge(set->after, event, "active", report);
    if (event.as<ProviderRequest>() == nullptr || story.requests.empty()) return;
    judge(story.requests.back().declared, event, "declared", report);
    if (const auto* set = story.active_at(event.seq)) judge(set->after, event, "active", report);
  }

 private:
  void note(const Event& event, Report& report) {
    for (const auto& tool : snapshot_in(event).tools.get()) {
      const auto name = text_at(tool, "name");
      if (exposure_of(tool) != "hidden") {
        seen_.insert(name);
        withdrawn_.erase(name);
      } else if (seen_.contains(name)) {
        withdrawn_.insert(name);
        report.trigger();
      }
    }
  }

  void judge(const std::vector<std::string>& names, const Event& event, const std::string& how,
             Report& report) const {
    for (const auto& name : names) {
      if (!withdrawn_.contains(name)) continue;
      report.complain(finding("the withdrawn " + name + " is " + how, &event));
    }
  }

  std::set<std::string> seen_;
  std::set<std::string> withdrawn_;
};

std::vector<Rule> visibility_rules() {
  return {
      rule("TOOL-22",
           "hidden tools are never active, codemode and deferred ones declared only when named, "
           "and calls between tools are refused as the exposure says; triggered by a tool that is "
           "not direct")
          .for_the_run()
          .when(has_other_exposures)
          .expect(hidden_is_never_active)
          .expect(all_declarations_fit_exposure)
          .expect(nested_calls_fit_exposure),
      rule("TOOL-23",
           "a tool with defaultActive false becomes active only after the host or setActiveTools "
           "named it")
          .for_each("active_set")
          .when(holds_dormant)
          .expect(dormant_waits_for_its_name),
      rule("TOOL-24",
           "a tool that was registered again as hidden is neither active nor declared from then on")
          .by<WithdrawalChecker>({"registry_refresh", "active_set", "provider_request"}),
  };
}

}  // namespace

std::vector<Rule> tool_life_rules() {
  std::vector<Rule> rules{
      rule("TOOL-02",
           "a note defined {tool, tools: $tools, active: $active} right after defineTool does not "
           "list the tool, and its extension has not registered it")
          .for_each("notify")
          .when(reports_definition)
          .expect(defining_registers_nothing),
      rule("TOOL-04",
           "sourceInfo of built-in, SDK and inline tools has the path, source, scope and origin of "
           "its kind; triggered by a registry with all levels")
          .for_each("registry_refresh")
          .when(has_all_levels)
          .expect(origins_are_well_formed),
      rule("TOOL-05",
           "no candidate has parameters that are no object, and a diagnostic invalid_tool names "
           "tool and extension")
          .for_the_run()
          .when(offers_a_bad_schema)
          .expect(bad_schema_is_refused),
      rule("TOOL-16",
           "an overridden built-in stays among the candidates as it was, and what replaced it is "
           "listed as registered")
          .by<OverriddenBuiltinChecker>({"registry_refresh"}),
  };
  for (auto& rule : visibility_rules()) rules.push_back(std::move(rule));
  return rules;
}

}  // namespace plumb::invariants
