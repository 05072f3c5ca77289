// SPDX-License-Identifier: Apache-2.0
#include "simulator/invariants/queue_view.h"

#include <algorithm>
#include <map>

#include "simulator/invariants/evidence.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

using std::string_view_literals::operator""sv;

void add(Mutation& mutation, const Event* event) {
  const auto* operation = event->as<FileOperation>();
  if (mutation.first == nullptr) mutation.first = event;
  mutation.last = event;
  mutation.has_read = mutation.has_read || operation->op == "read";
  const bool is_folder = operation->op == "make_directory";
  mutation.has_written = mutation.has_written || (!is_folder && changes_files(operation->op));
}

/// Looking a path up is how a call finds its key: it happens before its turn.
bool is_within_turn(const FileOperation& operation) {
  return operation.op == "access" || operation.op == "read" || changes_files(operation.op);
}

/// A directory made on the way is no second file: it belongs to the file that is written.
std::string file_of(const FileOperation& operation) {
  return operation.real_path.empty() ? operation.path : operation.real_path;
}

/// Where a call's own look-up led, or "".
std::string file_looked_up(const Call& call) {
  for (const Event* event : all(call, "file_op")) {
    const auto* operation = event->as<FileOperation>();
    if (operation->op == "real_path" && operation->phase == "end") return operation->real_path;
  }
  return "";
}

}  // namespace

const Event* turn_held(const Call& call, const std::string& key, std::int64_t seq) {
  const Event* held = nullptr;
  for (const Event* event : call.events) {
    if (event->seq > seq) break;
    const auto* acquired = event->as<QueueAcquire>();
    const auto* released = event->as<QueueRelease>();
    if (acquired != nullptr && acquired->key == key) held = event;
    if (released != nullptr && released->key == key) held = nullptr;
  }
  return held;
}

const Event* turn_around(const Call& call, const Story& story) {
  const Call* outer = call_around(call, story);
  const auto file = file_looked_up(call);
  if (outer == nullptr || !is_mutator(call) || file.empty()) return nullptr;
  return turn_held(*outer, file, seq_of(call, "execute_begin"));
}

bool is_mutator(const Call& call) {
  return call.name == "edit"sv || call.name == "write"sv;
}

bool needs_turn(const Call& call, const Story& story) {
  if (!is_mutator(call) || !shows_kind(story, "queue_acquire")) return false;
  const Json* tool = tool_of(call, story);
  return tool == nullptr || text_at(*tool, "level") == "builtin";
}

Complaint turns_are_given_back(const Call& call, const Story& story) {
  if (!shows_kind(story, "queue_acquire") || !shows_kind(story, "queue_release"))
    return std::nullopt;
  if (call.is_cut) return std::nullopt;
  const QueueAcquire* held = nullptr;
  const Event* turn = nullptr;
  for (const Event* event : call.events) {
    if (const auto* acquired = event->as<QueueAcquire>()) {
      if (held != nullptr) return finding("call " + call.id + " takes a second turn", event);
      held = acquired;
      turn = event;
    }
    const auto* released = event->as<QueueRelease>();
    if (released == nullptr) continue;
    const bool fits =
        held != nullptr && held->key == released->key && held->ticket == released->ticket;
    if (!fits) return finding("call " + call.id + " gives back a turn that it has not", event);
    held = nullptr;
  }
  const bool is_kept = held != nullptr && end_of(call) != nullptr;
  return require(!is_kept, "call " + call.id + " keeps its turn", turn);
}

Complaint stays_within_turn(const Mutation& mutation, const Story& story) {
  const Event* acquired = first(*mutation.call, "queue_acquire");
  const Event* released = last(*mutation.call, "queue_release");
  if (acquired == nullptr && needs_turn(*mutation.call, story)) {
    return contrast("call " + mutation.call->id + " works on its file without a turn",
                    "queue_acquire of call " + mutation.call->id + " before its file_op", "none",
                    mutation.first);
  }
  if (auto early = before(acquired, mutation.first, story)) return early;
  return before(mutation.last, released, story);
}

std::string argument_path(const Call& call) {
  const auto* begin = begin_of(call);
  return text_at(begin != nullptr ? begin->args.get() : call.raw.get(), "path");
}

std::vector<Mutation> mutations_in(const Story& story) {
  std::vector<Mutation> mutations;
  for (const auto& call : story.calls) {
    if (!is_mutator(call)) continue;
    std::map<std::string, Mutation> by_path;
    for (const Event* event : all(call, "file_op")) {
      const auto* operation = event->as<FileOperation>();
      if (!is_within_turn(*operation)) continue;
      add(by_path[file_of(*operation)], event);
    }
    for (auto& [real_path, mutation] : by_path) {
      if (!mutation.has_read && !mutation.has_written) continue;
      mutation.call = &call;
      mutation.path = argument_path(call);
      mutation.real_path = real_path;
      mutations.push_back(mutation);
    }
  }
  std::ranges::sort(mutations, {}, [](const Mutation& one) { return one.first->seq; });
  return mutations;
}

}  // namespace plumb::invariants
