// SPDX-License-Identifier: Apache-2.0
// What a real provider refuses in a request.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/model/provider.h"
#include "engine/trace/event.h"

namespace plumb::simulator {

/// Every reason to refuse `request`, in the order of its blocks. `locate` gives the place of a call
/// id, or of the next reply for an id that the script does not have. Codes:
///   empty_messages    a request without a message
///   unknown_role      a role that is none of system, user, assistant and toolResult
///   orphan_result     a result whose call is nowhere in the request
///   early_result      a result before its call
///   duplicate_result  a second result of a call
///   late_result       a result that does not follow directly on the answer with its call
///   result_order      results that do not stand in the order of the calls
///   missing_result    a call without a result
///   duplicate_tool    two tools of one name
///   bad_tool          a tool without a name of 1 to 128 letters, digits, '_' and '-', or whose
///                     parameters are no schema of an object
/// `accepted`: the messages of an earlier request that was found right; what the request repeats of
/// them is not looked at again.
std::vector<LlmError> check_request(const engine::ModelRequest& request,
                                    const std::function<std::string(const std::string&)>& locate,
                                    const SharedJsonList& accepted = {});

}  // namespace plumb::simulator
