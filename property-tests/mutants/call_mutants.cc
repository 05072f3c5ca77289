// SPDX-License-Identifier: Apache-2.0
// Mutants of one call's way: PIPE, RESULT.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "property-tests/mutants/mutant.h"
#include "property-tests/mutants/outer_hooks.h"

namespace plumb::simulator {
namespace {

using engine::Policies;

/// Asks the tool_call handlers when the tool has run already.
class LateHandlers final : public OuterHooks {
 public:
  using OuterHooks::OuterHooks;

  engine::Task<engine::BeforeOutcome> before_call(engine::CallView /*call*/) override {
    engine::BeforeOutcome allowed;
    co_return allowed;
  }
  engine::Task<engine::ToolResult> after_call(engine::CallView call,
                                              engine::ToolResult result) override {
    engine::CallView view = call;
    const engine::BeforeOutcome ignored = co_await inner_.before_call(std::move(view));
    static_cast<void>(ignored);
    engine::ToolResult patched = co_await inner_.after_call(std::move(call), std::move(result));
    co_return patched;
  }
};

using KeptContent = std::map<std::string, std::vector<engine::ContentBlock>>;

/// Remembers what the tools returned before any handler changed it.
class ContentKeeper final : public OuterHooks {
 public:
  ContentKeeper(engine::ToolHooks& inner, std::shared_ptr<KeptContent> kept)
      : OuterHooks(inner), kept_(std::move(kept)) {}

  engine::Task<engine::ToolResult> after_call(engine::CallView call,
                                              engine::ToolResult result) override {
    (*kept_)[call.id] = result.content;
    return inner_.after_call(std::move(call), std::move(result));
  }

 private:
  // Shared with the message policy of the same mutant.
  std::shared_ptr<KeptContent> kept_;
};

/// Takes arguments that could not be read for none.
class LenientProvider final : public engine::Provider {
 public:
  explicit LenientProvider(engine::Provider& inner) : inner_(inner) {}

  engine::Task<Result<engine::AssistantMessage>> complete(engine::ModelRequest request,
                                                          engine::StreamSink& sink,
                                                          engine::AbortSignal signal) override {
    Result<engine::AssistantMessage> answer =
        co_await inner_.complete(std::move(request), sink, std::move(signal));
    if (answer) forgive(*answer);
    co_return answer;
  }

 private:
  static void forgive(engine::AssistantMessage& answer) {
    for (auto& block : answer.content) {
      auto* call = std::get_if<engine::ToolCallBlock>(&block);
      if (call == nullptr || call->arguments_error.empty()) continue;
      call->arguments_error.clear();
      call->arguments = SharedJson(Json::object());
    }
  }

  engine::Provider& inner_;
};

Mutant call_mutant(Mutant mutant, std::vector<std::string> also) {
  mutant.also = std::move(also);
  return mutant;
}

Mutant mutant_of_kind(MutantKind kind, std::string name, std::string rule, std::string change) {
  Mutant mutant;
  mutant.kind = kind;
  mutant.name = std::move(name);
  mutant.rule = std::move(rule);
  mutant.change = std::move(change);
  return mutant;
}

/// A mutant of the message that transcript and model get of a call.
Mutant message_mutant(std::string name, std::string rule, std::string change,
                      void (*alter)(engine::ToolResultMessage&, const engine::FinishedCall&)) {
  return policy_mutant(std::move(name), std::move(rule), std::move(change),
                       [alter](Policies& policies) {
                         policies.result_message = [alter](const engine::FinishedCall& call) {
                           auto message = engine::result_message(call);
                           alter(message, call);
                           return message;
                         };
                       });
}

/// A mutant of what makes a returned result an error.
Mutant verdict_mutant(std::string name, std::string rule, std::string change,
                      bool (*is_error)(const engine::ToolResult&)) {
  return policy_mutant(
      std::move(name), std::move(rule), std::move(change),
      [is_error](Policies& policies) { policies.returned_result_is_error = is_error; });
}

/// A mutant that takes some cause of an error for the end of the run.
Mutant ending_mutant(std::string name, std::string rule, std::string change, engine::Cause cause) {
  return policy_mutant(
      std::move(name), std::move(rule), std::move(change), [cause](Policies& policies) {
        policies.batch_terminates = [cause](std::span<const engine::FinishedCall> calls) {
          return engine::all_terminate(calls) ||
                 std::ranges::count(calls, cause, &engine::FinishedCall::cause);
        };
      });
}

bool has_error_field(const engine::ToolResult& result) {
  const Json& details = result.details.get();
  return result.is_error || (details.is_object() && details.contains("error"));
}

bool says_failed(const engine::ToolResult& result) {
  return result.is_error || engine::text_of(result.content).find("failed") != std::string::npos;
}

void show_details(engine::ToolResultMessage& message, const engine::FinishedCall& /*call*/) {
  if (message.details.get().is_null()) return;
  message.content.emplace_back(engine::TextBlock{message.details.bytes()});
}

void show_structured(engine::ToolResultMessage& message, const engine::FinishedCall& call) {
  if (call.result.structured_content.get().is_null()) return;
  message.content.emplace_back(engine::TextBlock{call.result.structured_content.bytes()});
}

void forget_the_flag(engine::ToolResultMessage& message, const engine::FinishedCall& /*call*/) {
  message.is_error = false;
}

void forget_the_usage(engine::ToolResultMessage& message, const engine::FinishedCall& /*call*/) {
  message.usage = SharedJson();
}

void drop_images(engine::ToolResultMessage& message, const engine::FinishedCall& /*call*/) {
  std::erase_if(message.content, [](const engine::ContentBlock& block) {
    return std::holds_alternative<engine::ImageBlock>(block);
  });
}

SharedJson arguments_as_text(const engine::ToolCallBlock& call) {
  return SharedJson(Json(call.arguments.bytes()));
}

/// Finds tools whatever the case of their letters.
engine::RegisteredToolPtr tool_of_any_case(const engine::TurnTools& turn, std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
  });
  return engine::tool_of_turn(turn, lower);
}

