// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/session_policies.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "engine/values/utf8.h"

namespace plumb::engine {

namespace {

/// Words of failures that pass by themselves, in lower case; of failures without a status.
constexpr std::array<std::string_view, 12> kPassingFailures = {
    "overload",   "overloaded",  "rate limit",        "rate limited",
    "rate_limit", "network",     "server error",      "server_error",
    "connection", "connections", "too many requests", "service unavailable",
};
/// Refusals that look like a rate limit and last (WIRE-97).
constexpr std::array<std::string_view, 2> kLastingFailures = {"insufficient_quota", "billing"};

bool is_word_character(char character) {
  return (character >= 'a' && character <= 'z') || (character >= '0' && character <= '9');
}

/// Whether `word` stands in `text` by itself; an underscore parts words.
bool has_word(std::string_view text, std::string_view word) {
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const auto end = at + word.size();
    const bool begins = at == 0 || !is_word_character(text[at - 1]);
    const bool ends = end == text.size() || !is_word_character(text[end]);
    if (begins && ends) return true;
  }
  return false;
}

bool has_any_word(std::string_view text, std::span<const std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return has_word(text, word); });
}

/// The status that a message begins with ("529 overloaded"), or 0.
std::int64_t leading_status(std::string_view text) {
  std::int64_t status = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), status);
  const bool is_number = error == std::errc() && end - text.data() == 3;
  const bool is_alone = is_number && (text.size() == 3 || !is_word_character(*end));
  return is_alone && status >= 100 && status < 600 ? status : 0;
}

bool is_passing_status(std::int64_t status) {
  return status == 408 || status == 409 || status == 429 || status >= 500;
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

bool hears_own_event(std::string_view subscribed, std::string_view event) {
  return subscribed == event;
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

/// WIRE-80: the status decides, words only where there is none.
bool is_retryable(const AssistantMessage& answer) {
  if (answer.stop_reason != StopReason::error) return false;
  const std::string text = lower_case(answer.error_message);
  if (has_any_word(text, kLastingFailures)) return false;
  const std::int64_t status = answer.error_status > 0 ? answer.error_status : leading_status(text);
  return status > 0 ? is_passing_status(status) : has_any_word(text, kPassingFailures);
}

bool retry_precedes_settlement(bool is_announced) {
  return is_announced;
}

bool grants_continuation(bool is_asked_for) {
  return is_asked_for;
}

std::string entry_shown_at_turn_end(std::string_view stored) {
  return std::string(stored);
}

bool selection_ends_with_run() {
  return true;
}

bool context_changes_are_stored() {
  return false;
}

}  // namespace plumb::engine
