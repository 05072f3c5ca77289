// SPDX-License-Identifier: Apache-2.0
// A request body of a provider's API as the neutral request that the player answers, with what a
// hosted service would refuse in it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/provider.h"
#include "simulator/llm/wire/dialect.h"

namespace plumb::simulator {

/// A reason to refuse a request. `position`: in the body, as messages.1.content.0 (Messages) or
/// messages[1] (Chat). `call`: the id that it is about, or "".
struct RequestProblem {
  std::string code;
  std::string position;
  std::string message;
  std::string call;
  bool operator==(const RequestProblem&) const = default;
};

/// `answers`: assistant messages that the request repeats, those in a row counted once.
struct WireRequest {
  engine::ModelRequest request;
  std::string model;
  bool is_stream = false;
  bool includes_usage = false;
  std::int64_t answers = 0;
};

/// Reads the parts of a body. Errors: invalid, where the body is no object or a list is none.
Result<WireRequest> read_wire_request(Dialect dialect, const Json& body);

/// What the hosted service refuses, in the order of the body. Codes beside those of check_request:
///   missing_model, missing_max_tokens, first_assistant, empty_content, bad_content, blank_text,
///   results_not_first, bad_call_id, duplicate_call, bad_call_name, bad_arguments (WIRE-71);
///   empty_calls, empty_message (WIRE-72)
/// Pure.
/// See check_codes for all.
std::vector<RequestProblem> check_messages_body(const Json& body);
std::vector<RequestProblem> check_chat_body(const Json& body);

/// The codes of everything that is refused in a request, those of check_request included.
std::span<const std::string_view> check_codes();

/// Letters, digits, '_' and '-', 1 to `size_max` of them: what providers take as ids and names.
bool is_wire_word(std::string_view text, std::int64_t size_max);

inline constexpr std::int64_t kCallIdBytesMax = 64;
inline constexpr std::int64_t kToolNameBytesMax = 128;

}  // namespace plumb::simulator
