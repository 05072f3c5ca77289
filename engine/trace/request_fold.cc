// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/request_fold.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace plumb {
namespace {

bool is_same(const RequestBlock& left, const BorrowedBlock& right) {
  return left.zone == right.zone && left.body == right.body;
}

/// A request as its parts.
struct Parts {
  std::span<const BorrowedBlock> head;
  std::span<const SharedJson> messages;

  /// How many blocks both begin with, given that so many of the messages are the same as those
  /// behind a head of this size.
  std::size_t common_with(const std::vector<RequestBlock>& before, std::size_t same) const {
    std::size_t count = 0;
    while (count < before.size() && count < head.size() && is_same(before[count], head[count])) {
      ++count;
    }
    if (count < head.size()) return count;
    count += same;
    for (const SharedJson& message : messages.subspan(same)) {
      if (count == before.size() || before[count].zone != Zone::messages) break;
      if (before[count].body != message) break;
      ++count;
    }
    return count;
  }
  std::vector<RequestBlock> from(std::size_t first) const {
    std::vector<RequestBlock> blocks;
    blocks.reserve(head.size() + messages.size() - first);
    for (std::size_t i = first; i < head.size(); ++i) {
      blocks.push_back({head[i].zone, head[i].body});
    }
    for (std::size_t i = std::max(first, head.size()) - head.size(); i < messages.size(); ++i) {
      blocks.push_back({Zone::messages, messages[i]});
    }
    return blocks;
  }
};

}  // namespace

ProviderRequest RequestDeltas::next(std::string lineage, const std::vector<RequestBlock>& blocks,
                                    SharedJson params) {
  std::vector<BorrowedBlock> borrowed;
  for (const auto& block : blocks) borrowed.push_back({block.zone, block.body});
  return next(std::move(lineage), borrowed, {}, std::move(params));
}

ProviderRequest RequestDeltas::next(std::string lineage, std::span<const BorrowedBlock> head,
                                    const SharedJsonList& messages, SharedJson params) {
  const Parts parts{head, messages.view()};
  Lineage& last = lineages_[lineage];
  const std::size_t known = last.log->blocks().size();
  const bool has_same_place = head.size() == last.head_count;
  const std::size_t same = has_same_place ? messages.common_with(last.messages) : 0;
  const std::size_t common = parts.common_with(last.log->blocks(), same);
  last.head_count = head.size();
  last.messages = messages;
  ProviderRequest payload;
  payload.n = ++count_;
  payload.base = last.seq;
  payload.common = static_cast<std::int64_t>(common);
  payload.removed = static_cast<std::int64_t>(known - common);
  payload.params = std::move(params);
  payload.append = parts.from(common);
  if (payload.removed > 0) {
    last.log = std::make_shared<PrefixLog>(parts.from(0));
  } else {
    for (const auto& block : payload.append) last.log->append(block);
  }
  payload.hash = PrefixHash(last.log, last.log->blocks().size());
  last_ = lineage;
  payload.lineage = std::move(lineage);
  return payload;
}

void RequestDeltas::sent(std::int64_t seq) {
  lineages_[last_].seq = seq;
}

Result<FoldedRequest> RequestFold::fold(const Event& event) {
  const auto* request = event.as<ProviderRequest>();
  PLUMB_ASSERT(request != nullptr);
  Lineage& lineage = lineages_[request->lineage];
  const auto last_seq = lineage.last == nullptr ? -1 : lineage.last->seq;
  const auto size = static_cast<std::int64_t>(lineage.blocks.size());
  if (request->base != last_seq || request->common < 0 || request->common > size ||
      request->removed != size - request->common) {
    return fail(ErrorCode::invalid, "request " + std::to_string(request->n) +
                                        " does not continue the last request of its lineage");
  }
  const auto tail = lineage.blocks.begin() + request->common;
  removed_.assign(std::make_move_iterator(tail), std::make_move_iterator(lineage.blocks.end()));
  lineage.blocks.erase(tail, lineage.blocks.end());
  lineage.blocks.insert(lineage.blocks.end(), request->append.begin(), request->append.end());
  return FoldedRequest{.event = &event,
                       .previous = std::exchange(lineage.last, &event),
                       .common = request->common,
                       .blocks = lineage.blocks,
                       .removed = removed_};
}

}  // namespace plumb
