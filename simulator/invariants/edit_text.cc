// SPDX-License-Identifier: Apache-2.0
// BOM, line ends and the older shapes of an edit's arguments.
#include <algorithm>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/edit_case.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";

const Event* text_end(const EditCase& edit) {
  return first(*edit.call, "tool_execution_end");
}

/// The file system refused something: that may end any edit.
bool has_failed_operation(const EditCase& edit) {
  return std::ranges::any_of(all(*edit.call, "file_op"), [](const Event* event) {
    const auto* operation = event->as<FileOperation>();
    return operation->phase == "end" && operation->result != "ok";
  });
}

/// A valid edit whose outcome the trace shows.
bool is_valid(const EditCase& edit, const Story& story) {
  return edit.is_decidable && edit.fault == EditFault::none && has_executed(*edit.call) &&
         !has_failed_operation(edit) && abort_during(*edit.call, story) < 0 &&
         edit.final_text.has_value();
}

bool has_mark(const EditCase& edit, const Story& story) {
  return is_valid(edit, story) && edit.original->starts_with(kMark);
}

Complaint keeps_mark(const EditCase& edit, const Story&) {
  if (is_error(*edit.call)) return finding("a valid edit was refused", text_end(edit));
  return require(edit.final_text->starts_with(kMark), "the byte order mark is gone",
                 text_end(edit));
}

Complaint text_is_as_expected(const EditCase& edit, const Story&) {
  if (is_error(*edit.call)) return finding("a valid edit was refused", text_end(edit));
  if (!edit.expected) return std::nullopt;
  return differ("bytes of " + edit.path, Json(*edit.expected), Json(*edit.final_text),
                text_end(edit));
}

bool matches_over_returns(const EditCase& edit, const Story& story) {
  if (!is_valid(edit, story) || !edit.original->contains('\r')) return false;
  return std::ranges::any_of(edit.changes,
                             [](const auto& change) { return change.old_text.contains('\n'); });
}

bool has_one_line_end(const EditCase& edit, const Story& story) {
  return is_valid(edit, story) && !edit.is_mixed && edit.original->contains('\n');
}

Complaint line_ends_are_restored(const EditCase& edit, const Story& story) {
  if (auto refused = text_is_as_expected(edit, story); refused && is_error(*edit.call))
    return refused;
  const auto breaks = std::ranges::count(*edit.final_text, '\n');
  const auto returns = std::ranges::count(*edit.final_text, '\r');
  const bool has_returns = edit.original->contains('\r');
  return differ("carriage returns in " + edit.path, Json(has_returns ? breaks : 0), Json(returns),
                text_end(edit));
}

/// Mixed line ends: the text outside the ranges stays.
bool is_mixed(const EditCase& edit, const Story& story) {
  return is_valid(edit, story) && edit.is_mixed && !edit.original->starts_with(kMark);
}

/// The bytes that begin with `count` characters of normal form.
std::size_t bytes_of(std::string_view original, std::int64_t count) {
  std::size_t at = 0;
  for (; count > 0 && at < original.size(); --count) {
    const bool is_pair = original.substr(at).starts_with("\r\n");
    at += is_pair ? 2 : 1;
  }
  return at;
}

Complaint outside_is_kept(const EditCase& edit, const Story&) {
  if (is_error(*edit.call)) return finding("a valid edit was refused", text_end(edit));
  std::int64_t from = -1;
  std::int64_t to = 0;
  for (const auto& place : edit.places) {
    from = from < 0 ? place.starts.front() : std::min(from, place.starts.front());
    to = std::max(to, place.starts.front() + place.length);
  }
  const std::string_view original = bytes_of_places(edit);
  const auto head = original.substr(0, bytes_of(original, from));
  const auto tail = original.substr(bytes_of(original, to));
  return require(edit.final_text->starts_with(head) && edit.final_text->ends_with(tail),
                 "text outside the edited range changed in " + edit.path, text_end(edit));
}

// ------------------------------------------------------------------ older shapes

bool has_pair(const Json& arguments) {
  return at(arguments, "oldText").is_string() && at(arguments, "newText").is_string();
}

/// The call came as far as its preparation, and what it gives beside the edits is in order.
bool must_be_prepared(const EditCase& edit, const Story& story) {
  const Call& call = *edit.call;
  const Batch* batch = batch_of(call, story);
  const bool is_cut_off = batch != nullptr && batch->stop_reason == "length";
  return end_of(call) != nullptr && !is_cut_off && call.arguments_error.empty() &&
         abort_during(call, story) < 0 && at(call.raw.get(), "path").is_string() &&
         changes_in(call.raw.get()).has_value();
}

