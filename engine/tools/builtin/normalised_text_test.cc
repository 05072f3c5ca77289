// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/normalised_text.h"

#include <gtest/gtest.h>

namespace plumb::engine {
namespace {

TEST(NormalisedText, HasAsciiForQuotesDashesAndBlanks) {  // EDIT-59
  EXPECT_EQ(normalised_text("\u2018\u2019\u201a\u201b"), "''''");
  EXPECT_EQ(normalised_text("\u201c\u201d\u201e\u201f"), "\"\"\"\"");
  EXPECT_EQ(normalised_text("\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-------");
  EXPECT_EQ(normalised_text("a\u00a0\u2002\u200a\u202f\u205f\u3000b"), "a      b");
  EXPECT_EQ(normalised_text("\ufb01le \uff21\u00b2 cafe\u0301"), "file A2 caf\u00e9");
}

TEST(NormalisedText, LosesBlanksAtTheEndOfEachLine) {  // EDIT-59
  EXPECT_EQ(normalised_text("a \t\nb\f\v\nc\ufeff\u2028\nd\u00a0\u3000\u1680"), "a\nb\nc\nd");
  EXPECT_EQ(normalised_text("  \n \n"), "\n\n");
}

TEST(NormalisedText, KeepsWhatElseTheTextSays) {  // EDIT-60
  const char* const text = "\t  Name  NAME \u200b a\u200b\n \ufeffb\n";

  EXPECT_EQ(normalised_text(text), text);
}

TEST(NormalisedText, KeepsBytesThatAreNotUtf8) {
  EXPECT_EQ(normalised_text("\xff\u2018\xe2\x80 \nx\xc3"), "\xff'\xe2\x80\nx\xc3");
}

}  // namespace
}  // namespace plumb::engine
