// SPDX-License-Identifier: Apache-2.0
#include "reports/render.h"

#include <array>

#include "reports/html.h"
#include "reports/junit.h"
#include "reports/markdown.h"
#include "reports/sarif.h"
#include "reports/write_report.h"

namespace plumb::reports {
namespace {

struct FormatName {
  Format format;
  std::string_view name;
  std::string_view ending;
};

constexpr std::array kFormatNames{
    FormatName{Format::json, "json", ".json"},    FormatName{Format::junit, "junit", ".xml"},
    FormatName{Format::sarif, "sarif", ".sarif"}, FormatName{Format::markdown, "markdown", ".md"},
    FormatName{Format::html, "html", ".html"},
};

}  // namespace

std::string_view to_string(Format format) {
  return kFormatNames.at(static_cast<std::size_t>(format)).name;
}

std::optional<Format> format_from_string(std::string_view text) {
  for (const FormatName& row : kFormatNames) {
    if (row.name == text) return row.format;
  }
  return std::nullopt;
}

std::optional<Format> format_of_path(std::string_view path) {
  for (const FormatName& row : kFormatNames) {
    if (path.ends_with(row.ending)) return row.format;
  }
  return std::nullopt;
}

std::string render(const Record& record, Format format, const RenderOptions& options) {
  switch (format) {
    case Format::json:
      return json_text(record, options);
    case Format::junit:
      return junit_text(record, options);
    case Format::sarif:
      return sarif_text(record, options);
    case Format::markdown:
      return markdown_text(record);
    case Format::html:
      break;
  }
  return html_text(record, options);
}

void FileReporter::run_finished(const Record& record) {
  outcome_ = write_report(path_, render(record, format_, options_));
}

}  // namespace plumb::reports
