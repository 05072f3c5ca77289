// SPDX-License-Identifier: Apache-2.0
// The file operations of edit and write: their steps, their failures, and an abort in the middle.
#include <algorithm>
#include <array>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/queue_view.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

const FileOperation& op_of(const Event* event) {
  return *event->as<FileOperation>();
}

const Event* change_end(const Call& call) {
  return first(call, "tool_execution_end");
}

/// The first operation of this name and phase; with `since` the first after it.
const Event* operation(const Call& call, std::string_view op, std::string_view phase,
                       std::int64_t since = -1) {
  for (const Event* event : all(call, "file_op")) {
    if (op_of(event).op == op && op_of(event).phase == phase && event->seq > since) return event;
  }
  return nullptr;
}

/// The first operation of `ops` that failed, or null.
const Event* failure_of(const Call& call, std::initializer_list<std::string_view> ops) {
  for (const Event* event : all(call, "file_op")) {
    const auto& one = op_of(event);
    const bool is_one = std::ranges::find(ops, one.op) != ops.end();
    if (is_one && one.phase == "end" && one.result != "ok") return event;
  }
  return nullptr;
}

bool is_builtin_call(const Call& call, std::string_view name, const Story& story) {
  if (call.name != name || end_of(call) == nullptr || !has_executed(call)) return false;
  const Json* tool = tool_of(call, story);
  return (tool == nullptr || view_at(*tool, "level") == "builtin") && has_own_result(call);
}

bool is_change(const Call& call, const Story& story) {
  return is_builtin_call(call, "edit", story) || is_builtin_call(call, "write", story);
}

Condition<Call> of_tool(std::string_view name) {
  return
      [name](const Call& call, const Story& story) { return is_builtin_call(call, name, story); };
}

bool is_not_aborted(const Call& call, const Story& story) {
  return abort_during(call, story) < 0;
}

bool wrote_file(const Call& call, const Story&) {
  const Event* end = operation(call, "write", "end");
  return end != nullptr && op_of(end).result == "ok";
}

Complaint is_no_error(const Call& call, const Story&) {
  return require(!is_error(call), "the file is written, but the call is an error",
                 change_end(call));
}

// ------------------------------------------------------------------ access (EDIT-19, EDIT-20)

bool looks_at_its_file(const Call& call, const Story&) {
  return operation(call, "access", "begin") != nullptr ||
         operation(call, "read", "begin") != nullptr;
}

Complaint access_comes_first(const Call& call, const Story& story) {
  const Event* access = operation(call, "access", "begin");
  if (access == nullptr) {
    return finding("the file is read unchecked", operation(call, "read", "begin"));
  }
  if (auto late = before(first(call, "queue_acquire"), access, story)) return late;
  if (auto early = before(access, operation(call, "read", "begin"), story)) return early;
  if (failure_of(call, {"access"}) == nullptr) return std::nullopt;
  const Event* read = operation(call, "read", "begin");
  return require(read == nullptr, "a file is read that may not be", read);
}

/// A file that is not there, or that may not be read and written.
bool is_not_accessible(const Call& call, const Story&) {
  return failure_of(call, {"access", "real_path"}) != nullptr &&
         operation(call, "read", "begin") == nullptr &&
         operation(call, "write", "begin") == nullptr;
}

/// The last one: a look-up that finds nothing asks for the folder (QUEUE-09).
const Event* last_failed_lookup(const Call& call) {
  const auto operations = all(call, "file_op");
  const auto found = std::find_if(operations.rbegin(), operations.rend(), [](const Event* event) {
    const auto& one = op_of(event);
    return one.op == "real_path" && one.phase == "end" && one.result != "ok";
  });
  return found == operations.rend() ? nullptr : *found;
}

Complaint names_path_and_code(const Call& call, const Story&) {
  const Event* failed = failure_of(call, {"access"});
  if (failed == nullptr) failed = last_failed_lookup(call);
  const auto text = result_text(call);
  if (!is_error(call)) return finding("an edit without access succeeds", change_end(call));
  if (!text.contains(argument_path(call))) {
    return finding("the error does not name " + argument_path(call), change_end(call));
  }
  return require(text.contains(op_of(failed).result),
                 "the error does not name " + op_of(failed).result, change_end(call));
}

