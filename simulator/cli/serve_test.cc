// SPDX-License-Identifier: Apache-2.0
// plumb serve as its users start, ask and end it.
#include <gmock/gmock.h>

#include "simulator/cli/program_fixture.h"

namespace plumb::simulator {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kBody = R"({"model":"m","messages":[{"role":"user","content":"hi"}]})";

/// Starts `plumb serve` with `words`, asks it so many times, ends it, and shows: the bodies of the
/// replies, "code N", and what it printed behind "listening".
class ServeTest : public testing::Test {
 protected:
  void write(const std::string& steps) const {
    std::ofstream(file_) << "scenario: s\nrules: [WIRE-07]\nsteps:\n- user: go\n" << steps;
  }

  Ran serve(const std::string& words, int requests) const {
    std::string script = "out=" + scratch_ / "out" + "; : >$out; \"" PLUMB_PROGRAM "\" serve " +
                         file_ + " " + words + " >$out & pid=$!\n" +
                         "for i in $(seq 600); do grep -q ^listening $out && break; "
                         "sleep 0.05; done\n"
                         "port=$(sed -n 's/^listening.*:\\([0-9]*\\)$/\\1/p' $out)\n"
                         "ask() { exec 3<>/dev/tcp/127.0.0.1/$port; "
                         "printf 'POST /v1/chat/completions HTTP/1.1\\r\\nConnection: close\\r\\n"
                         "Content-Length: %s\\r\\n\\r\\n%s' ${#1} \"$1\" >&3; "
                         "cat <&3 | tail -n 1; echo; exec 3>&-; }\n";
    for (int i = 0; i < requests; ++i) script += "ask '" + std::string(kBody) + "'\n";
    return shell(script + "kill -TERM $pid; wait $pid; echo \"code $?\"; tail -n +2 $out");
  }

