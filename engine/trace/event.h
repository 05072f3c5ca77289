// SPDX-License-Identifier: Apache-2.0
// The typed events of a trace: the only evidence that a check may use. Each event kind is a struct
// that names its kind and lists its fields once (`fields`); the JSON form, the reader, the generic
// field access of the checks and the schema test all come from that list. A kind is added, never
// changed in meaning. Values are shared, not copied: an event costs no JSON until somebody reads
// it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "engine/trace/effect_events.h"
#include "engine/trace/probe_events.h"
#include "engine/trace/public_events.h"

namespace plumb {

/// Who vouches for an event. Order is certain within a source; across sources only through `cause`.
enum class Source : std::uint8_t { engine, port, llm, host, probe };

using Payload =
    std::variant<Input, BeforeAgentStart, AgentStart, TurnStart, MessageStart, MessageUpdate,
                 MessageEnd, ToolExecutionStart, ToolExecutionUpdate, ToolExecutionEnd, TurnEnd,
                 AgentEnd, AgentBeforeSettle, AgentSettled, SessionStart, SessionShutdown, HookCall,
                 HookReturn, ExecuteBegin, ExecuteEnd, CallOutcome, RegistryRefresh, ActiveSet,
                 Diagnostic, ExtensionError, QueueAcquire, QueueRelease, Load, SessionEntry, Notify,
                 ProviderRequest, ProviderResponse, FileOperation, ProcessStart, ProcessExit, UiAsk,
                 UiAnswer, Step, FinalFiles, LlmError, Crash, Resume>;

inline constexpr std::size_t kEventKindCount = std::variant_size_v<Payload>;

/// Names of all kinds, indexed like Payload's alternatives.
inline constexpr auto kEventKinds = []<std::size_t... I>(std::index_sequence<I...>) {
  return std::array<std::string_view, sizeof...(I)>{
      std::variant_alternative_t<I, Payload>::kKind...};
}(std::make_index_sequence<kEventKindCount>{});

/// One entry of a trace. `seq` counts from 0 without gaps; `at` is virtual milliseconds; `call`
/// names the tool call the event belongs to, or is empty; `cause` names an earlier seq, or -1.
struct Event {
  std::int64_t seq = 0;
  std::int64_t at = 0;
  Source source = Source::engine;
  std::string call;
  std::int64_t cause = -1;
  Payload payload;

  std::string_view kind() const { return kEventKinds[payload.index()]; }
  template <class T>
  const T* as() const {
    return std::get_if<T>(&payload);
  }
  bool operator==(const Event&) const = default;
};

}  // namespace plumb
