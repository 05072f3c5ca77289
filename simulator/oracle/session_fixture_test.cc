// SPDX-License-Identifier: Apache-2.0
// The rows of fixtures/oracle/sessions.jsonl hold in both editions.
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "simulator/oracle/row.h"
#include "simulator/oracle/run_row.h"

namespace plumb::simulator {
namespace {

OracleFile session_rows() {
  std::stringstream text;
  text << std::ifstream("fixtures/oracle/sessions.jsonl").rdbuf();
  return read_oracle(text.str(), "fixtures/oracle/sessions.jsonl");
}

TEST(OracleSessions, HoldInBothEditions) {
  const auto file = session_rows();
  ASSERT_TRUE(file.errors.empty()) << file.errors[0].where << ": " << file.errors[0].message;
  ASSERT_EQ(file.rows.size(), 38U);
  for (const char* edition : {"seed", "pi-1.6.0"}) {
    for (const auto& row : file.rows) {
      const auto verdict = run_row(row, edition);
      EXPECT_EQ(verdict.outcome, CaseOutcome::passed) << row.id << " " << verdict.reason;
      for (const auto& difference : verdict.differences) {
        ADD_FAILURE() << row.id << " " << describe(difference);
      }
    }
  }
}

OracleRow row_of(const std::string& steps) {
  const auto file =
      read_oracle(R"({"id":"x","tool":"session","group":"g","steps":[)" + steps + "]}", "rows");
  EXPECT_TRUE(file.errors.empty());
  return file.rows.at(0);
}

/// Rows that say what is not so fail, each at its key.
TEST(OracleSessions, WrongRowsFail) {
  const std::string begin =
      R"({"op":"session.create","args":{"store":"file","dir":"s"}},)"
      R"({"op":"session.append","args":{"type":"user","as":"u","text":"1"}},)";
  for (const char* expect :
       {R"({"leaf":null})", R"({"branch":[]})", R"({"roles":["assistant"]})", R"({"lines":[]})",
        R"({"patterns":{"entry_id":"^x"}})", R"({"id_differs_from":"s"})", R"({"chain":false})",
        R"({"entry":{"u":{"parentId":"u"}}})", R"({"entry":{"nobody":{}}})",
        R"({"header":{"version":2}})", R"({"thinking":"high"})"}) {
    const auto row =
        row_of(begin + R"({"op":"session.query","args":{},"expect":)" + std::string(expect) + "}");
    EXPECT_EQ(run_row(row, "seed").outcome, CaseOutcome::failed) << expect;
  }
  const auto row =
      row_of(begin + R"({"op":"session.leaf","args":{"to":"nobody"},"expect":{"class":"ok"}})");
  EXPECT_EQ(run_row(row, "seed").outcome, CaseOutcome::failed);
}

}  // namespace
}  // namespace plumb::simulator
