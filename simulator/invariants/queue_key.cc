// SPDX-License-Identifier: Apache-2.0
// Which key a call waits for, who waits at all, and what becomes of the key when a call fails.
#include <algorithm>
#include <memory>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/queue_view.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

const FileOperation& work_of(const Event* event) {
  return *event->as<FileOperation>();
}

std::string key_of(const Event* acquired) {
  return acquired->as<QueueAcquire>()->key;
}

/// The last turn that the call took, or null.
const Event* turn_of(const Call& call) {
  return last(call, "queue_acquire");
}

bool is_waiting_tool(const Call& call, const Story& story) {
  if (!is_mutator(call) || end_of(call) == nullptr || !has_executed(call)) return false;
  const Json* tool = tool_of(call, story);
  return tool == nullptr || view_at(*tool, "level") == "builtin";
}

/// The result of the call's own look-up, or "".
std::string lookup_result(const Call& call) {
  for (const Event* event : all(call, "file_op")) {
    if (work_of(event).op == "real_path" && work_of(event).phase == "end") {
      return work_of(event).result;
    }
  }
  return "";
}

// ------------------------------------------------------------------ errors (QUEUE-08, QUEUE-11)

/// It is aborted, or finds no key: then it need not have a turn.
bool may_go_without_turn(const Call& call, const Story& story) {
  const auto operations = all(call, "file_op");
  const bool has_lost_its_way = std::ranges::any_of(operations, [](const Event* event) {
    const auto& work = work_of(event);
    return work.op == "real_path" && work.phase == "end" && work.result != "ok" &&
           work.result != "ENOENT" && work.result != "ENOTDIR";
  });
  return has_lost_its_way || abort_during(call, story) >= 0;
}

bool fails_in_its_turn(const Call& call, const Story& story) {
  return is_waiting_tool(call, story) && turn_of(call) != nullptr && is_error(call) &&
         abort_during(call, story) < 0;
}

/// The next call on the same key has its turn after this one gave it back.
Complaint gives_the_key_back(const Call& call, const Story& story) {
  const Event* released = last(call, "queue_release");
  if (released == nullptr) return finding("a failed call keeps its turn", turn_of(call));
  const Batch* batch = batch_of(call, story);
  if (batch == nullptr) return std::nullopt;
  for (const Call* other : calls_of(*batch, story)) {
    const Event* turn = turn_of(*other);
    if (other == &call || !is_waiting_tool(*other, story)) continue;
    const bool waits = argument_path(*other) == argument_path(call);
    if (waits && turn == nullptr && !may_go_without_turn(*other, story)) {
      return finding("call " + other->id + " never has its turn", released);
    }
    if (waits && turn != nullptr && turn->seq > turn_of(call)->seq)
      return before(released, turn, story);
  }
  return std::nullopt;
}

bool has_no_key(const Call& call, const Story& story) {
  if (!is_waiting_tool(call, story) || abort_during(call, story) >= 0) return false;
  const auto result = lookup_result(call);
  return !result.empty() && result != "ok" && result != "ENOENT" && result != "ENOTDIR";
}

Complaint fails_alone(const Call& call, const Story& story) {
  const Event* end = first(call, "tool_execution_end");
  if (!is_error(call)) return finding("a call without a key succeeds", end);
  if (turn_of(call) != nullptr) return finding("a call without a key has a turn", turn_of(call));
  const Batch* batch = batch_of(call, story);
  if (batch == nullptr) return std::nullopt;
  for (const Call* other : calls_of(*batch, story)) {
    if (other == &call || !is_waiting_tool(*other, story)) continue;
    if (may_go_without_turn(*other, story)) continue;
    if (turn_of(*other) == nullptr) return finding("call " + other->id + " has no turn", end);
  }
  return std::nullopt;
}

// ------------------------------------------------------------------ new files (QUEUE-09, QUEUE-10)

bool is_new_file(const Mutation& mutation, const Story& story) {
  return lookup_result(*mutation.call) == "ENOENT" && story.final_files != nullptr;
}

/// A part of the path is a link of the workspace.
bool leads_through_a_link(const std::string& path, const Story& story) {
  const Json& before = story.final_files->before.get();
  for (auto end = path.find('/'); end != std::string::npos; end = path.find('/', end + 1)) {
    const auto folder = before.find(path.substr(0, end));
    if (folder != before.end() && !at(*folder, "link").is_null()) return true;
  }
  return false;
}

