// SPDX-License-Identifier: Apache-2.0
// The live loop, files and processes, against the real system.
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "engine/kernel/join.h"
#include "engine/kernel/real_files.h"
#include "engine/kernel/real_loop.h"
#include "engine/kernel/real_processes.h"
#include "engine/kernel/workspace.h"

namespace plumb::engine {
namespace {

TEST(RealLoop, WaitsForTimersInRealTime) {
  RealLoop loop;

  ASSERT_TRUE(loop.run(sleep_task(loop, 20)));

  EXPECT_GE(loop.now_ms(), 20);
}

TEST(RealLoop, SkipsIdleTimeWhenAskedTo) {
  RealLoop loop(RealLoopOptions{.skips_idle_time = true});

  ASSERT_TRUE(loop.run(sleep_task(loop, 3'600'000)));

  EXPECT_GE(loop.now_ms(), 3'600'000);
}

Task<char> read_one(RealLoop& loop, int fd) {
  co_await loop.readable(fd);
  char byte = 0;
  static_cast<void>(::read(fd, &byte, 1));
  co_return byte;
}

Task<char> write_later(RealLoop& loop, int fd) {
  co_await loop.sleep_ms(5);
  co_await loop.writable(fd);
  const char byte = 'x';
  static_cast<void>(::write(fd, &byte, 1));
  co_return byte;
}

TEST(RealLoop, WaitsForDescriptors) {
  RealLoop loop;
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe(ends), 0);
  std::vector<Task<char>> tasks;
  tasks.push_back(read_one(loop, ends[0]));
  tasks.push_back(write_later(loop, ends[1]));

  const auto bytes = loop.run(all(std::move(tasks)));

  EXPECT_EQ(bytes.value(), (std::vector<char>{'x', 'x'}));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(RealLoop, IsStuckWhenNothingComesInTime) {
  RealLoop loop(RealLoopOptions{.wait_ms_max = 10});
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe(ends), 0);

  const auto result = loop.run(read_one(loop, ends[0]));

  EXPECT_EQ(result.error().code, ErrorCode::stuck);
  ::close(ends[0]);
  ::close(ends[1]);
}

class RealFilesTest : public testing::Test {
 protected:
  template <class T>
  AsResult<T> run(Task<T> task) {
    return loop_.run(std::move(task));
  }
  std::string at(std::string_view name) const { return workspace_.path_of(name); }

