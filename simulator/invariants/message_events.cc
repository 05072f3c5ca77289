// SPDX-License-Identifier: Apache-2.0
// How messages show in the stream of public events.
#include <string>
#include <utility>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

/// EVENT-10: between the start and the end of a message that is not streamed comes nothing, and
/// both say the same; updates lie within an assistant message.
class UnstreamedChecker final : public Checker {
 public:
  static std::vector<std::string_view> kinds() {
    return {"message_start",        "message_update",     "message_end", "turn_start", "turn_end",
            "tool_execution_start", "tool_execution_end", "agent_start", "agent_end",  "crash",
            "hook_return"};
  }

  void see(const Event& event, const Story&, Report& report) override {
    if (const auto* returned = event.as<HookReturn>()) {
      is_replaced_ = is_replaced_ || replaces_message(*returned);
      return;
    }
    const Event* open = std::exchange(open_, nullptr);
    const auto* begun = open == nullptr ? nullptr : open->as<MessageStart>();
    const bool is_whole = begun != nullptr && begun->role != kAssistantRole;
    if (event.as<Crash>() != nullptr) return;
    if (event.as<MessageUpdate>() != nullptr) {
      open_ = open;
      report.complain(require(begun != nullptr && !is_whole,
                              "message_update outside of an assistant message", &event));
      return;
    }
    if (is_whole) judge_end(*open, *begun, event, report);
    if (event.as<MessageStart>() == nullptr) return;
    open_ = &event;
    is_replaced_ = false;
  }

 private:
  /// A message_end handler may put another message of the role in its place (EVENT-25).
  bool replaces_message(const HookReturn& returned) const {
    const auto* begun = open_ == nullptr ? nullptr : open_->as<MessageStart>();
    return begun != nullptr && returned.event == "message_end" && returned.error.empty() &&
           at(at(returned.result.get(), "message"), "role") == begun->role;
  }

  void judge_end(const Event& start, const MessageStart& begun, const Event& event,
                 Report& report) {
    report.trigger();
    const auto* ended = event.as<MessageEnd>();
    if (ended == nullptr || ended->role != begun.role || event.call != start.call) {
      report.complain(finding("a " + begun.role + " message is not ended at once", &event));
      return;
    }
    if (is_replaced_ || begun.message.same_object(ended->message)) return;
    report.complain(differ("start and end of a " + begun.role + " message differ", begun.message,
                           ended->message, &event));
  }

  const Event* open_ = nullptr;
  bool is_replaced_ = false;
};

}  // namespace

std::vector<Rule> message_event_rules() {
  return {
      rule(
          "EVENT-10",
          "a message_start that is not the assistant's is followed at once by its message_end with "
          "the same message, unless a message_end handler replaced it; message_update only within "
          "an "
          "assistant message")
          .by<UnstreamedChecker>(UnstreamedChecker::kinds()),
  };
}

}  // namespace plumb::invariants
