// SPDX-License-Identifier: Apache-2.0
// How extensions are loaded: which, in which order, what their factories leave, and when.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

const Json& given_extensions(const Story& story) {
  return at(story.host(), "extensions");
}

/// What the host says of an extension's handlers, by event; null if it says nothing.
const Json& subscriptions_of(const std::string& extension, const Story& story) {
  return at(at(story.host(), "subscriptions"), extension);
}

/// One factory at work, or what it left.
struct Loading {
  std::int64_t begun = 0;
  std::int64_t ended = 0;
  std::map<std::string, std::int64_t> handlers;  ///< By event.
  std::vector<std::string> tools;
};

/// The factories of the load that is under way, or of the last one.
class LoadChecker : public Checker {
 public:
  static std::vector<std::string_view> kinds() {
    return {"load",  "notify",           "session_start",    "session_shutdown",
            "crash", "registry_refresh", "provider_request", "step"};
  }

 protected:
  void follow(const Event& event) {
    if (event.as<SessionShutdown>() != nullptr || event.as<Crash>() != nullptr) {
      loads_.clear();
      open_.clear();
    }
    if (const auto* load = event.as<Load>()) {
      Loading& loading = loads_[load->extension];
      if (load->phase == "begin") {
        ++loading.begun;
        open_ = load->extension;
      } else {
        ++loading.ended;
        open_.clear();
      }
      if (load->phase == "failed") loads_failed_.insert(load->extension);
    }
    const auto* note = event.as<Notify>();
    if (note == nullptr || note->topic != "registration" || note->by != open_) return;
    const std::string name = text_at(note->data.get(), "name");
    if (text_at(note->data.get(), "what") == "handler") ++loads_[open_].handlers[name];
    if (text_at(note->data.get(), "what") == "tool") loads_[open_].tools.push_back(name);
  }
  bool has_failed(const std::string& extension) const { return loads_failed_.contains(extension); }

  std::map<std::string, Loading> loads_;
  std::set<std::string> loads_failed_;
  std::string open_;  ///< The extension whose factory is at work.
};

/// EXT-01.
class FactoryChecker final : public LoadChecker {
 public:
  void see(const Event& event, const Story& story, Report& report) override {
    follow(event);
    if (const auto* load = event.as<Load>()) judge(*load, event, report);
    if (event.as<SessionStart>() == nullptr || std::exchange(has_started_, true)) return;
    for (const auto& path : strings_in(given_extensions(story))) {
      report.complain(require(loads_.empty() || loads_.contains(path),
                              "the extension " + path + " is not loaded", &event));
    }
  }

 private:
  void judge(const Load& load, const Event& event, Report& report) {
    const Loading& loading = loads_[load.extension];
    if (load.phase == "failed") {
      report.trigger();
      report.complain(require(!load.error.empty(), "a failed load without an error", &event));
    }
    report.complain(require(loading.begun <= 1 && loading.ended <= 1,
                            "the factory of " + load.extension + " is not called once", &event));
  }

  bool has_started_ = false;
};

/// EXT-02.
class RegistrationChecker final : public LoadChecker {
 public:
  void see(const Event& event, const Story& story, Report& report) override {
    follow(event);
    const auto* load = event.as<Load>();
    if (load != nullptr && load->phase == "end") judge(*load, event, story, report);
    const auto* refresh = event.as<RegistryRefresh>();
    if (refresh == nullptr || loads_.empty() || !open_.empty()) return;
    for (const auto& one : loads_) {
      for (const auto& tool : one.second.tools) judge_tool(tool, event, story, report);
    }
    loads_.clear();
  }

 private:
  static void judge_tool(const std::string& tool, const Event& event, const Story& story,
                         Report& report) {
    const bool is_refused = std::ranges::any_of(
        story.diagnostics, [&](const Event* one) { return one->as<Diagnostic>()->tool == tool; });
    if (is_refused) return;
    const Json& candidates = event.as<RegistryRefresh>()->candidates.get();
    const bool is_there = std::ranges::any_of(candidates, [&](const Json& one) {
      return text_at(one, "name") == tool && text_at(one, "level") == "extension";
    });
    report.complain(require(is_there || !candidates.is_array(),
                            "the tool " + tool + " that a factory registered is lost", &event));
  }

  void judge(const Load& load, const Event& event, const Story& story, Report& report) {
    const Json& subscribed = subscriptions_of(load.extension, story);
    if (!subscribed.is_object() || (subscribed.empty() && loads_[load.extension].tools.empty())) {
      return;
    }
    report.trigger();
    for (const auto& [name, count] : subscribed.items()) {
      report.complain(require(loads_[load.extension].handlers[name] >= whole_number(count),
                              "a factory's handlers of " + name + " are lost", &event));
    }
  }
};

/// EXT-03.
class AwaitedFactoryChecker final : public LoadChecker {
 public:
  void see(const Event& event, const Story& story, Report& report) override {
    follow(event);
    const bool is_next =
        event.as<SessionStart>() != nullptr || event.as<ProviderRequest>() != nullptr;
    if (!is_next) return;
    report.complain(require(open_.empty(), "a factory is at work still", &event));
    if (event.as<SessionStart>() == nullptr) return;
    for (const auto& [path, loading] : loads_) judge(path, loading, event, story, report);
  }

