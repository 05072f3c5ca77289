// SPDX-License-Identifier: Apache-2.0
#include "simulator/invariants/edit_case.h"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/values/sha256.h"
#include "simulator/invariants/edit_match.h"
#include "simulator/invariants/evidence.h"
#include "simulator/invariants/queue_view.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

enum class LineEnds : std::uint8_t { lf, crlf, mixed };

LineEnds line_ends_of(std::string_view bytes) {
  const auto breaks = std::ranges::count(bytes, '\n');
  const auto returns = std::ranges::count(bytes, '\r');
  if (returns == 0) return LineEnds::lf;
  std::int64_t pairs = 0;
  for (std::size_t i = 1; i < bytes.size(); ++i) {
    if (bytes[i - 1] == '\r' && bytes[i] == '\n') ++pairs;
  }
  return pairs == breaks && pairs == returns ? LineEnds::crlf : LineEnds::mixed;
}

std::string with_breaks(std::string_view text, std::string_view line_end) {
  std::string result;
  for (const char c : text) {
    if (c == '\n')
      result += line_end;
    else
      result += c;
  }
  return result;
}

/// The edits in the order of their places, as (start, index).
std::vector<std::pair<std::int64_t, std::size_t>> by_place(const EditCase& edit) {
  std::vector<std::pair<std::int64_t, std::size_t>> order;
  for (std::size_t i = 0; i < edit.places.size(); ++i) {
    order.emplace_back(edit.places[i].starts.front(), i);
  }
  std::ranges::sort(order);
  return order;
}

bool find_overlap(EditCase& edit) {
  const auto order = by_place(edit);
  for (std::size_t i = 1; i < order.size(); ++i) {
    const auto& [start, index] = order[i - 1];
    if (start + edit.places[index].length <= order[i].first) continue;
    edit.fault = EditFault::overlap;
    edit.first = static_cast<std::int64_t>(std::min(index, order[i].second));
    edit.second = static_cast<std::int64_t>(std::max(index, order[i].second));
    return true;
  }
  return false;
}

bool find_missing(EditCase& edit) {
  for (std::size_t i = 0; i < edit.places.size(); ++i) {
    const auto number = edit.places[i].starts.size();
    if (number == 1) continue;
    edit.fault = number == 0 ? EditFault::not_found : EditFault::repeated;
    edit.first = static_cast<std::int64_t>(i);
    return true;
  }
  return false;
}

std::string replaced(const EditCase& edit, const std::string& text) {
  std::string result;
  std::size_t at = 0;
  for (const auto& [start, index] : by_place(edit)) {
    const auto from = static_cast<std::size_t>(start);
    result += text.substr(at, from - at) + with_line_feeds(edit.changes[index].new_text);
    at = from + static_cast<std::size_t>(edit.places[index].length);
  }
  return result + text.substr(at);
}

/// The body of a file (no BOM) beside its normal form. `raw_at`: where each byte of the normal form
/// begins in the body, and the body's end.
struct Body {
  std::string_view bytes;
  std::string text;
  std::vector<std::size_t> raw_at;

  explicit Body(std::string_view body) : bytes(body), text(with_line_feeds(body)) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      raw_at.push_back(at);
      at += bytes.substr(at).starts_with("\r\n") ? 2U : 1U;
    }
    raw_at.push_back(at);
  }
  std::string_view raw(std::size_t from, std::size_t to) const {
    return bytes.substr(raw_at[from], raw_at[to] - raw_at[from]);
  }
  /// The line end that breaks in a replacement from `from` on get (EDIT-28); nothing where a lone
  /// CR would be taken in a file that has LFs too.
  std::optional<std::string_view> line_end(std::size_t from) const {
    auto place = text.find('\n', from);
    if (place == std::string::npos && from > 0) place = text.rfind('\n', from - 1);
    if (place == std::string::npos) return "\n";
    const auto end = raw(place, place + 1);
    if (end == "\r" && bytes.contains('\n')) return std::nullopt;
    return end;
  }
};

/// A lone CR and an LF that come together stay two breaks (EDIT-29).
void append_piece(std::string& bytes, std::string_view piece) {
  if (piece.starts_with('\n') && bytes.ends_with('\r')) bytes += '\n';
  bytes += piece;
}