// ------------------------------------------------------------------ nothing new (EDIT-21)

/// The listing's entry for exactly this path below the workspace.
const Json* entry_of(const Json& listing, std::string path) {
  while (path.starts_with("./")) path.erase(0, 2);
  if (!listing.is_object()) return nullptr;
  const auto found = listing.find(path);
  return found == listing.end() ? nullptr : &*found;
}

bool names_no_file(const Call& call, const Story& story) {
  if (story.final_files == nullptr) return false;
  const Json* entry = entry_of(story.final_files->before.get(), argument_path(call));
  if (entry != nullptr) return at(*entry, "dir") == true;
  const auto path = argument_path(call);
  const bool is_plain = !path.empty() && !path.starts_with('/') && !path.contains("..") &&
                        !path.starts_with('@') && !path.starts_with('~') && !path.contains(':');
  return is_plain && failure_of(call, {"real_path"}) != nullptr;
}

Complaint makes_no_file(const Call& call, const Story& story) {
  if (!is_error(call)) return finding("an edit without a file succeeds", change_end(call));
  if (const Event* write = operation(call, "write", "begin")) {
    return finding("an edit makes " + argument_path(call), write);
  }
  const Json* was = entry_of(story.final_files->before.get(), argument_path(call));
  const Json* is = entry_of(story.final_files->files.get(), argument_path(call));
  return require(was != nullptr || is == nullptr, argument_path(call) + " is there now",
                 change_end(call));
}

// ------------------------------------------------------------------ in place (EDIT-31, WRITE-05)

/// The name that leads the call to its file in the listing, or null.
const Json* listed(const Call& call, const Json& listing) {
  return entry_of(listing, argument_path(call));
}

/// The host itself puts something else in its place.
bool is_moved_by_host(const Call& call, const Story& story) {
  return std::ranges::any_of(story.steps, [&](const Event* event) {
    const auto* step = event->as<Step>();
    return step->step == "write" && text_at(step->data.get(), "path") == argument_path(call);
  });
}

bool writes_what_was_there(const Call& call, const Story& story) {
  return story.final_files != nullptr && wrote_file(call, story) && !is_error(call) &&
         listed(call, story.final_files->before.get()) != nullptr && !is_moved_by_host(call, story);
}

bool writes_to_a_link(const Call& call, const Story& story) {
  return writes_what_was_there(call, story) &&
         !at(*listed(call, story.final_files->before.get()), "link").is_null();
}

bool replaces_a_file(const FileOperation& operation) {
  constexpr std::array<std::string_view, 4> kOps{"rename", "remove", "symlink", "hard_link"};
  return std::ranges::find(kOps, operation.op) != kOps.end();
}

Complaint stays_the_same_object(const Call& call, const Story& story) {
  for (const Event* event : all(call, "file_op")) {
    const auto& operation = op_of(event);
    if (!replaces_a_file(operation)) continue;
    return finding("the file is replaced by the operation " + std::string(operation.op), event);
  }
  const Json& was = *listed(call, story.final_files->before.get());
  const Json* is = listed(call, story.final_files->files.get());
  if (is == nullptr) return finding(argument_path(call) + " is gone", change_end(call));
  for (const char* key : {"link", "mode"}) {
    if (auto other = differ(argument_path(call) + ": " + key, at(was, key), at(*is, key),
                            change_end(call))) {
      return other;
    }
  }
  return std::nullopt;
}

/// What a link leads to in the end, for links to files in the workspace's own folder; or null.
const Json* end_of_links(const Json& listing, const std::string& path) {
  const Json* entry = entry_of(listing, path);
  for (int hop = 0; hop < 8 && entry != nullptr && at(*entry, "link").is_string(); ++hop) {
    entry = entry_of(listing, text_at(*entry, "link"));
  }
  return entry;
}

/// The content of a write stands in the file that the link leads to.
Complaint target_has_the_content(const Call& call, const Story& story) {
  const Json* target = end_of_links(story.final_files->files.get(), argument_path(call));
  if (target == nullptr) return finding("the link's target is not written", change_end(call));
  return differ("content of the link's target", at(begin_of(call)->args.get(), "content"),
                at(*target, "text"), change_end(call));
}

