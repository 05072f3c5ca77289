// SPDX-License-Identifier: Apache-2.0
// Canary engines: wrong through and through, each in one way. Over the whole suite each fails
// exactly the rules that fixtures/canaries.json lists for it; a rule that comes or goes shows that
// a check changed.
#pragma once

#include <string>
#include <vector>

#include "simulator/subjects/subject.h"

namespace plumb::simulator {

struct Canary {
  std::string name;
  Alterations alterations;
};

/// allow-everything: no gate, no validation, no abort stops a call. refuse-everything: every call
/// is refused. swallow-errors: every failure looks like a success. reorder: results come in
/// reverse.
std::vector<Canary> canaries();

}  // namespace plumb::simulator
