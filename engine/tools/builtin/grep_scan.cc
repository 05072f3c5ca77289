// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/grep_scan.h"

#include <algorithm>
#include <utility>

#include "engine/tools/builtin/text_decoding.h"
#include "engine/tools/builtin/truncation.h"
#include "engine/values/utf8.h"

namespace plumb::engine {
namespace {

constexpr std::size_t kBinaryPrefixBytes = 65536;

char32_t unit_at(std::string_view bytes, std::size_t at, bool is_little) {
  const auto first = static_cast<unsigned char>(bytes[at]);
  const auto second = static_cast<unsigned char>(bytes[at + 1]);
  return is_little ? static_cast<char32_t>(second << 8 | first)
                   : static_cast<char32_t>(first << 8 | second);
}

/// Surrogates without their other half become U+FFFD.
std::string from_utf16(std::string_view bytes, bool is_little) {
  std::string text;
  for (std::size_t at = 0; at + 1 < bytes.size(); at += 2) {
    char32_t unit = unit_at(bytes, at, is_little);
    if (unit >= 0xD800 && unit < 0xDC00 && at + 3 < bytes.size()) {
      const char32_t low = unit_at(bytes, at + 2, is_little);
      if (low >= 0xDC00 && low < 0xE000) {
        unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
        at += 2;
      }
    }
    append_utf8(text, unit >= 0xD800 && unit < 0xE000 ? char32_t{0xFFFD} : unit);
  }
  return text;
}

}  // namespace

std::string searched_text(std::string bytes) {
  if (bytes.starts_with("\xEF\xBB\xBF")) return bytes.substr(3);
  if (bytes.starts_with("\xFF\xFE")) return from_utf16(std::string_view(bytes).substr(2), true);
  if (bytes.starts_with("\xFE\xFF")) return from_utf16(std::string_view(bytes).substr(2), false);
  return bytes;
}

std::string_view searched_part(std::string_view text) {
  const auto nul = text.find('\0');
  if (nul == std::string_view::npos) return text;
  if (nul < kBinaryPrefixBytes) return {};
  const auto feed = text.rfind('\n', nul);
  return feed == std::string_view::npos ? std::string_view() : text.substr(0, feed + 1);
}

void GrepScan::begin_file(std::string shown_path, std::string_view text) {
  path_ = std::move(shown_path);
  text_ = text;
  at_ = 0;
  number_ = 0;
  shown_number_ = 0;
  context_end_ = 0;
}

Result<bool> GrepScan::scan(std::int64_t bytes_max) {
  const std::int64_t size = std::ssize(text_);
  const std::int64_t stop = std::min(size, at_ + bytes_max);
  while (at_ < stop && !is_done_) {
    line_begin_ = at_;
    const auto feed = text_.find('\n', static_cast<std::size_t>(at_));
    const auto end = feed == std::string_view::npos ? size : static_cast<std::int64_t>(feed);
    const auto line =
        text_.substr(static_cast<std::size_t>(at_), static_cast<std::size_t>(end - at_));
    at_ = std::min(end + 1, size);
    ++number_;
    const auto found = pattern_.is_in(line);
    if (!found) {
      return fail(found.error().code,
                  path_ + ":" + std::to_string(number_) + ": " + found.error().message);
    }
    take_line(line, *found);
  }
  return at_ < size && !is_done_;
}

/// After the last match that may be shown, its context goes on, and one more match is looked for: a
/// match within that context is a line of it (GREP-06).
void GrepScan::take_line(std::string_view line, bool is_match) {
  const bool is_in_context = number_ <= context_end_;
  if (is_full_) {
    has_more_ = has_more_ || is_match;
    if (is_in_context) show(number_, line, false);
    is_done_ = has_more_ && number_ >= context_end_;
    return;
  }
  if (!is_match) {
    if (is_in_context) show(number_, line, false);
    return;
  }
  show_before();
  show(number_, line, true);
  context_end_ = number_ + limits_.context;
  is_full_ = ++match_count_ >= limits_.matches;
}

/// The lines before a match that are not shown yet.
void GrepScan::show_before() {
  std::int64_t first = std::max(shown_number_ + 1, number_ - limits_.context);
  if (first >= number_) return;
  std::int64_t begin = line_begin_;
  for (std::int64_t number = number_; number > first; --number) {
    const auto feed =
        begin < 2 ? std::string_view::npos : text_.rfind('\n', static_cast<std::size_t>(begin - 2));
    begin = feed == std::string_view::npos ? 0 : static_cast<std::int64_t>(feed) + 1;
  }
  for (; first < number_; ++first) {
    const auto end = text_.find('\n', static_cast<std::size_t>(begin));
    const auto length = end - static_cast<std::size_t>(begin);
    show(first, text_.substr(static_cast<std::size_t>(begin), length), false);
    begin = static_cast<std::int64_t>(end) + 1;
  }
}

void GrepScan::show(std::int64_t number, std::string_view line, bool is_match) {
  shown_number_ = number;
  if (line.ends_with('\r')) line.remove_suffix(1);
  // A character has at most four bytes: the rest of a long line is beyond the cut.
  const auto beginning = line.substr(0, static_cast<std::size_t>(kLineUnitsMax + 1) * 4);
  ShownLine shown = truncate_line(decode_text(std::string(beginning)));
  has_cut_lines_ = has_cut_lines_ || shown.is_truncated;
  const char* const mark = is_match ? ":" : "-";
  list_.add(path_ + mark + std::to_string(number) + mark + " " + shown.text);
}

}  // namespace plumb::engine
