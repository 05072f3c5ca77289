// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/truncation.h"

#include <utility>
#include <vector>

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

Truncation whole(std::string_view text, std::int64_t line_count) {
  Truncation truncation;
  truncation.content = text;
  truncation.total_lines = truncation.output_lines = line_count;
  truncation.total_bytes = truncation.output_bytes = std::ssize(text);
  return truncation;
}

bool fits(std::string_view text, std::int64_t line_count) {
  return line_count <= kShownLinesMax && std::ssize(text) <= kShownBytesMax;
}

/// The last bytes of `line` that fit, from a character's beginning.
std::string_view end_of_line(std::string_view line) {
  auto begin = line.size() - static_cast<std::size_t>(kShownBytesMax);
  while (begin < line.size() && (static_cast<unsigned char>(line[begin]) & 0xC0U) == 0x80U) ++begin;
  return line.substr(begin);
}

std::string with_decimal(std::int64_t bytes, std::int64_t unit, const char* name) {
  const std::int64_t tenths = (bytes * 10 + unit / 2) / unit;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + name;
}

}  // namespace

std::int64_t count_lines(std::string_view text) {
  std::int64_t count = 0;
  for (const char c : text) count += c == '\n' ? 1 : 0;
  return !text.empty() && text.back() != '\n' ? count + 1 : count;
}

Truncation truncate_head(std::string_view text) {
  const auto lines = lines_of(text);
  Truncation truncation = whole(text, std::ssize(lines));
  if (fits(text, truncation.total_lines)) return truncation;
  truncation.is_truncated = true;
  truncation.truncated_by = "lines";
  truncation.content.clear();
  truncation.output_lines = 0;
  for (const auto line : lines) {
    if (truncation.output_lines == kShownLinesMax) break;
    const std::int64_t separator = truncation.output_lines > 0 ? 1 : 0;
    if (std::ssize(truncation.content) + separator + std::ssize(line) > kShownBytesMax) {
      truncation.truncated_by = "bytes";
      break;
    }
    if (separator > 0) truncation.content += '\n';
    truncation.content += line;
    ++truncation.output_lines;
  }
  // All lines fit and only the final line feed does not: a cut by bytes.
  if (truncation.output_lines == truncation.total_lines) truncation.truncated_by = "bytes";
  truncation.output_bytes = std::ssize(truncation.content);
  truncation.first_line_exceeds_limit = truncation.output_lines == 0;
  return truncation;
}

Truncation truncate_tail(std::string_view text) {
  const auto lines = lines_of(text);
  Truncation truncation = whole(text, std::ssize(lines));
  if (fits(text, truncation.total_lines)) return truncation;
  truncation.is_truncated = true;
  truncation.truncated_by = "lines";
  truncation.output_lines = 0;
  std::int64_t bytes = 0;
  auto first = lines.size();
  while (first > 0 && truncation.output_lines < kShownLinesMax) {
    const std::int64_t separator = truncation.output_lines > 0 ? 1 : 0;
    const std::int64_t grown = bytes + separator + std::ssize(lines[first - 1]);
    if (grown > kShownBytesMax) {
      truncation.truncated_by = "bytes";
      break;
    }
    bytes = grown;
    ++truncation.output_lines;
    --first;
  }
  truncation.content.clear();
  if (truncation.output_lines == 0) {
    truncation.content = end_of_line(lines.back());
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
  json["maxLines"] = kShownLinesMax;
  json["maxBytes"] = kShownBytesMax;
  return json;
}

std::string format_size(std::int64_t bytes) {
  constexpr std::int64_t kKilo = 1024;
  if (bytes < kKilo) return std::to_string(bytes) + "B";
  if (bytes < kKilo * kKilo) return with_decimal(bytes, kKilo, "KB");
  return with_decimal(bytes, kKilo * kKilo, "MB");
}

}  // namespace plumb::engine
