// SPDX-License-Identifier: Apache-2.0
// What extensions may do when, and what several of them name alike: commands, flags, and built-in
// extensions that give way.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/evidence.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

/// Whether a note says that a command runs.
bool is_command_note(const Event& event) {
  const auto* note = event.as<Notify>();
  return note != nullptr && note->topic == "command" && note->data.get().is_object();
}

/// /NAME ARGUMENTS as the user typed it.
std::string typed_command(const Notify& note) {
  const std::string arguments = text_at(note.data.get(), "arguments");
  return "/" + text_at(note.data.get(), "name") + (arguments.empty() ? "" : " " + arguments);
}

// ------------------------------------------------------------------ EVENT-19

class CommandChecker final : public Checker {
 public:
  static std::vector<std::string_view> kinds() { return {"step", "input", "notify"}; }

  void see(const Event& event, const Story&, Report& report) override {
    if (const auto* step = event.as<Step>(); step && step->step == "user") {
      typed_ = text_at(step->data.get(), "text");
      has_input_ = false;
    }
    if (const auto* input = event.as<Input>(); input && input->mode == "prompt") {
      has_input_ = true;
      report.complain(require(!is_known(input->text), "a command is told as input", &event));
      if (!typed_.starts_with('/')) return;
      report.complain(
          differ("input does not show what was typed", Json(typed_), Json(input->text), &event));
    }
    const auto* note = event.as<Notify>();
    if (note == nullptr) return;
    if (note->topic == "registration" && text_at(note->data.get(), "what") == "command") {
      commands_[text_at(note->data.get(), "name")].insert(note->by);
    }
    if (!is_command_note(event) || typed_command(*note) != typed_) return;
    report.trigger();
    report.complain(require(!has_input_, "a command runs behind an input event", &event));
  }

 private:
  bool is_known(const std::string& text) const {
    if (!text.starts_with('/')) return false;
    // Of several the name alone means none.
    const auto found = commands_.find(text.substr(1, text.find(' ') - 1));
    return found != commands_.end() && found->second.size() == 1;
  }

  std::map<std::string, std::set<std::string>> commands_;  ///< By name, who registered it.
  std::string typed_;
  bool has_input_ = false;
};

// ------------------------------------------------------------------ EVENT-35

/// Prompts of the host while a run goes on.
class BusyPromptChecker final : public Checker {
 public:
  static std::vector<std::string_view> kinds() {
    return {"step", "input", "notify", "agent_start", "agent_settled", "crash"};
  }

  void see(const Event& event, const Story& story, Report& report) override {
    if (event.as<AgentStart>() != nullptr) is_running_ = true;
    const bool is_over = event.as<AgentSettled>() != nullptr || event.as<Crash>() != nullptr;
    if (is_over) {
      is_running_ = false;
      // Who comes to a run that is being aborted may find that it is over.
      const auto* settled = event.as<AgentSettled>();
      if (settled == nullptr || settled->aborted) open_ = nullptr;
    }
    const auto* step = event.as<Step>();
    if (step != nullptr && step->step == "user") close(story, report);
    if (step != nullptr && step->step == "user" && is_running_) {
      open_ = &event;
      report.trigger();
    }
    if (open_ == nullptr) return;
    const auto* input = event.as<Input>();
    const bool is_taken = input != nullptr && input->mode == "prompt";
    if (is_taken && !is_running_) open_ = nullptr;  // It came once the run was over.
    if (open_ == nullptr) return;
    report.complain(require(!is_taken, "a prompt without a mode is taken during a run", &event));
    const auto* note = event.as<Notify>();
    const bool is_refusal = note != nullptr && note->topic == "refused" && note->by == "<host>";
    if (!is_refusal && !is_command_note(event)) return;
    open_ = nullptr;
  }

  void finish(const Story& story, Report& report) override { close(story, report); }

 private:
  /// A step and what comes of it have no certain order in a live trace.
  void close(const Story& story, Report& report) {
    report.complain(require(open_ == nullptr || is_live(story),
                            "a prompt without a mode is neither refused nor a command", open_));
    open_ = nullptr;
  }

