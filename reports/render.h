// SPDX-License-Identifier: Apache-2.0
// Report formats by name, and the reporter that writes one to a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "reports/json.h"
#include "reports/reporter.h"

namespace plumb::reports {

enum class Format : std::uint8_t { json, junit, sarif, markdown, html };

std::string_view to_string(Format format);
std::optional<Format> format_from_string(std::string_view text);
/// By a file's ending: .json, .xml, .sarif, .md, .html.
std::optional<Format> format_of_path(std::string_view path);

std::string render(const Record& record, Format format, const RenderOptions& options = {});

/// Renders and writes the whole record when the run is over.
class FileReporter final : public Reporter {
 public:
  FileReporter(Format format, std::string path, RenderOptions options = {})
      : format_(format), path_(std::move(path)), options_(options) {}

  void run_finished(const Record& record) override;
  /// What the writing came to; an error becomes `run_error` and exit code 3.
  const Result<void>& outcome() const { return outcome_; }

 private:
  Format format_;
  std::string path_;
  RenderOptions options_;
  Result<void> outcome_;
};

}  // namespace plumb::reports
