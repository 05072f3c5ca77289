// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/prefix_hash.h"

#include "engine/kernel/result.h"
#include "engine/trace/event_json.h"
#include "engine/values/sha256.h"

namespace plumb {
namespace {

const std::string kNoHash;

}  // namespace

const std::string& PrefixLog::hash_of(std::size_t count) const {
  PLUMB_ASSERT(count <= blocks_.size());
  while (hashes_.size() < count) {
    const RequestBlock& block = blocks_[hashes_.size()];
    const std::string& last = hashes_.empty() ? kNoHash : hashes_.back();
    hashes_.push_back(chain_hash(last, std::string(to_string(block.zone)) + block.body.bytes()));
  }
  return count == 0 ? kNoHash : hashes_[count - 1];
}

const std::string& PrefixHash::hex() const {
  if (given_) return *given_;
  return log_ ? log_->hash_of(count_) : kNoHash;
}

}  // namespace plumb
