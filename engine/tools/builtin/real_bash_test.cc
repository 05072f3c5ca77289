// SPDX-License-Identifier: Apache-2.0
// The bash tool over real processes.
#include <csignal>
#include <string>
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

using ::testing::HasSubstr;
using ::testing::Not;

class RealBashTest : public testing::Test {
 protected:
  ToolResult run(Json arguments, std::int64_t abort_ms = 0) {
    BashOptions options(local_shell(env_), env_, policies_);
    options.cwd = workspace_.path();
    options.temporary_folder = workspace_.path();
    const ToolDefinition tool = bash_tool(std::move(options));
    if (abort_ms > 0) loop_.spawn(abort_at(loop_, controller_, abort_ms), "abort");
    auto result =
        loop_.run(tool.execute(bash_call(std::move(arguments), updates_, controller_.signal())));
    EXPECT_TRUE(result) << result.error().message;
    return result ? *std::move(result) : ToolResult();
  }
  std::string content(const std::string& path) {
    auto text = loop_.run(files_.read(path));
    return text ? *text : "";
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
  const ToolResult result =
      run(Json{{"command", "echo up; (trap '' TERM; sleep 2; touch late) & sleep 30"}}, 300);

  EXPECT_EQ(result.error_class, "aborted");
  EXPECT_EQ(shown(result), "up\n\n\nCommand aborted");
  const ToolResult listed = run(Json{{"command", "sleep 2.2; ls"}});
  EXPECT_THAT(shown(listed), Not(HasSubstr("late")));
}

TEST_F(RealBashTest, LeavesNobodyAfterATimeout) {  // BASH-14
  const ToolResult result =
      run(Json{{"command", "sleep 30 & echo $! > pid; wait"}, {"timeout", 0.3}});

  EXPECT_EQ(shown(result), "Command timed out after 0.3 seconds");
  EXPECT_NE(::kill(std::stoi(content(workspace_.path_of("pid"))), 0), 0);
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
  const ToolResult result = run(Json{{"command", "sleep 3 & echo started"}});

  EXPECT_EQ(shown(result), "started\n");
  EXPECT_LT(loop_.now_ms(), 2500);
}

}  // namespace
}  // namespace plumb::engine
