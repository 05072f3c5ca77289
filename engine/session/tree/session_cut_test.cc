// SPDX-License-Identifier: Apache-2.0
// A session file that was cut anywhere, as by a crash while a line was written.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/kernel/memory_files.h"
#include "engine/kernel/scripted_processes.h"
#include "engine/kernel/sim_loop.h"
#include "engine/session/tree/session_store.h"

namespace plumb::engine {
namespace {

constexpr const char* kText =
    R"({"type":"session","version":3,"id":"s","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/w"}
)"
    R"({"type":"message","id":"a","parentId":null,"timestamp":"t",)"
    R"("message":{"role":"user","content":"ä€😀"}}

)"
    R"({"type":"custom","customType":"x","data":{"list":[1,2.5e3,"\ud83d\ude00\\\""]},)"
    R"("id":"b","parentId":"a","timestamp":"t"}
)"
    R"({"type":"label","id":"c","parentId":"b","timestamp":"t","targetId":"a","label":"L"}
)";

/// Opens `text` in a world of its own, appends an entry and opens it again.
class Reopened {
 public:
  explicit Reopened(const std::string& text) {
    files_.put_file("/s.jsonl", text);
    auto opened = open();
    if (!opened) {
      error_ = opened.error();
      return;
    }
    for (const auto& entry : (*opened)->tree().entries()) first_.push_back(entry.id);
    last_ = *loop_.run((*opened)->append(thinking_draft("low")));
    const auto again = open();
    for (const auto& entry : (*again)->tree().entries()) second_.push_back(entry.id);
  }

  const std::optional<Error>& error() const { return error_; }
  const std::vector<std::string>& first() const { return first_; }
  /// The entries after the append, without the new one, which must be the last.
  std::vector<std::string> second() const {
    auto ids = second_;
    EXPECT_EQ(ids.empty() ? "" : ids.back(), last_);
    if (!ids.empty()) ids.pop_back();
    return ids;
  }
  std::string text() { return loop_.run(files_.read("/s.jsonl")).value_or("gone"); }

 private:
  Result<SessionStorePtr> open() {
    return loop_.run(SessionStore::open(StorePorts(env_, ids_), "/s.jsonl", "/w"));
  }

  SimLoop loop_;
  MemoryFiles files_{loop_};
  ScriptedProcesses processes_{loop_, files_};
  Rng rng_{1};
  Env env_{loop_, files_, processes_, rng_};
  Rng ids_{2};
  std::optional<Error> error_;
  std::vector<std::string> first_;
  std::vector<std::string> second_;
  std::string last_;
};

/// The ids of the entries whose whole line lies within `text`; the line break may be missing.
std::vector<std::string> whole_entries(std::string_view text) {
  std::vector<std::string> ids;
  std::string_view all = kText;
  std::size_t begin = 0;
  for (std::size_t end = all.find('\n'); end != all.npos; end = all.find('\n', begin)) {
    const std::string_view line = all.substr(begin, end - begin);
    const bool is_entry = begin > 0 && !line.empty() && text.size() >= end;
    if (is_entry) ids.emplace_back(line.substr(line.find("\"id\":\"") + 6, 1));
    begin = end + 1;
  }
  return ids;
}

TEST(SessionCut, OpensWithEverythingBeforeTheCut) {  // SESS-25
  const std::string all = kText;
  const std::size_t header_end = all.find('\n');
  for (std::size_t cut = header_end; cut <= all.size(); ++cut) {
    const std::string text = all.substr(0, cut);
    Reopened session(text);

    ASSERT_FALSE(session.error()) << "cut at " << cut << ": " << session.error()->message;
    EXPECT_EQ(session.first(), whole_entries(text)) << "cut at " << cut;
    EXPECT_EQ(session.second(), whole_entries(text)) << "cut at " << cut;
    EXPECT_TRUE(session.text().starts_with(text)) << "cut at " << cut;
  }
}

TEST(SessionCut, RefusesAHalfHeaderAndLeavesItAlone) {  // SESS-26
  const std::string all = kText;
  for (std::size_t cut = 1; cut < all.find('\n'); ++cut) {
    const std::string text = all.substr(0, cut);
    Reopened session(text);

    ASSERT_TRUE(session.error()) << "cut at " << cut;
    EXPECT_EQ(session.error()->code, ErrorCode::invalid);
    EXPECT_EQ(session.text(), text);
  }
}

TEST(SessionCut, KeepsWhatFollowsADamagedByte) {  // SESS-25
  const std::string all = kText;
  for (std::size_t at = all.find('\n') + 1; at < all.size(); ++at) {
    std::string text = all;
    text[at] = '\0';
    Reopened session(text);

    ASSERT_FALSE(session.error()) << "byte " << at;
    // A broken line break damages the two lines that it parted.
    EXPECT_GE(session.first().size(), all[at] == '\n' ? 1U : 2U) << "byte " << at;
    EXPECT_TRUE(session.text().starts_with(text)) << "byte " << at;
  }
}

}  // namespace
}  // namespace plumb::engine
