// SPDX-License-Identifier: Apache-2.0
// The bash tool over real processes.
#include <csignal>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/kernel/real_files.h"
#include "engine/kernel/real_loop.h"
#include "engine/kernel/real_processes.h"
#include "engine/kernel/workspace.h"
#include "engine/tools/builtin/bash.h"
#include "engine/tools/builtin/bash_fixture.h"
#include "engine/tools/policies.h"

namespace plumb::engine {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

/// The processes whose working directory is this one. What is dead has none, reaped or not.
std::vector<pid_t> processes_in(const std::string& folder) {
  std::vector<pid_t> found;
  std::error_code error;
  for (std::filesystem::directory_iterator it("/proc", error), end; !error && it != end;
       it.increment(error)) {
    std::error_code unreadable;
    if (std::filesystem::read_symlink(it->path() / "cwd", unreadable) != folder) continue;
    found.push_back(std::stoi(it->path().filename()));
  }
  return found;
}

class RealBashTest : public testing::Test {
 protected:
  ToolResult run(Json arguments) {
    BashOptions options(local_shell(env_), env_, policies_);
    options.cwd = workspace_.path();
    options.temporary_folder = workspace_.path();
    options.command_prefix = prefix_;
    const ToolDefinition tool = bash_tool(std::move(options));
    ToolCall call = bash_call(std::move(arguments), updates_, controller_.signal());
    call.on_update = [this](const ToolResult& partial) {
      if (!abort_at_.empty() && shown(partial) == abort_at_) controller_.abort("user");
    };
    auto result = loop_.run(tool.execute(std::move(call)));
    EXPECT_TRUE(result) << result.error().message;
    return result ? *std::move(result) : ToolResult();
  }

  RealLoop loop_;
  RealFiles files_{loop_};
  RealProcesses processes_{loop_};
  Rng rng_{1};
  Env env_{loop_, files_, processes_, rng_};
  Policies policies_;
  AbortController controller_;
  Workspace workspace_ = Workspace::create().value();
  std::vector<ToolResult> updates_;
  std::string prefix_;
  std::string abort_at_;  ///< The output that aborts the call, unless empty.
};

TEST_F(RealBashTest, KeepsTheOrderOfBothStreams) {  // BASH-02
  const ToolResult result =
      run(Json{{"command", "for i in 1 2 3; do echo $i; echo e$i >&2; done"}});

  EXPECT_EQ(shown(result), "1\ne1\n2\ne2\n3\ne3\n");
}

TEST_F(RealBashTest, HasNoInput) {  // BASH-02
  EXPECT_EQ(shown(run(Json{{"command", "cat; echo done"}})), "done\n");
}

TEST_F(RealBashTest, LeavesNobodyAfterAnAbort) {  // BASH-15
  abort_at_ = "up\n";

  const ToolResult result =
      run(Json{{"command", "(trap '' TERM; echo up; sleep 60; true) & sleep 60; true"}});

  EXPECT_EQ(result.error_class, "aborted");
  EXPECT_EQ(shown(result), "up\n\n\nCommand aborted");
  EXPECT_THAT(processes_in(workspace_.path()), IsEmpty());
}

TEST_F(RealBashTest, LeavesNobodyAfterATimeout) {  // BASH-14
  const ToolResult result = run(Json{{"command", "sleep 60 & wait"}, {"timeout", 0.3}});

  EXPECT_EQ(shown(result), "Command timed out after 0.3 seconds");
  EXPECT_THAT(processes_in(workspace_.path()), IsEmpty());
}

TEST_F(RealBashTest, KeepsABigOutputInBoundedMemory) {  // BASH-04, BASH-37
  const ToolResult result = run(Json{{"command", "yes 0123456789 | head -c 100000000"}});

  const std::string path = result.details.get()["fullOutputPath"];
  const auto log = loop_.run(files_.stat(path));
  ASSERT_TRUE(log) << log.error().message;
  EXPECT_EQ(log->size, 100'000'000);
  EXPECT_EQ(log->mode, 0600);
  EXPECT_LT(std::ssize(shown(result)), 60'000);
  EXPECT_LT(std::ssize(result.structured_content.get()["output"].get<std::string>()), 1'100'000);
}

TEST_F(RealBashTest, DoesNotWaitForSilentJobs) {  // BASH-22
  const ToolResult result = run(Json{{"command", "sleep 60 & echo started"}});

  EXPECT_EQ(shown(result), "started\n");
  const auto jobs = processes_in(workspace_.path());
  EXPECT_THAT(jobs, SizeIs(1));
  for (const pid_t job : jobs) ::kill(job, SIGKILL);
}

TEST_F(RealBashTest, CannotReachWhatLeftItsGroup) {  // BASH-17
  const std::string started = "setsid sleep 60 & sleep 0.2; echo up; wait";
  abort_at_ = "up\n";

  const ToolResult result = run(Json{{"command", started}});

  EXPECT_EQ(result.error_class, "aborted");
  const auto escaped = processes_in(workspace_.path());
  EXPECT_THAT(escaped, SizeIs(1));
  for (const pid_t process : escaped) ::kill(process, SIGKILL);
}

TEST_F(RealBashTest, DoesNotHoldACommandWhereItsPrefixWent) {  // BASH-25
  prefix_ = "mkdir safe; cd safe";

  const ToolResult result = run(Json{{"command", "cd .. && touch escaped && pwd"}});

  EXPECT_EQ(shown(result), workspace_.path() + "\n");
  EXPECT_TRUE(loop_.run(files_.stat(workspace_.path() + "/escaped")));
}

TEST_F(RealBashTest, PassesTheWholeEnvironmentOn) {  // BASH-33
  // Each name in the environment of this process, which is the command's parent.
  const std::string names = "tr '\\0' '\\n' </proc/$PPID/environ | sed -n 's/^\\(\\w*\\)=.*/\\1/p'";

  const ToolResult result =
      run(Json{{"command", "for n in $(" + names +
                               "); do printenv $n >/dev/null || echo no $n; done; echo end"}});

  EXPECT_EQ(shown(result), "end\n");
}

}  // namespace
}  // namespace plumb::engine
