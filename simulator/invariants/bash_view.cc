// SPDX-License-Identifier: Apache-2.0
#include "simulator/invariants/bash_view.h"

#include <vector>

namespace plumb::invariants {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::int64_t kShellLinesMax = 2000;
constexpr std::int64_t kShellBytesMax = 51200;

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return lines;
}

std::string_view last_characters(std::string_view line) {
  line.remove_prefix(line.size() - static_cast<std::size_t>(kShellBytesMax));
  while (!line.empty() && (static_cast<unsigned char>(line.front()) & 0xC0U) == 0x80U) {
    line.remove_prefix(1);
  }
  return line;
}

}  // namespace

bool is_bash_name(const Call& call, const Story& story) {
  if (call.name != "bash"sv) return false;
  const Event* end = first(call, "tool_execution_end");
  if (end == nullptr || call.is_repeated) return false;
  const Json* entry = story.tool_at("bash", end->seq);
  return entry == nullptr || view_at(*entry, "level") == "builtin";
}

bool is_bash(const Call& call, const Story& story) {
  return is_bash_name(call, story) && begin_of(call) != nullptr && has_own_result(call);
}

const Json& arguments_of_bash(const Call& call) {
  const auto* begin = begin_of(call);
  return begin == nullptr ? call.raw.get() : begin->args.get();
}

const ProcessExit* exit_of(const Call& call) {
  const Event* event = first(call, "process_exit");
  if (event == nullptr || first(call, "process_start") == nullptr) return nullptr;
  return event->as<ProcessExit>();
}

ShownEnd end_of_output(std::string_view output) {
  const auto lines = split_lines(output);
  ShownEnd shown;
  shown.last = static_cast<std::int64_t>(lines.size());
  shown.total_bytes = static_cast<std::int64_t>(output.size());
  if (shown.last <= kShellLinesMax && shown.total_bytes <= kShellBytesMax) {
    shown.text = output;
    return shown;
  }
  shown.is_cut = true;
  shown.first = shown.last + 1;
  std::int64_t bytes = -1;
  while (shown.first > 1 && shown.last - shown.first + 1 < kShellLinesMax) {
    const auto next = lines[static_cast<std::size_t>(shown.first - 2)];
    bytes += static_cast<std::int64_t>(next.size()) + 1;
    if (bytes > kShellBytesMax) break;
    --shown.first;
  }
  shown.is_by_bytes = bytes > kShellBytesMax || shown.first == 1;
  shown.is_part_of_line = shown.first > shown.last;
  if (shown.is_part_of_line) {
    shown.first = shown.last;
    shown.text = last_characters(lines.back());
    return shown;
  }
  for (auto line = shown.first; line <= shown.last; ++line) {
    shown.text += line > shown.first ? "\n" : "";
    shown.text += lines[static_cast<std::size_t>(line - 1)];
  }
  return shown;
}

}  // namespace plumb::invariants
