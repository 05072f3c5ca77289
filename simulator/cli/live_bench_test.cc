// SPDX-License-Identifier: Apache-2.0
// plumb bench on engines that are not ours: an adapter, two subjects in turns, a command; one that
// is wrong, one that dies, and an interrupt.
#include <string>

#include <gmock/gmock.h>

#include "simulator/cli/program_fixture.h"

namespace plumb::simulator {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kBenchAdapter = " --subject " PLUMB_REFERENCE_ADAPTER " ";
const std::string kBenchMini = "--subject 'python3 simulator/subjects/adapters/mini_engine.py' ";
const std::string kTwo = " --runs 2 ";

/// A command runs in the workspace, so that its file is named from the root. It notes each start in
/// `log`.
std::string noting_black_box(const std::string& log, const std::string& trouble = "") {
  return " --subject-command 'sh -c \"echo started >>" + log + "; exec python3 " +
         std::filesystem::current_path().string() +
         "/fixtures/adapters/black_box.py \\\"\\$@\\\"\" sh {base_url} {prompt} " + trouble + "' ";
}

TEST(LiveBench, MeasuresAnAdapter) {
  const auto ran = shell(std::string("plumb bench ") + kOneScenario + kBenchAdapter + kTwo);

  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("2 runs of each after 1 to warm up"));
  EXPECT_THAT(ran.out, HasSubstr("  reference\n    run    min "));
  EXPECT_THAT(ran.out, HasSubstr(" calls/s (1 a run)"));
  EXPECT_THAT(ran.out, HasSubstr("    call   real time: min "));
  EXPECT_THAT(ran.out, HasSubstr("\n1 passed, 0 failed, 0 skipped\n"));
}

TEST(LiveBench, LetsTwoSubjectsTakeTurns) {
  const auto ran = shell(std::string("plumb bench ") + kOneScenario + kBenchAdapter + kTwo +
                         "--compare-subject session --subject-api chat --subject-timeout 30");

  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("  reference\n    run    min "));
  EXPECT_THAT(ran.out, HasSubstr("  session\n    run    min "));
  EXPECT_THAT(ran.out, HasSubstr(" (too few runs for an interval) of session\n"));
}

TEST(LiveBench, ShowsNoTimesOfAWrongEngine) {
  // It edits whatever it is asked to (mini_engine_fails.txt).
  const auto ran =
      shell("plumb bench scenarios/edit/EDIT-08-several-matches-are-an-error.yaml " + kBenchMini);

  EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
  EXPECT_THAT(ran.err, HasSubstr(" fails: "));
  EXPECT_THAT(ran.err, HasSubstr("repeat with: ./plumb run scenarios/edit/EDIT-08-"));
  EXPECT_EQ(ran.out, "0 passed, 1 failed, 0 skipped\n");
}

TEST(LiveBench, MeasuresACommand) {
  const Scratch scratch;
  const std::string bench = "plumb bench fixtures/adapters/black_box.yaml --subject-timeout 30 ";

  const auto ran = shell(bench + kTwo + noting_black_box(scratch / "log"));
  const auto crashed = shell(bench + kTwo + noting_black_box(scratch / "log", "crash"));

  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("  black-box\n    run    min "));
  EXPECT_THAT(ran.out, HasSubstr("calls are not shown"));
  EXPECT_EQ(crashed.code, 3) << crashed.out;
  EXPECT_THAT(crashed.err, HasSubstr("the command was ended by signal 11"));
  EXPECT_THAT(crashed.out, Not(HasSubstr("run    min")));
}

TEST(LiveBench, ReportsWhatWasMeasuredBeforeAnInterrupt) {
  const Scratch scratch;
  const std::string log = scratch / "log";
  // Two commands a run: the fifth begins when one run was tried and one has been measured.
  const auto ran =
      shell(": >" + log +
            "; \"" PLUMB_PROGRAM
            "\" bench fixtures/adapters/black_box.yaml --runs 1000 --warmup 0 --save " +
            scratch / "saved.json" + noting_black_box(log) + "& until [ \"$(wc -l <" + log +
            " 2>/dev/null || echo 0)\" -ge 5 ]; do sleep 0.01; done; kill -TERM $!; "
            "wait $!");

  EXPECT_EQ(ran.code, 143) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("  black-box\n    run    min "));
  EXPECT_THAT(ran.out, HasSubstr("\ninterrupted after "));
  EXPECT_THAT(ran.out, HasSubstr("\n1 passed, 0 failed, 0 skipped\n"));
  EXPECT_TRUE(std::filesystem::exists(scratch / "saved.json"));
}

}  // namespace
}  // namespace plumb::simulator
