// SPDX-License-Identifier: Apache-2.0
// Rules of tier A that have a tamper but no wrong engine, each with the reason. At most one rule in
// ten stands here.
#pragma once

#include <string_view>

namespace plumb::simulator {

/// Empty for a rule that must have a mutant.
std::string_view reason_without_mutant(std::string_view rule);

}  // namespace plumb::simulator
