// SPDX-License-Identifier: Apache-2.0
#include "engine/session/tree/session_store.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/kernel/memory_files.h"
#include "engine/kernel/scripted_processes.h"
#include "engine/kernel/sim_loop.h"
#include "engine/session/tree/session_text.h"
#include "engine/values/json_members.h"

namespace plumb::engine {
namespace {

/// Writes the first `left` bytes of appended text, then fails.
class FullDisk final : public Files {
 public:
  explicit FullDisk(MemoryFiles& inner) : inner_(inner) {}
  Task<Result<FileReply>> perform(FileRequest request) override {
    const bool writes = request.op == FileOp::append || request.op == FileOp::write;
    if (!is_full || !writes) co_return co_await inner_.perform(std::move(request));
    const Error error = file_io_error("ENOSPC: no space left on device", request);
    request.content.resize(std::min<std::size_t>(request.content.size(), 5));
    if (request.op == FileOp::append) (void)co_await inner_.perform(std::move(request));
    co_return std::unexpected(error);
  }
  bool is_full = false;

 private:
  MemoryFiles& inner_;
};

class SessionStoreTest : public testing::Test {
 protected:
  SessionStorePtr create() {
    NewSession wanted("/w");
    wanted.folder = "/s";
    return *loop_.run(SessionStore::create(ports_, std::move(wanted)));
  }
  Result<SessionStorePtr> open(const std::string& path) {
    return loop_.run(SessionStore::open(ports_, path, "/w"));
  }
  Result<std::string> say(SessionStore& store, std::string_view role) {
    Json message = Json::object();
    message["role"] = role;
    message["content"] = "hello";
    return loop_.run(store.append(message_draft(role, SharedJson(std::move(message)))));
  }
  Result<std::string> note(SessionStore& store, Json data) {
    return loop_.run(store.append(custom_draft("x", std::move(data))));
  }
  std::string text(const std::string& path) {
    return loop_.run(files_.read(path)).value_or("missing");
  }

  SimLoop loop_;
  MemoryFiles files_{loop_};
  FullDisk disk_{files_};
  ScriptedProcesses processes_{loop_, files_};
  Rng rng_{1};
  Env env_{loop_, disk_, processes_, rng_};
  Rng ids_{2};
  StorePorts ports_{env_, ids_};
};

TEST_F(SessionStoreTest, FileAppearsWithTheFirstMessage) {  // SESS-22
  auto store = create();
  ASSERT_TRUE(note(*store, Json(1)));
  EXPECT_EQ(text(store->path()), "missing");

  ASSERT_TRUE(say(*store, "user"));
  const std::string before = text(store->path());
  ASSERT_TRUE(note(*store, Json(2)));

  const auto again = open(store->path());
  ASSERT_TRUE(again);
  EXPECT_EQ((*again)->tree().entries().size(), 3U);
  EXPECT_EQ((*again)->tree().leaf(), store->tree().leaf());
  EXPECT_TRUE(text(store->path()).starts_with(before));
}

TEST_F(SessionStoreTest, NeverOverwritesAFile) {  // SESS-23
  auto store = create();
  files_.put_file(store->path(), "taken");

  const auto said = say(*store, "user");

  EXPECT_EQ(said.error().code, ErrorCode::exists);
  EXPECT_EQ(text(store->path()), "taken");
  EXPECT_TRUE(store->tree().entries().empty());
}

TEST_F(SessionStoreTest, FailedAppendLeavesMemoryAndTheNextLineWhole) {  // SESS-24
  auto store = create();
  ASSERT_TRUE(say(*store, "user"));
  const auto leaf = store->tree().leaf();

  disk_.is_full = true;
  EXPECT_FALSE(note(*store, Json(1)));
  EXPECT_EQ(store->tree().leaf(), leaf);
  disk_.is_full = false;
  ASSERT_TRUE(note(*store, Json(2)));

  const auto again = open(store->path());
  ASSERT_TRUE(again);
  EXPECT_EQ((*again)->tree().entries().size(), 2U);
  EXPECT_EQ((*again)->tree().entries().back().parent_id, leaf);
  EXPECT_EQ((*again)->damaged_count(), 1);
}

TEST_F(SessionStoreTest, MovingIsNotStored) {  // SESS-18
  auto store = create();
  const auto first = say(*store, "user");
  ASSERT_TRUE(say(*store, "assistant"));
  const auto last = store->tree().leaf();
  const std::string before = text(store->path());

  ASSERT_TRUE(store->move(*first));

  EXPECT_EQ(text(store->path()), before);
  EXPECT_EQ((*open(store->path()))->tree().leaf(), last);
}

TEST_F(SessionStoreTest, ForkLeavesTheOldFileAlone) {  // SESS-38
  auto store = create();
  ASSERT_TRUE(say(*store, "user"));
  const std::string before = text(store->path());

  NewSession wanted("/other");
  wanted.folder = "/s2";
  const auto fork = loop_.run(SessionStore::fork(ports_, store->path(), std::move(wanted)));

  ASSERT_TRUE(fork);
  EXPECT_EQ(text(store->path()), before);
  EXPECT_EQ(text_at((*fork)->tree().header(), "parentSession"), store->path());
  EXPECT_EQ(text_at((*fork)->tree().header(), "cwd"), "/other");
  EXPECT_NE((*fork)->tree().session_id(), store->tree().session_id());
  ASSERT_TRUE(note(**fork, Json(1)));
  EXPECT_EQ((*open((*fork)->path()))->tree().entries().size(), 2U);
}

TEST_F(SessionStoreTest, MigrationReplacesTheFileInOneStep) {  // SESS-30
  files_.put_file("/old.jsonl",
                  "{\"type\":\"session\",\"id\":\"s\"}\n{\"type\":\"message\"}\nbad\n");

  const auto store = open("/old.jsonl");

  ASSERT_TRUE(store);
  EXPECT_EQ((*store)->tree().entries().size(), 1U);
  EXPECT_NE(text("/old.jsonl").find("\nbad\n"), std::string::npos);
  EXPECT_EQ(text("/old.jsonl.migrating"), "missing");
}

TEST_F(SessionStoreTest, EmptyFileBecomesASession) {  // SESS-26
  files_.put_file("/empty.jsonl", "");
  ASSERT_TRUE(open("/empty.jsonl"));
  EXPECT_TRUE(text("/empty.jsonl").starts_with("{\"type\":\"session\",\"version\":3"));
}

}  // namespace
}  // namespace plumb::engine