 private:
  void judge(const std::string& path, const Loading& loading, const Event& event,
             const Story& story, Report& report) const {
    const Json& subscribed = subscriptions_of(path, story);
    if (!subscribed.is_object() || subscribed.empty() || has_failed(path)) return;
    report.trigger();
    for (const auto& [name, count] : subscribed.items()) {
      const auto found = loading.handlers.find(name);
      const std::int64_t registered = found == loading.handlers.end() ? 0 : found->second;
      report.complain(require(registered >= whole_number(count),
                              "the session starts before a factory has registered all", &event));
    }
  }
};

/// EXT-04.
class LoadOrderChecker final : public LoadChecker {
 public:
  void see(const Event& event, const Story& story, Report& report) override {
    const auto* load = event.as<Load>();
    if (load != nullptr && load->phase == "begin") {
      report.trigger();
      report.complain(require(open_.empty(), "two factories are at work at once", &event));
      follow_order(*load, event, story, report);
    }
    if (event.as<SessionShutdown>() != nullptr || event.as<Crash>() != nullptr) place_ = 0;
    follow(event);
  }

 private:
  void follow_order(const Load& load, const Event& event, const Story& story, Report& report) {
    const auto given = strings_in(given_extensions(story));
    const auto found = std::ranges::find(given, load.extension);
    if (found == given.end()) return;
    const auto place = found - given.begin();
    report.complain(require(place >= place_, "factories are called in another order", &event));
    place_ = place;
  }

  std::ptrdiff_t place_ = 0;
};

/// EXT-05.
class FailedFactoryChecker final : public Checker {
 public:
  static std::vector<std::string_view> kinds() {
    return {"load", "hook_call", "registry_refresh", "execute_begin"};
  }

  void see(const Event& event, const Story&, Report& report) override {
    if (const auto* load = event.as<Load>()) {
      if (load->phase != "failed") {
        failed_.erase(load->extension);
        return;
      }
      report.trigger();
      failed_.insert(load->extension);
      report.complain(require(!load->error.empty(), "a failed load without an error", &event));
    }
    if (const auto* hook = event.as<HookCall>()) expect_alive(hook->extension, event, report);
    if (const auto* begun = event.as<ExecuteBegin>()) expect_alive(begun->owner, event, report);
    const auto* refresh = event.as<RegistryRefresh>();
    if (refresh == nullptr) return;
    for (const auto* list : {&refresh->tools.get(), &refresh->candidates.get()}) {
      for (const Json& tool : *list) {
        expect_alive(text_at(at(tool, "sourceInfo"), "path"), event, report);
      }
    }
  }

 private:
  void expect_alive(const std::string& extension, const Event& event, Report& report) const {
    report.complain(require(!failed_.contains(extension),
                            "something of the failed extension " + extension + " is left", &event));
  }

  std::set<std::string> failed_;
};

/// EXT-31: nothing but what the host gave.
class GivenOnlyChecker final : public Checker {
 public:
  void see(const Event& event, const Story& story, Report& report) override {
    const Json& given = given_extensions(story);
    if (!given.is_array()) return;
    report.trigger();
    const auto& path = event.as<Load>()->extension;
    report.complain(require(contains(strings_in(given), path),
                            "the extension " + path + " is loaded, which nobody gave", &event));
  }
};

bool is_step_that_loads(const Step& step) {
  static const std::set<std::string, std::less<>> kSteps{
      "start",     "reload", "install",     "replace", "uninstall",
      "configure", "resume", "new_session", "fork",    "navigate"};
  return kSteps.contains(step.step);
}

/// EXT-34.
class EnabledByHostChecker final : public Checker {
 public:
  static std::vector<std::string_view> kinds() {
    return {"load", "step", "session_start", "session_shutdown", "crash"};
  }

  void see(const Event& event, const Story&, Report& report) override {
    const auto* step = event.as<Step>();
    const bool opens = (step != nullptr && is_step_that_loads(*step)) ||
                       event.as<SessionShutdown>() != nullptr || event.as<Crash>() != nullptr;
    if (opens) may_load_ = true;
    if (event.as<SessionStart>() != nullptr) may_load_ = false;
    if (event.as<Load>() == nullptr) return;
    report.complain(
        require(may_load_, "an extension is loaded that the host did not enable", &event));
  }

  void finish(const Story& story, Report& report) override {
    for (const Call* call : story.judged_calls) {
      const bool is_asked = is_top_level(*call) && request_of(*call, story) != nullptr;
      if (!is_asked || is_declared(*call, story) || end_of(*call) == nullptr) continue;
      if (tool_of(*call, story) != nullptr) continue;
      report.trigger();
      report.complain(require(is_error(*call) && !has_executed(*call),
                              "a call of a tool that nobody registered is executed",
                              first(*call, "tool_execution_end")));
    }
  }

