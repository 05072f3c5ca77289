// SPDX-License-Identifier: Apache-2.0
// The wire APIs of providers, and where a request goes by its path (WIRE-13). A path may begin with
// /c/NAME, a conversation that the server keeps apart from others, and then with /t/NAME, a track
// of the script; /v1 is optional, a query string is not looked at.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/kernel/result.h"

namespace plumb::simulator {

/// Anthropic Messages, OpenAI Chat Completions, OpenAI Responses.
enum class Dialect : std::uint8_t { messages, chat, responses };

/// By the request's path: .../messages, .../chat/completions, .../responses. Errors: invalid.
Result<Dialect> dialect_of_path(std::string_view path);

/// What a path asks for. `journal`, `health` and `reset` are the server's own, below /_plumb/.
struct Route {
  enum class Kind : std::uint8_t {
    unknown,
    generate,
    count_tokens,
    model_list,
    model,
    journal,
    health,
    reset,
  };
  Kind kind = Kind::unknown;
  Dialect dialect = Dialect::messages;  ///< Of `generate` and `count_tokens`.
  std::string conversation;
  std::string track;
  std::string model;  ///< Of `model`.
  bool operator==(const Route&) const = default;
};

Route route_of(std::string_view path);

/// The one method that a route takes: GET or POST; "" of an unknown route.
std::string_view method_of(Route::Kind kind);

}  // namespace plumb::simulator
