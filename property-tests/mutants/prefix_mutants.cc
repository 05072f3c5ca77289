// SPDX-License-Identifier: Apache-2.0
// Mutants of what is sent to the model again and again: CACHE.
#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "engine/model/provider.h"
#include "property-tests/mutants/mutant.h"

namespace plumb::simulator {
namespace {

using engine::ModelRequest;
using Declarations = std::vector<engine::ToolDeclaration>;
using AlterRequest = std::function<void(ModelRequest&)>;

/// Changes each request before it leaves the engine.
class AlteredRequests final : public engine::Provider {
 public:
  AlteredRequests(engine::Provider& inner, AlterRequest alter)
      : inner_(inner), alter_(std::move(alter)) {}

  engine::Task<Result<engine::AssistantMessage>> complete(ModelRequest request,
                                                          engine::StreamSink& sink,
                                                          engine::AbortSignal signal) override {
    alter_(request);
    return inner_.complete(std::move(request), sink, std::move(signal));
  }

 private:
  engine::Provider& inner_;
  AlterRequest alter_;
};

/// `make_alter` is called once a run, so that runs share nothing.
Mutant request_mutant(std::string name, std::string rule, std::string change,
                      std::function<AlterRequest()> make_alter) {
  Mutant mutant = port_mutant(std::move(name), std::move(rule), std::move(change));
  mutant.alterations.provider = [make_alter](engine::Provider& inner, engine::Loop&) {
    return std::make_unique<AlteredRequests>(inner, make_alter());
  };
  return mutant;
}

AlterRequest turning_tools() {
  return [count = std::int64_t{0}](ModelRequest& request) mutable {
    if (++count % 2 == 0) std::ranges::reverse(request.tools);
  };
}

SharedJson shortened(const SharedJson& message) {
  if (message.get().value("role", "") != "toolResult") return message;
  Json shorter = message.get();
  shorter["content"] = Json::array({Json{{"type", "text"}, {"text", "(an old result)"}}});
  return SharedJson(std::move(shorter));
}

/// Results before the last answer.
AlterRequest shortening_results() {
  return [](ModelRequest& request) {
    bool is_old = false;
    std::vector<SharedJson> messages(request.messages.begin(), request.messages.end());
    for (auto it = messages.rbegin(); it != messages.rend(); ++it) {
      if (is_old) *it = shortened(*it);
      is_old = is_old || it->get().value("role", "") == "assistant";
    }
    request.messages = std::move(messages);
  };
}

AlterRequest with_first_tools() {
  return [first = std::optional<Declarations>()](ModelRequest& request) mutable {
    if (!first) first = request.tools;
    request.tools = *first;
  };
}

AlterRequest with_all_tools_ever() {
  return [ever = Declarations()](ModelRequest& request) mutable {
    for (const auto& tool : request.tools) {
      if (std::ranges::find(ever, tool) == ever.end()) ever.push_back(tool);
    }
    request.tools = ever;
  };
}

/// A passing remark in the prompt of the request that brings other tools.
AlterRequest with_remark_on_change() {
  return [last = std::optional<Declarations>()](ModelRequest& request) mutable {
    if (last && *last != request.tools && request.system.get().is_string()) {
      request.system = SharedJson(Json(request.system.get().get<std::string>() + "\nNew tools."));
    }
    last = request.tools;
  };
}

/// The prompt tells how many tools are registered, active or not.
void count_registered_in_prompt(engine::Policies& policies) {
  const auto names = std::make_shared<std::set<std::string>>();
  policies.activates_on_registration = [names](const engine::RegisteredTool& tool) {
    names->insert(tool.definition.name);
    return engine::activates_on_registration(tool);
  };
  policies.session.compose_prompt = [names](const engine::PromptParts& parts) {
    return engine::compose_prompt(parts) + "\n" + std::to_string(names->size()) + " tools.";
  };
}

}  // namespace

std::vector<Mutant> prefix_mutants() {
  return {
      request_mutant("request-tools-in-turning-order", "CACHE-10",
                     "every other request has its tools in reverse", turning_tools),
      request_mutant("request-shortens-old-results", "CACHE-11",
                     "results before the last answer are shortened", shortening_results),
      trips_also(request_mutant("request-keeps-the-first-tools", "CACHE-21",
                                "tools that become active are never sent", with_first_tools),
                 {"CACHE-24"}),
      trips_also(request_mutant("request-remarks-on-new-tools", "CACHE-24",
                                "a remark in the prompt comes and goes with new tools",
                                with_remark_on_change),
                 {"CACHE-21"}),
      request_mutant("request-keeps-removed-tools", "CACHE-25", "removed tools are still sent",
                     with_all_tools_ever),
      trips_also(policy_mutant("active-set-in-order-of-the-call", "CACHE-26",
                               "the active set takes the order that is asked for",
                               [](engine::Policies& policies) {
                                 policies.arrange_active = [](const auto&, const auto& requested,
                                                              const auto& known) {
                                   return engine::arrange_active({}, requested, known);
                                 };
                               }),
                 {"ACTIVE-12", "CACHE-10"}),
      trips_also(
          policy_mutant("prompt-counts-registered-tools", "CACHE-34",
                        "a registration alone changes the prompt", count_registered_in_prompt),
          {"PROMPT-11"}),
  };
}

}  // namespace plumb::simulator