 private:
  bool may_load_ = true;
};

/// EXT-28.
class ReloadChecker final : public Checker {
 public:
  static std::vector<std::string_view> kinds() {
    return {"session_shutdown", "session_start", "load", "agent_start", "agent_settled", "crash"};
  }

  void see(const Event& event, const Story& story, Report& report) override {
    if (event.as<AgentStart>() != nullptr) is_running_ = true;
    const bool is_over = event.as<AgentSettled>() != nullptr || event.as<Crash>() != nullptr;
    if (is_over) is_running_ = false;
    if (const auto* shutdown = event.as<SessionShutdown>()) {
      shutdown_ = shutdown->reason == "reload" ? event.seq : -1;
      report.complain(require(shutdown_ < 0 || !is_running_, "a reload during a run", &event));
    }
    if (event.as<Load>() != nullptr && shutdown_ >= 0) has_loaded_ = true;
    const auto* start = event.as<SessionStart>();
    if (start == nullptr) return;
    if (start->reason == "reload") judge(event, story, report);
    shutdown_ = -1;
    has_loaded_ = false;
  }

 private:
  void judge(const Event& event, const Story& story, Report& report) const {
    report.trigger();
    report.complain(require(shutdown_ >= 0, "a reload that shuts nothing down", &event));
    report.complain(require(has_loaded_ || story.load_order.empty(),
                            "a reload that makes no new instances", &event));
    const ActiveSet* before = story.active_at(shutdown_);
    const ActiveSet* now = story.active_at(event.seq);
    if (shutdown_ < 0 || before == nullptr || now == nullptr) return;
    for (const auto& name : before->after) {
      const bool is_known = story.tool_at(name, event.seq) != nullptr;
      report.complain(require(!is_known || contains(now->after, name),
                              "the tool " + name + " is not active after a reload", &event));
    }
    for (const auto& name : now->after) {
      const bool was_known = story.tool_at(name, shutdown_) != nullptr;
      report.complain(require(!was_known || contains(before->after, name),
                              "the tool " + name + " is active after a reload only", &event));
    }
  }

  std::int64_t shutdown_ = -1;
  bool is_running_ = false;
  bool has_loaded_ = false;
};

/// EXT-08.
class ListingChecker final : public Checker {
 public:
  static std::vector<std::string_view> kinds() {
    return {"load", "session_start", "session_shutdown", "hook_call", "step"};
  }

  void see(const Event& event, const Story&, Report& report) override {
    if (event.as<Load>() != nullptr) has_loaded_ = true;
    if (event.as<SessionStart>() != nullptr) has_started_ = true;
    if (event.as<SessionShutdown>() != nullptr) report.trigger();
    if (has_started_) return;
    report.complain(require(event.as<SessionShutdown>() == nullptr,
                            "session_shutdown without a session", &event));
    const auto* hook = event.as<HookCall>();
    const bool is_of_session = hook != nullptr && hook->event.starts_with("session_");
    report.complain(require(!is_of_session, "a handler hears of a session that is none", &event));
  }

  void finish(const Story&, Report& report) override {
    if (has_loaded_ && !has_started_) report.trigger();
  }

 private:
  bool has_loaded_ = false;
  bool has_started_ = false;
};

}  // namespace

std::vector<Rule> loading_rules() {
  return {
      rule("EXT-01",
           "the factory of each given extension is called once a load; one that fails says why, "
           "and the others are loaded")
          .by<FactoryChecker>(LoadChecker::kinds()),
      rule("EXT-02",
           "the handlers that the host tells of an extension are registered within its load, and "
           "each tool registered there is a candidate of the next registry")
          .by<RegistrationChecker>(LoadChecker::kinds()),
      rule("EXT-03",
           "no session starts and no request is sent while a factory is at work, nor before the "
           "handlers that the host tells of its extension are registered")
          .by<AwaitedFactoryChecker>(LoadChecker::kinds()),
      rule("EXT-04", "factories are called one after the other, in the order that the host gave")
          .by<LoadOrderChecker>(LoadChecker::kinds()),
      rule("EXT-05",
           "a failed load says why, and no handler and no tool of its extension is there later")
          .by<FailedFactoryChecker>(FailedFactoryChecker::kinds()),
      rule("EXT-08",
           "where extensions are loaded and no session starts, none ends and no handler hears of "
           "one")
          .by<ListingChecker>(ListingChecker::kinds()),
      rule("EXT-28",
           "a reload comes between runs: shutdown, new instances, start; a tool that is there "
           "before and after is active in both or in none")
          .by<ReloadChecker>(ReloadChecker::kinds()),
      rule("EXT-31", "each extension that is loaded is one that the host gave")
          .by<GivenOnlyChecker>({"load"}),
      rule("EXT-34",
           "extensions are loaded at steps of the host only, and a call of a tool that no registry "
           "holds is an error that runs nothing")
          .by<EnabledByHostChecker>(EnabledByHostChecker::kinds()),
  };
}

}  // namespace plumb::invariants
