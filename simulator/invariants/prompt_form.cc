// SPDX-License-Identifier: Apache-2.0
// The form of the system prompt as a whole: its parts, their order, and who may change it.
#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/prompt_view.h"
#include "simulator/invariants/registry_view.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

// ------------------------------------------------------------------ details of lines and bullets

bool has_untidy_snippet(const Json& tool) {
  const auto raw = text_at(tool, "promptSnippet");
  return !raw.empty() && raw != one_line(raw);
}

bool declares_untidy_snippet(const Request& request, const Story& story) {
  return is_generated(request, story) &&
         std::ranges::any_of(declared_tools(request, story),
                             [](const Json* tool) { return has_untidy_snippet(*tool); });
}

Complaint untidy_snippets_are_lines(const Request& request, const Story& story) {
  const auto section = section_text(request, "tools");
  for (const Json* tool : declared_tools(request, story)) {
    if (!has_untidy_snippet(*tool)) continue;
    const auto name = text_at(*tool, "name");
    const auto snippet = snippet_of(*tool);
    Json expected = Json::array();
    if (!snippet.empty()) expected.push_back("- " + name + ": " + snippet);
    if (auto odd = differ("the lines of " + name + " in the prompt's list of tools", expected,
                          as_json(lines_of(section, name)), request.event)) {
      return odd;
    }
  }
  return std::nullopt;
}

/// Every guideline as its tool gives it, in the order of the declarations.
std::vector<std::string> raw_guidelines(const Request& request, const Story& story) {
  std::vector<std::string> all;
  for (const Json* tool : declared_tools(request, story)) {
    for (auto& one : strings_in(at(*tool, "promptGuidelines"))) all.push_back(std::move(one));
  }
  return all;
}

std::vector<std::string> tidy_guidelines(const Request& request, const Story& story) {
  std::vector<std::string> all;
  for (const Json* tool : declared_tools(request, story)) {
    for (auto& one : guidelines_of(*tool)) {
      if (!contains(all, one)) all.push_back(std::move(one));
    }
  }
  return all;
}

bool declares_untidy_guidelines(const Request& request, const Story& story) {
  return is_generated(request, story) &&
         raw_guidelines(request, story) != tidy_guidelines(request, story);
}

Complaint bullets_are_tidy(const Request& request, const Story& story) {
  const auto section = section_text(request, "rules");
  for (const auto& guideline : tidy_guidelines(request, story)) {
    if (auto odd = differ("bullets of the guideline '" + guideline + "'", Json(1),
                          Json(bullet_count(section, guideline)), request.event)) {
      return odd;
    }
  }
  for (const auto& guideline : raw_guidelines(request, story)) {
    const bool is_tidy = contains(tidy_guidelines(request, story), guideline);
    if (is_tidy || bullet_count(section, guideline) == 0) continue;
    return finding("a bullet is not trimmed: '" + guideline + "'", request.event);
  }
  return std::nullopt;
}

bool has_two_lines_or_bullets(const Request& request, const Story& story) {
  if (!is_generated(request, story)) return false;
  const auto lines = std::ranges::count_if(
      declared_tools(request, story), [](const Json* tool) { return !snippet_of(*tool).empty(); });
  return lines >= 2 || tidy_guidelines(request, story).size() >= 2;
}

/// The declared tools in the order of the active set, which is not always that of the request.
std::vector<const Json*> tools_in_active_order(const Request& request, const Story& story) {
  const auto* active = story.active_at(request.event->seq);
  if (active == nullptr) return declared_tools(request, story);
  std::vector<const Json*> tools;
  for (const auto& name : active->after) {
    const Json* tool = story.tool_at(name, request.event->seq);
    if (tool != nullptr && contains(request.declared, name)) tools.push_back(tool);
  }
  return tools;
}

std::vector<std::string> guidelines_in_active_order(const Request& request, const Story& story) {
  std::vector<std::string> all;
  for (const Json* tool : tools_in_active_order(request, story)) {
    for (auto& one : guidelines_of(*tool)) {
      if (!contains(all, one)) all.push_back(std::move(one));
    }
  }
  return all;
}

