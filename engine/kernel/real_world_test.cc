// SPDX-License-Identifier: Apache-2.0
// The live loop, files and processes, against the real system.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
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
  co_await loop.yield();
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

/// The soft limit of open files while it lives; poll takes no more descriptors than that.
class OpenFilesLimit {
 public:
  explicit OpenFilesLimit(rlim_t count) {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    const rlimit limit = {count, before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  }
  OpenFilesLimit(const OpenFilesLimit&) = delete;
  OpenFilesLimit& operator=(const OpenFilesLimit&) = delete;
  ~OpenFilesLimit() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_ = {};
};

TEST(RealLoop, EndsTheRunWhenPollItselfFails) {
  RealLoop loop;
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe(ends), 0);
  std::vector<Task<char>> tasks;
  tasks.push_back(read_one(loop, ends[0]));
  tasks.push_back(read_one(loop, ends[0]));
  const OpenFilesLimit limit(1);

  const auto result = loop.run(all(std::move(tasks)));

  EXPECT_EQ(result.error().code, ErrorCode::io);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(RealLoop, EndsEveryRunOnceItsStopDescriptorSpeaks) {
  const int event = ::eventfd(1, EFD_CLOEXEC);
  RealLoop loop(RealLoopOptions{.stop_fd = event});
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe(ends), 0);

  const auto timer = loop.run(sleep_task(loop, 3'600'000));
  const auto outside = loop.run(read_one(loop, ends[0]));

  EXPECT_EQ(timer.error().code, ErrorCode::aborted);
  EXPECT_EQ(outside.error().code, ErrorCode::aborted);
  for (const int fd : {event, ends[0], ends[1]}) ::close(fd);
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

TEST_F(RealFilesTest, ReadsRegularFilesOnly) {
  RealFiles all_files(loop_);
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);

  EXPECT_EQ(system_error_name(run(all_files.read("/dev/zero")).error()), "EINVAL");
  EXPECT_EQ(system_error_name(run(files_.read(at("pipe"))).error()), "EINVAL");
  EXPECT_EQ(system_error_name(run(all_files.write("/dev/null", "x")).error()), "EINVAL");
}

TEST_F(RealFilesTest, ReadsNoMoreThanItsLimit) {
  RealFiles small(loop_, RealFilesOptions{.roots = {}, .read_bytes_max = 4});
  ASSERT_TRUE(run(files_.write(at("four"), "1234")));
  ASSERT_TRUE(run(files_.write(at("five"), "12345")));

  EXPECT_EQ(run(small.read(at("four"))).value_or(""), "1234");
  EXPECT_EQ(system_error_name(run(small.read(at("five"))).error()), "EFBIG");
}

TEST_F(RealFilesTest, RootHoldsEverything) {
  RealFiles rooted(loop_, RealFilesOptions{.roots = {"/"}});

  EXPECT_TRUE(run(rooted.write(at("f"), "x")));
  EXPECT_TRUE(run(rooted.list("/")));
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

  /// The number in the file `pid`, once it is complete.
  std::optional<std::int64_t> written_pid() const {
    std::ifstream file(workspace_.path_of("pid"));
    std::string line;
    if (!std::getline(file, line) || file.eof()) return std::nullopt;
    return std::stoll(line);
  }
  /// Neither gone nor waiting to be collected.
  static bool is_alive(std::int64_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string stat;
    std::getline(file, stat);
    const auto end = stat.rfind(')');
    return end != std::string::npos && end + 2 < stat.size() && stat[end + 2] != 'Z';
  }
  Task<void> until_gone(std::int64_t pid) {
    while (is_alive(pid)) co_await loop_.sleep_ms(1);
  }
  Task<void> until_started() {
    while (!written_pid()) co_await loop_.sleep_ms(1);
  }
  Task<Result<ProcessExit>> abort_when_started(AbortController& controller) {
    co_await until_started();
    controller.abort("user");
    co_return ProcessExit();
  }
  Task<void> run_quietly(ProcessSpec spec) {
    AbortSignal nobody;
    co_await processes_.run(std::move(spec), sink_, std::move(nobody));
  }

  const Workspace workspace_ = Workspace::create().value();
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

TEST_F(RealProcessesTest, KillsAtATimeout) {
  ProcessSpec spec = shell("sleep 1000 & sleep 1000");
  spec.timeout_ms = 1;

  const auto exit = run(spec);

  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->end, ProcessEnd::timed_out);
  EXPECT_EQ(exit->signal_number, 9);
}

