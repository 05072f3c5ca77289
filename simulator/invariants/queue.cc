// SPDX-License-Identifier: Apache-2.0
// One file, one turn after the other.
#include <algorithm>
#include <functional>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/queue_view.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

using Pairing = std::function<bool(const Mutation&, const Mutation&)>;
using PairCheck = std::function<Complaint(const Mutation&, const Mutation&, const Story&)>;

bool shares_file(const Mutation& a, const Mutation& b) {
  return a.call != b.call && a.real_path == b.real_path;
}

bool shares_batch(const Mutation& a, const Mutation& b) {
  return a.call->batch >= 0 && a.call->batch == b.call->batch;
}

/// Judges pairs of mutations in the order of their first operation. Pairs of one file are
/// neighbours in their queue, so only neighbours are looked at.
class PairChecker : public Checker {
 public:
  PairChecker(Pairing pairing, PairCheck check)
      : pairing_(std::move(pairing)), check_(std::move(check)) {}

  void finish(const Story& story, Report& report) override {
    const auto mutations = mutations_in(story);
    for (std::size_t j = 1; j < mutations.size(); ++j) {
      for (std::size_t i = j; i-- > 0;) {
        if (!pairing_(mutations[i], mutations[j])) continue;
        report.trigger();
        report.complain(check_(mutations[i], mutations[j], story));
        break;
      }
    }
  }

 private:
  Pairing pairing_;
  PairCheck check_;
};

Rule pair_rule(std::string id, std::string how, Pairing pairing, PairCheck check) {
  return Rule{std::move(id), std::move(how), {}, [pairing, check] {
                return std::make_unique<PairChecker>(pairing, check);
              }};
}

Complaint are_apart(const Mutation& a, const Mutation& b, const Story& story) {
  if (a.last->seq < b.first->seq) return std::nullopt;
  if (!story.is_order_certain(*a.last, *b.first)) return unknowable(*a.last, *b.first);
  Finding found =
      contrast("calls " + a.call->id + " and " + b.call->id + " work on " + a.real_path +
                   " at the same time",
               "call " + a.call->id + " done before call " + b.call->id + " begins",
               "call " + b.call->id + " begins at seq " + std::to_string(b.first->seq) + ", call " +
                   a.call->id + " is done at seq " + std::to_string(a.last->seq),
               b.first);
  found.related = {a.first->seq, a.last->seq, b.last->seq};
  return found;
}

bool shares_file_by_two_names(const Mutation& a, const Mutation& b) {
  return shares_file(a, b) && a.path != b.path;
}

bool mixes_tools(const Mutation& a, const Mutation& b) {
  return shares_file(a, b) && a.call->name != b.call->name;
}

bool both_read_and_write(const Mutation& a, const Mutation& b) {
  return shares_file(a, b) && a.has_read && a.has_written && b.has_read && b.has_written;
}

const Event* operation_of(const Mutation& mutation, std::string_view op, std::string_view phase) {
  for (const Event* event : all(*mutation.call, "file_op")) {
    const auto* operation = event->as<FileOperation>();
    const bool is_here =
        operation->real_path == mutation.real_path || operation->path == mutation.real_path;
    if (is_here && operation->op == op && operation->phase == phase) return event;
  }
  return nullptr;
}

/// What the later call reads is what the earlier one wrote: no lost update.
Complaint read_follows_write(const Mutation& a, const Mutation& b, const Story& story) {
  return before(operation_of(a, "write", "end"), operation_of(b, "read", "begin"), story);
}

bool are_neighbours_in_source(const Mutation& a, const Mutation& b) {
  return shares_file(a, b) && shares_batch(a, b);
}

Complaint keeps_call_order(const Mutation& a, const Mutation& b, const Story&) {
  if (a.call->position < b.call->position) return std::nullopt;
  return contrast("call " + a.call->id + " overtook call " + b.call->id + " on " + a.real_path,
                  b.call->id + " before " + a.call->id, a.call->id + " before " + b.call->id,
                  a.first);
}

Complaint update_is_not_lost(const Mutation& a, const Mutation& b, const Story& story) {
  if (auto lost = read_follows_write(a, b, story)) return lost;
  if (auto outside = stays_within_turn(a, story)) return outside;
  return stays_within_turn(b, story);
}

// ------------------------------------------------------------------ different files

bool took_virtual_time(const Mutation& mutation) {
  return mutation.last->at > mutation.first->at;
}

/// QUEUE-03: in a parallel batch a slow mutation of one file does not delay that of another.
class IndependenceChecker final : public Checker {
 public:
  void finish(const Story& story, Report& report) override {
    const auto mutations = mutations_in(story);
    for (std::size_t j = 1; j < mutations.size(); ++j) judge(mutations, j, story, report);
  }

 private:
  static void judge(const std::vector<Mutation>& mutations, std::size_t j, const Story& story,
                    Report& report) {
    const auto& late = mutations[j];
    const Batch* batch = batch_of(*late.call, story);
    if (batch == nullptr || is_sequential(*batch, story) || is_queued_behind(mutations, j)) return;
    for (std::size_t i = 0; i < j; ++i) {
      const auto& slow = mutations[i];
      if (slow.real_path == late.real_path || !shares_batch(slow, late)) continue;
      if (!took_virtual_time(slow) || !story.header.is_clock_virtual) continue;
      if (was_led_to(late, slow.real_path)) continue;
      report.trigger();
      if (late.first->at < slow.last->at) continue;
      report.complain(contrast("call " + late.call->id + " waits for another file's turn",
                               "it begins before call " + slow.call->id + " is done with " +
                                   slow.real_path + " at " + std::to_string(slow.last->at) + " ms",
                               "it begins at " + std::to_string(late.first->at) + " ms",
                               late.first));
    }
  }

