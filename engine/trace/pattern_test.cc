// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/pattern.h"

#include <gtest/gtest.h>

namespace plumb {
namespace {

Trace calls() {
  Trace trace;
  Recorder recorder(trace, [] { return std::int64_t{0}; });
  for (const std::string id : {"c1", "c2", "c1"}) {
    ToolExecutionEnd end;
    end.name = id == "c2" ? "edit" : "read";
    end.is_error = id == "c2";
    end.result = SharedJson(Json{{"content", {{{"text", "two words"}}}}});
    recorder.record(Source::engine, end, id);
  }
  return trace;
}

const Event* find(const std::string& text) {
  static const Trace trace = calls();
  const auto pattern = parse_event_pattern(text);
  EXPECT_TRUE(pattern) << pattern.error().message;
  return pattern ? find_event(trace, *pattern) : nullptr;
}

TEST(EventPattern, MatchesKindCallAndFields) {
  EXPECT_EQ(find("tool_execution_end")->seq, 0);
  EXPECT_EQ(find("tool_execution_end call c2")->seq, 1);
  EXPECT_EQ(find("tool_execution_end is_error true")->seq, 1);
  EXPECT_EQ(find("tool_execution_end name read nth 2")->seq, 2);
  EXPECT_EQ(find("tool_execution_end result.content.0.text \"two words\" nth 3")->seq, 2);
  EXPECT_EQ(find("tool_execution_end name write"), nullptr);
}

std::string refusal(const std::string& text) {
  const auto pattern = parse_event_pattern(text);
  return pattern ? "accepted" : pattern.error().message;
}

TEST(EventPattern, RefusesWhatNamesNoEvent) {
  EXPECT_EQ(refusal(""), "an event pattern must name an event kind");
  EXPECT_EQ(refusal("agent_strat"),
            "unknown event kind 'agent_strat'; did you mean 'agent_start'?");
  EXPECT_EQ(refusal("turn_end trun 1"), "unknown field 'trun'; did you mean 'turn'?");
  EXPECT_EQ(refusal("turn_end turn"), "field 'turn' of an event pattern has no value");
  EXPECT_EQ(refusal("turn_end nth 0"), "'nth' must be followed by a number from 1, not '0'");
}

TEST(PatternCounter, HitsOnlyTheNth) {
  PatternCounter counter(*parse_event_pattern("tool_execution_end call c1 nth 2"));
  std::vector<bool> hits;
  for (const auto& event : calls().events) hits.push_back(counter.hits(event));

  EXPECT_EQ(hits, (std::vector<bool>{false, false, true}));
}

}  // namespace
}  // namespace plumb
