// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/processes.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/kernel/env.h"
#include "engine/kernel/incarnation.h"
#include "engine/kernel/join.h"
#include "engine/kernel/memory_files.h"
#include "engine/kernel/scripted_processes.h"
#include "engine/kernel/sim_loop.h"

namespace plumb::engine {
namespace {

ProcessSpec shell_spec(std::string command, std::int64_t timeout_ms = 0) {
  ProcessSpec spec;
  spec.command = std::move(command);
  spec.timeout_ms = timeout_ms;
  return spec;
}

class ScriptedProcessesTest : public testing::Test {
 protected:
  Result<ProcessExit> run(ProcessSpec spec, AbortSignal signal = AbortSignal()) {
    return loop_.run(processes_.run(std::move(spec), sink_, std::move(signal)));
  }

  SimLoop loop_;
  MemoryFiles files_{loop_};
  ScriptedProcesses processes_{loop_, files_};
  CollectingSink sink_;
};

TEST_F(ScriptedProcessesTest, PlaysChunksEffectsAndExit) {
  ScriptedCommand command("make");
  command.chunks = {ScriptedChunk(10, OutputStream::out, "a"),
                    ScriptedChunk(20, OutputStream::err, "b")};
  command.writes = {{"/out", "built"}};
  command.exit_code = 2;
  processes_.add(command);

  const auto exit = run(shell_spec("make"));

  EXPECT_EQ(exit->exit_code, 2);
  EXPECT_EQ(sink_.all, "ab");
  EXPECT_EQ(sink_.err, "b");
  EXPECT_EQ(loop_.now_ms(), 30);
  EXPECT_EQ(files_.snapshot().at("/out").content, "built");
}

TEST_F(ScriptedProcessesTest, GivesRunsInOrderAndRepeatsTheLast) {
  for (const int code : {1, 0}) {
    ScriptedCommand command("test");
    command.exit_code = code;
    processes_.add(command);
  }

  EXPECT_EQ(run(shell_spec("test"))->exit_code, 1);
  EXPECT_EQ(run(shell_spec("test"))->exit_code, 0);
  EXPECT_EQ(run(shell_spec("test"))->exit_code, 0);
  EXPECT_EQ(processes_.requests().size(), 3U);
}

TEST_F(ScriptedProcessesTest, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(run(shell_spec("rm -rf /")).error(),
            (Error{ErrorCode::protocol, "command is not scripted: rm -rf /", ""}));
}

TEST_F(ScriptedProcessesTest, HangsUntilTimeoutOrAbort) {
  ScriptedCommand command("sleep");
  command.hangs = true;
  processes_.add(command);
  AbortController controller;
  controller.abort("user");

  EXPECT_EQ(run(shell_spec("sleep", 5000))->end, ProcessEnd::timed_out);
  EXPECT_EQ(loop_.now_ms(), 5000);
  EXPECT_EQ(run(shell_spec("sleep"), controller.signal())->end, ProcessEnd::aborted);
  EXPECT_EQ(run(shell_spec("sleep")).error().code, ErrorCode::stuck);
}

TEST_F(ScriptedProcessesTest, KillsTheGroupAndTellsWhoIsLeft) {
  for (const bool kills_group : {true, false}) {
    ScriptedCommand command("build");
    command.hangs = true;
    command.children.emplace_back().lives_on = true;
    processes_.add(command);
    ProcessSpec spec = shell_spec("build", 50);
    spec.kills_group = kills_group;

    const auto exit = run(spec);

    EXPECT_EQ(exit->end, ProcessEnd::timed_out);
    EXPECT_EQ(exit->group_alive, kills_group ? 0 : 1);
  }
}

TEST_F(ScriptedProcessesTest, ListensUntilChildrenAreSilent) {
  ScriptedCommand command("work &");
  ScriptedChild child;
  child.chunks = {ScriptedChunk(40, OutputStream::out, "a"),
                  ScriptedChunk(40, OutputStream::out, "b")};
  child.lives_on = true;
  command.children = {child};
  processes_.add(command);

  const auto exit = run(shell_spec("work &"));

  EXPECT_EQ(sink_.all, "ab");
  EXPECT_EQ(loop_.now_ms(), 80 + kQuietPipeMs);
  EXPECT_EQ(exit->exited_ms, 0);
  EXPECT_EQ(exit->group_alive, 1);
}

TEST_F(ScriptedProcessesTest, SaysThatACommandCannotStart) {
  ScriptedCommand command("nothing");
  command.start_failure = ErrorCode::permission;
  processes_.add(command);

  EXPECT_EQ(run(shell_spec("nothing")).error().code, ErrorCode::permission);
}

/// Tries to leave something behind when its frame goes.
struct LeavesATrace {
  LeavesATrace(Loop& its_loop, Files& its_files) : loop(&its_loop), files(&its_files) {}
  ~LeavesATrace() { loop->spawn(drop_result(files->write("/trace", "x")), "destructor"); }
  static Task<void> drop_result(Task<Result<void>> task) { static_cast<void>(co_await task); }

