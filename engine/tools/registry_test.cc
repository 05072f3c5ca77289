// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/registry.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/tools/policies.h"
#include "engine/tools/tools_fixture.h"

namespace plumb::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ToolDefinition named(std::string name, std::string description = "d") {
  ToolDefinition tool;
  tool.name = std::move(name);
  tool.description = std::move(description);
  tool.parameters = SharedJson(Json{{"type", "object"}});
  tool.execute = says("x");
  return tool;
}

struct World {
  explicit World(ToolFilters filters = {}, Policies chosen = Policies())
      : policies(std::move(chosen)), registry(recorder, policies, std::move(filters)) {}

  void extension(const std::string& path, std::int64_t load_order, ToolDefinition tool) {
    SourceInfo source;
    source.path = path;
    const auto registered = registry.register_tool(source, load_order, std::move(tool));
    ASSERT_TRUE(registered) << registered.error().message;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& tool : registry.tools()) names.push_back(tool->definition.name);
    return names;
  }
  std::vector<Diagnostic> diagnostics() const {
    std::vector<Diagnostic> found;
    for (const auto& event : trace.events) {
      if (const auto* diagnostic = event.as<Diagnostic>()) found.push_back(*diagnostic);
    }
    return found;
  }
  std::string owner(std::string_view name) const { return registry.find(name)->source.path; }

  Trace trace;
  Recorder recorder{trace, [] { return std::int64_t{0}; }};
  Policies policies;
  ToolRegistry registry;
};

TEST(Registry, LetsLaterLevelsReplaceAndKeepsTheSlot) {  // REG-01, REG-05, REG-18
  World world;
  ASSERT_TRUE(world.registry.add_sdk(named("read")));
  world.extension("a.ts", 0, named("edit"));
  world.extension("a.ts", 0, named("extra"));
  ASSERT_TRUE(world.registry.add_builtin(named("read")));
  ASSERT_TRUE(world.registry.add_builtin(named("edit")));

  world.registry.bind();

  EXPECT_THAT(world.names(), ElementsAre("read", "edit", "extra"));
  EXPECT_EQ(world.owner("read"), "<sdk:read>");
  EXPECT_EQ(world.owner("edit"), "a.ts");
  EXPECT_THAT(world.diagnostics(), IsEmpty());
}

TEST(Registry, LetsTheFirstExtensionWinWithADiagnostic) {  // REG-02, REG-03
  World world;
  world.extension("a.ts", 0, named("dup"));
  world.extension("b.ts", 1, named("dup"));

  world.registry.bind();
  world.registry.refresh();

  EXPECT_EQ(world.owner("dup"), "a.ts");
  const auto diagnostics = world.diagnostics();
  ASSERT_EQ(diagnostics.size(), 1U);
  EXPECT_EQ(diagnostics[0].path, "b.ts");
  EXPECT_EQ(diagnostics[0].tool, "dup");
  EXPECT_EQ(diagnostics[0].owner, "a.ts");
}

TEST(Registry, KeepsTheOwnerOfALateRegistration) {  // REG-20, REG-17
  World world;
  world.extension("b.ts", 1, named("x"));
  world.registry.bind();

  world.extension("a.ts", 0, named("x"));

  EXPECT_EQ(world.owner("x"), "b.ts");
  EXPECT_EQ(world.diagnostics()[0].path, "a.ts");
}

TEST(Registry, ReportsATakeOverInTheOtherEdition) {  // REG-20
  World world({}, policies_of("pi-1.6.0"));
  world.extension("b.ts", 1, named("x"));
  world.registry.bind();

  world.extension("a.ts", 0, named("x"));

  EXPECT_EQ(world.owner("x"), "a.ts");
  EXPECT_EQ(world.diagnostics()[0].code, "tool_takeover");
}

TEST(Registry, ReplacesAnEarlierToolOfTheSameExtension) {  // REG-06, TOOL-17
  World world;
  world.extension("a.ts", 0, named("x", "old"));
  world.registry.bind();
  const auto before = world.registry.find("x");

  world.extension("a.ts", 0, named("x", "new"));

  EXPECT_EQ(world.registry.find("x")->definition.description, "new");
  EXPECT_EQ(before->definition.description, "old");
  EXPECT_THAT(world.diagnostics(), IsEmpty());
}

TEST(Registry, TakesTheLastOfTheHostsTools) {  // REG-07
  World world;
  ASSERT_TRUE(world.registry.add_sdk(named("x", "old")));
  ASSERT_TRUE(world.registry.add_sdk(named("x", "new")));

  world.registry.bind();

  EXPECT_EQ(world.registry.find("x")->definition.description, "new");
}

