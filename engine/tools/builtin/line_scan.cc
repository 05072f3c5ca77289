// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/line_scan.h"

namespace plumb::engine {
namespace {

/// A block's count fits into a byte, so that compilers count in many bytes at once.
constexpr std::size_t kScanBlock = 64;

/// Of the first block of a text that has one.
std::int64_t count_in_block(std::string_view text) {
  std::uint8_t count = 0;
  for (std::size_t i = 0; i < kScanBlock; ++i) {
    count = static_cast<std::uint8_t>(count + (text[i] == '\n' ? 1 : 0));
  }
  return count;
}

}  // namespace

std::int64_t count_line_feeds(std::string_view text) {
  std::int64_t count = 0;
  for (; text.size() >= kScanBlock; text.remove_prefix(kScanBlock)) {
    count += count_in_block(text);
  }
  for (const char byte : text) count += byte == '\n' ? 1 : 0;
  return count;
}

std::string_view skip_lines(std::string_view text, std::int64_t count) {
  while (text.size() >= kScanBlock) {
    const std::int64_t found = count_in_block(text);
    if (found >= count) break;
    count -= found;
    text.remove_prefix(kScanBlock);
  }
  for (; count > 0; --count) {
    const auto line_feed = text.find('\n');
    if (line_feed == text.npos) return {};
    text.remove_prefix(line_feed + 1);
  }
  return text;
}

}  // namespace plumb::engine
