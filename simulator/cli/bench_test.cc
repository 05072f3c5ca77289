// SPDX-License-Identifier: Apache-2.0
// plumb bench from outside. No time decides anything here: where a ratio must be large or small,
// the saved times are changed beyond what any machine does.
#include "engine/values/json.h"
#include "reports/text.h"
#include "simulator/cli/bench_report.h"
#include "simulator/cli/program_fixture.h"

namespace plumb::simulator {
namespace {

const std::string kBench = std::string("plumb bench ") + kOneScenario + " --runs 5 --warmup 1 ";
const std::string kOtherScenario = "scenarios/batch/BATCH-05-parallel-results-keep-the-order.yaml";

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(BenchProgram, SaysHowLongRunsTook) {
  const auto ran = shell(kBench + kOtherScenario);

  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_TRUE(has(ran.out, "plumb bench, 5 runs of each after 1 to warm up, one at a time, seed 0"))
      << ran.out;
  EXPECT_TRUE(has(ran.out, "edit/EDIT-43-the-model-sees-no-diff\n  session\n    run    min "));
  EXPECT_TRUE(has(ran.out, "batch/BATCH-05-parallel-results-keep-the-order\n"));
  EXPECT_TRUE(has(ran.out, "\n2 passed, 0 failed, 0 skipped\n"));
  EXPECT_EQ(ran.err, "");
}

TEST(BenchProgram, WritesTheTimesAsJson) {
  const auto ran = shell(kBench + "--json --seed 7");

  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "1 passed, 0 failed, 0 skipped\n");
  const auto read = read_bench(ran.out, "out");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->seed, 7U);
  EXPECT_EQ(read->warmup, 1);
  ASSERT_EQ(read->subjects.size(), 1U);
  ASSERT_EQ(read->subjects[0].scenarios.size(), 1U);
  const auto& scenario = read->subjects[0].scenarios[0];
  EXPECT_EQ(scenario.wall_ns.size(), 5U);
  // One edit a run.
  EXPECT_EQ(scenario.calls, 5);
}

/// Every time of the file as another.
void set_times(const std::string& file, std::int64_t wall_ns) {
  auto record = read_bench(slurp(file), file);
  ASSERT_TRUE(record) << record.error().message;
  for (auto& scenario : record->subjects[0].scenarios) {
    for (auto& time : scenario.wall_ns) time = wall_ns;
  }
  std::ofstream(file) << bench_json(*record);
}

TEST(BenchProgram, ComparesWithASavedRun) {
  const Scratch scratch;
  const std::string file = scratch / "new/saved.json";
  const auto saved = shell(kBench + kOtherScenario + " --save " + file);
  ASSERT_EQ(saved.code, 0) << saved.out << saved.err;
  EXPECT_TRUE(has(saved.out, "saved: " + file + "\n"));

  set_times(file, 1);
  const auto slower = shell(kBench + kOtherScenario + " --fail-above 999.5 --compare " + file);
  const auto told = shell(kBench + kOtherScenario + " --compare " + file);
  set_times(file, kWallNsMax);
  const auto faster = shell(kBench + "--fail-above 0.5 --compare " + file);

  EXPECT_EQ(slower.code, 1) << slower.out << slower.err;
  EXPECT_TRUE(has(slower.out, "FAIL edit/EDIT-43-the-model-sees-no-diff: ratio ")) << slower.out;
  EXPECT_TRUE(has(slower.out, " is above 999.500\n")) << slower.out;
  EXPECT_TRUE(has(slower.out, "0 passed, 2 failed, 0 skipped\n")) << slower.out;
  EXPECT_EQ(told.code, 0) << told.out;
  EXPECT_TRUE(has(told.out, " (too few runs for an interval) of " + file)) << told.out;
  EXPECT_EQ(faster.code, 0) << faster.out;
  EXPECT_TRUE(has(faster.out, "ratio    0.000 ")) << faster.out;
  EXPECT_TRUE(
      has(faster.out, "batch/BATCH-05-parallel-results-keep-the-order not measured, and in " +
                          file + "\n1 passed, 0 failed, 1 skipped\n"))
      << faster.out;
}

TEST(BenchProgram, RefusesASavedRunOfSomethingElse) {
  const Scratch scratch;
  const std::string file = scratch / "saved.json";
  ASSERT_EQ(shell(kBench + "--save " + file).code, 0);
  const std::string good = slurp(file);

  const auto unknown = shell(kBench + kOtherScenario + " --compare " + file);
  EXPECT_EQ(unknown.code, 4);
  EXPECT_EQ(unknown.err,
            file + ": has no run of 'batch/BATCH-05-parallel-results-keep-the-order'\n");
  const auto seed = shell(kBench + "--seed 1 --compare " + file);
  EXPECT_EQ(seed.code, 4);
  EXPECT_EQ(seed.err, file + ": was measured with seed 0, not 1\n");
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"\"session\"", "\"pi\""}, {"bench/1", "bench/2"}, {"\"calls\": 5", "\"calls\": NaN"}}) {
    std::ofstream(file) << reports::replaced(good, from, to);
    const auto ran = shell(kBench + "--compare " + file);
    EXPECT_EQ(ran.code, 4) << to;
    EXPECT_TRUE(ran.err.starts_with(file + ":")) << ran.err;
  }
  std::ofstream(file) << good.substr(0, good.size() / 2);
  EXPECT_EQ(shell(kBench + "--compare " + file).code, 4);
}

