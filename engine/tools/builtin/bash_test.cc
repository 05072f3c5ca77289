// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/bash.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/kernel/memory_files.h"
#include "engine/kernel/scripted_processes.h"
#include "engine/kernel/sim_loop.h"
#include "engine/tools/builtin/bash_fixture.h"
#include "engine/tools/policies.h"

namespace plumb::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

/// The tool over commands that a test scripts.
class ScriptedBash {
 public:
  explicit ScriptedBash(SimLoopOptions options = SimLoopOptions()) : loop(std::move(options)) {
    files.put_directory("/w");
    files.put_directory("/tmp");
  }

  ScriptedCommand& add(std::string text) {
    commands_.push_back(std::make_unique<ScriptedCommand>(std::move(text)));
    return *commands_.back();
  }
  ToolResult run(Json arguments) {
    for (auto& command : commands_) processes.add(std::move(*command));
    commands_.clear();
    BashOptions options(operations.exec ? operations : local_shell(env), env, policies);
    options.cwd = "/w";
    if (change) change(options);
    const ToolDefinition tool = bash_tool(std::move(options));
    if (abort_ms > 0) loop.spawn(abort_at(loop, controller, abort_ms), "abort");
    ToolCall call = bash_call(std::move(arguments), updates, controller.signal());
    call.on_update = [this, keep = std::move(call.on_update)](ToolResult partial) {
      update_times.push_back(loop.now_ms());
      keep(std::move(partial));
    };
    auto result = loop.run(tool.execute(std::move(call)));
    return result ? *std::move(result) : failed_result(result.error().message, "stuck");
  }
  std::string log() const {
    for (const auto& [path, entry] : files.snapshot()) {
      if (path.ends_with(".log")) return entry.content;
    }
    return "";
  }

  SimLoop loop;
  MemoryFiles files{loop};
  ScriptedProcesses processes{loop, files};
  Rng rng{1};
  Env env{loop, files, processes, rng};
  Policies policies;
  AbortController controller;
  std::int64_t abort_ms = 0;
  ShellOperations operations;
  std::function<void(BashOptions&)> change;
  std::vector<ToolResult> updates;
  std::vector<std::int64_t> update_times;

 private:
  std::vector<std::unique_ptr<ScriptedCommand>> commands_;
};

TEST(BashTool, MergesStreamsAndTellsPrograms) {  // BASH-02, BASH-10
  ScriptedBash bash;
  bash.add("make").chunks = {ScriptedChunk(120, OutputStream::out, "a\n"),
                             ScriptedChunk(130, OutputStream::err, "b\n")};

  const ToolResult result = bash.run(Json{{"command", "make"}});

  EXPECT_EQ(shown(result), "a\nb\n");
  EXPECT_FALSE(result.is_error);
  EXPECT_EQ(result.structured_content.get(), Json({{"output", "a\nb\n"},
                                                   {"truncated", false},
                                                   {"exit_code", 0},
                                                   {"wall_time_seconds", 0.3}}));
  EXPECT_TRUE(result.details.is_null());
  EXPECT_EQ(bash.log(), "");
}

TEST(BashTool, FailsForOtherCodesThanZero) {  // BASH-08, BASH-10, BASH-12, BASH-34, BASH-35
  ScriptedBash bash;
  ScriptedCommand& fails = bash.add("fails");
  fails.chunks = {ScriptedChunk(0, OutputStream::out, "before\n")};
  fails.exit_code = 3;
  bash.add("killed").signal_number = 9;

  const ToolResult failed = bash.run(Json{{"command", "fails"}});
  const ToolResult killed = bash.run(Json{{"command", "killed"}});

  EXPECT_TRUE(failed.is_error);
  EXPECT_EQ(failed.error_class, "exit");
  EXPECT_EQ(shown(failed), "before\n\n\nCommand exited with code 3");
  EXPECT_EQ(failed.structured_content.get()["exit_code"], 3);
  EXPECT_EQ(shown(killed), "(no output)\n\nCommand exited with code 137");
}

