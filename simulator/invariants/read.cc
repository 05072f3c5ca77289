// SPDX-License-Identifier: Apache-2.0
// What the read tool shows of a text file. Judged against the file as it was at the start, for
// files that nothing changes in the run.
#include <algorithm>
#include <cstdint>
#include <string>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

constexpr std::int64_t kLinesMax = 2000;
constexpr std::int64_t kBytesMax = 51200;

const Event* read_end(const Call& call) {
  return first(call, "tool_execution_end");
}

/// The file's text if the trace tells it and nothing writes to it.
const std::string* text_of_read(const Call& call, const Story& story) {
  const auto* begin = begin_of(call);
  if (call.name != "read" || begin == nullptr || is_error(call)) return nullptr;
  const auto path = text_at(begin->args.get(), "path");
  const Json* before_run = first_file(path, story);
  const Json* after_run = final_file(path, story);
  if (before_run == nullptr || after_run == nullptr || *before_run != *after_run) return nullptr;
  const Json& text = at(*before_run, "text");
  return text.is_string() ? text.get_ptr<const std::string*>() : nullptr;
}

std::int64_t number_argument(const Call& call, const char* key) {
  const Json& value = at(begin_of(call)->args.get(), key);
  return value.is_number() ? static_cast<std::int64_t>(value.get<double>()) : 0;
}

/// The part of a text that a call has to show, by lines: [first, last], counted from 1.
struct Window {
  std::string shown;
  std::int64_t first = 1;
  std::int64_t last = 0;
  std::string next;     ///< The line after it.
  bool is_cut = false;  ///< By the caps, not by the call's own limit.
};

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

Window window_of(const Call& call, const std::string& text) {
  const auto lines = lines_of(text);
  const auto total = static_cast<std::int64_t>(lines.size());
  Window window;
  window.first = std::max<std::int64_t>(1, number_argument(call, "offset"));
  const auto limit = number_argument(call, "limit");
  const auto wanted = limit > 0 ? std::min(total, window.first + limit - 1) : total;
  window.last = window.first - 1;
  for (auto line = window.first; line <= wanted; ++line) {
    const auto& next = lines[static_cast<std::size_t>(line - 1)];
    const auto glue = line == window.first ? 0 : 1;
    const auto bytes = static_cast<std::int64_t>(window.shown.size() + next.size()) + glue;
    if (line - window.first >= kLinesMax || bytes > kBytesMax) {
      window.is_cut = true;
      break;
    }
    window.shown += (glue == 1 ? "\n" : "") + next;
    window.last = line;
  }
  if (window.last < total) window.next = lines[static_cast<std::size_t>(window.last)];
  return window;
}

bool is_readable(const Call& call, const Story& story) {
  const auto* text = text_of_read(call, story);
  // A first line beyond the cap has a rule of its own.
  return text != nullptr && window_of(call, *text).last > 0;
}

bool is_cut(const Call& call, const Story& story) {
  if (!is_readable(call, story)) return false;
  const auto window = window_of(call, *text_of_read(call, story));
  return window.is_cut && window.last >= window.first;
}

bool has_offset(const Call& call, const Story& story) {
  return is_readable(call, story) && number_argument(call, "offset") > 1;
}

Complaint shows_the_window(const Call& call, const Story& story) {
  const auto window = window_of(call, *text_of_read(call, story));
  const auto text = result_text(call);
  if (!text.starts_with(window.shown)) {
    Finding found = finding("the result does not show the lines from " +
                                std::to_string(window.first) + " to " + std::to_string(window.last),
                            read_end(call));
    found.expected = window.shown.substr(0, 120);
    found.actual = text.substr(0, 120);
    return found;
  }
  const bool goes_on = !window.next.empty() &&
                       text.substr(window.shown.size()).starts_with("\n" + window.next + "\n");
  return require(!goes_on, "the result shows more than the caps allow", read_end(call));
}

bool has_number(const std::string& text, std::int64_t number) {
  return text.find(std::to_string(number)) != std::string::npos;
}

Complaint says_where_to_go_on(const Call& call, const Story& story) {
  const auto window = window_of(call, *text_of_read(call, story));
  const auto text = result_text(call);
  const auto notice = text.size() > window.shown.size() ? text.substr(window.shown.size()) : "";
  const bool is_complete = has_number(notice, window.first) && has_number(notice, window.last) &&
                           has_number(notice, window.last + 1);
  return require(is_complete,
                 "the cut text does not end with its range and the next offset " +
                     std::to_string(window.last + 1),
                 read_end(call));
}

}  // namespace

std::vector<Rule> read_rules() {
  return {
      rule("READ-02",
           "read shows whole lines up to 2000 lines or 51200 bytes and no more; triggered by a "
           "longer file that the run leaves alone")
          .for_each_call()
          .when(is_cut)
          .expect(shows_the_window),
      rule("READ-03", "with an offset above 1 the result begins with that line, counted from 1")
          .for_each_call()
          .when(has_offset)
          .expect(shows_the_window),
      rule("READ-04",
           "after cut text stands a notice with the first and last line shown and the next offset")
          .for_each_call()
          .when(is_cut)
          .expect(says_where_to_go_on),
  };
}

}  // namespace plumb::invariants
