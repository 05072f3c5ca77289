// SPDX-License-Identifier: Apache-2.0
// Which members an event of a kind cannot be without. Numbers, flags and the blocks of a request
// are always written; of the texts, lists and values these are, even when they are empty. Writer,
// reader and schema share the table.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/trace/event.h"

namespace plumb {

using RequiredMembers = std::array<std::string_view, 4>;

inline constexpr std::array<std::pair<std::string_view, RequiredMembers>, 34> kRequiredMembers = {{
    {"input", {"text", "mode"}},
    {"before_agent_start", {"prompt"}},
    {"message_start", {"role", "message"}},
    {"message_update", {"delta"}},
    {"message_end", {"role", "message"}},
    {"tool_execution_start", {"call", "name", "args"}},
    {"tool_execution_update", {"call", "name", "args", "partial"}},
    {"tool_execution_end", {"call", "name", "result"}},
    {"turn_end", {"results"}},
    {"session_start", {"reason"}},
    {"session_shutdown", {"reason"}},
    {"hook_call", {"event", "extension"}},
    {"hook_return", {"event", "extension"}},
    {"execute_begin", {"call", "name", "owner", "args"}},
    {"execute_end", {"call", "name", "outcome"}},
    {"call_outcome", {"call", "outcome"}},
    {"registry_refresh", {"tools", "candidates"}},
    {"active_set", {"before", "after", "by"}},
    {"diagnostic", {"code", "message"}},
    {"extension_error", {"extension", "event", "error"}},
    {"queue_acquire", {"key"}},
    {"queue_release", {"key"}},
    {"load", {"extension", "phase"}},
    {"session_entry", {"id", "type"}},
    {"notify", {"by", "topic"}},
    {"provider_request", {"lineage", "hash"}},
    {"provider_response", {"stop_reason"}},
    {"file_op", {"op", "path", "phase"}},
    {"process_start", {"command"}},
    {"ui_ask", {"method"}},
    {"ui_answer", {"by"}},
    {"step", {"step"}},
    {"final_files", {"before", "files"}},
    {"llm_error", {"code", "message"}},
}};

/// Fields of these types are there in every event that has them, whatever their value.
template <class Value>
inline constexpr bool kIsAlwaysWritten =
    std::is_same_v<Value, std::int64_t> || std::is_same_v<Value, bool> ||
    std::is_same_v<Value, std::vector<RequestBlock>>;

/// Whether a text, list or value of this name must be there.
constexpr bool is_required_member(std::string_view kind, std::string_view name) {
  for (const auto& [of_kind, members] : kRequiredMembers) {
    if (of_kind != kind) continue;
    for (const auto member : members) {
      if (!member.empty() && member == name) return true;
    }
  }
  return false;
}

}  // namespace plumb
