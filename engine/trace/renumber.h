// SPDX-License-Identifier: Apache-2.0
// For who takes events out of a trace, or puts them in another order.
#pragma once

#include <vector>

#include "engine/trace/event.h"

namespace plumb {

/// Numbers the events by their places; causes and bases follow the events that they name, and what
/// names an event that is not there names none (-1).
void renumber(std::vector<Event>& events);

}  // namespace plumb
