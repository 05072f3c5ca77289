// SPDX-License-Identifier: Apache-2.0
// Edits and writes beside the file operations, the turns and the digests that bear them out.
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "engine/values/sha256.h"
#include "simulator/invariants/edit_case.h"
#include "simulator/invariants/evidence.h"
#include "simulator/invariants/file_ledger.h"
#include "simulator/invariants/queue_view.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

using std::string_view_literals::operator""sv;

const FileOperation& borne_by(const Event* event) {
  return *event->as<FileOperation>();
}

bool is_builtin_change(const Call& call, const Story& story) {
  if (!is_mutator(call) || call.is_repeated || call.is_cut) return false;
  const Json& operations = setting("operations", story);
  // What the host writes by itself is no change here (WRITE-09).
  if (call.name == "write"sv && at(operations, "write") == true) return false;
  const Json* tool = tool_of(call, story);
  return tool == nullptr || text_at(*tool, "level") == "builtin";
}

/// It says that it changed its file.
bool claims_success(const Call& call, const Story& story) {
  return is_builtin_change(call, story) && has_executed(call) && end_of(call) != nullptr &&
         !has_failed(call) && shows_kind(story, "file_op");
}

/// The end of the call's operation of this name that went well, or null.
const Event* done_well(const Call& call, std::string_view op) {
  for (const Event* event : all(call, "file_op")) {
    const auto& one = borne_by(event);
    if (one.op == op && one.phase == "end" && one.result == "ok") return event;
  }
  return nullptr;
}

// ------------------------------------------------------------------ the turn

/// QUEUE-05.
void each_change_has_its_turn(const Story& story, Report& report) {
  for (const auto& mutation : mutations_in(story)) {
    report.complain(stays_within_turn(mutation, story));
  }
  for (const auto& call : story.calls) report.complain(turns_are_given_back(call, story));
}

/// WRITE-02.
void each_write_has_its_turn(const Story& story, Report& report) {
  for (const auto& call : story.calls) {
    if (call.name != "write"sv || !claims_success(call, story) || !needs_turn(call, story))
      continue;
    report.complain(
        require(first(call, "queue_acquire") != nullptr && first(call, "queue_release") != nullptr,
                "a write without a turn", first(call, "tool_execution_end")));
  }
}

/// QUEUE-01: the key of the turn is the file.
void keys_are_their_files(const Story& story, Report& report) {
  for (const auto& call : story.calls) {
    if (!is_builtin_change(call, story)) continue;
    const QueueAcquire* held = nullptr;
    for (const Event* event : call.events) {
      if (const auto* turn = event->as<QueueAcquire>()) held = turn;
      const auto* operation = event->as<FileOperation>();
      if (operation == nullptr || held == nullptr || operation->real_path.empty()) continue;
      if (operation->op != "read" && operation->op != "write") continue;
      report.complain(differ("the turn of call " + call.id + " is not that of the file it works on",
                             Json(operation->real_path), Json(held->key), event));
    }
  }
}

// ------------------------------------------------------------------ the operations

/// EDIT-71: what succeeded has read and written, to the end.
void each_edit_has_its_operations(const Story& story, Report& report) {
  for (const auto& call : story.calls) {
    if (call.name != "edit"sv || !claims_success(call, story)) continue;
    for (const char* op : {"access", "read", "write"}) {
      report.complain(require(done_well(call, op) != nullptr,
                              "edit " + call.id + " succeeds without " + std::string(op),
                              first(call, "tool_execution_end")));
    }
  }
}

/// WRITE-01: what succeeded has written its content, byte for byte.
void each_write_has_written(const Story& story, Report& report) {
  for (const auto& call : story.calls) {
    if (call.name != "write"sv || !claims_success(call, story)) continue;
    const Event* done = done_well(call, "write");
    if (done == nullptr) {
      report.complain(
          finding("write " + call.id + " succeeds without a write", first(call, "execute_end")));
      continue;
    }
    const Json& content = at(begin_of(call)->args.get(), "content");
    if (!content.is_string() || borne_by(done).hash.empty()) continue;
    report.complain(differ("digest of what write " + call.id + " wrote",
                           Json(sha256_hex(content.get<std::string>())), Json(borne_by(done).hash),
                           done));
  }
}

