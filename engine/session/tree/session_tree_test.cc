// SPDX-License-Identifier: Apache-2.0
#include "engine/session/tree/session_tree.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/session/tree/entry_drafts.h"
#include "engine/session/tree/projection.h"
#include "engine/session/tree/session_names.h"
#include "engine/session/tree/session_text.h"
#include "engine/values/json_members.h"

namespace plumb::engine {
namespace {

using Ids = std::vector<std::string>;

Ids ids_of(const Branch& branch) {
  Ids ids;
  for (const TreeEntry* entry : branch) ids.push_back(entry->id);
  return ids;
}

Ids roles_of(const Branch& branch) {
  Ids roles;
  for (const auto& one : project(branch)) roles.push_back(text_at(one.message.get(), "role"));
  return roles;
}

class SessionTreeTest : public testing::Test {
 protected:
  void add(EntryDraft draft, const std::string& id) {
    tree_.add(compose_entry(std::move(draft), id, tree_.leaf(), "t"));
  }
  void say(std::string_view role, const std::string& id) {
    Json message = Json::object();
    message["role"] = role;
    message["content"] = id;
    add(message_draft(role, SharedJson(std::move(message))), id);
  }
  void add_json(const char* text) { tree_.add(entry_from(*parse_json(text))); }

  SessionTree tree_{*parse_json(R"({"type":"session","id":"s"})")};
};

TEST_F(SessionTreeTest, BranchLeadsFromTheRootToTheLeaf) {  // SESS-11
  say("user", "u");
  add(custom_draft("x", Json(1)), "c");
  ASSERT_TRUE(tree_.move("u"));
  say("assistant", "a");

  EXPECT_EQ(ids_of(tree_.branch()), (Ids{"u", "a"}));
  EXPECT_EQ(ids_of(tree_.branch_of("c")), (Ids{"u", "c"}));
  EXPECT_EQ(ids_of(tree_.branch_of("nobody")), Ids());
  EXPECT_EQ(ids_of(tree_.children("u")), (Ids{"c", "a"}));
}

TEST_F(SessionTreeTest, CycleEndsTheBranch) {  // SESS-28
  add_json(R"({"type":"custom","id":"a","parentId":"b"})");
  add_json(R"({"type":"custom","id":"b","parentId":"a"})");
  add_json(R"({"type":"custom","id":"c","parentId":"b"})");
  add_json(R"({"type":"custom","id":"d","parentId":"d"})");

  EXPECT_EQ(ids_of(tree_.branch_of("c")), (Ids{"a", "b", "c"}));
  EXPECT_EQ(tree_.cycles(), (Ids{"a", "d"}));
  EXPECT_EQ(ids_of(tree_.roots()), (Ids{"a", "d"}));
}

TEST_F(SessionTreeTest, LaterEntryOfAnIdCounts) {  // SESS-29
  add_json(R"({"type":"custom","id":"a","parentId":null,"data":1})");
  add_json(R"({"type":"custom","id":"b","parentId":"a"})");
  add_json(R"({"type":"custom","id":"a","parentId":null,"data":2})");

  EXPECT_EQ(at(tree_.find("a")->json.get(), "data"), Json(2));
  EXPECT_EQ(tree_.entries().size(), 3U);
  EXPECT_EQ(tree_.leaf(), "a");
}

TEST_F(SessionTreeTest, EmptyLabelClears) {  // SESS-34
  say("user", "u");
  add(*label_draft(tree_, "u", "here"), "l1");
  EXPECT_EQ(tree_.label("u"), "here");
  EXPECT_EQ(tree_.leaf(), "l1");
  add(*label_draft(tree_, "u", ""), "l2");
  EXPECT_EQ(tree_.label("u"), "");

  tree_.shrink(2, "l1");
  EXPECT_EQ(tree_.label("u"), "here");
  EXPECT_EQ(label_draft(tree_, "nobody", "x").error().code, ErrorCode::not_found);
}

TEST_F(SessionTreeTest, LastNameOfTheFileCounts) {  // SESS-35
  say("user", "u");
  add(name_draft(" one\r\n two "), "n");
  EXPECT_EQ(tree_.name(), "one  two");
  ASSERT_TRUE(tree_.move("u"));
  EXPECT_EQ(tree_.name(), "one  two");
  add(name_draft(""), "n2");
  EXPECT_EQ(tree_.name(), "");
}

TEST_F(SessionTreeTest, LastCompactionCounts) {  // SESS-31, SESS-32
  say("user", "u1");
  add(compaction_draft(tree_, {"first", std::nullopt, 1}), "k1");
  say("user", "u2");
  say("system", "s");
  say("assistant", "a2");
  add(compaction_draft(tree_, {"second", "u2", 1}), "k2");
  say("user", "u3");

  EXPECT_EQ(roles_of(tree_.branch()),
            (Ids{"system", "compactionSummary", "user", "assistant", "user"}));
  EXPECT_EQ(tree_.branch().size(), 7U);
}

TEST_F(SessionTreeTest, LastEditOfTheBranchCounts) {  // SESS-33
  say("user", "u");
  say("assistant", "a");
  add(*context_edit_draft(tree_, "a", *parse_json(R"({"content":"short"})")), "e1");
  EXPECT_EQ(dump_json(at(project(tree_.branch())[1].message.get(), "content")),
            R"([{"type":"text","text":"short"}])");
  add(*context_edit_draft(tree_, "a", Json()), "e2");
  EXPECT_EQ(roles_of(tree_.branch()), (Ids{"user"}));
  EXPECT_EQ(roles_of(tree_.branch_of("a")), (Ids{"user", "assistant"}));
  EXPECT_EQ(context_edit_draft(tree_, "e1", Json()).error().code, ErrorCode::rejected);
  EXPECT_EQ(context_edit_draft(tree_, "a", Json(1)).error().code, ErrorCode::invalid);
}

TEST_F(SessionTreeTest, StateIsThatOfTheBranch) {  // SESS-01, SESS-09
  say("user", "u");
  add(custom_draft("state", Json("reviewed")), "c1");
  ASSERT_TRUE(tree_.move("u"));
  add(custom_draft("state", Json("pending")), "c2");

  EXPECT_EQ(last_custom_data(tree_.branch_of("c1"), "state"), Json("reviewed"));
  EXPECT_EQ(last_custom_data(tree_.branch(), "state"), Json("pending"));
  EXPECT_EQ(last_custom_data(tree_.branch(), "other"), Json());
}

TEST(SessionNames, FollowTheRule) {  // SESS-45
  EXPECT_TRUE(is_session_id("a.b-c_d"));
  for (const char* id : {"", "-a", "a-", "a/b", "a b", "..", "\xC3\xA9"}) {
    EXPECT_FALSE(is_session_id(id)) << id;
  }
  EXPECT_EQ(session_folder_name("/a:b/c"), "--a-b-c--");
  EXPECT_EQ(session_file_name(iso_time(1'735'689'600'123), "x"),
            "2025-01-01T00-00-00-123Z_x.jsonl");
}

TEST(SessionText, TakesWhatOtherWritersLeft) {
  EXPECT_EQ(read_session_line(R"({"a":"\ud83d"})"), *parse_json(R"({"a":"\ufffd"})"));
  EXPECT_EQ(read_session_line(R"({"a":"\ud83d\ude00"})"), *parse_json(R"({"a":"😀"})"));
  EXPECT_EQ(read_session_line("{\"a\":\"\xFF\"}"), *parse_json(R"({"a":"\ufffd"})"));
  EXPECT_EQ(read_session_line(R"({"a":1,"b":2,"a":3})"), *parse_json(R"({"a":3,"b":2})"));
  EXPECT_FALSE(read_session_line(std::string(100'000, '[')));
  EXPECT_FALSE(read_session_line("{\"a\":"));
}

TEST(SessionText, MigratesVersionOne) {  // SESS-30
  Rng ids(1);
  const auto session = read_session_text(
      "{\"type\":\"session\",\"id\":\"s\"}\n{\"type\":\"message\",\"message\":{\"role\":"
      "\"hookMessage\"}}\nbroken\n{\"type\":\"compaction\",\"firstKeptEntryIndex\":1}",
      ids);

  ASSERT_TRUE(session);
  ASSERT_EQ(session->entries.size(), 2U);
  const Json& message = session->entries[0];
  EXPECT_EQ(text_at(at(message, "message"), "role"), "custom");
  EXPECT_EQ(at(session->entries[1], "parentId"), at(message, "id"));
  EXPECT_EQ(at(session->entries[1], "firstKeptEntryId"), at(message, "id"));
  EXPECT_EQ(at(session->header, "version"), Json(3));
  EXPECT_NE(session->migrated->find("\nbroken\n"), std::string::npos);
}

}  // namespace
}  // namespace plumb::engine