  const Event* open_ = nullptr;
  bool is_running_ = false;
};

// ------------------------------------------------------------------ EXT-06, EXT-27

/// A note `refused_action` of an extension holds what an action threw, null if nothing.
bool is_action_note(const Event& event) {
  const auto* note = event.as<Notify>();
  return note != nullptr && note->topic == "refused_action";
}

class LoadingActionChecker final : public Checker {
 public:
  static std::vector<std::string_view> kinds() { return {"load", "notify", "active_set"}; }

  void see(const Event& event, const Story&, Report& report) override {
    if (const auto* load = event.as<Load>()) {
      open_ = load->phase == "begin" ? load->extension : std::string();
    }
    if (open_.empty()) return;
    if (const auto* set = event.as<ActiveSet>()) {
      report.complain(require(set->by != open_, "a factory changes the active set", &event));
    }
    if (!is_action_note(event) || event.as<Notify>()->by != open_) return;
    report.trigger();
    const Json& error = event.as<Notify>()->data.get();
    const bool says_so = error.is_string() && error.get<std::string>().contains("initiali");
    report.complain(
        require(says_so, "an action in a factory does not say that it is too early", &event));
  }

 private:
  std::string open_;  ///< The extension whose factory is at work.
};

class StaleActionChecker final : public Checker {
 public:
  static std::vector<std::string_view> kinds() {
    return {"session_start", "session_shutdown", "load", "notify", "active_set", "extension_error"};
  }

  void see(const Event& event, const Story&, Report& report) override {
    if (event.as<SessionShutdown>() != nullptr) is_replaced_ = true;
    if (const auto* load = event.as<Load>()) is_loading_ = load->phase == "begin";
    if (!is_replaced_ || is_loading_) return;
    if (const auto* set = event.as<ActiveSet>()) setters_.insert(set->by);
    if (const auto* error = event.as<ExtensionError>(); error && error->error.contains("stale")) {
      report.complain(finding("what an old instance threw is reported in the new session", &event));
    }
    if (!is_action_note(event)) return;
    report.trigger();
    const auto& note = *event.as<Notify>();
    const Json& error = note.data.get();
    const bool says_so = error.is_string() && error.get<std::string>().contains("stale");
    report.complain(
        require(says_so, "an action of an old instance does not say that it is stale", &event));
    report.complain(
        require(!setters_.contains(note.by), "an old instance changes the new session", &event));
  }

 private:
  std::set<std::string> setters_;
  bool is_replaced_ = false;
  bool is_loading_ = false;
};

// ------------------------------------------------------------------ EXT-20

/// What extensions have registered under a name, in the order of their loads.
struct NamedPart {
  std::string what;
  std::string name;
  std::string by;
};

std::vector<NamedPart> parts_before(std::int64_t seq, const Story& story) {
  std::vector<NamedPart> parts;
  std::int64_t from = -1;
  for (const std::int64_t shutdown : story.shutdowns) {
    if (shutdown < seq) from = shutdown;
  }
  for (const Event* event : story.notes) {
    const auto& note = *event->as<Notify>();
    if (note.topic != "registration" || event->seq < from || event->seq > seq) continue;
    const Json& data = note.data.get();
    parts.push_back({text_at(data, "what"), text_at(data, "name"), note.by});
  }
  return parts;
}

std::vector<std::string> owners_of(std::string_view what, std::string_view name,
                                   const std::vector<NamedPart>& parts) {
  std::vector<std::string> owners;
  for (const auto& part : parts) {
    if (part.what == what && part.name == name && !contains(owners, part.by)) {
      owners.push_back(part.by);
    }
  }
  return owners;
}

/// The owner that a typed name means: NAME:n the n-th of several, NAME the only one.
std::string owner_of_command(const std::string& typed, const std::vector<NamedPart>& parts) {
  const auto only = owners_of("command", typed, parts);
  if (only.size() == 1) return only.front();
  const auto colon = typed.rfind(':');
  if (colon == std::string::npos) return "";
  const auto owners = owners_of("command", typed.substr(0, colon), parts);
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (typed.substr(colon + 1) == std::to_string(i + 1)) return owners[i];
  }
  return "";
}