// ------------------------------------------------------------------ abort (EDIT-55..57, WRITE-04)

/// An operation of the call was open at `seq`.
const Event* open_at(const Call& call, std::int64_t seq) {
  const Event* open = nullptr;
  for (const Event* event : all(call, "file_op")) {
    if (event->seq > seq) break;
    open = op_of(event).phase == "begin" ? event : nullptr;
  }
  return open;
}

bool is_aborted_in_an_operation(const Call& call, const Story& story) {
  const auto abort = abort_during(call, story);
  return abort >= 0 && open_at(call, abort) != nullptr;
}

bool is_aborted_at(const Call& call, std::string_view op, const Story& story) {
  const auto abort = abort_during(call, story);
  const Event* open = abort < 0 ? nullptr : open_at(call, abort);
  return open != nullptr && op_of(open).op == op;
}

Complaint begins_nothing_more(const Call& call, const Story& story) {
  const auto abort = abort_during(call, story);
  for (const Event* event : all(call, "file_op")) {
    if (event->seq < abort || op_of(event).phase != "begin") continue;
    return finding("an aborted call goes on with " + op_of(event).op, event);
  }
  return require(is_error(call), "an aborted call is no error", change_end(call));
}

/// The turn lasts as long as the operation, and so does the call.
Complaint waits_for_the_operation(const Call& call, const Story& story) {
  const Event* open = open_at(call, abort_during(call, story));
  const Event* done = operation(call, op_of(open).op, "end", open->seq);
  const Event* settled = first(call, "execute_end");
  if (done == nullptr) {
    return finding("the call ends, its operation " + op_of(open).op + " does not", open);
  }
  if (auto early = before(done, settled, story)) return early;
  return before(done, last(call, "queue_release"), story);
}

bool is_aborted_in_a_write(const Call& call, const Story& story) {
  return is_aborted_at(call, "write", story);
}

bool fails_after_the_abort(const Call& call, const Story& story) {
  const auto abort = abort_during(call, story);
  const Event* failed = failure_of(call, {"access", "read", "write"});
  return abort >= 0 && failed != nullptr && failed->seq > abort;
}

Complaint speaks_of_the_abort(const Call& call, const Story&) {
  const Event* failed = failure_of(call, {"access", "read", "write"});
  return require(is_error(call) && !result_text(call).contains(op_of(failed).result),
                 "an aborted call reports " + op_of(failed).result, change_end(call));
}

// ------------------------------------------------------------------ failures (EDIT-72, WRITE-06)

bool has_failed_write(const Call& call, const Story&) {
  return failure_of(call, {"write"}) != nullptr;
}

Complaint failure_is_told(const Call& call, const Story& story) {
  if (!is_error(call)) return finding("a failed write is no error", change_end(call));
  if (first(call, "queue_acquire") == nullptr) return std::nullopt;
  const Event* released = last(call, "queue_release");
  if (released == nullptr) return finding("a failed write keeps its file", change_end(call));
  return before(released, change_end(call), story);
}

bool cannot_write(const Call& call, const Story&) {
  if (failure_of(call, {"write", "make_directory"}) != nullptr) return true;
  const Event* failed = failure_of(call, {"real_path"});
  return failed != nullptr && op_of(failed).result != "ENOENT" && op_of(failed).result != "ENOTDIR";
}

Complaint code_is_told(const Call& call, const Story&) {
  const Event* failed = failure_of(call, {"write", "make_directory"});
  if (failed == nullptr) failed = failure_of(call, {"real_path"});
  return require(is_error(call) && result_text(call).contains(op_of(failed).result),
                 "a write that fails with " + op_of(failed).result + " does not say so",
                 change_end(call));
}

// ------------------------------------------------------------------ operations (EDIT-71)

Complaint touches_the_file_three_times(const Call& call, const Story&) {
  for (const char* op : {"access", "read", "write"}) {
    const Event* begin = operation(call, op, "begin");
    const Event* again = begin == nullptr ? nullptr : operation(call, op, "begin", begin->seq);
    if (begin == nullptr) return finding(std::string("no operation ") + op, change_end(call));
    if (again != nullptr) return finding(std::string("a second operation ") + op, again);
  }
  for (const Event* event : all(call, "file_op")) {
    const auto& op = op_of(event).op;
    if (op == "access" || op == "read" || op == "write" || op == "real_path") continue;
    return finding("an edit does " + op, event);
  }
  return std::nullopt;
}

