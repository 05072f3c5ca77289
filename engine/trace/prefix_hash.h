// SPDX-License-Identifier: Apache-2.0
// The name of a request: SHA-256 chained over its blocks. Worked out when somebody reads it, since
// most runs are judged without.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/trace/request_block.h"

namespace plumb {

/// The blocks of one lineage's requests in order, as long as they only grow. One loop.
class PrefixLog final {
 public:
  explicit PrefixLog(std::vector<RequestBlock> blocks = {}) : blocks_(std::move(blocks)) {}
  const std::vector<RequestBlock>& blocks() const { return blocks_; }
  void append(RequestBlock block) { blocks_.push_back(std::move(block)); }
  /// Chains over the first `count` blocks; "" for none.
  const std::string& hash_of(std::size_t count) const;

 private:
  std::vector<RequestBlock> blocks_;
  mutable std::vector<std::string> hashes_;  ///< hashes_[i] chains over blocks 0..i.
};

/// Of the first blocks of a log, or as a trace file gives it. "" when default-constructed.
class PrefixHash final {
 public:
  PrefixHash() = default;
  explicit PrefixHash(std::string hex)
      : given_(std::make_shared<const std::string>(std::move(hex))) {}
  PrefixHash(std::shared_ptr<const PrefixLog> log, std::size_t count)
      : log_(std::move(log)), count_(count) {}

  /// Lower case, or "" for a request without blocks.
  const std::string& hex() const;

  friend bool operator==(const PrefixHash& left, const PrefixHash& right) {
    return left.hex() == right.hex();
  }

 private:
  // Shared by the requests of a lineage, which outlive the session that sent them.
  std::shared_ptr<const PrefixLog> log_;
  std::size_t count_ = 0;
  std::shared_ptr<const std::string> given_;
};

}  // namespace plumb
