// SPDX-License-Identifier: Apache-2.0
// Conditions on a text, as scenarios write them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::simulator {

/// All given parts must hold.
struct TextMatch {
  std::optional<std::string> equals;
  std::vector<std::string> contains;
  std::vector<std::string> lacks;
  std::optional<std::string> starts;
  std::optional<std::string> ends;
  bool operator==(const TextMatch&) const = default;
};

/// A condition that a text does not meet. `message`: what it does, as "lacks a text".
struct TextMismatch {
  std::string message;
  std::string expected;
  bool operator==(const TextMismatch&) const = default;
};

/// Every condition that does not hold, in the order of the members. Pure.
std::vector<TextMismatch> mismatches(const TextMatch& match, std::string_view text);

}  // namespace plumb::simulator
