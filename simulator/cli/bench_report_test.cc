// SPDX-License-Identifier: Apache-2.0
// A saved benchmark reads back, what is broken is refused with its place, and the text shows what
// the samples say: worked out by hand.
#include "simulator/cli/bench_report.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulator/cli/bench_player.h"
#include "simulator/cli/bench_schema.h"

namespace plumb::simulator {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Four runs of two calls: a millisecond in all.
BenchScenario played_scenario(const std::string& id) {
  return {id, std::string(64, 'a'), 8, {100'000, 200'000, 400'000, 300'000}, {}};
}

BenchRecord bench_record() {
  BenchRecord record;
  record.tool_version = "1.2.3";
  record.command = "plumb bench x";
  record.seed = 9'223'372'036'854'775'807U;
  record.warmup = 3;
  record.subjects = {{"session", "", "", {played_scenario("edit/a"), played_scenario("edit/b")}}};
  return record;
}

TEST(BenchFile, ReadsBackWhatWasMeasured) {
  BenchRecord written = bench_record();
  written.subjects.push_back({"other", "pi-1.6.0", "chat", {played_scenario("edit/a")}});
  written.subjects.back().scenarios.front().calls = std::nullopt;

  EXPECT_EQ(read_bench(bench_json(written), "b.json"), written);
}

TEST(BenchFile, FitsItsSchemaWithAllThatIsMadeOfTheSamples) {
  BenchRecord written = bench_record();
  written.subjects[0].scenarios[0].call_times = CallTimes{false, {1, 2}};
  written.comparison = BenchComparison{
      "session", {{"edit/a", {1.5, Interval{1, 2}}}, {"edit/b", {1.5, std::nullopt}}}};
  const auto json = parse_json(bench_json(written));

  ASSERT_TRUE(json);
  EXPECT_THAT(bench_schema().validate(*json), IsEmpty());
  EXPECT_EQ(json->at("subjects")[0]["scenarios"][0]["summary"]["calls_per_second"], 8000.0);
  EXPECT_EQ(json->at("subjects")[0]["scenarios"][0]["summary"]["wall_ns"]["p50"], 250'000);
  EXPECT_EQ(json->at("subjects")[0]["scenarios"][0]["summary"]["call_clock"], "real");
  EXPECT_EQ(json->at("comparison")["scenarios"][0]["high"], 2.0);
  EXPECT_TRUE(read_bench(bench_json(written), "b.json"));
}

struct Broken {
  std::string from;  ///< Of a good file, at its first place.
  std::string to;
  std::string where;
  std::string message;
};

TEST(BenchFile, IsRefusedWithItsPlace) {
  const std::string good = bench_json(bench_record());
  const std::string first = "/subjects/0/scenarios/0";
  for (const auto& [from, to, where, message] :
       std::vector<Broken>{{"plumb-bench/1", "plumb-bench/2", "b.json",
                            "schema is 'plumb-bench/2', expected 'plumb-bench/1'"},
                           {"\"schema\": \"plumb-bench/1\",", "", "b.json", "schema is missing"},
                           {"\"warmup\": 3", "\"warmup\": NaN", "b.json:6:", ""},
                           {"300000", "1e999", "b.json:", ""},
                           {"300000", "0", "b.json", first},
                           {"300000", "-1", "b.json", first},
                           {"300000", "1.5", "b.json", first},
                           {"300000", "1000000000000001", "b.json", first},
                           {"300000", "\"300000\"", "b.json", first},
                           {"\"calls\": 8", "\"calls\": \"8\"", "b.json", first + "/calls"},
                           {"\"calls\": 8,", "", "b.json", first + "/calls"},
                           {"\"warmup\": 3", "\"warmup\": -3", "b.json", "/warmup"},
                           {"\"warmup\": 3", "\"warmup\": 3, \"warm\": 3", "b.json", "/warm"},
                           {"\"warmup\": 3", "\"warmup\": 3, \"warmup\": 3", "b.json:", ""},
                           {"edit/b", "edit/a", "b.json", "scenario 'edit/a' stands twice"},
                           {"aaaa", "xaaa", "b.json", first + "/file_digest"}}) {
    std::string text = good;
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);

    const auto read = read_bench(text, "b.json");

    ASSERT_FALSE(read) << from << " as " << to;
    EXPECT_EQ(read.error().code, ErrorCode::invalid);
    EXPECT_TRUE(read.error().where.starts_with(where)) << read.error().where << " for " << to;
    EXPECT_THAT(read.error().message, HasSubstr(message)) << to;
  }
}

TEST(BenchFile, IsRefusedWhereverItIsCut) {
  const std::string good = bench_json(bench_record());
  // The last line feed is no part of the value.
  for (std::size_t size = 0; size + 1 < good.size(); ++size) {
    EXPECT_FALSE(read_bench(good.substr(0, size), "b.json")) << size;
  }
}

TEST(BenchFile, ThatIsNoObjectIsRefused) {
  for (const std::string text : {"[]", "null", "5", "\"plumb-bench/1\"", "{}"}) {
    const auto read = read_bench(text, "b.json");
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error().message, HasSubstr("schema is missing"));
  }
}

std::string mismatch(const BenchRecord& saved, const BenchRecord& measured) {
  const auto found = matching_subject(saved, measured, "b.json");
  return found ? "" : found.error().where + ": " + found.error().message;
}

