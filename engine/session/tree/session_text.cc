// SPDX-License-Identifier: Apache-2.0
#include "engine/session/tree/session_text.h"

#include <algorithm>
#include <set>
#include <utility>

#include "engine/session/tree/session_names.h"
#include "engine/values/json_members.h"
#include "engine/values/utf8.h"

namespace plumb::engine {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// As the standard text form takes it: blanks around a line are none of it.
bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r\n\v\f") == line.npos;
}

std::string with_valid_utf8(std::string_view line) {
  std::string text;
  for (std::int64_t at = 0; at < std::ssize(line);) {
    const auto place = static_cast<std::size_t>(at);
    const CodePoint point = decode_utf8(line, at);
    text += point.length == 0 ? kReplacement
                              : line.substr(place, static_cast<std::size_t>(point.length));
    at += std::max<std::int64_t>(point.length, 1);
  }
  return text;
}

/// The code unit of a \uXXXX at `at`; -1 when there is none.
std::int64_t escaped_unit(std::string_view text, std::size_t at) {
  if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') return -1;
  std::int64_t unit = 0;
  for (const char c : text.substr(at + 2, 4)) {
    const auto digit = std::string_view("0123456789abcdef").find(c >= 'A' && c <= 'F' ? c + 32 : c);
    if (digit == std::string_view::npos) return -1;
    unit = unit * 16 + static_cast<std::int64_t>(digit);
  }
  return unit;
}

/// A half of a surrogate pair without its other half becomes \ufffd.
std::string with_whole_pairs(std::string text) {
  for (std::size_t at = text.find('\\'); at != text.npos; at = text.find('\\', at)) {
    const std::int64_t unit = escaped_unit(text, at);
    const bool is_high = unit >= 0xD800 && unit < 0xDC00;
    const std::int64_t next = is_high ? escaped_unit(text, at + 6) : -1;
    if (next >= 0xDC00 && next < 0xE000) {
      at += 12;
      continue;
    }
    if (unit >= 0xD800 && unit < 0xE000) text.replace(at + 2, 4, "fffd");
    at += unit < 0 ? 2 : 6;
  }
  return text;
}

/// Nesting of brackets outside strings.
bool is_too_deep(std::string_view text) {
  std::int64_t depth = 0;
  bool is_inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_inside && c == '\\') ++i;
    if (c == '"') is_inside = !is_inside;
    if (is_inside) continue;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (depth > kJsonDepthMax) return true;
  }
  return false;
}

/// A line as it stands in the file, without its line break.
struct FileLine {
  FileLine(std::string_view raw, std::optional<Json> parsed)
      : text(raw), value(std::move(parsed)) {}
  std::string_view text;
  std::optional<Json> value;
  bool is_changed = false;
};

/// Null, false, 0 and "" say nothing; every other value is a line's (SESS-26).
bool says_something(const Json& value) {
  if (value.is_string()) return !value.get_ref<const std::string&>().empty();
  if (value.is_number()) return value.get<double>() != 0;
  return !value.is_null() && value != Json(false);
}

std::vector<FileLine> read_lines(std::string_view text) {
  std::vector<FileLine> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    auto value = is_blank(line) ? std::nullopt : read_session_line(line);
    if (value && !says_something(*value)) value.reset();
    lines.emplace_back(line, std::move(value));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool is_header(const Json& value) {
  return text_at(value, "type") == "session";
}

std::int64_t version_of(const Json& header) {
  const Json& version = at(header, "version");
  if (version.is_null()) return 1;
  return version.is_number() ? static_cast<std::int64_t>(version.get<double>()) : kSessionVersion;
}

/// One migration of a whole file, over the lines that have a value.
class Migration final {
 public:
  Migration(std::vector<FileLine*> lines, Rng& ids) : lines_(std::move(lines)), ids_(ids) {}

  void run(std::int64_t version) {
    for (FileLine* line : lines_) {
      Json& value = *line->value;
      if (!value.is_object()) continue;
      if (is_header(value)) {
        value["version"] = kSessionVersion;
        line->is_changed = true;
        continue;
      }
      if (version < 2) add_place(*line);
      rename_role(*line);
    }
    if (version < 2) name_kept_entries();
  }

 private:
  /// Version 1 is a list: each entry's parent is the one before (SESS-30).
  void add_place(FileLine& line) {
    std::string id = new_entry_id(ids_);
    while (!taken_.insert(id).second) id = new_entry_id(ids_);
    Json& value = *line.value;
    value["id"] = id;
    value["parentId"] = last_;
    last_ = id;
    line.is_changed = true;
  }

  static void rename_role(FileLine& line) {
    Json& value = *line.value;
    if (text_at(value, "type") != "message") return;
    if (text_at(at(value, "message"), "role") != "hookMessage") return;
    value["message"]["role"] = "custom";
    line.is_changed = true;
  }

  /// Version 1 counts lines, the header included.
  void name_kept_entries() {
    for (FileLine* line : lines_) {
      Json& value = *line->value;
      const Json index = at(value, "firstKeptEntryIndex");
      if (text_at(value, "type") != "compaction" || !index.is_number()) continue;
      const double place = index.get<double>();
      const bool is_line = place >= 0 && place < static_cast<double>(lines_.size());
      const Json kept = is_line ? *lines_[static_cast<std::size_t>(place)]->value : Json();
      if (kept.is_object() && !is_header(kept)) value["firstKeptEntryId"] = text_at(kept, "id");
      value.erase("firstKeptEntryIndex");
    }
  }

  std::vector<FileLine*> lines_;
  Rng& ids_;
  std::set<std::string> taken_;
  Json last_;
};

std::string whole_text(const std::vector<FileLine>& lines) {
  std::string text;
  for (const FileLine& line : lines) {
    text += line.is_changed ? dump_json(*line.value) : std::string(line.text);
    text += '\n';
  }
  return text;
}

}  // namespace

std::optional<Json> read_session_line(std::string_view line) {
  if (auto strict = parse_json(line)) return *std::move(strict);
  if (line.starts_with("\xEF\xBB\xBF") || is_too_deep(line)) return std::nullopt;
  Json value = Json::parse(with_whole_pairs(with_valid_utf8(line)), nullptr, false);
  if (value.is_discarded()) return std::nullopt;
  return value;
}

Result<SessionText> read_session_text(std::string_view text, Rng& ids) {
  std::vector<FileLine> lines = read_lines(text);
  std::vector<FileLine*> read;
  SessionText session;
  for (FileLine& line : lines) {
    if (line.value) read.push_back(&line);
    if (!line.value && !is_blank(line.text)) ++session.damaged_count;
  }
  const bool has_header = !read.empty() && is_header(*read.front()->value) &&
                          at(*read.front()->value, "id").is_string();
  if (!has_header) return fail(ErrorCode::invalid, "the file is no session: it has no header");
  session.lacks_newline = !text.ends_with('\n');
  const std::int64_t version = version_of(*read.front()->value);
  if (version < kSessionVersion) {
    Migration(read, ids).run(version);
    session.migrated = whole_text(lines);
  }
  session.header = std::move(*read.front()->value);
  for (FileLine* line : read) {
    const bool is_entry = line != read.front() && line->value->is_object();
    if (is_entry && !is_header(*line->value)) session.entries.push_back(std::move(*line->value));
  }
  return session;
}

}  // namespace plumb::engine
