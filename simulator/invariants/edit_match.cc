// SPDX-License-Identifier: Apache-2.0
#include "simulator/invariants/edit_match.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "engine/values/nfkc.h"
#include "engine/values/utf8.h"

namespace plumb::invariants {
namespace {

/// Half-open ranges of code points and what stands for them (EDIT-59).
struct PlainRange {
  char32_t first;
  char32_t last;
  char plain;
};

constexpr std::array<PlainRange, 9> kPlainRanges{{{0x2018, 0x201B, '\''},
                                                  {0x201C, 0x201F, '"'},
                                                  {0x2010, 0x2015, '-'},
                                                  {0x2212, 0x2212, '-'},
                                                  {0x00A0, 0x00A0, ' '},
                                                  {0x2002, 0x200A, ' '},
                                                  {0x202F, 0x202F, ' '},
                                                  {0x205F, 0x205F, ' '},
                                                  {0x3000, 0x3000, ' '}}};

/// White space of JavaScript besides ASCII and what kPlainRanges makes a blank.
constexpr std::array<char32_t, 6> kWideBlanks{0x1680, 0x2000, 0x2001, 0x2028, 0x2029, 0xFEFF};

void append_plain(std::u32string& plain, char32_t character) {
  for (const auto& range : kPlainRanges) {
    if (character < range.first || character > range.last) continue;
    plain += static_cast<char32_t>(range.plain);
    return;
  }
  plain += character;
}

bool is_end_blank(char32_t character) {
  return character == ' ' || (character >= 0x09 && character <= 0x0D) ||
         std::ranges::find(kWideBlanks, character) != kWideBlanks.end();
}

void drop_end_blanks(std::u32string& line) {
  while (!line.empty() && line.back() != '\n' && is_end_blank(line.back())) line.pop_back();
}

/// One change and where it may be.
struct FuzzyText {
  std::string wanted;
  std::string normalised;
  Occurrences as_written;     ///< In the original.
  Occurrences as_normalised;  ///< Of the normalised text in the normalised original.

  FuzzyText(const TextChange& change, const std::string& text, const std::string& normalised_file)
      : wanted(with_line_feeds(change.old_text)),
        normalised(normalised_text(wanted)),
        as_written(find_all(text, wanted)),
        as_normalised(find_all(normalised_file, normalised)) {}

