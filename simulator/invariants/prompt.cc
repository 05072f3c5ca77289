// SPDX-License-Identifier: Apache-2.0
// The system prompt: what tools put into it, and what they must not.
#include <algorithm>
#include <iterator>
#include <utility>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/prompt_view.h"
#include "simulator/invariants/registry_view.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

using Tools = std::vector<const Json*>;

bool has_metadata(const Json& tool) {
  return !snippet_of(tool).empty() || !guidelines_of(tool).empty();
}

// ------------------------------------------------------------------ declarations

const Json* member_at_any(const Json& body, std::initializer_list<const char*> pointers) {
  for (const char* pointer : pointers) {
    if (const Json* found = find_pointer(body, pointer)) return found;
  }
  return nullptr;
}

/// The declarations that a request brings: those of its tools zone, and those that new messages
/// announce.
Tools declarations_in(const Request& request) {
  Tools bodies;
  for (const auto& body : request.tools) bodies.push_back(&body.get());
  for (const auto& message : request.fresh) {
    const Json& added = at(message.get(), "toolsAdded");
    if (!added.is_array()) continue;
    for (const auto& one : added) bodies.push_back(&one);
  }
  return bodies;
}

bool has_rich_schema(const Json& tool) {
  return !at(at(tool, "parameters"), "properties").empty();
}

bool declares_a_schema(const Request& request, const Story& story) {
  return std::ranges::any_of(declared_tools(request, story),
                             [](const Json* tool) { return has_rich_schema(*tool); });
}

/// What was sent, less what says nothing about arguments, which are an object, and is written out
/// for a dialect alone: the declared schema does not have it.
Json without_additions(Json sent, const Json& declared) {
  if (!sent.is_object() || !declared.is_object()) return sent;
  if (at(sent, "type") == "object" && !declared.contains("type")) sent.erase("type");
  for (const char* key : {"properties", "required"}) {
    if (!declared.contains(key) && sent.contains(key) && sent[key].empty()) sent.erase(key);
  }
  return sent;
}

Complaint declarations_are_whole(const Request& request, const Story& story) {
  for (const Json* body : declarations_in(request)) {
    const Json* name = member_at_any(*body, {"/name", "/function/name"});
    if (name == nullptr || !name->is_string()) continue;
    const Json* tool = story.tool_at(name->get<std::string>(), request.event->seq);
    if (tool == nullptr) continue;
    const Json* text = member_at_any(*body, {"/description", "/function/description"});
    const Json* schema = member_at_any(
        *body, {"/parameters", "/input_schema", "/inputSchema", "/function/parameters"});
    const std::string who = " that the request declares of " + name->get<std::string>();
    if (auto odd = differ("the description" + who, at(*tool, "description"),
                          text == nullptr ? Json() : *text, request.event)) {
      return odd;
    }
    const Json& declared = at(*tool, "parameters");
    const Json sent = schema == nullptr ? Json() : without_additions(*schema, declared);
    if (auto odd = differ("the schema" + who, declared, sent, request.event)) return odd;
  }
  return std::nullopt;
}

Complaint prompt_holds_no_schema(const Request& request, const Story& story) {
  const std::string prompt = prompt_of(request);
  for (const Json* tool : declared_tools(request, story)) {
    if (!has_rich_schema(*tool) || !prompt.contains(dump_json(at(*tool, "parameters")))) continue;
    return finding("the prompt holds the schema of " + text_at(*tool, "name"), request.event);
  }
  return std::nullopt;
}

// ------------------------------------------------------------------ lines and bullets

bool declares_snippets(const Request& request, const Story& story) {
  return is_generated(request, story) &&
         std::ranges::any_of(declared_tools(request, story),
                             [](const Json* tool) { return !snippet_of(*tool).empty(); });
}

Complaint each_snippet_is_a_line(const Request& request, const Story& story) {
  const auto section = section_text(request, "tools");
  for (const Json* tool : declared_tools(request, story)) {
    const auto snippet = snippet_of(*tool);
    if (snippet.empty()) continue;
    const auto name = text_at(*tool, "name");
    if (auto odd = differ("the lines of " + name + " in the prompt's list of tools",
                          Json::array({"- " + name + ": " + snippet}),
                          as_json(lines_of(section, name)), request.event)) {
      return odd;
    }
  }
  return std::nullopt;
}

