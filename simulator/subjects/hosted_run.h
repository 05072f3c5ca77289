// SPDX-License-Identifier: Apache-2.0
// The host of TypeScript extensions of one run, with the real folders that it sees.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/extensions/hosted/hosted.h"
#include "engine/kernel/memory_files.h"
#include "engine/kernel/workspace.h"
#include "engine/session/session_options.h"
#include "engine/trace/trace.h"
#include "simulator/subjects/disk_mirror.h"

namespace plumb::simulator {

/// One loop; outlives the session. Its real folders go with it.
class HostedRun final {
 public:
  HostedRun(engine::Loop& loop, engine::MemoryFiles& memory, Recorder& recorder)
      : loop_(loop), memory_(memory), recorder_(recorder) {}

  /// Once is enough; before the first `extension`. Errors: not_found, without Node or what belongs
  /// to it; io.
  Result<void> prepare(const engine::SessionOptions& session, std::uint64_t seed);
  engine::ExtensionSource extension(const std::string& path, const std::string& file);
  void set_session(engine::ExtensionHost& session);
  bool has_been_live() const { return world_ != nullptr && world_->has_been_live(); }

 private:
  Result<std::vector<engine::FolderPair>> make_folders();

  engine::Loop& loop_;
  engine::MemoryFiles& memory_;
  Recorder& recorder_;
  std::optional<engine::Workspace> folder_;
  std::optional<DiskMirror> mirror_;
  std::unique_ptr<engine::HostedWorld> world_;
};

}  // namespace plumb::simulator