bool uses_pair(const EditCase& edit, const Story& story) {
  return has_pair(edit.call->raw.get()) && must_be_prepared(edit, story);
}

/// The edits as they are meant, in the modern form.
Json modern_edits(const Json& raw) {
  Json edits = Json::array();
  const auto changes = changes_in(raw);
  for (const auto& change : *changes) {
    edits.push_back(Json{{"oldText", change.old_text}, {"newText", change.new_text}});
  }
  return edits;
}

Complaint pair_is_the_last_edit(const EditCase& edit, const Story&) {
  const Json* input = validated_input(*edit.call);
  if (input == nullptr) return finding("the old pair was refused", text_end(edit));
  if (input->contains("oldText") || input->contains("newText")) {
    return finding("the old pair is still there", text_end(edit));
  }
  return differ("the edits are not those given with the old pair as the last one",
                modern_edits(edit.call->raw.get()), at(*input, "edits"), text_end(edit));
}

/// What the handlers left is what the pair said, and the file could take it.
Complaint pair_takes_effect(const EditCase& edit, const Story& story) {
  const auto* begin = begin_of(*edit.call);
  const bool is_as_meant = begin != nullptr && equal_json(at(begin->args.get(), "edits"),
                                                          modern_edits(edit.call->raw.get()));
  if (!is_as_meant || !is_valid(edit, story)) return std::nullopt;
  return text_is_as_expected(edit, story);
}

bool sends_text_list(const EditCase& edit, const Story& story) {
  const Json& edits = at(edit.call->raw.get(), "edits");
  if (!edits.is_string() || !must_be_prepared(edit, story)) return false;
  const auto parsed = parse_json(edits.get<std::string>());
  return parsed && parsed->is_array() && !parsed->empty();
}

Complaint list_is_parsed(const EditCase& edit, const Story&) {
  const Json* input = validated_input(*edit.call);
  if (input == nullptr) return finding("edits as text were refused", text_end(edit));
  Json expected = *parse_json(at(edit.call->raw.get(), "edits").get<std::string>());
  if (has_pair(edit.call->raw.get())) return std::nullopt;
  return differ("edits that were sent as text", expected, at(*input, "edits"), text_end(edit));
}

bool shows_old_form_to_handlers(const EditCase& edit, const Story&) {
  const Json& raw = edit.call->raw.get();
  return count(*edit.call, "tool_call") > 0 && (has_pair(raw) || at(raw, "edits").is_string());
}

Complaint handlers_see_modern_form(const EditCase& edit, const Story&) {
  for (const auto* entered : hook_calls_of(*edit.call, "tool_call")) {
    const Json& input = entered->input.get();
    if (input.contains("oldText") || !at(input, "edits").is_array()) {
      return finding("a tool_call handler sees the old form", first(*edit.call, "tool_call"));
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<Rule> edit_text_rules() {
  return {
      rule("EDIT-22", "a file with a byte order mark keeps it, and the edit matches without it")
          .for_each_edit()
          .when(has_mark)
          .expect(keeps_mark)
          .expect(text_is_as_expected),
      rule("EDIT-24", "an oldText with line feeds matches a file with carriage returns")
          .for_each_edit()
          .when(matches_over_returns)
          .expect(text_is_as_expected),
      rule(
          "EDIT-26",
          "after an edit a CRLF file has only CRLF, an LF file no CR; triggered by a valid edit of "
          "a file with one kind of line end")
          .for_each_edit()
          .when(has_one_line_end)
          .expect(line_ends_are_restored),
      rule("EDIT-27", "in a file with mixed line ends the bytes outside the edited ranges stay")
          .for_each_edit()
          .when(is_mixed)
          .expect(outside_is_kept),
      rule("EDIT-44",
           "a top-level pair oldText, newText is the last entry of edits for handlers and execute, "
           "after all that were given; the file is edited so when nothing stands against it")
          .for_each_edit()
          .when(uses_pair)
          .expect(pair_is_the_last_edit)
          .expect(pair_takes_effect),
      rule("EDIT-46", "edits sent as the text of a list are that list for handlers and execute")
          .for_each_edit()
          .when(sends_text_list)
          .expect(list_is_parsed),
      rule("EDIT-49", "tool_call handlers see edits as a list and no oldText beside it")
          .for_each_edit()
          .when(shows_old_form_to_handlers)
          .expect(handlers_see_modern_form),
  };
}

}  // namespace plumb::invariants
