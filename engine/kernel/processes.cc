// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/processes.h"

#include <array>

namespace plumb::engine {

std::string_view to_string(ProcessEnd end) {
  constexpr std::array<std::string_view, 5> kNames = {"exited", "signaled", "timed_out", "aborted",
                                                      "output_limit"};
  return kNames.at(static_cast<std::size_t>(end));
}

std::string command_text(const ProcessSpec& spec) {
  if (spec.argv.empty()) return spec.command;
  std::string text;
  for (const auto& word : spec.argv) text += (text.empty() ? "" : " ") + word;
  return text;
}

}  // namespace plumb::engine
