// SPDX-License-Identifier: Apache-2.0
// A schema, a line feed, a value, both JSON: the short answer agrees with the list of reasons.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "engine/values/json.h"
#include "engine/values/json_schema.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto split = input.find('\n');
  if (split == std::string_view::npos) return 0;
  const auto schema = plumb::parse_json(input.substr(0, split));
  const auto value = plumb::parse_json(input.substr(split + 1));
  if (!schema || !value) return 0;
  const auto compiled = plumb::compile_schema(*schema);
  if (!compiled) return compiled.error().message.empty() ? std::abort(), 0 : 0;
  if (compiled->accepts(*value) != compiled->validate(*value).empty()) std::abort();
  return 0;
}
