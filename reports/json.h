// SPDX-License-Identifier: Apache-2.0
// The record as a file: reports/record.schema.json, version plumb-record/1. What is written reads
// back as the same record.
#pragma once

#include <string>
#include <string_view>

#include "reports/record.h"

namespace plumb::reports {

/// Without timings a report of the same run is the same bytes, however long it took.
struct RenderOptions {
  bool has_timings = true;
};

/// Indented by one space, one line feed at the end. Bytes that are not UTF-8 become U+FFFD.
std::string json_text(const Record& record, const RenderOptions& options = {});
/// The same without spaces or line feeds.
std::string compact_json_text(const Record& record, const RenderOptions& options = {});

/// Errors: invalid, located "path:line:col" for text that is no JSON, else "path" with the JSON
/// Pointer of the value in the message. Unknown keys are errors: another version says so in
/// `schema`.
Result<Record> read_record(std::string_view text, const std::string& path);

}  // namespace plumb::reports
