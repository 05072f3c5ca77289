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
  ASSERT_EQ(shell("TZ=Asia/Tokyo LC_ALL=C.UTF-8 plumb run --jobs 2 --no-timings --out " + two +
                  " >/dev/null")
                .code,
            0);

  EXPECT_EQ(shell("diff -r " + one + "/traces " + two + "/traces").code, 0);
  const auto strip = [](std::string path) {
    return "sed -e 's#" + path + "#OUT#g' -e 's#--jobs [12]##' -e 's#TZ=[^ ]*##' " + path +
           "/record.json";
  };
  EXPECT_EQ(shell("[ \"$(" + strip(one) + ")\" = \"$(" + strip(two) + ")\" ]").code, 0);
}

TEST(Program, PrintsNoColourIntoAPipe) {
  EXPECT_EQ(shell("plumb run --no-reports").out.find('\x1b'), std::string::npos);
}

/// fixtures/broken/expected.txt: "EXIT FILE MESSAGE" a line; the message is the first line on
/// standard error.
TEST(Program, LocatesEveryBrokenInput) {
  std::istringstream lines(slurp("fixtures/broken/expected.txt"));
  std::int64_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    if (line.empty()) continue;
    const auto file = line.substr(0, line.find(':'));
    const auto ran = shell("plumb lint fixtures/broken/" + file);
    EXPECT_EQ(ran.code, 4) << file;
    EXPECT_EQ(ran.err.substr(0, ran.err.find('\n')), "fixtures/broken/" + line);
  }
  EXPECT_GE(count, 30);
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
