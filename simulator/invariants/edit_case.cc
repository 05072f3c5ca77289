// SPDX-License-Identifier: Apache-2.0
#include "simulator/invariants/edit_case.h"

#include <algorithm>
#include <map>
#include <utility>

#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

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

std::string with_crlf(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\n') result += '\r';
    result += c;
  }
  return result;
}

Occurrences find_all(std::string_view text, std::string_view needle) {
  Occurrences found;
  found.length = static_cast<std::int64_t>(needle.size());
  if (needle.empty()) return found;
  // Without overlap, left to right (EDIT-10).
  for (auto place = text.find(needle); place != std::string_view::npos;
       place = text.find(needle, place + needle.size())) {
    found.starts.push_back(static_cast<std::int64_t>(place));
  }
  return found;
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
    result += text.substr(at, from - at) + normal_text(edit.changes[index].new_text);
    at = from + static_cast<std::size_t>(edit.places[index].length);
  }
  return result + text.substr(at);
}

std::string in_style_of(std::string_view original, const std::string& text) {
  std::string bytes = line_ends_of(original) == LineEnds::crlf ? with_crlf(text) : text;
  if (original.starts_with(kByteOrderMark)) bytes.insert(0, kByteOrderMark);
  return bytes;
}

/// Fills in what must happen to `original`.
void plan(EditCase& edit) {
  const std::string text = normal_text(*edit.original);
  if (edit.changes.empty()) {
    edit.fault = EditFault::no_edits;
    return;
  }
  for (const auto& change : edit.changes) {
    edit.places.push_back(find_all(text, normal_text(change.old_text)));
  }
  if (find_missing(edit) || find_overlap(edit)) return;
  const std::string after = replaced(edit, text);
  if (after == text)
    edit.fault = EditFault::no_change;
  else if (line_ends_of(*edit.original) != LineEnds::mixed)
    edit.expected = in_style_of(*edit.original, after);
}

/// Where pi-1.6.0 may match otherwise: text beyond ASCII and blanks before line ends.
bool is_plain(std::string_view text) {
  const bool is_ascii =
      std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  return is_ascii && text.find(" \n") == std::string_view::npos &&
         text.find("\t\n") == std::string_view::npos && !text.ends_with(' ');
}

bool matches_exactly(const EditCase& edit, const Story& story) {
  if (story.is_edition("seed")) return true;
  return is_plain(*edit.original) && std::ranges::all_of(edit.changes, [](const auto& change) {
           return is_plain(change.old_text) && is_plain(change.new_text);
         });
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
    if (end_of(call) != nullptr && !call.is_cut && !call.is_repeated) calls.push_back(&call);
  }
  std::ranges::sort(calls, {}, [](const Call* call) {
    const auto settled = seq_of(*call, "execute_end");
    return settled >= 0 ? settled : seq_of(*call, "tool_execution_end");
  });
  return calls;
}

bool changes_file(std::string_view op) {
  return op == "write" || op == "append" || op == "remove" || op == "rename";
}

/// A tool that is not known may have written any file: the files it is seen to write are unknown.
void follow_other_tool(const Call& call, FileTexts& files) {
  for (const Event* event : all(call, "file_op")) {
    const auto* operation = event->as<FileOperation>();
    if (changes_file(operation->op)) files.set(operation->path, std::nullopt);
  }
  if (call.name == "write" && !is_error(call)) {
    const auto* begin = begin_of(call);
    const Json& content = at(begin != nullptr ? begin->args.get() : call.raw.get(), "content");
    if (content.is_string()) files.set(path_argument(call), content.get<std::string>());
  }
}

/// An extension may have taken the name.
bool is_builtin_edit(const Call& call, const Story& story) {
  const Json* tool = tool_of(call, story);
  return call.name == "edit" && (tool == nullptr || text_at(*tool, "level") == "builtin");
}

EditCase follow_edit(const Call& call, FileTexts& files, const Story& story) {
  EditCase edit;
  edit.call = &call;
  edit.path = path_argument(call);
  const auto* begin = begin_of(call);
  const auto changes = changes_in(begin != nullptr ? begin->args.get() : call.raw.get());
  edit.original = files.text(edit.path);
  if (changes) edit.changes = *changes;
  if (edit.original && changes) {
    plan(edit);
    edit.is_decidable = matches_exactly(edit, story);
  }
  files.set(edit.path, is_error(call) ? edit.original : edit.expected);
  files.touch(edit.path, &call);
  return edit;
}

}  // namespace

std::string normal_text(std::string_view bytes) {
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] != '\r')
      text += bytes[i];
    else if (i + 1 == bytes.size() || bytes[i + 1] != '\n')
      text += '\n';
  }
  return text;
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
      follow_other_tool(*call, files);
  }
  for (auto& edit : cases) {
    if (!files.is_last(edit.path, edit.call)) continue;
    const Json* file = final_file(edit.path, story);
    if (file != nullptr && at(*file, "text").is_string()) {
      edit.final_text = at(*file, "text").get<std::string>();
    }
  }
  return cases;
}

}  // namespace plumb::invariants
