// SPDX-License-Identifier: Apache-2.0
// Each house rule catches a bad sample and passes a good one. The tree itself:
// house_rules_tree_test.cc.
#include "property-tests/house_rules.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plumb {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string only_message(const Violations& found) {
  return found.size() == 1 ? found.front().message : std::to_string(found.size()) + " violations";
}

std::vector<std::int64_t> lines_found(const Violations& found) {
  std::vector<std::int64_t> lines;
  for (const Violation& violation : found) lines.push_back(violation.line);
  return lines;
}

TEST(CodeOnly, BlanksCommentsAndLiteralsInPlace) {
  EXPECT_EQ(code_only("a(\"x\\\"y\"); // b\nc('\\'', 1'000); /* d\n*/ e"),
            "a(\"    \");     \nc('  ', 1'000);     \n   e");
  EXPECT_EQ(code_only("f(R\"q(a\"b)q\", g)"), "f(          , g)");
}

TEST(RoomIncludes, AllowWhatFlowsDown) {
  EXPECT_THAT(check_room_includes("engine/tools/builtin/edit.cc",
                                  "#include \"engine/tools/registry.h\"\n"
                                  "#include \"engine/trace/event.h\"\n"
                                  "#include \"engine/kernel/loop.h\"\n#include <vector>\n"),
              IsEmpty());
  EXPECT_THAT(check_room_includes("simulator/cli/main.cc", "#include \"reports/record.h\"\n"),
              IsEmpty());
}

TEST(RoomIncludes, RefuseUpwardIncludes) {
  EXPECT_THAT(only_message(check_room_includes("engine/model/x.h",
                                               "\n#include \"engine/session/loop.h\"\n")),
              HasSubstr("engine/model may not include engine/session"));
  EXPECT_THAT(check_room_includes("engine/tools/x.cc", "#include \"simulator/llm/player.h\"\n"),
              SizeIs(1));
  EXPECT_THAT(check_room_includes("engine/tools/x.cc", "#include \"registry.h\"\n"), SizeIs(1));
}

TEST(RoomIncludes, KeepInvariantsAndReportsToTheirLists) {
  EXPECT_THAT(
      check_room_includes("simulator/invariants/edit.cc", "#include \"engine/kernel/loop.h\"\n"),
      SizeIs(1));
  EXPECT_THAT(check_room_includes("simulator/invariants/edit.cc",
                                  "#include \"engine/kernel/result.h\"\n"
                                  "#include \"engine/trace/event.h\"\n"),
              IsEmpty());
  EXPECT_THAT(check_room_includes("reports/junit.cc", "#include \"engine/trace/event.h\"\n"),
              SizeIs(1));
}

TEST(LibraryIncludes, KeepEachLibraryInItsPlace) {
  EXPECT_THAT(check_library_includes("simulator/script/reader.cc",
                                     "#include <yaml-cpp/yaml.h>\n#include <fmt/core.h>\n"),
              IsEmpty());
  EXPECT_THAT(check_library_includes("engine/tools/x.cc", "#include <yaml-cpp/yaml.h>\n"),
              SizeIs(1));
  EXPECT_THAT(check_library_includes("simulator/llm/player.cc", "#include <httplib.h>\n"),
              SizeIs(1));
  EXPECT_THAT(check_library_includes("engine/tools/x.cc", "#include <pcre2.h>\n"), SizeIs(1));
}

TEST(LibraryIncludes, KeepLibrariesOutOfHeaders) {
  EXPECT_THAT(only_message(check_library_includes("simulator/script/reader.h",
                                                  "#include <yaml-cpp/yaml.h>\n")),
              HasSubstr(".cc files only"));
  EXPECT_THAT(check_library_includes("engine/values/json.h", "#include <nlohmann/json.hpp>\n"),
              IsEmpty());
}

TEST(LibraryIncludes, KeepTheMachineBehindThePorts) {
  EXPECT_THAT(check_library_includes("engine/kernel/real_env.cc",
                                     "#include <fstream>\n#include <sys/wait.h>\n"),
              IsEmpty());
  EXPECT_THAT(only_message(check_library_includes("engine/tools/x.cc", "#include <unistd.h>\n")),
              HasSubstr("go through Env"));
  EXPECT_THAT(check_library_includes("engine/tools/x.cc", "#include <regex>\n"), SizeIs(1));
  EXPECT_THAT(check_library_includes("engine/tools/x.cc", "#include <gtest/gtest.h>\n"), SizeIs(1));
}

