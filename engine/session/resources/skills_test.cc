// SPDX-License-Identifier: Apache-2.0
#include "engine/session/resources/skills.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/session/resources/resource_fixture.h"

namespace plumb::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

SkillList load(ResourceWorld& world, std::initializer_list<const char*> given) {
  std::vector<ResourceFile> paths;
  for (const char* path : given) paths.emplace_back(path, SourceInfo());
  SkillFinder finder(world.files);
  return *world.run(finder.load(std::move(paths)));
}

std::vector<std::string> names_of(const SkillList& list) {
  std::vector<std::string> names;
  for (const auto& skill : list.skills) names.push_back(skill.name);
  return names;
}

TEST(Skills, AreFoundAtAnyDepthAndEndTheSearch) {  // SKILL-06
  ResourceWorld world;
  world.put_skill("/s/a/b", "deep");
  world.put_skill("/s/a/b/c", "below");
  world.put_skill("/s/.h", "hidden");
  world.put_skill("/s/node_modules/m", "module");
  world.put("/s/loose.md", "---\ndescription: d\n---\n");
  world.put("/s/README.md", "text");
  world.put("/s/a/loose.md", "---\ndescription: d\n---\n");

  const auto found = load(world, {"/s"});

  EXPECT_THAT(names_of(found), ElementsAre("deep", "s"));
  EXPECT_THAT(found.diagnostics, IsEmpty());
}

TEST(Skills, HeedIgnoreFiles) {  // SKILL-06
  ResourceWorld world;
  world.put("/s/.gitignore", "skip/\n");
  world.put("/s/b/.ignore", "in\n");
  world.put_skill("/s/skip", "skip");
  world.put_skill("/s/b/in", "in");
  world.put_skill("/s/b/out", "out");

  EXPECT_THAT(names_of(load(world, {"/s"})), ElementsAre("out"));
}

TEST(Skills, NeedADescription) {  // SKILL-08
  ResourceWorld world;
  world.put("/s/a/SKILL.md", "text");
  world.put("/s/b/SKILL.md", "---\nname: [x\n---\n");
  world.put("/s/c/SKILL.md", "---\ndescription: 5\n---\n");

  const auto found = load(world, {"/s"});

  EXPECT_THAT(found.skills, IsEmpty());
  EXPECT_THAT(found.diagnostics, SizeIs(3));
}

TEST(Skills, WithOddNamesLoadWithAWarning) {  // SKILL-09
  EXPECT_THAT(skill_name_problems("good-name-1"), IsEmpty());
  EXPECT_THAT(skill_name_problems("Bad_Name"), SizeIs(1));
  EXPECT_THAT(skill_name_problems("-a--b"), SizeIs(2));
  EXPECT_THAT(skill_name_problems(std::string(65, 'n')), SizeIs(1));
  ResourceWorld world;
  world.put("/s/a/SKILL.md", "---\ndescription: " + std::string(1025, 'd') + "\n---\n");

  const auto found = load(world, {"/s"});

  EXPECT_THAT(names_of(found), ElementsAre("a"));
  EXPECT_THAT(found.diagnostics, SizeIs(1));
}

TEST(Skills, OfOneNameAreReportedAndOneFileCountsOnce) {  // RES-11, RES-12
  ResourceWorld world;
  world.put_skill("/s/one", "same");
  world.put_skill("/t/two", "same");
  world.memory.put_symlink("/link", "/s/one");

  const auto found = load(world, {"/s", "/t", "/link", "/none"});

  EXPECT_THAT(names_of(found), ElementsAre("same"));
  ASSERT_THAT(found.diagnostics, SizeIs(2));
  EXPECT_EQ(found.diagnostics[0].path, "/none");
  EXPECT_EQ(found.diagnostics[1].type, "collision");
  EXPECT_EQ(found.diagnostics[1].winner, "/s/one/SKILL.md");
  EXPECT_EQ(found.diagnostics[1].path, "/t/two/SKILL.md");
}

TEST(Skills, SurviveLinksInCircles) {
  ResourceWorld world;
  world.put_skill("/s/a", "a");
  for (const char* link : {"/s/b", "/s/c", "/s/d"}) world.memory.put_symlink(link, "/s");

  EXPECT_THAT(names_of(load(world, {"/s"})), ElementsAre("a"));
}

TEST(SkillsSection, ShowsSummariesOnly) {  // SKILL-01, SKILL-10, SKILL-11
  ResourceWorld world;
  world.put("/s/a/SKILL.md", "---\nname: a\ndescription: x <b> & \"c\"\n---\nSECRET");
  world.put("/s/m/SKILL.md", "---\nname: m\ndescription: d\ndisable-model-invocation: true\n---\n");
  const auto found = load(world, {"/s"});

  const std::string section = skills_section(found.skills);

  EXPECT_THAT(section, HasSubstr("<description>x &lt;b&gt; &amp; &quot;c&quot;</description>"));
  EXPECT_THAT(section, HasSubstr("<location>/s/a/SKILL.md</location>"));
  EXPECT_THAT(section, Not(HasSubstr("SECRET")));
  EXPECT_THAT(section, Not(HasSubstr("<name>m</name>")));
  EXPECT_EQ(skills_section(std::span(found.skills).subspan(1)), "");
}

TEST(SkillCommand, BecomesTheBody) {  // SKILL-12, SKILL-15
  ResourceWorld world;
  world.put("/s/a/SKILL.md", "---\ndescription: d\n---\n\nSee ref.md\n");
  world.put("/s/a/ref.md", "REFERENCE");
  const auto found = load(world, {"/s"});
  SkillFinder finder(world.files);
  const auto expand = [&](std::string text) {
    return *world.run(finder.expand(std::move(text), found.skills));
  };

  EXPECT_EQ(expand("/skill:a  do it "),
            "<skill name=\"a\" location=\"/s/a/SKILL.md\">\nReferences are relative to "
            "/s/a.\n\nSee ref.md\n</skill>\n\ndo it");
  EXPECT_EQ(expand("/skill:other x"), "/skill:other x");
  EXPECT_EQ(expand("say /skill:a"), "say /skill:a");
}

}  // namespace
}  // namespace plumb::engine
