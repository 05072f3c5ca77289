// SPDX-License-Identifier: Apache-2.0
// The place of a session in its tree, and the change to another one.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/session/session_fixture.h"
#include "engine/session/tree/projection.h"
#include "engine/values/json_members.h"

namespace plumb::engine {
namespace {

class SessionPlace : public SessionFixture {
 protected:
  /// Two exchanges: user, assistant, user, assistant.
  void talk() {
    for (const char* text : {"one", "two"}) {
      provider.answers.emplace_back(said(std::string("answer ") + text));
      ASSERT_TRUE(prompt(text));
    }
  }
  std::string id_of(std::string_view role, int number) const {
    for (const auto& entry : session->store().tree().entries()) {
      const bool fits = text_at(at(entry.json.get(), "message"), "role") == role;
      if (fits && --number == 0) return entry.id;
    }
    return "none";
  }
  Navigation go(const std::string& id) {
    auto done = loop.run(session->navigate(id));
    EXPECT_TRUE(done) << done.error().message;
    return done.value_or(Navigation());
  }
};

TEST_F(SessionPlace, NextRequestHasTheMessagesOfTheNewBranch) {  // SESS-02, SESS-12
  talk();
  const auto went = go(id_of("user", 2));
  EXPECT_EQ(went.editor_text, "two");

  provider.answers.emplace_back(said("other"));
  ASSERT_TRUE(prompt("else"));

  EXPECT_EQ(request_text(2).find("two"), std::string::npos);
  EXPECT_NE(request_text(2).find("answer one"), std::string::npos);
  EXPECT_NE(request_text(2).find("else"), std::string::npos);
}

TEST_F(SessionPlace, TreeEventsComeAroundTheMove) {  // SESS-02, SESS-14
  extend(R"({"name": "a", "on": {
    "session_before_tree": [{"do": [{"note": {"topic": "before", "data": "$ctx.entries"}}]}],
    "session_tree": [{"do": [{"note": {"topic": "after", "data": "$ctx.entries"}}]}],
    "session_start": [{"do": [{"note": {"topic": "started"}}]}]}})");
  talk();
  go(id_of("assistant", 1));

  ASSERT_EQ(notes("before").size(), 1U);
  ASSERT_EQ(notes("after").size(), 1U);
  EXPECT_EQ(notes("before")[0].size(), 4U);
  EXPECT_EQ(notes("after")[0].size(), 2U);
  EXPECT_EQ(notes("started").size(), 1U);
  go(id_of("assistant", 1));
  EXPECT_EQ(notes("after").size(), 1U);  // SESS-16
}

TEST_F(SessionPlace, CancelledAndImpossibleMovesChangeNothing) {  // SESS-15
  extend(R"({"name": "a", "on": {
    "session_before_tree": [{"do": [{"return": {"cancel": true}}]}],
    "session_tree": [{"do": [{"note": {"topic": "after"}}]}]}})");
  talk();
  const auto leaf = session->store().tree().leaf();

  EXPECT_TRUE(go(id_of("user", 1)).is_cancelled);
  EXPECT_EQ(loop.run(session->navigate("nobody")).error().code, ErrorCode::not_found);

  EXPECT_EQ(session->store().tree().leaf(), leaf);
  EXPECT_TRUE(notes("after").empty());
}

TEST_F(SessionPlace, CustomEntriesFollowTheBranch) {  // SESS-04, SESS-06, SESS-09
  talk();
  loop.run(session->append_custom("state", Json("reviewed")));
  const auto reviewed = *session->store().tree().leaf();
  go(id_of("assistant", 1));
  loop.run(session->append_custom("state", Json("pending")));
  const auto pending = *session->store().tree().leaf();

  for (const auto& [place, state] : std::vector<std::pair<std::string, std::string>>{
           {reviewed, "reviewed"}, {pending, "pending"}, {reviewed, "reviewed"}}) {
    go(place);
    EXPECT_EQ(last_custom_data(session->store().tree().branch(), "state"), Json(state));
  }
}

TEST_F(SessionPlace, BranchThatEndsInACallHasAResultForTheModel) {
  add_tool(R"({"name": "t", "do": [{"note": "ran"}]})");
  provider.answers.emplace_back(called({call_of("c1", "t")}));
  provider.answers.emplace_back(said("done"));
  ASSERT_TRUE(prompt("go"));
  go(id_of("assistant", 1));

  provider.answers.emplace_back(said("again"));
  ASSERT_TRUE(prompt("next"));

  EXPECT_NE(request_text(2).find("\"toolCallId\":\"c1\""), std::string::npos);
}

TEST_F(SessionPlace, SessionInAFileGoesOnWhereItEnded) {  // SESS-18, SESS-21, SESS-39
  options.session_file = "/kept.jsonl";
  extend(R"({"name": "a", "on": {
    "session_start": [{"do": [{"note": {"topic": "life", "data": "$event/reason"}}]}],
    "session_shutdown": [{"do": [{"note": {"topic": "life", "data": "$event/reason"}}]}]}})");
  talk();
  const std::string before = loop.run(files.read("/kept.jsonl")).value_or("");
  const auto last = session->store().tree().leaf();
  go(id_of("assistant", 1));
  ASSERT_TRUE(*loop.run(session->resume("/kept.jsonl")));

  EXPECT_EQ(session->store().tree().leaf(), last);
  EXPECT_EQ(notes("life"), (std::vector<Json>{"startup", "resume", "resume"}));
  provider.answers.emplace_back(said("three"));
  ASSERT_TRUE(prompt("more"));
  EXPECT_NE(request_text(2).find("answer two"), std::string::npos);
  EXPECT_TRUE(loop.run(files.read("/kept.jsonl")).value_or("").starts_with(before));
}

TEST_F(SessionPlace, ForkHasTheWayAlone) {  // SESS-38
  options.session_file = "/kept.jsonl";
  talk();
  const std::string before = loop.run(files.read("/kept.jsonl")).value_or("");
  const std::string answer = id_of("assistant", 1);

  ASSERT_TRUE(*loop.run(session->fork(answer)));

  EXPECT_EQ(session->messages().size(), 2U);
  EXPECT_EQ(loop.run(files.read("/kept.jsonl")).value_or(""), before);
  EXPECT_NE(session->store().path(), "/kept.jsonl");
  ASSERT_TRUE(*loop.run(session->new_session()));
  EXPECT_TRUE(session->messages().empty());
}

}  // namespace
}  // namespace plumb::engine
