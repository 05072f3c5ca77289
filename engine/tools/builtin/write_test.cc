// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/write.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/tools/builtin/file_tools_fixture.h"
#include "engine/tools/builtin/path_rules.h"
#include "engine/tools/builtin/truncation.h"

namespace plumb::engine {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(WriteTool, MakesFoldersAndWritesBytes) {  // WRITE-01, WRITE-02, WRITE-03, WRITE-07
  FileWorld world;

  const auto call = world.call("write", Json{{"path", "a/b/f.txt"}, {"content", "x\r\n"}});

  EXPECT_EQ(world.content("/w/a/b/f.txt"), "x\r\n");
  EXPECT_EQ(text_of(call), "Wrote 3 bytes to a/b/f.txt");
  EXPECT_EQ(world.all<QueueAcquire>()[0].key, "/w/a/b/f.txt");
}

TEST(WriteTool, RefusesContentThatIsNoString) {  // WRITE-08
  FileWorld world;

  const auto call = world.call("write", Json{{"path", "f.txt"}, {"content", nullptr}});

  EXPECT_EQ(call.cause, Cause::invalid_arguments);
  EXPECT_THAT(world.noting.log, IsEmpty());
}

TEST(WriteTool, CreatesTheTargetOfADanglingLink) {  // WRITE-05
  FileWorld world;
  world.files.put_symlink("/w/link", "/w/target");

  world.call("write", Json{{"path", "link"}, {"content", "x"}});

  EXPECT_EQ(world.content("/w/target"), "x");
}

TEST(WriteTool, ReportsFailures) {  // WRITE-06
  FileWorld world;
  world.files.put_directory("/w/d");

  EXPECT_THAT(text_of(world.call("write", Json{{"path", "d"}, {"content", "x"}})),
              HasSubstr("write d: EISDIR"));
}

TEST(PathRules, ResolveWhatModelsWrite) {  // EDIT-70
  EXPECT_EQ(resolve_tool_path("@f.txt", "/w", ""), "/w/f.txt");
  EXPECT_EQ(resolve_tool_path("~/f", "/w", "/home/user"), "/home/user/f");
  EXPECT_EQ(resolve_tool_path("~", "/w", "/home/user"), "/home/user");
  EXPECT_EQ(resolve_tool_path("file:///a%20b", "/w", ""), "/a b");
  EXPECT_EQ(resolve_tool_path("a\xC2\xA0"
                              "b",
                              "/w", ""),
            "/w/a b");
  EXPECT_EQ(resolve_tool_path("x/../y/./z", "/w", ""), "/w/y/z");
  EXPECT_EQ(resolve_tool_path("", "/w", ""), "/w");
  EXPECT_EQ(resolve_tool_path("/abs", "/w", ""), "/abs");
}

TEST(Truncation, KeepsTheBeginning) {  // TRUNC-02, TRUNC-06, TRUNC-08, TRUNC-10
  const Truncation cut = truncate_head(std::string(30000, 'a') + "\n" + std::string(30000, 'b'));

  EXPECT_EQ(cut.content, std::string(30000, 'a'));
  EXPECT_EQ(cut.truncated_by, "bytes");
  EXPECT_EQ(cut.total_lines, 2);
  EXPECT_TRUE(truncate_head(std::string(51201, 'a')).first_line_exceeds_limit);
  EXPECT_EQ(truncate_head(std::string(51200, 'a') + "\n").truncated_by, "bytes");
}

TEST(Truncation, KeepsTheEnd) {  // TRUNC-03, TRUNC-07
  const Truncation lines = truncate_tail(numbered_lines(2001));
  const Truncation part = truncate_tail("\xC3\xA9" + std::string(51199, 'x'));

  EXPECT_TRUE(lines.content.starts_with("line 2\n"));
  EXPECT_TRUE(lines.content.ends_with("line 2001"));
  EXPECT_TRUE(part.last_line_partial);
  EXPECT_EQ(part.content, std::string(51199, 'x'));
}

TEST(Truncation, CountsLinesAndSizes) {  // TRUNC-05, TRUNC-11
  EXPECT_EQ(count_lines(""), 0);
  EXPECT_EQ(count_lines("a\n"), 1);
  EXPECT_EQ(count_lines("a\nb"), 2);
  EXPECT_EQ(format_size(1023), "1023B");
  EXPECT_EQ(format_size(1536), "1.5KB");
  EXPECT_EQ(format_size(std::int64_t{2} * 1024 * 1024), "2.0MB");
}

}  // namespace
}  // namespace plumb::engine