/// The bytes after success, or nothing where a line end is left open.
std::optional<std::string> replaced_bytes(const EditCase& edit) {
  const std::string_view file = bytes_of_places(edit);
  const bool has_mark = file.starts_with(kByteOrderMark);
  const Body body(file.substr(has_mark ? kByteOrderMark.size() : 0));
  std::string bytes(has_mark ? kByteOrderMark : "");
  std::size_t at = 0;
  for (const auto& [start, index] : by_place(edit)) {
    const auto from = static_cast<std::size_t>(start);
    const std::string inserted = with_line_feeds(edit.changes[index].new_text);
    const auto end = body.line_end(from);
    if (!end && inserted.contains('\n')) return std::nullopt;
    append_piece(bytes, body.raw(at, from));
    append_piece(bytes, end ? with_breaks(inserted, *end) : inserted);
    at = from + static_cast<std::size_t>(edit.places[index].length);
  }
  append_piece(bytes, body.raw(at, body.text.size()));
  return bytes;
}

bool find_empty(EditCase& edit) {
  for (std::size_t i = 0; i < edit.changes.size(); ++i) {
    if (!edit.changes[i].old_text.empty()) continue;
    edit.fault = EditFault::empty_old_text;
    edit.first = static_cast<std::int64_t>(i);
    return true;
  }
  return false;
}

void match_literally(EditCase& edit, const std::string& text) {
  for (const auto& change : edit.changes) {
    edit.places.push_back(find_all(text, with_line_feeds(change.old_text)));
  }
}

/// Fills in what must happen to `original`.
void plan(EditCase& edit, const Story& story) {
  edit.is_decidable = true;
  if (edit.changes.empty()) {
    edit.fault = EditFault::no_edits;
    return;
  }
  const std::string original = normal_text(*edit.original);
  if (story.is_edition("seed"))
    match_literally(edit, original);
  else
    edit.is_decidable = match_fuzzily(edit, original);
  if (find_empty(edit) || find_missing(edit) || find_overlap(edit)) return;
  edit.is_mixed = line_ends_of(*edit.original) == LineEnds::mixed;
  if (replaced(edit, normal_text(bytes_of_places(edit))) == original)
    edit.fault = EditFault::no_change;
  else
    edit.expected = replaced_bytes(edit);
}

std::optional<TextChange> change_in(const Json& entry) {
  const Json& old_text = at(entry, "oldText");
  const Json& new_text = at(entry, "newText");
  if (!old_text.is_string() || !new_text.is_string()) return std::nullopt;
  return TextChange{old_text.get<std::string>(), new_text.get<std::string>()};
}

/// The texts of files while the calls of a trace are followed; nothing for a file whose content the
/// trace does not tell any more.
class FileTexts {
 public:
  explicit FileTexts(const Story& story) : story_(story) {}

  std::optional<std::string> text(const std::string& path) {
    const auto known = texts_.find(file_key(path, story_));
    if (known != texts_.end()) return known->second;
    const Json* file = first_file(path, story_);
    if (file == nullptr || !at(*file, "text").is_string()) return std::nullopt;
    return at(*file, "text").get<std::string>();
  }
  void set(const std::string& path, std::optional<std::string> text) {
    texts_[file_key(path, story_)] = std::move(text);
    touched_[file_key(path, story_)] = nullptr;
  }
  void touch(const std::string& path, const Call* call) { touched_[file_key(path, story_)] = call; }
  bool is_last(const std::string& path, const Call* call) const {
    const auto found = touched_.find(file_key(path, story_));
    return found != touched_.end() && found->second == call;
  }

 private:
  const Story& story_;
  std::map<std::string, std::optional<std::string>> texts_;
  std::map<std::string, const Call*> touched_;
};

std::string path_argument(const Call& call) {
  const auto* begin = begin_of(call);
  return text_at(begin != nullptr ? begin->args.get() : call.raw.get(), "path");
}

/// Calls in the order in which they ended, which for one file is the order of its queue.
std::vector<const Call*> in_order_of_end(const Story& story) {
  std::vector<const Call*> calls;
  for (const auto& call : story.calls) {
    const bool is_whole = end_of(call) != nullptr && !call.is_cut && !call.is_repeated;
    // One within the turn of its own file is refused, whatever its edits are (QUEUE-14).
    if (is_whole && turn_around(call, story) == nullptr) calls.push_back(&call);
  }
  std::ranges::sort(calls, {}, [](const Call* call) {
    const auto settled = seq_of(*call, "execute_end");
    return settled >= 0 ? settled : seq_of(*call, "tool_execution_end");
  });
  return calls;
}

/// The real path that the call worked on, or `path`.
std::string file_behind(const Call& call, const std::string& path, const Story& story) {
  for (const Event* event : all(call, "file_op")) {
    const auto* operation = event->as<FileOperation>();
    const bool is_work = operation->op == "read" || operation->op == "write";
    if (is_work && !operation->real_path.empty()) return operation->real_path;
  }
  return shows_kind(story, "file_op") ? path : linked_key(path, story);
}

