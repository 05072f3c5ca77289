// SPDX-License-Identifier: Apache-2.0
// The reference gate of the founding documents: an extension by the name of shell-gate that blocks
// `rm -rf` of the shell. It shows the chain; it is no parser of shell commands.
#include <algorithm>
#include <sstream>
#include <string>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

constexpr std::string_view kGate = "<inline:shell-gate>";

/// Whether `rm` and `-rf` are words of the command, one behind the other.
bool removes_by_force(const std::string& command) {
  std::istringstream words(command);
  std::string last;
  for (std::string word; words >> word; last = word) {
    if (last == "rm" && word == "-rf") return true;
  }
  return false;
}

/// Asks `judge` about each turn of the gate in the call: what it saw and what it said.
template <class Judge>
Complaint each_turn(const Call& call, Judge judge) {
  const HookCall* entered = nullptr;
  for (const Event* event : call.events) {
    const auto* hook = event->as<HookCall>();
    if (hook != nullptr && hook->event == "tool_call" && hook->extension == kGate) entered = hook;
    const auto* returned = event->as<HookReturn>();
    if (returned == nullptr || entered == nullptr || returned->extension != kGate) continue;
    if (auto complaint = judge(*entered, *returned, event)) return complaint;
    entered = nullptr;
  }
  return std::nullopt;
}

bool passes_gate(const Call& call, const Story&) {
  for (const auto* hook : hook_calls_of(call, "tool_call")) {
    if (hook->extension == kGate) return true;
  }
  return false;
}

Complaint blocks_forced_removal_only(const Call& call, const Story&) {
  return each_turn(
      call,
      [&](const HookCall& entered, const HookReturn& returned, const Event* event) -> Complaint {
        const Json& command = at(entered.input.get(), "command");
        const bool must_block = call.name == "bash" && command.is_string() &&
                                removes_by_force(command.get<std::string>());
        return differ("whether the gate blocks " + call.name, Json(must_block),
                      Json(is_block(returned)), event);
      });
}

bool meets_odd_field(const Call& call, const Story&) {
  for (const auto* hook : hook_calls_of(call, "tool_call")) {
    const bool is_odd = !at(hook->input.get(), "command").is_string();
    if (hook->extension == kGate && is_odd) return true;
  }
  return false;
}

Complaint takes_odd_field_for_empty(const Call& call, const Story&) {
  return each_turn(
      call,
      [](const HookCall& entered, const HookReturn& returned, const Event* event) -> Complaint {
        if (at(entered.input.get(), "command").is_string()) return std::nullopt;
        return require(returned.error.empty() && !is_block(returned),
                       "the gate fails at a field that is no text", event);
      });
}

/// EXT-32: what a user is said to have answered is one of the answers that the host gives.
class HostDialogChecker final : public Checker {
 public:
  void see(const Event& event, const Story& story, Report& report) override {
    report.trigger();
    if (event.as<UiAsk>() != nullptr) {
      ++asked_;
      return;
    }
    ++answered_;
    report.complain(
        require(answered_ <= asked_, "an answer to a question that nobody asked the host", &event));
    const auto& answer = *event.as<UiAnswer>();
    const Json& given = at(story.host(), "answers");
    if (answer.by != "user" || !given.is_array()) return;
    const auto is_same = [&](const Json& one) { return equal_json(one, answer.answer.get()); };
    report.complain(require(std::ranges::any_of(given, is_same),
                            "an answer that the host did not give", &event));
  }

 private:
  std::int64_t asked_ = 0;
  std::int64_t answered_ = 0;
};

}  // namespace

std::vector<Rule> gate_rules() {
  return {
      rule("EXT-24",
           "an extension shell-gate blocks calls of bash whose command has the words rm -rf, and "
           "nothing else")
          .for_each_call()
          .among({"tool_call"})
          .when(passes_gate)
          .expect(blocks_forced_removal_only),
      rule("EXT-25",
           "an extension shell-gate takes a command that is missing or no text for an empty one")
          .for_each_call()
          .among({"tool_call"})
          .when(meets_odd_field)
          .expect(takes_odd_field_for_empty),
      rule("EXT-32",
           "each dialog reaches the host, and what a user answers is what the host's user says")
          .by<HostDialogChecker>({"ui_ask", "ui_answer"}),
  };
}

}  // namespace plumb::invariants
