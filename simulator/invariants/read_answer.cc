// SPDX-License-Identifier: Apache-2.0
// Pictures, details, failures and aborts of read.
#include <algorithm>
#include <array>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/picture_view.h"
#include "simulator/invariants/read_view.h"
#include "simulator/invariants/shown_content.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

using std::string_view_literals::operator""sv;

const FileOperation& done_by(const Event* event) {
  return *event->as<FileOperation>();
}

bool is_good_read(const Call& call, const Story& story) {
  return is_undisturbed_read(call, story) && !is_error(call);
}

std::string path_read(const Call& call) {
  return text_at(begin_of(call)->args.get(), "path");
}

// ------------------------------------------------------------------ pictures

struct Signature {
  std::string_view type;
  std::string_view base64;  ///< How the data begins.
  std::string_view text;    ///< How the bytes begin when they are shown as text.
};

constexpr std::array<Signature, 4> kSignatures{{
    {"image/png", "iVBORw0KGg", "\xEF\xBF\xBDPNG\r\n\x1A\n"},
    {"image/jpeg", "/9j/", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
    {"image/gif", "R0lGODdh", "GIF87a"},
    {"image/gif", "R0lGODlh", "GIF89a"},
}};

/// Whether the content decides, as far as a trace can tell: a text file is none, a picture's data
/// begin as its type says, and nothing that begins so is text.
Complaint is_what_its_bytes_are(const Call& call, const Story& story) {
  const Json* picture = picture_in(at(result_of(call), "content"));
  if (text_of_read(call, story) != nullptr) {
    return require(picture == nullptr, "text is shown as a picture", read_end(call));
  }
  const auto type = picture == nullptr ? "" : text_at(*picture, "mimeType");
  const auto data = picture == nullptr ? "" : text_at(*picture, "data");
  const auto text = result_text(call);
  for (const auto& signature : kSignatures) {
    if (picture == nullptr && text.starts_with(signature.text)) {
      return finding("a picture is shown as text", read_end(call));
    }
    if (data.starts_with(signature.base64) && type != signature.type) {
      return finding("a picture of type " + std::string(signature.type) + " is called " + type,
                     read_end(call));
    }
  }
  return std::nullopt;
}

bool has_misleading_name(const Call& call, const Story& story) {
  if (!is_good_read(call, story)) return false;
  const auto path = path_read(call);
  const bool is_picture_name = path.ends_with(".png") || path.ends_with(".jpg") ||
                               path.ends_with(".gif") || path.ends_with(".webp");
  return is_picture_name == (text_of_read(call, story) != nullptr);
}

bool shows_a_picture(const Call& call, const Story& story) {
  return is_good_read(call, story) && picture_in(at(result_of(call), "content")) != nullptr;
}

Complaint has_text_beside_it(const Call& call, const Story& story) {
  const auto* shown = shown_result(call, story);
  const Request* next = next_request_of(call, story);
  // A model that takes no pictures is sent none (READ-24).
  const bool is_sent = shown != nullptr && takes_pictures(*next, story);
  const Json& result = at(result_of(call), "content");
  const Json content = is_sent ? shown_content(call, result, story) : result;
  const Json* picture = picture_in(content);
  if (picture == nullptr) return finding("the request has no picture", read_end(call));
  const auto type = text_at(*picture, "mimeType");
  if (type.empty() || text_at(*picture, "data").empty()) {
    return finding("the picture has no type or no data", read_end(call));
  }
  return require(text_in(content).contains(type), "no text names the picture's type",
                 read_end(call));
}

Complaint has_a_picture(const Call& call, const Story&) {
  return require(picture_in(at(result_of(call), "content")) != nullptr,
                 "a picture is not shown as one", read_end(call));
}

/// Another call shows it as a picture, this one has an offset or a limit.
bool is_known_picture(const Call& call, const Story& story) {
  if (!is_undisturbed_read(call, story)) return false;
  if (!number_given(call, "offset") && !number_given(call, "limit")) return false;
  return std::ranges::any_of(story.calls, [&](const Call& other) {
    return &other != &call && shows_a_picture(other, story) && path_read(other) == path_read(call);
  });
}

/// Neither text nor picture: it was left out.
bool leaves_a_picture_out(const Call& call, const Story& story) {
  if (!is_undisturbed_read(call, story)) return false;
  const Json* file = first_file(path_read(call), story);
  const bool has_text = file != nullptr && at(*file, "text").is_string();
  return file != nullptr && !has_text && at(*file, "bytes").is_number() &&
         path_read(call).ends_with(".png") && picture_in(at(result_of(call), "content")) == nullptr;
}

Complaint is_a_note(const Call& call, const Story&) {
  if (is_error(call)) return finding("a broken picture is an error", read_end(call));
  return require(!result_text(call).empty(), "a broken picture leaves no note", read_end(call));
}

// ------------------------------------------------------------------ no text (READ-18)

bool reads_no_text(const Call& call, const Story& story) {
  if (!is_undisturbed_read(call, story)) return false;
  const Json* file = first_file(path_read(call), story);
  return file != nullptr && at(*file, "bytes").is_number() && !path_read(call).ends_with(".png") &&
         at(*file, "bytes").get<std::int64_t>() < kBytesMax;
}

Complaint is_shown_all_the_same(const Call& call, const Story&) {
  if (is_error(call)) return finding("bytes that are no text are an error", read_end(call));
  const bool is_picture = picture_in(at(result_of(call), "content")) != nullptr;
  return require(is_picture || !result_text(call).empty(), "nothing is shown", read_end(call));
}

// ------------------------------------------------------------------ failures (READ-27)

const Event* failed_operation(const Call& call) {
  for (const Event* event : all(call, "file_op")) {
    if (done_by(event).phase == "end" && done_by(event).result != "ok" &&
        (done_by(event).op == "access" || done_by(event).op == "read")) {
      return event;
    }
  }
  return nullptr;
}

/// The last attempt failed: no variant of the path was there.
bool cannot_read(const Call& call, const Story& story) {
  if (!is_builtin_read(call, story) || failed_operation(call) == nullptr) return false;
  return std::ranges::none_of(all(call, "file_op"), [](const Event* event) {
    return done_by(event).op == "read" && done_by(event).phase == "end" &&
           done_by(event).result == "ok";
  });
}

Complaint tells_the_code(const Call& call, const Story&) {
  const auto& code = done_by(failed_operation(call)).result;
  if (!is_error(call)) return finding("a file that cannot be read is no error", read_end(call));
  for (const Event* event : all(call, "file_op")) {
    const auto& op = done_by(event).op;
    if (op == "write" || op == "make_directory") return finding("read makes a file", event);
  }
  return require(result_text(call).contains(code), "the error does not name " + code,
                 read_end(call));
}

// ------------------------------------------------------------------ details (READ-28, READ-29)

bool reads_known_text(const Call& call, const Story& story) {
  return text_of_read(call, story) != nullptr && !is_error(call) &&
         !window_of(call, story).is_beyond_end;
}

Complaint has_details_on_a_cut(const Call& call, const Story& story) {
  const bool is_cut = window_of(call, story).is_cut;
  const Json& details = at(result_of(call), "details");
  const Json& truncation = at(details, "truncation");
  if (is_cut) return require(truncation.is_object(), "a cut has no details", read_end(call));
  return require(details.is_null(), "a text that is not cut has details", read_end(call));
}

bool has_details_of_a_cut(const Call& call, const Story& story) {
  return reads_known_text(call, story) && window_of(call, story).is_cut &&
         at(at(result_of(call), "details"), "truncation").is_object() &&
         window_of(call, story).first == 1;
}

/// READ-29 of the seed: without the empty piece after the final line break.
Complaint counts_lines_alike(const Call& call, const Story& story) {
  const auto window = window_of(call, story);
  const Json& told = at(at(at(result_of(call), "details"), "truncation"), "totalLines");
  if (auto other =
          differ("details.truncation.totalLines", Json(window.total), told, read_end(call))) {
    return other;
  }
  if (window.last < window.first) return std::nullopt;
  const auto notice = notice_after(window, call).value_or("");
  return require(says_number(notice, window.total), "the notice names another number of lines",
                 read_end(call));
}

// ------------------------------------------------------------------ abort and queue

/// An operation of the read was under way when the abort came.
const Event* open_operation(const Call& call, std::int64_t abort) {
  const Event* open = nullptr;
  for (const Event* event : all(call, "file_op")) {
    if (event->seq > abort) break;
    open = done_by(event).phase == "begin" ? event : nullptr;
  }
  return open;
}

bool is_aborted_in_a_read(const Call& call, const Story& story) {
  if (call.name != "read"sv || !has_executed(call) || end_of(call) == nullptr) return false;
  const auto abort = abort_during(call, story);
  return abort >= 0 && open_operation(call, abort) != nullptr;
}

/// When the abort with this seq came, in ms.
std::int64_t time_of_abort(std::int64_t abort, const Story& story) {
  for (const auto* events : {&story.steps, &story.notes}) {
    const auto found = std::ranges::find(*events, abort, &Event::seq);
    if (found != events->end()) return (*found)->at;
  }
  return -1;
}

/// An operation that ends in the very moment of the abort may end first; none of it is shown. What
/// handlers make of the error is theirs.
Complaint ends_at_once(const Call& call, const Story& story) {
  const auto abort = abort_during(call, story);
  const Event* open = open_operation(call, abort);
  const bool is_failure = has_own_result(call) ? is_error(call) : has_failed(call);
  if (!is_failure) return finding("an aborted read is no error", read_end(call));
  for (const Event* event : all(call, "file_op")) {
    if (done_by(event).phase != "end" || event->seq <= open->seq) continue;
    if (event->at == time_of_abort(abort, story)) return std::nullopt;
    return before(first(call, "execute_end"), event, story);
  }
  return std::nullopt;
}

Complaint takes_no_turn(const Call& call, const Story&) {
  const Event* turn = first(call, "queue_acquire");
  return require(turn == nullptr, "a read waits for a turn", turn);
}

/// A file of the batch that is being changed.
bool reads_beside_a_change(const Call& call, const Story& story) {
  const Batch* batch = batch_of(call, story);
  if (!is_builtin_read(call, story) || batch == nullptr) return false;
  return std::ranges::any_of(calls_of(*batch, story), [&](const Call* other) {
    const bool is_change = other->name == "edit"sv || other->name == "write"sv;
    return is_change && begin_of(*other) != nullptr &&
           text_at(begin_of(*other)->args.get(), "path") == path_read(call);
  });
}

std::vector<Rule> picture_form_rules() {
  return {
      rule("READ-19",
           "the bytes decide whether a file is a picture; triggered by a name that says otherwise")
          .for_each_call()
          .among({"read"})
          .when(has_misleading_name)
          .expect(is_what_its_bytes_are),
      rule("READ-20", "beside a picture stands a text with its type, in the request too")
          .for_each_call()
          .among({"read"})
          .when(shows_a_picture)
          .expect(has_text_beside_it),
      rule("READ-25", "a picture that is left out is a note and no error")
          .for_each_call()
          .among({"read"})
          .when(leaves_a_picture_out)
          .expect(is_a_note),
      rule("READ-26", "a picture is shown whatever offset and limit say")
          .for_each_call()
          .among({"read"})
          .when(is_known_picture)
          .expect(has_a_picture),
  };
}

}  // namespace

