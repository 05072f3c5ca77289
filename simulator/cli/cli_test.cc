// SPDX-License-Identifier: Apache-2.0
// The program from outside: exit codes, reports, and the same bytes whatever the surroundings.
#include <gmock/gmock.h>

#include "engine/values/json.h"
#include "simulator/cli/program_fixture.h"

namespace plumb::simulator {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Program, RunsTheSuiteGreen) {
  const Scratch scratch;

  const auto ran = shell("plumb run --out " + scratch / "out");

  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  for (const std::string name :
       {"record.json", "junit.xml", "report.sarif", "summary.md", "report.html"}) {
    EXPECT_TRUE(std::filesystem::exists(scratch / "out/" + name)) << name;
  }
}

TEST(Program, EndsWithTheCodeOfWhatHappened) {  // DESIGN.md section 6
  const Scratch scratch;
  std::ofstream(scratch / "file") << "x";

  EXPECT_EQ(shell("plumb").code, 4);
  EXPECT_EQ(shell("plumb nonsense").code, 4);
  EXPECT_EQ(shell("plumb run --rule EDIT-999 --no-reports").code, 4);
  EXPECT_EQ(shell("plumb run no/such/folder --no-reports").code, 4);
  EXPECT_EQ(shell("plumb run --rule LAZY-01 --no-reports").code, 2);
  EXPECT_EQ(shell("plumb run --rule EDIT-03 --out " + scratch / "file/out").code, 3);
  EXPECT_EQ(shell("plumb run --rule EDIT-03 --out " + scratch / std::string(300, 'x')).code, 3);
  EXPECT_EQ(shell("plumb run scenarios/edit --no-reports --seeds 100000").code, 4);
  EXPECT_EQ(shell("plumb --help").code, 0);
  EXPECT_EQ(shell("plumb --version").code, 0);
}

TEST(Program, TellsTheNearestRule) {
  const auto ran = shell("plumb explain EDIT-3");

  EXPECT_EQ(ran.code, 4);
  EXPECT_EQ(ran.err, "unknown rule 'EDIT-3'; did you mean 'EDIT-03'?\n");
}

TEST(Program, WritesTheSameBytesAnywhere) {
  const Scratch scratch;
  const std::string one = scratch / "one";
  const std::string two = scratch / "two";

  ASSERT_EQ(shell("TZ=UTC plumb run --jobs 1 --no-timings --out " + one + " >/dev/null").code, 0);
  ASSERT_EQ(shell("TZ=Asia/Tokyo LC_ALL=C.UTF-8 plumb run --out " + two +
                  " --no-timings --jobs 2 >/dev/null")
                .code,
            0);

  const auto difference = shell("diff -r " + one + " " + two);
  EXPECT_EQ(difference.code, 0) << difference.out.substr(0, 2000);
}

TEST(Program, PrintsNoColourIntoAPipeAndNoneWithNoColor) {
  const std::string command = std::string("plumb run --no-reports ") + kOneScenario;
  EXPECT_EQ(shell(command).out.find('\x1b'), std::string::npos);
  // Of bsdutils, which no Debian is without.
  ASSERT_EQ(shell("command -v script").code, 0);

  const std::string terminal = "script -qec '" PLUMB_PROGRAM " run --no-reports " +
                               std::string(kOneScenario) + "' /dev/null";

  EXPECT_NE(shell("unset NO_COLOR; " + terminal).out.find("\x1b["), std::string::npos);
  EXPECT_EQ(shell("export NO_COLOR=1; " + terminal).out.find("\x1b["), std::string::npos);
}

TEST(Program, SaysThatAnOutputCannotBeWritten) {
  const Scratch scratch;
  const std::string command = std::string("plumb run ") + kOneScenario;

  EXPECT_EQ(shell(command + " --out /dev/full/out").code, 3);
  const auto full = shell(command + " --no-reports >/dev/full");
  EXPECT_EQ(full.code, 3);
  EXPECT_EQ(shell("plumb lint no/such/folder >/dev/full").code, 4);
  EXPECT_EQ(full.err, "plumb: the output cannot be written to standard output\n");
  EXPECT_EQ(shell("ulimit -f 1; " + command + " --out " + scratch / "out").code, 3);
}

