// SPDX-License-Identifier: Apache-2.0
// The typed events of a trace: the only evidence that a check may use. Each event kind is a struct
// that names its kind and lists its fields once (`fields`); the JSON form, the reader, the generic
// field access of the checks and the schema test all come from that list. A kind is added, never
// changed in meaning. Values are shared, not copied: an event costs no JSON until somebody reads
// it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "engine/trace/effect_events.h"
#include "engine/trace/probe_events.h"
#include "engine/trace/public_events.h"

namespace plumb {

/// Who vouches for an event. Order is certain within a source; across sources only through `cause`.
enum class Source : std::uint8_t { engine, port, llm, host, probe };

/// The kinds of event, in the order of their index.
template <class... Kinds>
struct KindList {
  static constexpr std::size_t kCount = sizeof...(Kinds);
  static constexpr std::array<std::string_view, kCount> kNames{Kinds::kKind...};

  /// kCount if T is no kind.
  template <class T>
  static constexpr std::size_t index_of() {
    std::size_t index = 0;
    static_cast<void>(((std::is_same_v<T, Kinds> || (++index, false)) || ...));
    return index;
  }
};

using EventKinds =
    KindList<Input, BeforeAgentStart, AgentStart, TurnStart, MessageStart, MessageUpdate,
             MessageEnd, ToolExecutionStart, ToolExecutionUpdate, ToolExecutionEnd, TurnEnd,
             AgentEnd, AgentBeforeSettle, AgentSettled, SessionStart, SessionShutdown, HookCall,
             HookReturn, ExecuteBegin, ExecuteEnd, CallOutcome, RegistryRefresh, ActiveSet,
             Diagnostic, ExtensionError, QueueAcquire, QueueRelease, Load, SessionEntry, Notify,
             ProviderRequest, ProviderResponse, FileOperation, ProcessStart, ProcessExit, UiAsk,
             UiAnswer, Step, FinalFiles, LlmError, Crash, Resume>;

template <class T>
concept EventKind = EventKinds::index_of<T>() < EventKinds::kCount;

inline constexpr std::size_t kEventKindCount = EventKinds::kCount;

/// Names of all kinds, by index.
inline constexpr auto kEventKinds = EventKinds::kNames;

/// What an event says: a value of one kind, which is shared and never changes, so that traces are
/// cheap to copy. (A variant of forty kinds would cost each file that copies one seconds to
/// compile.)
class Payload {
 public:
  Payload() : Payload(Input{}) {}
  template <EventKind T>
  Payload(T value)  // NOLINT(google-explicit-constructor): an event is given as what it says
      : index_(EventKinds::index_of<T>()), value_(std::make_shared<const T>(std::move(value))) {}

  std::size_t index() const { return index_; }
  /// Null if it is of another kind.
  template <EventKind T>
  const T* as() const {
    return index_ == EventKinds::index_of<T>() ? static_cast<const T*>(value_.get()) : nullptr;
  }
  bool operator==(const Payload& other) const;

 private:
  std::size_t index_;
  std::shared_ptr<const void> value_;
};

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
  template <EventKind T>
  const T* as() const {
    return payload.as<T>();
  }
  bool operator==(const Event&) const = default;
};

}  // namespace plumb
