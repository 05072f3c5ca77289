// SPDX-License-Identifier: Apache-2.0
#include "simulator/cli/whole_number.h"

#include <charconv>

namespace plumb::simulator {

std::optional<std::uint64_t> whole_number(std::string_view text) {
  // "010" is eight to some readers and ten to others.
  if (text.starts_with('0') && text.size() > 1) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace plumb::simulator
