// SPDX-License-Identifier: Apache-2.0
// The rows of fixtures/oracle about resources in both editions: none fails, and as many as we know
// are skipped.
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "simulator/oracle/judge_resources.h"
#include "simulator/oracle/row.h"
#include "simulator/oracle/run_row.h"

namespace plumb::simulator {
namespace {

constexpr const char* kResourceRows = "fixtures/oracle/resources.jsonl";

OracleFile resource_rows() {
  std::stringstream text;
  text << std::ifstream(kResourceRows).rdbuf();
  return read_oracle(text.str(), kResourceRows);
}

class ResourceFixture : public testing::TestWithParam<const char*> {};

TEST_P(ResourceFixture, Holds) {
  const auto file = resource_rows();
  ASSERT_TRUE(file.errors.empty()) << file.errors[0].where << ": " << file.errors[0].message;
  ASSERT_EQ(file.rows.size(), 77U);
  int passed = 0;

  for (const auto& row : file.rows) {
    const auto verdict = run_row(row, GetParam());
    passed += verdict.outcome == CaseOutcome::passed ? 1 : 0;
    for (const auto& difference : verdict.differences) {
      ADD_FAILURE() << row.id << " " << describe(difference);
    }
    if (verdict.outcome != CaseOutcome::skipped) continue;
    EXPECT_TRUE(row.id == "trust-054" || row.id == "disc-018") << row.id << " " << verdict.reason;
  }

  EXPECT_EQ(passed, 75);
}

INSTANTIATE_TEST_SUITE_P(Editions, ResourceFixture, testing::Values("seed", "pi-1.6.0"));

TEST(JudgeResources, ComparesKindsPathsAndNumbersOfMessages) {
  const Placeholders places{"/r", "/r", "/tmp"};
  const Json expect{{"errors", Json::array({Json{{"path", "a"}, {"text", "theirs"}}})}};
  const auto judge = [&](Json errors) {
    return judge_resources(expect, Json{{"errors", std::move(errors)}}, "", places).size();
  };

  EXPECT_EQ(judge(Json::array({Json{{"path", "a"}, {"text", "ours"}}})), 0U);
  EXPECT_EQ(judge(Json::array({Json{{"path", "b"}, {"text", "theirs"}}})), 1U);
  EXPECT_EQ(judge(Json::array()), 1U);
}

TEST(JudgeResources, WantsSuccessUnlessAFailureIsExpected) {
  const Placeholders places{"/r", "/r", "/tmp"};
  const Result<Json> failed = fail(ErrorCode::invalid, "no");

  EXPECT_EQ(judge_resources(Json(), failed, "", places).size(), 1U);
  EXPECT_EQ(judge_resources(Json{{"class", "error"}}, failed, "", places).size(), 0U);
  EXPECT_EQ(judge_resources(Json{{"class", "timeout"}}, failed, "", places).size(), 1U);
  EXPECT_EQ(judge_resources(Json{{"lacks", "x"}}, Json::object(), "", places).size(), 1U);
  EXPECT_EQ(judge_resources(Json{{"class", "error"}}, Json::object(), "", places).size(), 1U);
}

TEST(JudgeResources, LooksIntoTextsAndSections) {
  const Placeholders places{"/r", "/r", "/tmp"};
  const Result<Json> text = Json{{"text", "one two"}};
  const Result<Json> sections = Json{{"texts", Json{{"preamble", "p"}, {"cwd", "a b"}}}};
  const auto count = [&](const Json& expect, const Result<Json>& actual) {
    return judge_resources(expect, actual, "", places).size();
  };

  EXPECT_EQ(count(Json{{"contains", {"two"}}, {"lacks", {"three"}}}, text), 0U);
  EXPECT_EQ(count(Json{{"contains", {"three"}}, {"lacks", {"two"}}}, text), 2U);
  EXPECT_EQ(count(Json{{"sections", {"preamble", "docs", "cwd"}}}, sections), 0U);
  EXPECT_EQ(count(Json{{"sections", {"cwd", "preamble"}}}, sections), 2U);
  EXPECT_EQ(count(Json{{"in_order", Json{{"cwd", {"a", "b"}}}}}, sections), 0U);
  EXPECT_EQ(count(Json{{"in_order", Json{{"cwd", {"b", "a"}}}}}, sections), 1U);
  EXPECT_EQ(count(Json{{"has", Json{{"cwd", {"c"}}}}}, sections), 1U);
}

}  // namespace
}  // namespace plumb::simulator
