// SPDX-License-Identifier: Apache-2.0
#include "engine/extensions/hosted/host_message.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plumb::engine {
namespace {

using ::testing::HasSubstr;

std::string error_of(std::string_view line) {
  const auto message = parse_host_message(line);
  return message ? "" : message.error().message;
}

TEST(HostMessage, TellsAnswersCallsAndNotificationsApart) {
  const auto answer = parse_host_message(R"({"id":3,"result":{"a":1}})");
  const auto call = parse_host_message(R"({"id":4,"method":"exec","params":{},"request":7})");
  const auto told = parse_host_message(R"({"method":"idle"})");

  ASSERT_TRUE(answer && call && told);
  EXPECT_TRUE(answer->is_answer());
  EXPECT_EQ(answer->reply, HostReply(Json{{"a", 1}}));
  EXPECT_TRUE(call->is_call());
  EXPECT_EQ(call->request, 7);
  EXPECT_FALSE(told->is_call() || told->is_answer());
  EXPECT_EQ(told->request, -1);
}

TEST(HostMessage, KeepsWhatWasThrown) {  // HOOK-09
  const auto thrown = parse_host_message(R"({"id":1,"error":{"message":"no","isError":false}})");

  ASSERT_TRUE(thrown);
  ASSERT_FALSE(thrown->reply);
  EXPECT_EQ(thrown->reply.error().message, "no");
  EXPECT_FALSE(thrown->reply.error().is_error_object);
}

TEST(HostMessage, SaysWhatIsWrongWithALine) {
  EXPECT_THAT(error_of("hello"), HasSubstr("wrote what is no message (no JSON): hello"));
  EXPECT_THAT(error_of("[1]"), HasSubstr("(no object)"));
  EXPECT_THAT(error_of("{}"), HasSubstr("(neither 'id' nor 'method')"));
  EXPECT_THAT(error_of(R"({"method":"x","params":3})"), HasSubstr("('params' is no object)"));
  EXPECT_THAT(error_of(std::string(200, 'x')), HasSubstr(std::string(80, 'x') + "..."));
}

std::vector<FolderPair> folders() {
  std::vector<FolderPair> pairs;
  pairs.emplace_back("/workspace", "/tmp/run-1/workspace");
  pairs.emplace_back("/tmp", "/tmp/run-1/tmp");
  return pairs;
}

TEST(HostPaths, BecomeRealWhereTheyStandAlone) {
  const Json named{{"path", "/workspace/a.txt"}, {"text", {"see /workspace, /tmp/x\n/workspace"}}};
  const Json real{{"path", "/tmp/run-1/workspace/a.txt"},
                  {"text", {"see /tmp/run-1/workspace, /tmp/run-1/tmp/x\n/tmp/run-1/workspace"}}};

  EXPECT_EQ(with_real_paths(named, folders()), real);
  EXPECT_EQ(with_named_paths(real, folders()), named);
}

TEST(HostPaths, LeaveOtherPathsAlone) {
  const Json other{"/workspaces/a", "a/workspace", "/workspace.bak", "~/tmp"};

  EXPECT_EQ(with_real_paths(other, folders()), other);
}

}  // namespace
}  // namespace plumb::engine
