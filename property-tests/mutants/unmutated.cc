// SPDX-License-Identifier: Apache-2.0
#include "property-tests/mutants/unmutated.h"

#include <map>

namespace plumb::simulator {

std::string_view reason_without_mutant(std::string_view rule) {
  static const std::map<std::string_view, std::string_view> kReasons{
      {"ABORT-12",
       "an aborted run ends with its closing turn before anything asks for follow-ups, so that no "
       "single decision hands one over"},
      {"BASH-21",
       "two things would have to break at once: bash sends nothing after its result, and calls "
       "drop what any tool sends then (EVENT-05, EVENT-07)"},
      {"TOOL-16",
       "the reference engine has no display layer of its own, so nothing of it can drop what such "
       "a layer keeps of a replaced tool"},
  };
  const auto found = kReasons.find(rule);
  return found == kReasons.end() ? std::string_view() : found->second;
}

}  // namespace plumb::simulator