  RealLoop loop_;
  Workspace workspace_ = Workspace::create().value();
  RealFiles files_{loop_, RealFilesOptions{.roots = {workspace_.path()}}};
};

TEST_F(RealFilesTest, DoesEveryOperation) {
  EXPECT_TRUE(run(files_.make_directory(at("d/e"), true)));
  EXPECT_TRUE(run(files_.write(at("d/f"), "one")));
  EXPECT_TRUE(run(files_.append(at("d/f"), " two")));
  EXPECT_EQ(run(files_.read(at("d/f"))).value_or(""), "one two");
  EXPECT_TRUE(run(files_.symlink("f", at("d/l"))));
  EXPECT_EQ(run(files_.read_link(at("d/l"))).value_or(""), "f");
  EXPECT_EQ(run(files_.real_path(at("d/l"))).value_or(""), at("d/f"));
  EXPECT_TRUE(run(files_.hard_link(at("d/f"), at("d/h"))));
  EXPECT_EQ(run(files_.stat(at("d/l")))->inode, run(files_.stat(at("d/h")))->inode);
  EXPECT_EQ(run(files_.lstat(at("d/l")))->kind, FileKind::symlink);
  EXPECT_TRUE(run(files_.change_mode(at("d/f"), 0600)));
  EXPECT_EQ(run(files_.stat(at("d/f")))->mode, 0600);
  EXPECT_TRUE(run(files_.access(at("d/f"), AccessMode::read_write)));
  EXPECT_TRUE(run(files_.rename(at("d/h"), at("d/g"))));
  EXPECT_EQ(run(files_.list(at("d"))).value(), (std::vector<std::string>{"e", "f", "g", "l"}));
  EXPECT_TRUE(run(files_.remove(at("d/e"))));
  EXPECT_EQ(system_error_name(run(files_.remove(at("d"))).error()), "ENOTEMPTY");
}

TEST_F(RealFilesTest, WordsErrorsAsTheMemoryFilesDo) {
  const auto read = run(files_.read(at("missing")));

  EXPECT_EQ(read.error().code, ErrorCode::not_found);
  EXPECT_EQ(read.error().message,
            "ENOENT: no such file or directory, open '" + at("missing") + "'");
  EXPECT_EQ(run(files_.read(workspace_.path())).error().code, ErrorCode::is_directory);
}

TEST_F(RealFilesTest, WriteKeepsInodeAndMode) {
  ASSERT_TRUE(run(files_.write(at("f"), "old")));
  ASSERT_TRUE(run(files_.change_mode(at("f"), 0640)));
  const auto before = run(files_.stat(at("f")));

  ASSERT_TRUE(run(files_.write(at("f"), "x")));

  const auto after = run(files_.stat(at("f")));
  EXPECT_EQ(after->inode, before->inode);
  EXPECT_EQ(after->mode, 0640);
  EXPECT_EQ(after->size, 1);
}

TEST_F(RealFilesTest, RefusesWhatLeadsOutOfTheWorkspace) {
  ASSERT_TRUE(run(files_.symlink("/etc", at("etc"))));
  ASSERT_TRUE(run(files_.symlink("/tmp/plumb-not-there", at("dangling"))));

  EXPECT_EQ(run(files_.read("/etc/passwd")).error().code, ErrorCode::permission);
  EXPECT_EQ(run(files_.read(at("../../etc/passwd"))).error().code, ErrorCode::permission);
  EXPECT_EQ(run(files_.read(at("etc/passwd"))).error().code, ErrorCode::permission);
  EXPECT_EQ(run(files_.write(at("dangling"), "x")).error().code, ErrorCode::permission);
  EXPECT_EQ(run(files_.rename(at("etc"), "/tmp/plumb-out")).error().code, ErrorCode::permission);
  EXPECT_EQ(system_error_name(run(files_.rename(at("etc"), "relative")).error()), "EINVAL");
  EXPECT_TRUE(run(files_.remove(at("etc"))));
}

TEST(Workspace, GoesWithEverythingInIt) {
  std::string path;
  {
    const Workspace workspace = Workspace::create().value();
    path = workspace.path();
    std::filesystem::create_directories(path + "/closed/inner");
    std::filesystem::permissions(path + "/closed", std::filesystem::perms::none);
  }

  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Workspace, CopiesATreeIn) {
  const Workspace from = Workspace::create().value();
  const Workspace to = Workspace::create().value();
  std::filesystem::create_directories(from.path_of("a/b"));

  ASSERT_TRUE(to.copy_in(from.path()));

  EXPECT_TRUE(std::filesystem::is_directory(to.path_of("a/b")));
}

class RealProcessesTest : public testing::Test {
 protected:
  Result<ProcessExit> run(ProcessSpec spec, AbortSignal signal = AbortSignal()) {
    return loop_.run(processes_.run(std::move(spec), sink_, std::move(signal)));
  }
  static ProcessSpec shell(std::string command) {
    ProcessSpec spec;
    spec.command = std::move(command);
    return spec;
  }

