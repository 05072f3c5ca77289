// SPDX-License-Identifier: Apache-2.0
// File operations of the host's own, as a scenario says: where its read tool and its write tool
// find files in place of the workspace.
#pragma once

#include <map>
#include <string>

#include "engine/kernel/env.h"
#include "engine/tools/builtin/file_operations.h"
#include "engine/trace/trace.h"
#include "simulator/script/scenario.h"

namespace plumb::simulator {

/// Each operation is recorded as a note `host_file` {op, path, result, text?} of its call: op is
/// access, picture_type, read, stream, make_folders or write. The scenario, the loop and the
/// recorder outlive this, and this the tools. One loop.
class ScriptedFiles final {
 public:
  ScriptedFiles(const Scenario& scenario, engine::Env& env, Recorder& recorder);
  ScriptedFiles(const ScriptedFiles&) = delete;
  ScriptedFiles& operator=(const ScriptedFiles&) = delete;

  /// Of the read tool: `local` unless the scenario has others.
  engine::FileOperations for_read(engine::FileOperations local);
  /// Of the write tool, likewise.
  engine::FileOperations for_write(engine::FileOperations local);

 private:
  using Take = std::function<void(std::string_view)>;
  engine::Task<Result<std::string>> read(std::string op, std::string path);
  engine::Task<Result<void>> check(std::string path);
  engine::Task<Result<std::string>> picture_type(std::string path);
  engine::Task<Result<void>> stream(std::string path, Take take);
  engine::Task<Result<void>> write(std::string path, std::string bytes);
  engine::Task<Result<void>> make_folders(std::string path);
  Json note_of(const std::string& op, const std::string& path) const;
  /// Records the note when the operation has been done.
  engine::Task<void> note(Json data);

  engine::Env& env_;
  Recorder& recorder_;
  bool reads_ = false;
  bool streams_ = false;
  bool writes_ = false;
  std::map<std::string, std::string> files_;  ///< Absolute path to bytes.
};

}  // namespace plumb::simulator
