// SPDX-License-Identifier: Apache-2.0
// What a running tool is given, which version of it runs, and what it may reach.
#include <algorithm>
#include <array>
#include <utility>

#include "engine/values/json_schema.h"
#include "simulator/invariants/domains.h"
#include "simulator/invariants/registry_view.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

const Json& data_of_note(const Event& event) {
  return event.as<Notify>()->data.get();
}

/// A note that a tool took about itself while it ran.
bool is_from_execution(const Event& event, const Story& story) {
  const Call* call = event.call.empty() ? nullptr : call_of(event, story);
  if (call == nullptr) return false;
  const auto begun = seq_of(*call, "execute_begin");
  const auto settled = seq_of(*call, "execute_end");
  return begun >= 0 && event.seq > begun && (settled < 0 || event.seq < settled);
}

// ------------------------------------------------------------------ the context

/// The model that the host chose last before `seq`.
std::string model_at(std::int64_t seq, const Story& story) {
  std::string model = text_at(at(story.host(), "settings"), "model");
  for (const Event* event : story.steps) {
    const auto* step = event->as<Step>();
    if (event->seq > seq || step->step != "configure") continue;
    const auto chosen = text_at(step->data.get(), "model");
    if (!chosen.empty()) model = chosen;
  }
  return model;
}

bool reads_a_changed_model(const Event& event, const Story& story) {
  return event.as<Notify>()->topic == "context" && is_from_execution(event, story) &&
         model_at(event.seq, story) != text_at(at(story.host(), "settings"), "model");
}

Complaint model_is_the_present_one(const Event& event, const Story& story) {
  return differ("the model that the tool's context names", Json(model_at(event.seq, story)),
                at(data_of_note(event), "model"), &event);
}

bool shows_the_session(const Event& event, const Story& story) {
  return event.as<Notify>()->topic == "session_view" && is_from_execution(event, story);
}

Complaint context_is_complete(const Event& event, const Story&) {
  for (const char* member : {"cwd", "model"}) {
    if (!text_at(data_of_note(event), member).empty()) continue;
    return finding("the context does not tell its " + std::string(member), &event);
  }
  return std::nullopt;
}

/// What the view shows is what the session stored: a tool can not add to it.
Complaint view_is_what_was_stored(const Event& event, const Story& story) {
  Json stored = Json::array();
  for (const Event* entry : story.entries) {
    if (entry->seq < event.seq) stored.push_back(entry->as<SessionEntry>()->id);
  }
  Json shown = Json::array();
  for (const auto& entry : at(data_of_note(event), "entries")) shown.push_back(at(entry, "id"));
  return differ("the entries that the session view shows", stored, shown, &event);
}

// ------------------------------------------------------------------ failures

bool adds_and_throws(const Call& call, const Story& story) {
  const auto* settled = settled_of(call);
  if (settled == nullptr || settled->outcome != "threw" || end_of(call) == nullptr) return false;
  return std::ranges::any_of(story.active_sets, [&](const Event* event) {
    const auto* set = event->as<ActiveSet>();
    return event->seq > seq_of(call, "execute_begin") && event->seq < seq_of(call, "execute_end") &&
           set->after.size() > set->before.size();
  });
}

Complaint names_nothing(const Call& call, const Story&) {
  return require(at(result_of(call), "addedToolNames").is_null(),
                 "the result of a failed execution has addedToolNames",
                 first(call, "tool_execution_end"));
}

// ------------------------------------------------------------------ versions of one tool

/// Descriptions that the registrations of one owner gave a name, in order.
std::vector<std::string> versions_of(const std::string& name, const std::string& path,
                                     const Story& story) {
  std::vector<std::string> versions;
  for (const Event* event : story.registries) {
    const Json* tool = find_entry(event->as<RegistryRefresh>()->tools.get(), name);
    if (tool == nullptr || path_of(*tool) != path) continue;
    const auto description = text_at(*tool, "description");
    if (!contains(versions, description)) versions.push_back(description);
  }
  return versions;
}

/// It ran, and its result is the description of one of the versions of its tool.
bool tells_its_version(const Call& call, const Story& story) {
  if (story.registries.size() < 2) return false;
  const Request* request = request_of(call, story);
  if (request == nullptr || !has_executed(call) || settled_of(call) == nullptr) return false;
  const Json* tool = story.tool_at(call.name, request->event->seq);
  if (tool == nullptr) return false;
  const auto versions = versions_of(call.name, path_of(*tool), story);
  if (versions.size() < 2) return false;
  const auto told = text_in(at(settled_of(call)->result.get(), "content"));
  return contains(versions, told);
}

Complaint runs_the_declared_version(const Call& call, const Story& story) {
  const Json* tool = story.tool_at(call.name, request_of(call, story)->event->seq);
  return differ("the version that ran of " + call.name, at(*tool, "description"),
                Json(text_in(at(settled_of(call)->result.get(), "content"))),
                first(call, "execute_end"));
}

