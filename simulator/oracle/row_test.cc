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

/// The errors of a file with this meta record and one good row.
std::vector<std::string> errors_of_meta(std::string_view meta) {
  const auto file = read_oracle(std::string(meta) + "\n" + std::string(kGoodRow), "f");
  std::vector<std::string> found;
  for (const auto& error : file.errors) found.push_back(error.where + ": " + error.message);
  return found;
}

TEST(OracleFile, RefusesCountsThatDoNotHold) {
  EXPECT_EQ(errors_of_meta(R"({"meta":true,"counts":{"read":2}})"),
            std::vector<std::string>{"f:1:31: 2 rows of read are announced, 1 are there"});
  EXPECT_EQ(errors_of_meta(R"({"meta":true,"counts":{"read":1,"ls":3,"edit":2,"bash":1}})"),
            std::vector<std::string>{"f:1:56: 1 rows of bash are announced, 0 are there; 2 more "
                                     "counts are wrong"});
  EXPECT_THAT(errors_of_meta(R"({"meta":true,"counts":{"read":1}})"), ::testing::IsEmpty());
}

TEST(OracleFile, CountsNothingThatCouldNotBeRead) {
  EXPECT_EQ(errors_of("{}").size(), 1U);
  const auto file = read_oracle("{\"meta\":true,\"counts\":{\"read\":2}}\nnonsense\n", "f");

  EXPECT_EQ(file.errors.size(), 1U);
}

TEST(OracleFile, RefusesAMetaRecordThatItDoesNotUnderstand) {
  using Errors = std::vector<std::string>;
  EXPECT_EQ(errors_of_meta(R"({"meta":true,"schema":99})"),
            Errors{"f:1:23: unknown schema 99, expected 2"});
  EXPECT_EQ(errors_of_meta(R"({"meta":true,"schema":"2"})"),
            Errors{"f:1:23: 'schema' must be a whole number from 0 to 67108864"});
  EXPECT_EQ(errors_of_meta(R"({"meta":false})"), Errors{"f:1:9: 'meta' must be true"});
  EXPECT_EQ(errors_of_meta(R"({"meta":true,"counts":[]})"),
            Errors{"f:1:23: 'counts' must be an object"});
  EXPECT_EQ(errors_of_meta(R"({"meta":true,"counts":{"edti":1}})"),
            Errors{"f:1:24: unknown tool 'edti'; did you mean 'edit'?"});
  EXPECT_EQ(errors_of_meta(R"({"meta":true,"counts":{"read":1.5}})"),
            Errors{"f:1:31: 'read' must be a whole number from 0 to 67108864"});
}

TEST(OracleFile, RefusesAFileWithoutALine) {
  for (const std::string_view text : {"", "\n \n", "{\"meta\":true}\n"}) {
    const auto file = read_oracle(text, "f");

    ASSERT_EQ(file.errors.size(), 1U);
    EXPECT_EQ(file.errors[0].where + ": " + file.errors[0].message,
              "f:1:1: no rows, expected one a line");
  }
}

TEST(OracleFile, RefusesALineThatIsTooLong) {
  const auto file =
      read_oracle(std::string((16 << 20) + 1, 'x') + "\n" + std::string(kGoodRow), "f");

  ASSERT_EQ(file.errors.size(), 1U);
  EXPECT_EQ(file.errors[0].message, "line is larger than 16777216 bytes");
  EXPECT_EQ(file.rows.size(), 1U);
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
            std::vector<std::string>{"f:2:72: 'ms' must be a whole number from 0 to 120000"});
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
       "expected an event such as 'A:write:start', found '\"A:now\"'"},
      {R"({"op":"abort","args":{"call":"A"},"at":{"event":"A:start","after_ms":-1}})",
       "abort needs at"},
      {R"({"op":"abort","args":{"call":"B"},"at":{"before":"start"}})", "unknown call 'B'"},
      {R"({"op":"wait","args":{"ms":1e18}})", "'ms' must be a whole number from 0 to 120000"},
      {R"({"op":"fs","args":{"do":"rename","path":"x"}})", "key 'to' is missing"},
      {R"({"op":"fs","args":{"do":"write","path":"a\u0000b","text":""}})", "expected no zero byte"},
      {R"({"op":"fn","args":{"name":"formatSize","content":-1},"expect":{"value":""}})",
       "'content' must be a whole number from 0 to 67108864"},
      {R"({"op":"fn","args":{"name":"truncateHead","content":"","options":{"maxLines":"2"}},)"
       R"("expect":{"value":""}})",
       "'maxLines' must be a whole number"},
      {R"({"op":"call","args":{"tool":"bash","input":{},"options":{"exec":[{"out_hex":"0g"}]}}})",
       "'out_hex' must be pairs of hexadecimal digits"},
      {R"({"op":"call","args":{"tool":"bash","input":{},"options":{"spawnHook":)"
       R"({"env":{"A=B":""}}}}})",
       "'A=B' cannot name a variable"},
      {R"({"op":"call","args":{"tool":"read","input":{},"options":{"backend":)"
       R"({"read":{"text":1}}}}})",
       "'text' must be a string"},
      {R"({"op":"call","args":{"tool":"read","input":{}},"expect":{"details":5}})",
       "'details' must be an object or null"},
      {R"({"op":"call","args":{"tool":"read","input":{}},"expect":{"details":{"a":{"long":true,)"
       R"("head":5}}}})",
       "'head' must be a string"},
      {R"({"op":"call","args":{"tool":"read","input":{}},"expect":{"content":[{"text":5}]}})",
       "'text' must be a string or the digest of a long one"},
      {R"({"op":"call","args":{"tool":"read","input":{}},"expect":{"output_file":{"mode":"9"}}})",
       "'mode' must be three or four octal digits"},
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
      errors_of(R"({"id":"a","tool":"read","group":"g","setup":{"files":[{"path":"x","text":)"
                R"("","b64":""}]},"steps":[{"op":"fn","args":{"name":"formatSize","conten)"
                R"(t":1},"expect":{"value":"1B"}}]})");

  EXPECT_EQ(errors,
            std::vector<std::string>{"f:2:55: a file has one of text, b64, gen and extension"});
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