Complaint are_one_after_the_other(const Mutation& a, const Mutation& b, const Story& story) {
  const Event* one = turn_of(*a.call);
  const Event* other = turn_of(*b.call);
  if (one != nullptr && other != nullptr && key_of(one) != key_of(other)) {
    Finding found = finding("one new file has two keys", other);
    found.expected = key_of(one);
    found.actual = key_of(other);
    return found;
  }
  return before(a.last, b.first, story);
}

/// Pairs of calls on one file of which the earlier one makes it, by two spellings of its path.
class NewFileChecker : public Checker {
 public:
  explicit NewFileChecker(bool is_for_links) : is_for_links_(is_for_links) {}

  void finish(const Story& story, Report& report) override {
    const auto mutations = mutations_in(story);
    for (std::size_t j = 1; j < mutations.size(); ++j) {
      for (std::size_t i = 0; i < j; ++i) judge(mutations[i], mutations[j], story, report);
    }
  }

 private:
  void judge(const Mutation& a, const Mutation& b, const Story& story, Report& report) const {
    const bool is_pair = a.call != b.call && a.call->batch == b.call->batch && a.path != b.path &&
                         file_of(a) == file_of(b) && is_new_file(a, story);
    if (!is_pair) return;
    const bool has_link =
        leads_through_a_link(a.path, story) || leads_through_a_link(b.path, story);
    if (has_link != is_for_links_) return;
    report.trigger();
    report.complain(are_one_after_the_other(a, b, story));
  }
  static const std::string& file_of(const Mutation& mutation) { return mutation.real_path; }

  bool is_for_links_;
};

Rule new_file_rule(std::string id, std::string how, bool is_for_links) {
  return Rule{std::move(id), std::move(how), {}, [is_for_links] {
                return std::make_unique<NewFileChecker>(is_for_links);
              }};
}

// ------------------------------------------------------------------ the file held (QUEUE-13)

/// It waited, and its path or a link on the way led elsewhere in the end.
bool had_a_moving_path(const Call& call, const Story& story) {
  if (!is_waiting_tool(call, story) || turn_of(call) == nullptr) return false;
  std::string path;
  std::string seen;
  for (const Event* event : all(call, "file_op")) {
    if (work_of(event).op != "real_path" || work_of(event).phase != "end") continue;
    if (seen.empty()) {
      path = work_of(event).path;
      seen = work_of(event).real_path;
    }
    if (work_of(event).path == path && work_of(event).real_path != seen) return true;
  }
  return false;
}

Complaint changes_the_file_it_holds(const Call& call, const Story&) {
  for (const Event* event : all(call, "file_op")) {
    if (work_of(event).op != "write" && work_of(event).op != "read") continue;
    const Event* held = nullptr;
    for (const Event* turn : all(call, "queue_acquire")) {
      if (turn->seq < event->seq) held = turn;
    }
    if (held == nullptr || key_of(held) == work_of(event).real_path) continue;
    Finding found = finding("the call works on a file whose turn it has not", event);
    found.expected = key_of(held);
    found.actual = work_of(event).real_path;
    return found;
  }
  return std::nullopt;
}

// ------------------------------------------------------------------ one process (QUEUE-15)

/// The host writes the file between the call's read and its write.
bool is_written_from_outside(const Call& call, const Story& story) {
  if (!is_waiting_tool(call, story) || !is_undisturbed(call, story)) return false;
  std::int64_t read = -1;
  std::int64_t write = -1;
  for (const Event* event : all(call, "file_op")) {
    const bool is_read = work_of(event).op == "read" && work_of(event).phase == "end";
    if (is_read && read < 0) read = event->seq;
    if (work_of(event).op == "write" && work_of(event).phase == "end") write = event->seq;
  }
  return read >= 0 && std::ranges::any_of(story.steps, [&](const Event* event) {
           const auto* step = event->as<Step>();
           return step->step == "write" && event->seq > read && (write < 0 || event->seq < write) &&
                  file_key(text_at(step->data.get(), "path"), story) ==
                      file_key(argument_path(call), story);
         });
}

