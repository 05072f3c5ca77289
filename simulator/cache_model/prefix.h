// SPDX-License-Identifier: Apache-2.0
// Prefix stability of provider requests: where the next request of a lineage stops repeating the
// last one, and in which field. Blocks are compared by their bytes as sent, in the order of the
// seed's preset: system, tools, messages (CACHE-01, CACHE-02, CACHE-09).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/trace/request_fold.h"
#include "engine/trace/trace.h"

namespace plumb::simulator {

/// Bytes of each request that a break shows.
inline constexpr std::int64_t kBreakShownBytesMax = 80;

/// The first difference between two consecutive requests of a lineage (cache.yaml break_record).
/// `path`: the block, as tools/2 or messages/5/content/0; `field`: JSON pointer of the difference
/// within the block, "" for the block as a whole. `byte_offset` counts from the start of the
/// prefix. `label`: tool_added, tool_removed, tool_redefined, tool_order, key_order, system_text,
/// history_edit, inserted_message, image or unknown (CACHE-12). `before` and `after`: what follows
/// the offset in both. `lost_bytes`: what of the earlier request can not be read again.
struct CacheBreak {
  std::int64_t from = 0;  ///< `n` of the earlier request.
  std::int64_t to = 0;
  Zone zone = Zone::system;
  std::string path;
  std::string field;
  std::int64_t byte_offset = 0;
  std::string label;
  std::string before;
  std::string after;
  std::int64_t lost_bytes = 0;
  bool operator==(const CacheBreak&) const = default;
};

/// A lineage began (CACHE-06). `cause`: new_session, model or provider, as far as requests tell.
struct CacheReset {
  std::int64_t at = 0;
  std::string cause;
  bool operator==(const CacheReset&) const = default;
};

/// Where `later` stops having `earlier` as its prefix; nothing when it only appends (CACHE-04,
/// CACHE-05). `from` and `to` are left 0. `common` leading blocks are known to be equal.
std::optional<CacheBreak> find_break(std::span<const RequestBlock> earlier,
                                     std::span<const RequestBlock> later, std::int64_t common = 0);

/// Tells breaks and resets while a trace is walked; costs what changed, not the conversation.
class PrefixWatch {
 public:
  /// `folded`: a request as RequestFold gives it, in order.
  void see(const FoldedRequest& folded);

  const std::vector<CacheBreak>& breaks() const { return breaks_; }
  const std::vector<CacheReset>& resets() const { return resets_; }

 private:
  void reset(const ProviderRequest& request);

  std::vector<CacheBreak> breaks_;
  std::vector<CacheReset> resets_;
  SharedJson last_params_;
};

}  // namespace plumb::simulator
