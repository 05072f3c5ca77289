// SPDX-License-Identifier: Apache-2.0
#include "simulator/invariants/read_view.h"

#include <algorithm>
#include <cmath>

#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

using std::string_view_literals::operator""sv;

/// A final line feed starts no other line.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t from = 0;
  for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n', from)) {
    lines.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  if (from < text.size()) lines.push_back(text.substr(from));
  return lines;
}

/// Rounded down and at least 1, as far as a call gives one.
std::optional<std::int64_t> whole_number(const Call& call, const char* key) {
  const auto given = number_given(call, key);
  if (!given) return std::nullopt;
  return std::max<std::int64_t>(1, invariants::whole_number(Json(std::floor(*given))));
}

void fill(Window& window, const std::vector<std::string>& lines, std::int64_t wanted) {
  for (auto line = window.first; line <= wanted; ++line) {
    const auto& next = lines[static_cast<std::size_t>(line - 1)];
    const auto glue = line == window.first ? 0 : 1;
    const auto bytes = static_cast<std::int64_t>(window.shown.size() + next.size()) + glue;
    window.is_cut_by_bytes = bytes > kBytesMax;
    window.is_cut = window.is_cut_by_bytes || line - window.first >= kLinesMax;
    if (window.is_cut) break;
    window.shown += (glue == 1 ? "\n" : "") + next;
    window.last = line;
  }
}

}  // namespace

const Event* read_end(const Call& call) {
  return first(call, "tool_execution_end");
}

bool is_builtin_read(const Call& call, const Story& story) {
  if (call.name != "read"sv || begin_of(call) == nullptr || end_of(call) == nullptr) return false;
  if (at(setting("operations", story), "read") == true) return false;
  const Json* tool = tool_of(call, story);
  return (tool == nullptr || view_at(*tool, "level") == "builtin") &&
         abort_during(call, story) < 0 && has_own_result(call);
}

bool is_undisturbed_read(const Call& call, const Story& story) {
  return is_builtin_read(call, story) && !has_failed_operation(call);
}

const std::string* text_of_read(const Call& call, const Story& story) {
  if (!is_undisturbed_read(call, story)) return nullptr;
  const auto path = text_at(begin_of(call)->args.get(), "path");
  const Json* before_run = first_file(path, story);
  const Json* after_run = final_file(path, story);
  if (before_run == nullptr || after_run == nullptr || *before_run != *after_run) return nullptr;
  const Json& text = at(*before_run, "text");
  return text.is_string() ? text.get_ptr<const std::string*>() : nullptr;
}

std::optional<double> number_given(const Call& call, const char* key) {
  const Json& value = at(begin_of(call)->args.get(), key);
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

Window window_of(const Call& call, const Story& story) {
  const std::string& text = *text_of_read(call, story);
  const auto lines = lines_of(text);
  Window window;
  window.total = static_cast<std::int64_t>(lines.size());
  window.first = whole_number(call, "offset").value_or(1);
  window.last = window.first - 1;
  window.is_beyond_end = window.first > std::max<std::int64_t>(1, window.total);
  if (window.is_beyond_end) return window;
  const auto limit = whole_number(call, "limit");
  const auto wanted = limit ? std::min(window.total, window.first + *limit - 1) : window.total;
  fill(window, lines, wanted);
  if (window.last < window.total) window.next = lines[static_cast<std::size_t>(window.last)];
  // The final line break is shown where it fits.
  const bool ends = window.last == window.total && text.ends_with('\n') && !window.is_cut;
  window.hides_final_break = ends && std::ssize(window.shown) == kBytesMax;
  if (ends && !window.hides_final_break) window.shown += '\n';
  return window;
}

std::optional<std::string> notice_after(const Window& window, const Call& call) {
  const auto text = result_text(call);
  if (!text.starts_with(window.shown)) return std::nullopt;
  return text.substr(window.shown.size());
}

std::vector<std::int64_t> numbers_in(const std::string& text) {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] < '0' || text[i] > '9') continue;
    const auto end = std::min(text.find_first_not_of("0123456789", i), text.size());
    numbers.push_back(end - i < 18 ? std::stoll(text.substr(i, end - i)) : -1);
    i = end;
  }
  return numbers;
}

}  // namespace plumb::invariants
