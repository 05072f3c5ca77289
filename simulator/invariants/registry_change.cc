// SPDX-License-Identifier: Apache-2.0
// Registrations that come again or compete, and the names by which tools are found.
#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/registry_view.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

// ------------------------------------------------------------------ the loser of a clash

bool reports_a_clash(const Event& event, const Story&) {
  return event.as<Diagnostic>()->code == "tool_conflict" && !event.as<Diagnostic>()->path.empty();
}

Complaint loser_is_not_failed(const Event& event, const Story& story) {
  for (const Event* one : story.loads) {
    const auto* load = one->as<Load>();
    if (load->extension != event.as<Diagnostic>()->path || load->phase != "failed") continue;
    return finding("the loser of a clash counts as failed", one);
  }
  return std::nullopt;
}

/// What the loser registered beside the lost name is listed.
Complaint loser_keeps_the_rest(const Event& event, const Story& story) {
  const auto& loser = event.as<Diagnostic>()->path;
  const auto next = std::ranges::upper_bound(story.registries, event.seq, {}, &Event::seq);
  if (next == story.registries.end()) return std::nullopt;
  const auto& registry = *(*next)->as<RegistryRefresh>();
  bool is_there = false;
  for (const auto& [name, rivals] : rivals_in(registry)) {
    const bool is_its = std::ranges::any_of(rivals, [&](const Candidate& one) {
      return one.level == "extension" && one.path == loser;
    });
    is_there = is_there || is_its;
    if (!is_its || rivals.size() > 1 || is_filtered(name, story)) continue;
    if (find_entry(registry.tools.get(), name) != nullptr) continue;
    return finding("the loser of a clash lost " + name + " too", *next);
  }
  return require(is_there, "the loser of a clash is gone with all its registrations", *next);
}

// ------------------------------------------------------------------ the same owner again

/// A note `registered` with the description that was given last.
bool reports_a_description(const Event& event, const Story& story) {
  const auto* note = event.as<Notify>();
  if (note->topic != "registered" || text_at(note->data.get(), "description").empty()) return false;
  const Json* tool = story.tool_at(text_at(note->data.get(), "tool"), event.seq);
  return tool != nullptr && path_of(*tool) == note->by;
}

Complaint last_description_counts(const Event& event, const Story& story) {
  const Json& data = event.as<Notify>()->data.get();
  const auto name = text_at(data, "tool");
  return differ("the description of " + name + " after its registration", at(data, "description"),
                at(*story.tool_at(name, event.seq), "description"), &event);
}

Complaint self_is_no_rival(const Event& event, const Story& story) {
  const auto name = text_at(event.as<Notify>()->data.get(), "tool");
  for (const Event* one : story.diagnostics) {
    const auto* diagnostic = one->as<Diagnostic>();
    const bool is_self = diagnostic->path == diagnostic->owner || diagnostic->owner.empty();
    if (diagnostic->code != "tool_conflict" || diagnostic->tool != name || !is_self) continue;
    return finding("a repeated registration is reported as a clash", one);
  }
  return std::nullopt;
}

// ------------------------------------------------------------------ late rivals

/// The owner of a name that a second extension registered after the start.
class LateRivalChecker final : public Checker {
 public:
  void see(const Event& event, const Story& story, Report& report) override {
    const auto& registry = *event.as<RegistryRefresh>();
    for (const auto& [name, rivals] : rivals_in(registry)) {
      std::vector<std::string> paths;
      for (const auto& rival : rivals) {
        if (rival.level == "extension" && !contains(paths, rival.path)) paths.push_back(rival.path);
      }
      const Json* tool = find_entry(registry.tools.get(), name);
      if (tool == nullptr || view_at(*tool, "level") != "extension") continue;
      judge(name, {path_of(*tool), paths.size()}, event, story, report);
    }
    last_ = event.seq;
  }

 private:
  struct Holder {
    std::string owner;
    std::size_t rivals = 0;
  };

  void judge(const std::string& name, const Holder& now, const Event& event, const Story& story,
             Report& report) {
    const bool is_known = holders_.contains(name);
    Holder& holder = holders_[name];
    if (is_known && now.rivals > holder.rivals) {
      report.trigger();
      const bool is_silent = std::ranges::none_of(story.diagnostics, [&](const Event* one) {
        return one->seq > last_ && one->seq <= event.seq && one->as<Diagnostic>()->tool == name;
      });
      if (is_silent) {
        report.complain(finding("nobody was told of the late rival for " + name, &event));
      }
      if (story.is_edition("seed")) {
        report.complain(differ("owner of " + name + " after a late registration",
                               Json(holder.owner), Json(now.owner), &event));
      }
    }
    holder = now;
  }

  std::map<std::string, Holder> holders_;
  std::int64_t last_ = -1;
};

// ------------------------------------------------------------------ exact names

/// A name without blanks at its ends and in lower case.
std::string folded(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c != ' ' && c != '\t' && c != '\n') {
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return text;
}

bool nearly_names_a_tool(const Call& call, const Story& story) {
  const Request* request = request_of(call, story);
  if (request == nullptr || end_of(call) == nullptr || is_declared(call, story)) return false;
  const Batch* batch = batch_of(call, story);
  return is_normal(*batch) && batch->stop_reason != "length" && abort_during(call, story) < 0 &&
         std::ranges::any_of(
             request->declared,
             [&](const auto& name) { return folded(name) == folded(call.name); });
}

Complaint nearly_is_unknown(const Call& call, const Story&) {
  return differ("cause of the call of '" + call.name + "'", Json("unknown_tool"), cause_of(call),
                first(call, "tool_execution_end"));
}

}  // namespace

std::vector<Rule> registry_change_rules() {
  return {
      rule("REG-04",
           "the loser of a clash (diagnostic tool_conflict) is not failed, and its other tools are "
           "listed")
          .for_each("diagnostic")
          .when(reports_a_clash)
          .expect(loser_is_not_failed)
          .expect(loser_keeps_the_rest),
      rule("REG-06",
           "a note registered {tool, description} after a repeated registration of one extension: "
           "the listing has this description, and no clash is reported")
          .for_each("notify")
          .when(reports_a_description)
          .expect(last_description_counts)
          .expect(self_is_no_rival),
      rule("REG-19",
           "a call of a name that differs from a declared one in case or blanks: unknown_tool, no "
           "execute")
          .for_each_call()
          .when(nearly_names_a_tool)
          .none("execute_begin")
          .expect(nearly_is_unknown),
      rule("REG-20",
           "a second extension that registers a name after the start leaves it with its owner "
           "(edition seed), and a diagnostic names the tool")
          .by<LateRivalChecker>({"registry_refresh"}),
  };
}

}  // namespace plumb::invariants
