// SPDX-License-Identifier: Apache-2.0
// The tools grep, find and ls over files in memory. What they share with other programs is held by
// fixtures/oracle.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/tools/builtin/file_tools_fixture.h"
#include "engine/tools/builtin/find.h"
#include "engine/tools/builtin/grep.h"
#include "engine/tools/builtin/ls.h"

namespace plumb::engine {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct SearchWorld : FileWorld {
  explicit SearchWorld(std::int64_t file_bytes_max = kSearchedFileBytesMax) {
    host.active = {"grep", "find", "ls"};
    SearchOptions options(noting);
    options.cwd = "/w";
    options.file_bytes_max = file_bytes_max;
    add_definition(grep_tool(options));
    add_definition(find_tool(options));
    add_definition(ls_tool(options));
  }
  std::string grep(Json arguments) { return text_of(call("grep", std::move(arguments))); }
  std::string find(Json arguments) { return text_of(call("find", std::move(arguments))); }
  std::string ls(Json arguments) { return text_of(call("ls", std::move(arguments))); }
};

std::string grep_one(const std::string& text, Json arguments) {
  SearchWorld world;
  world.files.put_file("/w/a.txt", text);
  arguments["path"] = "a.txt";
  return world.grep(std::move(arguments));
}

TEST(GrepTool, ShowsContextOnce) {  // GREP-02
  EXPECT_EQ(grep_one("1\nhit\n3\nhit\n5\n6\n7\nhit", Json{{"pattern", "hit"}, {"context", 1}}),
            "a.txt-1- 1\na.txt:2: hit\na.txt-3- 3\na.txt:4: hit\na.txt-5- 5\na.txt-7- 7\n"
            "a.txt:8: hit");
  EXPECT_EQ(grep_one("1\n2\nhit\n", Json{{"pattern", "hit"}, {"context", 1e300}}),
            "a.txt-1- 1\na.txt-2- 2\na.txt:3: hit");
}

TEST(GrepTool, ShowsTheContextOfTheLastMatch) {  // GREP-05, GREP-06
  const Json arguments{{"pattern", "hit"}, {"context", 2}, {"limit", 1}};

  EXPECT_THAT(grep_one("hit\nhit\n3\n4\n", arguments),
              StartsWith("a.txt:1: hit\na.txt-2- hit\na.txt-3- 3\n\n[1 matches"));
  EXPECT_EQ(grep_one("hit\n2\n3\n4\n", arguments), "a.txt:1: hit\na.txt-2- 2\na.txt-3- 3");
  EXPECT_THAT(grep_one("hit\n2\n3\n4\nhit\n6\n", arguments),
              StartsWith("a.txt:1: hit\na.txt-2- 2\na.txt-3- 3\n\n[1 matches"));
}

TEST(GrepTool, CutsLongLinesBetweenCharacters) {  // GREP-07
  std::string faces;
  for (int i = 0; i < 300; ++i) faces += "\xF0\x9F\x98\x80";
  const auto text = grep_one("x" + faces + "\n", Json{{"pattern", "x"}});

  EXPECT_THAT(text, StartsWith("a.txt:1: x\xF0\x9F\x98\x80"));
  EXPECT_THAT(text, HasSubstr("\xF0\x9F\x98\x80... [truncated]\n\n[Some lines are cut at 500"));
  EXPECT_EQ(text.find("\xEF\xBF\xBD"), std::string::npos);
}

TEST(GrepTool, ReadsTextsAsTheirMarksSay) {
  EXPECT_EQ(grep_one("\xEF\xBB\xBFhit\n", Json{{"pattern", "^hit"}}), "a.txt:1: hit");
  EXPECT_EQ(grep_one(std::string("\xFF\xFE"
                                 "h\0i\0t\0\n\0",
                                 10),
                     Json{{"pattern", "^hit"}}),
            "a.txt:1: hit");
  EXPECT_EQ(grep_one("h\xE9 hit\n", Json{{"pattern", "hit$"}}), "a.txt:1: h\xEF\xBF\xBD hit");
  EXPECT_EQ(grep_one("hit\r\n", Json{{"pattern", "hit$"}}), "a.txt:1: hit");
}

TEST(GrepTool, LeavesBinaryFilesOutUnlessNamed) {
  SearchWorld world;
  world.files.put_file("/w/a.bin", std::string("hit\n\0\nhit\n", 10));
  world.files.put_file("/w/b.txt", "hit\n");
  std::string late = "hit\n";
  for (int i = 0; i < 40'000; ++i) late += "x\n";
  world.files.put_file("/w/late", late + std::string("\0\nhit\n", 6));

  EXPECT_EQ(world.grep(Json{{"pattern", "hit"}}), "b.txt:1: hit\nlate:1: hit");
  EXPECT_EQ(world.grep(Json{{"pattern", "hit"}, {"path", "a.bin"}}), "a.bin:1: hit\na.bin:3: hit");
}

TEST(GrepTool, FollowsNoLinksAndTellsWhatItCannotRead) {
  SearchWorld world;
  world.files.put_file("/w/a.txt", "hit\n");
  world.files.put_file("/w/closed.txt", "hit\n");
  world.files.put_directory("/w/shut");
  world.files.put_symlink("/w/round", "/w");
  world.files.put_symlink("/w/same.txt", "a.txt");
  world.files.set_mode("/w/closed.txt", 0);
  world.files.set_mode("/w/shut", 0);

  const auto text = world.grep(Json{{"pattern", "hit"}});

  EXPECT_THAT(text, StartsWith("a.txt:1: hit\n\n["));
  EXPECT_THAT(text, HasSubstr("2 files or folders could not be read"));
  EXPECT_EQ(world.grep(Json{{"pattern", "hit"}, {"path", "same.txt"}}), "same.txt:1: hit");
}

TEST(GrepTool, LeavesOutFilesThatAreTooLarge) {
  SearchWorld world(100);
  world.files.put_file("/w/large", "hit\n" + std::string(100, 'x'));
  world.files.put_file("/w/small", "hit\n");

  EXPECT_THAT(world.grep(Json{{"pattern", "hit"}}),
              StartsWith("small:1: hit\n\n[1 files above 100B were not searched]"));
}

TEST(GrepTool, AGlobChoosesFromTheIgnoredFilesToo) {  // GREP-08
  SearchWorld world;
  world.files.put_directory("/w/.git");
  world.files.put_file("/w/.gitignore", "*.log\nout\n");
  for (const char* path : {"/w/a.log", "/w/a.txt", "/w/out/b.log", "/w/src/c.log"}) {
    world.files.put_file(path, "hit\n");
  }

  EXPECT_EQ(world.grep(Json{{"pattern", "hit"}}), "a.txt:1: hit");
  EXPECT_EQ(world.grep(Json{{"pattern", "hit"}, {"glob", "*.log"}}),
            "a.log:1: hit\nsrc/c.log:1: hit");
  EXPECT_EQ(world.grep(Json{{"pattern", "hit"}, {"glob", "!*.txt"}}), "No matches found");
  EXPECT_EQ(world.grep(Json{{"pattern", "hit"}, {"path", "out"}}), "No matches found");
}

TEST(GrepTool, ANestedRepositoryHasItsOwnIgnoreFiles) {  // GREP-03
  SearchWorld world;
  world.files.put_directory("/w/.git");
  world.files.put_directory("/w/sub/.git");
  world.files.put_file("/w/.gitignore", "*.log\n!kept.log\n");
  world.files.put_file("/w/.ignore", "secret*\n");
  world.files.put_file("/w/.git/info/exclude", "private\n");
  world.files.put_file("/w/deep/.gitignore", "kept.log\n");
  for (const char* path : {"/w/a.log", "/w/kept.log", "/w/sub/b.log", "/w/sub/secret", "/w/private",
                           "/w/deep/kept.log"}) {
    world.files.put_file(path, "hit\n");
  }

  EXPECT_EQ(world.grep(Json{{"pattern", "hit"}}), "kept.log:1: hit\nsub/b.log:1: hit");
  EXPECT_EQ(world.grep(Json{{"pattern", "hit"}, {"path", "deep"}}), "No matches found");
}

TEST(GrepTool, RefusesPatternsAndGlobsThatAreNone) {  // GREP-09
  SearchWorld world;

  for (const auto& arguments : {Json{{"pattern", "("}}, Json{{"pattern", "a"}, {"glob", "[a"}}}) {
    const auto call = world.call("grep", arguments);
    EXPECT_TRUE(call.result.is_error);
    EXPECT_EQ(call.result.error_class, "bad_pattern");
  }
  EXPECT_EQ(world.call("grep", Json{{"pattern", "a"}, {"path", "no"}}).result.error_class,
            "not_found");
}

TEST(GrepTool, FailsWhenAPatternTakesTooLong) {
  EXPECT_THAT(grep_one(std::string(40, 'a') + "b\n", Json{{"pattern", "^(a+)+$"}}),
              StartsWith("a.txt:1: the pattern cannot be searched"));
}

TEST(FindTool, FindsNamesAtAnyDepthAndPathsFromTheFolderOn) {  // FIND-01, FIND-02
  SearchWorld world;
  world.files.put_file("/w/src/a.ts", "");
  world.files.put_file("/w/pkg/src/b.ts", "");
  world.files.put_symlink("/w/link", "/w/src");

  EXPECT_EQ(world.find(Json{{"pattern", "src"}}), "pkg/src/\nsrc/");
  EXPECT_EQ(world.find(Json{{"pattern", "src/*.ts"}}), "src/a.ts");
  EXPECT_EQ(world.find(Json{{"pattern", "./**/src/*.ts"}}), "pkg/src/b.ts\nsrc/a.ts");
  EXPECT_EQ(world.find(Json{{"pattern", "/w/src/*"}}), "src/a.ts");
  EXPECT_EQ(world.find(Json{{"pattern", "*.ts"}, {"path", "link"}}), "a.ts");
  EXPECT_EQ(world.find(Json{{"pattern", "l*"}}), "link");
  EXPECT_EQ(world.find(Json{{"pattern", "LINK"}}), "No files found matching pattern");
}

TEST(FindTool, ReadsIgnoreFilesOutsideOfRepositoriesToo) {  // FIND-03
  SearchWorld world;
  world.files.put_file("/w/.gitignore", "*.log\nnode_modules/\n");
  for (const char* path : {"/w/a.log", "/w/sub/b.log", "/w/sub/c.txt", "/w/node_modules/m/x"}) {
    world.files.put_file(path, "");
  }

  EXPECT_EQ(world.find(Json{{"pattern", "*"}}), ".gitignore\nsub/\nsub/c.txt");
  EXPECT_EQ(world.find(Json{{"pattern", "*"}, {"path", "sub"}}), "c.txt");
  EXPECT_EQ(world.find(Json{{"pattern", "*"}, {"path", "node_modules"}}), "m/\nm/x");
}

TEST(FindTool, SaysWhenThereIsMore) {  // FIND-04
  SearchWorld world;
  for (const char* name : {"a", "b", "c"}) world.files.put_file(std::string("/w/") + name, "");

  const auto two = world.call("find", Json{{"pattern", "*"}, {"limit", 2}});
  EXPECT_THAT(text_of(two), StartsWith("a\nb\n\n[2 results are shown"));
  EXPECT_THAT(text_of(two), HasSubstr("limit=4"));
  EXPECT_EQ(two.result.details.get()["resultLimitReached"], 2);
  EXPECT_EQ(world.find(Json{{"pattern", "*"}, {"limit", 3}}), "a\nb\nc");
  EXPECT_THAT(world.find(Json{{"pattern", "*"}, {"limit", -1}}), StartsWith("a\n\n["));
}

TEST(FindTool, KeepsWhatCanBeShownAndCountsTheRest) {  // FIND-04, TRUNC-06
  SearchWorld world;
  for (int i = 0; i < 900; ++i) {
    world.files.put_file("/w/" + std::string(90, 'x') + std::to_string(100 + i), "");
  }

  const auto call = world.call("find", Json{{"pattern", "*"}});

  const Json& cut = call.result.details.get()["truncation"];
  EXPECT_EQ(cut["totalLines"], 900);
  EXPECT_EQ(cut["totalBytes"], 900 * 94 - 1);
  EXPECT_EQ(cut["outputLines"], 544);
  EXPECT_EQ(cut["firstLineExceedsLimit"], false);
  EXPECT_THAT(text_of(call), HasSubstr("[544 of 900 lines are shown, cut at 50.0KB"));
}

Task<Result<std::vector<std::string>>> given_paths(std::vector<std::string> paths) {
  co_return paths;
}

TEST(FindTool, AsksAHostForOneMoreThanItShows) {  // FIND-06
  FileWorld world;
  world.host.active = {"find"};
  std::vector<HostGlobRequest> asked;
  FindOperations operations;
  operations.exists = [](const std::string&) -> Task<bool> { co_return true; };
  operations.glob = [&asked](const HostGlobRequest& request) {
    asked.push_back(request);
    return given_paths({request.folder + "/a", "b/", "/else/c"});
  };
  world.add_definition(find_tool(SearchOptions(world.files), operations));

  const auto text =
      text_of(world.call("find", Json{{"pattern", "*"}, {"path", "/w"}, {"limit", 2}}));

  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].limit, 3);
  EXPECT_EQ(asked[0].folder, "/w");
  EXPECT_THAT(text, StartsWith("a\nb/\n\n[2 results"));
}

