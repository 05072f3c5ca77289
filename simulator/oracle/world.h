// SPDX-License-Identifier: Apache-2.0
// The files of a row: made before the first step, changed by its fs steps, judged at its end. They
// are real ones in a temporary folder, so that links, modes and commands are real.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/kernel/real_files.h"
#include "engine/kernel/workspace.h"
#include "simulator/oracle/placeholders.h"
#include "simulator/oracle/verdict.h"

namespace plumb::simulator {

/// The text that a `gen` describes. Errors: exhausted, beyond 64 MiB.
Result<std::string> generated_text(const Json& gen);

/// One loop, which outlives it.
class OracleWorld final {
 public:
  /// Makes the temporary folders.
  static Result<std::unique_ptr<OracleWorld>> create(engine::Loop& loop);

  /// Makes what `setup` lists, modes last. Errors: of the file port, and invalid for base64 that is
  /// none.
  engine::Task<Result<void>> build(Json setup);
  /// An fs step.
  engine::Task<Result<void>> change(Json args);
  /// Judges files, files_exact, modes and keys_sorted of a row's `expect`.
  engine::Task<Differences> judge(Json expect);

  engine::Files& files() { return files_; }
  const std::string& root() const { return root_.path(); }
  /// The user's home folder.
  const std::string& home() const { return home_path_; }
  Placeholders places() const;
  /// On top of the host's environment.
  const std::vector<std::pair<std::string, std::string>>& environment() const {
    return environment_;
  }

 private:
  OracleWorld(engine::Loop& loop, engine::Workspace root, engine::Workspace home);

  std::string path_of(const std::string& path) const;
  engine::Task<Result<void>> make_file(Json file);
  engine::Task<Result<void>> put(std::string path, std::string bytes);
  engine::Task<Result<void>> make_links(Json setup);
  engine::Task<Differences> judge_file(std::string path, Json state);
  engine::Task<Differences> judge_bytes(std::string path, Json state);
  engine::Task<Differences> judge_listing(Json states);
  engine::Task<std::vector<std::string>> listing(std::string folder);
  engine::Task<Differences> judge_mode(std::string path, Json mode);
  engine::Task<Differences> judge_keys(std::string path);

  engine::Workspace root_;
  engine::Workspace home_;
  std::string home_path_;
  engine::RealFiles files_;
  std::vector<std::pair<std::string, std::string>> environment_;
};

}  // namespace plumb::simulator
