// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/memory_files.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/kernel/join.h"
#include "engine/kernel/sim_loop.h"

namespace plumb::engine {
namespace {

class MemoryFilesTest : public testing::Test {
 protected:
  template <class T>
  AsResult<T> run(Task<T> task) {
    return loop_.run(std::move(task));
  }
  ErrorCode code_of(const auto& result) { return result ? ErrorCode::stuck : result.error().code; }

  SimLoop loop_;
  MemoryFiles files_{loop_};
};

TEST_F(MemoryFilesTest, ReadsWhatWasWritten) {
  files_.put_directory("/w");

  ASSERT_TRUE(run(files_.write("/w/a", "one")));
  ASSERT_TRUE(run(files_.append("/w/a", " two")));

  EXPECT_EQ(run(files_.read("/w/a")).value_or(""), "one two");
}

TEST_F(MemoryFilesTest, WordsErrorsWithNameCallAndPath) {
  const auto read = run(files_.read("/missing"));

  EXPECT_EQ(read.error().code, ErrorCode::not_found);
  EXPECT_EQ(read.error().message, "ENOENT: no such file or directory, open '/missing'");
  EXPECT_EQ(system_error_name(read.error()), "ENOENT");
}

TEST_F(MemoryFilesTest, RefusesDirectoriesAsFilesAndFilesAsDirectories) {
  files_.put_file("/d/f", "");

  EXPECT_EQ(code_of(run(files_.read("/d"))), ErrorCode::is_directory);
  EXPECT_EQ(code_of(run(files_.write("/d", ""))), ErrorCode::is_directory);
  EXPECT_EQ(code_of(run(files_.list("/d/f"))), ErrorCode::not_directory);
  EXPECT_EQ(code_of(run(files_.read("/d/f/x"))), ErrorCode::not_directory);
  EXPECT_EQ(code_of(run(files_.read("/d/f/"))), ErrorCode::not_directory);
}

TEST_F(MemoryFilesTest, WriteKeepsInodeModeAndLinks) {
  files_.put_file("/a", "old", 0600);
  files_.put_hard_link("/b", "/a");
  files_.put_symlink("/c", "a");
  const auto before = run(files_.stat("/a"));

  ASSERT_TRUE(run(files_.write("/c", "new")));

  const auto after = run(files_.stat("/b"));
  EXPECT_EQ(after->inode, before->inode);
  EXPECT_EQ(after->mode, 0600);
  EXPECT_EQ(run(files_.read("/b")).value_or(""), "new");
  EXPECT_EQ(run(files_.lstat("/c"))->kind, FileKind::symlink);
}

TEST_F(MemoryFilesTest, WritesThroughADanglingLink) {
  files_.put_directory("/real");
  files_.put_symlink("/link", "real/target");

  ASSERT_TRUE(run(files_.write("/link", "x")));

  EXPECT_EQ(run(files_.read("/real/target")).value_or(""), "x");
}

TEST_F(MemoryFilesTest, ResolvesDotsAfterLinks) {
  files_.put_file("/real/deep/f", "deep");
  files_.put_file("/real/g", "g");
  files_.put_symlink("/link", "/real/deep");

  EXPECT_EQ(run(files_.read("/link/../g")).value_or(""), "g");
  EXPECT_EQ(run(files_.real_path("/link/./f")).value_or(""), "/real/deep/f");
  EXPECT_EQ(run(files_.real_path("/../..")).value_or(""), "/");
}

TEST_F(MemoryFilesTest, FollowsFortyLinksAndNoMore) {
  files_.put_file("/l0", "end");
  for (int i = 1; i <= 41; ++i) {
    files_.put_symlink("/l" + std::to_string(i), "l" + std::to_string(i - 1));
  }

  EXPECT_EQ(run(files_.read("/l40")).value_or(""), "end");
  EXPECT_EQ(code_of(run(files_.read("/l41"))), ErrorCode::loop);
}

TEST_F(MemoryFilesTest, ReportsALinkToItself) {
  files_.put_symlink("/self", "self");

  EXPECT_EQ(code_of(run(files_.stat("/self"))), ErrorCode::loop);
  EXPECT_EQ(run(files_.read_link("/self")).value_or(""), "self");
}

TEST_F(MemoryFilesTest, ChecksPermissionsOfFilesAndFolders) {
  files_.put_file("/d/read_only", "x", 0444);
  files_.put_file("/d/secret", "x", 0000);
  files_.put_file("/closed/f", "x");
  files_.set_mode("/closed", 0600);
  files_.put_directory("/fixed", 0555);

  EXPECT_EQ(code_of(run(files_.access("/d/read_only", AccessMode::read_write))),
            ErrorCode::permission);
  EXPECT_TRUE(run(files_.access("/d/read_only", AccessMode::read)));
  EXPECT_EQ(code_of(run(files_.write("/d/read_only", ""))), ErrorCode::permission);
  EXPECT_EQ(code_of(run(files_.read("/d/secret"))), ErrorCode::permission);
  EXPECT_EQ(code_of(run(files_.read("/closed/f"))), ErrorCode::permission);
  EXPECT_EQ(code_of(run(files_.write("/fixed/new", ""))), ErrorCode::permission);
}

TEST_F(MemoryFilesTest, RootBypassesPermissions) {
  MemoryFiles as_root(loop_, MemoryFilesOptions{.uid = 0});
  as_root.put_file("/d/secret", "x", 0000);
  as_root.set_mode("/d", 0000);

  EXPECT_EQ(run(as_root.read("/d/secret")).value_or(""), "x");
}

TEST_F(MemoryFilesTest, OtherUsersHaveTheLastBits) {
  files_.put_file("/theirs", "x", 0604);
  files_.set_owner("/theirs", 7);

  EXPECT_TRUE(run(files_.read("/theirs")));
  EXPECT_EQ(code_of(run(files_.write("/theirs", ""))), ErrorCode::permission);
  EXPECT_EQ(code_of(run(files_.change_mode("/theirs", 0777))), ErrorCode::permission);
}

TEST_F(MemoryFilesTest, ListsNamesByBytes) {
  for (const char* name : {"b", "a", "B", "\xC3\xA4", ".x"}) {
    files_.put_file(std::string("/d/") + name, "");
  }

  const std::vector<std::string> expected = {".x", "B", "a", "b", "\xC3\xA4"};
  EXPECT_EQ(run(files_.list("/d")).value(), expected);
}

TEST_F(MemoryFilesTest, MakesDirectories) {
  EXPECT_EQ(code_of(run(files_.make_directory("/a/b", false))), ErrorCode::not_found);
  EXPECT_TRUE(run(files_.make_directory("/a/b/", true)));
  EXPECT_TRUE(run(files_.make_directory("/a/b", true)));
  EXPECT_EQ(code_of(run(files_.make_directory("/a/b", false))), ErrorCode::exists);
  files_.put_file("/f", "");
  EXPECT_EQ(code_of(run(files_.make_directory("/f", true))), ErrorCode::exists);
  EXPECT_EQ(code_of(run(files_.make_directory("/f/g", true))), ErrorCode::not_directory);
}

TEST_F(MemoryFilesTest, RemovesFilesLinksAndEmptyFolders) {
  files_.put_file("/d/f", "x");
  files_.put_symlink("/link", "/d");

  EXPECT_EQ(system_error_name(run(files_.remove("/d")).error()), "ENOTEMPTY");
  EXPECT_TRUE(run(files_.remove("/link")));
  EXPECT_TRUE(run(files_.remove("/d/f")));
  EXPECT_TRUE(run(files_.remove("/d")));
  EXPECT_TRUE(files_.snapshot().empty());
}

TEST_F(MemoryFilesTest, RenamesOverFilesAndEmptyFolders) {
  files_.put_file("/a", "a");
  files_.put_file("/b", "b");
  files_.put_file("/d/f", "");
  files_.put_directory("/empty");

  EXPECT_TRUE(run(files_.rename("/a", "/b")));
  EXPECT_EQ(run(files_.read("/b")).value_or(""), "a");
  EXPECT_TRUE(run(files_.rename("/d", "/empty")));
  EXPECT_TRUE(run(files_.stat("/empty/f")));
  EXPECT_EQ(code_of(run(files_.rename("/b", "/empty"))), ErrorCode::is_directory);
  EXPECT_EQ(system_error_name(run(files_.rename("/empty", "/empty/in")).error()), "EINVAL");
}

TEST_F(MemoryFilesTest, RemovingOneHardLinkKeepsTheOther) {
  files_.put_file("/a", "x");
  ASSERT_TRUE(run(files_.hard_link("/a", "/b")));

  ASSERT_TRUE(run(files_.remove("/a")));

  EXPECT_EQ(run(files_.read("/b")).value_or(""), "x");
}

TEST_F(MemoryFilesTest, SnapshotShowsKindsBytesAndModes) {
  files_.put_file("/d/f", "x", 0640);
  files_.put_symlink("/l", "d/f");

  const FileSnapshot expected = {{"/d", {FileKind::directory, "", 0755}},
                                 {"/d/f", {FileKind::file, "x", 0640}},
                                 {"/l", {FileKind::symlink, "d/f", 0777}}};
  EXPECT_EQ(files_.snapshot(), expected);
}

TEST_F(MemoryFilesTest, RefusesRelativePaths) {
  EXPECT_EQ(system_error_name(run(files_.read("a")).error()), "EINVAL");
  files_.put_file("/a", "");
  EXPECT_EQ(system_error_name(run(files_.rename("/a", "b")).error()), "EINVAL");
}

TEST(MemoryFiles, NamesWhatAnOperationTouches) {
  SimLoop loop(SimLoopOptions{.records_steps = true});
  MemoryFiles files(loop);
  files.put_file("/real/f", "x");
  files.put_symlink("/link", "/real");

  ASSERT_TRUE(loop.run(files.write("/link/f", "y")));
  ASSERT_TRUE(loop.run(files.rename("/link/f", "/real/g")));

  EXPECT_EQ(loop.steps()[0].touch, Touch(TouchKind::file, "/real/f", true));
  EXPECT_EQ(loop.steps()[1].touch, Touch(TouchKind::file, "/real", true));
}

TEST_F(MemoryFilesTest, StampsModificationTimes) {
  SimLoop loop;
  MemoryFiles files(loop, MemoryFilesOptions{.wall_base_ms = 1000});
  ASSERT_TRUE(loop.run(sleep_task(loop, 50)));

  ASSERT_TRUE(loop.run(files.write("/a", "")));

  EXPECT_EQ(loop.run(files.stat("/a"))->mtime_ms, 1050);
}

TEST_F(MemoryFilesTest, FaultStrikesTheChosenOccurrence) {
  files_.put_file("/a", "x");
  FaultPlan plan;
  FileFault fault;
  fault.op = FileOp::read;
  fault.path = "/a";
  fault.occurrence = 2;
  fault.code = ErrorCode::permission;
  plan.add(fault);
  files_.set_faults(&plan);

  EXPECT_TRUE(run(files_.read("/a")));
  EXPECT_EQ(code_of(run(files_.read("/a"))), ErrorCode::permission);
  EXPECT_TRUE(run(files_.read("/a")));
  EXPECT_EQ(plan.struck_count(), 1);
}

TEST_F(MemoryFilesTest, FaultDelaysUntilAnEvent) {
  Event gate(loop_, "gate");
  FaultPlan plan;
  FileFault fault;
  fault.delay_ms = 30;
  fault.until = &gate;
  plan.add(fault);
  files_.set_faults(&plan);

  const auto stuck = run(files_.write("/a", "x"));
  gate.set();
  const auto second = run(files_.write("/a", "x"));

  EXPECT_EQ(stuck.error().code, ErrorCode::stuck);
  EXPECT_EQ(loop_.now_ms(), 30);
  EXPECT_TRUE(second) << second.error().message;
}

TEST_F(MemoryFilesTest, FaultStrikesAtASchedulePoint) {
  FaultPlan plan;
  FileFault fault;
  fault.point = PointId("0", 0);
  fault.io_error = "EIO: i/o error";
  plan.add(fault);
  FaultyFiles faulty(loop_, files_, plan);

  const auto written = run(faulty.write("/a", "x"));

  EXPECT_EQ(written.error().message, "EIO: i/o error, open '/a'");
  EXPECT_TRUE(files_.snapshot().empty());
}

}  // namespace
}  // namespace plumb::engine
