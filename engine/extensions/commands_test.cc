// SPDX-License-Identifier: Apache-2.0
// Commands of extensions, as a user types them.
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/extensions/runner_fixture.h"

namespace plumb::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A command that keeps what it is called with, or throws.
class KeptCommand {
 public:
  KeptCommand(std::string name, std::vector<std::string>& calls)
      : name_(std::move(name)), calls_(&calls) {}
  Task<HandlerResult> operator()(std::string arguments) const {
    return run(name_, calls_, std::move(arguments));
  }

 private:
  static Task<HandlerResult> run(std::string name, std::vector<std::string>* calls,
                                 std::string arguments) {
    if (arguments == "fail") throw std::runtime_error("it failed");
    calls->push_back(name + "(" + arguments + ")");
    co_return std::optional<Json>();
  }

  std::string name_;
  std::vector<std::string>* calls_;
};

Task<Result<void>> register_one(ExtensionApi* api, std::string name, KeptCommand command) {
  co_return api->register_command(std::move(name), "what it does", std::move(command));
}

class ExtensionCommands : public ::testing::Test, protected RunnerFixture {
 protected:
  ExtensionSource source(const std::string& path, const std::string& name) {
    const KeptCommand command(path, calls);
    SourceInfo info;
    info.path = path;
    return {info, [name, command](ExtensionApi& api) { return register_one(&api, name, command); }};
  }
  void load(std::vector<ExtensionSource> sources) {
    ASSERT_TRUE(loop.run(runner.load(std::move(sources))));
  }
  bool command(const std::string& prompt) { return *loop.run(runner.command(prompt)); }

  std::vector<std::string> calls;
};

TEST_F(ExtensionCommands, RunByTheirNameWithTheTextBehindIt) {  // EVENT-19
  load({source("a", "show")});

  EXPECT_TRUE(command("/show all of it"));
  EXPECT_TRUE(command("/show"));
  EXPECT_FALSE(command("/shows"));
  EXPECT_FALSE(command("show"));

  EXPECT_THAT(calls, ElementsAre("a(all of it)", "a()"));
}

TEST_F(ExtensionCommands, HaveNumbersWhereTheyShareAName) {  // EXT-20
  load({source("a", "show"), source("b", "hide"), source("c", "show")});

  EXPECT_EQ(runner.commands(), (Json{{{"name", "show:1"}, {"description", "what it does"}},
                                     {{"name", "hide"}, {"description", "what it does"}},
                                     {{"name", "show:2"}, {"description", "what it does"}}}));
  EXPECT_TRUE(command("/show:2 x"));
  EXPECT_FALSE(command("/show"));
  EXPECT_THAT(calls, ElementsAre("c(x)"));
}

TEST_F(ExtensionCommands, AreReportedWhenTheyThrow) {  // EXT-26
  load({source("a", "show")});

  EXPECT_TRUE(command("/show fail"));

  const auto* error = trace.events.back().as<plumb::ExtensionError>();
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(error->extension, "a");
  EXPECT_EQ(error->error, "it failed");
}

TEST_F(ExtensionCommands, GoWithTheirExtensions) {  // EXT-27
  load({source("a", "show")});

  runner.clear();

  EXPECT_FALSE(command("/show"));
  EXPECT_THAT(runner.commands(), IsEmpty());
}

}  // namespace
}  // namespace plumb::engine
