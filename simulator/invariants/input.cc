// SPDX-License-Identifier: Apache-2.0
// What handlers of input make of a prompt before anything else happens with it.
#include <optional>
#include <string>
#include <utility>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

bool is_of_input(const HookCall& hook) {
  return hook.event == "input" && text_at(hook.input.get(), "source") != "extension";
}

/// EVENT-18.
class InputChainChecker final : public Checker {
 public:
  static std::vector<std::string_view> kinds() {
    return {"input", "hook_call", "hook_return", "before_agent_start", "provider_request", "crash"};
  }

  void see(const Event& event, const Story&, Report& report) override {
    if (event.as<Crash>() != nullptr) text_.reset();
    if (const auto* input = event.as<Input>()) {
      text_.reset();
      if (input->mode == "prompt") text_ = input->text;
      is_handled_ = false;
      is_changed_ = false;
    }
    if (!text_) return;
    if (const auto* hook = event.as<HookCall>()) enter(*hook, event, report);
    if (const auto* returned = event.as<HookReturn>()) leave(*returned, report);
    const auto* prepared = event.as<BeforeAgentStart>();
    if (prepared == nullptr && event.as<ProviderRequest>() == nullptr) return;
    report.complain(require(!is_handled_, "a run although a handler handled the input", &event));
    if (prepared == nullptr || !is_changed_) return;
    report.complain(differ("the prompt is not what the handlers made of the input", Json(*text_),
                           Json(prepared->prompt), &event));
    text_.reset();
  }

 private:
  void enter(const HookCall& hook, const Event& event, Report& report) {
    if (hook.event == "input" && !is_of_input(hook)) text_.reset();
    if (!text_ || !is_of_input(hook)) return;
    report.complain(require(!is_handled_, "a handler of input after one that handled it", &event));
    report.complain(differ("a handler of input sees another text than the one before it left",
                           Json(*text_), at(hook.input.get(), "text"), &event));
  }
  void leave(const HookReturn& returned, Report& report) {
    if (returned.event != "input" || !returned.error.empty()) return;
    const std::string action = text_at(returned.result.get(), "action");
    if (action != "handled" && action != "transform") return;
    report.trigger();
    is_handled_ = is_handled_ || action == "handled";
    const Json& text = at(returned.result.get(), "text");
    if (action != "transform" || !text.is_string()) return;
    is_changed_ = true;
    text_ = text.get<std::string>();
  }

  std::optional<std::string> text_;  ///< As the handlers left it; nothing: not looked at.
  bool is_handled_ = false;
  bool is_changed_ = false;
};

/// EVENT-20.
class InputErrorChecker final : public Checker {
 public:
  static std::vector<std::string_view> kinds() {
    return {"input",           "hook_call",        "hook_return", "before_agent_start",
            "extension_error", "provider_request", "crash"};
  }

  void see(const Event& event, const Story&, Report& report) override {
    if (event.as<Crash>() != nullptr) thrown_ = nullptr;
    if (event.as<Input>() != nullptr) close(report);
    if (const auto* hook = event.as<HookCall>()) enter(*hook, event, report);
    if (const auto* returned = event.as<HookReturn>()) leave(*returned, event, report);
    if (thrown_ == nullptr) return;
    if (const auto* error = event.as<ExtensionError>()) {
      const auto& thrown = *thrown_->as<HookReturn>();
      const bool fits = error->event == "input" && error->extension == thrown.extension &&
                        error->error == thrown.error;
      is_reported_ = is_reported_ || fits;
    }
    const bool starts = event.as<BeforeAgentStart>() != nullptr;
    has_started_ = has_started_ || starts || event.as<ProviderRequest>() != nullptr;
  }

  void finish(const Story&, Report& report) override { close(report); }

 private:
  void enter(const HookCall& hook, const Event& event, Report& report) {
    if (!is_of_input(hook)) return;
    const Json& seen = at(hook.input.get(), "text");
    if (has_thrown_last_) {
      report.complain(
          differ("a throw changed what the next handler sees", Json(text_), seen, &event));
    }
    has_thrown_last_ = false;
    text_ = seen.is_string() ? seen.get<std::string>() : std::string();
  }
  void leave(const HookReturn& returned, const Event& event, Report& report) {
    if (returned.event != "input") return;
    has_thrown_last_ = !returned.error.empty();
    if (text_at(returned.result.get(), "action") == "handled") is_handled_ = true;
    if (!has_thrown_last_) return;
    report.trigger();
    thrown_ = &event;
  }
  void close(Report& report) {
    if (thrown_ != nullptr) {
      report.complain(
          require(is_reported_, "a throw of a handler of input is not reported", thrown_));
      report.complain(require(has_started_ || is_handled_,
                              "a prompt is rejected because a handler of input threw", thrown_));
    }
    *this = {};
  }

  const Event* thrown_ = nullptr;
  std::string text_;  ///< What the last handler saw.
  bool has_thrown_last_ = false;
  bool is_reported_ = false;
  bool has_started_ = false;
  bool is_handled_ = false;
};

}  // namespace

std::vector<Rule> input_rules() {
  return {
      rule("EVENT-18",
           "each handler of input sees the text as the one before it left it, the prompt is what "
           "the last one left; after one that handled it there is neither handler nor run")
          .by<InputChainChecker>(InputChainChecker::kinds()),
      rule("EVENT-20",
           "a throw of a handler of input is reported, the next one sees the same text, and the "
           "run starts")
          .by<InputErrorChecker>(InputErrorChecker::kinds()),
  };
}

}  // namespace plumb::invariants
