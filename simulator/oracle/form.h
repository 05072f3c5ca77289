// SPDX-License-Identifier: Apache-2.0
// The form of oracle rows: which operations there are, which keys they take and expect.
#pragma once

#include <string>
#include <vector>

#include "engine/values/json.h"

namespace plumb::simulator {

/// `pointer` leads to the value that is wrong; `at_key`: it is the key itself that is.
struct FormProblem {
  std::string pointer;
  std::string message;
  bool at_key = false;
};

/// What is wrong with a record in front of the rows.
std::vector<FormProblem> check_oracle_meta(const Json& meta);

/// What keeps `row` from being executed; empty when it is well-formed.
std::vector<FormProblem> check_oracle_form(const Json& row);

}  // namespace plumb::simulator
