// SPDX-License-Identifier: Apache-2.0
// The corners of what read shows: limits, long lines, ends of files, and the chain of hints.
#include <algorithm>
#include <map>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/read_view.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

using WindowTest = bool (*)(const Window& window, const Call& call);

/// A successful read of a known text with a window like this.
Condition<Call> has_window(WindowTest test) {
  return [test](const Call& call, const Story& story) {
    return text_of_read(call, story) != nullptr && !is_error(call) &&
           test(window_of(call, story), call);
  };
}

bool is_long_line(const std::string& line) {
  return std::ssize(line) > kBytesMax;
}

bool shows_lines(const Window& window) {
  return !window.is_beyond_end && window.last >= window.first;
}

bool has_limit_and_cut(const Window& window, const Call& call) {
  return shows_lines(window) && window.is_cut && number_given(call, "limit").has_value();
}

bool is_stopped_by_limit(const Window& window, const Call& call) {
  return shows_lines(window) && !window.is_cut && window.last < window.total &&
         number_given(call, "limit").value_or(0) >= 1;
}

bool is_cut_by_bytes(const Window& window, const Call&) {
  return shows_lines(window) && window.is_cut_by_bytes;
}

bool just_fits(const Window& window, const Call&) {
  const bool is_full =
      window.last - window.first + 1 == kLinesMax || std::ssize(window.shown) == kBytesMax;
  return shows_lines(window) && !window.is_cut && window.last == window.total && is_full &&
         !window.hides_final_break;
}

bool begins_with_a_long_line(const Window& window, const Call&) {
  return !window.is_beyond_end && window.last < window.first && is_long_line(window.next);
}

/// A line that alone is too long follows on those that are shown.
bool stops_at_a_long_line(const Window& window, const Call&) {
  return shows_lines(window) && window.is_cut_by_bytes && is_long_line(window.next);
}

bool has_low_offset(const Window& window, const Call& call) {
  return shows_lines(window) && number_given(call, "offset").value_or(1) < 1;
}

bool has_odd_numbers(const Window& window, const Call& call) {
  const auto is_odd = [](std::optional<double> number) {
    return number &&
           (*number < 1 || *number != static_cast<double>(static_cast<std::int64_t>(*number)));
  };
  return shows_lines(window) &&
         (is_odd(number_given(call, "limit")) || is_odd(number_given(call, "offset")));
}

bool reaches_the_end(const Window& window, const Call&) {
  return shows_lines(window) && !window.is_cut && window.last == window.total &&
         !window.hides_final_break;
}

bool is_whole(const Window& window, const Call& call) {
  return reaches_the_end(window, call) && window.first == 1 &&
         !number_given(call, "limit").has_value();
}

// ------------------------------------------------------------------ expectations

Complaint shows_just_the_window(const Call& call, const Story& story) {
  const auto window = window_of(call, story);
  const auto notice = notice_after(window, call);
  if (!notice) {
    return finding("the result does not show the lines from " + std::to_string(window.first) +
                       " to " + std::to_string(window.last),
                   read_end(call));
  }
  const bool goes_on = !window.next.empty() && notice->starts_with("\n" + window.next + "\n");
  return require(!goes_on, "the result shows more lines than it may", read_end(call));
}

Complaint hints_at(const Call& call, const Window& window, std::int64_t offset) {
  const auto notice = notice_after(window, call).value_or("");
  return require(says_number(notice, offset),
                 "the result does not name the next offset " + std::to_string(offset),
                 read_end(call));
}

Complaint hints_at_the_next_line(const Call& call, const Story& story) {
  const auto window = window_of(call, story);
  return hints_at(call, window, window.last + 1);
}

Complaint tells_what_remains(const Call& call, const Story& story) {
  const auto window = window_of(call, story);
  const auto notice = notice_after(window, call).value_or("");
  if (!says_number(notice, window.total - window.last)) {
    return finding("the result does not name the number of remaining lines", read_end(call));
  }
  return require(at(result_of(call), "details").is_null() || at(result_of(call), "details").empty(),
                 "a read that its limit ends has details", read_end(call));
}