TEST(BannedCalls, NameTheReplacement) {
  EXPECT_THAT(only_message(check_banned_calls("engine/tools/x.cc",
                                              "auto t = std::chrono::steady_clock::now();")),
              HasSubstr("use the clock of Env"));
  EXPECT_THAT(lines_found(check_banned_calls("engine/tools/x.cc",
                                             "int a;\nint b = rand();\nstd::mutex m;\n")),
              ElementsAre(2, 3));
  EXPECT_THAT(check_banned_calls("engine/tools/x.cc",
                                 "std::uniform_int_distribution<int> d; fprintf(stderr, \"x\");"),
              SizeIs(2));
}

TEST(BannedCalls, LeaveOtherWordsAlone) {
  EXPECT_THAT(check_banned_calls("engine/tools/x.cc",
                                 "// rand() is banned\ngrand(1); std::snprintf(b, 1, s);"
                                 "text(\"getenv\"); my_getenv_count = 1;"),
              IsEmpty());
  EXPECT_THAT(check_banned_calls("engine/kernel/clock.cc", "steady_clock::now()"), IsEmpty());
  EXPECT_THAT(check_banned_calls("simulator/llm/wire/server.cc", "std::mutex log_mutex_;"),
              IsEmpty());
}

TEST(UnorderedLoops, AreRefusedWhereverTheContainerIsDeclared) {
  const std::string header = "std::unordered_map<std::string, std::vector<int>> calls_;\n";

  EXPECT_THAT(check_unordered_loops("a.cc", "for (const auto& [id, call] : calls_) f(id);", header),
              SizeIs(1));
  EXPECT_THAT(check_unordered_loops("a.cc", "for (const auto& call : list_) f(call);", header),
              IsEmpty());
}

TEST(AwaitBraces, AreRefusedUpToTheEndOfTheStatement) {
  EXPECT_THAT(check_await_braces("a.cc", "auto x = co_await f(CallId{s});"), SizeIs(1));
  EXPECT_THAT(lines_found(check_await_braces("a.cc", "co_return co_await f(\n    {1, 2});")),
              ElementsAre(2));
}

TEST(AwaitBraces, MayFollowTheStatement) {
  EXPECT_THAT(check_await_braces("a.cc",
                                 "if (co_await ready()) { f(); }\n"
                                 "while (!(co_await next(a[1], b))) {}\n"
                                 "PLUMB_CO_TRY(auto x, co_await f(std::move(id))); { g(); }\n"),
              IsEmpty());
}

TEST(MachinePaths, AreFoundInAnyText) {
  const std::string path = std::string("/") + "work/main";

  EXPECT_THAT(check_machine_paths("README.md", "see " + path + "\n"), SizeIs(1));
  EXPECT_THAT(check_machine_paths("engine/x.cc", "f(\"" + path + "\");\n"), SizeIs(1));
  EXPECT_THAT(check_machine_paths("README.md", "the frame" + path + " of a" + path + "\n"),
              IsEmpty());
}

TEST(LicenceLine, StandsFirstOrAfterTheInterpreter) {
  EXPECT_THAT(check_licence_line("a.cc", "// SPDX-License-Identifier: Apache-2.0\n"), IsEmpty());
  EXPECT_THAT(check_licence_line("plumb", "#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\n"),
              IsEmpty());
  EXPECT_THAT(check_licence_line("scenarios/a.yaml", "name: a\n"), SizeIs(1));
  EXPECT_THAT(check_licence_line("README.md", "# a\n"), IsEmpty());
}

TEST(Leftovers, AreUnfinishedWorkAndBareExceptions) {
  const std::string todo = std::string("// TO") + "DO";
  const std::string nolint = std::string("// NO") + "LINTNEXTLINE";

  EXPECT_THAT(check_leftovers("a.cc", todo + ": later\n"), SizeIs(1));
  EXPECT_THAT(check_leftovers("a.cc", todo + "(#12): later\n"), IsEmpty());
  EXPECT_THAT(check_leftovers("a.cc", nolint + "\n"), SizeIs(1));
  EXPECT_THAT(check_leftovers("a.cc", nolint + "(misc-x): the library wants it\n"), IsEmpty());
  EXPECT_THAT(check_leftovers("a.cc", std::string("// FIX") + "ME\n"), SizeIs(1));
}

TEST(Length, CountsLinesAndCharacters) {
  std::string accents;
  for (int i = 0; i < 100; ++i) accents += "\xC3\xA9";
  std::string long_file;
  for (int i = 0; i < 501; ++i) long_file += "x\n";

  EXPECT_THAT(check_length("a.cc", accents + "\n"), IsEmpty());
  EXPECT_THAT(check_length("a.cc", accents + "e\n"), SizeIs(1));
  EXPECT_THAT(check_length("a.cc", long_file), SizeIs(1));
  EXPECT_THAT(check_length("README.md", accents + "e\n"), IsEmpty());
  EXPECT_THAT(check_length("scenarios/a.yaml", "  " + accents + "e\n"), IsEmpty());
  EXPECT_THAT(check_length("scenarios/a.yaml", "a: " + accents + "\n"), SizeIs(1));
}

