// SPDX-License-Identifier: Apache-2.0
// What the program says of inputs and words that it cannot take: one located error each, exit code
// 4, and a last line that counts them.
#include "simulator/cli/program_fixture.h"

namespace plumb::simulator {
namespace {

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
                                    << "steps: [{user: hi}, {model: hello}, resume]\n";

  const auto ran = shell("plumb lint " + scratch / "a.yaml");

  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err, scratch / "a.yaml" +
                         ":3:37: step 'resume' cannot be taken by the reference session; "
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
      {"run --no-reports --schedule x",
       "--schedule takes whole numbers from 0 to 1000000, not 'x'"},
      {"run --no-reports --schedule '0 -1'",
       "--schedule takes whole numbers from 0 to 1000000, not '-1'"},
      {"run --no-reports --mutant pipe-no-validatoin",
       "unknown mutant 'pipe-no-validatoin'; did you mean 'pipe-no-validation'?"},
      {"run --no-reports --rule EDIT-3", "unknown rule 'EDIT-3'; did you mean 'EDIT-03'?"},
      {"run --no-reports --expectations scenarios", "scenarios: is a folder, expected a file"},
      {"rn", "unknown command 'rn'; did you mean 'run'? (see plumb --help)"},
      {"run --sed 1", "unknown option '--sed'; did you mean '--seed'? (see plumb --help)"},
      {"run --no-reports --pain P99", "no scenario shows pain 'P99'; did you mean 'P19'?"},
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

/// Each of these is one error of the command line.
void expect_refused(const std::vector<std::string>& lines) {
  const auto ends = endings(lines);
  ASSERT_EQ(ends.size(), lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(ends[i], "4, 1 errors, 0 passed, 1 failed, 0 skipped") << lines[i];
  }
}

TEST(Program, RefusesWordsThatContradictOrSayNothing) {
  std::vector<std::string> lines;
  for (const std::string words :
       {"--out ''", "--mutant ''", "--expectations ''", "--schedule ''", "--schedule ' '",
        "--rule ''", "--pain ''", "''", "--schedule '0 1' --schedules all", "--no-reports --out x",
        "--abort-everywhere --fail-everywhere", "--abort-everywhere --abort-at 1",
        "--abort-everywhere --schedules all", "--fail-at 1 --schedule 0",
        "--seed 9223372036854775807 --seeds 2", "--seed 9223372036854775808"}) {
    lines.push_back("run --rule EDIT-03 " + words);
  }
  for (const std::string words :
       {"judge ''", "lint ''", "oracle ''", "rules ''", "explain ''", "--rules-folder '' lint",
        "oracle x --only ''", "explain", "judge", "oracle", "run --seed", "rules --json --kills"}) {
    lines.push_back(words);
  }
  expect_refused(lines);
}

TEST(Program, ReadsWholeNumbersOnly) {
  std::vector<std::string> lines;
  for (const std::string option :
       {"--seed", "--seeds", "--jobs", "--abort-at", "--fail-at", "--schedule"}) {
    for (const std::string number : {"''", "0x10", "+3", "' 3'", "'3 '", "-1", "010", "1e3", "1.5",
                                     "x", "99999999999999999999999"}) {
      // A schedule is a list of numbers, with blanks between them.
      if (option == "--schedule" && number.find(' ') != std::string::npos) continue;
      lines.push_back("run --rule EDIT-03 --no-reports " + option + "=" + number);
    }
  }
  for (const std::string option : {"--seeds", "--jobs", "--abort-at", "--fail-at"}) {
    lines.push_back("run --rule EDIT-03 --no-reports " + option + " 0");
  }
  expect_refused(lines);
}

TEST(Program, SelectsNothingByAPointBeyondTheLast) {
  const std::string run = std::string("run --no-reports ") + kOneScenario;
  const auto beyond = shell("plumb " + run + " --abort-at 100000");

  EXPECT_EQ(beyond.code, 2) << beyond.out;
  EXPECT_NE(beyond.out.find("--abort-at 100000 lies beyond its points, 1 to "), std::string::npos)
      << beyond.out;
  EXPECT_EQ(shell("plumb " + run + " --fail-at 100000").code, 2);
  EXPECT_EQ(shell("plumb " + run + " --abort-at 2").code, 0);
}

TEST(Program, CountsLinesThatAreNoRows) {
  const Scratch scratch;
  std::ofstream(scratch / "rows") << slurp("fixtures/oracle/tools.jsonl").substr(0, 200) << "\n";
  std::ofstream empty(scratch / "empty");
  std::ofstream(scratch / "schema") << "{\"meta\":true,\"schema\":99}\n";

  EXPECT_EQ(
      endings({"oracle " + scratch / "rows", "oracle " + scratch / "empty",
               "oracle " + scratch / "schema", "oracle no/such",
               "oracle --json " + scratch / "empty"}),
      (std::vector<std::string>{"4, 1 errors, 0 passed, 1 failed, 0 skipped",
                                "4, 1 errors, 0 passed, 1 failed, 0 skipped",
                                "4, 1 errors, 0 passed, 1 failed, 0 skipped",
                                "4, 1 errors, 0 passed, 1 failed, 0 skipped", "4, 2 errors, }"}));
}

TEST(Program, SelectsRowsOfAnOracle) {
  const std::string oracle = "oracle fixtures/oracle/tools.jsonl --only ";

  EXPECT_EQ(endings({oracle + "edit-001", oracle + "'edit-00?'", oracle + "'*x*x*'",
                     oracle + "edit-0001"}),
            (std::vector<std::string>{"0, 0 errors, 1 passed, 0 failed, 0 skipped",
                                      "0, 0 errors, 7 passed, 0 failed, 0 skipped",
                                      "2, 0 errors, 0 passed, 0 failed, 0 skipped",
                                      "4, 1 errors, 0 passed, 1 failed, 0 skipped"}));
}

TEST(Program, RefusesAPipeInsteadOfWaitingForIt) {
  const Scratch scratch;
  const std::string pipe = scratch / "pipe.yaml";
  ASSERT_EQ(shell("mkfifo " + pipe).code, 0);

  for (const std::string command : {"judge ", "run --no-reports ", "lint "}) {
    EXPECT_EQ(shell("plumb " + command + pipe).code, 4) << command;
  }
}

}  // namespace
}  // namespace plumb::simulator