Complaint parts_follow_the_active_order(const Request& request, const Story& story) {
  const auto lines = section_text(request, "tools");
  const auto bullets = section_text(request, "rules");
  std::size_t last = 0;
  for (const Json* tool : tools_in_active_order(request, story)) {
    const auto found = ("\n" + lines).find("\n- " + text_at(*tool, "name") + ":");
    if (snippet_of(*tool).empty() || found == std::string::npos) continue;
    if (found < last) return finding("the lines of tools are in another order", request.event);
    last = found;
  }
  last = 0;
  for (const auto& guideline : guidelines_in_active_order(request, story)) {
    const auto found = bullet_place(bullets, guideline);
    if (found == std::string::npos) continue;
    if (found < last) return finding("the bullets are in another order", request.event);
    last = found;
  }
  return std::nullopt;
}

bool declares_no_snippet(const Request& request, const Story& story) {
  return is_generated(request, story) && story.registry_at(request.event->seq) != nullptr &&
         std::ranges::all_of(declared_tools(request, story),
                             [](const Json* tool) { return snippet_of(*tool).empty(); });
}

Complaint list_says_none(const Request& request, const Story&) {
  const auto section = section_text(request, "tools");
  return require(section.starts_with("(none)\n") || section == "(none)",
                 "a list without tools does not say so", request.event);
}

/// A built-in's override without a snippet of its own.
bool overrides_without_snippet(const Json& tool, const RegistryRefresh& registry) {
  if (view_at(tool, "level") == "builtin" || !snippet_of(tool).empty()) return false;
  return std::ranges::any_of(candidates_in(registry), [&](const Candidate& candidate) {
    return candidate.level == "builtin" && candidate.name == text_at(tool, "name") &&
           !snippet_of(*candidate.entry).empty();
  });
}

bool declares_bare_override(const Request& request, const Story& story) {
  const auto* registry = story.registry_at(request.event->seq);
  return registry != nullptr && is_generated(request, story) &&
         std::ranges::any_of(declared_tools(request, story), [&](const Json* tool) {
           return overrides_without_snippet(*tool, *registry);
         });
}

Complaint override_inherits_nothing(const Request& request, const Story& story) {
  const auto* registry = story.registry_at(request.event->seq);
  const auto section = section_text(request, "tools");
  for (const Json* tool : declared_tools(request, story)) {
    const auto name = text_at(*tool, "name");
    if (!overrides_without_snippet(*tool, *registry) || lines_of(section, name).empty()) continue;
    return finding("the override of " + name + " inherits a line", request.event);
  }
  return std::nullopt;
}

// ------------------------------------------------------------------ sections

constexpr std::array<std::string_view, 7> kSections = {
    "tools", "rules", "docs", "addendum", "project_context", "skills", "cwd"};

/// Places of the sections that are there, in the order of PROMPT-15.
std::vector<std::size_t> section_places(const std::string& prompt) {
  std::vector<std::size_t> places;
  for (const auto name : kSections) {
    const auto place = ("\n" + prompt).find("\n<" + std::string(name) + ">\n");
    if (place != std::string::npos) places.push_back(place);
  }
  return places;
}

bool has_sections(const Request& request, const Story& story) {
  return is_generated(request, story) && section_places(prompt_of(request)).size() >= 2;
}

Complaint sections_are_in_order(const Request& request, const Story&) {
  const auto places = section_places(prompt_of(request));
  if (places.front() == 0) return finding("nothing stands before the sections", request.event);
  return require(std::ranges::is_sorted(places), "the sections are in another order",
                 request.event);
}

bool is_customised(const Request& request, const Story& story) {
  return has_custom_prompt(story) && !forced_prompt(request, story);
}

Complaint generated_parts_are_gone(const Request& request, const Story& story) {
  const Json& host = at(story.host(), "prompt");
  const auto prompt = prompt_of(request);
  if (!prompt.starts_with(text_at(host, "custom"))) {
    return finding("the prompt does not begin with the host's", request.event);
  }
  const auto rest = prompt.substr(text_at(host, "custom").size());
  for (const char* name : {"tools", "rules", "docs"}) {
    if (section_of(rest, name)) {
      return finding("the section " + std::string(name) + " follows a custom prompt",
                     request.event);
    }
  }
  const auto appended = text_at(host, "appended");
  if (section_of(rest, "addendum").value_or("") != appended) {
    return finding("the appended text does not follow a custom prompt", request.event);
  }
  return require(section_of(rest, "cwd").has_value(),
                 "the working directory does not follow a custom prompt", request.event);
}

// ------------------------------------------------------------------ the same inputs

const Request* earlier(const Request& request, const Story& story) {
  if (request.previous < 0) return nullptr;
  return &story.requests[static_cast<std::size_t>(request.previous)];
}

