// SPDX-License-Identifier: Apache-2.0
// The names that a rule's sentence gives to events: resolved when the rule is compiled, so that a
// trace is searched by numbers, and a misspelt name does not compile.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/trace/event.h"

namespace plumb::invariants {

/// Names that are no kinds: the hooks of a call, and the returns of their handlers.
inline constexpr std::array<std::string_view, 4> kHookNames{"tool_call", "tool_call_return",
                                                            "tool_result", "tool_result_return"};
inline constexpr std::size_t kEventNameCount = kEventKindCount + kHookNames.size();

/// An event kind, or a hook by its event: see kHookNames.
class EventName {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a rule reads as a sentence.
  consteval EventName(const char* text) : index_(find(text)) {}

  constexpr std::size_t index() const { return index_; }
  constexpr std::string_view text() const {
    return index_ < kEventKindCount ? kEventKinds[index_] : kHookNames[index_ - kEventKindCount];
  }

 private:
  static void no_event_has_this_name() {}

  static consteval std::uint8_t find(std::string_view text) {
    std::uint8_t index = 0;
    for (const auto kind : kEventKinds) {
      if (kind == text) return index;
      ++index;
    }
    for (const auto hook : kHookNames) {
      if (hook == text) return index;
      ++index;
    }
    no_event_has_this_name();  // Not to be evaluated by a compiler: the error that is shown.
    return index;
  }

  std::uint8_t index_;
};

/// Some of all names.
using EventNames = std::bitset<kEventNameCount>;

/// What may be true of a call, beside the events that it has: it goes to the tool of that name, was
/// made by a tool, ended in an error, or its execute threw.
inline constexpr std::array<std::string_view, 4> kToolTraits{"read", "write", "edit", "bash"};
inline constexpr std::array<std::string_view, 3> kCallTraits{"is nested", "is an error", "threw"};
inline constexpr std::size_t kOccasionCount =
    kEventNameCount + kToolTraits.size() + kCallTraits.size();

/// Without which a rule has nothing to say about a call: an event's name, or a trait.
class Occasion {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a rule reads as a sentence.
  consteval Occasion(const char* text) : index_(find(text)) {}

  constexpr std::size_t index() const { return index_; }

 private:
  static consteval std::size_t find(std::string_view text) {
    std::size_t index = kEventNameCount;
    for (const auto tool : kToolTraits) {
      if (tool == text) return index;
      ++index;
    }
    for (const auto trait : kCallTraits) {
      if (trait == text) return index;
      ++index;
    }
    return EventName(text.data()).index();
  }

  std::size_t index_;
};

/// Some of all occasions; those that are names come first.
using Occasions = std::bitset<kOccasionCount>;

}  // namespace plumb::invariants
