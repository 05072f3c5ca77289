// SPDX-License-Identifier: Apache-2.0
// A call of an extension's code: what it throws is its result.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "engine/extensions/extension_api.h"

namespace plumb::engine {

/// Handler or CommandHandler, kept alive for as long as it runs.
template <class Callable, class Argument>
Task<HandlerResult> call_guarded(std::shared_ptr<const Callable> callable, Argument argument) {
  std::optional<Thrown> thrown;
  try {
    HandlerResult result = co_await (*callable)(std::move(argument));
    co_return result;
  } catch (...) {
    thrown.emplace(thrown_now());
  }
  co_return std::unexpected(*std::move(thrown));
}

}  // namespace plumb::engine
