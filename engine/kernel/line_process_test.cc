// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/line_process.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/kernel/folder_tree.h"
#include "engine/kernel/join.h"
#include "engine/kernel/wake_up.h"
#include "engine/kernel/workspace.h"

namespace plumb::engine {
namespace {

using testing::ElementsAre;

struct Heard final : LineListener {
  void on_line(std::string_view line) override { lines.emplace_back(line); }
  void on_end(std::string how) override { end = std::move(how); }
  std::vector<std::string> lines;
  std::string end;
};

ProcessSpec shell_line(std::string command) {
  ProcessSpec spec;
  spec.command = std::move(command);
  return spec;
}

Task<void> until_end(LineProcess& process) {
  co_await process.ended().wait();
}

TEST(LineProcess, IsHeardLineByLineAndEnds) {
  RealLoop loop;
  Heard heard;
  auto process = LineProcess::start(
      loop, shell_line("read a; echo \"got $a\"; read b; echo end; exit 3"), heard);
  ASSERT_TRUE(process) << process.error().message;

  (*process)->write_line("one");
  (*process)->write_line("two");
  ASSERT_TRUE(loop.run(until_end(**process)));

  EXPECT_THAT(heard.lines, ElementsAre("got one", "end"));
  EXPECT_EQ(heard.end, "exited with code 3");
}

TEST(LineProcess, EndsThoughAChildHoldsItsStreams) {
  RealLoop loop;
  Heard heard;
  auto process = LineProcess::start(loop, shell_line("sleep 60 & echo gone"), heard);
  ASSERT_TRUE(process) << process.error().message;

  ASSERT_TRUE(loop.run(until_end(**process)));

  EXPECT_THAT(heard.lines, ElementsAre("gone"));
  EXPECT_EQ(heard.end, "exited with code 0");
}

TEST(LineProcess, StopsAtALineWithoutEnd) {
  RealLoop loop;
  Heard heard;
  LineLimits limits;
  limits.line_bytes_max = 1000;
  auto process =
      LineProcess::start(loop, shell_line("head -c 100000 /dev/zero; sleep 60"), heard, limits);
  ASSERT_TRUE(process) << process.error().message;

  ASSERT_TRUE(loop.run(until_end(**process)));

  EXPECT_EQ(heard.end, "wrote a line of more than 1000 bytes");
}

TEST(LineProcess, SurvivesAReaderThatIsGone) {
  RealLoop loop;
  Heard heard;
  auto process = LineProcess::start(loop, shell_line("exec <&-; sleep 0.1; echo done"), heard);
  ASSERT_TRUE(process) << process.error().message;

  (*process)->write_line(std::string(1 << 20, 'x'));
  ASSERT_TRUE(loop.run(until_end(**process)));

  EXPECT_THAT(heard.lines, ElementsAre("done"));
}

TEST(WakeUp, CountsWhatWasNotTaken) {
  const auto wake_up = WakeUp::create();
  ASSERT_TRUE(wake_up) << wake_up.error().message;

  (*wake_up)->wake();
  (*wake_up)->wake();

  EXPECT_EQ((*wake_up)->take(), 2);
  EXPECT_EQ((*wake_up)->take(), 0);
}

TEST(FolderTree, ShowsWhatWasLaidOut) {
  const auto folder = Workspace::create();
  ASSERT_TRUE(folder) << folder.error().message;
  ASSERT_TRUE(put_file(folder->path_of("a/b.txt"), "one"));
  ASSERT_TRUE(put_symlink(folder->path_of("link"), "a/b.txt"));
  ASSERT_TRUE(put_hard_link(folder->path_of("same"), folder->path_of("a/b.txt")));
  ASSERT_TRUE(set_mode(folder->path_of("same"), 0640));

  const auto seen = look_at_folder(folder->path());

  ASSERT_TRUE(seen) << seen.error().message;
  EXPECT_EQ(seen->size(), 4U);
  EXPECT_EQ(seen->at("a/b.txt"), (SnapshotEntry{FileKind::file, "one", 0640}));
  EXPECT_EQ(seen->at("same"), (SnapshotEntry{FileKind::file, "one", 0640}));
  EXPECT_EQ(seen->at("link").kind, FileKind::symlink);
  EXPECT_EQ(seen->at("link").content, "a/b.txt");
  EXPECT_EQ(seen->at("a").kind, FileKind::directory);
}

}  // namespace
}  // namespace plumb::engine