  /// Its path led to that file before it led to its own: it waited for a turn that it then left.
  static bool was_led_to(const Mutation& mutation, const std::string& file) {
    return std::ranges::any_of(all(*mutation.call, "file_op"), [&file](const Event* event) {
      const auto* operation = event->as<FileOperation>();
      return operation->op == "real_path" && operation->real_path == file;
    });
  }

  /// It waits for its own file, which is right.
  static bool is_queued_behind(const std::vector<Mutation>& mutations, std::size_t j) {
    return std::any_of(mutations.begin(), mutations.begin() + static_cast<std::ptrdiff_t>(j),
                       [&](const Mutation& other) { return shares_file(other, mutations[j]); });
  }
};

// ------------------------------------------------------------------ aborted in the queue

/// Looking a path up is not using the file.
bool uses_content(const Event& event) {
  const auto& op = event.as<FileOperation>()->op;
  return op == "read" || op == "access" || changes_files(op);
}

bool touches_files(const Call& call) {
  return std::ranges::any_of(all(call, "file_op"),
                             [](const Event* event) { return uses_content(*event); });
}

/// An edit or write that had no turn yet when the abort came.
bool was_aborted_in_queue(const Call& call, const Story& story) {
  const Batch* batch = batch_of(call, story);
  if (batch == nullptr || !is_mutator(call) || end_of(call) == nullptr) return false;
  const auto abort = abort_during(call, story);
  if (abort < 0) return false;
  const auto operations = all(call, "file_op");
  return std::ranges::none_of(operations, [&](const Event* event) {
    return event->seq < abort && event->as<FileOperation>()->op != "real_path";
  });
}

/// Not even its path is looked up any more.
Complaint touches_nothing(const Call& call, const Story& story) {
  const auto abort = abort_during(call, story);
  for (const Event* event : all(call, "file_op")) {
    const bool begins = event->as<FileOperation>()->phase == "begin" && event->seq > abort;
    if (!begins) continue;
    const auto* operation = event->as<FileOperation>();
    return contrast("aborted call " + call.id + " touches a file",
                    "no file_op of it after seq " + std::to_string(abort),
                    operation->op + " " + operation->path, event);
  }
  if (is_error(call)) return std::nullopt;
  return contrast("aborted call " + call.id + " is no error", "is_error true", "is_error false",
                  first(call, "tool_execution_end"));
}

/// The call before it in the batch that works on the same path.
const Call* running_before(const Call& call, const Story& story) {
  const Call* running = nullptr;
  for (const auto* other : calls_of(*batch_of(call, story), story)) {
    if (other == &call) return running;
    const bool is_same =
        file_key(argument_path(*other), story) == file_key(argument_path(call), story);
    if (is_mutator(*other) && is_same && touches_files(*other)) running = other;
  }
  return running;
}

bool waited_for_its_turn(const Call& call, const Story& story) {
  return was_aborted_in_queue(call, story) && has_executed(call) &&
         running_before(call, story) != nullptr;
}

/// The call before it on the same file is over when the waiting one ends.
Complaint keeps_its_place(const Call& call, const Story& story) {
  return before(last(*running_before(call, story), "file_op"), first(call, "execute_end"), story);
}

std::vector<Rule> abort_in_queue_rules() {
  return {
      rule("EDIT-54",
           "an edit or write that had touched no file when the abort came touches none: an error")
          .for_each_call()
          .among({"edit", "write"})
          .when(was_aborted_in_queue)
          .expect(touches_nothing),
      rule("QUEUE-07",
           "a call aborted while it waits for its file ends after the call before it, touching "
           "nothing")
          .for_each_call()
          .among({"edit", "write"})
          .when(waited_for_its_turn)
          .expect(touches_nothing)
          .expect(keeps_its_place),
  };
}

}  // namespace

std::vector<Rule> queue_rules() {
  std::vector<Rule> rules{
      pair_rule("QUEUE-01",
                "file operations of two calls with one real path lie apart; triggered when the "
                "calls name it differently",
                shares_file_by_two_names, are_apart),
      pair_rule("QUEUE-02", "file operations of two edit or write calls on one file lie apart",
                shares_file, are_apart),
      rule("QUEUE-03",
           "in a parallel batch a call on another file begins before a slow one is over")
          .by<IndependenceChecker>({}),
      pair_rule("QUEUE-04", "calls of one batch work on their file in source order",
                are_neighbours_in_source, keeps_call_order),
      pair_rule("QUEUE-05",
                "a call reads its file after the write of the call before it, and within its turn",
                both_read_and_write, update_is_not_lost),
      pair_rule("WRITE-02", "file operations of an edit and a write on one file lie apart",
                mixes_tools, are_apart),
  };
  for (auto& rule : abort_in_queue_rules()) rules.push_back(std::move(rule));
  return rules;
}

}  // namespace plumb::invariants
