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

std::optional<double> decimal_number(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  if (text.find_first_not_of("0123456789.") != std::string_view::npos) return std::nullopt;
  if (text.empty() || !kDigits.contains(text.front()) || !kDigits.contains(text.back())) {
    return std::nullopt;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace plumb::simulator