TEST(LsTool, ListsInTheOrderOfNames) {  // LS-01, LS-02
  SearchWorld world;
  for (const char* name : {"_u", "10", "2", "\xC3\xA4", "az", "a-b", "ab", "-x", "Z", ".dot"}) {
    world.files.put_file(std::string("/w/") + name, "");
  }
  world.files.put_directory("/w/d");
  world.files.put_symlink("/w/ld", "d");
  world.files.put_symlink("/w/gone", "none");

  EXPECT_EQ(world.ls(Json::object()), "_u\n-x\n.dot\n10\n2\n\xC3\xA4\na-b\nab\naz\nd/\nld/\nZ");
}

TEST(LsTool, CountsOnlyWhatItLists) {  // LS-03
  SearchWorld world;
  world.files.put_file("/w/a", "");
  world.files.put_symlink("/w/b", "none");
  EXPECT_EQ(world.ls(Json{{"limit", 1}}), "a");

  world.files.put_file("/w/c", "");
  EXPECT_THAT(world.ls(Json{{"limit", 1}}), StartsWith("a\n\n[1 entries are shown"));
}

TEST(LsTool, NamesThePathOfWhatIsNoFolder) {  // LS-04
  SearchWorld world;
  world.files.put_file("/w/f", "");

  const auto missing = world.call("ls", Json{{"path", "no"}});
  const auto file = world.call("ls", Json{{"path", "f"}});

  EXPECT_TRUE(missing.result.is_error && file.result.is_error);
  EXPECT_THAT(text_of(missing), HasSubstr("/w/no"));
  EXPECT_THAT(text_of(file), HasSubstr("/w/f"));
}

TEST(SearchTools, EndAtAnAbort) {  // ABORT-05
  for (const std::string name : {"grep", "find", "ls"}) {
    SearchWorld world;
    world.files.put_file("/w/a", "x\n");
    world.files.put_file("/w/b", "x\n");
    world.noting.on_op = [&world](const FileRequest&) { world.controller.abort("enough"); };

    const auto call = world.call(name, Json{{"pattern", "x"}});

    EXPECT_TRUE(call.result.is_error) << name;
    EXPECT_LE(world.noting.log.size(), 2U) << name;
  }
}

TEST(SearchTools, FindWhatLiesDeep) {
  SearchWorld world;
  std::string folder = "/w";
  for (int i = 0; i < 300; ++i) folder += "/d";
  world.files.put_file(folder + "/end.txt", "hit\n");

  EXPECT_THAT(world.find(Json{{"pattern", "end.txt"}}), EndsWith("/d/end.txt"));
  EXPECT_THAT(world.grep(Json{{"pattern", "hit"}}), Not(HasSubstr("[")));
}

}  // namespace
}  // namespace plumb::engine