std::shared_ptr<Json> copy_for_execute(const engine::RegisteredTool& /*tool*/,
                                       const Json& validated, std::shared_ptr<Json> /*handled*/) {
  return std::make_shared<Json>(validated);
}

std::shared_ptr<Json> coerce_again(const engine::RegisteredTool& tool, const Json& /*validated*/,
                                   std::shared_ptr<Json> handled) {
  return std::make_shared<Json>(engine::validate_pi(tool, *handled).value);
}

engine::ValidatedArguments accept_all(const engine::RegisteredTool& /*tool*/, Json prepared) {
  return engine::ValidatedArguments{std::move(prepared), {}};
}

engine::ToolResult say_nothing_of_abort() {
  return engine::text_result("");
}

void add_policy(std::vector<Mutant>& list, const char* name, const char* rule, const char* change,
                void (*alter)(Policies&)) {
  list.push_back(policy_mutant(name, rule, change, alter));
}

void add_order_mutant(std::vector<Mutant>& list) {
  Mutant late = hook_mutant<LateHandlers>("pipe-handlers-after-execute", "PIPE-01",
                                          "tool_call handlers run after execute");
  late.also = {"EVENT-04", "PIPE-06", "TOOL-07"};
  list.push_back(std::move(late));
}

void add_unreadable_mutant(std::vector<Mutant>& list) {
  Mutant lenient = mutant_of_kind(MutantKind::port, "pipe-unreadable-arguments-are-none", "PIPE-15",
                                  "arguments that cannot be read become {} and run");
  lenient.alterations.provider = [](engine::Provider& inner, engine::Loop& /*loop*/) {
    return std::make_unique<LenientProvider>(inner);
  };
  list.push_back(std::move(lenient));
}

void add_original_content_mutant(std::vector<Mutant>& list) {
  Mutant original = mutant_of_kind(MutantKind::extension, "result-original-content-is-sent",
                                   "RESULT-01", "the model gets content from before the handlers");
  original.also = {"HOOK-16", "RESULT-03"};
  const auto kept = std::make_shared<KeptContent>();
  original.alterations.session = [kept](engine::SessionOptions& options) {
    options.wrap_hooks = [kept](engine::ToolHooks& inner) {
      return std::make_unique<ContentKeeper>(inner, kept);
    };
  };
  original.alterations.policies = [kept](Policies& policies) {
    policies.result_message = [kept](const engine::FinishedCall& call) {
      auto message = engine::result_message(call);
      if (call.ran && kept->contains(call.id)) message.content = kept->at(call.id);
      return message;
    };
  };
  list.push_back(std::move(original));
}

