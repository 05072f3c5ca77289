// SPDX-License-Identifier: Apache-2.0
// What a run says about its own script: waits that never end, entries that nothing used, and what
// the scenario expects of the trace.
#include <gtest/gtest.h>

#include "simulator/subjects/expectations.h"
#include "simulator/subjects/session_subject.h"

namespace plumb::simulator {
namespace {

const Catalogue& rules_of_subject_test() {
  static const Catalogue loaded = load_catalogue("scenarios/rules").value();
  return loaded;
}

Scenario scenario_of(const std::string& body) {
  auto parsed =
      parse_scenario("scenario: s\nrules: [EVENT-01]\n" + body, "s.yaml", rules_of_subject_test());
  EXPECT_TRUE(parsed) << error_line(parsed.error().front());
  return parsed ? *std::move(parsed) : Scenario();
}

const std::string kOneCall =
    "steps:\n"
    "  - user: go\n"
    "  - model: {calls: [{id: c1, tool: read, args: {path: a.txt}}]}\n"
    "  - model: done\n";

/// The errors of a run, a line each.
std::string errors_of(const std::string& body) {
  const Scenario scenario = scenario_of(body);
  std::string lines;
  for (const auto& error : SessionSubject().run(scenario, RunOptions()).errors) {
    lines += error_line(error) + "\n";
  }
  return lines;
}

/// The expectations that a run does not meet, as "line:column: message (expected; actual)".
std::string unmet_of(const std::string& body) {
  const Scenario scenario = scenario_of(body);
  const auto result = SessionSubject().run(scenario, RunOptions());
  std::string lines;
  for (const auto& unmet : unmet_expectations(scenario, result.trace)) {
    lines += located("", unmet.place) + ": " + unmet.message + " (" + unmet.expected + "; " +
             unmet.actual + ")\n";
  }
  return lines;
}

std::string tool_that(const std::string& verbs) {
  return "extensions:\n  - name: e\n    tools:\n      - name: t\n        do: [" + verbs + "]\n";
}

const std::string kCallOfT =
    "steps:\n"
    "  - user: go\n"
    "  - model: {calls: [{id: c1, tool: t, args: {}}]}\n"
    "  - model: done\n";

TEST(StuckRun, IsOneErrorAtTheLatch) {
  const std::string never = "      - {name: u, do: [{latch: {set: door}}]}\n";

  EXPECT_EQ(errors_of(tool_that("{latch: {wait: door}}") + never + kCallOfT),
            "s.yaml:7:29: the run is stuck: latch 'door' that is waited for here never comes\n");
}

TEST(StuckRun, IsOneErrorAtTheVerbThatWaitsForAnAbort) {
  EXPECT_EQ(errors_of(tool_that("wait_abort") + kCallOfT),
            "s.yaml:7:14: the run is stuck: the abort that is waited for here never comes\n");
}

TEST(StuckRun, IsOneErrorAtThePatternOfAReply) {
  EXPECT_EQ(errors_of("steps:\n  - user: go\n  - model: {text: x, until: turn_start nth 9}\n"),
            "s.yaml:5:29: the run is stuck: event 'turn_start nth 9' that is waited for here "
            "never comes\n");
}

TEST(StuckRun, IsOneErrorAtThePatternOfAFault) {
  EXPECT_EQ(errors_of("files: {a.txt: x}\n"
                      "faults: [{op: read, path: a.txt, until: turn_start nth 9}]\n" +
                      kOneCall),
            "s.yaml:4:41: the run is stuck: event 'turn_start nth 9' that is waited for here "
            "never comes\n");
}

TEST(HeldFault, EndsWithItsEvent) {
  EXPECT_EQ(errors_of("files: {a.txt: x}\n"
                      "faults: [{op: read, path: a.txt, until: execute_begin call c1}]\n" +
                      kOneCall),
            "");
}

TEST(UnusedEntries, AreErrorsAtTheEntry) {
  EXPECT_EQ(errors_of("files: {a.txt: x}\n"
                      "faults: [{op: write, path: a.txt, error: io}]\n" +
                      kOneCall),
            "s.yaml:4:10: this fault was not used\n");
  EXPECT_EQ(errors_of("files: {a.txt: x}\n"
                      "faults: [{op: read, path: a.txt, nth: 2, error: io}]\n" +
                      kOneCall),
            "s.yaml:4:10: this fault was not used\n");
  EXPECT_EQ(errors_of("files: {a.txt: x}\n"
                      "processes: [{command: ls}]\n" +
                      kOneCall),
            "s.yaml:4:13: this process was not used\n");
}

TEST(ReplyForAnotherRequest, IsAnErrorAtItsMatch) {  // WIRE-11
  EXPECT_EQ(errors_of("steps:\n  - user: go\n  - model: {text: a, match: {user: stay}}\n"),
            "s.yaml:5:22: unmatched: request 1 on track 'main' is not the one that this reply is "
            "for: its last user text 'go' differs 'stay'\n");
  EXPECT_EQ(errors_of("steps:\n  - user: go\n  - model: {text: a, match: {user: go}}\n"), "");
}

TEST(UnansweredDialog, IsAnErrorAtTheVerbThatAsks) {
  EXPECT_EQ(errors_of(tool_that("{ask: {method: confirm, title: Sure}}") + kCallOfT),
            "s.yaml:7:15: no entry of 'ui' answers the dialog confirm 'Sure'\n");
}

TEST(Expectations, NthCountsAmongTheEventsThatMatch) {
  const std::string start = "files: {a.txt: x}\n" + kOneCall + "expect:\n  events:\n";

  EXPECT_EQ(unmet_of(start + "    - {never: turn_start nth 3}\n"), "");
  EXPECT_EQ(unmet_of(start + "    - {never: turn_start nth 2}\n"),
            "10:15: number of events 'turn_start nth 2' differs (0; 1)\n");
  EXPECT_EQ(unmet_of(start + "    - {count: {turn_start: 2, turn_start nth 1: 1}}\n"), "");
  EXPECT_EQ(unmet_of(start + "    - {count: {turn_start nth 3: 1}}\n"),
            "10:16: number of events 'turn_start nth 3' differs (1; 0)\n");
}

TEST(Expectations, AreUnmetAtTheirOwnPlace) {
  const std::string start = "files: {a.txt: {text: x, mode: \"0777\"}}\n" + kOneCall + "expect:\n";

  EXPECT_EQ(unmet_of(start + "  requests: {count: 3}\n"),
            "9:14: number of requests differs (3; 2)\n");
  EXPECT_EQ(unmet_of(start + "  settled: aborted\n"),
            "9:3: the end of the run differs (\"aborted\"; \"done\")\n");
  EXPECT_EQ(unmet_of(start + "  llm_errors: [left_over]\n"),
            "9:16: error 'left_over' of the fake model did not happen "
            "(left_over; no such error)\n");
  EXPECT_EQ(unmet_of(start + "  files: {a.txt: {mode: \"0644\"}}\n"),
            "9:11: file 'a.txt' has another mode (mode 0644; mode 0777)\n");
  EXPECT_EQ(unmet_of(start + "  files: {a.txt: null}\n"),
            "9:11: file 'a.txt' is there (no such file; a file)\n");
}

}  // namespace
}  // namespace plumb::simulator
