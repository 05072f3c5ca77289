// SPDX-License-Identifier: Apache-2.0
// What requests are made of.
#pragma once

#include <cstdint>

#include "engine/values/shared_json.h"

namespace plumb {

/// Where a block of a provider request lies, in the order of the seed's prefix (CACHE-02).
enum class Zone : std::uint8_t { system, tools, messages };

/// One block of a provider request: a system text, a tool declaration or a message, as sent.
struct RequestBlock {
  Zone zone = Zone::messages;
  SharedJson body;

  bool operator==(const RequestBlock&) const = default;
};

/// A block that somebody else keeps.
struct BorrowedBlock {
  Zone zone;
  const SharedJson& body;
};

}  // namespace plumb
