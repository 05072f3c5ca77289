// SPDX-License-Identifier: Apache-2.0
// A session tree and the file that keeps it: every entry is one line, appended behind the others.
// The file appears with the first message of the user or of the model (SESS-22), is made
// exclusively (SESS-23) and never changes otherwise (SESS-21).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/kernel/env.h"
#include "engine/kernel/event.h"
#include "engine/session/tree/entry_drafts.h"
#include "engine/session/tree/session_names.h"
#include "engine/session/tree/session_tree.h"

namespace plumb::engine {

/// `ids`: where random ids come from. Borrows both, which outlive the stores.
struct StorePorts {
  StorePorts(Env& store_env, Rng& store_ids) : env(store_env), ids(store_ids) {}
  Env& env;
  Rng& ids;
};

/// Where a new session lies. `folder`: empty for one in memory alone. `parent`: the file that it
/// was made from. `id`: empty for a new one.
struct NewSession {
  explicit NewSession(std::string session_cwd) : cwd(std::move(session_cwd)) {}
  std::string cwd;
  std::string folder;
  std::string parent;
  std::string id;
};

class SessionStore;
using SessionStorePtr = std::unique_ptr<SessionStore>;

/// One loop. Entries are added at once and written by `flush`, or by `append` in one. An entry
/// that cannot be written is taken back with all behind it (SESS-24).
class SessionStore final {
 public:
  /// A session without entries; its file is not there yet. Errors: invalid, for an id that is none
  /// (SESS-45); of the file port, when the folder cannot be made.
  static Task<Result<SessionStorePtr>> create(StorePorts ports, NewSession wanted);
  /// A file that is there; a missing one is a new session of that path, an empty one becomes a
  /// session at once. Old versions are written anew, a line without an end gets one (SESS-25,
  /// SESS-30). `cwd`: for a new header. Errors: invalid, for what is no session and stays as it is
  /// (SESS-26); of the file port.
  static Task<Result<SessionStorePtr>> open(StorePorts ports, std::string path, std::string cwd);
  /// All entries of a session file in a new one for another working directory; the old file stays
  /// as it is (SESS-38). Errors: as open; invalid also for an empty or missing file.
  static Task<Result<SessionStorePtr>> fork(StorePorts ports, std::string path, NewSession wanted);
  /// A new session with the way to `at` alone; ids stay, labels stand again at its end (SESS-38).
  /// Errors: not_found for an unknown entry; of the file port.
  static Task<Result<SessionStorePtr>> branch(StorePorts ports, const SessionStore* from,
                                              std::string at);

  SessionStore(StorePorts ports, Json header, std::string path);

  const SessionTree& tree() const { return tree_; }
  /// "" in memory.
  const std::string& path() const { return path_; }
  const std::string& cwd() const { return cwd_; }
  /// Lines that could not be read when the file was opened.
  std::int64_t damaged_count() const { return damaged_count_; }
  bool is_written() const { return is_written_; }

  /// Puts an entry behind the leaf; `flush` writes it. `id`: one that nobody has; empty for a new
  /// one.
  const TreeEntry& add(EntryDraft draft, std::string id = {});
  /// Writes what was added. Errors: of the file port; then the entries that are not in the file are
  /// gone and the leaf stands where it was before the first of them.
  Task<Result<void>> flush();
  /// add and flush.
  Task<Result<std::string>> append(EntryDraft draft);
  /// Moves the leaf; what was added must have been written (SESS-18). Errors: not_found.
  Result<void> move(const EntryPlace& place) { return tree_.move(place); }

 private:
  static Task<Result<SessionStorePtr>> begin_at(StorePorts ports, std::string path,
                                                std::string cwd);
  static Task<Result<SessionStorePtr>> read(StorePorts ports, std::string path, std::string text);
  Task<Result<void>> write_next();
  Task<Result<void>> create_file();
  Task<Result<void>> append_next();
  /// Whether the file ends within a line, as after an append that went wrong.
  Task<bool> ends_open();
  std::string text_of_all() const;
  std::string unused_id();

  StorePorts ports_;
  SessionTree tree_;
  std::string path_;
  std::string cwd_;
  std::int64_t damaged_count_ = 0;
  bool is_written_ = false;        ///< The file is there.
  bool may_end_open_ = false;      ///< To be looked at before the next line.
  std::size_t settled_count_ = 0;  ///< Entries that are written, or wait for the file (SESS-22).
  AsyncMutex writing_;
};

}  // namespace plumb::engine
