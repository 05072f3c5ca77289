// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/shell_output.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plumb::engine {
namespace {

using ::testing::HasSubstr;

TEST(ShellOutput, GivesProgramsBothHalves) {  // BASH-37
  ShellOutput output;
  std::string line(10'000, 'x');
  line.back() = '\n';
  for (int i = 0; i < 300; ++i) output.feed(line);
  output.finish();

  const std::string text = output.for_programs();

  EXPECT_TRUE(output.is_cut_for_programs());
  EXPECT_THAT(text, HasSubstr("\n\n[... 1951424 bytes omitted ...]\n\n"));
  EXPECT_EQ(std::ssize(text), 1'048'576 + 35);
}

TEST(ShellOutput, DecodesCharactersAcrossPieces) {  // BASH-36
  ShellOutput output;
  for (const char c : std::string("a\xF0\x9F\x98\x80z\xE2\x82")) output.feed(std::string(1, c));
  output.finish();

  EXPECT_EQ(output.shown().content, "a\xF0\x9F\x98\x80z\xEF\xBF\xBD");
}

TEST(Truncation, CutsLinesAtUtf16Units) {  // TRUNC-12
  EXPECT_EQ(truncate_line("abcde", 5), (ShownLine{"abcde", false}));
  EXPECT_EQ(truncate_line("abcdef", 5), (ShownLine{"abcde... [truncated]", true}));
  EXPECT_EQ(truncate_line("abcd\xF0\x9F\x98\x80x", 5), (ShownLine{"abcd... [truncated]", true}));
}

TEST(Truncation, KeepsTheTailWithinBothCaps) {  // TRUNC-07, TRUNC-08, TRUNC-10
  const ShownMax max{.lines = 5, .bytes = 5};

  EXPECT_EQ(truncate_tail("ab\xC3\xA9\xC3\xA9\xC3\xA9", max).content, "\xC3\xA9\xC3\xA9");
  EXPECT_EQ(truncate_tail("x\nabcdefgh", max).content, "defgh");
  EXPECT_EQ(truncate_tail("aa\nbb\ncc", max).content, "bb\ncc");
  EXPECT_EQ(truncate_tail("aa\nbb\ncc", max).truncated_by, "bytes");
}

}  // namespace
}  // namespace plumb::engine