TEST(Program, ReportsWhatWasDoneBeforeAnInterrupt) {
  const Scratch scratch;
  const std::string folder = scratch / "out";

  const auto ran = shell("\"" PLUMB_PROGRAM "\" run --seeds 1500 --jobs 1 --out " + folder +
                         " scenarios/edit & until [ -e " + folder +
                         "/traces ]; do sleep 0.01; done; kill -TERM $!; wait $!");

  EXPECT_EQ(ran.code, 143);
  EXPECT_NE(ran.out.find("interrupted after "), std::string::npos) << ran.out.substr(0, 2000);
  EXPECT_TRUE(std::filesystem::exists(folder + "/record.json"));
}

TEST(Program, LeavesALiveSubjectAtAnInterrupt) {
  const Scratch scratch;
  const std::string pid = scratch / "pid";

  const auto ran = shell("\"" PLUMB_PROGRAM "\" run --no-reports --subject 'sh -c \"echo $$ >" +
                         pid + "; exec sleep 300\"' scenarios/edit & until [ -s " + pid +
                         " ]; do sleep 0.01; done; kill -TERM $!; wait $!; code=$?; "
                         "kill -0 $(cat " +
                         pid + ") 2>/dev/null && echo alive; exit $code");

  EXPECT_EQ(ran.code, 143);
  EXPECT_THAT(ran.err, HasSubstr("interrupted"));
  EXPECT_THAT(ran.out, Not(HasSubstr("alive")));
}

TEST(Program, LeavesAnOracleAtAnInterrupt) {
  const Scratch scratch;
  const std::string rows = scratch / "rows.jsonl";

  const auto ran =
      shell("\"" PLUMB_PROGRAM "\" oracle fixtures/oracle/tools.jsonl >" + rows + " & until [ -s " +
            rows + " ]; do sleep 0.01; done; kill -TERM $!; wait $!");

  EXPECT_EQ(ran.code, 143);
  EXPECT_THAT(ran.err, HasSubstr("interrupted: the other rows were not tried"));
}

/// Whatever a wrong engine keeps belongs to one run: others go on beside it.
TEST(Program, BreaksEachOfSeveralRunsByItself) {
  for (const std::string mutant :
       {"batch-failure-undoes-earlier-writes", "pipe-acts-before-the-final-check",
        "read-checks-the-local-file", "write-touches-the-disk-too",
        "result-secret-is-redacted-for-show", "result-original-content-is-sent"}) {
    const auto ran = shell(
        "plumb run --no-reports --jobs 2 scenarios/write scenarios/result "
        "scenarios/batch scenarios/read scenarios/pipe --mutant " +
        mutant);
    EXPECT_EQ(ran.code, 1) << mutant << ran.err;
  }
}

TEST(Program, GivesEachRunATraceOfItsOwn) {
  const Scratch scratch;
  std::filesystem::create_directories(scratch / "in");
  std::filesystem::copy_file(kOneScenario, scratch / "in/x.yaml");
  std::filesystem::copy_file(kOneScenario, scratch / "in/x~seed~1.yaml");

  ASSERT_EQ(shell("plumb run --seeds 2 " + scratch / "in" + " --out " + scratch / "out").code, 0);

  std::int64_t count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch / "out/traces")) {
    if (entry.is_regular_file()) ++count;
  }
  EXPECT_EQ(count, 4);
}

TEST(Program, PlaysWhatItCanReadBesideWhatItCannot) {
  const Scratch scratch;

  const auto ran = shell(std::string("plumb run no/such/folder --no-reports ") + kOneScenario);

  EXPECT_EQ(ran.code, 4);
  EXPECT_THAT(ran.out, HasSubstr("scenarios  1 passed"));
}

