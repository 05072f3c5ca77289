// SPDX-License-Identifier: Apache-2.0
#include "simulator/oracle/run_row.h"

#include <gtest/gtest.h>

#include "simulator/oracle/world.h"

namespace plumb::simulator {
namespace {

/// Runs a row with these members after id, tool and group.
CaseVerdict run(const std::string& members, const std::string& edition = "seed") {
  const auto file = read_oracle(R"({"id":"r","tool":"read","group":"g",)" + members + "}", "f");
  EXPECT_TRUE(file.errors.empty()) << file.errors[0].where << ": " << file.errors[0].message;
  return run_row(file.rows.at(0), edition);
}

std::string why(const CaseVerdict& verdict) {
  std::string text(to_string(verdict.outcome));
  if (!verdict.reason.empty()) text += " " + verdict.reason;
  for (const auto& difference : verdict.differences) text += "\n" + difference.path;
  return text;
}

const std::string kEditA =
    R"("setup":{"files":[{"path":"a","text":"one\n"}]},"steps":[{"op":"call",)"
    R"("args":{"tool":"edit","input":{"path":"a","edits":[{"oldText":"one","n)"
    R"(ewText":"two"}]}}}])";

TEST(RunRow, JudgesTheEndState) {
  EXPECT_EQ(why(run(kEditA + R"(,"expect":{"files":{"a":{"text":"two\n"}},"files_exact":true})")),
            "PASS");
  EXPECT_EQ(why(run(kEditA + R"(,"expect":{"files":{"a":{"text":"one\n"}}})")),
            "FAIL\n/expect/files/a/text");
  EXPECT_EQ(why(run(kEditA + R"(,"expect":{"files":{"b":{"missing":true}},"files_exact":true})")),
            "FAIL\n/expect/files/a");
}

TEST(RunRow, JudgesEveryStateOfAFile) {
  const std::string setup =
      R"("setup":{"files":[{"path":"d/a","b64":"eA==","mode":"600"}],"symlinks")"
      R"(:[{"path":"l","target":"d/a"}],"hardlinks":[{"path":"h","target":"d/a")"
      R"(}],"modes":{"d":"700"}},"steps":[{"op":"wait","args":{"ms":1}}],)";

  EXPECT_EQ(
      why(run(setup + R"("expect":{"files":{"d":{"dir":true},"d/a":{"b64":"eA=="},"l":{"symlink)"
                      R"(":"d/a"},"h":{"bytes":1,"sha256":"2d711642b726b04401627ca9fbac32f5c853)"
                      R"(0fb1903cc4db02258717921a4881"}},"files_exact":true,"modes":{"d":"700",)"
                      R"("h":"600"}})")),
      "PASS");
  EXPECT_EQ(
      why(run(setup + R"("expect":{"files":{"d":{"missing":true},"d/a":{"dir":true},"l":{"symli)"
                      R"(nk":"a"},"h":{"bytes":2}},"modes":{"d":"755"}})")),
      "FAIL\n/expect/files/d\n/expect/files/d~1a\n/expect/files/l\n/expect/files/h/bytes\n"
      "/expect/modes/d");
}

TEST(RunRow, JudgesTheOrderOfKeys) {
  const std::string steps = R"(,"steps":[{"op":"wait","args":{"ms":1}}],)";

  EXPECT_EQ(why(run(R"("setup":{"files":[{"path":"j","text":"{\"a\":{\"b\":1,\"c\":2}}"}]})" +
                    steps + R"("expect":{"keys_sorted":["j"]})")),
            "PASS");
  EXPECT_EQ(why(run(R"("setup":{"files":[{"path":"j","text":"[{\"c\":1,\"b\":2}]"}]})" + steps +
                    R"("expect":{"keys_sorted":["j"]})")),
            "FAIL\n/expect/keys_sorted/j");
}

TEST(RunRow, JudgesTheLog) {
  const std::string log =
      R"(,"expect":{"log":["A:access:start","A:access:end","A:read:start","A:re)"
      R"(ad:end","A:write:start","A:write:end"],"before":[["A:read:end","A:sett)"
      R"(led"]],"never":["A:abort"]})";

  EXPECT_EQ(why(run(kEditA + log)), "PASS");
  EXPECT_EQ(
      why(run(kEditA + R"(,"expect":{"log_kinds":["read"],"log":["A:read:start"],"before":[["A:s)"
                       R"(ettled","A:start"]],"never":["A:write:end"]})")),
      "FAIL\n/expect/log\n/expect/before\n/expect/never");
}

