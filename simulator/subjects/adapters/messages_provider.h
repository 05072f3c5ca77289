// SPDX-License-Identifier: Apache-2.0
// The engine's model port over the wire: Anthropic Messages, streamed, on loopback, with nothing
// but sockets below it.
#pragma once

#include <cstdint>
#include <string>

#include "engine/kernel/real_loop.h"
#include "engine/model/provider.h"

namespace plumb::engine {

/// Each request is a connection of its own; an abort drops it, which is how the server sees it. One
/// loop.
class MessagesProvider final : public Provider {
 public:
  /// `base_url`: http://127.0.0.1:PORT, or with a path behind it.
  MessagesProvider(RealLoop& loop, const std::string& base_url);

  Task<Result<AssistantMessage>> complete(ModelRequest request, StreamSink& sink,
                                          AbortSignal signal) override;

 private:
  RealLoop& loop_;
  std::int64_t port_ = 0;
  std::string path_;
};

}  // namespace plumb::engine