  RealLoop loop_;
  RealProcesses processes_{loop_};
  CollectingSink sink_;
};

TEST_F(RealProcessesTest, GivesOutputByStreamAndTheExitCode) {
  const auto exit = run(shell("echo hi; echo oops >&2; exit 3"));

  ASSERT_TRUE(exit) << exit.error().message;
  EXPECT_EQ(exit->exit_code, 3);
  EXPECT_EQ(exit->end, ProcessEnd::exited);
  EXPECT_EQ(sink_.out, "hi\n");
  EXPECT_EQ(sink_.err, "oops\n");
}

TEST_F(RealProcessesTest, PassesInputDirectoryAndEnvironment) {
  const Workspace workspace = Workspace::create().value();
  ProcessSpec spec = shell("cat; pwd; echo $PLUMB_TEST");
  spec.input = std::string(200'000, 'x');
  spec.cwd = workspace.path();
  spec.environment = {{"PLUMB_TEST", "set"}};

  ASSERT_TRUE(run(spec));

  EXPECT_EQ(sink_.out, spec.input + workspace.path() + "\nset\n");
}

TEST_F(RealProcessesTest, RunsArgumentVectorsWithoutAShell) {
  ProcessSpec spec;
  spec.argv = {"printf", "%s|", "a b", "$HOME"};

  ASSERT_TRUE(run(spec));

  EXPECT_EQ(sink_.out, "a b|$HOME|");
}

TEST_F(RealProcessesTest, KillsTheGroupAtATimeout) {
  ProcessSpec spec = shell("sleep 30 & echo started; sleep 30");
  spec.timeout_ms = 100;

  const auto exit = run(spec);

  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->end, ProcessEnd::timed_out);
  EXPECT_EQ(exit->signal_number, 9);
  EXPECT_EQ(sink_.out, "started\n");
  EXPECT_LT(loop_.now_ms(), 10'000);
}

Task<Result<ProcessExit>> abort_after(Loop& loop, AbortController& controller,
                                      std::int64_t delay_ms) {
  co_await loop.sleep_ms(delay_ms);
  controller.abort("user");
  co_return ProcessExit();
}

TEST_F(RealProcessesTest, KillsTheGroupAtAnAbort) {
  AbortController controller;
  std::vector<Task<Result<ProcessExit>>> tasks;
  tasks.push_back(processes_.run(shell("sleep 30"), sink_, controller.signal()));
  tasks.push_back(abort_after(loop_, controller, 20));

  const auto exits = loop_.run(all(std::move(tasks)));

  ASSERT_TRUE(exits);
  EXPECT_EQ((*exits)[0]->end, ProcessEnd::aborted);
}

TEST_F(RealProcessesTest, DoesNotStartWhenAlreadyAborted) {
  AbortController controller;
  controller.abort("user");

  const auto exit = run(shell("echo ran"), controller.signal());

  EXPECT_EQ(exit->end, ProcessEnd::aborted);
  EXPECT_EQ(sink_.all, "");
}

TEST_F(RealProcessesTest, DoesNotWaitLongForInheritedPipes) {
  const auto exit = run(shell("(sleep 5 &) ; echo done"));

  EXPECT_EQ(exit->end, ProcessEnd::exited);
  EXPECT_EQ(sink_.out, "done\n");
  EXPECT_LT(loop_.now_ms(), 4000);
}

TEST_F(RealProcessesTest, EndsWhatWritesTooMuch) {
  ProcessSpec spec = shell("yes");
  spec.output_bytes_max = 100'000;

  const auto exit = run(spec);

  EXPECT_EQ(exit->end, ProcessEnd::output_limit);
  EXPECT_GT(std::ssize(sink_.out), 100'000);
}

TEST_F(RealProcessesTest, ReadsAllOfALargeOutput) {
  ASSERT_TRUE(run(shell("yes | head -c 5000000")));

  EXPECT_EQ(std::ssize(sink_.out), 5'000'000);
}

TEST_F(RealProcessesTest, DroppedRunLeavesNoProcess) {
  const Workspace workspace = Workspace::create().value();
  ProcessSpec spec = shell("echo $$ > pid; exec sleep 30");
  spec.cwd = workspace.path();
  RealFiles files(loop_);

  const auto exit = loop_.run(with_timeout(processes_.run(spec, sink_, AbortSignal()), 200));
  const auto pid = loop_.run(files.read(workspace.path_of("pid")));

  EXPECT_EQ(exit.error().code, ErrorCode::timeout);
  ASSERT_TRUE(pid) << pid.error().message;
  EXPECT_NE(::kill(std::stoi(*pid), 0), 0);
}

TEST_F(RealProcessesTest, SaysWhyACommandCannotStart) {
  ProcessSpec missing;
  missing.argv = {"plumb-no-such-program"};
  ProcessSpec nowhere = shell("true");
  nowhere.cwd = "/plumb-no-such-directory";

  EXPECT_EQ(run(missing).error().code, ErrorCode::not_found);
  EXPECT_EQ(run(nowhere).error().message,
            "working directory does not exist: /plumb-no-such-directory");
}

TEST_F(RealProcessesTest, ReportsASignal) {
  const auto exit = run(shell("kill -TERM $$"));

  EXPECT_EQ(exit->end, ProcessEnd::signaled);
  EXPECT_EQ(exit->signal_number, 15);
}

}  // namespace
}  // namespace plumb::engine