TEST(RunRow, FailsACallThatDoesNotEndAsExpected) {
  EXPECT_EQ(why(run(R"("steps":[{"op":"call","args":{"tool":"read","input":{"path":"no"}},"ex)"
                    R"(pect":{"class":"ENOENT"}}])")),
            "PASS");
  EXPECT_EQ(why(run(R"("steps":[{"op":"call","args":{"tool":"read","input":{"path":"no"}}}],")"
                    R"(expect":{"files_exact":true})")),
            "FAIL\n/steps/0/expect/class");
}

TEST(RunRow, InjectsErrorsAndWaits) {
  const std::string setup = R"("setup":{"files":[{"path":"a","text":"x"}]},"steps":[)";
  const std::string call = R"({"op":"call","args":{"tool":"read","input":{"path":"a"}},)";

  EXPECT_EQ(why(run(setup +
                    R"({"op":"inject","args":{"call":"A","operation":"read","delay_ms":9,"err)"
                    R"(or":{"code":"EIO","message":"EIO: broken"}}},)" +
                    call + R"("expect":{"class":"EIO"}}],"expect":{"never":["A:read:end"]})")),
            "PASS");
  EXPECT_EQ(
      why(run(
          setup +
          R"({"op":"inject","args":{"call":"A","operation":"access","error":{"message":"no"}}},)" +
          call + R"("expect":{"class":"other"}}])")),
      "PASS");
}

TEST(RunRow, AbortsBeforeAndAfterEvents) {
  const std::string setup = R"("setup":{"files":[{"path":"a","text":"x"}]},"steps":[)";
  const std::string call =
      R"({"op":"call","args":{"tool":"read","input":{"path":"a"}},"expect":{"class":"aborted"}}],)";

  EXPECT_EQ(why(run(setup + R"({"op":"abort","args":{"call":"A"},"at":{"before":"start"}},)" +
                    call + R"("expect":{"never":["A:read:start"]})")),
            "PASS");
  EXPECT_EQ(
      why(run(setup +
              R"({"op":"inject","args":{"call":"A","operation":"read","until":"A:abort"}},)" +
              R"({"op":"abort","args":{"call":"A"},"at":{"event":"A:read:start","after_ms":5}},)" +
              call + R"("expect":{"before":[["A:read:start","A:abort"]]})")),
      "PASS");
}

TEST(RunRow, RunsJobsInTheQueueOfTheirFile) {
  const auto jobs = [](const std::string& a, const std::string& b, const std::string& log) {
    return why(run(R"("steps":[{"op":"start","args":{"as":"A","job":)" + a +
                   R"(}},{"op":"start","args":{"as":"B","job":)" + b +
                   R"(},"expect":{"value":7}},{"op":"join","args":{"calls":["A","B"]}}],)" +
                   R"("expect":{"log_kinds":["job"],"log":)" + log + "}"));
  };

  EXPECT_EQ(jobs(R"({"key":"x","hold_ms":9})", R"({"key":"x","value":7})",
                 R"(["A:job:start","A:job:end","B:job:start","B:job:end"])"),
            "PASS");
  EXPECT_EQ(
      jobs(R"({"key":"x","hold_ms":9,"nested":{"as":"N","key":"z","hold_ms":1}})",
           R"({"key":"y","value":7})",
           R"(["A:job:start","B:job:start","B:job:end","N:job:start","N:job:end","A:job:end"])"),
      "PASS");
}

TEST(RunRow, CallsThatNeverEndAreUnsettled) {
  EXPECT_EQ(why(run(R"("setup":{"files":[{"path":"a","text":"x"}]},"steps":[{"op":"inject","a)"
                    R"(rgs":{"call":"A","operation":"read","until":"A:abort"}},{"op":"start)"
                    R"(","args":{"as":"A","tool":"read","input":{"path":"a"}},"expect":{"clas)"
                    R"(s":"unsettled"}},{"op":"join","args":{"calls":["A"],"limit_ms":50}}])")),
            "PASS");
}

TEST(RunRow, ChangesFilesBetweenCalls) {
  EXPECT_EQ(why(run(R"("steps":[{"op":"fs","args":{"do":"mkdir","path":"d"}},{"op":"fs","args)"
                    R"(":{"do":"write","path":"a","text":"x"}},{"op":"fs","args":{"do":"renam)"
                    R"(e","path":"a","to":"d/b"}},{"op":"fs","args":{"do":"symlink","path":"l)"
                    R"(","target":"d"}},{"op":"fs","args":{"do":"symlink","path":"l","target")"
                    R"(:"e","replace":true}}],"expect":{"files":{"d":{"dir":true},"d/b":{"tex)"
                    R"(t":"x"},"l":{"symlink":"e"}},"files_exact":true})")),
            "PASS");
}

