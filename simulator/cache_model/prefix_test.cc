// SPDX-License-Identifier: Apache-2.0
#include "simulator/cache_model/prefix.h"

#include <deque>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "engine/values/json.h"

namespace plumb::simulator {
namespace {

/// A block from its zone's first letter and JSON text: {"t", R"({"name":"a"})"}.
struct Spec {
  char zone;
  const char* text;
};

std::vector<RequestBlock> request(std::initializer_list<Spec> specs) {
  std::vector<RequestBlock> blocks;
  for (const auto& spec : specs) {
    const Zone zone =
        spec.zone == 's' ? Zone::system : (spec.zone == 't' ? Zone::tools : Zone::messages);
    blocks.push_back(RequestBlock{zone, SharedJson(*parse_json(spec.text))});
  }
  return blocks;
}

constexpr Spec kSystem{'s', R"("be brief")"};
constexpr Spec kToolA{'t', R"({"name":"a","parameters":{"x":1,"y":2}})"};
constexpr Spec kToolB{'t', R"({"name":"b"})"};
constexpr Spec kUser{'m', R"({"role":"user","content":[{"type":"text","text":"hi"}]})"};
constexpr Spec kAnswer{'m', R"({"role":"assistant","content":[]})"};

TEST(FindBreak, AppendingIsNoBreak) {  // CACHE-05
  const auto earlier = request({kSystem, kToolA, kUser});

  EXPECT_FALSE(find_break(earlier, request({kSystem, kToolA, kUser, kAnswer, kUser})));
  EXPECT_FALSE(find_break(earlier, earlier));
}

TEST(FindBreak, ChangedSystemTextBreaksInZoneSystem) {  // CACHE-02
  const auto found = find_break(request({kSystem, kToolA, kUser}),
                                request({{'s', R"("be long")"}, kToolA, kUser, kAnswer}));

  ASSERT_TRUE(found);
  EXPECT_EQ(found->zone, Zone::system);
  EXPECT_EQ(found->path, "system/0");
  EXPECT_EQ(found->label, "system_text");
  EXPECT_EQ(found->byte_offset, 4);
  EXPECT_EQ(found->before, "brief\"");
  EXPECT_EQ(found->after, "long\"");
}

TEST(FindBreak, SystemAndToolsTogetherAreOneBreak) {  // CACHE-04
  const auto found = find_break(request({kSystem, kToolA, kUser}),
                                request({{'s', R"("other")"}, kToolA, kToolB, kUser}));

  ASSERT_TRUE(found);
  EXPECT_EQ(found->zone, Zone::system);
}

TEST(FindBreak, AddedToolBreaksInZoneTools) {  // CACHE-21
  const auto found =
      find_break(request({kSystem, kToolA, kUser}), request({kSystem, kToolA, kToolB, kUser}));

  ASSERT_TRUE(found);
  EXPECT_EQ(found->path, "tools/1");
  EXPECT_EQ(found->label, "tool_added");
}

TEST(FindBreak, RemovedLastToolBreaksInZoneTools) {  // CACHE-25
  const auto found =
      find_break(request({kSystem, kToolA, kToolB, kUser}), request({kSystem, kToolA, kUser}));

  ASSERT_TRUE(found);
  EXPECT_EQ(found->path, "tools/1");
  EXPECT_EQ(found->label, "tool_removed");
}

TEST(FindBreak, SwappedToolsAreOneBreak) {  // CACHE-32
  const auto found = find_break(request({kSystem, kToolA, kToolB, kUser}),
                                request({kSystem, kToolB, kToolA, kUser}));

  ASSERT_TRUE(found);
  EXPECT_EQ(found->path, "tools/0");
  EXPECT_EQ(found->label, "tool_order");
}

TEST(FindBreak, FlippedSchemaMembersAreABreak) {  // CACHE-09, CACHE-33
  const auto found =
      find_break(request({kSystem, kToolA, kUser}),
                 request({kSystem, {'t', R"({"name":"a","parameters":{"y":2,"x":1}})"}, kUser}));

  ASSERT_TRUE(found);
  EXPECT_EQ(found->label, "key_order");
  EXPECT_EQ(found->path, "tools/0");
  EXPECT_EQ(found->field, "/parameters");
}

TEST(FindBreak, ComparesBytesNotValues) {  // CACHE-09
  const auto found = find_break(request({{'m', R"({"n":1})"}}), request({{'m', R"({"n":1.0})"}}));

  ASSERT_TRUE(found);
  EXPECT_EQ(found->byte_offset, 6);
}

TEST(FindBreak, RewrittenMessageNamesItsPart) {  // CACHE-11
  const auto found = find_break(
      request({kSystem, kUser, kAnswer}),
      request(
          {kSystem, {'m', R"({"role":"user","content":[{"type":"text","text":"yo"}]})"}, kAnswer}));

  ASSERT_TRUE(found);
  EXPECT_EQ(found->path, "messages/0/content/0");
  EXPECT_EQ(found->field, "/content/0/text");
  EXPECT_EQ(found->label, "history_edit");
}

TEST(FindBreak, InsertedMessageIsNamedSo) {  // CACHE-12
  const auto found = find_break(request({kSystem, kUser}), request({kSystem, kAnswer, kUser}));

  ASSERT_TRUE(found);
  EXPECT_EQ(found->label, "inserted_message");
}

TEST(FindBreak, ChangedImageIsNamedSo) {  // CACHE-12
  const auto found =
      find_break(request({{'m', R"({"role":"user","content":[{"type":"image","data":"AA"}]})"}}),
                 request({{'m', R"({"role":"user","content":[{"type":"image","data":"AB"}]})"}}));

  ASSERT_TRUE(found);
  EXPECT_EQ(found->label, "image");
}

TEST(FindBreak, ShowsAtMostEightyBytes) {
  const std::string text = "\"" + std::string(200, 'a') + "\"";
  const auto found = find_break(request({{'s', text.c_str()}}), request({{'s', "\"b\""}}));

  ASSERT_TRUE(found);
  EXPECT_EQ(found->before.size(), 80U);
  EXPECT_EQ(found->lost_bytes, 201);
}

/// Requests of one trace: their breaks and resets.
class PrefixWatchTest : public ::testing::Test {
 protected:
  void send(const std::vector<RequestBlock>& blocks, const char* lineage = "main",
            const char* params = R"({"model":"m1"})") {
    auto request = deltas_.next(lineage, blocks, SharedJson(*parse_json(params)));
    Event event;
    event.seq = seq_++;
    event.payload = std::move(request);
    events_.push_back(std::move(event));
    deltas_.sent(events_.back().seq);
    watch_.see(*fold_.fold(events_.back()));
  }

