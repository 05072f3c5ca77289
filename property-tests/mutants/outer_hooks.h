// SPDX-License-Identifier: Apache-2.0
// Mutants that stand around the hooks of the extensions, where a host's own hooks stand.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/tools/hooks.h"
#include "property-tests/mutants/mutant.h"

namespace plumb::simulator {

/// Changes nothing; a mutant overrides what it breaks.
class OuterHooks : public engine::ToolHooks {
 public:
  explicit OuterHooks(engine::ToolHooks& inner) : inner_(inner) {}

  engine::Task<engine::BeforeOutcome> before_call(engine::CallView call) override {
    return inner_.before_call(std::move(call));
  }
  engine::Task<engine::ToolResult> after_call(engine::CallView call,
                                              engine::ToolResult result) override {
    return inner_.after_call(std::move(call), std::move(result));
  }
  engine::Task<void> on_event(std::string call_id, Payload event) override {
    return inner_.on_event(std::move(call_id), std::move(event));
  }
  bool wants(std::string_view kind) const override { return inner_.wants(kind); }

 protected:
  engine::ToolHooks& inner_;
};

/// A mutant whose host wraps the hooks in `Hooks`, which is made of the inner ToolHooks.
template <class Hooks>
Mutant hook_mutant(std::string name, std::string rule, std::string change) {
  Mutant mutant;
  mutant.name = std::move(name);
  mutant.kind = MutantKind::extension;
  mutant.rule = std::move(rule);
  mutant.change = std::move(change);
  mutant.alterations.session = [](engine::SessionOptions& options) {
    options.wrap_hooks = [](engine::ToolHooks& inner) -> std::unique_ptr<engine::ToolHooks> {
      return std::make_unique<Hooks>(inner);
    };
  };
  return mutant;
}

}  // namespace plumb::simulator