TEST(RunRow, ReplacesFileAccess) {
  const std::string call =
      R"("steps":[{"op":"call","args":{"tool":"read","input":{"path":"r"},"options":{"backend":)";

  EXPECT_EQ(
      why(run(call + R"({"access":{},"read":{"text":"far\n"}}}},"expect":{"content":[{"type":")"
                     R"(text","text":"far\n"}]}}])")),
      "PASS");
  EXPECT_EQ(why(run(call + R"({"read":{"text":"far\n"}}}},"expect":{"class":"other"}}])")), "PASS");
}

TEST(RunRow, RunsAsAnotherUserIfItCan) {
  const auto verdict =
      run(R"("needs":["unprivileged"],"setup":{"uid":65534,"files":[{"path":"a","te)"
          R"(xt":"x","mode":"200"}]},"steps":[{"op":"call","args":{"tool":"read","i)"
          R"(nput":{"path":"a"}},"expect":{"class":"EACCES"}}])");

  if (verdict.outcome == CaseOutcome::skipped) {
    EXPECT_EQ(verdict.reason, "cannot run calls as another user");
  } else {
    EXPECT_EQ(why(verdict), "PASS");
  }
}

TEST(RunRow, CallsPlainFunctions) {
  EXPECT_EQ(why(run(R"("steps":[{"op":"fn","args":{"name":"formatSize","content":1535},"expec)"
                    R"(t":{"value":"1.5KB"}}])")),
            "PASS");
  EXPECT_EQ(why(run(R"("steps":[{"op":"fn","args":{"name":"truncateHead","content":"a\nb","op)"
                    R"(tions":{"maxLines":1}},"expect":{"value":{"content":"b"}}}])")),
            "FAIL\n/steps/0/expect/value/content");
}

TEST(RunRow, SaysWhyARowIsSkipped) {
  const std::string steps =
      R"("steps":[{"op":"wait","args":{"ms":1}}],"expect":{"files_exact":true})";

  EXPECT_EQ(why(run(R"("edition":"pi-1.6.0",)" + steps)), "SKIP binds in edition pi-1.6.0");
  EXPECT_EQ(why(run(R"("edition":"pi-1.6.0",)" + steps, "pi-1.6.0")), "PASS");
  EXPECT_EQ(why(run(R"("quirk":[{"rule":"READ-15"}],)" + steps)),
            "SKIP a quirk: READ-15 asks for something else");
  EXPECT_EQ(why(run(R"("quirk":[{"rule":"READ-15","field":"files_exact"}],)" + steps)), "PASS");
  EXPECT_EQ(why(run(R"("needs":["search-programs"],)" + steps)),
            "SKIP the search programs are not built in");
  EXPECT_EQ(why(run(R"("steps":[{"op":"trust.get","args":{"dir":"."},"expect":{"class":"ok"}}])")),
            "SKIP trust decisions are not built yet");
}

TEST(RunRow, ReportsAWorldThatCannotBeMade) {
  const auto verdict =
      run(R"("setup":{"hardlinks":[{"path":"a","target":"no/such/file"}]},"s)"
          R"(teps":[{"op":"wait","args":{"ms":1}}],"expect":{"files_exact":true})");

  EXPECT_EQ(verdict.outcome, CaseOutcome::harness_error);
}

TEST(GeneratedText, MakesLinesAndRepetitions) {
  EXPECT_EQ(generated_text(Json{{"kind", "lines"}, {"n", 2}}).value(), "line 1\nline 2\n");
  EXPECT_EQ(generated_text(Json{{"kind", "lines"},
                                {"n", 2},
                                {"prefix", "l"},
                                {"width", 4},
                                {"pad", "."},
                                {"eol", "\r\n"},
                                {"finalEol", false}})
                .value(),
            "l1..\r\nl2..");
  EXPECT_EQ(generated_text(
                Json{{"kind", "repeat"}, {"head", "<"}, {"unit", "ab"}, {"n", 2}, {"tail", ">"}})
                .value(),
            "<abab>");
}

}  // namespace
}  // namespace plumb::simulator
