// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/pattern.h"

#include <algorithm>
#include <charconv>

#include "engine/trace/event_json.h"
#include "engine/values/suggest.h"

namespace plumb {
namespace {

/// Where the word or JSON value at the start of `text` ends.
std::size_t word_length(std::string_view text) {
  bool is_quoted = false;
  std::int64_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_quoted) {
      if (c == '\\') ++i;
      if (c == '"') is_quoted = false;
    } else if (c == '"') {
      is_quoted = true;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ' ' && depth <= 0) {
      return i;
    }
  }
  return text.size();
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    if (text.front() == ' ') {
      text.remove_prefix(1);
      continue;
    }
    const auto length = word_length(text);
    words.emplace_back(text.substr(0, length));
    text.remove_prefix(std::min(length, text.size()));
  }
  return words;
}

Result<std::string> unquoted(const std::string& word) {
  if (word.front() != '"') return word;
  auto json = parse_json(word);
  if (!json) return fail(ErrorCode::invalid, "unreadable value " + word + " in an event pattern");
  return json->is_string() ? json->get<std::string>() : word;
}

/// The fields of a kind by name, each with its schema.
const Json& fields_of_kind(std::string_view kind) {
  static const Json schema = trace_schema();
  return schema.at("$defs").at(std::string(kind)).at("properties");
}

/// Whether a kind has a field of this name (the first part of a dotted path).
bool has_field(std::string_view kind, std::string_view name) {
  return fields_of_kind(kind).contains(name);
}

/// Whether anything can lie below a field: a value or a list, but no text, number or flag.
bool has_inside(std::string_view kind, const std::string& name) {
  const Json& field = fields_of_kind(kind).at(name);
  return field.is_boolean() || (field.contains("type") && field.at("type") == "array");
}

std::vector<std::string> names_of_fields(const std::string& kind) {
  std::vector<std::string> names;
  for (const auto& [name, value] : fields_of_kind(kind).items()) names.push_back(name);
  return names;
}

std::unexpected<Error> unknown_word(std::string_view what, std::string_view word,
                                    const std::string& hint) {
  return fail(ErrorCode::invalid, "unknown " + std::string(what) + " '" + std::string(word) + "'" +
                                      (hint.empty() ? "" : "; did you mean '" + hint + "'?"));
}

std::string nearest(std::string_view word, const std::vector<std::string>& names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  return did_you_mean(word, views);
}

Result<std::int64_t> read_nth(const std::string& word) {
  std::int64_t nth = 0;
  const auto parsed = std::from_chars(word.data(), word.data() + word.size(), nth);
  if (parsed.ec != std::errc{} || parsed.ptr != word.data() + word.size() || nth < 1) {
    return fail(ErrorCode::invalid,
                "'nth' must be followed by a number from 1, not '" + word + "'");
  }
  return nth;
}

Result<void> add_pair(EventPattern& pattern, const std::string& name, const std::string& value) {
  if (name == "nth") {
    PLUMB_TRY(pattern.nth, read_nth(value));
    return {};
  }
  const auto head = name.substr(0, name.find('.'));
  if (!has_field(pattern.kind, head)) {
    return unknown_word("field", name, nearest(head, names_of_fields(pattern.kind)));
  }
  if (head.size() < name.size() && !has_inside(pattern.kind, head)) {
    return fail(ErrorCode::invalid,
                "nothing lies below field '" + head + "' of " + pattern.kind + " events");
  }
  PLUMB_TRY(auto text, unquoted(value));
  pattern.fields.push_back({name, std::move(text)});
  return {};
}

bool equals(const Json& value, const std::string& text) {
  return value.is_string() ? value.get_ref<const std::string&>() == text : dump_json(value) == text;
}

}  // namespace

Result<EventPattern> parse_event_pattern(std::string_view text) {
  const auto words = split_words(text);
  if (words.empty()) return fail(ErrorCode::invalid, "an event pattern must name an event kind");
  EventPattern pattern;
  pattern.kind = words.front();
  if (std::ranges::find(kEventKinds, pattern.kind) == kEventKinds.end()) {
    return unknown_word("event kind", pattern.kind, did_you_mean(pattern.kind, kEventKinds));
  }
  for (std::size_t i = 1; i < words.size(); i += 2) {
    if (i + 1 == words.size()) {
      return fail(ErrorCode::invalid, "field '" + words[i] + "' of an event pattern has no value");
    }
    if (auto added = add_pair(pattern, words[i], words[i + 1]); !added) {
      return std::unexpected(added.error());
    }
  }
  return pattern;
}

bool matches(const EventPattern& pattern, const Event& event) {
  if (event.kind() != pattern.kind) return false;
  return std::ranges::all_of(pattern.fields, [&event](const FieldMatch& match) {
    if (match.path == "call") return event.call == match.text;
    const auto value = field_of(event, match.path);
    return value && equals(*value, match.text);
  });
}

const Event* find_event(const Trace& trace, const EventPattern& pattern) {
  PatternCounter counter(pattern);
  const auto found = std::ranges::find_if(
      trace.events, [&counter](const Event& event) { return counter.hits(event); });
  return found == trace.events.end() ? nullptr : &*found;
}

}  // namespace plumb
