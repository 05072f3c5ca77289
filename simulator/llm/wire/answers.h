// SPDX-License-Identifier: Apache-2.0
// From what the player says to the bytes of an answer: pure functions.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/llm/wire/delivery.h"
#include "simulator/llm/wire/wire_error.h"
#include "simulator/llm/wire/wire_options.h"
#include "simulator/llm/wire/wire_request.h"

namespace plumb::simulator {

/// What the ids of a reply end with: its number of four digits, behind the conversation's name.
std::string stem_of(const std::string& conversation, std::int64_t number);

/// The reply as it is sent: the faults of its content, ids in the provider's form and, in a script
/// that loops, never the same twice.
ModelStep sent_reply(ModelStep reply, Dialect dialect, const WireOptions& options,
                     std::int64_t number);

/// The script's id of a call on the wire.
std::string script_call_id(std::string_view wire_id, const PlayerScript& script);

/// An answer with an error body and the header that repeats the request's id (WIRE-14).
Delivery error_answer(Dialect dialect, const WireError& error, const std::string& request_id);

/// Encoded streams of one script by what they are made of. Thread-safe.
class StreamTemplates final {
 public:
  /// The stream of `reply`, encoded before if `key` was.
  EventStream stream(const std::string& key, Dialect dialect, const WireReply& reply);

 private:
  std::mutex mutex_;  ///< Guards the templates.
  // Shared, because one may be in use while all are forgotten.
  std::map<std::string, std::shared_ptr<const StreamTemplate>, std::less<>> templates_;
};

/// The answer to a generation request. `plan.reply` is a sent reply.
Delivery plan_answer(const Exchange& exchange, const WireRequest& wire, const UsageScript& usage,
                     const WireOptions& options, StreamTemplates& templates);

/// GET /models and /models/ID, by caller (WIRE-33).
Delivery model_list_answer(const PlayerScript& script, bool is_messages);
Delivery model_answer(const PlayerScript& script, const std::string& model, bool is_messages);

/// Token counts (WIRE-32): about four bytes each.
std::int64_t token_count(std::int64_t bytes);
Delivery token_answer(Dialect dialect, const Json& body);

}  // namespace plumb::simulator
