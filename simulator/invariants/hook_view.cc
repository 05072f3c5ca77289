// SPDX-License-Identifier: Apache-2.0
#include "simulator/invariants/hook_view.h"

#include <algorithm>
#include <utility>

#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

using Rank = std::pair<std::ptrdiff_t, std::int64_t>;  // Load place and registration.

Rank rank_of(const HandlerLife& handler, const Story& story) {
  const auto found = std::ranges::find(story.load_order, handler.extension);
  return {found - story.load_order.begin(), handler.from};
}

bool is_registered_at(const HandlerLife& handler, std::int64_t seq) {
  return handler.from < seq && (handler.to < 0 || handler.to > seq);
}

/// The registration that a turn belongs to, or null.
const HandlerLife* handler_of(const Event& entered, const Story& story) {
  const auto found = std::ranges::find(story.handlers, entered.cause, &HandlerLife::from);
  return found == story.handlers.end() ? nullptr : &*found;
}

}  // namespace

std::vector<const HandlerLife*> handlers_at(std::string_view event, std::int64_t seq,
                                            const Story& story) {
  std::vector<const HandlerLife*> chain;
  for (const auto& handler : story.handlers) {
    if (handler.event == event && is_registered_at(handler, seq)) chain.push_back(&handler);
  }
  std::ranges::sort(chain, {}, [&](const auto* handler) { return rank_of(*handler, story); });
  return chain;
}

Complaint follows_registration(const Call& call, EventName event, const Story& story) {
  const HandlerLife* earlier = nullptr;
  for (const Event* one : all(call, event)) {
    const auto* handler = handler_of(*one, story);
    if (handler == nullptr) continue;
    if (earlier != nullptr && rank_of(*handler, story) < rank_of(*earlier, story)) {
      return finding("a handler of " + handler->extension + " runs after one of " +
                         earlier->extension + " that was loaded or registered later",
                     one);
    }
    earlier = handler;
  }
  return std::nullopt;
}

Complaint all_had_a_turn(const Call& call, EventName event, std::int64_t seq, const Story& story) {
  const Event* end = first(call, "tool_execution_end");
  const auto turns = all(call, event);
  for (const auto* handler : handlers_at(event.text(), seq, story)) {
    if (handler->to >= 0 && (end == nullptr || handler->to < end->seq)) continue;
    const bool had_turn =
        std::ranges::any_of(turns, [&](const Event* turn) { return turn->cause == handler->from; });
    if (had_turn) continue;
    return finding("the handler of " + std::string(event.text()) + " that " + handler->extension +
                       " registered had no turn for call " + call.id,
                   end);
  }
  return std::nullopt;
}

}  // namespace plumb::invariants
