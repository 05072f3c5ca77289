// SPDX-License-Identifier: Apache-2.0
// The model and the user as one life of the engine sees them: cut off by a crash, like its files
// and processes.
#pragma once

#include "engine/extensions/user_interface.h"
#include "engine/kernel/incarnation.h"
#include "engine/model/provider.h"

namespace plumb::simulator {

/// Requests begun after the cut are never sent and never end; those under way never end, and none
/// of their pieces arrives. Everything outlives this. One loop.
class SeverableProvider final : public engine::Provider {
 public:
  SeverableProvider(engine::Provider& inner, engine::Incarnation& incarnation)
      : inner_(inner), incarnation_(incarnation) {}
  engine::Task<Result<engine::AssistantMessage>> complete(engine::ModelRequest request,
                                                          engine::StreamSink& sink,
                                                          engine::AbortSignal signal) override;

 private:
  engine::Provider& inner_;
  engine::Incarnation& incarnation_;
};

/// Questions begun after the cut are never asked; no answer comes back through it.
class SeverableUser final : public engine::UserInterface {
 public:
  SeverableUser(engine::UserInterface& inner, engine::Incarnation& incarnation)
      : inner_(inner), incarnation_(incarnation) {}
  bool is_attached() const override { return inner_.is_attached(); }
  engine::Task<engine::DialogAnswer> ask(engine::Dialog dialog) override;

 private:
  engine::UserInterface& inner_;
  engine::Incarnation& incarnation_;
};

}  // namespace plumb::simulator
