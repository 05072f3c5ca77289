// SPDX-License-Identifier: Apache-2.0
// JUnit, SARIF, Markdown and HTML: that each agrees with the record and is safe for its parser.
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <openssl/evp.h>
#include <unistd.h>

#include "reports/card.h"
#include "reports/html.h"
#include "reports/junit.h"
#include "reports/markdown.h"
#include "reports/render.h"
#include "reports/sample_records.h"
#include "reports/sarif.h"
#include "reports/text.h"
#include "reports/write_report.h"

namespace plumb::reports {
namespace {

using nlohmann::ordered_json;
using testing::HasSubstr;
using testing::Not;

std::int64_t occurrences(std::string_view text, std::string_view part) {
  std::int64_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(JUnit, CountsAgreeWithTheSummary) {
  for (const NamedRecord& sample : sample_records()) {
    const Summary summary = summarise(sample.record);
    const std::string text = junit_text(sample.record);

    EXPECT_EQ(occurrences(text, "<testcase "), summary.passed + summary.failed + summary.skipped);
    EXPECT_EQ(occurrences(text, "<failure "), summary.fail + summary.stale) << sample.name;
    EXPECT_EQ(occurrences(text, "<error "), summary.harness_error) << sample.name;
    EXPECT_EQ(occurrences(text, "<skipped "), summary.skipped) << sample.name;
  }
}

TEST(JUnit, StatesTheTotalsInItsHead) {
  EXPECT_THAT(
      junit_text(one_failure_record(), {.has_timings = false}),
      HasSubstr(
          "<testsuites name=\"plumb\" tests=\"8\" failures=\"2\" errors=\"0\" skipped=\"4\">"));
}

TEST(JUnit, PutsEachDomainInASuite) {
  const std::string text = junit_text(all_pass_record());

  EXPECT_THAT(text, HasSubstr("<testsuite name=\"cache\" tests=\"1\""));
  EXPECT_THAT(text, HasSubstr("<testsuite name=\"edit\" tests=\"2\""));
}

TEST(JUnit, TellsTheTimeOfAScenarioOnce) {
  EXPECT_EQ(occurrences(junit_text(all_pass_record()), "<testcase"), 3);
  EXPECT_THAT(junit_text(all_pass_record()), HasSubstr("skipped=\"0\" time=\"2.468\""));
}

TEST(JUnit, HasNoTimesWhenToldSo) {
  const std::string text = junit_text(one_failure_record(), {.has_timings = false});

  EXPECT_THAT(text, Not(HasSubstr("time")));
}

TEST(XmlEscaped, LeavesNothingThatXmlForbids) {
  EXPECT_EQ(xml_escaped("<a b=\"c\">&"), "&lt;a b=&quot;c&quot;&gt;&amp;");
  EXPECT_EQ(xml_escaped(std::string_view("\0\x01\x1f", 3)), "\\x00\\x01\\x1f");
  EXPECT_EQ(xml_escaped("\xEF\xBF\xBE\xFF\xED\xA0\x80"), "\\ufffe\\xff\\xed\\xa0\\x80");
  EXPECT_EQ(xml_escaped("a\tb\nc\rd"), "a&#9;b&#10;c&#13;d");
  EXPECT_EQ(xml_escaped("中"), "中");
}

TEST(JUnit, IsWellFormedForAnXmlParser) {
  // Of Debian's package libxml2-utils, which ./plumb installs.
  ASSERT_EQ(std::system("command -v xmllint >/dev/null"), 0);
  const std::string path =
      testing::TempDir() + "plumb_junit_" + std::to_string(::getpid()) + ".xml";
  for (const NamedRecord& sample : sample_records()) {
    ASSERT_TRUE(write_report(path, junit_text(sample.record)));

    EXPECT_EQ(std::system(("xmllint --noout " + path).c_str()), 0) << sample.name;
  }
  std::filesystem::remove(path);
}

TEST(Sarif, HasOneResultAFinding) {
  const auto json = ordered_json::parse(sarif_text(one_failure_record()));
  const auto& results = json["runs"][0]["results"];

  ASSERT_EQ(results.size(), 4U) << "two findings, one expected failure, one expectation";
  EXPECT_EQ(results[0]["ruleId"], "EDIT-03");
  EXPECT_EQ(results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "scenarios/edit/overlapping-ranges.yaml");
  EXPECT_EQ(results[0]["locations"][0]["physicalLocation"]["region"]["startLine"], 1);
  EXPECT_EQ(results[2]["suppressions"][0]["justification"], "fixed in the next release");
  EXPECT_EQ(results[3]["locations"][0]["physicalLocation"]["region"]["startColumn"], 5);
}

TEST(Sarif, NamesEveryRuleItUses) {
  for (const NamedRecord& sample : sample_records()) {
    const auto json = ordered_json::parse(sarif_text(sample.record));
    std::vector<std::string> ids;
    for (const auto& rule : json["runs"][0]["tool"]["driver"]["rules"]) ids.push_back(rule["id"]);

    EXPECT_EQ(json["version"], "2.1.0");
    for (const auto& result : json["runs"][0]["results"]) {
      EXPECT_THAT(ids, testing::Contains(result["ruleId"].get<std::string>())) << sample.name;
    }
  }
}

TEST(Sarif, WritesPathsAsUris) {
  const auto json = ordered_json::parse(sarif_text(hostile_text_record()));
  const auto& location = json["runs"][0]["results"][0]["locations"][0]["physicalLocation"];

  EXPECT_EQ(location["artifactLocation"]["uri"], "scenarios/%E7%BC%96%E8%BE%91/a%20b%231.yaml");
}

TEST(Sarif, SaysWhetherTheRunItselfWorked) {
  const auto invocation = [](const Record& record) {
    return ordered_json::parse(sarif_text(record))["runs"][0]["invocations"][0];
  };

  EXPECT_EQ(invocation(one_failure_record())["executionSuccessful"], true);
  EXPECT_EQ(invocation(harness_error_record())["executionSuccessful"], false);
  EXPECT_EQ(invocation(harness_error_record())["toolExecutionNotifications"].size(), 2U);
}

TEST(Markdown, EscapesMarkup) {
  EXPECT_EQ(markdown_escaped("a|b`<c>\n*d*"), "a\\|b\\`\\<c\\>\\\\n\\*d\\*");
}

TEST(Markdown, FencesTextThatHoldsFences) {
  EXPECT_EQ(markdown_block("```\nx"), "````text\n```\nx\n````\n");
}

TEST(Markdown, ShowsFiftyFailuresAndCountsTheRest) {
  const std::vector<RuleVerdict> rules(53, sample_verdict("R-1", Verdict::fail));

  const std::string text = markdown_text(sample_record({sample_scenario("a", rules)}));

  EXPECT_EQ(occurrences(text, "### R-1"), 50);
  EXPECT_THAT(text, HasSubstr("3 more failures are in the JSON record."));
}

std::string sha256_source(std::string_view text) {
  std::array<unsigned char, 32> digest{};
  EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
  std::array<unsigned char, 64> base64{};
  const int length = EVP_EncodeBlock(base64.data(), digest.data(), 32);
  return "sha256-" + std::string(base64.begin(), base64.begin() + length);
}

TEST(Html, PolicyNamesTheHashesOfItsScriptAndStyle) {
  EXPECT_EQ(html_script_hash(), sha256_source(html_script()));
  EXPECT_EQ(html_style_hash(), sha256_source(html_style()));
}

TEST(Html, AllowsNothingFromElsewhere) {
  const std::string text = html_text(all_pass_record());

  EXPECT_THAT(text, HasSubstr("default-src 'none'"));
  EXPECT_THAT(text, Not(HasSubstr("http:")));
  EXPECT_THAT(text, Not(HasSubstr("https:")));
}

TEST(Html, LetsNoTextOfARecordBecomeMarkup) {
  const std::string text = html_text(hostile_text_record());

  EXPECT_EQ(occurrences(text, "<script"), 2);
  EXPECT_EQ(occurrences(text, "</script"), 2);
  EXPECT_THAT(text, Not(HasSubstr("<b>")));
}

TEST(Html, EmbedsTheWholeRecord) {
  const std::string text = html_text(one_failure_record());
  const std::string opening = "<script type=\"application/json\" id=\"record\">";
  const std::size_t begin = text.find(opening) + opening.size();

  const std::string embedded = text.substr(begin, text.find("</script>", begin) - begin);

  EXPECT_EQ(read_record(embedded, "page"), one_failure_record());
}

TEST(Format, IsFoundByNameAndByEnding) {
  for (const Format format :
       {Format::json, Format::junit, Format::sarif, Format::markdown, Format::html}) {
    EXPECT_EQ(format_from_string(to_string(format)), format);
  }
  EXPECT_EQ(format_of_path("out/report.xml"), Format::junit);
  EXPECT_EQ(format_of_path("out/report.txt"), std::nullopt);
}

TEST(FileReporter, KeepsTheErrorOfAnUnwritablePath) {
  FileReporter reporter(Format::json, "/dev/full");

  reporter.run_finished(all_pass_record());

  ASSERT_FALSE(reporter.outcome());
  EXPECT_EQ(reporter.outcome().error().message, "cannot write: no space left on device");
}

}  // namespace
}  // namespace plumb::reports