  Loop* loop;
  Files* files;
};

Task<void> write_in_turn(Loop& loop, Files& files) {
  const LeavesATrace on_exit(loop, files);
  for (const char* path : {"/1", "/2", "/3"}) {
    static_cast<void>(co_await files.write(path, "x"));
  }
}

TEST(Incarnation, SeveredLifeLeavesNoEffectAtAnyPoint) {
  for (std::int64_t crash_at = 1; crash_at <= 4; ++crash_at) {
    SimLoop* running = nullptr;
    Incarnation* life = nullptr;
    SimLoopOptions options;
    options.on_point = [&](const Step& /*step*/) {
      if (running->step_count() != crash_at) return;
      life->sever();
      running->stop(Error{ErrorCode::aborted, "crash", ""});
    };
    SimLoop loop(options);
    Incarnation incarnation(loop);
    MemoryFiles disk(loop);
    SeverableFiles files(disk, incarnation);
    running = &loop;
    life = &incarnation;
    const SpawnId engine = loop.spawn(write_in_turn(loop, files), "");

    EXPECT_FALSE(loop.run_until_idle());
    loop.cancel(engine);
    // What the destructor spawned runs now, and meets a severed port.
    EXPECT_TRUE(loop.run_until_idle());
    loop.destroy_fibers();

    // Step 1 starts the fiber; each write takes one more.
    EXPECT_EQ(std::ssize(disk.snapshot()), std::max<std::int64_t>(crash_at - 2, 0));
    EXPECT_EQ(loop.live_frames(), 0);
  }
}

Task<void> run_command(Processes& processes, OutputSink& sink) {
  ProcessSpec spec = shell_spec("make");
  AbortSignal signal;
  static_cast<void>(co_await processes.run(std::move(spec), sink, std::move(signal)));
}

TEST(Incarnation, SeveredPortsNeverEnd) {
  SimLoop loop;
  MemoryFiles disk(loop);
  ScriptedProcesses scripted(loop, disk);
  Incarnation incarnation(loop);
  SeverableProcesses processes(scripted, incarnation);
  CollectingSink sink;
  incarnation.sever();

  const auto run = loop.run(run_command(processes, sink));

  EXPECT_EQ(run.error().code, ErrorCode::stuck);
  EXPECT_TRUE(scripted.requests().empty());
}

TEST(Env, WallClockFollowsTheLoop) {
  SimLoop loop;
  MemoryFiles files(loop);
  ScriptedProcesses processes(loop, files);
  Rng rng(1);
  const Env env(loop, files, processes, rng);

  ASSERT_TRUE(loop.run(sleep_task(loop, 250)));

  EXPECT_EQ(env.wall_ms(), kHermeticEpochMs + 250);
}

}  // namespace
}  // namespace plumb::engine
