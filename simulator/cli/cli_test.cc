// SPDX-License-Identifier: Apache-2.0
// The program from outside: exit codes, located errors, reports, and the same bytes whatever the
// surroundings.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "engine/kernel/abort_signal.h"
#include "engine/kernel/real_loop.h"
#include "engine/kernel/real_processes.h"
#include "engine/kernel/task.h"
#include "engine/values/json.h"

namespace plumb::simulator {
namespace {

struct Ran {
  std::int64_t code = -1;
  std::string out;
  std::string err;
};

/// Runs a shell line in which `plumb` is the program under test.
Ran shell(const std::string& line) {
  engine::RealLoop loop;
  engine::RealProcesses processes(loop);
  engine::CollectingSink sink;
  engine::ProcessSpec spec;
  spec.command = "plumb() { \"" PLUMB_PROGRAM "\" \"$@\"; }\n" + line;
  spec.timeout_ms = 120'000;
  const auto exit = loop.run(processes.run(std::move(spec), sink, engine::AbortSignal()));
  EXPECT_TRUE(exit) << exit.error().message;
  return {exit ? exit->exit_code : -1, sink.out, sink.err};
}

std::string slurp(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// A folder of the test's own, removed when the test ends.
class Scratch {
 public:
  Scratch() : path_(testing::TempDir() + "plumb-cli-" + std::to_string(::getpid())) {
    std::filesystem::create_directories(path_);
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

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

constexpr const char* kOneScenario = "scenarios/edit/EDIT-43-the-model-sees-no-diff.yaml";

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
  EXPECT_EQ(full.err, "plumb: the output cannot be written to standard output\n");
  EXPECT_EQ(shell("ulimit -f 1; " + command + " --out " + scratch / "out").code, 3);
}

// ------------------------------------------------------------------ broken inputs

/// Runs the command on every file that FOLDER/expected.txt names ("FILE:PLACE: MESSAGE" a line):
/// standard error is just that line, and the exit code is 4.
void expect_located(const std::string& folder, const std::string& command) {
  std::istringstream lines(slurp(folder + "/expected.txt"));
  std::string wanted;
  std::string script;
  for (std::string line; std::getline(lines, line);) {
    std::string file = line.substr(0, line.find(':'));
    if (const auto log = file.find(".requests.json"); log != std::string::npos) {
      file.replace(log, std::string::npos, ".events.jsonl");
    }
    script += command + " " + folder + "/" + file + " >/dev/null; echo \"exit $?\" >&2\n";
    wanted += folder + "/" + line + "\nexit 4\n";
  }
  EXPECT_FALSE(script.empty()) << folder;

  EXPECT_EQ(shell(script).err, wanted);
}

TEST(Program, LocatesEveryBrokenScenario) {
  std::istringstream lines(slurp("fixtures/broken/expected.txt"));
  std::string wanted;
  for (std::string line; std::getline(lines, line);) wanted += "fixtures/broken/" + line + "\n";

  const auto ran = shell("plumb lint fixtures/broken");

  EXPECT_EQ(ran.code, 4);
  EXPECT_EQ(ran.err, wanted);
}

TEST(Program, LocatesEveryScriptThatItsCompilerRefuses) {
  expect_located("fixtures/broken_scripts", "plumb lint");
}

TEST(Program, DoesNotRunAScenarioOfAnotherEngineOrSubject) {
  const Scratch scratch;
  for (const std::string key : {"engine: durable", "subjects: [pi]"}) {
    std::ofstream(scratch / "a.yaml") << "scenario: other\nrules: [EVENT-01]\n"
                                      << key << "\nsteps: [{user: hi}, {model: hello}]\n";

    const auto ran = shell("plumb run --no-reports " + scratch / "a.yaml");

    EXPECT_EQ(ran.code, 2) << ran.out << ran.err;
    EXPECT_NE(ran.out.find("0 passed, 0 failed, 1 skipped"), std::string::npos) << ran.out;
  }
}

TEST(Program, WarnsOfStepsThatTheReferenceSessionCannotTake) {
  const Scratch scratch;
  std::ofstream(scratch / "a.yaml") << "scenario: other\nrules: [EVENT-01]\n"
                                    << "steps: [{user: hi}, {model: hello}, new_session]\n";

  const auto ran = shell("plumb lint " + scratch / "a.yaml");

  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err, scratch / "a.yaml" +
                         ":3:37: step 'new_session' cannot be taken by the reference session; "
                         "name other 'subjects' (warning)\n");
}

TEST(Program, LocatesEveryBrokenTrace) {
  expect_located("fixtures/broken/traces", "plumb judge");
}

TEST(Program, LocatesEveryBrokenCapture) {
  expect_located("fixtures/broken/rpc", "plumb judge --from pi-rpc");
}

TEST(Program, LocatesEveryBrokenExpectation) {
  expect_located("fixtures/broken_expectations",
                 std::string("plumb run --no-reports ") + kOneScenario + " --expectations");
}

struct Refused {
  std::string arguments;
  std::string message;  ///< The whole of standard error, a line.
};

TEST(Program, RefusesWhatItCannotRead) {
  const std::vector<Refused> cases{
      {"judge scenarios", "scenarios: is a folder, expected a file"},
      {"judge no/such/trace.jsonl", "no/such/trace.jsonl: no such file or folder"},
      {"judge --from pi-rpc no/such.events.jsonl", "no/such.events.jsonl: no such file or folder"},
      {"judge --from pi-rpc fixtures/captures/pi-1.6.0-chat.events.jsonl --requests none.json",
       "none.json: no such file or folder"},
      {"run no/such --no-reports", "no/such: no such file or folder"},
      {"run --no-reports --schedule x", "--schedule takes numbers from 0, not 'x'"},
      {"run --no-reports --schedule '0 -1'", "--schedule takes numbers from 0, not '-1'"},
      {"run --no-reports --mutant pipe-no-validatoin",
       "unknown mutant 'pipe-no-validatoin'; did you mean 'pipe-no-validation'?"},
      {"run --no-reports --rule EDIT-3", "unknown rule 'EDIT-3'; did you mean 'EDIT-03'?"},
      {"run --no-reports --expectations scenarios", "scenarios: is a folder, expected a file"},
      {"rn", "unknown command 'rn'; did you mean 'run'? (see plumb --help)"},
      {"run --sed 1", "unknown option '--sed'; did you mean '--seed'? (see plumb --help)"},
      {"run --no-reports --pain P99", "no scenario shows pain 'P99'"},
      {"explain edit-03", "unknown rule 'edit-03'; did you mean 'EDIT-03'?"},
      {"judge --requests log.json trace.jsonl", "--requests needs --from pi-rpc"},
      {"--rules-folder no/such lint", "no/such: no such file or folder"},
      {"--rules-folder fixtures/repeated_rules lint",
       "fixtures/repeated_rules/b.yaml:18:5: rule id 'EDIT-01' is used twice; first in "
       "fixtures/repeated_rules/a.yaml:5:5"},
  };
  for (const auto& refused : cases) {
    const auto ran = shell("plumb " + refused.arguments);
    EXPECT_EQ(ran.code, 4) << refused.arguments;
    // A run goes on with the scenarios that it can read, and tells the rest in its report.
    const auto& told = ran.err.empty() ? ran.out : ran.err;
    EXPECT_NE(told.find(refused.message + "\n"), std::string::npos)
        << refused.arguments << ": " << told;
  }
}

TEST(Program, RefusesWordsThatContradictOrSayNothing) {
  for (const std::string words : {"--out ''", "--mutant ''", "--expectations ''", "--schedule ''",
                                  "--seed ''", "--seed -1", "--seed 99999999999999999999999",
                                  "--schedule '0 1' --schedules all", "--no-reports --out x"}) {
    const auto ran = shell("plumb run --rule EDIT-03 " + words);
    EXPECT_EQ(ran.code, 4) << words << ran.out;
    EXPECT_EQ(ran.out, "0 passed, 1 failed, 0 skipped\n") << words;
    EXPECT_NE(ran.err, "") << words;
  }
}

TEST(Program, RefusesAPipeInsteadOfWaitingForIt) {
  const Scratch scratch;
  const std::string pipe = scratch / "pipe.yaml";
  ASSERT_EQ(shell("mkfifo " + pipe).code, 0);

  for (const std::string command : {"judge ", "run --no-reports ", "lint "}) {
    EXPECT_EQ(shell("plumb " + command + pipe).code, 4) << command;
  }
}

TEST(Program, ReportsWhatWasDoneBeforeAnInterrupt) {
  const Scratch scratch;
  const std::string folder = scratch / "out";

  const auto ran = shell("\"" PLUMB_PROGRAM "\" run --seeds 100000 --jobs 1 --out " + folder +
                         " scenarios/edit & until [ -e " + folder +
                         "/traces ]; do sleep 0.01; done; kill -TERM $!; wait $!");

  EXPECT_EQ(ran.code, 143);
  EXPECT_NE(ran.out.find("interrupted after "), std::string::npos) << ran.out.substr(0, 2000);
  EXPECT_TRUE(std::filesystem::exists(folder + "/record.json"));
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

  EXPECT_EQ(first.code, 0) << first.out;
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
