// SPDX-License-Identifier: Apache-2.0
// Front matter, argument lines, placeholders, context files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/session/resources/front_matter.h"
#include "engine/session/resources/prompt_templates.h"
#include "engine/session/resources/resource_fixture.h"
#include "engine/session/resources/settings_patterns.h"
#include "engine/session/resources/text_words.h"

namespace plumb::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(FrontMatter, ReadsTheBlockAndTheBody) {  // SKILL-13
  const auto matter =
      parse_front_matter("\xEF\xBB\xBF---\r\nname: a\r\non: true\r\n---\r\n\r\nx\r\n");

  ASSERT_TRUE(matter) << matter.error().message;
  EXPECT_EQ(matter->fields, (Json{{"name", "a"}, {"on", true}}));
  EXPECT_EQ(matter->body, "x");
}

TEST(FrontMatter, LeavesATextWithoutABlockAlone) {
  EXPECT_EQ(parse_front_matter(" a\n")->body, " a\n");
  EXPECT_EQ(parse_front_matter("---\nname: a\n")->body, "---\nname: a\n");
  EXPECT_EQ(parse_front_matter("---\n- a\n---\nb")->fields, Json::object());
}

TEST(FrontMatter, TellsPlainWordsFromQuotedOnes) {
  const auto matter = parse_front_matter("---\na: 'true'\nb: 12\nc: ~\nd: 1.2.3\ne:\n---\n");

  EXPECT_EQ(matter->fields.dump(), R"({"a":"true","b":12.0,"c":null,"d":"1.2.3","e":null})");
}

TEST(FrontMatter, RefusesWhatIsNoYaml) {  // SKILL-08
  EXPECT_EQ(parse_front_matter("---\nname: [a\n---\n").error().code, ErrorCode::invalid);
  EXPECT_THAT(parse_front_matter("---\na: 1\na: 2\n---\n").error().message,
              HasSubstr("'a' occurs twice"));
}

TEST(FrontMatter, HasALimitOfDepth) {
  const std::string deep(std::size_t{kFrontMatterDepthMax} + 1, '[');
  const std::string close(deep.size(), ']');

  EXPECT_FALSE(parse_front_matter("---\na: " + deep + close + "\n---\n"));
}

TEST(FrontMatter, HasALimitOfValues) {
  std::string text = "---\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string alias = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + alias;
    for (int k = 0; k < 9; ++k) text += ", " + alias;
    text += "]\n";
  }

  EXPECT_THAT(parse_front_matter(text + "---\n").error().message, HasSubstr("too many values"));
}

TEST(ArgumentLine, SplitsAtWhiteSpaceOutsideQuotes) {  // RES-30
  EXPECT_THAT(split_arguments("a  'b c'\t\"d\""), ElementsAre("a", "b c", "d"));
  EXPECT_THAT(split_arguments("it's x"), ElementsAre("it's", "x"));
  EXPECT_THAT(split_arguments("'open b"), ElementsAre("'open", "b"));
  EXPECT_THAT(split_arguments(R"("say \"hi\"" '')"), ElementsAre("say \"hi\"", ""));
  EXPECT_THAT(split_arguments("a\xC2\xA0"
                              "b"),
              ElementsAre("a", "b"));
  EXPECT_THAT(split_arguments("  "), IsEmpty());
}

TEST(Placeholders, AreReplacedOnce) {  // RES-31
  const std::vector<std::string> arguments{"one", "$1 two", ""};
  const auto filled = [&](std::string_view text) { return *substitute_arguments(text, arguments); };

  EXPECT_EQ(filled("$1|$2|$3|$4|$0"), "one|$1 two|||");
  EXPECT_EQ(filled("$@ $ARGUMENTS"), "one $1 two  one $1 two ");
  EXPECT_EQ(filled("${1:-d} ${3:-d} ${9:-a b} ${@:-none}"), "one d a b one $1 two ");
  EXPECT_EQ(filled("${@:2}|${@:0:1}|${@:9}|${@:2:0}"), "$1 two |one||");
  EXPECT_EQ(filled("${1} ${x} $x $ $$1 ${@:a}"), "${1} ${x} $x $ $one ${@:a}");
  EXPECT_EQ(filled("${1:-open"), "${1:-open");
}

TEST(Placeholders, HaveALimitOfLength) {
  const std::vector<std::string> arguments{std::string(1 << 20, 'x')};
  std::string text;
  for (int i = 0; i < 20; ++i) text += "$1";

  EXPECT_EQ(substitute_arguments(text, arguments).error().code, ErrorCode::exhausted);
}