/// A row with this setup, and these expectations of its end.
std::vector<std::string> errors_of_world(std::string_view setup, std::string_view end = "{}") {
  return errors_of(R"({"id":"a","tool":"read","group":"g","setup":)" + std::string(setup) +
                   R"(,"steps":[{"op":"wait","args":{"ms":1}}],"expect":)" + std::string(end) +
                   "}");
}

TEST(OracleForm, RefusesWhatNoWorldHas) {
  const std::vector<std::pair<std::string_view, std::string_view>> setups{
      {R"({"modes":{"a":"8"}})", "'a' must be three or four octal digits in quotes"},
      {R"({"modes":{"a":644}})", "'a' must be three or four octal digits in quotes"},
      {R"({"files":[{"path":"a","text":"","mode":"rwx"}]})", "'mode' must be three or four octal"},
      {R"({"files":[{"path":"a","b64":"?"}]})", "'b64' must be base64"},
      {R"({"files":[{"path":"a","gen":{"kind":"repeat","n":-1,"unit":"x"}}]})",
       "'n' must be a whole number"},
      {R"({"files":[{"path":"a","gen":{"kind":"repeat","n":16777216,"unit":"12345"}}]})",
       "a generated file of more than 64 MiB"},
      {R"({"files":[{"path":"a","gen":{"kind":"lines","n":1000,"width":100000}}]})",
       "a generated file of more than 64 MiB"},
      {R"({"uid":-1})", "'uid' must be a whole number from 0 to 4294967294"},
      {R"({"env":{"":"x"}})", "'' cannot name a variable"},
      {R"({"env":{"A=B":"x"}})", "'A=B' cannot name a variable"},
      {R"({"files":[{"path":"a","text":""},{"path":"a/b","text":""}]})",
       "path 'a/b' lies below another file"},
      {R"({"dirs":["a"],"files":[{"path":"a","text":""}]})", "path 'a' stands there twice"},
      {R"({"env":{"A":[]}})", "'A' must be a string, a number, true or false"}};

  for (const auto& [setup, message] : setups) {
    EXPECT_THAT(errors_of_world(setup), ::testing::ElementsAre(::testing::HasSubstr(message)))
        << setup;
  }
}

TEST(OracleForm, RefusesEndsThatCannotCome) {
  const std::vector<std::pair<std::string_view, std::string_view>> ends{
      {R"({"modes":{"a":"rw"}})", "'a' must be three or four octal digits"},
      {R"({"files":{"../a":{"text":""}}})", "expected a path within the folder of the row"},
      {R"({"files":{"a":{"sha256":"x"}}})", "'sha256' must be 64 hexadecimal digits"},
      {R"({"log":["B:start"]})", "unknown call 'B'"},
      {R"({"log_kinds":["raed"]})", "unknown kind of event 'raed'; did you mean 'read'?"}};

  for (const auto& [end, message] : ends) {
    EXPECT_THAT(errors_of_world("{}", end), ::testing::ElementsAre(::testing::HasSubstr(message)))
        << end;
  }
}

TEST(OracleForm, RefusesNamesThatAreNone) {
  const std::string rest =
      R"("group":"g","steps":[{"op":"wait","args":{"ms":1}}],"expect":{"log":[]}})";

  EXPECT_THAT(errors_of(R"({"id":"","tool":"read",)" + rest),
              ::testing::ElementsAre("f:2:7: 'id' must be a string that is not empty"));
  EXPECT_THAT(errors_of(R"({"id":"a","tool":"raed",)" + rest),
              ::testing::ElementsAre("f:2:18: unknown tool 'raed'; did you mean 'read'?"));
  EXPECT_THAT(
      errors_of(R"({"id":"a","tool":"read","quirk":[{"rule":"X-01","field":"contnet"}],)" + rest),
      ::testing::ElementsAre(::testing::HasSubstr("did you mean 'content'?")));
  EXPECT_THAT(errors_of(R"({"id":"a","tool":"write+edit",)" + rest), ::testing::IsEmpty());
}

TEST(OracleForm, NeedsAStartBeforeItsJoin) {
  const std::string start = R"({"op":"start","args":{"as":"A","job":{"key":"a"}}})";
  const std::string join = R"({"op":"join","args":{"calls":["A"]},"expect":{}})";

  for (const auto& steps : {join + "," + start, start + "," + start + "," + join + "," + join}) {
    EXPECT_THAT(errors_of(row_with(steps)), ::testing::SizeIs(1)) << steps;
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