  Scratch scratch_;
  std::string file_ = scratch_ / "s.yaml";
};

TEST_F(ServeTest, EndsGreenWhenEveryReplyWasTaken) {
  write("- model: one\n");

  const Ran ran = serve("", 1);

  EXPECT_THAT(ran.out, HasSubstr(R"("content":"one")"));
  EXPECT_THAT(ran.out, HasSubstr("code 0\n1 passed, 0 failed, 0 skipped"));
  EXPECT_EQ(ran.err, "");
}

TEST_F(ServeTest, NamesRepliesThatNobodyAskedFor) {  // WIRE-10
  write("- model: one\n- model: two\n");

  const Ran ran = serve("", 1);

  EXPECT_THAT(ran.out, HasSubstr("code 1\n1 passed, 1 failed, 0 skipped"));
  EXPECT_EQ(ran.err, file_ + ":6:3: left_over: track 'main' has 1 reply that no request took\n");
}

TEST_F(ServeTest, IsRedWhenTheScriptRanOut) {  // WIRE-10
  write("- model: one\n");

  const Ran ran = serve("", 2);

  EXPECT_THAT(ran.out, HasSubstr("code 1\n1 passed, 1 failed, 0 skipped"));
  EXPECT_THAT(ran.err, HasSubstr(":5:3: exhausted: request 2 on track 'main'"));
}

TEST_F(ServeTest, KeepsItsLogToItselfWhenTheOutputIsClosed) {
  write("- model: one\n");
  const std::string log = scratch_ / "log";

  const Ran ran = shell("plumb serve " + file_ + " --log " + log + " >&-");

  EXPECT_EQ(ran.code, 3);
  EXPECT_EQ(slurp(log), "");
}

TEST_F(ServeTest, LoopsWhenAsked) {
  write("- model: one\n- model: two\n");

  EXPECT_THAT(serve("--loop", 3).out, HasSubstr("code 0\n3 passed, 0 failed, 0 skipped"));
  EXPECT_THAT(serve("--loop", 0).out, HasSubstr("code 2\n0 passed, 0 failed, 0 skipped"));
}

TEST_F(ServeTest, CountsRepliesThatTheJournalHasForgotten) {
  write("- model: one\n");

  EXPECT_THAT(serve("--loop --journal-max 1", 3).out,
              HasSubstr("code 0\n3 passed, 0 failed, 0 skipped"));
}

TEST_F(ServeTest, ChoosesByWhatTheRequestHolds) {  // WIRE-11
  write("- model: {text: one, match: {user: bye}}\n- model: {text: two, match: {user: hi}}\n");

  const Ran ran = serve("--select match", 1);

  EXPECT_THAT(ran.out, HasSubstr(R"("content":"two")"));
  EXPECT_THAT(ran.out, HasSubstr("code 1\n1 passed, 1 failed, 0 skipped"));
  EXPECT_EQ(ran.err, file_ + ":5:3: left_over: track 'main' has 1 reply that no request took\n");
}

TEST_F(ServeTest, StrikesAReply) {
  write("- model: one\n");

  const Ran ran = serve("--fault overloaded@1", 2);

  EXPECT_THAT(ran.out, HasSubstr(R"("message":"overloaded")"));
  EXPECT_THAT(ran.out, HasSubstr(R"("content":"one")"));
  EXPECT_THAT(ran.out, HasSubstr("code 0\n2 passed"));
}

TEST_F(ServeTest, SweepsTheFaultsOfAScript) {
  write("- model: one\n");

  const Ran ran = serve("--fault-point 2", 2);

  EXPECT_THAT(ran.err, HasSubstr("fault point 2 of 7: rate_limit@main:1"));
  EXPECT_THAT(ran.out, HasSubstr("rate_limit_error"));
}

TEST_F(ServeTest, LogsEachRequestAndItsEnd) {  // WIRE-09
  write("- model: one\n");

  serve("--log " + scratch_ / "log.jsonl", 1);

  std::istringstream log(slurp(scratch_ / "log.jsonl"));
  std::string begin;
  std::string end;
  std::getline(log, begin);
  std::getline(log, end);
  EXPECT_THAT(begin, HasSubstr(R"("content":"hi")"));
  EXPECT_THAT(begin, HasSubstr(R"("ending":"open")"));
  EXPECT_THAT(end, HasSubstr(R"("ending":"complete")"));
}

TEST_F(ServeTest, RefusesWhatItCannotServe) {
  write("- model: one\n");
  std::ofstream(scratch_ / "empty.yaml") << "scenario: s\nrules: [WIRE-07]\nsteps: [{user: go}]\n";

  const auto ends =
      endings({"serve", "serve nothing.yaml", "serve " + scratch_ / "empty.yaml",
               "serve " + file_ + " --port 70000", "serve " + file_ + " --write 0",
               "serve " + file_ + " --fault cutt@1", "serve " + file_ + " --fault cut@9",
               "serve " + file_ + " --fault-point 8", "serve " + file_ + " --fault cut_arguments@1",
               "serve " + file_ + " --allow bad_cal_id", "serve " + file_ + " --select macth"});

  for (const std::string& end : ends) {
    EXPECT_EQ(end, "4, 1 errors, 0 passed, 1 failed, 0 skipped");
  }
  EXPECT_EQ(endings({"serve " + file_ + " --log /nowhere/log.jsonl"}).front(),
            "3, 1 errors, 0 passed, 1 failed, 0 skipped");
}

TEST_F(ServeTest, SaysWhichWordIsWrong) {
  write("- model: one\n");
  const std::string serve = "plumb serve " + file_;

  EXPECT_THAT(shell(serve + " --allow bad_cal_id").err,
              StartsWith("--allow: unknown code 'bad_cal_id'; did you mean 'bad_call_id'?"));
  EXPECT_THAT(shell(serve + " --fault cut@0").err,
              StartsWith("--fault: fault 'cut@0' has no turn"));
  EXPECT_THAT(shell(serve + " --fault-point 99").err,
              StartsWith("--fault-point: '99' is beyond the 7 points for faults of "));
}

TEST_F(ServeTest, EndsWhereNobodyLearnsItsPort) {
  write("- model: one\n");

  for (const char* out : {" >/dev/full", " >&-"}) {
    const Ran ran = shell("plumb serve " + file_ + out);
    EXPECT_EQ(ran.code, 3) << out;
    EXPECT_EQ(ran.err, "plumb: the output cannot be written to standard output\n") << out;
  }
}

}  // namespace
}  // namespace plumb::simulator