Complaint shows_nothing_else(const Call& call, const Story& story) {
  const auto window = window_of(call, story);
  return differ("text of " + text_at(begin_of(call)->args.get(), "path"), Json(window.shown),
                Json(result_text(call)), read_end(call));
}

Complaint is_the_text_itself(const Call& call, const Story& story) {
  return differ("text of " + text_at(begin_of(call)->args.get(), "path"),
                Json(*text_of_read(call, story)), Json(result_text(call)), read_end(call));
}

Complaint tells_of_the_long_line(const Call& call, const Story& story) {
  const auto window = window_of(call, story);
  const auto text = result_text(call);
  if (text.contains(window.next.substr(0, 1000))) {
    return finding("a line beyond the cap is shown", read_end(call));
  }
  const Json& truncation = at(at(result_of(call), "details"), "truncation");
  if (at(truncation, "firstLineExceedsLimit") != true) {
    return finding("details do not say that the first line is beyond the cap", read_end(call));
  }
  return require(says_number(text, window.first), "the notice does not name the line",
                 read_end(call));
}

Complaint names_the_long_line(const Call& call, const Story& story) {
  const auto line = window_of(call, story).first;
  return require(says_number(result_text(call), line),
                 "the notice does not name line " + std::to_string(line), read_end(call));
}

/// The read that follows the hint tells of the line (READ-10).
Complaint hint_leads_to_its_notice(const Call& call, const Story& story) {
  const auto next = window_of(call, story).last + 1;
  const auto path = text_at(begin_of(call)->args.get(), "path");
  for (const auto& other : story.calls) {
    if (text_of_read(other, story) == nullptr || is_error(other)) continue;
    if (text_at(begin_of(other)->args.get(), "path") != path) continue;
    const auto window = window_of(other, story);
    if (window.is_beyond_end || window.first != next) continue;
    if (auto wrong = tells_of_the_long_line(other, story)) return wrong;
  }
  return std::nullopt;
}

/// The largest number after the text is where to go on; it must lie behind what was shown.
Complaint goes_forward(const Call& call, const Story& story) {
  const auto window = window_of(call, story);
  const auto notice = notice_after(window, call);
  if (!notice) return finding("the result does not show a line", read_end(call));
  if (window.last == window.total) return std::nullopt;
  return hints_at(call, window, window.last + 1);
}

Complaint hints_at_nothing(const Call& call, const Story& story) {
  const auto window = window_of(call, story);
  const auto notice = notice_after(window, call).value_or("");
  return require(!says_number(notice, window.total + 1),
                 "the result hints at an offset behind the last line", read_end(call));
}

// ------------------------------------------------------------------ the end (READ-13)

bool is_beyond_the_end(const Call& call, const Story& story) {
  return text_of_read(call, story) != nullptr && window_of(call, story).is_beyond_end;
}

Complaint tells_offset_and_total(const Call& call, const Story& story) {
  const auto window = window_of(call, story);
  if (!is_error(call)) return finding("an offset beyond the end is no error", read_end(call));
  const auto text = result_text(call);
  return require(says_number(text, window.first) && says_number(text, window.total),
                 "the error does not name the offset and the number of lines", read_end(call));
}

// ------------------------------------------------------------------ the chain (READ-05)

/// Reads of one file that begin at its first line and go on where the one before said.
class HintChecker final : public Checker {
 public:
  void finish(const Story& story, Report& report) override {
    std::map<std::string, std::map<std::int64_t, const Call*>> by_start;
    for (const auto& call : story.calls) {
      if (text_of_read(call, story) == nullptr || is_error(call)) continue;
      const auto window = window_of(call, story);
      if (window.is_beyond_end) continue;
      by_start[text_at(begin_of(call)->args.get(), "path")][window.first] = &call;
    }
    for (const auto& [path, reads] : by_start) follow(reads, story, report);
  }

