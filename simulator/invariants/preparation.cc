// SPDX-License-Identifier: Apache-2.0
// What before_agent_start handlers prepare: for one run, and no longer.
#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

/// What handlers of one dispatch changed.
struct Preparation {
  std::vector<std::string> injected;  ///< customType of each message.
  bool has_prompt = false;
  std::optional<std::vector<std::string>> selected;
  std::vector<std::string> selected_before;
  std::set<std::int64_t> handlers;
  bool is_sent = false;

  bool changes_anything() const { return !injected.empty() || has_prompt || selected; }
};

/// EVENT-21.
class PreparationChecker final : public Checker {
 public:
  static std::vector<std::string_view> kinds() {
    return {"before_agent_start", "agent_start",   "agent_settled",    "hook_call",
            "hook_return",        "session_entry", "provider_request", "active_set"};
  }

  void see(const Event& event, const Story& story, Report& report) override {
    if (event.as<BeforeAgentStart>() != nullptr) {
      ++dispatches_;
      last_ = std::exchange(now_, Preparation());
    }
    if (const auto* hook = event.as<HookCall>()) enter(*hook, event, report);
    if (const auto* returned = event.as<HookReturn>()) leave(*returned);
    if (const auto* entry = event.as<SessionEntry>()) {
      stored_.insert(text_at(entry->data.get(), "customType"));
    }
    if (const auto* set = event.as<ActiveSet>()) follow(*set);
    if (event.as<AgentStart>() != nullptr && !std::exchange(is_running_, true)) {
      report.complain(require(dispatches_ == 1, "a run was not prepared once", &event));
    }
    if (event.as<AgentSettled>() != nullptr) {
      is_running_ = false;
      dispatches_ = 0;
    }
    if (event.as<ProviderRequest>() == nullptr || story.requests.empty()) return;
    if (!std::exchange(now_.is_sent, true)) judge(story.requests.back(), event, report);
  }

 private:
  void enter(const HookCall& hook, const Event& event, Report& report) {
    if (hook.event != "before_agent_start") return;
    if (is_running_) report.complain(finding("a run is prepared while it goes on", &event));
    report.complain(require(now_.handlers.insert(hook.index).second,
                            "a handler prepares one run twice", &event));
    if (hook.index != 0) return;
    now_.selected_before =
        strings_in(at(at(hook.input.get(), "systemPromptOptions"), "selectedTools"));
  }

  void leave(const HookReturn& returned) {
    if (returned.event != "before_agent_start" || !returned.error.empty()) return;
    const Json& result = returned.result.get();
    const Json& message = at(result, "message");
    if (message.is_object()) now_.injected.push_back(text_at(message, "customType"));
    const Json& options = returned.input_after.get();
    const Json& sections = at(options, "sections");
    now_.has_prompt = now_.has_prompt || at(result, "systemPrompt").is_string() ||
                      (sections.is_object() && !sections.empty());
    const auto selected = strings_in(at(options, "selectedTools"));
    if (selected != now_.selected_before) now_.selected = selected;
  }

  /// Somebody else decides: then nothing can be said of what a run should find.
  void follow(const ActiveSet& set) {
    if (set.by != "before_agent_start" && set.by != "run_end") is_set_by_others_ = true;
    // What no registered tool has as its name cannot be declared (ACTIVE-17).
    if (set.by == "before_agent_start" && now_.selected) {
      std::erase_if(*now_.selected, [&set](const std::string& name) {
        return std::ranges::find(set.after, name) == set.after.end();
      });
    }
  }

  void judge(const Request& request, const Event& event, Report& report) {
    if (now_.changes_anything() || last_.changes_anything()) report.trigger();
    for (const auto& type : now_.injected) {
      report.complain(require(stored_.contains(type),
                              "an injected message is not stored before the request", &event));
    }
    if (now_.selected) {
      report.complain(differ("the request does not declare what was chosen",
                             as_json(*now_.selected), as_json(request.declared), &event));
    }
    if (last_.has_prompt && !now_.has_prompt) {
      report.complain(require(request.has_new_system, "a prompt of the last run is left", &event));
    }
    const bool is_judged = last_.selected && !now_.selected && !is_set_by_others_;
    if (is_judged) {
      report.complain(differ("tools that were chosen for the last run are left",
                             as_json(last_.selected_before), as_json(request.declared), &event));
    }
    is_set_by_others_ = false;
  }

  Preparation now_;
  Preparation last_;
  std::set<std::string> stored_;
  std::int64_t dispatches_ = 0;
  bool is_running_ = false;
  bool is_set_by_others_ = false;
};

}  // namespace

std::vector<Rule> preparation_rules() {
  return {
      rule(
          "EVENT-21",
          "each run is prepared once, before agent_start; injected messages are stored, and prompt "
          "and tools that handlers chose count for that run alone")
          .by<PreparationChecker>(PreparationChecker::kinds()),
  };
}

}  // namespace plumb::invariants
