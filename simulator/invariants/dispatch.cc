// SPDX-License-Identifier: Apache-2.0
// Who is called when an event is dispatched, and how proposals pass from handler to handler. The
// host's step "start" tells which events each extension subscribed to.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

const Json& subscriptions_of(const Story& story) {
  return at(story.host(), "subscriptions");
}

std::int64_t subscribed(const Json& events, std::string_view event) {
  const Json& count = at(events, event);
  return count.is_number_integer() ? count.get<std::int64_t>() : 0;
}

// ------------------------------------------------------------------ EVENT-44

/// Events of which every subscriber hears each one.
constexpr std::array<std::string_view, 5> kAlwaysTold{"agent_start", "turn_start", "agent_end",
                                                      "agent_settled", "before_agent_start"};

class HearingChecker final : public Checker {
 public:
  static std::vector<std::string_view> kinds() {
    std::vector<std::string_view> kinds{"hook_call", "notify", "session_start", "load"};
    kinds.insert(kinds.end(), kAlwaysTold.begin(), kAlwaysTold.end());
    return kinds;
  }

  void see(const Event& event, const Story&, Report&) override {
    const auto* note = event.as<Notify>();
    if (note != nullptr && note->topic == "handler_added" && note->data.get().is_string()) {
      added_.emplace(note->by, note->data.get().get<std::string>());
    }
    if (const auto* load = event.as<Load>(); load != nullptr && load->phase == "end") {
      loaded_.insert(load->extension);
    }
    if (event.as<SessionStart>() != nullptr) ++starts_;
    if (event.as<HookCall>() != nullptr) hooks_.push_back(&event);
    for (const auto kind : kAlwaysTold) {
      if (event.kind() == kind) happened_.insert(kind);
    }
  }

  void finish(const Story& story, Report& report) override {
    const Json& subscriptions = subscriptions_of(story);
    if (!subscriptions.is_object() || subscriptions.empty()) return;
    std::set<std::string> heard;
    for (const Event* event : hooks_) {
      const auto* hook = event->as<HookCall>();
      if (!subscriptions.contains(hook->extension)) continue;
      heard.insert(hook->extension + " " + hook->event);
      report.complain(require(
          may_hear(*hook, subscriptions),
          hook->extension + " hears " + hook->event + ", to which it did not subscribe", event));
    }
    if (heard.size() >= 2) report.trigger();
    if (starts_ == 1) complain_of_silence(subscriptions, heard, report);
  }

 private:
  bool may_hear(const HookCall& hook, const Json& subscriptions) const {
    return subscribed(subscriptions[hook.extension], hook.event) > 0 ||
           added_.contains({hook.extension, hook.event});
  }
  void complain_of_silence(const Json& subscriptions, const std::set<std::string>& heard,
                           Report& report) const {
    for (const auto& [extension, events] : subscriptions.items()) {
      if (!loaded_.contains(extension)) continue;
      for (const auto kind : happened_) {
        const bool is_told = heard.contains(extension + " " + std::string(kind));
        report.complain(require(subscribed(events, kind) == 0 || is_told,
                                extension + " never hears " + std::string(kind), nullptr));
      }
    }
  }

  std::set<std::pair<std::string, std::string>> added_;
  std::set<std::string> loaded_;
  std::set<std::string_view> happened_;
  std::vector<const Event*> hooks_;
  std::int64_t starts_ = 0;
};

// ------------------------------------------------------------------ HOOK-27

/// HOOK-27: a dispatch of a call's handlers runs those that were there when it began.
class SnapshotChecker final : public Checker {
 public:
  void see(const Event& event, const Story& story, Report&) override {
    if (const auto* load = event.as<Load>(); load != nullptr && load->phase == "begin") {
      changes_.clear();
    }
    if (const auto* note = event.as<Notify>()) count_change(*note);
    if (const auto* hook = event.as<HookCall>()) enter(*hook, event, story);
    const auto* returned = event.as<HookReturn>();
    if (returned == nullptr || event.call.empty()) return;
    const bool stops = is_block(*returned) || !returned->error.empty();
    if (stops && returned->event == "tool_call") open_.erase({returned->event, event.call});
  }

  void finish(const Story& story, Report& report) override {
    if (!has_change_) return;
    for (const auto& [key, dispatch] : open_) {
      if (story.abort_between(dispatch.entered->seq, story.last_seq) >= 0) continue;
      report.trigger();
      report.complain(differ("handlers of " + key.first + " that ran for call " + key.second,
                             Json(dispatch.expected), dispatch.count, dispatch.entered));
    }
  }

 private:
  struct Dispatch {
    const Event* entered = nullptr;
    std::int64_t expected = 0;
    std::int64_t count = 0;
  };

  void count_change(const Notify& note) {
    if (note.topic != "handler_added" && note.topic != "handler_removed") return;
    if (!note.data.get().is_string()) return;
    has_change_ = true;
    changes_[note.data.get().get<std::string>()] += note.topic == "handler_added" ? 1 : -1;
  }

