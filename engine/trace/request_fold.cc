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

std::vector<RequestBlock> copies_of(std::span<const BorrowedBlock> blocks) {
  std::vector<RequestBlock> copies;
  copies.reserve(blocks.size());
  for (const auto& block : blocks) copies.push_back({block.zone, block.body});
  return copies;
}

}  // namespace

ProviderRequest RequestDeltas::next(std::string lineage, const std::vector<RequestBlock>& blocks,
                                    SharedJson params) {
  std::vector<BorrowedBlock> borrowed;
  for (const auto& block : blocks) borrowed.push_back({block.zone, block.body});
  return next(std::move(lineage), borrowed, std::move(params));
}

ProviderRequest RequestDeltas::next(std::string lineage, std::span<const BorrowedBlock> blocks,
                                    SharedJson params) {
  Lineage& last = lineages_[lineage];
  const auto& before = last.log->blocks();
  const auto differing = std::ranges::mismatch(before, blocks, is_same).in2;
  const auto common = static_cast<std::size_t>(differing - blocks.begin());
  ProviderRequest payload;
  payload.n = ++count_;
  payload.base = last.seq;
  payload.common = static_cast<std::int64_t>(common);
  payload.removed = static_cast<std::int64_t>(before.size() - common);
  payload.params = std::move(params);
  payload.append = copies_of(blocks.subspan(common));
  if (payload.removed > 0) {
    last.log = std::make_shared<PrefixLog>(copies_of(blocks));
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