void add_pipe_mutants(std::vector<Mutant>& list) {
  add_order_mutant(list);
  add_policy(list, "pipe-preparation-is-ignored", "PIPE-02", "what preparation returns is ignored",
             [](Policies& policies) {
               policies.prepared_arguments = [](const Json& raw, Json) { return raw; };
             });
  list.push_back(
      call_mutant(policy_mutant("pipe-no-validation", "PIPE-03", "arguments are not validated",
                                [](Policies& policies) { policies.validate = accept_all; }),
                  {"PIPE-01", "PIPE-30"}));
  add_policy(list, "pipe-failed-preparation-goes-on", "PIPE-04",
             "a call whose preparation throws runs with the raw arguments", [](Policies& policies) {
               policies.failed_preparation_ends_call = [](std::string_view) { return false; };
             });
  list.push_back(
      call_mutant(policy_mutant("pipe-tools-in-any-case", "PIPE-05", "Read finds the tool read",
                                [](Policies& policies) { policies.find_tool = tool_of_any_case; }),
                  {"EXT-34", "REG-19", "RESULT-10"}));
  list.push_back(call_mutant(
      policy_mutant(
          "pipe-handlers-get-a-copy", "PIPE-06", "changes of handlers are lost",
          [](Policies& policies) { policies.arguments_after_handlers = copy_for_execute; }),
      {"PIPE-07", "TOOL-07"}));
  list.push_back(call_mutant(
      policy_mutant("pipe-coerced-after-handlers", "PIPE-07", "a handler's 123 becomes '123'",
                    [](Policies& policies) { policies.arguments_after_handlers = coerce_again; }),
      {"PIPE-06", "TOOL-07"}));
  list.push_back(call_mutant(
      policy_mutant("pipe-start-shows-text", "PIPE-09", "the start event shows arguments as text",
                    [](Policies& policies) { policies.start_arguments = arguments_as_text; }),
      {"EVENT-04"}));
  add_unreadable_mutant(list);
  list.push_back(call_mutant(
      trips_also(policy_mutant("pipe-null-becomes-text", "PIPE-30", "values are turned into texts",
                               [](Policies& policies) { policies.validate = engine::validate_pi; }),
                 {"WRITE-08"}),
      {}));
}

void add_message_mutants(std::vector<Mutant>& list) {
  add_original_content_mutant(list);
  list.push_back(call_mutant(message_mutant("result-details-are-shown", "RESULT-02",
                                            "details stand in the message", show_details),
                             {"RESULT-01"}));
  list.push_back(
      call_mutant(message_mutant("result-structured-content-is-shown", "RESULT-03",
                                 "structuredContent stands in the message", show_structured),
                  {"RESULT-01", "TOOL-21"}));
  list.push_back(message_mutant("result-message-is-never-an-error", "RESULT-04",
                                "the message does not say that a call failed", forget_the_flag));
  list.push_back(message_mutant("result-usage-is-lost", "RESULT-09",
                                "the message does not say what the tool's calls cost",
                                forget_the_usage));
  list.push_back(call_mutant(message_mutant("result-images-are-dropped", "RESULT-20",
                                            "the message has no images", drop_images),
                             {"RESULT-01"}));
}

void add_error_mutants(std::vector<Mutant>& list) {
  list.push_back(verdict_mutant("result-returned-error-is-ignored", "RESULT-05",
                                "only a throw is an error",
                                [](const engine::ToolResult&) { return false; }));
  list.push_back(call_mutant(verdict_mutant("result-error-in-details-counts", "RESULT-06",
                                            "details.error makes an error", has_error_field),
                             {"RESULT-16"}));
  list.push_back(call_mutant(verdict_mutant("result-text-is-parsed", "RESULT-07",
                                            "a text with 'failed' makes an error", says_failed),
                             {"RESULT-16"}));
  list.push_back(ending_mutant("result-unknown-tool-ends-the-run", "RESULT-10",
                               "an unknown name ends the run", engine::Cause::unknown_tool));
  list.push_back(ending_mutant("result-failed-preparation-ends-the-run", "RESULT-11",
                               "a preparation that throws ends the run",
                               engine::Cause::prepare_failed));
  list.push_back(call_mutant(
      policy_mutant("result-throwing-gate-lets-pass", "RESULT-12", "handlers that throw fail open",
                    [](Policies& policies) {
                      policies.verdict_stops_call = [](const engine::BeforeOutcome& outcome) {
                        return outcome.verdict == engine::BeforeVerdict::block;
                      };
                    }),
      {"HOOK-07"}));
  list.push_back(ending_mutant("result-throwing-tool-ends-the-run", "RESULT-13",
                               "an exception in execute ends the run",
                               engine::Cause::execute_failed));
  list.push_back(call_mutant(
      policy_mutant("result-aborted-call-is-no-error", "RESULT-15",
                    "an aborted call ends with an empty good result",
                    [](Policies& policies) { policies.aborted_result = say_nothing_of_abort; }),
      {"ABORT-02", "ABORT-06"}));
  list.push_back(call_mutant(
      policy_mutant("result-isolated-throw-marks", "RESULT-16",
                    "a throwing tool_result handler makes the result an error",
                    [](Policies& policies) {
                      policies.session.result_after_throw = [](engine::ToolResult before,
                                                               const std::string&) {
                        before.is_error = true;
                        return before;
                      };
                    }),
      {"HOOK-19"}));
}

}  // namespace

std::vector<Mutant> call_mutants() {
  std::vector<Mutant> list;
  add_pipe_mutants(list);
  add_message_mutants(list);
  add_error_mutants(list);
  return list;
}

}  // namespace plumb::simulator
