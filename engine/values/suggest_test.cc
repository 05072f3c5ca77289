// SPDX-License-Identifier: Apache-2.0
#include "engine/values/suggest.h"

#include <array>

#include <gtest/gtest.h>

namespace plumb {

namespace {

constexpr std::array<std::string_view, 5> kSuggestTestWords = {"tool", "tools", "expect", "steps",
                                                               "description"};

}  // namespace

TEST(DidYouMean, FindsTheClosestWord) {
  EXPECT_EQ(did_you_mean("tol", kSuggestTestWords), "tool");
  EXPECT_EQ(did_you_mean("toolss", kSuggestTestWords), "tools");
  EXPECT_EQ(did_you_mean("exepct", kSuggestTestWords), "expect");
}

TEST(DidYouMean, DoesNotMindCapitals) {
  EXPECT_EQ(did_you_mean("EXPECT", kSuggestTestWords), "expect");
}

TEST(SuggestionFor, EndsAMessage) {
  EXPECT_EQ(suggestion_for("tol", kSuggestTestWords), "; did you mean 'tool'?");
  EXPECT_EQ(suggestion_for("zzzzzz", kSuggestTestWords), "");
}

TEST(DidYouMean, AllowsAThirdOfALongWord) {
  EXPECT_EQ(did_you_mean("descriptoun", kSuggestTestWords), "description");
  EXPECT_EQ(did_you_mean("dscrptn", kSuggestTestWords), "");
  EXPECT_EQ(did_you_mean("descrpon", kSuggestTestWords), "");
  EXPECT_EQ(did_you_mean("describing it", kSuggestTestWords), "");
  EXPECT_EQ(did_you_mean("descriptn", kSuggestTestWords), "description");
}

TEST(DidYouMean, FindsNothingFarAway) {
  EXPECT_EQ(did_you_mean("model", kSuggestTestWords), "");
  EXPECT_EQ(did_you_mean("", kSuggestTestWords), "");
  EXPECT_EQ(did_you_mean("xy", kSuggestTestWords), "");
}

}  // namespace plumb
