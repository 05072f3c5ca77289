// SPDX-License-Identifier: Apache-2.0
// Any text as a scenario: it is read or refused, and every refusal says where.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "simulator/script/catalogue.h"
#include "simulator/script/scenario.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plumb::simulator;
  static const Catalogue kCatalogue;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto scenario = parse_scenario(text, "fuzz.yaml", kCatalogue);
  if (scenario) return 0;
  if (scenario.error().empty()) std::abort();
  for (const auto& error : scenario.error()) {
    if (!error.where.starts_with("fuzz.yaml") || error.message.empty()) std::abort();
  }
  return 0;
}