  bool needs_second_search() const {
    return as_written.starts.empty() && !as_normalised.starts.empty();
  }
  bool ends_in_blanks() const { return normalised_text(wanted + "|") != normalised + "|"; }
  bool is_blank() const { return normalised.find_first_not_of('\n') == std::string::npos; }
  /// EDIT-64, EDIT-65 and EDIT-66 bind in the seed edition alone.
  bool is_decided() const {
    if (wanted.empty()) return true;
    if (is_blank() || (as_written.starts.size() > 1 && as_normalised.starts.size() <= 1)) {
      return false;
    }
    return as_written.starts.size() != 1 || as_normalised.starts.size() <= 1 || !ends_in_blanks();
  }
};

Occurrences places_of(const FuzzyText& text, const std::string* normalised_file) {
  Occurrences places =
      normalised_file != nullptr ? find_all(*normalised_file, text.wanted) : text.as_written;
  const bool is_missing = places.starts.empty() && normalised_file != nullptr;
  const bool is_ambiguous = text.as_normalised.starts.size() > 1;
  return is_missing || is_ambiguous ? text.as_normalised : places;
}

std::vector<std::string> text_lines(std::string_view text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  }
  return lines;
}

std::int64_t line_at(std::string_view text, std::int64_t offset) {
  return std::ranges::count(text.substr(0, static_cast<std::size_t>(offset)), '\n');
}

/// Lines that a replaced range has a character of.
std::set<std::int64_t> touched_lines(const EditCase& edit, std::string_view normalised) {
  std::set<std::int64_t> touched;
  for (const auto& place : edit.places) {
    const auto start = place.starts.front();
    const auto last = line_at(normalised, start + place.length - 1);
    for (auto line = line_at(normalised, start); line <= last; ++line) touched.insert(line);
  }
  return touched;
}

/// EDIT-62: the touched lines of the original become the normalised ones, and the places those of
/// the same characters there. The line ends of a file without lone CRs are kept.
void normalise_touched_lines(EditCase& edit, const std::string& text,
                             const std::string& normalised) {
  const auto touched = touched_lines(edit, normalised);
  const auto lines = text_lines(text);
  const auto new_lines = text_lines(normalised);
  std::string bytes(edit.original->starts_with("\xEF\xBB\xBF") ? "\xEF\xBB\xBF" : "");
  std::vector<std::int64_t> moved_by;  ///< How far the start of each line goes.
  std::int64_t moved = 0;
  auto rest = std::string_view(*edit.original).substr(bytes.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    moved_by.push_back(moved);
    const bool is_touched = touched.contains(static_cast<std::int64_t>(i));
    bytes += is_touched ? new_lines[i] : lines[i];
    if (!is_touched) moved += std::ssize(lines[i]) - std::ssize(new_lines[i]);
    rest.remove_prefix(lines[i].size());
    const auto line_end = rest.substr(0, rest.starts_with("\r\n") ? 2 : 1);
    bytes += line_end;
    rest.remove_prefix(line_end.size());
  }
  for (auto& place : edit.places) {
    auto& start = place.starts.front();
    start += moved_by[static_cast<std::size_t>(line_at(normalised, start))];
  }
  edit.partly_normalised = std::move(bytes);
}

bool has_lone_return(std::string_view bytes) {
  for (auto at = bytes.find('\r'); at != bytes.npos; at = bytes.find('\r', at + 1)) {
    if (!bytes.substr(at).starts_with("\r\n")) return true;
  }
  return false;
}

}  // namespace

std::string with_line_feeds(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] != '\r')
      text += bytes[i];
    else if (i + 1 == bytes.size() || bytes[i + 1] != '\n')
      text += '\n';
  }
  return text;
}

Occurrences find_all(std::string_view text, std::string_view needle) {
  Occurrences found;
  found.length = static_cast<std::int64_t>(needle.size());
  if (needle.empty()) return found;
  for (auto place = text.find(needle); place != std::string_view::npos;
       place = text.find(needle, place + needle.size())) {
    found.starts.push_back(static_cast<std::int64_t>(place));
  }
  return found;
}

std::string normalised_text(std::string_view text) {
  const std::string form = nfkc(text);
  std::u32string plain;
  for (std::int64_t at = 0; at < std::ssize(form);) {
    const CodePoint character = decode_utf8(form, at);
    if (character.length == 0) return std::string(text);  // Such files are not decided.
    if (character.value == '\n') drop_end_blanks(plain);
    append_plain(plain, character.value);
    at += character.length;
  }
  drop_end_blanks(plain);
  std::string normalised;
  for (const char32_t character : plain) append_utf8(normalised, character);
  return normalised;
}

bool match_fuzzily(EditCase& edit, const std::string& text) {
  const std::string normalised = normalised_text(text);
  std::vector<FuzzyText> texts;
  for (const auto& change : edit.changes) texts.emplace_back(change, text, normalised);
  const bool is_moved = std::ranges::any_of(texts, &FuzzyText::needs_second_search);
  bool is_found = true;
  for (const auto& fuzzy : texts) {
    edit.places.push_back(places_of(fuzzy, is_moved ? &normalised : nullptr));
    is_found = is_found && edit.places.back().starts.size() == 1;
  }
  if (is_moved && is_found) normalise_touched_lines(edit, text, normalised);
  return find_invalid_utf8(*edit.original) < 0 && !(is_moved && has_lone_return(*edit.original)) &&
         std::ranges::all_of(texts, &FuzzyText::is_decided);
}

}  // namespace plumb::invariants
