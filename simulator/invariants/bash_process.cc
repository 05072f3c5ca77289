// SPDX-License-Identifier: Apache-2.0
// A command beside what the process port and its log bear out.
#include <algorithm>
#include <string>

#include "engine/values/sha256.h"
#include "simulator/invariants/bash_view.h"
#include "simulator/invariants/evidence.h"

namespace plumb::invariants {
namespace {

/// BASH-22: a call waits for the process that it started, and for one alone.
Complaint waits_for_its_process(const Call& call, const Story& story) {
  const auto starts = all(call, "process_start");
  const auto exits = all(call, "process_exit");
  if (call.is_cut || call.is_repeated) return std::nullopt;
  if (starts.size() > 1) return finding("call " + call.id + " starts twice", starts.back());
  if (exits.size() > 1) return finding("a process ends twice", exits.back());
  if (starts.empty()) {
    return require(exits.empty(), "a process ends that did not start",
                   exits.empty() ? nullptr : exits.back());
  }
  if (exits.empty()) {
    const bool is_over = first(call, "execute_end") != nullptr || end_of(call) != nullptr;
    return require(!is_over, "call " + call.id + " ends while its process runs", starts.front());
  }
  if (auto early = before(starts.front(), exits.front(), story)) return early;
  return before(exits.front(), first(call, "execute_end"), story);
}

void calls_wait_for_processes(const Story& story, Report& report) {
  if (!shows_kind(story, "process_exit") || !shows_kind(story, "process_start")) return;
  for (const auto& call : story.calls) report.complain(waits_for_its_process(call, story));
}

/// BASH-10: what a process gave is told once, all of it if it is short.
Complaint exit_agrees_with_itself(const Call& call) {
  const auto* exit = exit_of(call);
  if (exit == nullptr) return std::nullopt;
  const Event* event = first(call, "process_exit");
  const auto kept = std::ssize(exit->output);
  constexpr std::int64_t kKeptMax = std::int64_t{256} * 1024;
  const auto expected = std::min(exit->output_bytes, kKeptMax);
  // Bytes that are no text are told by their number alone.
  if (const bool is_told = kept > 0 || expected == 0; is_told) {
    if (auto odd = differ("bytes of an output", Json(expected), Json(kept), event)) return odd;
  }
  return require(exit->chunks > 0 || exit->output_bytes == 0,
                 "an output and the number of its pieces do not fit", event);
}

void programs_get_the_output(const Story& story, Report& report) {
  for (const auto& call : story.calls) {
    report.complain(exit_agrees_with_itself(call));
    const auto* exit = exit_of(call);
    if (exit == nullptr || !is_bash(call, story)) continue;
    const Json& output = at(at(result_of(call), "structuredContent"), "output");
    const bool is_whole = exit->output_bytes == std::ssize(exit->output);
    if (!output.is_string() || !is_whole) continue;
    report.complain(differ("structuredContent.output of call " + call.id, Json(exit->output),
                           output, first(call, "tool_execution_end")));
  }
}

/// BASH-24: without a spawn hook the script is the prefix, if any, and the command.
void scripts_are_the_commands(const Story& story, Report& report) {
  const Json& shell = setting("shell", story);
  if (at(shell, "has_hook") == true) return;
  const auto prefix = text_at(shell, "prefix");
  for (const auto& call : story.calls) {
    const Event* start = first(call, "process_start");
    if (start == nullptr || !is_bash_name(call, story) || begin_of(call) == nullptr) continue;
    const auto command = text_at(arguments_of_bash(call), "command");
    report.complain(differ("the script of call " + call.id,
                           Json(prefix.empty() ? command : prefix + "\n" + command),
                           Json(start->as<ProcessStart>()->command), start));
  }
}

/// BASH-31: the command runs in the folder that was looked for.
void folders_are_those_seen(const Story& story, Report& report) {
  for (const auto& call : story.calls) {
    const Event* start = first(call, "process_start");
    if (start == nullptr || !is_bash_name(call, story)) continue;
    for (const Event* event : all(call, "file_op")) {
      const auto* look = event->as<FileOperation>();
      if (look->op != "stat" || event->seq > start->seq) continue;
      report.complain(differ("the folder of call " + call.id, Json(look->path),
                             Json(start->as<ProcessStart>()->cwd), start));
    }
  }
}

// ------------------------------------------------------------------ the log (BASH-04)

bool is_log_change(const FileOperation& operation, const std::string& path) {
  return operation.path == path && operation.phase == "end" && changes_files(operation.op);
}

/// The digests of the pieces, one behind the other, are those of the output.
Complaint log_has_the_output(const Call& call, const Story& story, const std::string& path) {
  const auto& output = exit_of(call)->output;
  std::size_t from = 0;
  for (const Event* event : all(call, "file_op")) {
    const auto* operation = event->as<FileOperation>();
    if (!is_log_change(*operation, path) || operation->hash.empty() || operation->bytes < 0) {
      continue;
    }
    const auto piece =
        output.substr(std::min(from, output.size()), static_cast<std::size_t>(operation->bytes));
    from += static_cast<std::size_t>(operation->bytes);
    if (auto other = differ("digest of a piece of the log", Json(sha256_hex(piece)),
                            Json(operation->hash), event)) {
      return other;
    }
  }
  const Json* file = final_file(path, story);
  const auto digest = file == nullptr ? std::string() : text_at(*file, "sha256");
  if (digest.empty()) return std::nullopt;
  return differ("the log of call " + call.id + " at the end", Json(sha256_hex(output)),
                Json(digest), first(call, "tool_execution_end"));
}

bool has_failed_log(const Call& call, const std::string& path) {
  return std::ranges::any_of(all(call, "file_op"), [&path](const Event* event) {
    const auto* operation = event->as<FileOperation>();
    return is_log_change(*operation, path) && operation->result != "ok";
  });
}

void logs_are_the_output(const Story& story, Report& report) {
  for (const auto& call : story.calls) {
    const auto path = text_at(at(result_of(call), "details"), "fullOutputPath");
    if (path.empty() || !is_bash(call, story)) continue;
    report.complain(require(!has_failed_log(call, path),
                            "the result names a log that could not be written",
                            first(call, "tool_execution_end")));
    const auto* exit = exit_of(call);
    const bool is_known = exit != nullptr && exit->output_bytes == std::ssize(exit->output);
    if (is_known) report.complain(log_has_the_output(call, story, path));
  }
}

}  // namespace

std::vector<RunCheck> process_checks() {
  return {
      {"BASH-22", "a call ends when its process has, and has one alone", calls_wait_for_processes},
      {"BASH-10", "output of up to 256 KiB is told as it came", programs_get_the_output},
      {"BASH-24", "without a prefix it is the command", scripts_are_the_commands},
      {"BASH-31", "a command runs in the folder that was looked for", folders_are_those_seen},
      {"BASH-04", "the digests of its pieces are those of the output, and none failed",
       logs_are_the_output},
  };
}

}  // namespace plumb::invariants