/// A tool that is not known may have written any file: the files it is seen to write are unknown.
void follow_other_tool(const Call& call, FileTexts& files, const Story& story) {
  for (const Event* event : all(call, "file_op")) {
    const auto* operation = event->as<FileOperation>();
    if (changes_files(operation->op))
      files.set(file_behind(call, operation->path, story), std::nullopt);
  }
  if (call.name == "write"sv && !has_failed(call)) {
    const auto* begin = begin_of(call);
    const Json& content = at(begin != nullptr ? begin->args.get() : call.raw.get(), "content");
    if (!content.is_string()) return;
    files.set(file_behind(call, path_argument(call), story), content.get<std::string>());
  }
}

/// An extension may have taken the name.
bool is_builtin_edit(const Call& call, const Story& story) {
  const Json* tool = tool_of(call, story);
  return call.name == "edit"sv && (tool == nullptr || view_at(*tool, "level") == "builtin");
}

std::int64_t seq_of_read(const Call& call) {
  for (const Event* event : all(call, "file_op")) {
    if (event->as<FileOperation>()->op == "read") return event->seq;
  }
  return -1;
}

/// The host wrote the file before the call read it: what it read is not known.
bool was_written_by_host(const Call& call, const std::string& path, const Story& story) {
  const auto read = seq_of_read(call);
  return std::ranges::any_of(story.steps, [&](const Event* event) {
    const auto* step = event->as<Step>();
    return step->step == "write" && (read < 0 || event->seq < read) &&
           file_key(text_at(step->data.get(), "path"), story) == file_key(path, story);
  });
}

/// What a failed call left in its file, by the writes that the port shows: a write that ended well
/// is of no other text than the expected one (its digest says so), any other leaves it unknown.
std::optional<std::string> text_after_failure(const EditCase& edit) {
  auto text = edit.original;
  for (const Event* event : all(*edit.call, "file_op")) {
    const auto* operation = event->as<FileOperation>();
    if (!changes_files(operation->op) || operation->phase != "end") continue;
    const bool is_expected = operation->op == "write" && operation->result == "ok" &&
                             edit.expected && operation->hash == sha256_hex(*edit.expected);
    text = is_expected ? edit.expected : std::nullopt;
  }
  return text;
}

EditCase follow_edit(const Call& call, FileTexts& files, const Story& story) {
  EditCase edit;
  edit.call = &call;
  edit.path = path_argument(call);
  edit.file = file_behind(call, edit.path, story);
  const auto* begin = begin_of(call);
  const auto changes = changes_in(begin != nullptr ? begin->args.get() : call.raw.get());
  if (!was_written_by_host(call, edit.file, story)) edit.original = files.text(edit.file);
  if (changes) edit.changes = *changes;
  if (edit.original && changes) plan(edit, story);
  files.set(edit.file, has_failed(call) ? text_after_failure(edit) : edit.expected);
  files.touch(edit.file, &call);
  return edit;
}

}  // namespace

std::string_view bytes_of_places(const EditCase& edit) {
  return edit.partly_normalised ? *edit.partly_normalised : *edit.original;
}

std::string normal_text(std::string_view bytes) {
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  return with_line_feeds(bytes);
}

std::optional<std::vector<TextChange>> changes_in(const Json& arguments) {
  Json edits = at(arguments, "edits");
  if (edits.is_string()) {
    auto parsed = parse_json(edits.get<std::string>());
    if (!parsed) return std::nullopt;
    edits = std::move(*parsed);
  }
  if (edits.is_object()) edits = Json::array({edits});  // EDIT-47
  if (!edits.is_null() && !edits.is_array()) return std::nullopt;
  std::vector<TextChange> changes;
  for (const auto& entry : edits) {
    const auto change = change_in(entry);
    if (!change) return std::nullopt;
    changes.push_back(*change);
  }
  if (const auto legacy = change_in(arguments))
    changes.push_back(*legacy);
  else if (edits.is_null())
    return std::nullopt;
  return changes;
}

std::vector<EditCase> edit_cases(const Story& story) {
  std::vector<EditCase> cases;
  FileTexts files(story);
  for (const Call* call : in_order_of_end(story)) {
    if (is_builtin_edit(*call, story))
      cases.push_back(follow_edit(*call, files, story));
    else
      follow_other_tool(*call, files, story);
  }
  for (auto& edit : cases) {
    if (!files.is_last(edit.file, edit.call)) continue;
    edit.final_state = final_file(edit.file, story);
    if (edit.final_state != nullptr && at(*edit.final_state, "text").is_string()) {
      edit.final_text = at(*edit.final_state, "text").get<std::string>();
    }
  }
  std::erase_if(cases, [](const EditCase& edit) { return !has_own_result(*edit.call); });
  return cases;
}

}  // namespace plumb::invariants