/// A built-in extension that another one replaced (EXT-17) has nothing any more.
bool is_left_out(const std::string& extension, const Story& story) {
  return std::ranges::any_of(story.diagnostics, [&](const Event* one) {
    const auto& told = *one->as<Diagnostic>();
    return told.code == "builtin_replaced" && told.path == extension;
  });
}

bool is_flag_clash(const Event& event, const std::string& first, const std::string& second) {
  const auto& diagnostic = *event.as<Diagnostic>();
  return diagnostic.code == "flag_clash" && diagnostic.path == second && diagnostic.owner == first;
}

class DuplicateNameChecker final : public Checker {
 public:
  void see(const Event& event, const Story& story, Report& report) override {
    if (!is_command_note(event)) return;
    const auto& note = *event.as<Notify>();
    auto parts = parts_before(event.seq, story);
    std::erase_if(parts, [&](const NamedPart& part) { return is_left_out(part.by, story); });
    const std::string typed = text_at(note.data.get(), "name");
    if (typed.contains(':')) report.trigger();
    report.complain(differ("the owner of the command " + typed,
                           Json(owner_of_command(typed, parts)), Json(note.by), &event));
  }

  void finish(const Story& story, Report& report) override {
    const auto parts = parts_before(story.last_seq + 1, story);
    std::set<std::string> seen;
    for (const auto& part : parts) {
      if (part.what != "flag" || !seen.insert(part.name).second) continue;
      const auto owners = owners_of("flag", part.name, parts);
      for (std::size_t i = 1; i < owners.size(); ++i) {
        report.trigger();
        const bool is_told = std::ranges::any_of(story.diagnostics, [&](const Event* one) {
          return is_flag_clash(*one, owners.front(), owners[i]);
        });
        report.complain(
            require(is_told, "two flags " + part.name + " without a diagnostic", nullptr));
      }
    }
  }
};

// ------------------------------------------------------------------ EXT-17, EXT-18, EXT-19

/// Who else registered, before `seq`, a part of the kind and name of one of the built-in's.
struct Rival {
  std::string by;
  std::string what;
  std::string name;
};

constexpr std::array<std::string_view, 3> kPartKinds{"tool", "command", "flag"};

std::vector<Rival> rivals_of(const std::string& builtin, bool of_one_kind, std::int64_t seq,
                             const Story& story) {
  std::vector<Rival> rivals;
  const Json& builtins = at(story.host(), "replaceable");
  for (const auto& part : parts_before(seq, story)) {
    if (builtins.contains(part.by)) continue;
    for (const auto kind : kPartKinds) {
      const bool is_meant = (kind == part.what) == of_one_kind;
      const auto own = strings_in(at(builtins[builtin], kind));
      if (is_meant && contains(own, part.name)) rivals.push_back({part.by, part.what, part.name});
    }
  }
  return rivals;
}

bool has_tool_of(const std::string& extension, const Json& tools) {
  return std::ranges::any_of(tools, [&](const Json& tool) {
    return text_at(at(tool, "sourceInfo"), "path") == extension;
  });
}

/// Asks about each built-in extension when a session has started.
class ReplacementBase : public Checker {
 public:
  void see(const Event& event, const Story& story, Report& report) override {
    const Json& builtins = at(story.host(), "replaceable");
    if (!builtins.is_object()) return;
    if (event.as<SessionStart>() == nullptr) return later(event, report);
    gone_.clear();
    for (const auto& one : builtins.items()) judge(one.key(), event, story, report);
  }

 protected:
  virtual void judge(const std::string& builtin, const Event& event, const Story& story,
                     Report& report) = 0;
  virtual void later(const Event& /*event*/, Report& /*report*/) {}

  std::set<std::string> gone_;
};

