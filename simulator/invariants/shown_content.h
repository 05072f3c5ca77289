// SPDX-License-Identifier: Apache-2.0
// A result as the model sees it, whatever the dialect can say. In Chat Completions a tool message
// has text alone and is never without: texts are joined by line breaks, what is empty is said in
// words, and pictures stand in a user message behind all tool messages of the batch (WIRE-118).
#pragma once

#include "simulator/invariants/story.h"

namespace plumb::invariants {

/// Whether the request was sent in Chat Completions.
bool is_chat(const Request& request);

/// Blocks of the call's result in its next request. In Chat: those of `expected` as far as what was
/// sent is the dialect's form of them, pictures as they were sent and a placeholder for each that
/// the model does not take; else what was sent, with the pictures behind it. Needs a shown result.
Json shown_content(const Call& call, const Json& expected, const Story& story);

}  // namespace plumb::invariants
