// SPDX-License-Identifier: Apache-2.0
#include "engine/values/nfkc.h"

#include <gtest/gtest.h>

namespace plumb {
namespace {

TEST(Nfkc, ComposesAccents) {
  EXPECT_EQ(nfkc("cafe\u0301"), "caf\u00e9");
  EXPECT_EQ(nfkc("a\u0323\u0307"), nfkc("a\u0307\u0323"));
  EXPECT_EQ(nfkc("\u1112\u1161\u11ab"), "\ud55c");
}

TEST(Nfkc, ReplacesCompatibilityForms) {
  EXPECT_EQ(nfkc("\ufb01le x\u00b2 \uff21 \u2026 \u2000"), "file x2 A ...  ");
}

TEST(Nfkc, LeavesWhatHasNoOtherForm) {
  EXPECT_EQ(nfkc("a\nb\r\n\u201cq\u201d \u2014 \u200b\ufeff"),
            "a\nb\r\n\u201cq\u201d \u2014 \u200b\ufeff");
  EXPECT_EQ(nfkc(std::string_view("\0a", 2)), std::string_view("\0a", 2));
  EXPECT_EQ(nfkc(""), "");
}

TEST(Nfkc, KeepsBytesThatAreNotUtf8) {
  EXPECT_EQ(nfkc("\xff\uff21\xe2\x80 \ufb01\xc3"),
            "\xff"
            "A\xe2\x80 fi\xc3");
}

}  // namespace
}  // namespace plumb
