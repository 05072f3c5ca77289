// SPDX-License-Identifier: Apache-2.0
// The report that a person reads in a terminal: nothing but failures while the run goes on, then
// the counts with all their parts, then the total as the last line.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "reports/reporter.h"

namespace plumb::reports {

/// Decided by the caller, who knows the terminal and NO_COLOR.
struct TerminalStyle {
  bool has_color = false;
  std::int64_t columns = 100;  ///< Cards use at most 100, and at least 40.
  bool unicode = true;
};

/// Where text goes; the reporter makes no other effect.
using TextSink = std::function<void(std::string_view)>;

/// One line, written over itself, for runs that take long. Prints nothing when not on a terminal.
class ProgressLine final {
 public:
  ProgressLine(TextSink sink, TerminalStyle style, bool is_terminal)
      : sink_(std::move(sink)), style_(style), is_terminal_(is_terminal) {}

  /// At most one line in 100 ms; `now_ms` is any clock that does not go back. A total of 0 is
  /// unknown.
  void update(std::int64_t now_ms, std::int64_t done, std::int64_t total, std::string_view what);
  /// Erases the line, if there is one. Call before anything else is printed.
  void clear();

 private:
  TextSink sink_;
  TerminalStyle style_;
  bool is_terminal_;
  std::int64_t printed_columns_ = 0;
  std::int64_t next_at_ms_ = INT64_MIN;
};

class TerminalReporter final : public Reporter {
 public:
  /// `progress` may be null; it is cleared before each line and must outlive the reporter.
  explicit TerminalReporter(TextSink sink, TerminalStyle style = {},
                            ProgressLine* progress = nullptr)
      : sink_(std::move(sink)), style_(style), progress_(progress) {}

  void run_started(const Record& head) override;
  void scenario_finished(const ScenarioResult& scenario) override;
  void run_finished(const Record& record) override;

 private:
  void print(std::string_view text);

  TextSink sink_;
  TerminalStyle style_;
  ProgressLine* progress_;
};

/// What `TerminalReporter` prints for the whole record.
std::string terminal_text(const Record& record, const TerminalStyle& style = {});

}  // namespace plumb::reports
