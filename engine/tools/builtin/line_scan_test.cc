// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/line_scan.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace plumb::engine {
namespace {

/// Line feeds at irregular places, over several blocks and a part of one.
std::string uneven_text(std::int64_t size) {
  std::string text;
  for (std::int64_t i = 0; i < size; ++i) text += i % 7 == 3 || i % 31 == 0 ? '\n' : 'x';
  return text;
}

TEST(LineScan, CountsWhatASimpleCountFinds) {
  for (std::int64_t size = 0; size < 300; ++size) {
    const std::string text = uneven_text(size);
    EXPECT_EQ(count_line_feeds(text), std::ranges::count(text, '\n')) << size;
  }
}

TEST(LineScan, CountsABlockOfNothingElse) {
  EXPECT_EQ(count_line_feeds(std::string(1000, '\n')), 1000);
}

TEST(LineScan, SkipsToTheByteAfterTheLastSkippedLine) {
  const std::string text = uneven_text(300);
  const std::int64_t lines = std::ranges::count(text, '\n');
  for (std::int64_t skipped = 0; skipped <= lines; ++skipped) {
    const std::string_view rest = skip_lines(text, skipped);
    const auto before = std::string_view(text).substr(0, text.size() - rest.size());
    EXPECT_EQ(std::ranges::count(before, '\n'), skipped);
    EXPECT_TRUE(before.empty() || before.back() == '\n') << skipped;
  }
}

TEST(LineScan, FindsNothingBehindTheLastLine) {
  EXPECT_EQ(skip_lines("one\ntwo", 1), "two");
  EXPECT_EQ(skip_lines("one\ntwo", 2), "");
  EXPECT_EQ(skip_lines(uneven_text(300), 1'000'000), "");
}

}  // namespace
}  // namespace plumb::engine
