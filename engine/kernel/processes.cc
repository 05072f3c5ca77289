// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/processes.h"

namespace plumb::engine {

std::string command_text(const ProcessSpec& spec) {
  if (spec.argv.empty()) return spec.command;
  std::string text;
  for (const auto& word : spec.argv) text += (text.empty() ? "" : " ") + word;
  return text;
}

}  // namespace plumb::engine
