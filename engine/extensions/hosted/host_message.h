// SPDX-License-Identifier: Apache-2.0
// The lines that the engine and the Node host of extensions write to each other (PROTOCOL.md).
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/kernel/result.h"
#include "engine/values/json.h"

namespace plumb::engine {

/// Why a request has no result. `is_error_object`: as Thrown. `is_host`: the host itself failed, no
/// extension threw.
struct HostFailure {
  explicit HostFailure(std::string what) : message(std::move(what)) {}
  std::string message;
  bool is_error_object = true;
  bool is_host = false;
  bool operator==(const HostFailure&) const = default;
};

using HostReply = std::expected<Json, HostFailure>;

/// A line of the host: an answer (`id`, no `method`), a call (both) or a notification (`method`
/// only); a question is a line of its own channel. `request`, `extension`: ours that it works for,
/// and whose code that is; or -1.
struct HostMessage {
  std::int64_t id = -1;
  std::string method;
  Json params = Json::object();
  std::int64_t request = -1;
  std::int64_t extension = -1;
  HostReply reply = Json();

  bool is_answer() const { return method.empty(); }
  bool is_call() const { return !method.empty() && id >= 0; }
};

/// Errors: protocol, for what is no line of the protocol; it says what is wrong.
Result<HostMessage> parse_host_message(std::string_view line);

/// A member, or what stands for it when it is missing or of another type.
std::string text_in(const Json& object, const char* name, std::string otherwise = {});
std::int64_t number_in(const Json& object, const char* name, std::int64_t otherwise = 0);
/// Null when missing.
Json value_in(const Json& object, const char* name);
/// The texts of a list; none when it is no list.
std::vector<std::string> texts_in(const Json& list);

/// A folder as the engine names it and where it really is.
struct FolderPair {
  FolderPair(std::string engine_path, std::string real_path)
      : named(std::move(engine_path)), real(std::move(real_path)) {}
  std::string named;
  std::string real;
};

/// `value` with the names of folders, where they stand as paths of their own in its texts, made
/// real; and back: what is real never enters a trace.
Json with_real_paths(Json value, const std::vector<FolderPair>& folders);
Json with_named_paths(Json value, const std::vector<FolderPair>& folders);

}  // namespace plumb::engine
