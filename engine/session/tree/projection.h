// SPDX-License-Identifier: Apache-2.0
// What a branch means to the model: the messages of its entries after compactions and context
// edits, and the settings that it carries.
#pragma once

#include <string>
#include <vector>

#include "engine/session/tree/session_tree.h"

namespace plumb::engine {

using Branch = std::vector<const TreeEntry*>;

/// The entries of a branch that count for its context: those behind the last compaction, the
/// compaction itself in front, between them the kept ones without system messages (SESS-31).
Branch context_entries(const Branch& branch);

/// One message of the context in the form of the session file; roles `branchSummary` and
/// `compactionSummary` stand for summaries. `source` lives as long as the tree.
struct ContextMessage {
  const TreeEntry* source = nullptr;
  SharedJson message;
  /// Whether it is the entry's own message: no summary, no edit.
  bool is_stored = false;
};

/// The messages of a branch, in order: custom entries, labels, usage and the like give none
/// (SESS-10, SESS-34, SESS-44), of edits the last one holds (SESS-33).
std::vector<ContextMessage> project(const Branch& branch);

/// What the branch says of model and thinking level; empty where it says nothing (SESS-36).
struct BranchSettings {
  std::string provider;
  std::string model;
  std::string thinking_level;
  bool operator==(const BranchSettings&) const = default;
};
BranchSettings settings_of(const Branch& branch);

/// All system messages as one: content one behind the other, sections patched by name, tools added
/// and removed (SESS-37). Null when there is none.
Json current_system_message(const std::vector<ContextMessage>& messages);

/// The data of the last custom entry of that type; null for none: an extension's state (SESS-01).
Json last_custom_data(const Branch& branch, std::string_view custom_type);

/// A replacement as it is stored: answers and results have lists of blocks.
Json normal_replacement(Json replacement, std::string_view role);

}  // namespace plumb::engine
