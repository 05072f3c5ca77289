// SPDX-License-Identifier: Apache-2.0
// Whether a request is the one that a reply is meant for (WIRE-11).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "engine/model/provider.h"
#include "simulator/script/reply_script.h"

namespace plumb::simulator {

/// The script's id of a call in a request.
using ScriptId = std::function<std::string(std::string_view)>;

/// The first part of `match` that does not hold, as "its last user text 'hi' lacks a text 'bye'",
/// or "". Without `script_id` ids stand as in the script. Pure.
std::string unmatched_part(const RequestMatch& match, const engine::ModelRequest& request,
                           const ScriptId& script_id = {});

}  // namespace plumb::simulator
