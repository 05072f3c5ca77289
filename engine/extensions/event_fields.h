// SPDX-License-Identifier: Apache-2.0
// The JSON that handlers are given and give back, by event (core.yaml events).
#pragma once

#include <string>

#include "engine/extensions/extension_api.h"
#include "engine/kernel/result.h"
#include "engine/model/message.h"
#include "engine/tools/hooks.h"
#include "engine/trace/event.h"
#include "engine/values/json.h"

namespace plumb::engine {

/// {toolCallId, toolName, parentToolCallId?}.
Json call_fields(const CallView& call);
/// call_fields plus {input, content, details?, structuredContent?, isError, usage?}.
Json result_fields(const CallView& call, const ToolResult& result);
/// The fields of a recorded tool_execution_* event.
Json execution_fields(const std::string& call_id, const Payload& event);

/// What a block says: {reason?, terminate?} (HOOK-04, HOOK-15).
BeforeOutcome parse_block(const Json& returned);
/// Errors: invalid, when a field has the wrong shape. Unknown fields, terminate among them, are
/// ignored (HOOK-18).
Result<ResultPatch> parse_patch(const Json& returned);
/// {customType, content, details?}. Errors: invalid.
Result<CustomMessage> parse_custom_message(const Json& json);
/// `message` with what `replacement` gives for content, details and isError. Errors: rejected, when
/// the role differs; invalid, for content of no known shape (EVENT-25).
Result<MessagePtr> replace_message(const Message& message, const Json& replacement);
/// Errors: invalid, unless `entries` is a list of drafts of known types (EVENT-42).
Result<void> check_drafts(const Json& entries);

}  // namespace plumb::engine
