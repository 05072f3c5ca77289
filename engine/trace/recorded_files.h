// SPDX-License-Identifier: Apache-2.0
// The file port's recorder: what the engine's tools really did to files is written down here, at
// the port, and not by the engine.
#pragma once

#include <functional>
#include <string>

#include "engine/kernel/files.h"
#include "engine/trace/trace.h"

namespace plumb {

/// Records a file_op begin and end around each call of the inner port, with the fiber's label as
/// call. `resolve` gives the real path of what a path names, or the path itself; it has no effect.
/// Everything outlives this. One loop.
class RecordedFiles final : public engine::Files {
 public:
  using Resolver = std::function<std::string(const std::string& path)>;

  RecordedFiles(engine::Files& inner, Recorder& recorder, Resolver resolve)
      : inner_(inner), recorder_(recorder), resolve_(std::move(resolve)) {}

  engine::Task<Result<engine::FileReply>> perform(engine::FileRequest request) override;

 private:
  FileOperation described(const engine::FileRequest& request) const;

  engine::Files& inner_;
  Recorder& recorder_;
  Resolver resolve_;
};

}  // namespace plumb
