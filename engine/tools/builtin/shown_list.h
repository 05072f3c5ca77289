// SPDX-License-Identifier: Apache-2.0
// The lines that grep, find and ls show: a list that keeps no more than can be shown, its cut at
// the cap and its notices (GREP-05, GREP-07, FIND-04, LS-03, TRUNC-04).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tools/definition.h"

namespace plumb::engine {

/// Limits of a call are at least 1 and at most this.
inline constexpr std::int64_t kListedMax = 9'007'199'254'740'991;

/// The number at `limit`, made to fit; `fallback` if there is none.
std::int64_t list_limit(const Json& params, std::int64_t fallback);

class ShownList final {
 public:
  void add(std::string_view line);
  bool empty() const { return line_count_ == 0; }

  void add_notice(std::string notice) { notices_.push_back(std::move(notice)); }
  /// "LIMIT WHAT are shown; there are more. Use limit=TWICE to see them".
  void add_limit_notice(std::int64_t limit, std::string_view what);
  void set_detail(const char* key, Json value) { details_[key] = std::move(value); }

  /// One text: the lines within the cap of 51200 bytes, or `if_empty`; then "[NOTICE. NOTICE]".
  ToolResult result(std::string_view if_empty) const;

 private:
  std::string text_;
  std::int64_t line_count_ = 0;
  std::int64_t byte_count_ = 0;  ///< With a line feed after every line.
  std::vector<std::string> notices_;
  Json details_ = Json::object();
};

}  // namespace plumb::engine