TEST(Program, KeepsTracesWithinItsFolder) {
  const Scratch scratch;
  const std::string copy = scratch / "copy.yaml";
  std::filesystem::copy_file(kOneScenario, copy);
  const std::string way = std::filesystem::relative(copy).string();

  ASSERT_EQ(shell("plumb run " + way + " --out " + scratch / "a/b/out").code, 0);

  EXPECT_FALSE(std::filesystem::is_empty(scratch / "a/b/out/traces"));
  for (const auto& entry : std::filesystem::directory_iterator(scratch / "a/b")) {
    EXPECT_EQ(entry.path().filename(), "out");
  }
}

TEST(Program, QuotesWhatAShellWouldSplit) {
  const Scratch scratch;
  const std::string copy = scratch / "a copy.yaml";
  std::filesystem::copy_file(kOneScenario, copy);

  const auto ran =
      shell("plumb run --no-reports --mutant edit-diff-goes-to-the-model '" + copy + "'");

  EXPECT_NE(ran.out.find("./plumb run '" + copy + "'"), std::string::npos) << ran.out;
}

TEST(Program, JudgesSeveralTracesAtOnce) {
  const auto ran = shell("plumb judge --from pi-rpc fixtures/captures/pi-1.6.0-*.events.jsonl");

  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("scenarios  3 passed, 0 failed, 0 skipped of 3"), std::string::npos);
}

TEST(Program, ExpectsAWholeScenarioToFail) {
  const Scratch scratch;
  const std::string file = scratch / "expected.yaml";
  const std::string soon = shell("date -u -d '+10 days' +%F").out.substr(0, 10);
  std::ofstream(file) << "expected:\n"
                         "  - scenario: edit/EDIT-43-the-model-sees-no-diff\n"
                         "    verdict: fail\n    reason: known\n    expires: "
                      << soon << "\n";
  const std::string command = "plumb run --no-reports --expectations " + file + " " + kOneScenario;

  EXPECT_EQ(shell(command + " --mutant edit-diff-goes-to-the-model").code, 0);
  EXPECT_EQ(shell(command).code, 5);
}

TEST(Program, RefusesAFileThatItMayNotRead) {
  const Scratch scratch;
  // Root is asked to do without its right to read everything (setpriv is of util-linux).
  const std::string as_user =
      ::geteuid() == 0 ? "setpriv --bounding-set=-dac_override,-dac_read_search " : "";
  const auto ran = shell("touch " + scratch / "t" + "; chmod 0 " + scratch / "t" + "; " + as_user +
                         "\"" PLUMB_PROGRAM "\" judge " + scratch / "t");

  EXPECT_EQ(ran.code, 4);
  EXPECT_EQ(ran.err, scratch / "t" + ": permission denied\n");
}

TEST(Program, TellsOfARunThatHangsAndOfAllOthers) {
  const Scratch scratch;
  std::ofstream(scratch / "hangs.yaml")
      << "scenario: one call waits for another that the gate has not let in\n"
         "rules: [BATCH-05]\nfiles: {a.txt: x}\nextensions:\n  - name: gate\n    on:\n"
         "      tool_call:\n        - {when: {call: c1}, do: [{latch: {wait: d}}]}\n"
         "        - {when: {call: c2}, do: [{latch: {set: d}}]}\n"
         "steps:\n  - user: read twice\n  - model:\n      calls:\n"
         "        - {id: c1, tool: read, args: {path: a.txt}}\n"
         "        - {id: c2, tool: read, args: {path: a.txt}}\n  - model: done\n";

  const auto ran = shell("plumb run --no-reports " + scratch / "hangs.yaml" + " " + kOneScenario);

  EXPECT_EQ(ran.code, 3) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("harness error  stuck"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("1 passed, 1 failed, 0 skipped of 2"), std::string::npos) << ran.out;
}