bool declares_guidelines(const Request& request, const Story& story) {
  return is_generated(request, story) &&
         std::ranges::any_of(declared_tools(request, story),
                             [](const Json* tool) { return !guidelines_of(*tool).empty(); });
}

Complaint each_guideline_is_a_bullet(const Request& request, const Story& story) {
  const auto section = section_text(request, "rules");
  std::vector<std::string> guidelines;
  for (const Json* tool : declared_tools(request, story)) {
    std::ranges::copy(guidelines_of(*tool), std::back_inserter(guidelines));
  }
  for (const auto& guideline : guidelines) {
    auto odd = differ("bullets of the guideline '" + guideline + "'", Json(1),
                      Json(bullet_count(section, guideline)), request.event);
    if (odd) return odd;
  }
  return std::nullopt;
}

/// The model called a tool without a snippet that it was told of, or should have been: active all
/// the while since the request before.
bool calls_without_snippet(const Call& call, const Story& story) {
  const Request* request = request_of(call, story);
  const Json* tool = tool_of(call, story);
  const Batch* batch = batch_of(call, story);
  if (request == nullptr || tool == nullptr || !is_normal(*batch)) return false;
  if (!snippet_of(*tool).empty() || !is_generated(*request, story)) return false;
  const auto* now = story.active_at(request->event->seq);
  if (now == nullptr || !contains(now->after, call.name)) return false;
  if (is_declared(call, story) || request->previous < 0) return true;
  const auto& previous = story.requests[static_cast<std::size_t>(request->previous)];
  const auto* before = story.active_at(previous.event->seq);
  return before != nullptr && contains(before->after, call.name);
}

Complaint is_declared_without_a_line(const Call& call, const Story& story) {
  const Request& request = *request_of(call, story);
  if (has_line_of(story.section(request, "tools"), call.name)) {
    return finding(call.name + " has a line in the prompt but no snippet", request.event);
  }
  if (!is_declared(call, story)) {
    return finding("the active " + call.name + " is not declared", request.event);
  }
  return require(cause_of(call) != "unknown_tool",
                 "the declared tool " + call.name + " can not be called",
                 first(call, "tool_execution_end"));
}

// ------------------------------------------------------------------ what must stay out

/// Guidelines that belong into the prompt whatever else does.
std::vector<std::string> wanted_guidelines(const Request& request, const Story& story) {
  std::vector<std::string> wanted;
  for (const Json* tool : declared_tools(request, story)) {
    for (auto& one : guidelines_of(*tool)) wanted.push_back(std::move(one));
  }
  for (const auto* returned : preparations_of(request, story)) {
    for (auto& one : strings_in(at(returned->input_after.get(), "guidelines"))) {
      wanted.push_back(std::move(one));
    }
  }
  return wanted;
}

Complaint leaves_no_trace(const Tools& strangers, const Request& request, const Story& story) {
  const auto lines = section_text(request, "tools");
  const auto bullets = section_text(request, "rules");
  const auto wanted = wanted_guidelines(request, story);
  for (const Json* tool : strangers) {
    const auto name = text_at(*tool, "name");
    if (!snippet_of(*tool).empty() && !lines_of(lines, name).empty()) {
      return finding("the prompt has a line for " + name, request.event);
    }
    for (const auto& guideline : guidelines_of(*tool)) {
      if (contains(wanted, guideline) || bullet_count(bullets, guideline) == 0) continue;
      return finding("the prompt has a guideline of " + name, request.event);
    }
  }
  return std::nullopt;
}

/// Registered, not declared, with a snippet or guidelines.
Tools silent_tools(const Request& request, const Story& story) {
  Tools tools;
  const auto* registry = story.registry_at(request.event->seq);
  if (registry == nullptr || !is_generated(request, story)) return tools;
  const auto* active = story.active_at(request.event->seq);
  for (const auto& tool : registry->tools.get()) {
    const auto name = text_at(tool, "name");
    const bool is_active = active != nullptr && contains(active->after, name);
    if (has_metadata(tool) && !is_active && !contains(request.declared, name)) {
      tools.push_back(&tool);
    }
  }
  return tools;
}