// ------------------------------------------------------------------ narrow tools

/// The reference tools over notes and the one member that their arguments have.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kNoteTools = {
    {{"search_notes", "query"}, {"read_note", "id"}}};

std::string_view member_of(const std::string& name) {
  for (const auto& [tool, member] : kNoteTools) {
    if (tool == name) return member;
  }
  return "";
}

std::string asked_of(const Call& call) {
  return text_at(call.raw.get(), member_of(call.name));
}

bool asks_notes_for_a_path(const Call& call, const Story&) {
  return !member_of(call.name).empty() && has_executed(call) && asked_of(call).contains('/');
}

Complaint takes_one_text(const Call& call, const Story& story) {
  const Json* tool = tool_of(call, story);
  if (tool == nullptr) return std::nullopt;
  const Json& members = at(at(*tool, "parameters"), "properties");
  const bool is_narrow = members.size() == 1 && members.contains(member_of(call.name));
  return require(is_narrow, call.name + " takes more than its " + std::string(member_of(call.name)),
                 first(call, "execute_begin"));
}

Complaint stays_in_its_notes(const Call& call, const Story&) {
  for (const EventName kind : {EventName("file_op"), EventName("process_start")}) {
    if (const Event* event = first(call, kind)) {
      return finding(call.name + " went beyond its notes", event);
    }
  }
  return std::nullopt;
}

Complaint path_is_no_note(const Call& call, const Story&) {
  return require(call.name != "read_note" || is_error(call), "a path was read as a note",
                 first(call, "tool_execution_end"));
}

// ------------------------------------------------------------------ structured results

bool succeeds_with_schema(const Call& call, const Story& story) {
  const Json* tool = tool_of(call, story);
  const auto* settled = settled_of(call);
  return tool != nullptr && settled != nullptr && settled->outcome == "ok" && !is_error(call) &&
         !at(*tool, "outputSchema").is_null();
}

Complaint structure_fits_the_schema(const Call& call, const Story& story) {
  const auto schema = compile_schema(at(*tool_of(call, story), "outputSchema"));
  if (!schema) return std::nullopt;
  const Json& structured = at(settled_of(call)->result.get(), "structuredContent");
  return require(schema->accepts(structured),
                 "structuredContent of " + call.name + " does not match outputSchema",
                 first(call, "execute_end"));
}

/// The model sees the content and nothing of the structure beside it.
Complaint model_sees_the_content_only(const Call& call, const Story& story) {
  const ShownResult* shown = shown_result(call, story);
  const Json& structured = at(settled_of(call)->result.get(), "structuredContent");
  if (shown == nullptr || !structured.is_structured() || structured.empty()) return std::nullopt;
  const auto text = dump_json(structured);
  const auto meant = text_in(at(settled_of(call)->result.get(), "content"));
  if (meant.contains(text)) return std::nullopt;
  const bool is_hidden = !text_in(shown->content.get()).contains(text) &&
                         !shown->bytes().contains("structuredContent");
  return require(is_hidden, "the model sees structuredContent",
                 next_request_of(call, story)->event);
}

std::vector<Rule> context_rules() {
  return {
      rule("TOOL-08",
           "a note context {model: $ctx.model} that a tool takes while it runs names the host's "
           "present model; triggered once that has changed")
          .for_each("notify")
          .when(reads_a_changed_model)
          .expect(model_is_the_present_one),
      rule("TOOL-27",
           "a note session_view {cwd, model, entries: $ctx.entries} that a tool takes has all "
           "three, and the entries are those that the session stored")
          .for_each("notify")
          .when(shows_the_session)
          .expect(context_is_complete)
          .expect(view_is_what_was_stored),
  };
}

}  // namespace

std::vector<Rule> tool_use_rules() {
  auto rules = context_rules();
  const std::vector<Rule> others{
      rule("TOOL-13", "no addedToolNames in the result of an execution that added a tool and threw")
          .for_each_call()
          .among({"threw"})
          .when(adds_and_throws)
          .expect(names_nothing),
      rule("TOOL-17",
           "of a tool with several versions the one runs that was registered when the request was "
           "sent; triggered by a result that is a version's description")
          .for_each_call()
          .when(tells_its_version)
          .expect(runs_the_declared_version),
      rule("TOOL-18",
           "search_notes and read_note take one text and touch neither files nor processes; a path "
           "is no note; triggered by an argument with a slash")
          .for_each_call()
          .when(asks_notes_for_a_path)
          .expect(takes_one_text)
          .expect(stays_in_its_notes)
          .expect(path_is_no_note),
      rule("TOOL-21",
           "structuredContent of a successful call matches the tool's outputSchema and is not "
           "shown to the model")
          .for_each_call()
          .when(succeeds_with_schema)
          .expect(structure_fits_the_schema)
          .expect(model_sees_the_content_only),
  };
  rules.insert(rules.end(), others.begin(), others.end());
  return rules;
}

}  // namespace plumb::invariants