TEST(Registry, FiltersEveryKindOnEveryRefresh) {  // REG-08..12
  World world({.allowed = std::vector<std::string>{"r*", "late", "edit"}, .excluded = {"edit"}});
  ASSERT_TRUE(world.registry.add_builtin(named("read")));
  ASSERT_TRUE(world.registry.add_builtin(named("edit")));
  world.extension("a.ts", 0, named("run"));
  ASSERT_TRUE(world.registry.add_sdk(named("other")));
  world.registry.bind();

  world.extension("a.ts", 0, named("late"));
  world.extension("a.ts", 0, named("later"));

  EXPECT_THAT(world.names(), ElementsAre("read", "run", "late"));
}

TEST(Registry, RegistersNothingWithAnEmptyAllowList) {  // REG-11
  World world({.allowed = std::vector<std::string>(), .excluded = {}});
  ASSERT_TRUE(world.registry.add_builtin(named("read")));

  world.registry.bind();

  EXPECT_THAT(world.names(), IsEmpty());
}

TEST(Registry, MatchesStarsAndNothingElse) {  // REG-14
  EXPECT_TRUE(matches_name_pattern("*", ""));
  EXPECT_TRUE(matches_name_pattern("mcp__*__read", "mcp__a__b__read"));
  EXPECT_FALSE(matches_name_pattern("mcp__*__read", "mcp__a__reads"));
  EXPECT_FALSE(matches_name_pattern("re.d", "read"));
  EXPECT_FALSE(matches_name_pattern("rea", "read"));
  EXPECT_TRUE(matches_name_pattern("a*b*c", "abbbc"));
}

TEST(Registry, RefusesASchemaThatIsNoObject) {  // TOOL-05
  World world;
  ToolDefinition tool = named("x");
  SourceInfo source;
  source.path = "a.ts";
  for (const auto& schema : {Json(), Json::array(), Json("object")}) {
    tool.parameters = SharedJson(schema);

    const auto registered = world.registry.register_tool(source, 0, tool);

    ASSERT_FALSE(registered);
    EXPECT_THAT(registered.error().message, HasSubstr("tool 'x' of a.ts"));
  }
  world.registry.bind();
  EXPECT_THAT(world.names(), IsEmpty());
  EXPECT_EQ(world.diagnostics().size(), 3U);
}

TEST(Registry, NamesTheBadPlaceOfASchema) {
  World world;
  ToolDefinition tool = named("x");
  tool.parameters =
      SharedJson(Json{{"type", "object"}, {"properties", {{"p", {{"minimum", "1"}}}}}});

  const auto added = world.registry.add_builtin(tool);

  ASSERT_FALSE(added);
  EXPECT_THAT(added.error().message, HasSubstr("/properties/p/minimum"));
}

TEST(Registry, ListsMetadataOfEveryToolWithoutExecute) {  // TOOL-03, TOOL-14
  World world;
  ToolDefinition tool = named("x");
  tool.prompt_guidelines = {"be nice"};
  tool.exposure = Exposure::deferred;
  SourceInfo source{"a.ts", "local", "user", "package", "/base"};
  ASSERT_TRUE(world.registry.register_tool(source, 0, tool));
  world.registry.bind();

  EXPECT_EQ(dump_json(world.registry.list()),
            R"([{"name":"x","description":"d","parameters":{"type":"object"},)"
            R"("promptGuidelines":["be nice"],"exposure":"deferred",)"
            R"("sourceInfo":{"path":"a.ts","source":"local","scope":"user","origin":"package",)"
            R"("baseDir":"/base"},"level":"extension"}])");
}

TEST(Registry, RecordsEveryRefresh) {
  World world;
  ASSERT_TRUE(world.registry.add_builtin(named("x")));
  world.registry.bind();

  world.extension("a.ts", 0, named("x"));

  const auto* refresh = world.trace.events.back().as<RegistryRefresh>();
  ASSERT_NE(refresh, nullptr);
  EXPECT_EQ(refresh->tools.get().size(), 1U);
  EXPECT_EQ(refresh->candidates.get().size(), 2U);
}

TEST(Registry, NamesBuiltinsAndHostTools) {  // TOOL-04
  EXPECT_EQ(builtin_source("read").path, "builtin:read");
  EXPECT_EQ(sdk_source("x").path, "<sdk:x>");
  EXPECT_EQ(dump_json(to_json(inline_source("gate"))),
            R"({"path":"<inline:gate>","source":"inline","scope":"temporary",)"
            R"("origin":"top-level"})");
}

// ------------------------------------------------------------------ the active set

struct ActiveWorld : World {
  using World::World;
  void start(ActiveOptions options = {}) {
    for (const auto* name : {"read", "bash", "edit", "write", "grep"}) {
      ASSERT_TRUE(registry.add_builtin(named(name)));
    }
    registry.bind();
    active.start(std::move(options));
    registry.on_refresh([this] { active.refreshed(); });
  }
  ActiveSet active{registry, recorder, policies};
};

