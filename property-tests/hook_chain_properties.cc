// SPDX-License-Identifier: Apache-2.0
// Generated chains of handlers against an interpreter that is too simple to be wrong. Chains are
// valid by construction: extensions with handlers, each with changes and one ending.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/extensions/runner_fixture.h"
#include "engine/extensions/scripted.h"

namespace plumb::engine {
namespace {

/// How a handler ends. `harmless`: it returns an object that is no block (HOOK-06).
enum class Ending : std::uint8_t { nothing, allow, harmless, block, fail };

struct Gate {
  std::vector<std::pair<std::string, int>> changes;  ///< Member and its new value.
  Ending ending = Ending::nothing;
  int delay_ms = 0;
  std::string text;  ///< Reason or message.
};

/// A handler of results. `fails` goes with a patch that must then have no effect.
struct Patcher {
  std::optional<std::string> content;
  std::optional<int> detail;
  std::optional<bool> is_error;
  std::optional<int> structured;
  bool fails = false;
};

template <class H>
using Extensions = std::vector<std::vector<H>>;

// ------------------------------------------------------------------ generators

Gate some_gate(int number) {
  Gate gate;
  const int change_count = *rc::gen::inRange(0, 4);
  for (int i = 0; i < change_count; ++i) {
    auto member = *rc::gen::elementOf(std::vector<std::string>{"a", "b", "c"});
    gate.changes.emplace_back(std::move(member), *rc::gen::inRange(0, 100));
  }
  // Chains that stop early say little, so most handlers let the call pass.
  gate.ending = *rc::gen::weightedElement<Ending>({{6, Ending::nothing},
                                                   {4, Ending::allow},
                                                   {4, Ending::harmless},
                                                   {1, Ending::block},
                                                   {1, Ending::fail}});
  gate.delay_ms = *rc::gen::elementOf(std::vector<int>{0, 0, 5});
  gate.text = "text " + std::to_string(number);
  return gate;
}

template <class T>
std::optional<T> maybe(T value) {
  return *rc::gen::arbitrary<bool>() ? std::optional<T>(std::move(value)) : std::nullopt;
}

Patcher some_patcher(int number) {
  Patcher patcher;
  patcher.content = maybe("content " + std::to_string(number));
  patcher.detail = maybe(number);
  patcher.is_error = maybe(*rc::gen::arbitrary<bool>());
  patcher.structured = maybe(number);
  patcher.fails = *rc::gen::inRange(0, 4) == 0;
  return patcher;
}

template <class H>
Extensions<H> some_extensions(H (*some_handler)(int)) {
  Extensions<H> extensions(static_cast<std::size_t>(*rc::gen::inRange(1, 4)));
  int number = 0;
  for (auto& handlers : extensions) {
    const int count = *rc::gen::inRange(0, 4);
    for (int i = 0; i < count; ++i) handlers.push_back(some_handler(number++));
  }
  return extensions;
}

// ------------------------------------------------------------------ scripts

Json script_of(const Gate& gate) {
  Json steps = Json::array();
  if (gate.delay_ms > 0) steps.push_back(Json{{"delay", gate.delay_ms}});
  for (const auto& [member, value] : gate.changes) {
    steps.push_back(Json{{"set", Json{{"path", "/" + member}, {"value", value}}}});
  }
  if (gate.ending == Ending::allow) steps.push_back("allow");
  if (gate.ending == Ending::harmless) {
    steps.push_back(Json{{"return", Json{{"block", false}, {"reason", gate.text}}}});
  }
  if (gate.ending == Ending::block) steps.push_back(Json{{"block", gate.text}});
  if (gate.ending == Ending::fail) steps.push_back(Json{{"throw", gate.text}});
  return Json{{"do", std::move(steps)}};
}

Json script_of(const Patcher& patcher) {
  Json patch = Json::object();
  if (patcher.content) patch["content"] = *patcher.content;
  if (patcher.detail) patch["details"] = Json{{"n" + std::to_string(*patcher.detail), true}};
  if (patcher.structured) patch["structuredContent"] = Json{{"n", *patcher.structured}};
  if (patcher.is_error) patch["isError"] = *patcher.is_error;
  Json steps = Json::array();
  if (!patch.empty()) steps.push_back(Json{{"patch", std::move(patch)}});
  if (patcher.fails) steps.push_back(Json{{"throw", "broken"}});
  return Json{{"do", std::move(steps)}};
}

/// An engine's runner with the extensions loaded.
class Chain : RunnerFixture {
 public:
  template <class H>
  Chain(const std::string& event, const Extensions<H>& extensions) {
    std::vector<ExtensionSource> sources;
    for (const auto& handlers : extensions) {
      Json list = Json::array();
      for (const auto& handler : handlers) list.push_back(script_of(handler));
      Json definition{{"name", "e" + std::to_string(sources.size())}};
      definition["on"][event] = std::move(list);
      const SourceInfo source = scripted_source(definition);
      auto factory = make_scripted_extension(definition, source.path, world_);
      RC_ASSERT(factory.has_value());
      sources.emplace_back(source, *std::move(factory));
    }
    RC_ASSERT(loop.run(runner.load(std::move(sources))).has_value());
    registry.bind();
  }

