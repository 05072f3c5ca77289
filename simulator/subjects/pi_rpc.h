// SPDX-License-Identifier: Apache-2.0
// The output of pi's RPC mode as a trace. Such a stream shows public events only: what handlers
// saw, when execute began and what happened to files stays unseen, and rules that need it are
// untestable.
#pragma once

#include <string>
#include <string_view>

#include "engine/kernel/result.h"
#include "engine/trace/trace.h"

namespace plumb::simulator {

/// A text and the name that errors give it.
struct NamedText {
  std::string_view text;
  std::string_view file;
};

/// Reads `events` (JSON Lines, one record a line) and, if its text is not empty, `requests`: a JSON
/// array of the provider requests {path, body} in order, as a scripted LLM logged them. The k-th
/// request is joined to the k-th answer. Records that say nothing about a rule (responses to
/// commands, queue and state notices) are passed over. Errors: invalid, located.
Result<Trace> read_pi_rpc(NamedText events, NamedText requests);

}  // namespace plumb::simulator