TEST_F(RealProcessesTest, KillsTheGroupAtAnAbort) {
  AbortController controller;
  ProcessSpec spec = shell("sleep 1000 & echo $! > pid; sleep 1000");
  spec.cwd = workspace_.path();
  std::vector<Task<Result<ProcessExit>>> tasks;
  tasks.push_back(processes_.run(spec, sink_, controller.signal()));
  tasks.push_back(abort_when_started(controller));

  const auto exits = loop_.run(all(std::move(tasks)));

  ASSERT_TRUE(exits);
  EXPECT_EQ((*exits)[0]->end, ProcessEnd::aborted);
  // A killed process needs a moment to go.
  EXPECT_TRUE(loop_.run(until_gone(*written_pid())));
}

TEST_F(RealProcessesTest, DoesNotStartWhenAlreadyAborted) {
  AbortController controller;
  controller.abort("user");

  const auto exit = run(shell("echo ran"), controller.signal());

  EXPECT_EQ(exit->end, ProcessEnd::aborted);
  EXPECT_EQ(sink_.all, "");
}

TEST_F(RealProcessesTest, DoesNotWaitForInheritedPipes) {
  ProcessSpec spec = shell("(sleep 1000 & echo $! > pid); echo done");
  spec.cwd = workspace_.path();

  const auto exit = run(spec);

  EXPECT_EQ(exit->end, ProcessEnd::exited);
  EXPECT_EQ(sink_.out, "done\n");
  const auto pid = written_pid();
  ASSERT_TRUE(pid);
  EXPECT_TRUE(is_alive(*pid));
  ::kill(static_cast<pid_t>(*pid), SIGKILL);
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
  ProcessSpec spec = shell("echo $$ > pid; exec sleep 1000");
  spec.cwd = workspace_.path();
  std::vector<Task<void>> ways;
  ways.push_back(run_quietly(spec));
  ways.push_back(until_started());

  const auto first = loop_.run(race(std::move(ways)));

  EXPECT_EQ(first.value_or(0), 1);
  const auto pid = written_pid();
  ASSERT_TRUE(pid);
  EXPECT_NE(::kill(static_cast<pid_t>(*pid), 0), 0);
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

TEST_F(RealProcessesTest, MergesStreamsInTheOrderOfWriting) {
  ProcessSpec spec = shell("for i in 1 2 3; do echo $i; echo e$i >&2; done");
  spec.merges_streams = true;

  ASSERT_TRUE(run(spec));

  EXPECT_EQ(sink_.out, "1\ne1\n2\ne2\n3\ne3\n");
}

TEST_F(RealProcessesTest, ListensToWhoWritesOnAndTellsWhoIsLeft) {
  ProcessSpec spec = shell("(for i in 1 2 3 4; do sleep 0.02; echo $i; done; sleep 8) &");
  spec.quiet_ms = 2'000;  // However busy the machine is.

  const auto exit = run(spec);

  EXPECT_EQ(sink_.out, "1\n2\n3\n4\n");
  EXPECT_GT(exit->group_alive, 0);
  EXPECT_TRUE(exit->exited_ms.has_value());
}

TEST_F(RealProcessesTest, RemovesVariables) {
  ProcessSpec spec = shell("echo [$HOME]; case $PATH in *:/plumb/tools) echo added;; esac");
  spec.removed_variables = {"HOME"};
  spec.path_folder = "/plumb/tools";

  ASSERT_TRUE(run(spec));

  EXPECT_EQ(sink_.out, "[]\nadded\n");
}

/// Has room for so much at a time.
class NarrowSink final : public OutputSink {
 public:
  explicit NarrowSink(Loop& loop) : loop_(&loop) {}
  void write(OutputStream /*stream*/, std::string_view bytes) override {
    held_ += std::ssize(bytes);
    total += std::ssize(bytes);
    most_held = std::max(most_held, held_);
  }
  bool is_full() const override { return held_ > 0; }
  Task<void> room() override {
    co_await loop_->sleep_ms(1);
    held_ = 0;
  }
  std::int64_t total = 0;
  std::int64_t most_held = 0;

 private:
  Loop* loop_;
  std::int64_t held_ = 0;
};

TEST_F(RealProcessesTest, LetsACommandWaitAtItsPipe) {
  NarrowSink narrow(loop_);

  const auto exit =
      loop_.run(processes_.run(shell("head -c 2000000 /dev/zero"), narrow, AbortSignal()));

  EXPECT_EQ(exit->end, ProcessEnd::exited);
  EXPECT_EQ(narrow.total, 2'000'000);
  EXPECT_LE(narrow.most_held, 200'000);
}

TEST_F(RealProcessesTest, ReportsASignal) {
  const auto exit = run(shell("kill -TERM $$"));

  EXPECT_EQ(exit->end, ProcessEnd::signaled);
  EXPECT_EQ(exit->signal_number, 15);
}

}  // namespace
}  // namespace plumb::engine