bool is_touched_between(const Request& former, const Request& latter, const Story& story) {
  for (const auto* list : {&story.registries, &story.active_sets}) {
    if (std::ranges::any_of(*list, [&](const Event* event) {
          return event->seq > former.event->seq && event->seq < latter.event->seq;
        })) {
      return true;
    }
  }
  return false;
}

/// What is declared, whatever its order: that may not change either.
std::set<std::string> definitions_of(const Request& request, const Story& story) {
  std::set<std::string> definitions;
  for (const Json* tool : declared_tools(request, story)) definitions.insert(tool->dump());
  return definitions;
}

/// The registry was refreshed or the set was set in a run, and what is declared is the same.
bool is_refreshed_to_the_same(const Request& request, const Story& story) {
  const Request* previous = earlier(request, story);
  if (previous == nullptr || !is_touched_between(*previous, request, story)) return false;
  if (story.run_end_after(previous->event->seq) < request.event->seq) return false;
  const auto* set_before = story.active_at(previous->event->seq);
  const auto* set_now = story.active_at(request.event->seq);
  if (set_before == nullptr || set_now == nullptr || set_before->after != set_now->after) {
    return false;
  }
  return std::ranges::is_permutation(previous->declared, request.declared) &&
         definitions_of(*previous, story) == definitions_of(request, story);
}

Complaint bytes_are_the_same(const Request& request, const Story&) {
  if (request.has_new_system) return finding("the same tools give another prompt", request.event);
  return require(!request.has_new_tools, "the same tools are declared with other bytes",
                 request.event);
}

// ------------------------------------------------------------------ one run's own prompt

bool is_prepared(const Request& request, const Story& story) {
  return !preparations_of(request, story).empty();
}

Complaint forced_prompt_is_sent(const Request& request, const Story& story) {
  const auto forced = forced_prompt(request, story);
  if (!forced) return std::nullopt;
  return differ("the prompt that a handler gave for this run", Json(*forced),
                Json(prompt_of(request)), request.event);
}

Complaint sections_are_added(const Request& request, const Story& story) {
  if (forced_prompt(request, story)) return std::nullopt;
  const Json& sections = at(preparations_of(request, story).back()->input_after.get(), "sections");
  if (!sections.is_object()) return std::nullopt;
  for (const auto& [name, text] : sections.items()) {
    const auto actual = section_of(prompt_of(request), name);
    if (auto odd = differ("the section " + name + " that a handler added", text,
                          actual ? Json(*actual) : Json(), request.event)) {
      return odd;
    }
  }
  return std::nullopt;
}

std::vector<std::string> sections_asked_for(const Request& request, const Story& story) {
  std::vector<std::string> names;
  const auto returns = preparations_of(request, story);
  if (returns.empty()) return names;
  const Json& sections = at(returns.back()->input_after.get(), "sections");
  if (!sections.is_object()) return names;
  for (const auto& [name, text] : sections.items()) names.push_back(name);
  return names;
}

/// What handlers of an earlier run asked for and those of this run did not.
Complaint earlier_runs_are_forgotten(const Request& request, const Story& story) {
  const Request* previous = earlier(request, story);
  if (previous == nullptr) return std::nullopt;
  const auto forced = forced_prompt(*previous, story);
  if (forced && !forced_prompt(request, story) && prompt_of(request) == *forced) {
    return finding("the prompt of an earlier run is sent again", request.event);
  }
  const auto now = sections_asked_for(request, story);
  for (const auto& name : sections_asked_for(*previous, story)) {
    if (contains(now, name) || !section_of(prompt_of(request), name)) continue;
    return finding("the section " + name + " of an earlier run is sent again", request.event);
  }
  return std::nullopt;
}

bool follows_a_prepared_run(const Request& request, const Story& story) {
  const Request* previous = earlier(request, story);
  return previous != nullptr && is_prepared(*previous, story);
}

bool is_of_a_prepared_run(const Request& request, const Story& story) {
  return is_prepared(request, story) || follows_a_prepared_run(request, story);
}

Complaint preparation_holds(const Request& request, const Story& story) {
  if (auto odd = earlier_runs_are_forgotten(request, story)) return odd;
  if (!is_prepared(request, story)) return std::nullopt;
  if (auto odd = forced_prompt_is_sent(request, story)) return odd;
  return sections_are_added(request, story);
}