/// EDIT-02: what an edit writes is what its changes make of the original.
void each_edit_writes_what_it_must(const Story& story, Report& report) {
  for (const auto& edit : story.edits()) {
    const Event* done = done_well(*edit.call, "write");
    if (done == nullptr || !edit.expected || borne_by(done).hash.empty()) continue;
    report.complain(differ("digest of what edit " + edit.call->id + " wrote",
                           Json(sha256_hex(*edit.expected)), Json(borne_by(done).hash), done));
  }
}

/// From the workspace on, without `.` and `..`; "" where the trace does not tell the workspace.
std::string absolute_path(const std::string& path, const Story& story) {
  const auto workspace = story.workspace();
  if (!path.starts_with('/') && workspace.empty()) return "";
  return (std::filesystem::path(workspace) / path).lexically_normal().string();
}

/// The path that a call means, and what its own look-ups made of it: links on the way are followed.
std::vector<std::string> paths_meant(const Call& call, const std::string& meant) {
  std::vector<std::string> paths{meant};
  for (const Event* event : all(call, "file_op")) {
    const auto& look = borne_by(event);
    if (look.op != "real_path" || look.phase != "end" || look.result != "ok") continue;
    if (meant == look.path) paths.push_back(look.real_path);
    if (meant.starts_with(look.path + "/")) {
      paths.push_back(look.real_path + meant.substr(look.path.size()));
    }
  }
  return paths;
}

/// EDIT-70: operations are on the file that the path means.
void paths_are_those_given(const Story& story, Report& report) {
  for (const auto& call : story.calls) {
    if (!is_builtin_change(call, story) || !has_executed(call)) continue;
    const auto path = argument_path(call);
    const auto meant = absolute_path(path, story);
    if (meant.empty() || path.starts_with('@') || path.starts_with('~') ||
        path.starts_with("file:") || path.contains('\xC2') || path.contains('\xE2')) {
      continue;
    }
    for (const Event* event : all(call, "file_op")) {
      const auto& [op, used] = std::tie(borne_by(event).op, borne_by(event).path);
      if (op != "access" && op != "read" && op != "write") continue;
      report.complain(
          require(contains(paths_meant(call, meant), absolute_path(used, story)),
                  "call " + call.id + " works on another path than it was given: " + used, event));
    }
  }
}

// ------------------------------------------------------------------ the ledger

void complain_of_reads(const Story& story, Report& report, std::string_view tool) {
  for (const auto& odd : file_ledger(story).reads) {
    const Call* call = odd.event->call.empty() ? nullptr : call_of(*odd.event, story);
    if (call != nullptr && call->name == tool) report.complain(odd.finding);
  }
}

/// EDIT-24.
void edits_read_what_is_there(const Story& story, Report& report) {
  complain_of_reads(story, report, "edit");
}

/// READ-17.
void reads_read_what_is_there(const Story& story, Report& report) {
  complain_of_reads(story, report, "read");
}

/// BATCH-07.
void files_add_up(const Story& story, Report& report) {
  const auto ledger = file_ledger(story);
  for (const auto& odd : ledger.pairs) report.complain(odd);
  for (const auto& odd : ledger.endings) report.complain(odd);
  for (const auto& odd : ledger.reads) {
    const Call* call = odd.event->call.empty() ? nullptr : call_of(*odd.event, story);
    const bool is_named = call != nullptr && (call->name == "edit"sv || call->name == "read"sv);
    if (!is_named) report.complain(odd.finding);
  }
}

}  // namespace

std::vector<RunCheck> file_checks() {
  return {
      {"QUEUE-05", "every edit and write works within a turn, which it gives back",
       each_change_has_its_turn},
      {"WRITE-02", "a successful write has a turn", each_write_has_its_turn},
      {"QUEUE-01", "the key of a turn is the file that is read and written", keys_are_their_files},
      {"EDIT-71", "a successful edit has all three", each_edit_has_its_operations},
      {"WRITE-01", "a successful write has written its content", each_write_has_written},
      {"EDIT-02", "the digest of what is written says so", each_edit_writes_what_it_must},
      {"EDIT-70", "operations are on the path given", paths_are_those_given},
      {"EDIT-24", "what is read is what the file holds", edits_read_what_is_there},
      {"READ-17", "what is read is what the file holds", reads_read_what_is_there},
      {"BATCH-07", "files at the end are what was written last, and no others", files_add_up},
  };
}

}  // namespace plumb::invariants
