// SPDX-License-Identifier: Apache-2.0
#include "engine/session/resources/loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/session/resources/resource_fixture.h"

namespace plumb::engine {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* kUser = "/user/.pi/agent";

/// One of everything; each extension is a tripwire.
struct FullWorld : ResourceWorld {
  FullWorld() {
    for (const char* folder : {"/w/.pi", kUser}) {
      const std::string at = folder;
      const bool is_user = at == kUser;
      const std::string name = is_user ? "user" : "project";
      put(at + "/extensions/" + name + ".ts");
      put(at + "/listed.ts");
      put(at + "/pack/extensions/" + name + "-pack.ts");
      put(at + "/settings.json",
          R"({"extensions": ["./listed.ts"], "packages": ["./pack"], "sessionDir": ")" + name +
              "\"}");
      put_skill(at + "/skills/s", name + "-skill");
      put(at + "/prompts/same.md", name);
      put(at + "/SYSTEM.md", name + " system");
      put(at + "/APPEND_SYSTEM.md", name + " addition");
    }
    put_skill("/w/.agents/skills/a", "agents-skill");
    put("/cli.ts");
    put("/w/AGENTS.md", "context");
    options.extensions = {"/cli.ts"};
    options.inlined.resize(1);
    code.inlined["<inline:1>"] = "{}";
  }

  LoadedResources decide(bool answer) {
    ResourceLoader loader(memory, code, options);
    auto loaded = run(loader.load([this, answer](std::vector<LoadedExtension> ready) {
      return note(std::move(ready), answer);
    }));
    return *std::move(loaded);
  }
  Task<bool> note(std::vector<LoadedExtension> extensions, bool answer) {
    early = paths_of(extensions);
    ran_before = code.ran;
    co_return answer;
  }

  std::vector<std::string> early;
  std::vector<std::string> ran_before;
};

TEST(ResourceLoader, RunsNothingOfAProjectBeforeItIsTrusted) {  // TRUST-01, TRUST-02
  FullWorld world;

  world.decide(true);

  EXPECT_THAT(world.ran_before, Each(Not(StartsWith("/w/"))));
  EXPECT_THAT(world.early,
              ElementsAre("/cli.ts", std::string(kUser) + "/listed.ts",
                          std::string(kUser) + "/extensions/user.ts",
                          std::string(kUser) + "/pack/extensions/user-pack.ts", "<inline:1>"));
}

TEST(ResourceLoader, LoadsNothingOfAProjectThatIsDeclined) {  // TRUST-04, SKILL-14, RES-17
  FullWorld world;

  const auto loaded = world.decide(false);

  EXPECT_THAT(world.code.ran, Each(Not(StartsWith("/w/"))));
  ASSERT_THAT(loaded.skills.skills, SizeIs(1));
  EXPECT_EQ(loaded.skills.skills[0].name, "user-skill");
  ASSERT_THAT(loaded.prompts.templates, SizeIs(1));
  EXPECT_EQ(loaded.prompts.templates[0].content, "user");
  EXPECT_EQ(loaded.system_prompt, "user system");
  EXPECT_THAT(loaded.appended, ElementsAre("user addition"));
  EXPECT_EQ(loaded.settings.session_folder(), "user");
  ASSERT_THAT(loaded.context.files, SizeIs(1));
  EXPECT_EQ(loaded.context.files[0].content, "context");
}

TEST(ResourceLoader, LoadsTheProjectBeforeTheUser) {  // RES-10, TRUST-18, RES-25, DISC-19
  FullWorld world;

  const auto loaded = world.decide(true);

  const std::string user = kUser;
  EXPECT_THAT(paths_of(loaded.extensions),
              ElementsAre("/cli.ts", "/w/.pi/listed.ts", "/w/.pi/extensions/project.ts",
                          user + "/listed.ts", user + "/extensions/user.ts",
                          "/w/.pi/pack/extensions/project-pack.ts",
                          user + "/pack/extensions/user-pack.ts", "<inline:1>"));
  EXPECT_THAT(world.code.ran, SizeIs(8));
  EXPECT_EQ(loaded.extensions[0].source.scope, "temporary");
  EXPECT_EQ(loaded.extensions[5].source.origin, "package");
  EXPECT_EQ(loaded.extensions[5].source.scope, "project");
  ASSERT_THAT(loaded.prompts.templates, SizeIs(1));
  EXPECT_EQ(loaded.prompts.templates[0].content, "project");
  EXPECT_EQ(loaded.prompts.diagnostics[0].type, "collision");
  EXPECT_EQ(loaded.system_prompt, "project system");
  EXPECT_THAT(loaded.skills.skills, SizeIs(3));
}

TEST(ResourceLoader, PassesItsPhasesInOrder) {  // RES-01
  FullWorld world;
  std::vector<std::string> phases;
  world.options.on_phase = [&](std::string_view phase) { phases.emplace_back(phase); };

  world.load(true);

  EXPECT_THAT(phases, ElementsAre("resources", "extensions", "conflicts", "skills", "prompts",
                                  "themes", "context", "system"));
}

