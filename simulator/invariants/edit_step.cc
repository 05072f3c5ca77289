// SPDX-License-Identifier: Apache-2.0
// Which file operations an edit call makes, and in which order.
#include <array>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/edit_case.h"
#include "simulator/invariants/evidence.h"
#include "simulator/invariants/queue_view.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

const Event* step_end(const EditCase& edit) {
  return first(*edit.call, "tool_execution_end");
}

std::vector<const Event*> begins_of(const Call& call, std::string_view op) {
  std::vector<const Event*> begins;
  for (const Event* event : all(call, "file_op")) {
    const auto* operation = event->as<FileOperation>();
    if (operation->op == op && operation->phase == "begin") begins.push_back(event);
  }
  return begins;
}

bool has_succeeded_by_steps(const EditCase& edit, const Story& story) {
  return shows_kind(story, "file_op") && end_of(*edit.call) != nullptr &&
         has_executed(*edit.call) && !is_error(*edit.call);
}

Complaint reads_and_writes_once(const EditCase& edit, const Story&) {
  for (const char* op : {"read", "write"}) {
    const auto begins = begins_of(*edit.call, op);
    if (begins.size() == 1) continue;
    return finding("an edit has " + std::to_string(begins.size()) + " operations " + op,
                   begins.empty() ? step_end(edit) : begins.back());
  }
  return require(!begins_of(*edit.call, "access").empty(), "no access check", step_end(edit));
}

Complaint has_a_turn(const EditCase& edit, const Story& story) {
  if (!needs_turn(*edit.call, story)) return std::nullopt;
  for (const EventName name : {EventName("queue_acquire"), EventName("queue_release")}) {
    if (first(*edit.call, name) != nullptr) continue;
    return finding("an edit without " + std::string(name.text()), step_end(edit));
  }
  return std::nullopt;
}

Complaint steps_are_in_order(const EditCase& edit, const Story& story) {
  const Event* earlier = first(*edit.call, "queue_acquire");
  for (const char* op : {"access", "read", "write"}) {
    const auto begins = begins_of(*edit.call, op);
    if (begins.empty()) continue;
    if (auto early = before(earlier, begins.front(), story)) return early;
    earlier = begins.front();
  }
  return before(earlier, last(*edit.call, "queue_release"), story);
}

bool has_empty_list(const EditCase& edit, const Story& story) {
  const Json& raw = edit.call->raw.get();
  const Json& edits = at(raw, "edits");
  return edits.is_array() && edits.empty() && !at(raw, "oldText").is_string() &&
         end_of(*edit.call) != nullptr && stopper_of(*edit.call) == nullptr &&
         abort_during(*edit.call, story) < 0;
}

Complaint refuses_without_a_look(const EditCase& edit, const Story&) {
  if (const Event* operation = first(*edit.call, "file_op")) {
    return finding("an edit without edits looks at a file", operation);
  }
  if (!is_error(*edit.call)) return finding("an edit without edits is no error", step_end(edit));
  return require(result_text(*edit.call).contains("edit"), "the error is not about the edits",
                 step_end(edit));
}

}  // namespace

std::vector<Rule> edit_step_rules() {
  return {
      rule("EDIT-16",
           "a successful edit: turn in the queue, access, one read, one write, end of the turn")
          .for_each_edit()
          .when(has_succeeded_by_steps)
          .expect(reads_and_writes_once)
          .expect(has_a_turn)
          .expect(steps_are_in_order),
      rule("EDIT-18", "edits [] is an error about the edits, without any file operation")
          .for_each_edit()
          .when(has_empty_list)
          .expect(refuses_without_a_look),
  };
}

}  // namespace plumb::invariants