TEST(BashTool, ShowsTheEndAndKeepsAll) {  // BASH-03, BASH-04, BASH-05, BASH-06, BASH-38
  ScriptedBash bash;
  bash.add("seq").chunks = {ScriptedChunk(0, OutputStream::out, numbers(1500)),
                            ScriptedChunk(5, OutputStream::out, "x\ny\n"),
                            ScriptedChunk(5, OutputStream::out, numbers(1500))};

  const ToolResult result = bash.run(Json{{"command", "seq"}});

  EXPECT_THAT(shown(result), StartsWith("1003\n1004\n"));
  const std::string path = result.details.get()["fullOutputPath"];
  EXPECT_THAT(shown(result), HasSubstr("\n1500\n\n[Lines 1003-3002 of 3002. Full output: " + path));
  EXPECT_EQ(bash.log(), numbers(1500) + "x\ny\n" + numbers(1500));
  EXPECT_EQ(bash.files.snapshot().at(path).mode, 0600);
  EXPECT_EQ(result.details.get()["truncation"]["totalLines"], 3002);
  EXPECT_EQ(result.structured_content.get()["truncated"], false);
}

TEST(BashTool, ShowsTheEndOfALineThatIsTooLong) {  // BASH-06, BASH-07, TRUNC-07
  ScriptedBash bash;
  bash.add("x").chunks = {ScriptedChunk(0, OutputStream::out, std::string(300'000, 'x')),
                          ScriptedChunk(0, OutputStream::out, "\n")};

  const ToolResult result = bash.run(Json{{"command", "x"}});

  EXPECT_THAT(shown(result), HasSubstr("x\n\n[The last 50.0KB of line 1, which has 293.0KB."));
  EXPECT_EQ(result.details.get()["truncation"]["lastLinePartial"], true);
  EXPECT_EQ(result.details.get()["truncation"]["totalBytes"], 300'001);
}

TEST(BashTool, SaysThatALogCouldNotBeKept) {
  ScriptedBash bash;
  bash.add("seq").chunks = {ScriptedChunk(0, OutputStream::out, numbers(3000))};
  bash.change = [](BashOptions& options) { options.temporary_folder = "/missing"; };

  const ToolResult result = bash.run(Json{{"command", "seq"}});

  EXPECT_FALSE(result.is_error);
  EXPECT_THAT(shown(result), HasSubstr("could not be kept: ENOENT"));
  EXPECT_FALSE(result.details.get().contains("fullOutputPath"));
}

TEST(BashTool, RefusesTimeoutsThatAreNone) {  // BASH-13
  for (const Json& timeout : {Json(0), Json(-1), Json(2147484), Json("5")}) {
    ScriptedBash bash;
    bash.add("ls");

    const ToolResult result = bash.run(Json{{"command", "ls"}, {"timeout", timeout}});

    EXPECT_EQ(result.error_class, "invalid_timeout") << timeout;
    EXPECT_THAT(bash.processes.requests(), IsEmpty());
    EXPECT_EQ(std::ssize(bash.updates), 1);
  }
}

TEST(BashTool, KillsTheGroupAtATimeout) {  // BASH-14
  ScriptedBash bash;
  ScriptedCommand& command = bash.add("build");
  command.chunks = {ScriptedChunk(0, OutputStream::out, "start\n")};
  command.hangs = true;
  ScriptedChild child;
  child.lives_ms = 5000;
  child.writes = {{"/w/late", "x"}};
  command.children = {child};

  const ToolResult result = bash.run(Json{{"command", "build"}, {"timeout", 0.5}});
  ASSERT_TRUE(bash.loop.run_until_idle());

  EXPECT_EQ(result.error_class, "timeout");
  EXPECT_EQ(shown(result), "start\n\n\nCommand timed out after 0.5 seconds");
  EXPECT_FALSE(bash.files.snapshot().contains("/w/late"));
}

TEST(BashTool, DoesNotReachWhatLeftTheGroup) {  // BASH-17
  ScriptedBash bash;
  ScriptedCommand& command = bash.add("setsid");
  command.hangs = true;
  ScriptedChild child;
  child.lives_ms = 5000;
  child.writes = {{"/w/escaped", "x"}};
  child.leaves_group = true;
  command.children = {child};

  const ToolResult result = bash.run(Json{{"command", "setsid"}, {"timeout", 1}});
  ASSERT_TRUE(bash.loop.run_until_idle());

  EXPECT_EQ(result.error_class, "timeout");
  EXPECT_TRUE(bash.files.snapshot().contains("/w/escaped"));
}

TEST(BashTool, TellsTheShellsExitAtALaterTimeout) {  // BASH-23
  ScriptedBash bash;
  ScriptedCommand& command = bash.add("serve &");
  ScriptedChild child;
  for (int i = 0; i < 100; ++i) child.chunks.emplace_back(50, OutputStream::out, ".");
  command.children = {child};

  const ToolResult result = bash.run(Json{{"command", "serve &"}, {"timeout", 1}});

  EXPECT_THAT(shown(result), HasSubstr("(the shell had exited with code 0 after 0 seconds)"));
}

TEST(BashTool, WaitsForSilenceOfBackgroundJobs) {  // BASH-22, BASH-23
  ScriptedBash bash;
  ScriptedCommand& command = bash.add("work &");
  ScriptedChild child;
  child.chunks = {ScriptedChunk(80, OutputStream::out, "one\n"),
                  ScriptedChunk(80, OutputStream::out, "two\n")};
  child.lives_on = true;
  command.children = {child};

  const ToolResult result = bash.run(Json{{"command", "work &"}});

  EXPECT_EQ(shown(result), "one\ntwo\n");
  EXPECT_EQ(bash.loop.now_ms(), 260);
}

TEST(BashTool, SendsSnapshotsAnIntervalApart) {  // BASH-18, BASH-19, BASH-20
  ScriptedBash bash;
  ScriptedCommand& command = bash.add("count");
  for (int i = 1; i <= 40; ++i) {
    command.chunks.emplace_back(20, OutputStream::out, std::to_string(i) + "\n");
  }

  const ToolResult result = bash.run(Json{{"command", "count"}});

  // One when the call starts, one an interval for 800 ms, and the complete one, which waits for
  // none.
  EXPECT_THAT(bash.update_times, ElementsAre(0, 100, 200, 300, 400, 500, 600, 700, 800, 800));
  EXPECT_THAT(bash.updates.front().content, IsEmpty());
  for (const auto& update : bash.updates) EXPECT_THAT(shown(result), StartsWith(shown(update)));
  EXPECT_EQ(shown(bash.updates.back()), shown(result));
}

TEST(BashTool, NamesTheLogInACutUpdate) {  // BASH-20
  ScriptedBash bash;
  bash.add("seq").chunks = {ScriptedChunk(0, OutputStream::out, numbers(2500)),
                            ScriptedChunk(300, OutputStream::out, "end\n")};

  const ToolResult result = bash.run(Json{{"command", "seq"}});

  ASSERT_GE(std::ssize(bash.updates), 2);
  EXPECT_EQ(bash.updates[1].details.get()["fullOutputPath"],
            result.details.get()["fullOutputPath"]);
}

TEST(BashTool, JoinsPrefixAndCommand) {  // BASH-24, BASH-25, BASH-39
  ScriptedBash bash;
  bash.add("cd safe\ncd .. && touch x").writes = {{"/w/x", ""}};
  bash.change = [](BashOptions& options) { options.command_prefix = "cd safe"; };

  const ToolResult result = bash.run(Json{{"command", "cd .. && touch x"}});

  EXPECT_FALSE(result.is_error) << shown(result);
  EXPECT_TRUE(bash.files.snapshot().contains("/w/x"));
}

TEST(BashTool, LetsTheHookDecide) {  // BASH-26, BASH-32
  ScriptedBash bash;
  bash.files.put_directory("/w/sub");
  bash.add("safe");
  ShellCommand given;
  bash.change = [&given](BashOptions& options) {
    options.command_prefix = "true";
    options.session = [] {
      SessionVariables session;
      session.id = "s1";
      return session;
    };
    options.spawn_hook = [&given](ShellCommand command) {
      given = command;
      command.script = "safe";
      command.cwd += "/sub";
      command.environment.emplace_back("Y", "1");
      return command;
    };
  };

  bash.run(Json{{"command", "rm x"}});

  EXPECT_EQ(given.script, "true\nrm x");
  using Variables = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(given.environment, (Variables{{"PI_SESSION_ID", "s1"}}));
  ASSERT_EQ(bash.processes.requests().size(), 1U);
  const ProcessSpec& spec = bash.processes.requests()[0];
  EXPECT_EQ(spec.cwd, "/w/sub");
  EXPECT_EQ(spec.environment, (Variables{{"PI_SESSION_ID", "s1"}, {"Y", "1"}}));
  EXPECT_EQ(std::ssize(spec.removed_variables), 5);
}

TEST(BashTool, RunsNothingAfterAFailedHook) {  // BASH-27
  ScriptedBash bash;
  bash.change = [](BashOptions& options) {
    options.spawn_hook = [](const ShellCommand&) -> Result<ShellCommand> {
      return fail(ErrorCode::rejected, "no");
    };
  };

  const ToolResult result = bash.run(Json{{"command", "ls"}});

  EXPECT_EQ(result.failure, "no");
  EXPECT_THAT(bash.processes.requests(), IsEmpty());
  EXPECT_THAT(bash.updates, IsEmpty());
}

TEST(BashTool, RefusesAMissingFolder) {  // BASH-31
  ScriptedBash bash;
  bash.change = [](BashOptions& options) { options.cwd = "/gone"; };

  const ToolResult result = bash.run(Json{{"command", "ls"}});

  EXPECT_TRUE(result.is_error);
  EXPECT_THAT(shown(result), HasSubstr("/gone"));
  EXPECT_THAT(bash.processes.requests(), IsEmpty());
}

/// An executor that says something and then ends as told.
ShellOperations says_and_ends(std::string output, Result<ShellExit> end) {
  struct Saying {
    static Task<Result<ShellExit>> run(ShellRequest request, std::string output,
                                       Result<ShellExit> end) {
      request.on_data(output);
      co_return end;
    }
  };
  ShellOperations operations;
  operations.exec = [output, end](ShellRequest request) {
    return Saying::run(std::move(request), output, end);
  };
  return operations;
}

ShellExit exit_with(std::optional<std::int64_t> code) {
  ShellExit exit;
  exit.exit_code = code;
  return exit;
}

TEST(BashTool, UsesTheHostsExecutor) {  // BASH-28, BASH-30, BASH-36
  struct Case {
    std::string output;
    Result<ShellExit> end;
    std::string error_class;
    std::string text;
  };
  const std::vector<Case> cases = {
      {"remote\n", exit_with(0), "", "remote\n"},
      {"a\xC3", exit_with(0), "", "a\xEF\xBF\xBD"},
      {"part\n", exit_with(std::nullopt), "other", "part\n\n\nCommand ended without an exit code"},
      {"part\n", fail(ErrorCode::io, "aborted"), "aborted", "part\n\n\nCommand aborted"},
      {"part\n", fail(ErrorCode::io, "timeout:7"), "timeout",
       "part\n\n\nCommand timed out after 7 seconds"},
      {"part\n", fail(ErrorCode::io, "lost"), "other", "part\n\n\nlost"},
  };
  for (const auto& one : cases) {
    ScriptedBash bash;
    bash.operations = says_and_ends(one.output, one.end);

    const ToolResult result = bash.run(Json{{"command", "x"}, {"timeout", 7}});

    EXPECT_EQ(shown(result), one.text);
    EXPECT_EQ(result.error_class, one.error_class) << one.text;
    EXPECT_THAT(bash.processes.requests(), IsEmpty());
  }
}

TEST(BashTool, DropsOutputAfterTheEnd) {  // BASH-21
  ScriptedBash bash;
  std::function<void(std::string_view)> late;
  bash.operations.exec = [&late, inner = says_and_ends("x", exit_with(0))](ShellRequest request) {
    late = request.on_data;
    return inner.exec(std::move(request));
  };

  bash.run(Json{{"command", "x"}});
  const auto count = bash.updates.size();
  late("more");
  ASSERT_TRUE(bash.loop.run_until_idle());

  EXPECT_EQ(bash.updates.size(), count);
}

TEST(BashTool, SettlesWheneverItIsAborted) {  // BASH-15, BASH-16
  for (std::int64_t at = 1; at < 900; at += 7) {
    ScriptedBash bash;
    bash.abort_ms = at;
    ScriptedCommand& command = bash.add("seq");
    for (int i = 0; i < 6; ++i) {
      command.chunks.emplace_back(100, OutputStream::out, numbers(1000));
    }
    command.children.emplace_back().lives_on = true;

    const ToolResult result = bash.run(Json{{"command", "seq"}});

    EXPECT_NE(result.error_class, "stuck") << at << ": " << result.failure.value_or("");
    EXPECT_EQ(result.is_error, at < 700) << at;
  }
}

TEST(BashTool, SettlesWhenAbortedAtAnySchedulePoint) {  // BASH-15, BASH-16
  std::int64_t at = 0;
  for (bool was_aborted = true; was_aborted; ++at) {
    AbortController* controller = nullptr;
    std::int64_t seen = 0;
    SimLoopOptions options;
    options.on_point = [&](const Step& /*step*/) {
      if (seen++ == at) controller->abort("user");
    };
    ScriptedBash bash(std::move(options));
    controller = &bash.controller;
    bash.add("seq").chunks = {ScriptedChunk(1, OutputStream::out, numbers(2500)),
                              ScriptedChunk(150, OutputStream::out, numbers(10))};

    const ToolResult result = bash.run(Json{{"command", "seq"}});
    was_aborted = seen > at;

    EXPECT_NE(result.error_class, "stuck") << at;
    ASSERT_LT(at, 200);
  }
  EXPECT_GT(at, 8);
}

}  // namespace
}  // namespace plumb::engine