TEST(BenchProgram, PlaysTwoSubjectsInTurns) {
  const auto ran = shell(kBench + "--compare-subject session --fail-above 1000 --json");

  EXPECT_EQ(ran.code, 0) << ran.err;
  const auto json = parse_json(ran.out);
  ASSERT_TRUE(json);
  EXPECT_EQ(json->at("subjects").size(), 2U);
  EXPECT_EQ(json->at("comparison").at("with"), "session");
  EXPECT_EQ(json->at("comparison").at("scenarios").size(), 1U);
}

TEST(BenchProgram, ShowsNoTimesOfWrongRuns) {
  const Scratch scratch;
  const std::string steps = "files: {a.txt: x}\nsteps:\n  - user: hi\n  - model: hello\n";
  std::ofstream(scratch / "unmet.yaml") << "scenario: it expects too much\nrules: [EVENT-01]\n"
                                        << steps << "expect: {files: {a.txt: y}}\n";
  std::ofstream(scratch / "left.yaml") << "scenario: an answer is left\nrules: [EVENT-01]\n"
                                       << steps << "  - model: nobody asks for this\n";

  const auto unmet = shell(kBench + scratch / "unmet.yaml");
  const auto left = shell(kBench + scratch / "left.yaml");

  EXPECT_EQ(unmet.code, 1) << unmet.out << unmet.err;
  EXPECT_TRUE(has(unmet.err, "unmet on session: ")) << unmet.err;
  EXPECT_EQ(unmet.out, "0 passed, 1 failed, 1 skipped\n");
  EXPECT_EQ(left.code, 3) << left.out << left.err;
  EXPECT_TRUE(has(left.err, "repeat with: ./plumb run ")) << left.err;
  EXPECT_EQ(left.out, "0 passed, 1 failed, 1 skipped\n");
}

TEST(BenchProgram, LeavesOutWhatIsForAnotherEngine) {
  const Scratch scratch;
  std::ofstream(scratch / "a.yaml") << "scenario: other\nrules: [EVENT-01]\nengine: durable\n"
                                       "steps: [{user: hi}, {model: hello}]\n";

  const auto none = shell("plumb bench " + scratch / "a.yaml");
  const auto one = shell(kBench + scratch / "a.yaml");

  EXPECT_EQ(none.code, 2) << none.err;
  EXPECT_TRUE(has(none.out,
                  "not measured on session: the scenario is for the engine durable\n"
                  "0 passed, 0 failed, 1 skipped\n"))
      << none.out;
  EXPECT_EQ(one.code, 0);
  EXPECT_TRUE(has(one.out, "1 passed, 0 failed, 1 skipped\n")) << one.out;
}

TEST(BenchProgram, SaysThatItsFileCannotBeWritten) {
  for (const std::string file : {"/dev/full", "/dev/full/saved.json"}) {
    const auto ran = shell(kBench + "--save " + file);

    EXPECT_EQ(ran.code, 3) << ran.out;
    EXPECT_TRUE(has(ran.err, file + ": cannot write")) << ran.err;
    EXPECT_TRUE(has(ran.out, "    run    min ")) << ran.out;
  }
  EXPECT_EQ(shell(kBench + ">/dev/full").code, 3);
}

TEST(BenchProgram, RefusesWordsThatContradictOrSayNothing) {
  const std::string bench = std::string("bench ") + kOneScenario + " ";
  std::vector<std::string> lines{"bench",
                                 "bench ''",
                                 "bench no/such.yaml",
                                 bench + "--fail-above 1.1",
                                 bench + "--compare no/such.json",
                                 bench + "--compare scenarios",
                                 bench + "--compare a --compare-subject session",
                                 bench + "--compare-subject sesion",
                                 bench + "--subject-api chat",
                                 bench + "--subject ''",
                                 bench + "--save ''",
                                 bench + "--out x"};
  for (const std::string ratio : {"0", "-1", "1e3", "nan", "inf", "1000.1", "''", "1,5"}) {
    lines.push_back(bench + "--compare-subject session --fail-above=" + ratio);
  }
  for (const std::string option : {"--runs", "--warmup", "--seed"}) {
    for (const std::string number : {"''", "-1", "1.5", "0x10", "9223372036854775808"}) {
      lines.push_back(bench + option + "=" + number);
    }
  }
  lines.push_back(bench + "--runs 0");
  lines.push_back(bench + "--runs 100001");
  lines.push_back(bench + "--warmup 100001");

  const auto ends = endings(lines);

  ASSERT_EQ(ends.size(), lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(ends[i], "4, 1 errors, 0 passed, 1 failed, 0 skipped") << lines[i];
  }
}

}  // namespace
}  // namespace plumb::simulator