Complaint its_write_wins(const Call& call, const Story& story) {
  const Event* end = first(call, "tool_execution_end");
  if (is_error(call)) return finding("an outside writer makes the call fail", end);
  std::string hash;
  for (const Event* event : all(call, "file_op")) {
    if (work_of(event).op == "write" && work_of(event).phase == "end") hash = work_of(event).hash;
  }
  const Json* file = final_file(argument_path(call), story);
  if (file == nullptr || hash.empty()) return finding("the call's write is gone", end);
  return differ("content of " + argument_path(call), Json(hash), at(*file, "sha256"), end);
}

// ------------------------------------------------------------------ who waits (QUEUE-16, QUEUE-17)

bool holds_a_turn_for_some_time(const Call& call, const Story& story) {
  const Event* turn = turn_of(call);
  const Event* released = last(call, "queue_release");
  return is_waiting_tool(call, story) && story.header.is_clock_virtual && turn != nullptr &&
         released != nullptr && released->at > turn->at;
}

std::string file_held(const Call& call) {
  for (const Event* event : all(call, "file_op")) {
    if (work_of(event).op == "write") return work_of(event).real_path;
  }
  return "";
}

/// Operations of another tool on a file whose turn a call holds do not wait for it.
class OutsiderChecker : public Checker {
 public:
  explicit OutsiderChecker(bool is_for_builtins) : is_for_builtins_(is_for_builtins) {}

  void finish(const Story& story, Report& report) override {
    for (const auto& batch : story.batches) {
      for (const Call* holder : calls_of(batch, story)) {
        if (!holds_a_turn_for_some_time(*holder, story) || is_sequential(batch, story)) continue;
        judge(batch, *holder, story, report);
      }
    }
  }

 private:
  bool is_outsider(const Call& call, const Story& story) const {
    const Json* tool = tool_of(call, story);
    const bool is_builtin = tool != nullptr && view_at(*tool, "level") == "builtin";
    return !is_mutator(call) && is_builtin == is_for_builtins_ && has_executed(call);
  }
  void judge(const Batch& batch, const Call& holder, const Story& story, Report& report) const {
    const auto file = file_held(holder);
    for (const Call* other : calls_of(batch, story)) {
      if (!is_outsider(*other, story)) continue;
      for (const Event* event : all(*other, "file_op")) {
        if (work_of(event).real_path != file || work_of(event).phase != "begin") continue;
        report.trigger();
        report.complain(require(event->at < last(holder, "queue_release")->at,
                                "call " + other->id + " waits for the turn of call " + holder.id,
                                event));
        break;
      }
      if (turn_of(*other) != nullptr) {
        report.complain(finding("a tool that changes no file has a turn", turn_of(*other)));
      }
    }
  }

  bool is_for_builtins_;
};

Rule outsider_rule(std::string id, std::string how, bool is_for_builtins) {
  return Rule{std::move(id), std::move(how), {}, [is_for_builtins] {
                return std::make_unique<OutsiderChecker>(is_for_builtins);
              }};
}

}  // namespace

std::vector<Rule> queue_key_rules() {
  return {
      rule("QUEUE-08", "a call that fails in its turn gives it back, and the next one has it")
          .for_each_call()
          .among({"edit", "write"})
          .when(fails_in_its_turn)
          .expect(gives_the_key_back),
      new_file_rule("QUEUE-09",
                    "two spellings of one new path have one key; triggered by dot segments", false),
      new_file_rule("QUEUE-10", "a new file has one key, by its folder and by a link to the folder",
                    true),
      rule("QUEUE-11", "a path that cannot be looked up fails its call and no other of the batch")
          .for_each_call()
          .among({"edit", "write"})
          .when(has_no_key)
          .expect(fails_alone),
      rule("QUEUE-13",
           "a call reads and writes the file of the turn it holds; triggered when its path led "
           "elsewhere at the second look")
          .for_each_call()
          .among({"edit", "write"})
          .when(had_a_moving_path)
          .expect(changes_the_file_it_holds),
      rule("QUEUE-15",
           "a file that the host writes between a call's read and write has what the call wrote")
          .for_each_call()
          .among({"edit", "write"})
          .when(is_written_from_outside)
          .expect(its_write_wins),
      outsider_rule("QUEUE-16", "a custom tool works on a file whose turn a call holds", false),
      outsider_rule("QUEUE-17", "a built-in tool that changes no file works on a held file", true),
  };
}

}  // namespace plumb::invariants