TEST(ResourceLoader, ReloadsAllAnew) {  // DISC-08, DISC-25
  FullWorld world;
  ResourceLoader loader(world.memory, world.code, world.options);
  ASSERT_TRUE(world.run(loader.load(true)));
  world.code.ran.clear();

  const auto again = *world.run(loader.load(true));

  EXPECT_EQ(world.code.forgotten, 1);
  EXPECT_EQ(paths_of(again.extensions), world.code.ran);
  EXPECT_THAT(world.code.ran, SizeIs(8));
}

TEST(ResourceLoader, SwitchesEachKindOffAlone) {  // RES-09, RES-08
  FullWorld world;
  world.options.finds_extensions = false;
  world.options.finds_context_files = false;

  const auto loaded = world.load(true);

  EXPECT_THAT(paths_of(loaded.extensions), ElementsAre("/cli.ts", "<inline:1>"));
  EXPECT_THAT(loaded.context.files, IsEmpty());
  EXPECT_THAT(loaded.skills.skills, SizeIs(3));
}

TEST(ResourceLoader, TakesExactlyWhatAHostGives) {  // RES-07
  FullWorld world;
  world.put_skill("/given/s", "given");
  world.options.extensions.clear();
  world.options.inlined.clear();
  world.options.finds_extensions = world.options.finds_skills = world.options.finds_prompts = false;
  world.options.finds_themes = world.options.finds_context_files = false;
  world.options.skills = {"/given"};
  world.options.system_prompt = "host";
  world.options.appended = {"more"};

  const auto loaded = world.load(true);

  EXPECT_THAT(loaded.extensions, IsEmpty());
  ASSERT_THAT(loaded.skills.skills, SizeIs(1));
  EXPECT_EQ(loaded.skills.skills[0].name, "given");
  EXPECT_THAT(loaded.prompts.templates, IsEmpty());
  EXPECT_EQ(loaded.system_prompt, "host");
  EXPECT_THAT(loaded.appended, ElementsAre("more"));
}

TEST(ResourceLoader, GoesOnBehindABrokenExtension) {  // RES-02, DISC-09, DISC-17
  ResourceWorld world;
  world.put(std::string(kUser) + "/extensions/a.ts", R"({"fail": "boom", "tools": ["t"]})");
  world.put(std::string(kUser) + "/extensions/b.ts", R"({"tools": ["t"]})");
  world.options.extensions = {"none.ts"};

  const auto loaded = world.load(true);

  EXPECT_THAT(loaded.extensions, SizeIs(1));
  ASSERT_THAT(loaded.errors, SizeIs(2));
  EXPECT_EQ(loaded.errors[0].message, "boom");
  EXPECT_EQ(loaded.errors[1].path, "/w/none.ts");
}

TEST(ResourceLoader, ReportsANameClaimedTwice) {  // RES-03
  ResourceWorld world;
  const std::string folder = std::string(kUser) + "/extensions/";
  world.put(folder + "a.ts", R"({"tools": ["t"], "flags": ["f"], "commands": ["c"]})");
  world.put(folder + "b.ts", R"({"tools": ["t"], "flags": ["f"], "commands": ["c"]})");

  const auto loaded = world.load(true);

  EXPECT_THAT(loaded.extensions, SizeIs(2));
  ASSERT_THAT(loaded.errors, SizeIs(2));
  EXPECT_EQ(loaded.errors[0].path, folder + "b.ts");
  EXPECT_EQ(loaded.errors[0].winner, folder + "a.ts");
}

TEST(ResourceLoader, LeavesOutAReplacedBuiltInAndSaysSo) {  // RES-04, RES-05, RES-06
  ResourceWorld world;
  world.put(std::string(kUser) + "/extensions/a.ts", R"({"commands": ["mcp"]})");
  world.options.inlined.resize(1);
  world.options.inlined[0].id = "mcp";
  world.options.inlined[0].is_builtin = world.options.inlined[0].is_replaceable = true;
  world.code.inlined["builtin:mcp"] = R"({"commands": ["mcp"], "tools": ["t"]})";

  const auto loaded = world.load(true);

  EXPECT_THAT(loaded.extensions, SizeIs(1));
  EXPECT_THAT(world.code.ran, Contains("builtin:mcp"));
  ASSERT_THAT(loaded.warnings, SizeIs(1));
  EXPECT_THAT(loaded.warnings[0].message, AllOf(HasSubstr("command /mcp"), HasSubstr("a.ts")));
}