/// EXT-17.
class LeftOutChecker final : public ReplacementBase {
  void judge(const std::string& builtin, const Event& event, const Story& story,
             Report& report) override {
    if (rivals_of(builtin, true, event.seq, story).empty()) return;
    report.trigger();
    gone_.insert(builtin);
    const auto* registry = story.registry_at(event.seq);
    const bool is_left = registry != nullptr && has_tool_of(builtin, registry->tools.get());
    report.complain(require(!is_left, "a tool of the replaced " + builtin + " is left", &event));
  }
  void later(const Event& event, Report& report) override {
    const auto* hook = event.as<HookCall>();
    const auto* note = event.as<Notify>();
    const auto* begun = event.as<ExecuteBegin>();
    const std::string by = hook != nullptr                             ? hook->extension
                           : begun != nullptr                          ? begun->owner
                           : note != nullptr && is_command_note(event) ? note->by
                                                                       : std::string();
    report.complain(
        require(!gone_.contains(by), "the replaced " + by + " is at work still", &event));
  }
};

/// EXT-18.
class ReplacementToldChecker final : public ReplacementBase {
  void judge(const std::string& builtin, const Event& event, const Story& story,
             Report& report) override {
    const auto rivals = rivals_of(builtin, true, event.seq, story);
    if (rivals.empty()) return;
    report.trigger();
    const bool is_told = std::ranges::any_of(story.diagnostics, [&](const Event* one) {
      const auto& told = *one->as<Diagnostic>();
      return told.code == "builtin_replaced" && told.path == builtin &&
             std::ranges::any_of(rivals, [&](const Rival& rival) {
               return told.owner == rival.by && told.message.contains(rival.name) &&
                      told.message.contains(rival.what);
             });
    });
    report.complain(require(
        is_told, "no diagnostic names " + builtin + ", who replaced it and by what", &event));
  }
};

/// EXT-19.
class OtherKindChecker final : public ReplacementBase {
  void judge(const std::string& builtin, const Event& event, const Story& story,
             Report& report) override {
    const bool is_replaced = !rivals_of(builtin, true, event.seq, story).empty();
    if (is_replaced || rivals_of(builtin, false, event.seq, story).empty()) return;
    report.trigger();
    const bool is_told = std::ranges::any_of(story.diagnostics, [&](const Event* one) {
      return one->as<Diagnostic>()->code == "builtin_replaced" &&
             one->as<Diagnostic>()->path == builtin;
    });
    report.complain(require(!is_told, builtin + " is replaced by a part of another kind", &event));
    const auto* registry = story.registry_at(event.seq);
    const bool has_tools =
        !strings_in(at(at(at(story.host(), "replaceable"), builtin), "tool")).empty();
    const bool is_there = registry == nullptr || has_tool_of(builtin, registry->tools.get());
    report.complain(require(!has_tools || is_there, builtin + " is gone", &event));
  }
};

}  // namespace

std::vector<Rule> session_action_rules() {
  return {
      rule("EVENT-19",
           "a command that an extension registered runs without an input event; what else begins "
           "with a slash is told as it was typed")
          .by<CommandChecker>(CommandChecker::kinds()),
      rule("EVENT-35",
           "a prompt of the host during a run is refused (note refused), unless it is a command")
          .by<BusyPromptChecker>(BusyPromptChecker::kinds()),
      rule("EXT-06",
           "an action within a factory throws that it is too early (note refused_action), and "
           "changes no active set")
          .by<LoadingActionChecker>(LoadingActionChecker::kinds()),
      rule("EXT-17",
           "a built-in extension of which another one registers a tool, command or flag is gone "
           "with all that it has")
          .by<LeftOutChecker>({"session_start", "hook_call", "notify", "execute_begin"}),
      rule("EXT-18", "a diagnostic names the replaced built-in, who replaced it, and the name")
          .by<ReplacementToldChecker>({"session_start"}),
      rule("EXT-19", "a part of another kind with the same name replaces no built-in extension")
          .by<OtherKindChecker>({"session_start"}),
      rule("EXT-20",
           "of several commands of one name the n-th is NAME:n; a second flag of a name has a "
           "diagnostic")
          .by<DuplicateNameChecker>({"notify"}),
      rule("EXT-27",
           "an action of an instance that was replaced throws that it is stale (note "
           "refused_action), changes nothing, and is not reported")
          .by<StaleActionChecker>(StaleActionChecker::kinds()),
  };
}

}  // namespace plumb::invariants