  void enter(const HookCall& hook, const Event& event, const Story& story) {
    if (event.call.empty() || (hook.event != "tool_call" && hook.event != "tool_result")) return;
    if (!subscriptions_of(story).is_object()) return;
    Dispatch& dispatch = open_[{hook.event, event.call}];
    if (dispatch.entered == nullptr) {
      dispatch.entered = &event;
      dispatch.expected = changes_[hook.event];
      for (const auto& events : subscriptions_of(story)) {
        dispatch.expected += subscribed(events, hook.event);
      }
    }
    ++dispatch.count;
  }

  bool has_change_ = false;
  std::map<std::string, std::int64_t> changes_;
  std::map<std::pair<std::string, std::string>, Dispatch> open_;
};

// ------------------------------------------------------------------ EVENT-42

bool is_boundary(std::string_view event) {
  return event == "turn_end" || event == "agent_before_settle";
}

std::string draft_type(const Json& draft) {
  return text_at(draft, "customType");
}

bool is_draft(const Json& draft) {
  const auto type = text_at(draft, "type");
  return (type == "custom" || type == "custom_message") && !draft_type(draft).empty();
}

/// EVENT-42: proposals pass from handler to handler; the last one is appended as a whole.
class ProposalChecker final : public Checker {
 public:
  static std::vector<std::string_view> kinds() {
    return {"hook_call",  "hook_return",   "session_entry",  "turn_end",
            "turn_start", "agent_settled", "extension_error"};
  }

  void see(const Event& event, const Story&, Report& report) override {
    if (const auto* hook = event.as<HookCall>()) enter(*hook, event, report);
    if (const auto* returned = event.as<HookReturn>()) leave(*returned, event);
    if (const auto* entry = event.as<SessionEntry>(); entry != nullptr && is_open_) {
      const auto type = text_at(entry->data.get(), "customType");
      appended_.push_back(type.empty() ? entry->type : type);
    }
    const auto* error = event.as<ExtensionError>();
    if (error != nullptr && is_boundary(error->event)) refused_ = nullptr;
    const bool ends = event.as<TurnEnd>() != nullptr || event.as<TurnStart>() != nullptr ||
                      event.as<AgentSettled>() != nullptr;
    if (ends) conclude(event, report);
  }

 private:
  void enter(const HookCall& hook, const Event& event, Report& report) {
    if (!is_boundary(hook.event)) return;
    if (hook.index == 0) {
      conclude(event, report);
      entries_ = Json::array();
      continues_ = false;
      is_open_ = true;
      return;
    }
    report.trigger();
    report.complain(differ("a handler does not see the entries proposed so far", entries_,
                           at(hook.input.get(), "entries"), &event));
    report.complain(differ("a handler does not see the continuation proposed so far",
                           Json(continues_), at(hook.input.get(), "continue"), &event));
  }

  void leave(const HookReturn& returned, const Event& event) {
    if (!is_boundary(returned.event)) return;
    appended_.clear();
    const Json& result = returned.result.get();
    if (!returned.error.empty()) refused_ = &event;
    if (!returned.error.empty() || !result.is_object()) return;
    const Json& entries = at(result, "entries");
    if (!entries.is_null()) {
      const bool is_valid = entries.is_array() && std::ranges::all_of(entries, is_draft);
      if (!is_valid) refused_ = &event;
      if (!is_valid) return;
      entries_ = entries;
    }
    if (!at(result, "continue").is_null()) continues_ = at(result, "continue") == true;
  }

  void conclude(const Event& event, Report& report) {
    if (!std::exchange(is_open_, false)) return;
    std::vector<std::string> expected;
    for (const auto& draft : entries_) expected.push_back(draft_type(draft));
    if (!expected.empty()) report.trigger();
    appended_.resize(std::min(appended_.size(), expected.size()));
    report.complain(differ("what handlers proposed is not what was appended", as_json(expected),
                           as_json(appended_), &event));
    report.complain(
        require(refused_ == nullptr, "a proposal that failed is not reported", refused_));
    refused_ = nullptr;
  }

  bool is_open_ = false;
  bool continues_ = false;
  Json entries_ = Json::array();
  std::vector<std::string> appended_;
  const Event* refused_ = nullptr;
};

}  // namespace

std::vector<Rule> dispatch_rules() {
  return {
      rule("EVENT-42",
           "handlers of turn_end and agent_before_settle see what was proposed so far; the last "
           "proposal is appended as a whole, a bad one is reported")
          .by<ProposalChecker>(ProposalChecker::kinds()),
      rule("EVENT-44",
           "each handler call is of an event that its extension subscribed to, and subscribers of "
           "runs and turns are called; triggered by two subscriptions at work")
          .by<HearingChecker>(HearingChecker::kinds()),
      rule(
          "HOOK-27",
          "a call's dispatch runs as many handlers as there were when it began; triggered by notes "
          "handler_added and handler_removed")
          .by<SnapshotChecker>({"load", "notify", "hook_call", "hook_return"}),
  };
}

}  // namespace plumb::invariants
