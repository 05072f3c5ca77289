// SPDX-License-Identifier: Apache-2.0
#include "simulator/llm/wire/wire_error.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/values/json_object.h"
#include "simulator/llm/reply.h"

namespace plumb::simulator {
namespace {

struct StatusWords {
  int status;
  std::string_view messages_type;
  std::string_view chat_type;
  std::string_view chat_code;
};

constexpr std::array<StatusWords, 13> kStatusWords = {{
    {400, "invalid_request_error", "invalid_request_error", ""},
    {401, "authentication_error", "invalid_request_error", "invalid_api_key"},
    {402, "billing_error", "insufficient_quota", "insufficient_quota"},
    {403, "permission_error", "permission_error", ""},
    {404, "not_found_error", "invalid_request_error", "model_not_found"},
    {405, "invalid_request_error", "invalid_request_error", "method_not_supported"},
    {408, "timeout_error", "server_error", ""},
    {413, "request_too_large", "invalid_request_error", ""},
    {429, "rate_limit_error", "rate_limit_error", "rate_limit_exceeded"},
    {500, "api_error", "server_error", ""},
    {503, "api_error", "server_error", ""},
    {504, "timeout_error", "server_error", ""},
    {529, "overloaded_error", "server_error", ""},
}};

/// A status without words of its own has those of its class.
const StatusWords& words_of_status(int status) {
  const auto* words = std::ranges::find(kStatusWords, status, &StatusWords::status);
  if (words != kStatusWords.end()) return *words;
  return *std::ranges::find(kStatusWords, status < 500 ? 400 : 500, &StatusWords::status);
}

/// The words of a failure without the number that they begin with in a process.
std::string provider_words(const FailureScript& failure) {
  FailureScript bare = failure;
  bare.retry_after_ms = -1;
  std::string words = failure_message(bare);
  if (!failure.message.empty()) return words;
  const std::size_t blank = words.find(' ');
  const bool is_numbered = blank == 3 && words.find_first_not_of("0123456789") == blank;
  return is_numbered ? words.substr(blank + 1) : words;
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

}  // namespace

WireError wire_error_of(Dialect dialect, const FailureScript& failure) {
  WireError error;
  error.status = static_cast<int>(failure_status(failure));
  error.message = provider_words(failure);
  error.code = failure.code;
  if (failure.kind == "context_length" && error.code.empty() && dialect != Dialect::messages) {
    error.code = "context_length_exceeded";
  }
  if (dialect == Dialect::messages) error.type = failure.code;
  if (failure.code == "insufficient_quota") error.type = failure.code;
  return error;
}

WireError broken_off() {
  return {500, "the answer broke off"};
}

Json error_body(Dialect dialect, const WireError& error, const std::string& request_id) {
  const StatusWords& words = words_of_status(error.status);
  if (dialect == Dialect::messages) {
    const std::string type = error.type.empty() ? std::string(words.messages_type) : error.type;
    Json body =
        json_object("type", "error", "error", json_object("type", type, "message", error.message));
    if (!request_id.empty()) body["request_id"] = request_id;
    return body;
  }
  const std::string type = error.type.empty() ? std::string(words.chat_type) : error.type;
  const std::string code = error.code.empty() ? std::string(words.chat_code) : error.code;
  return json_object("error", json_object("message", error.message, "type", type, "param",
                                          text_or_null(error.param), "code", text_or_null(code)));
}

}  // namespace plumb::simulator
