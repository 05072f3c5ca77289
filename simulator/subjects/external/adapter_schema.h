// SPDX-License-Identifier: Apache-2.0
// The schema of the adapter protocol (adapters/adapter.schema.json), built in, and the check of one
// message against it.
#pragma once

#include <string>

#include "engine/kernel/result.h"
#include "engine/values/json.h"

namespace plumb::simulator {

inline constexpr std::string_view kAdapterProtocol = "plumb-adapter/1";

const Json& adapter_schema();

/// The definition in the schema that a message of the adapter must fit: "from_done",
/// "from_event_turn_start". Errors: protocol, for what is no message at all: no object, an unknown
/// type or kind, a kind that only the harness reports; the nearest known name is said.
Result<std::string> definition_of(const Json& message);

/// Whether the adapter may write it. Errors: protocol; the message says which member is wrong.
Result<void> check_adapter_message(const Json& message);

}  // namespace plumb::simulator
