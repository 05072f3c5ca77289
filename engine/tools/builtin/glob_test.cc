// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/glob.h"

#include <gtest/gtest.h>

namespace plumb::engine {
namespace {

bool matches(std::string_view pattern, std::string_view path,
             const GlobOptions& options = GlobOptions()) {
  const auto glob = Glob::compile(pattern, options);
  EXPECT_TRUE(glob) << pattern;
  return glob && glob->matches(path);
}

struct GlobCase {
  const char* pattern;
  const char* path;
  bool is_match;
};

TEST(Glob, KeepsToThePartsOfAPath) {  // FIND-02, GREP-08
  for (const auto& [pattern, path, is_match] : {GlobCase{"*.ts", "a.ts", true},
                                                GlobCase{"*.ts", "src/a.ts", false},
                                                GlobCase{"*", ".hidden", true},
                                                GlobCase{"?.ts", "\xC3\xA4.ts", true},
                                                GlobCase{"src/*.ts", "src/a.ts", true},
                                                GlobCase{"src/*.ts", "pkg/src/a.ts", false},
                                                GlobCase{"**/deep/*.ts", "src/deep/b.ts", true},
                                                GlobCase{"**/deep/*.ts", "deep/b.ts", true},
                                                GlobCase{"src/**", "src/a/b", true},
                                                GlobCase{"src/**", "src", false},
                                                GlobCase{"a/**/b", "a/b", true},
                                                GlobCase{"a/**/b", "a/x/y/b", true},
                                                GlobCase{"a/**/b", "ab", false},
                                                GlobCase{"a/**/*b/c", "a/xb/yb/c", true},
                                                GlobCase{"**", "a/b", true},
                                                GlobCase{"src/**.ts", "src/a.ts", true},
                                                GlobCase{"src/**.ts", "src/a/b.ts", false},
                                                GlobCase{"**/a*b/**/c*", "x/aab/ab/y/cc", true},
                                                GlobCase{"", "", true},
                                                GlobCase{"*a*b*c", "xaybzbc", true},
                                                GlobCase{"*a*b*c", "xaybzb", false}}) {
    EXPECT_EQ(matches(pattern, path), is_match) << pattern << " " << path;
  }
}

TEST(Glob, ReadsSetsAndEscapes) {
  for (const auto& [pattern, path, is_match] :
       {GlobCase{"[ab]?.q", "a1.q", true}, GlobCase{"[!x].ts", "x.ts", false},
        GlobCase{"[^x].ts", "y.ts", true}, GlobCase{"[]x].ts", "].ts", true},
        GlobCase{"[x-z]", "y", true}, GlobCase{"[a-]", "-", true}, GlobCase{"a[!b]c", "a/c", false},
        GlobCase{"\\*", "*", true}, GlobCase{"\\*", "a", false},
        GlobCase{"[[:digit:]x]", "7", true}, GlobCase{"a]", "a]", true},
        GlobCase{"[[]", "[", true}}) {
    EXPECT_EQ(matches(pattern, path), is_match) << pattern << " " << path;
  }
}

TEST(Glob, ReadsChoicesOnlyWhenAskedTo) {
  GlobOptions plain;
  plain.has_choices = false;
  EXPECT_TRUE(matches("*.{x,y}", "a.y"));
  EXPECT_TRUE(matches("{a,{b,c}}{1,2}", "c2"));
  EXPECT_TRUE(matches("{,x}a", "a"));
  EXPECT_TRUE(matches("\\{a\\}", "{a}"));
  EXPECT_TRUE(matches("[{]a", "{a"));
  EXPECT_TRUE(matches("*.{x,y}", "a.{x,y}", plain));
  EXPECT_FALSE(matches("*.{x,y}", "a.x", plain));
}

TEST(Glob, IgnoresCaseWhenAskedTo) {  // FIND-02
  GlobOptions options;
  options.ignores_case = true;
  EXPECT_TRUE(matches("readme*", "README.md", options));
  EXPECT_TRUE(matches("[a-c]x", "BX", options));
  EXPECT_TRUE(matches("\xC3\xA4", "\xC3\x84", options));
  EXPECT_FALSE(matches("readme*", "README.md"));
  EXPECT_TRUE(has_upper_case("aB"));
  EXPECT_FALSE(has_upper_case("a1*"));
}

TEST(Glob, RefusesWhatIsNoPattern) {
  for (const char* pattern : {"[", "{a", "a\\", "[z-a]", "[[:what:]]"}) {
    EXPECT_FALSE(Glob::compile(pattern)) << pattern;
  }
  std::string many;
  for (int i = 0; i < 11; ++i) many += "{a,b}";
  EXPECT_FALSE(Glob::compile(many));
  const std::string all_but_one(static_cast<std::size_t>(kGlobChoicesMax - 1), ',');
  EXPECT_TRUE(Glob::compile("{" + all_but_one + "}"));
  EXPECT_FALSE(Glob::compile("{," + all_but_one + "}"));
  const std::string longest(static_cast<std::size_t>(kGlobChoiceLettersMax), 'a');
  EXPECT_TRUE(Glob::compile(longest));
  EXPECT_FALSE(Glob::compile(longest + "a"));
}

TEST(Glob, TakesNamesThatAreNoText) {
  GlobOptions bytewise;
  bytewise.is_bytewise = true;
  EXPECT_TRUE(matches("a?b",
                      "a\xFF"
                      "b"));
  EXPECT_FALSE(matches("?", "\xC3\xA4", bytewise));
  EXPECT_TRUE(matches("??", "\xC3\xA4", bytewise));
}

TEST(Glob, StaysFastWhereNothingMatches) {
  EXPECT_FALSE(matches("*a*a*a*a*a*a*a*a*a*a*b", std::string(20'000, 'a')));
}

}  // namespace
}  // namespace plumb::engine