bool has_silent_tools(const Request& request, const Story& story) {
  return !silent_tools(request, story).empty();
}

Complaint inactive_are_silent(const Request& request, const Story& story) {
  return leaves_no_trace(silent_tools(request, story), request, story);
}

/// Candidates that the host's filters keep out, with a snippet or guidelines.
Tools filtered_tools(const Request& request, const Story& story) {
  Tools tools;
  const auto* registry = story.registry_at(request.event->seq);
  if (registry == nullptr || !is_generated(request, story)) return tools;
  const Filters filters = filters_of(story);
  for (const auto& candidate : candidates_in(*registry)) {
    const bool is_kept =
        is_allowed_by(filters, candidate.name) && !is_excluded_by(filters, candidate.name);
    if (!is_kept && has_metadata(*candidate.entry)) tools.push_back(candidate.entry);
  }
  return tools;
}

bool has_filtered_tools(const Request& request, const Story& story) {
  return !filtered_tools(request, story).empty();
}

Complaint filtered_are_silent(const Request& request, const Story& story) {
  for (const Json* tool : filtered_tools(request, story)) {
    const auto name = text_at(*tool, "name");
    if (contains(request.declared, name)) {
      return finding(name + " is declared although filtered", request.event);
    }
  }
  return leaves_no_trace(filtered_tools(request, story), request, story);
}

// ------------------------------------------------------------------ after a change of the set

/// Tools with metadata that came or went since the request before.
bool follows_a_telling_change(const Request& request, const Story& story) {
  if (request.previous < 0) return false;
  const Request& previous = story.requests[static_cast<std::size_t>(request.previous)];
  if (request.declared == previous.declared || !is_generated(request, story)) return false;
  const auto is_told = [&](const std::string& name) {
    const Json* tool = story.tool_at(name, request.event->seq);
    return tool != nullptr && has_metadata(*tool);
  };
  const auto differs = [&](const Request& some, const Request& other) {
    return std::ranges::any_of(some.declared, [&](const auto& name) {
      return !contains(other.declared, name) && is_told(name);
    });
  };
  return differs(request, previous) || differs(previous, request);
}

Complaint is_rebuilt(const Request& request, const Story& story) {
  for (const auto& expectation :
       {each_snippet_is_a_line, each_guideline_is_a_bullet, inactive_are_silent}) {
    if (auto odd = expectation(request, story)) return odd;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Rule> prompt_tool_rules() {
  return {
      rule("PROMPT-01",
           "each declaration has the registry's description and schema, and the prompt does not "
           "hold the schema; triggered by a schema with properties")
          .for_each_prompt()
          .when(declares_a_schema)
          .expect(declarations_are_whole)
          .expect(prompt_holds_no_schema),
      rule("PROMPT-02",
           "each declared tool with a snippet has one line '- NAME: SNIPPET' in the section tools")
          .for_each_prompt()
          .when(declares_snippets)
          .expect(each_snippet_is_a_line),
      rule("PROMPT-03",
           "a tool without a snippet has no line in the section tools, is declared and can be "
           "called; triggered by a call of one")
          .for_each_call()
          .when(calls_without_snippet)
          .expect(is_declared_without_a_line),
      rule("PROMPT-04", "each guideline of a declared tool is one bullet of the section rules")
          .for_each_prompt()
          .when(declares_guidelines)
          .expect(each_guideline_is_a_bullet),
      rule("PROMPT-05",
           "a registered tool that is not declared has neither line nor bullet; triggered by one "
           "with a snippet or guidelines")
          .for_each_prompt()
          .when(has_silent_tools)
          .expect(inactive_are_silent),
      rule("REG-21",
           "a tool that the host's filters keep out has neither declaration nor line nor bullet; "
           "triggered by one with a snippet or guidelines")
          .for_each_prompt()
          .when(has_filtered_tools)
          .expect(filtered_are_silent),
      rule("ACTIVE-07",
           "after a change of the active set the prompt has the lines and bullets of the new set "
           "alone; triggered when a tool with a snippet or guidelines came or went")
          .for_each_request()
          .when(follows_a_telling_change)
          .expect(is_rebuilt),
  };
}

}  // namespace plumb::invariants
