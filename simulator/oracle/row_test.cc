// SPDX-License-Identifier: Apache-2.0
#include "simulator/oracle/row.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulator/oracle/json_place.h"

namespace plumb::simulator {
namespace {

constexpr std::string_view kGoodRow =
    R"({"id":"a","tool":"read","group":"g","steps":[{"op":"call","args":{"too)"
    R"(l":"read","input":{"path":"x"}},"expect":{"class":"ENOENT"}}]})";

/// The errors of a file with one row, as "line:column: message".
std::vector<std::string> errors_of(std::string_view row) {
  const auto file = read_oracle("{\"meta\":true}\n" + std::string(row) + "\n", "f");
  std::vector<std::string> found;
  for (const auto& error : file.errors) found.push_back(error.where + ": " + error.message);
  return found;
}

/// A row with these steps.
std::string row_with(std::string_view steps) {
  return R"({"id":"a","tool":"read","group":"g","steps":[)" + std::string(steps) + "]}";
}

TEST(OracleFile, ReadsRowsWithTheirLines) {
  const auto file = read_oracle("{\"meta\":true}\n\n" + std::string(kGoodRow) + "\n", "f");

  ASSERT_TRUE(file.errors.empty());
  ASSERT_EQ(file.rows.size(), 1U);
  EXPECT_EQ(file.rows[0].id, "a");
  EXPECT_EQ(file.rows[0].line, 3);
  EXPECT_EQ(file.rows[0].steps[0].expect["class"], "ENOENT");
}

TEST(OracleFile, MayLackTheMetaRecord) {
  EXPECT_EQ(read_oracle(kGoodRow, "f").rows.size(), 1U);
}

TEST(OracleFile, NotesRowsThatAreAnnouncedButMissing) {
  const auto file =
      read_oracle("{\"meta\":true,\"counts\":{\"read\":2}}\n" + std::string(kGoodRow), "f");

  ASSERT_EQ(file.notes.size(), 1U);
  EXPECT_EQ(file.notes[0], "f: 2 rows of read are announced, 1 are there");
}

TEST(OracleFile, PointsAtJsonThatIsNone) {
  EXPECT_EQ(errors_of("{\"id\":}"),
            std::vector<std::string>{"f:2:7: expected a value but found '}'"});
}

TEST(OracleFile, KeepsTheOtherRowsOfABrokenFile) {
  const auto file = read_oracle("nonsense\n" + std::string(kGoodRow), "f");

  EXPECT_EQ(file.errors.size(), 1U);
  EXPECT_EQ(file.rows.size(), 1U);
}

TEST(OracleFile, RefusesAnIdTwice) {
  const auto file = read_oracle(std::string(kGoodRow) + "\n" + std::string(kGoodRow), "f");

  ASSERT_EQ(file.errors.size(), 1U);
  EXPECT_EQ(file.errors[0].message, "id 'a' stands in line 1 too");
  EXPECT_EQ(file.errors[0].where, "f:2:7");
}

TEST(OracleForm, PointsAtAnUnknownOperation) {
  EXPECT_EQ(errors_of(row_with(R"({"op":"cal","args":{},"expect":{"class":"ok"}})")),
            std::vector<std::string>{"f:2:52: unknown op 'cal'; did you mean 'call'?"});
}

TEST(OracleForm, PointsAtAnUnknownKey) {
  const auto errors = errors_of(row_with(
      R"({"op":"call","args":{"tool":"read","input":{},"ass":"B"},"expect":{"class":"ok"}})"));

  EXPECT_EQ(errors, std::vector<std::string>{"f:2:92: unknown key 'ass'; did you mean 'as'?"});
}

TEST(OracleForm, NamesAMissingKey) {
  EXPECT_EQ(errors_of(row_with(R"({"op":"wait","args":{}})")),
            std::vector<std::string>{"f:2:66: key 'ms' is missing"});
}

TEST(OracleForm, NamesAWrongType) {
  EXPECT_EQ(errors_of(row_with(R"({"op":"wait","args":{"ms":"5"}})")),
            std::vector<std::string>{"f:2:72: 'ms' must be a number"});
}

