// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/session_policies.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

namespace plumb::engine {

namespace {

/// Words of failures that pass by themselves, in lower case.
constexpr std::array<std::string_view, 14> kPassingFailures = {
    "overload", "rate limit",   "rate_limit",   "too many requests",
    "429",      "500",          "502",          "503",
    "504",      "server error", "server_error", "service unavailable",
    "network",  "connection",
};

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& character : lower) {
    if (character >= 'A' && character <= 'Z') character = static_cast<char>(character - 'A' + 'a');
  }
  return lower;
}

}  // namespace

std::vector<std::size_t> load_then_registration(std::span<const HandlerSlot> slots) {
  std::vector<std::size_t> order(slots.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) {
    return std::tuple(slots[i].load_order, slots[i].number, i);
  });
  return order;
}

std::shared_ptr<Json> shared_input(std::shared_ptr<Json> input) {
  return input;
}

bool says_block(const Json& returned) {
  if (!returned.is_object()) return false;
  const auto block = returned.find("block");
  return block != returned.end() && *block == Json(true);
}

bool stops_at_refusal(const BeforeOutcome& outcome) {
  return outcome.verdict != BeforeVerdict::allow;
}

ToolResult latest_result(const ToolResult& /*executed*/, const ToolResult& latest) {
  return latest;
}

ToolResult result_after_throw(ToolResult before, const std::string& /*error*/) {
  return before;
}

bool reports_throw(std::string_view event) {
  return event != "tool_call";
}

bool chain_goes_on_after_throw(std::string_view /*event*/) {
  return true;
}

bool removed_handler_still_runs(std::string_view /*event*/) {
  return true;
}

std::string reason_of_start(std::string_view reason) {
  return std::string(reason);
}

bool announces_shutdown(std::string_view /*reason*/) {
  return true;
}

bool may_request(bool is_aborted) {
  return !is_aborted;
}

bool answer_ends_run(StopReason reason) {
  return reason == StopReason::error || reason == StopReason::aborted;
}

bool answer_is_sent_again(StopReason reason) {
  return !answer_ends_run(reason);
}

bool turn_follows(bool has_calls, bool batch_terminates) {
  return has_calls && !batch_terminates;
}

bool takes_follow_ups(bool is_aborted) {
  return !is_aborted;
}

bool asks_before_settle(bool is_aborted) {
  return !is_aborted;
}

bool is_retryable(const AssistantMessage& answer) {
  if (answer.stop_reason != StopReason::error) return false;
  const std::string text = lower_case(answer.error_message);
  return std::ranges::any_of(kPassingFailures, [&](std::string_view word) {
    return text.find(word) != std::string::npos;
  });
}

bool retry_precedes_settlement(bool is_announced) {
  return is_announced;
}

bool context_changes_are_stored() {
  return false;
}

}  // namespace plumb::engine