TEST(SingleOwners, AllowOneFileForTheStoreAndOneForThreads) {
  const SourceFile store{"engine/approval/a.cc", "#include <sqlite3.h>\n"};
  const SourceFile second{"engine/durable/b.cc", "#include <sqlite3.h>\n"};
  const SourceFile runner{"simulator/explore/a.cc", "std::thread t;"};
  const SourceFile sweeper{"simulator/explore/b.cc", "std::mutex m;"};

  EXPECT_THAT(check_single_owners(std::vector{store, runner}), IsEmpty());
  EXPECT_THAT(check_single_owners(std::vector{store, second, runner, sweeper}), SizeIs(2));
}

TEST(TypeNames, AreOfOneFileWithinANamespace) {
  const std::string open = "namespace plumb {\n";
  const std::string close = "}  // namespace plumb\n";
  const SourceFile first{"engine/tools/a.h", open + "class Words final {\n};\n" + close};
  const SourceFile twin{"simulator/oracle/b.h", open + "struct Words {\n};\n" + close};
  const SourceFile local{"simulator/oracle/c.cc",
                         open + "namespace {\nstruct Words {\n};\n}  // namespace\n" + close};
  const SourceFile known{"simulator/oracle/d.h", open + "class Words;\n" + close};

  EXPECT_THAT(check_type_names(std::vector{first, local, known}), IsEmpty());
  EXPECT_THAT(check_type_names(std::vector{first, twin}), SizeIs(1));
}

SourceFile catalogue(const std::string& path, const std::string& id) {
  return {path, "about: x\nrules:\n- id: " + id +
                    "\n  title: t\n  level: must\n  kind: engine\n  engines: [session]\n"
                    "  editions: [seed]\n  needs: []\n  tier: A\n  rule: >-\n    One: two.\n"
                    "sql_cases:\n- id: other\n"};
}

TEST(Catalogue, PassesKnownRulesWithTheirFields) {
  const SourceFile flow{"scenarios/edit/a.yaml",
                        "rules: [EDIT-01, 'EDIT-02']  # both\nsteps: []\n"};
  const SourceFile block{"scenarios/edit/b.yaml",
                         "name: b\nrules:\n  - EDIT-01\nsteps:\n- user: x\n"};

  EXPECT_THAT(
      check_catalogue(std::vector{catalogue("scenarios/rules/a.yaml", "EDIT-01"),
                                  catalogue("scenarios/rules/b.yaml", "EDIT-02"), flow, block}),
      IsEmpty());
}

TEST(Catalogue, RefusesRepeatedIdsAndMissingFields) {
  const SourceFile bare{"scenarios/rules/c.yaml", "rules:\n- id: EDIT-03\n  title: t\n"};

  EXPECT_THAT(
      only_message(check_catalogue(std::vector{catalogue("scenarios/rules/a.yaml", "EDIT-01"),
                                               catalogue("scenarios/rules/b.yaml", "EDIT-01")})),
      HasSubstr("used twice; first in scenarios/rules/a.yaml:3"));
  EXPECT_THAT(check_catalogue(std::vector{bare}), SizeIs(6));
}

TEST(Catalogue, RefusesTestsThatDoNotExist) {
  SourceFile rules = catalogue("scenarios/rules/a.yaml", "WIRE-01");
  const std::string kept = "    kept_by:\n      - Suite.Name\n";
  rules.text.insert(rules.text.find("sql_cases:"), kept);
  const SourceFile test{"simulator/llm/a_test.cc", "TEST_F(Suite, Name) {}\n"};

  EXPECT_THAT(check_catalogue(std::vector{rules, test}), IsEmpty());
  EXPECT_THAT(only_message(check_catalogue(std::vector{rules})),
              HasSubstr("no test is called 'Suite.Name'"));
}

TEST(Catalogue, RefusesScenariosWithUnknownRepeatedOrNoRules) {
  const SourceFile rules = catalogue("scenarios/rules/a.yaml", "EDIT-01");
  const SourceFile unknown{"scenarios/edit/a.yaml", "name: a\nrules: [EDIT-01, EDIT-99]\n"};
  const SourceFile repeated{"scenarios/edit/b.yaml", "rules: [EDIT-01, EDIT-01]\n"};
  const SourceFile none{"scenarios/edit/c.yaml", "steps: []\n"};

  EXPECT_THAT(lines_found(check_catalogue(std::vector{rules, unknown})), ElementsAre(2));
  EXPECT_THAT(check_catalogue(std::vector{rules, repeated}), SizeIs(1));
  EXPECT_THAT(check_catalogue(std::vector{rules, none}), SizeIs(1));
}

}  // namespace
}  // namespace plumb