/// Each handler is given the options and the prompt as the one before it left them.
Complaint handlers_see_changes(const Request& request, const Story& story) {
  const auto returns = preparations_of(request, story);
  const HookReturn* left = nullptr;
  Json forced;
  for (const Event* event : story.hooks) {
    const auto* returned = event->as<HookReturn>();
    if (returned != nullptr && std::ranges::find(returns, returned) != returns.end()) {
      left = returned;
      const Json& prompt = at(left->result.get(), "systemPrompt");
      if (prompt.is_string()) forced = prompt;
    }
    const auto* asked = event->as<HookCall>();
    if (asked == nullptr || left == nullptr || left == returns.back()) continue;
    const Json& given = asked->input.get();
    Json options = at(given, "systemPromptOptions");
    // Where the options themselves hold a forced prompt, it is judged below.
    if (options.is_object()) options.erase("forceSystemPrompt");
    Json expected = left->input_after.get();
    if (expected.is_object()) expected.erase("forceSystemPrompt");
    if (auto odd = differ("the options that the next handler is given", expected, options, event)) {
      return odd;
    }
    if (forced.is_null()) continue;
    if (auto odd = differ("the prompt that the next handler is given", forced,
                          at(given, "systemPrompt"), event)) {
      return odd;
    }
  }
  return std::nullopt;
}

// ------------------------------------------------------------------ advice is no gate

/// A handler blocked a call of a tool that the prompt speaks of.
bool is_blocked_against_advice(const Call& call, const Story& story) {
  const Request* request = request_of(call, story);
  const HookReturn* stopper = stopper_of(call);
  return request != nullptr && stopper != nullptr && is_block(*stopper) &&
         prompt_of(*request).contains(call.name);
}

Complaint gate_decides(const Call& call, const Story&) {
  if (has_executed(call)) {
    return finding("a blocked call ran, whatever the prompt says", first(call, "execute_begin"));
  }
  return require(is_error(call), "a blocked call is no error", first(call, "tool_execution_end"));
}

std::vector<Rule> detail_rules() {
  return {
      rule("PROMPT-06",
           "a snippet with line breaks or runs of blanks stands in one line; an empty one has none")
          .for_each_prompt()
          .when(declares_untidy_snippet)
          .expect(untidy_snippets_are_lines),
      rule("PROMPT-07",
           "guidelines are trimmed and stand once; triggered by some that are not so themselves")
          .for_each_prompt()
          .when(declares_untidy_guidelines)
          .expect(bullets_are_tidy),
      rule("PROMPT-08", "lines and bullets of tools follow the order of the active set")
          .for_each_prompt()
          .when(has_two_lines_or_bullets)
          .expect(parts_follow_the_active_order),
      rule("PROMPT-09", "the section tools says (none) when no declared tool has a snippet")
          .for_each_prompt()
          .when(declares_no_snippet)
          .expect(list_says_none),
      rule("PROMPT-12", "an override without a snippet has no line for the built-in's")
          .for_each_prompt()
          .when(declares_bare_override)
          .expect(override_inherits_nothing),
      rule("PROMPT-15", "the sections follow the preamble in their fixed order")
          .for_each_prompt()
          .when(has_sections)
          .expect(sections_are_in_order),
  };
}

}  // namespace

std::vector<Rule> prompt_form_rules() {
  auto rules = detail_rules();
  const std::vector<Rule> others{
      rule("PROMPT-10",
           "with a custom prompt of the host (step start) the sections tools, rules and docs are "
           "gone, appended text and cwd follow it")
          .for_each_prompt()
          .when(is_customised)
          .expect(generated_parts_are_gone),
      rule("PROMPT-11",
           "a refresh or a set in a run that leaves the declared definitions as they were leaves "
           "the bytes of prompt and tools")
          .for_each_request()
          .when(is_refreshed_to_the_same)
          .expect(bytes_are_the_same),
      rule("PROMPT-14",
           "a systemPrompt that before_agent_start returned is sent in this run and not in the "
           "next; sections that it added are there; each handler is given what the last one left")
          .for_each_request()
          .when(is_of_a_prepared_run)
          .expect(preparation_holds)
          .expect(handlers_see_changes),
      rule("PROMPT-16",
           "a call that a handler blocked does not run, whatever the prompt says; triggered when "
           "the prompt names the tool")
          .for_each_call()
          .among({"hook_return"})
          .when(is_blocked_against_advice)
          .expect(gate_decides),
  };
  rules.insert(rules.end(), others.begin(), others.end());
  return rules;
}

}  // namespace plumb::invariants
