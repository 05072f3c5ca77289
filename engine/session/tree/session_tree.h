// SPDX-License-Identifier: Apache-2.0
// A session as a tree of entries: a conversation with all the ways that were left. It is a list
// that only grows and a position in it, the leaf. Nothing here touches a file (session_store.h).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/kernel/result.h"
#include "engine/values/shared_json.h"

namespace plumb::engine {

/// The id of an entry, or nothing: before the first one.
using EntryPlace = std::optional<std::string>;

/// One entry; it never changes (SESS-05). `json` is all of it, as its line in a file has it; the
/// other members repeat what the tree asks for often.
struct TreeEntry {
  std::string id;  ///< Empty: an entry without one, which nothing can name.
  EntryPlace parent_id;
  std::string type;
  SharedJson json;
  /// A message of the user or of the model: from the first one on a session is kept (SESS-22).
  bool is_conversation = false;
};

/// `json` as an entry: any object, as a file may hold it.
TreeEntry entry_from(Json json);

struct EntryLabel {
  std::string target;
  std::string text;
  std::string timestamp;
  bool operator==(const EntryLabel&) const = default;
};

/// Pointers to entries hold until the tree goes. One loop.
class SessionTree final {
 public:
  /// `header`: with a string `id`.
  explicit SessionTree(Json header) : header_(std::move(header)) {}

  const Json& header() const { return header_; }
  std::string session_id() const;

  /// All entries, oldest first; of two with one id both (SESS-29).
  const std::deque<TreeEntry>& entries() const { return entries_; }
  /// The last one of that id; null when there is none.
  const TreeEntry* find(std::string_view id) const;
  const EntryPlace& leaf() const { return leaf_; }
  /// From the root to the leaf, entries of every type (SESS-11). A missing parent ends the way
  /// (SESS-27), and so does a cycle (SESS-28).
  std::vector<const TreeEntry*> branch() const;
  /// As branch, to that entry; empty for an unknown one.
  std::vector<const TreeEntry*> branch_of(std::string_view id) const;
  /// Entries whose parent that is, in the order of their ids' first lines.
  std::vector<const TreeEntry*> children(const EntryPlace& parent) const;
  /// Entries where a tree begins: without a parent, with a missing one (SESS-27), and one of each
  /// cycle (SESS-28).
  std::vector<const TreeEntry*> roots() const;
  /// Ids of entries whose parents lead back to them, one of each cycle (SESS-28).
  std::vector<std::string> cycles() const;

  /// The label of an entry; "" for none (SESS-34).
  std::string label(std::string_view id) const;
  /// In the order in which they were given first.
  std::vector<EntryLabel> labels() const;
  /// The last name that the session was given on any branch; "" for none (SESS-35).
  const std::string& name() const { return name_; }
  bool has_conversation() const { return conversation_count_ > 0; }

  /// Puts the leaf there (SESS-18: nothing is stored). Errors: not_found.
  Result<void> move(const EntryPlace& place);
  /// Puts an entry behind all others; it becomes the leaf if it has an id.
  void add(TreeEntry entry);
  /// Takes back the newest entries, down to `count`, and puts the leaf at `leaf` (SESS-24).
  void shrink(std::size_t count, EntryPlace leaf);

 private:
  const TreeEntry* parent_of(const TreeEntry& entry) const;
  void learn(const TreeEntry& entry);
  void learn_label(const TreeEntry& entry);
  void relearn();

  struct Label {
    std::int64_t number = 0;
    EntryLabel label;
  };

  Json header_;
  std::deque<TreeEntry> entries_;
  std::unordered_map<std::string, std::size_t> index_;  ///< Only looked up, never walked.
  EntryPlace leaf_;
  std::map<std::string, Label, std::less<>> labels_;
  std::int64_t label_count_ = 0;
  std::string name_;
  std::int64_t conversation_count_ = 0;
};

/// The ids on both ways: the deepest entry that `left` and `right` share; nothing for none.
EntryPlace common_ancestor(const std::vector<const TreeEntry*>& left,
                           const std::vector<const TreeEntry*>& right);

}  // namespace plumb::engine
