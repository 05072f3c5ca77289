// SPDX-License-Identifier: Apache-2.0
#include "reports/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plumb::reports {
namespace {

using testing::ElementsAre;

TEST(CharacterAt, RefusesOverlongFormsSurrogatesAndCutSequences) {
  EXPECT_FALSE(character_at("\xC0\xAF", 0).is_valid);
  EXPECT_FALSE(character_at("\xE0\x80\xAF", 0).is_valid);
  EXPECT_FALSE(character_at("\xED\xA0\x80", 0).is_valid);
  EXPECT_FALSE(character_at("\xF4\x90\x80\x80", 0).is_valid);
  EXPECT_FALSE(character_at("\xE4\xB8", 0).is_valid);
  EXPECT_EQ(character_at("\xE4\xB8\xAD", 0).value, U'中');
}

TEST(Visible, ShowsControlsAndBadBytesAsEscapes) {
  EXPECT_EQ(visible("a\x1b[31m\tb\nc"), "a\\x1b[31m\\tb\nc");
  EXPECT_EQ(visible_line("a\nb"), "a\\nb");
  EXPECT_EQ(visible("\xff"), "\\xff");
  // NOLINTNEXTLINE(misc-misleading-bidirectional): written as an escape
  EXPECT_EQ(visible("\xE2\x80\xAE"), "\\u202e");
}

TEST(Visible, EscapesBeyondAsciiOnRequest) {
  EXPECT_EQ(visible("中😀", false), "\\u4e2d\\u{01f600}");
  EXPECT_EQ(visible("中😀", true), "中😀");
}

TEST(ColumnsOf, CountsWideAndCombiningCharacters) {
  EXPECT_EQ(columns_of("abc"), 3);
  EXPECT_EQ(columns_of("中文"), 4);
  EXPECT_EQ(columns_of("e\xCC\x81"), 1);
}

TEST(Clipped, EndsInAnEllipsisWithinTheWidth) {
  EXPECT_EQ(clipped("abcdef", 6), "abcdef");
  EXPECT_EQ(clipped("abcdefg", 6), "abcde…");
  EXPECT_EQ(clipped("abcdefg", 6, false), "abc...");
  EXPECT_EQ(clipped("中文中文", 6), "中文…");
}

TEST(Wrapped, BreaksAtSpacesElseInTheWord) {
  EXPECT_THAT(wrapped("ab cd ef", 5, 9), ElementsAre("ab cd", "ef"));
  EXPECT_THAT(wrapped("abcdefgh", 5, 9), ElementsAre("abcde", "fgh"));
  EXPECT_THAT(wrapped("a\n\nb", 5, 9), ElementsAre("a", "", "b"));
}

TEST(Wrapped, MarksWhatIsLeftOut) {
  EXPECT_THAT(wrapped("a\nb\nc", 5, 2), ElementsAre("a", "b …"));
  EXPECT_THAT(wrapped("abcde fghij klmno", 5, 2), ElementsAre("abcde", "fghi…"));
}

TEST(WrappedCommand, BreaksAtUnquotedSpacesOnly) {
  EXPECT_THAT(wrapped_command("run 'a b' --seed 1", 12), ElementsAre("run 'a b' \\", "--seed 1"));
  EXPECT_THAT(wrapped_command("run a\\ b \"c d\"", 12), ElementsAre("run a\\ b \\", "\"c d\""));
  EXPECT_THAT(wrapped_command("averyverylongword x", 8), ElementsAre("averyverylongword \\", "x"));
}

TEST(Replaced, ReplacesEveryOccurrenceOnce) {
  EXPECT_EQ(replaced("a<b<<c", "<", "<<"), "a<<b<<<<c");
  EXPECT_EQ(replaced("", "<", "x"), "");
}

}  // namespace
}  // namespace plumb::reports
