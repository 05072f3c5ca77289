// SPDX-License-Identifier: Apache-2.0
// How the fake LLM serves a script.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "simulator/llm/wire/exchange.h"

namespace plumb::simulator {

/// Which reply a request gets (WIRE-11). `sequence`: the n-th generation request of its
/// conversation gets the n-th reply of its track; a failed reply is used up. `history`: as many
/// answers as the request repeats, so many replies are behind it, whoever asks; of the failed
/// replies before one, each is given once in all. `match`: the first reply of the track that is
/// left and meant for the request by its `match`; each is given once, a failed one too.
enum class Selection : std::uint8_t { sequence, history, match };

struct WireOptions {
  std::int64_t port = 0;  ///< 0: any free one.
  Selection selection = Selection::sequence;
  bool loops = false;           ///< Past its last reply a track begins again.
  bool is_lenient = false;      ///< What a provider would refuse is logged only (WIRE-70).
  bool needs_key = true;        ///< Anthropic: a request without credentials is refused.
  bool computes_usage = false;  ///< Replies without usage get it from the prefix (WIRE-120).
  /// Call ids get the provider's form, toolu_c1 or call_c1; else they stand as in the script.
  bool shapes_call_ids = true;
  /// Checks that are off, by the code that they report (WIRE-70). Hosted services take results in
  /// any order.
  std::vector<std::string> checks_off = {"result_order"};
  std::string write = "event";  ///< For replies that do not say: event, all, or bytes at a time.
  std::uint64_t seed = 0;       ///< Of faults without a place of their own.
  std::int64_t body_bytes_max = 64 << 20;
  std::int64_t threads_max = 4096;  ///< Connections at a time.
  std::int64_t conversations_max = 100'000;
  std::int64_t journal_max = 100'000;  ///< Exchanges that are kept; older ones are forgotten.
  std::int64_t journal_bytes_max = 256 << 20;
  std::int64_t errors_max = 10'000;       ///< Errors that are kept; further ones are counted.
  std::int64_t read_timeout_ms = 30'000;  ///< For a request to arrive, first byte to last.
  std::int64_t write_timeout_ms = 30'000;
  std::int64_t keep_alive_ms = 60'000;
  std::int64_t until_timeout_ms = 60'000;  ///< A reply's `until` that does not come true.

  /// Called on a server thread, no lock held: at arrival, in the log already and before the first
  /// byte of the reply; and when the reply has ended, whichever way.
  std::function<void(const Exchange&)> on_request = {};
  std::function<void(const Exchange&)> on_reply = {};
  /// Whether the event of a reply's `until` has happened; asked every few milliseconds on a server
  /// thread. Without it such a reply is a broken script (code no_events).
  std::function<bool(const Trigger&)> has_happened = {};
};

}  // namespace plumb::simulator