TEST(Program, OutlivesARequestOfOddMessages) {
  const Scratch scratch;
  std::ofstream(scratch / "odd.yaml")
      << "scenario: a context handler returns what is no message\nrules: [EVENT-01]\n"
         "extensions:\n  - name: x\n    on: {context: [{do: [{return: {messages: [5]}}]}]}\n"
         "steps:\n  - user: go\n  - model: done\n"
         "expect:\n  requests: {count: 1, 1: {roles: [user]}}\n";

  const auto ran =
      shell("plumb run --no-reports --jobs 4 " + scratch / "odd.yaml" + " " + kOneScenario);

  EXPECT_NE(ran.code, 0);
  EXPECT_LT(ran.code, 128) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("skipped of 2"), std::string::npos) << ran.out;
}

// ------------------------------------------------------------------ wrong engines, schedules

struct Broken {
  std::string mutant;
  std::string rule;
};

TEST(Program, ShowsAWrongEngineByItsRule) {
  for (const auto& [mutant, rule] : std::vector<Broken>{
           {"batch-any-terminate-stops", "BATCH-12"},
           {"pipe-no-validation", "PIPE-03"},
           {"registry-last-extension-wins", "REG-02"},
           {"queue-one-key-for-all", "QUEUE-03"},
           {"edit-diff-goes-to-the-model", "EDIT-43"},
       }) {
    const auto ran = shell("plumb run --no-reports --rule " + rule + " --mutant " + mutant);

    EXPECT_EQ(ran.code, 1) << mutant << "\n" << ran.out;
    EXPECT_NE(ran.out.find("FAIL " + rule + " "), std::string::npos) << mutant;
    EXPECT_NE(ran.out.find("--mutant"), std::string::npos) << mutant;
  }
}

TEST(Program, CountsTheClassesOfSchedules) {
  const auto ran = shell("plumb run --no-reports --schedules all " + std::string(kOneScenario));

  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_NE(ran.out.find("1 of 1 classes of schedules in 1 runs"), std::string::npos) << ran.out;
}

/// How many classes of schedules a run explored, or 0.
std::int64_t classes_in(const std::string& out) {
  const auto end = out.find(" classes of schedules");
  const auto begin = out.rfind(' ', end - 1);
  return end == std::string::npos ? 0 : std::stoll(out.substr(begin + 1));
}

TEST(Program, FindsARaceThatTheFirstScheduleHides) {  // QUEUE-02
  const std::string play =
      "plumb run --no-reports --mutant queue-turn-ends-before-the-write "
      "scenarios/queue/QUEUE-02-three-edits-of-one-file.yaml";

  const auto first = shell(play);
  const auto all = shell(play + " --schedules all");

  // That the turn is of another key is seen at once, and nothing of what the race does to the file.
  EXPECT_EQ(first.code, 1) << first.out;
  const auto only = first.out.find("\nFAIL QUEUE-01 ");
  ASSERT_NE(only, first.out.npos) << first.out;
  EXPECT_EQ(first.out.find("\nFAIL "), only) << first.out;
  EXPECT_EQ(first.out.find("\nFAIL ", only + 1), first.out.npos) << first.out;
  EXPECT_EQ(all.code, 1) << all.out;
  EXPECT_NE(all.out.find("FAIL QUEUE-02 "), std::string::npos) << all.out;
  EXPECT_GE(classes_in(all.out), 2) << all.out;
  EXPECT_LE(classes_in(all.out), 1000) << all.out;
}

class Capture : public testing::TestWithParam<std::string> {};

TEST_P(Capture, IsJudgedByRule) {
  const Scratch scratch;
  const std::string file = "fixtures/captures/pi-1.6.0-" + GetParam() + ".events.jsonl";

  const auto ran = shell("plumb judge --from pi-rpc " + file + " --out " + scratch / "out");

  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  const auto record = parse_json(slurp(scratch / "out/record.json"));
  ASSERT_TRUE(record);
  EXPECT_GE(record->at("summary").at("pass").get<std::int64_t>(), 15);
  EXPECT_EQ(record->at("summary").at("fail"), 0);
  EXPECT_GE(record->at("summary").at("untestable").get<std::int64_t>(), 1);
}

INSTANTIATE_TEST_SUITE_P(Apis, Capture, testing::Values("messages", "chat", "responses"));

}  // namespace
}  // namespace plumb::simulator