std::vector<Rule> read_answer_rules() {
  std::vector<Rule> rules{
      rule("READ-18", "bytes that are no text are shown and are no error")
          .for_each_call()
          .among({"read"})
          .when(reads_no_text)
          .expect(is_shown_all_the_same),
      rule("READ-27", "a file that cannot be read is an error with the system's code")
          .for_each_call()
          .among({"read"})
          .when(cannot_read)
          .expect(tells_the_code),
      rule("READ-28", "details.truncation is there when a cap cuts the text, else no details")
          .for_each_call()
          .among({"read"})
          .when(reads_known_text)
          .expect(has_details_on_a_cut),
      rule("READ-29", "notice and details name the same number of lines, without an empty last one")
          .for_each_call()
          .among({"read"})
          .when(has_details_of_a_cut)
          .expect(counts_lines_alike),
      rule("READ-33", "a read that is aborted in a file operation ends before the operation does")
          .for_each_call()
          .among({"read"})
          .when(is_aborted_in_a_read)
          .expect(ends_at_once),
      rule("READ-34", "a read takes no turn; triggered beside a change of its file")
          .for_each_call()
          .among({"read"})
          .when(reads_beside_a_change)
          .expect(takes_no_turn),
  };
  for (auto& rule : picture_form_rules()) rules.push_back(std::move(rule));
  return rules;
}

}  // namespace plumb::invariants
