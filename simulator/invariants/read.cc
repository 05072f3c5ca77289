// SPDX-License-Identifier: Apache-2.0
// What the read tool shows of a text file: the caps, the offset, the way on.
#include <string>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/read_view.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

bool is_readable(const Call& call, const Story& story) {
  if (text_of_read(call, story) == nullptr || is_error(call)) return false;
  // A first line beyond the cap has a rule of its own.
  const auto window = window_of(call, story);
  return window.last >= window.first;
}

bool is_cut(const Call& call, const Story& story) {
  return is_readable(call, story) && window_of(call, story).is_cut;
}

bool has_offset(const Call& call, const Story& story) {
  return is_readable(call, story) && number_given(call, "offset").value_or(0) >= 2;
}

/// What of a result may be lines of the file: all of it, or all before a last note in brackets that
/// an empty line sets apart.
std::vector<std::string> bodies_of(const std::string& text) {
  std::vector<std::string> bodies{text};
  const auto note = text.rfind("\n\n[");
  if (note != std::string::npos && text.ends_with(']')) bodies.push_back(text.substr(0, note));
  return bodies;
}

Complaint shows_the_window(const Call& call, const Story& story) {
  const auto window = window_of(call, story);
  const auto notice = notice_after(window, call);
  if (!notice) {
    Finding found = finding("the result does not show the lines from " +
                                std::to_string(window.first) + " to " + std::to_string(window.last),
                            read_end(call));
    found.expected = window.shown.substr(0, 120);
    found.actual = result_text(call).substr(0, 120);
    return found;
  }
  const bool ends = window.last == window.total;
  const bool is_whole = std::ranges::any_of(bodies_of(result_text(call)), [&](const auto& body) {
    return body == window.shown || (ends && body == window.shown + "\n");
  });
  return require(is_whole || window.hides_final_break, "the result shows more lines than it should",
                 read_end(call));
}

Complaint says_where_to_go_on(const Call& call, const Story& story) {
  const auto window = window_of(call, story);
  const auto notice = notice_after(window, call).value_or("");
  const bool is_complete = says_number(notice, window.first) && says_number(notice, window.last) &&
                           says_number(notice, window.last + 1);
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
          .among({"read"})
          .when(is_cut)
          .expect(shows_the_window),
      rule("READ-03", "with an offset above 1 the result begins with that line, counted from 1")
          .for_each_call()
          .among({"read"})
          .when(has_offset)
          .expect(shows_the_window),
      rule("READ-04",
           "after cut text stands a notice with the first and last line shown and the next offset")
          .for_each_call()
          .among({"read"})
          .when(is_cut)
          .expect(says_where_to_go_on),
  };
}

}  // namespace plumb::invariants