TEST(ActiveTools, StartWithTheDefaultsAndTheExtensionsTools) {  // ACTIVE-01, ACTIVE-02, TOOL-23
  ActiveWorld world;
  world.extension("a.ts", 0, named("mine"));
  ToolDefinition quiet = named("quiet");
  quiet.default_active = false;
  world.extension("a.ts", 0, quiet);

  world.start();

  EXPECT_THAT(world.active.names(), ElementsAre("read", "bash", "edit", "write", "mine"));
}

TEST(ActiveTools, StartWithWhatTheHostNames) {  // ACTIVE-04, ACTIVE-14
  ActiveWorld world;
  world.extension("a.ts", 0, named("mine"));
  world.start({.initial = std::vector<std::string>{"grep", "nobody"}, .is_complete = true});

  world.extension("a.ts", 0, named("late"));

  EXPECT_THAT(world.active.names(), ElementsAre("grep"));
}

TEST(ActiveTools, StartWithEverythingThatIsAllowed) {  // REG-16
  ActiveWorld world({.allowed = std::vector<std::string>{"read", "grep", "quiet"}, .excluded = {}});
  ToolDefinition quiet = named("quiet");
  quiet.default_active = false;
  world.extension("a.ts", 0, quiet);

  world.start();

  EXPECT_THAT(world.active.names(), ElementsAre("read", "grep", "quiet"));
}

TEST(ActiveTools, TakeInToolsThatAreNew) {  // ACTIVE-03
  ActiveWorld world;
  world.start();

  world.extension("a.ts", 0, named("late"));

  EXPECT_THAT(world.active.names(), ElementsAre("read", "bash", "edit", "write", "late"));
}

TEST(ActiveTools, LeaveAToolOffThatWasSwitchedOff) {  // ACTIVE-18
  ActiveWorld world;
  world.extension("a.ts", 0, named("mine"));
  world.start();
  world.active.set({"read"}, "host");

  world.extension("a.ts", 0, named("mine", "new"));

  EXPECT_THAT(world.active.names(), ElementsAre("read"));
}

TEST(ActiveTools, LoseAToolThatIsWithdrawn) {  // TOOL-24
  ActiveWorld world;
  world.extension("a.ts", 0, named("mine"));
  world.start();
  ToolDefinition hidden = named("mine");
  hidden.exposure = Exposure::hidden;

  world.extension("a.ts", 0, hidden);
  world.active.set({"mine", "read"}, "host");

  EXPECT_THAT(world.active.names(), ElementsAre("read"));
}

TEST(ActiveTools, AreReplacedAndKeepTheirOrder) {  // ACTIVE-05, ACTIVE-06, ACTIVE-12
  ActiveWorld world;
  world.start({.initial = std::vector<std::string>{"read", "bash", "edit"}});

  world.active.set({"grep", "edit", "nobody", "read", "edit"}, "host");

  EXPECT_THAT(world.active.names(), ElementsAre("read", "edit", "grep"));
  const auto* event = world.trace.events.back().as<plumb::ActiveSet>();
  ASSERT_NE(event, nullptr);
  EXPECT_THAT(event->before, ElementsAre("read", "bash", "edit"));
  EXPECT_EQ(event->requested.size(), 5U);
}

TEST(ActiveTools, TellOfAChangeOnlyWhenThereIsOne) {  // ACTIVE-07
  ActiveWorld world;
  world.start({.initial = std::vector<std::string>{"read", "bash"}});
  int changes = 0;
  world.active.on_change([&] { ++changes; });

  world.active.set({"bash", "read"}, "host");
  EXPECT_EQ(changes, 0);
  world.active.set({}, "host");

  EXPECT_EQ(changes, 1);
  EXPECT_THAT(world.active.names(), IsEmpty());
}

TEST(ActiveTools, KeepTheDefinitionsOfATurn) {  // ACTIVE-09, ACTIVE-11, TOOL-17
  ActiveWorld world;
  world.extension("a.ts", 0, named("mine", "old"));
  world.start();
  const TurnTools turn = world.active.snapshot();

  world.extension("a.ts", 0, named("mine", "new"));
  world.extension("a.ts", 0, named("late"));
  world.active.set({}, "host");

  EXPECT_EQ(find_active(turn, "mine")->definition.description, "old");
  EXPECT_EQ(find_active(turn, "late"), nullptr);
}

TEST(ActiveTools, NameWhatAnAdditiveChangeAdded) {  // TOOL-10, TOOL-11, TOOL-12
  const std::vector<std::string> before{"a", "b"};

  EXPECT_THAT(added_tool_names(before, {"b", "c", "a", "d"}, {}), ElementsAre("c", "d"));
  EXPECT_THAT(added_tool_names(before, {"b", "c", "a"}, {"z", "c"}), ElementsAre("c", "z"));
  EXPECT_THAT(added_tool_names(before, {"a", "c"}, {}), IsEmpty());
  EXPECT_THAT(added_tool_names(before, {"b", "a"}, {}), IsEmpty());
}

}  // namespace
}  // namespace plumb::engine
