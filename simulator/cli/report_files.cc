// SPDX-License-Identifier: Apache-2.0
#include "simulator/cli/report_files.h"

#include <filesystem>
#include <utility>

#include "reports/html.h"
#include "reports/json.h"
#include "reports/junit.h"
#include "reports/markdown.h"
#include "reports/sarif.h"
#include "reports/write_report.h"

namespace plumb::simulator {

Result<void> write_output(const std::string& path, const std::string& text) {
  std::error_code error;
  const auto folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  // What is not there although it was to be made is not what is wrong.
  if (error == std::errc::permission_denied) {
    return fail(ErrorCode::permission, "cannot write: permission denied", path);
  }
  // Whatever else is wrong with the folder shows in the writing.
  return reports::write_report(path, text);
}

std::vector<reports::Diagnostic> write_report_files(const reports::Record& record,
                                                    const std::string& folder, bool has_timings) {
  const reports::RenderOptions options{.has_timings = has_timings};
  const std::vector<std::pair<std::string, std::string>> files{
      {"record.json", reports::json_text(record, options)},
      {"junit.xml", reports::junit_text(record, options)},
      {"report.sarif", reports::sarif_text(record, options)},
      {"summary.md", reports::markdown_text(record)},
      {"report.html", reports::html_text(record, options)}};
  std::vector<reports::Diagnostic> diagnostics;
  for (const auto& [name, text] : files) {
    const auto written = write_output(folder + "/" + name, text);
    if (written) continue;
    diagnostics.push_back(reports::run_error(written.error()));
    // Without the folder the other files would only say the same.
    std::error_code error;
    if (!std::filesystem::is_directory(folder, error)) break;
  }
  return diagnostics;
}

}  // namespace plumb::simulator
