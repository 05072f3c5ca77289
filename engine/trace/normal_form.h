// SPDX-License-Identifier: Apache-2.0
// The normal form of a trace: what belongs to one run on one machine becomes a placeholder, and
// live events, whose order across sources is chance, stand source by source. Two live runs of one
// scenario that did the same have the same normal form.
#pragma once

#include "engine/kernel/result.h"
#include "engine/trace/trace.h"

namespace plumb {

/// Placeholders, in every text: <dir-1>, <dir-2>, ... for names directly below /tmp, in the order
/// of their appearance; <uuid-1>, ...; <port> behind 127.0.0.1 and localhost; <time> for ISO dates
/// with a time. Members that measure time or name processes (timestamp, durationMs, pid, ...)
/// become 0, digests of wire bytes go. Of a live trace besides: times are 0, progress of tools is
/// left out, since how often it comes is chance, and an event comes after its cause, then engine,
/// port, llm, host, probe. Errors: invalid, when requests do not fit to each other.
Result<Trace> normal_form(const Trace& trace);

}  // namespace plumb
