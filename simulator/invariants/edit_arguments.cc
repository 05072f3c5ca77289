// SPDX-License-Identifier: Apache-2.0
// Older and broken shapes of an edit's arguments, and what stands of them in the transcript.
#include <algorithm>
#include <optional>
#include <utility>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/edit_case.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

using std::string_view_literals::operator""sv;

const Json& raw_of(const Call& call) {
  return call.raw.get();
}

bool is_text(const Json& object, std::string_view key) {
  return at(object, key).is_string();
}

bool is_one_edit(const Json& value) {
  return is_text(value, "oldText") && is_text(value, "newText");
}

/// A call of the built-in edit that has ended and that no handler or abort stopped.
bool is_free_edit(const Call& call, const Story& story) {
  if (call.name != "edit"sv || end_of(call) == nullptr || stopper_of(call) != nullptr) return false;
  const Json* tool = tool_of(call, story);
  return (tool == nullptr || view_at(*tool, "level") == "builtin") &&
         abort_during(call, story) < 0 && raw_of(call).is_object();
}

const Event* argument_end(const Call& call) {
  return first(call, "tool_execution_end");
}

/// The call ends before execute, as an error, and touches no file.
Complaint is_refused_at_once(const Call& call, const Story&) {
  if (has_executed(call)) {
    return finding("arguments that do not fit are executed", first(call, "execute_begin"));
  }
  if (const Event* operation = first(call, "file_op")) {
    return finding("arguments that do not fit reach a file", operation);
  }
  return require(is_error(call), "arguments that do not fit are no error", argument_end(call));
}

// ------------------------------------------------------------------ half a pair (EDIT-45)

bool has_half_a_pair(const Call& call, const Story& story) {
  if (!is_free_edit(call, story)) return false;
  return is_text(raw_of(call), "oldText") != is_text(raw_of(call), "newText");
}

Complaint half_a_pair_stays(const Call& call, const Story& story) {
  if (!at(raw_of(call), "edits").is_array()) return is_refused_at_once(call, story);
  const Json* input = validated_input(call);
  if (input == nullptr) return finding("edits beside half a pair are refused", argument_end(call));
  return differ("edits beside half a pair", at(raw_of(call), "edits"), at(*input, "edits"),
                argument_end(call));
}

// ------------------------------------------------------------------ one edit (EDIT-47, EDIT-48)

/// The one edit that stands for a list, as an object or as its text; null if it is none.
Json single_edit(const Json& edits) {
  if (is_one_edit(edits)) return edits;
  if (!edits.is_string()) return nullptr;
  auto parsed = parse_json(edits.get<std::string>());
  return parsed && is_one_edit(*parsed) ? *std::move(parsed) : Json(nullptr);
}

bool sends_one_edit(const Call& call, const Story& story) {
  return is_free_edit(call, story) && !single_edit(at(raw_of(call), "edits")).is_null() &&
         !is_one_edit(raw_of(call));
}

Complaint one_edit_is_a_list(const Call& call, const Story&) {
  const Json* input = validated_input(call);
  if (input == nullptr) return finding("a single edit is refused", argument_end(call));
  const Json expected = Json::array({single_edit(at(raw_of(call), "edits"))});
  return differ("a single edit", expected, at(*input, "edits"), argument_end(call));
}

bool sends_unusable_text(const Call& call, const Story& story) {
  if (!is_free_edit(call, story) || is_one_edit(raw_of(call))) return false;
  const Json& edits = at(raw_of(call), "edits");
  if (!edits.is_string() || !single_edit(edits).is_null()) return false;
  const auto parsed = parse_json(edits.get<std::string>());
  return !parsed || !parsed->is_array();
}

// ------------------------------------------------------------------ the transcript (EDIT-50)

std::optional<ShownCall> call_in_transcript(const Call& call, const Story& story) {
  const Request* request = next_request_of(call, story);
  if (request == nullptr) return std::nullopt;
  for (auto& shown : answered_in(*request)) {
    if (shown.id == call.id) return std::move(shown);
  }
  return std::nullopt;
}

bool sends_an_older_shape(const Call& call, const Story& story) {
  return is_free_edit(call, story) && call_in_transcript(call, story) &&
         (is_one_edit(raw_of(call)) || !at(raw_of(call), "edits").is_array());
}

Complaint transcript_has_what_came(const Call& call, const Story& story) {
  return differ("arguments of call " + call.id + " in the transcript", raw_of(call),
                call_in_transcript(call, story)->arguments.get(),
                next_request_of(call, story)->event);
}

// ------------------------------------------------------------------ other keys (EDIT-52)

bool is_known_key(std::string_view key) {
  return key == "path" || key == "edits" || key == "oldText" || key == "newText";
}

bool has_other_keys(const Call& call, const Story& story) {
  if (!is_free_edit(call, story)) return false;
  for (const auto& [key, value] : raw_of(call).items()) {
    if (!is_known_key(key)) return true;
  }
  return false;
}

Complaint other_keys_mean_nothing(const Call& call, const Story& story) {
  if (!is_text(raw_of(call), "path")) return is_refused_at_once(call, story);
  const bool is_list = at(raw_of(call), "edits").is_array();
  return require(!is_list || at(raw_of(call), "edits").empty() || has_executed(call),
                 "a key that means nothing makes the call fail", argument_end(call));
}

// ------------------------------------------------------------------ null for a text (EDIT-53)

bool lacks_a_text(const Json& edit) {
  return edit.is_object() && (at(edit, "oldText").is_null() || at(edit, "newText").is_null());
}

bool has_an_edit_without_text(const Call& call, const Story& story) {
  if (!story.is_edition("seed") || !is_free_edit(call, story)) return false;
  const Json& edits = at(raw_of(call), "edits");
  return edits.is_array() && std::ranges::any_of(edits, lacks_a_text);
}

}  // namespace

std::vector<Rule> edit_argument_rules() {
  return {
      rule("EDIT-45", "one of oldText and newText without the other is no edit")
          .for_each_call()
          .among({"edit"})
          .when(has_half_a_pair)
          .expect(half_a_pair_stays),
      rule("EDIT-47", "edits that are one edit, or its text, are a list of it")
          .for_each_call()
          .among({"edit"})
          .when(sends_one_edit)
          .expect(one_edit_is_a_list),
      rule("EDIT-48", "edits that are text of no list end the call before execute")
          .for_each_call()
          .among({"edit"})
          .when(sends_unusable_text)
          .expect(is_refused_at_once),
      rule("EDIT-50",
           "the next request shows the call with the arguments that the model sent; triggered by "
           "an older shape")
          .for_each_call()
          .among({"edit"})
          .when(sends_an_older_shape)
          .expect(transcript_has_what_came),
      rule("EDIT-52", "keys beside path and edits change nothing, and none stands for path")
          .for_each_call()
          .among({"edit"})
          .when(has_other_keys)
          .expect(other_keys_mean_nothing),
      rule("EDIT-53", "an edit whose oldText or newText is null or missing ends the call")
          .for_each_call()
          .among({"edit"})
          .when(has_an_edit_without_text)
          .expect(is_refused_at_once),
  };
}

}  // namespace plumb::invariants
