// SPDX-License-Identifier: Apache-2.0
// The sessions of a row: each by its name, and the names that the row gives to their entries.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/kernel/env.h"
#include "engine/session/tree/session_store.h"
#include "simulator/oracle/world.h"

namespace plumb::simulator {

/// What <new> stands for: an entry that the row did not name.
inline constexpr std::string_view kNewEntry = "<new>";

/// One row; one loop.
class RowSessions final {
 public:
  explicit RowSessions(engine::Env& env, OracleWorld& world, std::uint64_t seed)
      : env_(env), world_(world), ids_(seed) {}

  engine::StorePorts ports() { return {env_, ids_}; }
  OracleWorld& world() { return world_; }
  /// Null when there is none of that name.
  engine::SessionStore* find(const std::string& name);
  /// Keeps it under that name; entries that it brings along and that have no name go by their ids.
  void keep(const std::string& name, engine::SessionStorePtr store);
  /// The same, but they stay without a name.
  void keep_unnamed(const std::string& name, engine::SessionStorePtr store);
  /// For an engine that takes it over.
  engine::SessionStorePtr take(const std::string& name);
  /// For sessions that somebody else owns: borrowed until the row ends.
  void borrow(const std::string& name, engine::SessionStore& store);

  void name_entry(const std::string& name, const std::string& id) { ids_by_name_[name] = id; }
  /// The id of what a row calls an entry: a name, an id, "#3" for the third of `tree`.
  std::string id_of(const std::string& word, const engine::SessionTree& tree) const;
  /// What the row calls it: <new> without a name.
  std::string name_of(const std::string& id) const;

  /// A path below the root.
  std::string path_of(const std::string& path) const;
  /// With <FILE:s> and <SESSION_ID> put in, in keys and values.
  std::string filled(std::string text) const;
  Json filled(const Json& value) const;

 private:
  engine::Env& env_;
  OracleWorld& world_;
  engine::Rng ids_;
  std::map<std::string, engine::SessionStorePtr> owned_;
  std::map<std::string, engine::SessionStore*> known_;
  std::map<std::string, std::string> ids_by_name_;
};

}  // namespace plumb::simulator
