// SPDX-License-Identifier: Apache-2.0
// What a request carries when handlers change things while it is made.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/session/session_fixture.h"

namespace plumb::engine {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class SessionRequests : public SessionFixture {
 protected:
  std::vector<std::string> roles(std::size_t request) const {
    std::vector<std::string> list;
    for (const auto& message : provider.requests.at(request).messages) {
      list.push_back(message.get()["role"].get<std::string>());
    }
    return list;
  }

  /// `on` activates t; neither t nor v is active by itself.
  void add_switch(std::string_view handlers) {
    extend(std::string(R"({"name": "x", "tools": [
      {"name": "on", "description": "d", "do": [{"set_active": {"add": ["t"]}}, {"result": "ok"}]},
      {"name": "t", "description": "d", "defaultActive": false, "promptSnippet": "MARKT"},
      {"name": "v", "description": "d", "defaultActive": false, "promptSnippet": "MARKV"}],
      "on": )") +
           std::string(handlers) + "}");
  }
};

TEST_F(SessionRequests, SetThatAnAnnouncementChangesIsAnnouncedToo) {  // ACTIVE-08, ACTIVE-16
  add_switch(R"({"message_start": [{"when": {"match": {"/message/role": "system"}},
                 "do": [{"set_active": {"add": ["v"]}}]}]})");
  provider.answers = {called({call_of("c1", "on")}), said("done")};

  ASSERT_TRUE(prompt("go"));

  EXPECT_THAT(declared(1), AllOf(Contains("t"), Contains("v")));
  EXPECT_THAT(system_of(1), AllOf(HasSubstr("MARKT"), HasSubstr("MARKV")));
  EXPECT_THAT(roles(1), ElementsAre("user", "assistant", "toolResult", "system", "system"));
}

TEST_F(SessionRequests, SetThatAContextHandlerChangesCountsForThisRequest) {  // ACTIVE-08
  add_switch(R"({"context": [{"when": {"nth": 2}, "do": [{"set_active": {"add": ["v"]}}]}]})");
  provider.answers = {called({call_of("c1", "on")}), called({call_of("c2", "v")}), said("done")};

  ASSERT_TRUE(prompt("go"));

  EXPECT_THAT(declared(1), AllOf(Contains("t"), Contains("v")));
  EXPECT_THAT(system_of(1), HasSubstr("MARKV"));
  EXPECT_THAT(request_text(2), Not(HasSubstr("was not found")));
}

TEST_F(SessionRequests, FirstRequestAnnouncesNothing) {  // ACTIVE-16
  add_switch(R"({"context": [{"when": {"nth": 1}, "do": [{"set_active": {"add": ["v"]}}]}]})");
  provider.answers = {said("done")};

  ASSERT_TRUE(prompt("go"));

  EXPECT_THAT(declared(0), Contains("v"));
  EXPECT_THAT(roles(0), ElementsAre("user"));
}

TEST_F(SessionRequests, HandlerThatAlwaysChangesTheSetComesToAnEnd) {
  add_switch(R"({"message_start": [
    {"when": {"match": {"/message/role": "system", "/message/toolsAdded": {"missing": true}}},
     "do": [{"set_active": {"add": ["v"]}}]},
    {"when": {"match": {"/message/role": "system", "/message/toolsAdded": {"missing": false}}},
     "do": [{"set_active": {"remove": ["v", "t"]}}]}]})");
  provider.answers = {called({call_of("c1", "on")}), said("done")};

  ASSERT_TRUE(prompt("go"));

  const auto names = declared(1);
  const bool has_tool = std::ranges::find(names, "v") != names.end();
  EXPECT_EQ(system_of(1).find("MARKV") != std::string::npos, has_tool);
}

TEST_F(SessionRequests, ContextHandlerCannotDropAnAnnouncement) {  // EVENT-23, ACTIVE-16
  add_switch(R"({"context": [{"when": {"nth": 2}, "do": [
    {"set": {"path": "/messages/0/content/0/text", "value": "short"}},
    {"return": {"messages": "$event/messages"}}]}]})");
  provider.answers = {called({call_of("c1", "on")}), said("done")};

  ASSERT_TRUE(prompt("go"));

  EXPECT_THAT(roles(1), ElementsAre("user", "assistant", "toolResult", "system"));
  EXPECT_THAT(request_text(1), HasSubstr("short"));
}

TEST_F(SessionRequests, AnnouncementKeepsItsPlaceInAListThatWasCut) {  // EVENT-23, ACTIVE-16
  add_switch(R"({"context": [{"when": {"nth": 3}, "do": [
    {"unset": "/messages/0"}, {"return": {"messages": "$event/messages"}}]}]})");
  provider.answers = {called({call_of("c1", "on")}), called({call_of("c2", "t")}), said("done")};

  ASSERT_TRUE(prompt("go"));

  EXPECT_THAT(roles(2),
              ElementsAre("assistant", "toolResult", "system", "assistant", "toolResult"));
}

TEST_F(SessionRequests, AnnouncementNeverPartsACallFromItsResult) {  // EVENT-23
  add_switch(R"({"context": [{"when": {"nth": 2}, "do": [
    {"return": {"messages": [
      {"role": "user", "content": "a"}, {"role": "assistant", "content": []},
      {"role": "toolResult", "content": []}, {"role": "toolResult", "content": []}]}}]}]})");
  provider.answers = {called({call_of("c1", "on")}), said("done")};

  ASSERT_TRUE(prompt("go"));

  EXPECT_THAT(roles(1), ElementsAre("user", "assistant", "toolResult", "toolResult", "system"));
}

TEST_F(SessionRequests, PiecesAreAllRecordedWhenAHandlerComesInBetween) {  // EVENT-10
  extend(R"({"name": "x", "on": {"agent_start": [{"do": [{"later": [
    {"latch": {"wait": "first"}},
    {"add_handler": {"event": "message_update", "do": ["allow"]}}]}]}]}})");
  provider.deltas = {Json{{"type", "text_delta"}, {"delta", "a"}},
                     Json{{"type", "text_delta"}, {"delta", "b"}},
                     Json{{"type", "text_delta"}, {"delta", "c"}}};
  provider.answers = {said("abc")};
  recorder.listen([this](const plumb::Event& event) {
    if (event.as<MessageUpdate>() != nullptr) world.latches.set("first");
  });

  ASSERT_TRUE(prompt("go"));

  EXPECT_EQ(count_of<MessageUpdate>(), 3);
}

}  // namespace
}  // namespace plumb::engine
