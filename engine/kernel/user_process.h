// SPDX-License-Identifier: Apache-2.0
// Work as another user: what a program may not do can only be tried by somebody who may not.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "engine/kernel/result.h"

namespace plumb::engine {

/// Whether this process is `uid` or may become it.
bool may_run_as(std::int64_t uid);

/// What `work` returns when it runs as user and group `uid`: here if this process is that user,
/// else in a child process. The child shares nothing back but the text. Call it without other
/// threads. Errors: permission, io, when the child cannot be made or does not end well.
Result<std::string> run_as(std::int64_t uid, const std::function<std::string()>& work);

}  // namespace plumb::engine