TEST(ResourceLoader, HeedsTheSwitchOfABuiltIn) {  // TRUST-19
  ResourceWorld world;
  world.options.inlined.resize(1);
  world.options.inlined[0].id = "mcp";
  world.options.inlined[0].is_builtin = true;
  world.code.inlined["builtin:mcp"] = "{}";
  EXPECT_THAT(world.load(true).extensions, SizeIs(1));

  world.put("/w/.pi/settings.json", R"({"extensions": ["-builtin:mcp"]})");

  EXPECT_THAT(world.load(true).extensions, IsEmpty());
  EXPECT_THAT(world.load(false).extensions, SizeIs(1));
}

TEST(ResourceLoader, FetchesPackagesOfATrustedProjectOnly) {  // TRUST-24, RES-14
  ResourceWorld world;
  world.put("/w/.pi/settings.json", R"({"packages": ["npm:@a/b@1.0.0", "npm:gone"]})");
  std::vector<std::string> fetched;
  struct Installer {
    Task<Result<void>> install(std::string source, std::string folder) {
      fetched.push_back(source);
      if (source == "npm:gone") co_return fail(ErrorCode::not_found, "no such package");
      memory.put_file(folder + "/extensions/x.ts", "{}");
      co_return Result<void>();
    }
    MemoryFiles& memory;
    std::vector<std::string>& fetched;
  } installer{world.memory, fetched};
  world.options.installer = [&](std::string source, std::string /*scope*/, std::string folder) {
    return installer.install(std::move(source), std::move(folder));
  };

  EXPECT_THAT(world.load(false).extensions, IsEmpty());
  EXPECT_THAT(fetched, IsEmpty());
  const auto loaded = world.load(true);

  EXPECT_THAT(paths_of(loaded.extensions),
              ElementsAre("/w/.pi/npm/node_modules/@a/b/extensions/x.ts"));
  ASSERT_THAT(loaded.warnings, SizeIs(1));
  EXPECT_THAT(loaded.warnings[0].message, HasSubstr("no such package"));
}

TEST(ResourceLoader, AddsResourcesBehindThoseThatAreThere) {  // RES-15
  FullWorld world;
  world.put_skill("/more/s", "user-skill");
  world.put_skill("/more/t", "more");
  world.put_skill(std::string(kUser) + "/skills/odd", "Odd");
  ResourceLoader loader(world.memory, world.code, world.options);
  auto loaded = *world.run(loader.load(false));

  loaded = *world.run(loader.extend(std::move(loaded), {"/more"}, {}));

  ASSERT_THAT(loaded.skills.skills, SizeIs(3));
  EXPECT_EQ(loaded.skills.skills[2].name, "more");
  ASSERT_THAT(loaded.skills.diagnostics, SizeIs(2));
  EXPECT_EQ(loaded.skills.diagnostics[0].type, "warning");
  EXPECT_EQ(loaded.skills.diagnostics[1].type, "collision");
}

TEST(Discovery, LooksOneLevelDeep) {  // DISC-02 to DISC-06
  ResourceWorld world;
  const std::string folder = std::string(kUser) + "/extensions/";
  for (const char* name : {"b.ts", "a.js", "c.mjs", ".hid.ts", "one/index.ts", "one/index.js",
                           "one/util.ts", "three/main.ts", "x/y/index.ts", "node_modules/index.ts",
                           "man/index.ts", "man/m.ts", "no/x.ts"}) {
    world.put(folder + name);
  }
  world.put(folder + "man/package.json", R"({"pi": {"extensions": ["./m.ts", "./none.ts"]}})");
  world.put(folder + ".gitignore", "no/\n");
  world.put("/elsewhere/index.ts");
  world.memory.put_symlink(folder + "linked", "/elsewhere");
  world.memory.put_symlink(folder + "gone.ts", "/nowhere");

  const auto loaded = world.load(true);

  EXPECT_THAT(paths_of(loaded.extensions),
              ElementsAre(folder + "a.js", folder + "b.ts", folder + "linked/index.ts",
                          folder + "man/m.ts", folder + "one/index.ts"));
  EXPECT_THAT(loaded.searched,
              ElementsAre("/w/.pi/extensions", std::string(kUser) + "/extensions"));
}

TEST(Discovery, StopsAtTheRepositoryForAgentsFolders) {  // SKILL-07
  ResourceWorld world;
  world.options.places.cwd = "/r/in/side";
  world.memory.put_directory("/r/in/side");
  world.memory.put_directory("/r/in/.git");
  world.put_skill("/r/.agents/skills/a", "outside");
  world.put_skill("/r/in/.agents/skills/b", "inside");
  world.put("/r/in/.agents/skills/loose.md", "---\nname: loose\ndescription: d\n---\n");
  world.put("/r/in/.agents/skills/sub/deep.md", "---\nname: deep\ndescription: d\n---\n");
  world.put_skill("/user/.agents/skills/c", "own");

  const auto loaded = world.load(true);

  std::vector<std::string> names;
  for (const auto& skill : loaded.skills.skills) names.push_back(skill.name);
  EXPECT_THAT(names, ElementsAre("inside", "deep", "own"));
}

}  // namespace
}  // namespace plumb::engine
