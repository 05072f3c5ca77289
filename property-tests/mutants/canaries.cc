// SPDX-License-Identifier: Apache-2.0
#include "property-tests/mutants/canaries.h"

#include <algorithm>
#include <utility>

namespace plumb::simulator {
namespace {

using engine::Policies;

void allow_everything(Policies& policies) {
  policies.verdict_stops_call = [](const engine::BeforeOutcome&) { return false; };
  policies.abort_ends_call = [](engine::AbortPoint) { return false; };
  policies.answer_is_runnable = [](engine::StopReason) { return true; };
  policies.keeps_tool = [](const engine::ToolFilters&, const engine::RegisteredTool&) {
    return true;
  };
  policies.validate = [](const engine::RegisteredTool&, Json prepared) {
    return engine::ValidatedArguments{std::move(prepared), {}};
  };
}

void refuse_everything(Policies& policies) {
  policies.find_tool = [](const engine::TurnTools&, std::string_view) {
    return engine::RegisteredToolPtr();
  };
}

void swallow_errors(Policies& policies) {
  policies.returned_result_is_error = [](const engine::ToolResult&) { return false; };
  policies.result_message = [](const engine::FinishedCall& call) {
    auto message = engine::result_message(call);
    message.is_error = false;
    return message;
  };
}

void reorder(Policies& policies) {
  policies.message_order = [](std::span<const std::size_t> completed) {
    auto order = engine::source_order(completed);
    std::ranges::reverse(order);
    return order;
  };
}

Canary canary(std::string name, void (*change)(Policies&)) {
  Canary result{std::move(name), {}};
  result.alterations.policies = change;
  return result;
}

}  // namespace

std::vector<Canary> canaries() {
  std::vector<Canary> list;
  list.push_back(canary("allow-everything", allow_everything));
  list.push_back(canary("refuse-everything", refuse_everything));
  list.push_back(canary("swallow-errors", swallow_errors));
  list.push_back(canary("reorder", reorder));
  return list;
}

}  // namespace plumb::simulator