 private:
  static void follow(const std::map<std::int64_t, const Call*>& reads, const Story& story,
                     Report& report) {
    std::vector<const Call*> chain;
    std::int64_t next = 1;
    std::int64_t total = 1;
    while (next <= total && reads.contains(next)) {
      chain.push_back(reads.at(next));
      const auto window = window_of(*chain.back(), story);
      total = window.total;
      // A line beyond the cap is passed by.
      next = std::max(window.last, window.first) + 1;
    }
    if (chain.size() < 2 || next <= total) return;
    report.trigger();
    for (const Call* call : chain) judge(*call, story, report);
  }

  static void judge(const Call& call, const Story& story, Report& report) {
    const auto window = window_of(call, story);
    if (!shows_lines(window)) return report.complain(names_the_long_line(call, story));
    report.complain(shows_just_the_window(call, story));
    report.complain(window.last < window.total ? hints_at_the_next_line(call, story)
                                               : hints_at_nothing(call, story));
  }
};

Rule window_rule(std::string id, std::string how, WindowTest test, Expectation<Call> expectation) {
  return rule(std::move(id), std::move(how))
      .for_each_call()
      .when(has_window(test))
      .expect(std::move(expectation));
}

std::vector<Rule> long_line_rules() {
  return {
      window_rule("READ-10",
                  "a first line above 51200 bytes is not shown: its number is, and details say so",
                  begins_with_a_long_line, tells_of_the_long_line),
      rule("READ-11",
           "text ends before a line above 51200 bytes and hints at that line; a read from there "
           "tells of it")
          .for_each_call()
          .among({"read"})
          .when(has_window(stops_at_a_long_line))
          .expect(shows_just_the_window)
          .expect(hints_at_the_next_line)
          .expect(hint_leads_to_its_notice),
      window_rule("READ-12", "what is told of a line above 51200 bytes has its number",
                  begins_with_a_long_line, names_the_long_line),
  };
}

}  // namespace

std::vector<Rule> read_window_rules() {
  std::vector<Rule> rules{
      rule("READ-05",
           "reads that follow each other from line 1 to the end show each line once; each names "
           "the offset of the next, the last none")
          .by<HintChecker>({}),
      rule("READ-06", "a limit does not lift the caps")
          .for_each_call()
          .among({"read"})
          .when(has_window(has_limit_and_cut))
          .expect(shows_just_the_window)
          .expect(hints_at_the_next_line),
      rule("READ-07", "a limit that ends the text names the remaining lines and the next offset")
          .for_each_call()
          .among({"read"})
          .when(has_window(is_stopped_by_limit))
          .expect(hints_at_the_next_line)
          .expect(tells_what_remains),
      window_rule("READ-08", "text that 51200 bytes end has whole lines only", is_cut_by_bytes,
                  shows_just_the_window),
      window_rule("READ-09", "2000 lines or 51200 bytes are shown whole, without a notice",
                  just_fits, shows_nothing_else),
      rule("READ-13", "an offset beyond the last line is an error with offset and number of lines")
          .for_each_call()
          .among({"read"})
          .when(is_beyond_the_end)
          .expect(tells_offset_and_total),
      window_rule("READ-14", "an offset below 1 shows line 1", has_low_offset,
                  shows_just_the_window),
      window_rule("READ-15", "an odd limit or offset shows a line and hints at the one after it",
                  has_odd_numbers, goes_forward),
      window_rule("READ-16", "text up to the last line has no hint", reaches_the_end,
                  hints_at_nothing),
      window_rule("READ-17", "a file within the caps is shown byte for byte", is_whole,
                  is_the_text_itself),
  };
  for (auto& rule : long_line_rules()) rules.push_back(std::move(rule));
  return rules;
}

}  // namespace plumb::invariants
