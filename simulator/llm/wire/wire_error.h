// SPDX-License-Identifier: Apache-2.0
// Errors in the shape of each provider (WIRE-30, WIRE-31, WIRE-49).
#pragma once

#include <string>

#include "simulator/llm/wire/dialect.h"
#include "simulator/script/reply_script.h"

namespace plumb::simulator {

/// `code`, `param`: OpenAI's; an empty `code` is that of the status, if it has one. `type`: empty:
/// that of the status.
struct WireError {
  int status = 500;
  std::string message;
  std::string code = {};
  std::string param = {};
  std::string type = {};
};

/// The error that a scripted failure is on this wire.
WireError wire_error_of(Dialect dialect, const FailureScript& failure);

/// What an answer that breaks off says.
WireError broken_off();

/// The body of an HTTP error. `request_id`: repeated by Anthropic's (WIRE-14).
Json error_body(Dialect dialect, const WireError& error, const std::string& request_id);

}  // namespace plumb::simulator
