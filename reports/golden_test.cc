// SPDX-License-Identifier: Apache-2.0
// Every format of every sample record against reports/golden. PLUMB_UPDATE_GOLDEN=1 renews the
// files; read the difference before it is committed.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "reports/render.h"
#include "reports/sample_records.h"
#include "reports/terminal.h"
#include "reports/write_report.h"

namespace plumb::reports {
namespace {

bool is_updating() {
  const char* value = std::getenv("PLUMB_UPDATE_GOLDEN");
  return value != nullptr && std::string_view(value) == "1";
}

void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = "reports/golden/" + name;
  if (is_updating()) {
    ASSERT_TRUE(write_report(path, text)) << path;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path << ": missing; PLUMB_UPDATE_GOLDEN=1 writes it";
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), text) << path;
}

void expect_format(Format format, const std::string& ending) {
  for (const NamedRecord& sample : sample_records()) {
    expect_golden(sample.name + ending, render(sample.record, format));
  }
}

/// Whether a text says that something is isolated: no report may (EXT-11, EXT-30).
bool claims_isolation(std::string text) {
  for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return text.contains("isolated") || text.contains("isolation") || text.contains("sandbox");
}

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

TEST(Golden, NoReportCallsAnExtensionIsolated) {
  EXPECT_TRUE(claims_isolation("The extension is Isolated."));
  std::int64_t read = 0;
  for (const auto& entry : std::filesystem::directory_iterator("reports/golden")) {
    ++read;
    EXPECT_FALSE(claims_isolation(text_of_file(entry.path().string()))) << entry.path();
  }
  EXPECT_GT(read, 10);
  const std::string readme = text_of_file("README.md");
  EXPECT_FALSE(claims_isolation(readme));
  EXPECT_TRUE(readme.contains("An extension is code with your rights."));
}

TEST(Golden, Terminal) {
  for (const NamedRecord& sample : sample_records()) {
    expect_golden(sample.name + ".txt", terminal_text(sample.record));
  }
}

TEST(Golden, TerminalInColorAndAscii) {
  const TerminalStyle style{.has_color = true, .columns = 80, .unicode = false};
  expect_golden("one_failure.color.txt", terminal_text(one_failure_record(), style));
}

TEST(Golden, Json) {
  expect_format(Format::json, ".json");
}

TEST(Golden, JUnit) {
  expect_format(Format::junit, ".xml");
}

TEST(Golden, Sarif) {
  expect_format(Format::sarif, ".sarif");
}

TEST(Golden, Markdown) {
  expect_format(Format::markdown, ".md");
}

// The page's script and style stand in html.cc; one page shows the frame, the rest would repeat it.
TEST(Golden, Html) {
  expect_golden("one_failure.html", render(one_failure_record(), Format::html));
  expect_golden("hostile_text.html", render(hostile_text_record(), Format::html));
}

}  // namespace
}  // namespace plumb::reports