  BeforeOutcome before(const std::shared_ptr<Json>& input) {
    auto outcome = loop.run(runner.before_call(CallView("c1", "echo", input)));
    RC_ASSERT(outcome.has_value());
    return *std::move(outcome);
  }
  ToolResult after(ToolResult result) {
    const auto input = std::make_shared<Json>(Json::object());
    auto left = loop.run(runner.after_call(CallView("c1", "echo", input), std::move(result)));
    RC_ASSERT(left.has_value());
    return *std::move(left);
  }
  /// What each handler was shown, in order.
  std::vector<Json> seen() const {
    std::vector<Json> inputs;
    for (const auto& event : trace.events) {
      if (const auto* call = event.as<HookCall>()) inputs.push_back(call->input.get());
    }
    return inputs;
  }
  std::int64_t error_count() const {
    return std::ranges::count_if(
        trace.events, [](const auto& event) { return event.kind() == "extension_error"; });
  }

 private:
  ScriptWorld world_{loop};
};

// ------------------------------------------------------------------ the simple interpreter

struct Verdict {
  BeforeOutcome outcome;
  std::vector<Json> seen;
  Json input;
};

Verdict interpret(const Extensions<Gate>& extensions, Json input) {
  Verdict verdict;
  verdict.input = std::move(input);
  for (const auto& handlers : extensions) {
    for (const auto& gate : handlers) {
      verdict.seen.push_back(verdict.input);
      for (const auto& [member, value] : gate.changes) verdict.input[member] = value;
      if (gate.ending != Ending::block && gate.ending != Ending::fail) continue;
      verdict.outcome.verdict =
          gate.ending == Ending::block ? BeforeVerdict::block : BeforeVerdict::threw;
      verdict.outcome.message = gate.text;
      return verdict;
    }
  }
  return verdict;
}

void apply(const Patcher& patcher, ToolResult& result) {
  if (patcher.content) result.content = text_result(*patcher.content).content;
  if (patcher.content) result.structured_content = SharedJson();
  if (patcher.structured) result.structured_content = SharedJson(Json{{"n", *patcher.structured}});
  if (patcher.detail) {
    result.details = SharedJson(Json{{"n" + std::to_string(*patcher.detail), true}});
  }
  if (patcher.is_error) result.is_error = *patcher.is_error;
}

// ------------------------------------------------------------------ properties

RC_GTEST_PROP(HookChainProperties, GatesActLikeAList, ()) {  // HOOK-01..04, HOOK-06..08
  const auto extensions = some_extensions(some_gate);
  const Json given{{"a", -1}};
  const auto input = std::make_shared<Json>(given);
  Chain chain("tool_call", extensions);

  const BeforeOutcome outcome = chain.before(input);

  const Verdict expected = interpret(extensions, given);
  RC_ASSERT(outcome == expected.outcome);
  RC_ASSERT(chain.seen() == expected.seen);
  RC_ASSERT(*input == expected.input);
  RC_ASSERT(chain.error_count() == 0);
}

RC_GTEST_PROP(HookChainProperties, PatchesActLikeAList, ()) {  // HOOK-16, HOOK-17, HOOK-19..21
  const auto extensions = some_extensions(some_patcher);
  ToolResult executed = text_result("executed");
  executed.details = SharedJson(Json{{"executed", true}});
  executed.structured_content = SharedJson(Json{{"n", -1}});
  Chain chain("tool_result", extensions);

  const ToolResult left = chain.after(executed);

  ToolResult expected = executed;
  std::size_t handler_count = 0;
  std::int64_t failing_count = 0;
  for (const auto& handlers : extensions) {
    for (const auto& patcher : handlers) {
      ++handler_count;
      if (patcher.fails) ++failing_count;
      if (!patcher.fails) apply(patcher, expected);
    }
  }
  RC_ASSERT(left == expected);
  RC_ASSERT(chain.seen().size() == handler_count);
  RC_ASSERT(chain.error_count() == failing_count);
}

}  // namespace
}  // namespace plumb::engine
