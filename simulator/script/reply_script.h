// SPDX-License-Identifier: Apache-2.0
// What a scenario says of one reply of the model: content, failure, faults on the way, and the form
// that it takes on a wire.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/trace/pattern.h"
#include "engine/values/json.h"
#include "simulator/script/place.h"
#include "simulator/script/text_match.h"

namespace plumb::simulator {

/// An event that something waits for. Without text: nothing to wait for.
struct Trigger {
  std::string text;  ///< As written.
  EventPattern pattern;
  Place place;
  bool operator==(const Trigger&) const = default;
};

/// A call in a model reply. `arguments_text`: the raw text when it is no JSON (PIPE-15);
/// `arguments_error`: what the provider says about it.
struct CallScript {
  std::string id;
  std::string tool;
  Json args = Json::object();
  std::string arguments_text;
  std::string arguments_error;
  Place place;
  bool operator==(const CallScript&) const = default;
};

/// A reply that fails. `kind`: overloaded, rate_limit, server, network, context_length, refusal,
/// invalid_request. `after`: deltas that were streamed before it failed. The rest is of the wire
/// only: `code`: the provider's word for it; `body`: what stands in place of the provider's error
/// shape; `should_retry`: the header of that name.
struct FailureScript {
  std::string kind;
  std::string message;
  std::int64_t status = 0;
  std::int64_t retry_after_ms = -1;
  std::int64_t after = 0;
  std::string code = {};
  std::optional<std::string> body = {};
  std::optional<bool> should_retry = {};
  bool operator==(const FailureScript&) const = default;
};

/// What happens to a good reply on its way. `kind`: cut (the connection ends after `at` bytes of
/// the stream), stall (nothing comes after them for `ms`, or at all), cut_arguments and
/// garbled_arguments (of `call`, or the last one, at byte `at`), length (the output limit is
/// reached at byte `at` of the last block), duplicate_ids. `at` below 0: where the seed says.
/// `close`: reset, or fin for an orderly end.
struct ReplyFaultScript {
  std::string kind;
  std::int64_t at = -1;
  std::string call = {};
  std::string close = "reset";
  std::int64_t ms = -1;
  Place place = {};
  bool operator==(const ReplyFaultScript&) const = default;
};

/// How a reply is written where it goes over HTTP. `write`: event, all, or bytes at a time.
/// `interleave`: the arguments of several calls alternate (Chat). `omit`: parts of the protocol
/// that are left out: finish, stop_event, done, usage. `redacted`: a block of hidden thinking.
struct WireScript {
  std::string write;
  bool interleave = false;
  std::vector<std::string> omit;
  std::string signature;
  std::string redacted;
  bool operator==(const WireScript&) const = default;
};

/// Tokens as the reply reports them; those of the thinking are a part of the output.
struct UsageScript {
  std::int64_t input = 0;
  std::int64_t output = 0;
  std::int64_t cache_read = 0;
  std::int64_t cache_write = 0;
  std::int64_t reasoning = 0;
  bool operator==(const UsageScript&) const = default;
};

/// The request that a reply is meant for (WIRE-11); all given parts must hold. `user`: the text of
/// the last message of the user. `results`: by call id, the text of that call's result, which must
/// be there. `tools`: names that the request declares, whatever else it does; empty: it declares
/// none. `model`: its name.
struct RequestMatch {
  std::optional<TextMatch> user;
  std::vector<std::pair<std::string, TextMatch>> results;
  std::optional<std::vector<std::string>> tools;
  std::optional<std::string> model;
  Place place;
  bool operator==(const RequestMatch&) const = default;
};

/// One reply of the model: the k-th of its track answers the track's k-th request. `stop` empty:
/// toolUse if there are calls, else stop; words that only one provider has: stop_sequence, pause,
/// filter, context. `until`: the end of the reply waits for an event. `match`: what its request
/// must be like.
struct ModelStep {
  std::string track = "main";
  std::string text;
  std::string thinking;
  std::vector<CallScript> calls;
  std::string stop;
  std::optional<FailureScript> fail;
  std::optional<ReplyFaultScript> fault;
  WireScript wire;
  std::optional<UsageScript> usage;
  std::int64_t delay_ms = 0;        ///< Before the first delta.
  std::int64_t delta_delay_ms = 0;  ///< Before each further delta.
  std::int64_t chunk = 0;           ///< Code points a delta; 0: the whole block at once.
  Trigger until;
  std::optional<RequestMatch> match;
  bool operator==(const ModelStep&) const = default;
};

}  // namespace plumb::simulator
