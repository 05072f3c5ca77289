// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/read.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/tools/builtin/file_tools_fixture.h"
#include "engine/tools/builtin/image_file.h"

namespace plumb::engine {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(ReadTool, ShowsTheTextAsItIs) {  // READ-17, READ-28, READ-30
  FileWorld world;
  world.files.put_file("/w/f.txt", "a\r\nb\rc");

  const auto call = world.call("read", Json{{"path", "f.txt"}});

  EXPECT_EQ(text_of(call), "a\r\nb\rc");
  EXPECT_TRUE(call.result.details.is_null());
  EXPECT_EQ(call.result.structured_content.get(), "a\r\nb\rc");
}

TEST(ReadTool, CutsAtTwoThousandLinesAndSaysSo) {  // READ-02, READ-04, READ-29, READ-06
  FileWorld world;
  world.files.put_file("/w/f.txt", numbered_lines(2001));

  const auto call = world.call("read", Json{{"path", "f.txt"}, {"limit", 5000}});

  EXPECT_THAT(text_of(call), HasSubstr("line 2000\n\n[Lines 1-2000 of 2001. Use offset=2001"));
  EXPECT_EQ(call.result.details.get()["truncation"]["totalLines"], 2001);
  EXPECT_EQ(call.result.details.get()["truncation"]["truncatedBy"], "lines");
}

TEST(ReadTool, ShowsExactBoundariesWhole) {  // READ-09
  FileWorld world;
  world.files.put_file("/w/lines.txt", numbered_lines(2000));
  world.files.put_file("/w/bytes.txt", std::string(51199, 'x') + "\n");

  EXPECT_EQ(text_of(world.call("read", Json{{"path", "lines.txt"}})), numbered_lines(2000));
  EXPECT_THAT(text_of(world.call("read", Json{{"path", "bytes.txt"}})), Not(HasSubstr("[")));
}

TEST(ReadTool, ShowsTheLinesThatAreAskedFor) {  // READ-03, READ-07, READ-14, READ-16
  FileWorld world;
  world.files.put_file("/w/f.txt", numbered_lines(10));
  const auto read = [&](Json extra) {
    Json arguments{{"path", "f.txt"}};
    arguments.update(extra);
    return text_of(world.call("read", arguments));
  };

  EXPECT_EQ(read(Json{{"offset", 4}, {"limit", 3}}),
            "line 4\nline 5\nline 6\n\n[4 more lines in file. Use offset=7 to continue.]");
  EXPECT_EQ(read(Json{{"offset", 10}}), "line 10\n");
  EXPECT_EQ(read(Json{{"offset", 0}, {"limit", 10}}), numbered_lines(10));
  EXPECT_THAT(read(Json{{"limit", 0}}), HasSubstr("line 1\n\n[9 more lines in file. Use offset=2"));
  EXPECT_THAT(read(Json{{"offset", 2.5}, {"limit", 1.5}}), HasSubstr("Use offset=3 "));
}

TEST(ReadTool, FailsBeyondTheEndWithTheTotal) {  // READ-13
  FileWorld world;
  world.files.put_file("/w/f.txt", "a\nb\n");
  world.files.put_file("/w/empty.txt", "");

  const auto call = world.call("read", Json{{"path", "f.txt"}, {"offset", 3}});

  EXPECT_TRUE(call.result.is_error);
  EXPECT_THAT(text_of(call), HasSubstr("offset 3"));
  EXPECT_THAT(text_of(call), HasSubstr("2 lines"));
  EXPECT_EQ(text_of(world.call("read", Json{{"path", "empty.txt"}})), "");
}

TEST(ReadTool, SuggestsACommandThatAShellReadsAsMeant) {  // READ-10
  FileWorld world;
  for (const std::string path : {"/w/a b; rm x.txt", "/w/it's.txt", "/w/-n"}) {
    world.files.put_file(path, std::string(60000, 'x'));
  }

  const auto blanks = world.call("read", Json{{"path", "a b; rm x.txt"}});
  const auto quote = world.call("read", Json{{"path", "it's.txt"}});
  const auto option = world.call("read", Json{{"path", "-n"}});

  EXPECT_THAT(text_of(blanks), HasSubstr("sed -n '1p' '/w/a b; rm x.txt' | head"));
  EXPECT_THAT(text_of(quote), HasSubstr("sed -n '1p' '/w/it'\\''s.txt' | head"));
  EXPECT_THAT(text_of(option), HasSubstr("sed -n '1p' /w/-n | head"));
}

TEST(ReadTool, DoesNotShowALineAboveTheCap) {  // READ-10, READ-11, READ-12
  FileWorld world;
  world.files.put_file("/w/f.txt", "one\n" + std::string(60000, 'x') + "\nthree\n");

  const auto first = world.call("read", Json{{"path", "f.txt"}});
  const auto second = world.call("read", Json{{"path", "f.txt"}, {"offset", 2}});

  EXPECT_THAT(text_of(first), HasSubstr("one\n\n[Lines 1-1 of 3, cut at 50.0KB. Use offset=2"));
  EXPECT_FALSE(second.result.is_error);
  EXPECT_THAT(text_of(second), HasSubstr("[Line 2 has 58.6KB"));
  EXPECT_THAT(text_of(second), HasSubstr("sed -n '2p' f.txt | head -c 51200"));
  EXPECT_THAT(text_of(second), HasSubstr("offset=3"));
  EXPECT_EQ(second.result.details.get()["truncation"]["firstLineExceedsLimit"], true);
}

TEST(ReadTool, FollowingTheHintsReadsEveryLineOnce) {  // READ-05, READ-08
  FileWorld world;
  const std::string text = numbered_lines(9000);
  world.files.put_file("/w/f.txt", text);
  std::string collected;

  std::int64_t offset = 1;
  while (offset > 0) {
    const auto call = world.call("read", Json{{"path", "f.txt"}, {"offset", offset}});
    const std::string shown = text_of(call);
    const auto hint = shown.find("Use offset=");
    collected += hint == shown.npos ? shown : shown.substr(0, shown.rfind("\n["));
    offset = hint == shown.npos ? 0 : std::stoll(shown.substr(hint + 11));
  }

  EXPECT_EQ(collected, text);
}

TEST(ReadTool, ReplacesBytesThatAreNoText) {  // READ-18
  FileWorld world;
  world.files.put_file("/w/f.txt", std::string("a\xFF\xFE\0\n", 5));

  EXPECT_EQ(text_of(world.call("read", Json{{"path", "f.txt"}})),
            std::string("a\xEF\xBF\xBD\xEF\xBF\xBD\0\n", 9));
}

TEST(ReadTool, ReplacesTheBeginningOfACharacterOnce) {  // READ-18
  FileWorld world;
  world.files.put_file("/w/f.txt", "\xE2\x82x\xF0\x9F\x98x\xE0\x80x\xED\xA0\x80");

  const std::string mark = "\xEF\xBF\xBD";
  EXPECT_EQ(text_of(world.call("read", Json{{"path", "f.txt"}})),
            mark + "x" + mark + "x" + mark + mark + "x" + mark + mark + mark);
}

TEST(ReadTool, RecognisesImagesByTheirContent) {  // READ-19, READ-20, READ-26
  FileWorld world;
  const std::string gif("GIF89a\x01\x00\x01\x00\x80\x00\x00", 13);
  world.files.put_file("/w/f.txt", gif);

  const auto call = world.call("read", Json{{"path", "f.txt"}, {"offset", 99}});

  ASSERT_EQ(call.result.content.size(), 2U);
  EXPECT_THAT(text_of(call), HasSubstr("image/gif"));
  EXPECT_EQ(call.result.content[1], ContentBlock(ImageBlock{base64(gif), "image/gif"}));
}

TEST(ReadTool, LeavesOutAPictureItCannotShow) {  // READ-25
  const ToolResult result = image_file_result("\x89PNG\r\n\x1A\n....IHDR", "image/png");

  EXPECT_FALSE(result.is_error);
  EXPECT_EQ(result.content.size(), 1U);
  EXPECT_THAT(text_of(result.content), HasSubstr("left out"));
}

TEST(ReadTool, KnowsItsImageTypes) {  // READ-21
  EXPECT_EQ(image_type_of("\xFF\xD8\xFF\xE0"), "image/jpeg");
  EXPECT_EQ(image_type_of("\xFF\xD8\xFF\xF7"), "");
  EXPECT_EQ(image_type_of("RIFF....WEBPVP8 "), "image/webp");
  EXPECT_EQ(image_type_of("<svg></svg>"), "");
  EXPECT_EQ(image_type_of("BM is how this text begins, it is no picture"), "");
}

TEST(ReadTool, EncodesBase64) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

TEST(ReadTool, EndsAtOnceWhenAborted) {  // READ-33
  FileWorld world;
  world.files.put_file("/w/f.txt", "a");
  FaultPlan plan;
  FileFault slow;
  slow.op = FileOp::read;
  slow.delay_ms = 1000;
  plan.add(slow);
  world.files.set_faults(&plan);
  world.noting.on_op = [&](const FileRequest& request) {
    if (request.op == FileOp::read) world.controller.abort("user");
  };

  const auto call = world.call("read", Json{{"path", "f.txt"}});

  EXPECT_EQ(text_of(call), "Operation aborted");
  EXPECT_LT(world.loop.now_ms(), 1000);
}

TEST(ReadTool, ReportsMissingFilesAndFolders) {  // READ-27
  FileWorld world;

  EXPECT_THAT(text_of(world.call("read", Json{{"path", "nope"}})), HasSubstr("read nope: ENOENT"));
  EXPECT_THAT(text_of(world.call("read", Json{{"path", "."}})), HasSubstr("EISDIR"));
}

TEST(ReadTool, UsesTheHostsOperationsOnly) {  // READ-31
  FileWorld world;
  FileOperations remote;
  remote.check_read = [](std::string) -> Task<Result<void>> { co_return Result<void>(); };
  remote.read_file = [](std::string path) -> Task<Result<std::string>> {
    co_return "remote " + path;
  };
  ReadOptions options;
  options.operations = remote;
  world.definitions.clear();
  world.add_definition(read_tool(std::move(options)));

  EXPECT_EQ(text_of(world.call("read", Json{{"path", "f.txt"}})), "remote /w/f.txt");
  EXPECT_THAT(world.noting.log, IsEmpty());
}

}  // namespace
}  // namespace plumb::engine
