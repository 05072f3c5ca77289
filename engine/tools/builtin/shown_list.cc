// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/shown_list.h"

#include <algorithm>
#include <utility>

#include "engine/tools/builtin/tool_arguments.h"
#include "engine/tools/builtin/truncation.h"

namespace plumb::engine {

std::int64_t list_limit(const Json& params, std::int64_t fallback) {
  const auto given = whole_argument(params, "limit");
  return std::clamp<std::int64_t>(given.value_or(fallback), 1, kListedMax);
}

void ShownList::add(std::string_view line) {
  // One line beyond the cap is kept, so that the cut sees that there is more.
  if (byte_count_ - 1 <= kShownBytesMax) {
    if (line_count_ > 0) text_ += '\n';
    text_ += line;
  }
  byte_count_ += std::ssize(line) + 1;
  ++line_count_;
}

void ShownList::add_limit_notice(std::int64_t limit, std::string_view what) {
  const std::int64_t twice = std::min(limit, kListedMax / 2) * 2;
  add_notice(std::to_string(limit) + " " + std::string(what) +
             " are shown; there are more. Use limit=" + std::to_string(twice) + " to see them");
}

ToolResult ShownList::result(std::string_view if_empty) const {
  std::string text(if_empty);
  Json details = details_;
  std::vector<std::string> notices = notices_;
  if (!empty()) {
    Truncation cut = truncate_head(text_, ShownMax{kListedMax, kShownBytesMax});
    cut.total_lines = line_count_;
    cut.total_bytes = byte_count_ - 1;
    text = cut.content;
    if (cut.is_truncated) {
      notices.push_back(std::to_string(cut.output_lines) + " of " + std::to_string(line_count_) +
                        " lines are shown, cut at " + format_size(kShownBytesMax) +
                        ". Use a narrower path or pattern to see the rest");
      details["truncation"] = to_json(cut);
    }
  }
  std::string notice;
  for (const auto& one : notices) notice += (notice.empty() ? "" : ". ") + one;
  if (!notice.empty()) text += (text.empty() ? "[" : "\n\n[") + notice + "]";
  ToolResult result = text_result(std::move(text));
  if (!details.empty()) result.details = SharedJson(std::move(details));
  return result;
}

}  // namespace plumb::engine
