// SPDX-License-Identifier: Apache-2.0
// A pattern, a line feed, a text: the pattern is refused or searched for, twice with one answer.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "engine/values/ecma_pattern.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto split = input.find('\n');
  const auto pattern = plumb::EcmaPattern::compile(input.substr(0, split));
  if (!pattern) return pattern.error().message.empty() ? std::abort(), 0 : 0;
  const auto text = split == std::string_view::npos ? input : input.substr(split + 1);
  const auto first = pattern->search(text);
  const auto second = pattern->search(text);
  if (first.has_value() != second.has_value() || (first && *first != *second)) std::abort();
  return 0;
}
