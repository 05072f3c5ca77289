// SPDX-License-Identifier: Apache-2.0
// The rows of fixtures/oracle in both editions: none fails, and as many as we know are skipped, by
// reason.
#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "simulator/oracle/row.h"
#include "simulator/oracle/run_row.h"

namespace plumb::simulator {
namespace {

using Counts = std::map<std::string, std::int64_t>;

OracleFile fixture() {
  std::stringstream text;
  text << std::ifstream("fixtures/oracle/tools.jsonl").rdbuf();
  return read_oracle(text.str(), "fixtures/oracle/tools.jsonl");
}

/// Verdicts counted: "PASS", and "SKIP reason". Failures are reported.
Counts run_all(const std::string& edition) {
  Counts counts;
  for (const auto& row : fixture().rows) {
    const auto verdict = run_row(row, edition);
    std::string key(to_string(verdict.outcome));
    if (!verdict.reason.empty()) key += " " + verdict.reason;
    ++counts[key];
    for (const auto& difference : verdict.differences) {
      ADD_FAILURE() << row.id << " " << describe(difference);
    }
  }
  // Only some users may become another one.
  const auto others = counts.find("SKIP cannot run calls as another user");
  if (others == counts.end()) return counts;
  counts["PASS"] += others->second;
  counts.erase(others);
  return counts;
}

TEST(OracleFixture, IsWellFormed) {
  const auto file = fixture();

  EXPECT_TRUE(file.errors.empty()) << file.errors[0].where << ": " << file.errors[0].message;
  EXPECT_EQ(file.rows.size(), 338U);
}

/// What every edition leaves out.
Counts always_skipped() {
  return {{"SKIP a quirk: BASH-07 asks for something else", 1},
          {"SKIP a quirk: BASH-30 asks for something else", 1},
          {"SKIP a quirk: EDIT-16 asks for something else", 1},
          {"SKIP a quirk: EDIT-64 asks for something else", 2},
          {"SKIP a quirk: EDIT-65 asks for something else", 1},
          {"SKIP a quirk: EDIT-66 asks for something else", 3},
          {"SKIP a quirk: EDIT-67 asks for something else", 1},
          {"SKIP a quirk: QUEUE-10 asks for something else", 1},
          {"SKIP a quirk: QUEUE-13 asks for something else", 1},
          {"SKIP a quirk: READ-15 asks for something else", 3},
          {"SKIP a quirk: READ-16 asks for something else", 1},
          {"SKIP a quirk: TRUNC-10 asks for something else", 1}};
}

TEST(OracleFixture, HoldsInTheSeedEdition) {
  Counts expected = always_skipped();
  expected["PASS"] = 285;
  expected["SKIP binds in edition pi-1.6.0"] = 36;

  EXPECT_EQ(run_all("seed"), expected);
}

TEST(OracleFixture, HoldsInThePiEdition) {
  Counts expected = always_skipped();
  expected["PASS"] = 319;
  expected["SKIP a quirk: EDIT-53 asks for something else"] = 1;
  expected["SKIP a quirk: WRITE-08 asks for something else"] = 1;

  EXPECT_EQ(run_all("pi-1.6.0"), expected);
}

}  // namespace
}  // namespace plumb::simulator