  PrefixWatch watch_;

 private:
  std::deque<Event> events_;
  std::int64_t seq_ = 0;
  RequestDeltas deltas_;
  RequestFold fold_;
};

TEST_F(PrefixWatchTest, FirstRequestIsAResetAndNoBreak) {  // CACHE-06
  send(request({kSystem, kUser}));

  EXPECT_TRUE(watch_.breaks().empty());
  EXPECT_EQ(watch_.resets(), (std::vector{CacheReset{.at = 1, .cause = "new_session"}}));
}

TEST_F(PrefixWatchTest, CountsOneBreakAPairAndThenNone) {  // CACHE-01, CACHE-04
  send(request({kSystem, kToolA, kUser}));
  send(request({kSystem, kToolA, kToolB, kUser, kAnswer}));
  send(request({kSystem, kToolA, kToolB, kUser, kAnswer, kUser}));

  ASSERT_EQ(watch_.breaks().size(), 1U);
  EXPECT_EQ(watch_.breaks()[0].from, 1);
  EXPECT_EQ(watch_.breaks()[0].to, 2);
}

TEST_F(PrefixWatchTest, AnotherLineageWithAnotherModelIsAModelReset) {  // CACHE-06
  send(request({kSystem, kUser}));
  send(request({kSystem, kAnswer}), "other", R"({"model":"m2"})");

  EXPECT_TRUE(watch_.breaks().empty());
  ASSERT_EQ(watch_.resets().size(), 2U);
  EXPECT_EQ(watch_.resets()[1].cause, "model");
}

}  // namespace
}  // namespace plumb::simulator