TEST(BenchComparison, TakesTheSameSubjectAndScenarios) {
  BenchRecord saved = bench_record();
  saved.subjects.insert(saved.subjects.begin(), {"other", "", "", {}});
  BenchRecord measured = bench_record();
  measured.subjects[0].scenarios.pop_back();

  EXPECT_EQ(matching_subject(saved, measured, "b.json"), &saved.subjects[1]);
}

TEST(BenchComparison, SaysWhatDiffers) {
  BenchRecord other = bench_record();
  other.subjects[0].name = "pi";
  other.subjects[0].api = "chat";
  EXPECT_EQ(mismatch(other, bench_record()),
            "b.json: was measured with the subject 'pi', API chat, not 'session'");
  other = bench_record();
  other.seed = 1;
  EXPECT_EQ(mismatch(other, bench_record()),
            "b.json: was measured with seed 1, not 9223372036854775807");
  other = bench_record();
  other.subjects[0].scenarios.pop_back();
  EXPECT_EQ(mismatch(other, bench_record()), "b.json: has no run of 'edit/b'");
  other = bench_record();
  other.subjects[0].scenarios[0].file_digest = std::string(64, 'b');
  EXPECT_EQ(mismatch(other, bench_record()), "b.json: was measured with another text of 'edit/a'");
  other.subjects[0].scenarios.clear();
  BenchRecord many = bench_record();
  for (const std::string name : {"c", "d", "e", "f"}) {
    many.subjects[0].scenarios.push_back(played_scenario(name));
  }
  EXPECT_EQ(mismatch(other, many),
            "b.json: has no run of 'edit/a', 'edit/b', 'c', 'd', 'e' and 1 more");
}

TEST(BenchComparison, IsOfWhatBothHave) {
  BenchSubject now = bench_record().subjects[0];
  BenchSubject before = now;
  before.scenarios.pop_back();
  for (auto& wall_ns : now.scenarios[0].wall_ns) wall_ns *= 2;

  EXPECT_EQ(ratios_of_saved(now, before),
            (std::vector<ScenarioRatio>{{"edit/a", {2, std::nullopt}}}));
  before.scenarios.push_back(now.scenarios[1]);
  // By rounds: 2 in each.
  EXPECT_EQ(
      ratios_of_subjects(now, before),
      (std::vector<ScenarioRatio>{{"edit/a", {2, std::nullopt}}, {"edit/b", {1, std::nullopt}}}));
}

TEST(BenchText, ShowsWhatTheSamplesSay) {
  BenchRecord shown = bench_record();
  shown.subjects[0].scenarios[0].call_times = CallTimes{true, {5, 30, 5, 30, 5, 30, 5, 30}};
  shown.subjects[0].scenarios[1].calls = std::nullopt;
  shown.comparison = BenchComparison{
      "b.json", {{"edit/a", {1.5, Interval{0.25, 2}}}, {"edit/b", {1.0 / 3, std::nullopt}}}};

  EXPECT_EQ(bench_text(shown),
            "edit/a\n"
            "  session\n"
            "    run    min 100.00 us  p50 250.00 us  p90 400.00 us  p99 400.00 us  max 400.00 us\n"
            "    rate   4000 runs/s, 8000 calls/s (2 a run); deviation of a run 100.00 us\n"
            "    call   virtual time: min 5 ms  p50 17 ms  p90 30 ms  p99 30 ms  max 30 ms\n"
            "  ratio    1.500 [0.250, 2.000] of b.json\n"
            "edit/b\n"
            "  session\n"
            "    run    min 100.00 us  p50 250.00 us  p90 400.00 us  p99 400.00 us  max 400.00 us\n"
            "    rate   4000 runs/s, calls are not shown; deviation of a run 100.00 us\n"
            "  ratio    0.333 (too few runs for an interval) of b.json\n");
}

TEST(BenchText, ShowsTimesInTheUnitThatFits) {
  EXPECT_EQ(wall_text(1), "1 ns");
  EXPECT_EQ(wall_text(999), "999 ns");
  EXPECT_EQ(wall_text(1'000), "1.00 us");
  EXPECT_EQ(wall_text(1'500'000), "1.50 ms");
  EXPECT_EQ(wall_text(2'000'000'000), "2.00 s");
  EXPECT_EQ(wall_text(kWallNsMax), "1000000.00 s");
}

Event event_at(const std::string& call, std::int64_t at, Payload payload) {
  Event event;
  event.call = call;
  event.at = at;
  event.payload = std::move(payload);
  return event;
}

TEST(CallTimes, AreTakenFromTheTracesOwnClock) {
  Trace trace;
  trace.header.is_clock_virtual = false;
  trace.events = {
      event_at("c1", 10, ToolExecutionStart()), event_at("c2", 12, ToolExecutionStart()),
      event_at("c2", 15, ToolExecutionEnd()),   event_at("c1", 40, ToolExecutionEnd()),
      event_at("c3", 50, ToolExecutionStart()), event_at("c4", 60, ToolExecutionEnd())};
  BenchSample sample;

  take_call_times(trace, sample);

  // The third never ended; the fourth did, and nobody saw it begin.
  EXPECT_EQ(sample.calls, 3);
  EXPECT_EQ(sample.call_ms, (std::vector<std::int64_t>{3, 30}));
  EXPECT_FALSE(sample.is_virtual);
}

}  // namespace
}  // namespace plumb::simulator
