// SPDX-License-Identifier: Apache-2.0
// fixtures/broken and fixtures/broken_rules: each file is broken in one way, and expected.txt names
// the lines that a user gets to see, by file.
#include <algorithm>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "simulator/script/lint.h"
#include "simulator/script/source.h"

namespace plumb::simulator {
namespace {

using Lines = std::vector<std::string>;

std::string content_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

Lines expected_lines(const std::string& folder) {
  Lines lines;
  std::istringstream stream(content_of(folder + "/expected.txt"));
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The errors as lines, with paths relative to the folder.
Lines lines_of(const std::vector<Error>& errors, const std::string& folder) {
  Lines lines;
  for (const Error& error : errors) lines.push_back(error_line(error).substr(folder.size() + 1));
  return lines;
}

/// Line by line, so that a difference shows what differs.
void expect_lines(const Lines& lines, const Lines& expected) {
  EXPECT_EQ(lines.size(), expected.size());
  for (std::size_t i = 0; i < std::min(lines.size(), expected.size()); ++i) {
    EXPECT_EQ(lines[i], expected[i]);
  }
}

Catalogue whole_catalogue() {
  auto loaded = load_catalogue("scenarios/rules");
  EXPECT_TRUE(loaded) << error_line(loaded.error().front());
  return loaded ? *std::move(loaded) : Catalogue();
}

TEST(BrokenInputs, ScenariosAreRefusedWithTheExpectedLines) {
  const std::string folder = "fixtures/broken";

  const LintReport report = lint_scenarios({folder}, whole_catalogue());

  EXPECT_TRUE(report.scenarios.empty());
  EXPECT_GE(report.file_count, 30);
  expect_lines(lines_of(report.errors, folder), expected_lines(folder));
}

TEST(BrokenInputs, RulesAreRefusedWithTheExpectedLines) {
  const std::string folder = "fixtures/broken_rules";

  const auto loaded = load_catalogue(folder);

  ASSERT_FALSE(loaded);
  expect_lines(lines_of(loaded.error(), folder), expected_lines(folder));
}

TEST(BrokenInputs, RuleIdsAreUsedOnce) {
  const auto loaded = load_catalogue("fixtures/repeated_rules");

  ASSERT_FALSE(loaded);
  ASSERT_EQ(loaded.error().size(), 1U);
  EXPECT_EQ(error_line(loaded.error().front()),
            "fixtures/repeated_rules/b.yaml:18:5: rule id 'EDIT-01' is used twice; first in "
            "fixtures/repeated_rules/a.yaml:5:5");
}

TEST(BrokenInputs, MessagesAreOneLineWithoutFullStop) {
  const LintReport report = lint_scenarios({"fixtures/broken"}, whole_catalogue());

  for (const Error& error : report.errors) {
    EXPECT_EQ(error.message.find('\n'), std::string::npos) << error.message;
    EXPECT_NE(error.message.back(), '.') << error.message;
    EXPECT_FALSE(error.where.empty()) << error.message;
  }
}

}  // namespace
}  // namespace plumb::simulator