struct BadStep {
  std::string_view step;
  std::string_view message;
};

TEST(OracleForm, RefusesWhatNoRunnerCouldExecute) {
  const std::vector<BadStep> steps{
      {R"({"op":"call","args":{"tool":"reed","input":{}}})", "unknown tool 'reed'"},
      {R"({"op":"call","args":{"tool":"read","input":{}},"expect":{}})", "expectation is empty"},
      {R"({"op":"call","args":{"tool":"read","input":{}},"expect":{"class":"okay"}})",
       "unknown class 'okay'"},
      {R"({"op":"call","args":{"tool":"read","input":{}},"at":{}})", "belongs to abort alone"},
      {R"({"op":"abort","args":{"call":"A"}})", "abort needs at"},
      {R"({"op":"abort","args":{"call":"A"},"at":{"event":"A:now","after_ms":1}})",
       "abort needs at"},
      {R"({"op":"inject","args":{"call":"A","operation":"read"}})", "inject needs"},
      {R"({"op":"inject","args":{"call":"A","operation":"seek","delay_ms":1}})",
       "unknown operation 'seek'"},
      {R"({"op":"start","args":{"as":"A"}})", "a tool or a job"},
      {R"({"op":"start","args":{"as":"A","job":{"key":"a","fail":"never"}}})",
       "unknown way to fail 'never'"},
      {R"({"op":"start","args":{"as":"A","job":{"key":"a"}}})", "must be joined once"},
      {R"({"op":"session.append","args":{"type":"label","target":"x"}})", "key 'text' is missing"},
      {R"({"op":"fs","args":{"do":"chown","path":"x"}})", "unknown change 'chown'"},
      {R"({"op":"wait","args":{"ms":1}})", "expects nothing"},
  };

  for (const auto& bad : steps) {
    const auto errors = errors_of(row_with(bad.step));
    const bool is_named = std::ranges::any_of(
        errors, [&](const std::string& error) { return error.contains(bad.message); });
    EXPECT_TRUE(is_named) << bad.step << ": " << bad.message;
  }
}

TEST(OracleForm, RefusesFilesWithTwoBodies) {
  const auto errors =
      errors_of(R"({"id":"a","tool":"t","group":"g","setup":{"files":[{"path":"x","text":)"
                R"("","b64":""}]},"steps":[{"op":"fn","args":{"name":"formatSize","conten)"
                R"(t":1},"expect":{"value":"1B"}}]})");

  EXPECT_EQ(errors,
            std::vector<std::string>{"f:2:52: a file has one of text, b64, gen and extension"});
}

TEST(OracleForm, RefusesPathsOutsideTheFolderOfTheRow) {
  for (const char* setup :
       {R"({"files":[{"path":"/tmp/x","text":""}]})",
        R"({"files":[{"path":"a/../../x","text":""}]})", R"({"files":[{"path":"","text":""}]})",
        R"({"dirs":["../x"]})", R"({"home":"/root"})", R"({"modes":{"../x":"644"}})",
        R"({"symlinks":[{"path":"/x","target":"a"}]})",
        R"({"hardlinks":[{"path":"x","target":"/etc/hosts"}]})"}) {
    const auto errors = errors_of(R"({"id":"a","tool":"read","group":"g","setup":)" +
                                  std::string(setup) + R"(,"steps":[]})");

    EXPECT_THAT(errors, ::testing::Contains(
                            ::testing::HasSubstr("expected a path within the folder of the row")))
        << setup;
  }
}

TEST(JsonPlace, FindsValuesAndKeys) {
  constexpr std::string_view json = R"({"a": [1, {"b/c": "\"}"}], "d": 2})";

  EXPECT_EQ(json_column(json, "/a/1/b~1c", false), 19);
  EXPECT_EQ(json_column(json, "/a/1/b~1c", true), 12);
  EXPECT_EQ(json_column(json, "/d", false), 33);
  EXPECT_EQ(json_column(json, "/a/7", false), 7);
}

}  // namespace
}  // namespace plumb::simulator
