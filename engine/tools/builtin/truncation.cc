// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/truncation.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/tools/builtin/line_scan.h"
#include "engine/values/utf8.h"

namespace plumb::engine {
namespace {

/// The lines of a text without their line feeds; a final line feed starts no other line.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto line_feed = text.find('\n');
    lines.push_back(text.substr(0, line_feed));
    if (line_feed == text.npos) break;
    text.remove_prefix(line_feed + 1);
  }
  return lines;
}

Truncation counted(std::string_view text, ShownMax max) {
  Truncation truncation;
  truncation.max = max;
  truncation.total_lines = count_lines(text);
  truncation.total_bytes = std::ssize(text);
  return truncation;
}

Truncation whole(Truncation truncation, std::string_view text) {
  truncation.content = text;
  truncation.output_lines = truncation.total_lines;
  truncation.output_bytes = truncation.total_bytes;
  return truncation;
}

bool fits(const Truncation& whole) {
  return whole.total_lines <= whole.max.lines && whole.total_bytes <= whole.max.bytes;
}

/// The last bytes of `line` that fit, from a character's beginning.
std::string_view end_of_line(std::string_view line, std::int64_t bytes_max) {
  auto begin = line.size() - static_cast<std::size_t>(bytes_max);
  while (begin < line.size() && (static_cast<unsigned char>(line[begin]) & 0xC0U) == 0x80U) ++begin;
  return line.substr(begin);
}

std::string with_decimal(std::int64_t bytes, std::int64_t unit, const char* name) {
  const std::int64_t tenths = (bytes * 10 + unit / 2) / unit;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + name;
}

}  // namespace

std::int64_t count_lines(std::string_view text) {
  const std::int64_t count = count_line_feeds(text);
  return !text.empty() && text.back() != '\n' ? count + 1 : count;
}

Truncation truncate_head(std::string_view text, ShownMax max) {
  Truncation truncation = counted(text, max);
  if (fits(truncation)) return whole(truncation, text);
  truncation.is_truncated = true;
  truncation.truncated_by = "lines";
  for (std::string_view rest = text; !rest.empty() && truncation.output_lines < max.lines;) {
    const auto line = rest.substr(0, rest.find('\n'));
    const std::int64_t separator = truncation.output_lines > 0 ? 1 : 0;
    if (std::ssize(truncation.content) + separator + std::ssize(line) > max.bytes) {
      truncation.truncated_by = "bytes";
      break;
    }
    if (separator > 0) truncation.content += '\n';
    truncation.content += line;
    ++truncation.output_lines;
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  // All lines fit and only the final line feed does not: a cut by bytes.
  if (truncation.output_lines == truncation.total_lines) truncation.truncated_by = "bytes";
  truncation.output_bytes = std::ssize(truncation.content);
  truncation.first_line_exceeds_limit = truncation.output_lines == 0;
  return truncation;
}

Truncation truncate_tail(std::string_view text, ShownMax max) {
  Truncation truncation = counted(text, max);
  if (fits(truncation)) return whole(truncation, text);
  const auto lines = lines_of(text);
  truncation.is_truncated = true;
  truncation.truncated_by = "lines";
  std::int64_t bytes = 0;
  auto first = lines.size();
  while (first > 0 && truncation.output_lines < max.lines) {
    const std::int64_t separator = truncation.output_lines > 0 ? 1 : 0;
    const std::int64_t grown = bytes + separator + std::ssize(lines[first - 1]);
    if (grown > max.bytes) {
      truncation.truncated_by = "bytes";
      break;
    }
    bytes = grown;
    ++truncation.output_lines;
    --first;
  }
  if (truncation.output_lines == 0) {
    truncation.content = end_of_line(lines.back(), max.bytes);
    truncation.output_lines = 1;
    truncation.last_line_partial = true;
  }
  for (auto i = first; i < lines.size() && !truncation.last_line_partial; ++i) {
    if (i > first) truncation.content += '\n';
    truncation.content += lines[i];
  }
  if (first == 0 && !truncation.last_line_partial) truncation.truncated_by = "bytes";
  truncation.output_bytes = std::ssize(truncation.content);
  return truncation;
}

Json to_json(const Truncation& truncation) {
  Json json{{"content", truncation.content}, {"truncated", truncation.is_truncated}};
  json["truncatedBy"] =
      truncation.truncated_by.empty() ? Json(nullptr) : Json(truncation.truncated_by);
  json["totalLines"] = truncation.total_lines;
  json["totalBytes"] = truncation.total_bytes;
  json["outputLines"] = truncation.output_lines;
  json["outputBytes"] = truncation.output_bytes;
  json["lastLinePartial"] = truncation.last_line_partial;
  json["firstLineExceedsLimit"] = truncation.first_line_exceeds_limit;
  json["maxLines"] = truncation.max.lines;
  json["maxBytes"] = truncation.max.bytes;
  return json;
}

ShownLine truncate_line(std::string_view line, std::int64_t units_max) {
  std::int64_t units = 0;
  for (std::int64_t at = 0; at < std::ssize(line);) {
    const CodePoint point = decode_utf8(line, at);
    units += point.value > 0xFFFF ? 2 : 1;
    if (units > units_max) {
      return {std::string(line.substr(0, static_cast<std::size_t>(at))) + "... [truncated]", true};
    }
    at += std::max<std::int64_t>(point.length, 1);
  }
  return {std::string(line), false};
}

std::string format_size(std::int64_t bytes) {
  constexpr std::int64_t kKilo = 1024;
  if (bytes < kKilo) return std::to_string(bytes) + "B";
  if (bytes < kKilo * kKilo) return with_decimal(bytes, kKilo, "KB");
  return with_decimal(bytes, kKilo * kKilo, "MB");
}

}  // namespace plumb::engine
