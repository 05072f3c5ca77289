// SPDX-License-Identifier: Apache-2.0
// Partial comparison of JSON values: only what the expectation gives is judged.
#pragma once

#include <string>

#include "engine/values/json.h"
#include "simulator/oracle/placeholders.h"
#include "simulator/oracle/verdict.h"

namespace plumb::simulator {

/// Objects: each expected key. Lists: as long, element by element. Texts: with placeholders, or the
/// digest of a long one. Numbers by value; the text "number" stands for any number. `path` names
/// the place in differences; `actual` may be null where something is missing.
Differences compare_partly(const Json& expected, const Json& actual, const std::string& path,
                           const Placeholders& places);

/// `digest` has the form of a long text's digest.
bool is_digest(const Json& value);

}  // namespace plumb::simulator
