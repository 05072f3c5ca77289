// SPDX-License-Identifier: Apache-2.0
// Requests as deltas and back: a conversation repeats its prefix in every request, so a trace
// stores only what changed against the last request of the same lineage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/trace/trace.h"
#include "engine/values/shared_json_list.h"

namespace plumb {

/// Turns whole requests into ProviderRequest payloads. Blocks that are the same object as before
/// cost one comparison of pointers. One loop.
class RequestDeltas {
 public:
  /// The payload for the next request of a lineage; `n` counts over all lineages. Call `sent` with
  /// its seq afterwards. Only new blocks are copied.
  /// `messages`: behind `head`, each a block of its zone.
  ProviderRequest next(std::string lineage, std::span<const BorrowedBlock> head,
                       const SharedJsonList& messages, SharedJson params);
  ProviderRequest next(std::string lineage, const std::vector<RequestBlock>& blocks,
                       SharedJson params);

  /// The seq under which the payload made last was recorded.
  void sent(std::int64_t seq);

 private:
  struct Lineage {
    std::int64_t seq = -1;
    std::shared_ptr<PrefixLog> log = std::make_shared<PrefixLog>();
    std::size_t head_count = 0;  ///< Of the blocks, those before the messages.
    SharedJsonList messages;
  };
  std::map<std::string, Lineage> lineages_;
  std::string last_;
  std::int64_t count_ = 0;
};

/// The full request that an event stands for.
struct FoldedRequest {
  const Event* event = nullptr;
  const Event* previous = nullptr;  ///< The request before it in its lineage, or null.
  std::int64_t common = 0;          ///< Leading blocks shared with `previous`.
  std::span<const RequestBlock> blocks;
  std::span<const RequestBlock> removed;  ///< Blocks of `previous` after the common ones.
};

/// Rebuilds whole requests while a trace is walked in order. The spans live until the next call of
/// `fold`.
class RequestFold {
 public:
  /// `event` must be a provider_request. A base that is not the lineage's last request gives an
  /// error: the trace is damaged.
  Result<FoldedRequest> fold(const Event& event);

 private:
  struct Lineage {
    const Event* last = nullptr;
    std::vector<RequestBlock> blocks;
  };
  std::map<std::string, Lineage> lineages_;
  std::vector<RequestBlock> removed_;
};

}  // namespace plumb