std::vector<Rule> abort_rules_of_changes() {
  return {
      rule("EDIT-55",
           "an edit that is aborted in a file operation begins no other, and is an error")
          .for_each_call()
          .among({"edit"})
          .when(of_tool("edit"))
          .when(is_aborted_in_an_operation)
          .expect(begins_nothing_more),
      rule("EDIT-56",
           "an edit that is aborted in its write ends after the write, as an error, and gives its "
           "turn back then")
          .for_each_call()
          .among({"edit"})
          .when(of_tool("edit"))
          .when(is_aborted_in_a_write)
          .expect(waits_for_the_operation)
          .expect(begins_nothing_more),
      rule("EDIT-57", "an operation that fails after the abort is not what the error says")
          .for_each_call()
          .among({"edit"})
          .when(of_tool("edit"))
          .when(fails_after_the_abort)
          .expect(speaks_of_the_abort),
      rule("WRITE-04",
           "a write that is aborted in a file operation waits for it and begins no other")
          .for_each_call()
          .among({"write"})
          .when(of_tool("write"))
          .when(is_aborted_in_an_operation)
          .expect(waits_for_the_operation)
          .expect(begins_nothing_more),
      rule("QUEUE-06", "an edit or write that is aborted in an operation holds its turn until then")
          .for_each_call()
          .among({"edit", "write"})
          .when(is_change)
          .when(is_aborted_in_an_operation)
          .expect(waits_for_the_operation),
  };
}

std::vector<Rule> failure_rules_of_changes() {
  return {
      rule("EDIT-19",
           "an edit checks access in its turn and before it reads; without access it reads nothing")
          .for_each_call()
          .among({"edit"})
          .when(of_tool("edit"))
          .when(looks_at_its_file)
          .expect(access_comes_first),
      rule("EDIT-20", "the error of a file without access names the path as given and the code")
          .for_each_call()
          .among({"edit"})
          .when(of_tool("edit"))
          .when(is_not_aborted)
          .when(is_not_accessible)
          .expect(names_path_and_code),
      rule("EDIT-21", "an edit of what is no file is an error and makes none")
          .for_each_call()
          .among({"edit"})
          .when(of_tool("edit"))
          .when(names_no_file)
          .expect(makes_no_file),
      rule("EDIT-72", "an edit whose write fails is an error, and gives its turn back")
          .for_each_call()
          .among({"edit"})
          .when(of_tool("edit"))
          .when(has_failed_write)
          .expect(failure_is_told),
      rule("WRITE-06", "a write whose path cannot be written is an error with the system's code")
          .for_each_call()
          .among({"write"})
          .when(of_tool("write"))
          .when(is_not_aborted)
          .when(cannot_write)
          .expect(code_is_told),
  };
}

}  // namespace

std::vector<Rule> file_change_rules() {
  std::vector<Rule> rules{
      rule("EDIT-17", "an edit that has written its file is no error")
          .for_each_call()
          .among({"edit"})
          .when(of_tool("edit"))
          .when(is_not_aborted)
          .when(wrote_file)
          .expect(is_no_error),
      rule("EDIT-31", "an edited file is the same file: link, mode and other names stay")
          .for_each_call()
          .among({"edit"})
          .when(of_tool("edit"))
          .when(writes_what_was_there)
          .expect(stays_the_same_object),
      rule("EDIT-71", "a successful edit makes one access check, one read and one write, no more")
          .for_each_call()
          .among({"edit"})
          .when(of_tool("edit"))
          .when(wrote_file)
          .expect(touches_the_file_three_times),
      rule("WRITE-05", "a write to a link leaves the link and writes what it leads to")
          .for_each_call()
          .among({"write"})
          .when(of_tool("write"))
          .when(writes_to_a_link)
          .expect(stays_the_same_object)
          .expect(target_has_the_content),
  };
  for (auto& rule : abort_rules_of_changes()) rules.push_back(std::move(rule));
  for (auto& rule : failure_rules_of_changes()) rules.push_back(std::move(rule));
  return rules;
}

}  // namespace plumb::invariants