TEST(PromptTemplate, IsNamedAtTheBeginningOfAText) {  // RES-28
  std::vector<PromptTemplate> templates(1);
  templates[0].name = "review";
  templates[0].content = "Look at $1";

  EXPECT_EQ(*expand_template("/review a b", templates), "Look at a");
  EXPECT_EQ(*expand_template("/review\nx", templates), "Look at x");
  EXPECT_EQ(*expand_template(" /review a", templates), " /review a");
  EXPECT_EQ(*expand_template("/other a", templates), "/other a");
  EXPECT_EQ(*expand_template("/", templates), "/");
}

TEST(PromptTemplate, TakesItsDescriptionFromTheFirstLine) {  // RES-32
  ResourceWorld world;
  world.put("/p/a.md", "\n\n" + std::string(61, 'x') + "\ny");
  world.put("/p/b.md", "---\ndescription: said\nargument-hint: <f>\n---\nbody");
  world.put("/p/broken.md", "---\na: [\n---\n");
  world.put("/p/deep/c.md", "x");
  std::vector<ResourceFile> paths;
  paths.emplace_back("/p", SourceInfo());
  TemplateFinder finder(world.files);

  const auto found = *world.run(finder.load(std::move(paths)));

  ASSERT_THAT(found.templates, SizeIs(2));
  EXPECT_EQ(found.templates[0].description, std::string(60, 'x') + "...");
  EXPECT_EQ(found.templates[1].description, "said");
  EXPECT_EQ(found.templates[1].argument_hint, "<f>");
  ASSERT_THAT(found.diagnostics, SizeIs(1));
  EXPECT_EQ(found.diagnostics[0].path, "/p/broken.md");
}

TEST(ContextFiles, ComeFromTheUserAndThenFromTheTopDown) {  // RES-20, RES-21, RES-23
  ResourceWorld world;
  world.put("/AGENTS.md", "\xEF\xBB\xBFtop");
  world.put("/w/CLAUDE.md", "not this one");
  world.put("/w/AGENTS.override.md", "here");
  world.put("/w/.pi/AGENTS.md", "no");
  world.memory.put_directory("/user/.pi/agent/AGENTS.md");
  world.put("/user/.pi/agent/CLAUDE.MD", "user");
  ContextFinder finder(world.files);

  const auto found = *world.run(finder.load(world.options.places));

  ASSERT_THAT(found.files, SizeIs(3));
  EXPECT_EQ(found.files[0].content, "user");
  EXPECT_EQ(found.files[1].content, "top");
  EXPECT_EQ(found.files[2].path, "/w/AGENTS.override.md");
  EXPECT_THAT(context_section(found.files), HasSubstr("path=\"/w/AGENTS.override.md\">\nhere\n"));
}

TEST(ContextFiles, LeaveOutTheMainCopyOfANestedWorktree) {  // RES-22
  ResourceWorld world;
  world.put("/r/AGENTS.md", "main");
  world.put("/r/t/AGENTS.md", "tree");
  world.memory.put_directory("/r/.git/worktrees/t");
  world.put("/r/.git/worktrees/t/commondir", "../..\n");
  world.put("/r/t/.git", "gitdir: /r/.git/worktrees/t\n");
  ResourcePlaces places = world.options.places;
  places.cwd = "/r/t";
  ContextFinder finder(world.files);

  const auto found = *world.run(finder.load(places));

  ASSERT_THAT(found.files, SizeIs(1));
  EXPECT_EQ(found.files[0].content, "tree");
}

TEST(ListPatterns, TakeInAndLeaveOut) {  // RES-33
  const std::vector<std::string> entries{"!*.ts", "+a/keep.ts", "-a/gone.ts", "+a/gone.ts"};
  const ListPatterns patterns(entries, "/b");

  EXPECT_TRUE(patterns.takes("/b/x.js"));
  EXPECT_FALSE(patterns.takes("/b/a/x.ts"));
  EXPECT_TRUE(patterns.takes("/b/a/keep.ts"));
  EXPECT_FALSE(patterns.takes("/b/a/gone.ts"));
}

TEST(TextWords, CountAndCutAsEcmaScriptDoes) {
  EXPECT_EQ(utf16_length("a\xF0\x9F\x98\x80"), 3);
  EXPECT_EQ(utf16_prefix("a\xF0\x9F\x98\x80", 2), "a");
  EXPECT_EQ(trimmed_words("\xE2\x80\x83 a b \xEF\xBB\xBF"), "a b");
}

}  // namespace
}  // namespace plumb::engine
