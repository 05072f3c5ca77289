// SPDX-License-Identifier: Apache-2.0
#include "property-tests/mutants/forgeries.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "engine/trace/event_json.h"
#include "simulator/explore/case_run.h"
#include "simulator/invariants/judge.h"
#include "simulator/script/source.h"
#include "simulator/subjects/session_subject.h"

namespace plumb::simulator {
namespace {

using Action = TamperEdit::Action;

/// Words of closed sets, and another word of the same set.
struct OtherWord {
  std::string_view member;
  std::string_view word;
  std::string_view other;
};

constexpr std::array<OtherWord, 18> kOtherWords{{{"phase", "begin", "end"},
                                                 {"phase", "end", "begin"},
                                                 {"result", "ok", "EIO"},
                                                 {"outcome", "ok", "returned_error"},
                                                 {"outcome", "threw", "ok"},
                                                 {"outcome", "returned_error", "ok"},
                                                 {"stop_reason", "toolUse", "stop"},
                                                 {"stop_reason", "stop", "aborted"},
                                                 {"stopReason", "toolUse", "stop"},
                                                 {"stopReason", "stop", "aborted"},
                                                 {"stopReason", "aborted", "stop"},
                                                 {"role", "user", "assistant"},
                                                 {"role", "assistant", "user"},
                                                 {"role", "toolResult", "user"},
                                                 {"end", "exited", "aborted"},
                                                 {"end", "aborted", "exited"},
                                                 {"op", "write", "read"},
                                                 {"op", "read", "write"}}};

std::string another(std::string_view member, const std::string& word) {
  for (const auto& [name, known, other] : kOtherWords) {
    if (name == member && known == word) return std::string(other);
  }
  return word + "~";
}

/// Another value of the same type; nothing for what is no single value.
std::optional<Json> another_value(std::string_view member, const Json& value) {
  if (value.is_string()) return Json(another(member, value.get<std::string>()));
  if (value.is_boolean()) return Json(!value.get<bool>());
  if (value.is_number_integer()) return Json(value.get<std::int64_t>() + 1);
  return std::nullopt;
}

/// The first value of each type within a member: what lies tell of it.
struct Leaves {
  std::map<std::string, std::pair<std::string, Json>> by_lie;  ///< Lie -> pointer, other value.

  void walk(const Json& value, const std::string& pointer, const std::string& key) {
    if (value.is_structured()) {
      for (const auto& [name, member] : value.items()) {
        walk(member, pointer + "/" + escaped(name), value.is_object() ? name : key);
      }
      return;
    }
    auto other = another_value(key, value);
    if (!other || key == "zone" || key == "type" || key == "role") return;
    const char* lie = value.is_boolean()  ? "flag"
                      : value.is_number() ? "number"
                      : key == "text"     ? "text"
                                          : "word";
    by_lie.try_emplace(lie, pointer, *std::move(other));
    if (key == "stopReason") by_lie.try_emplace(key, pointer, another(key, value));
  }
  static std::string escaped(const std::string& name) {
    std::string text;
    for (const char c : name) text += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    return text;
  }
};

TamperEdit edit_of(Action action, const EventPattern& what) {
  TamperEdit edit;
  edit.action = action;
  edit.what = what;
  return edit;
}

EventPattern pattern_at(const Trace& trace, std::size_t index) {
  EventPattern pattern;
  pattern.kind = trace.events[index].kind();
  pattern.nth = 0;
  for (std::size_t i = 0; i <= index; ++i) {
    pattern.nth += trace.events[i].kind() == pattern.kind ? 1 : 0;
  }
  return pattern;
}

/// All lies about one event of a trace.
class Liar {
 public:
  Liar(const Trace& trace, std::size_t index) : trace_(trace), index_(index) {}

  std::vector<Forgery> lies() {
    const EventPattern what = pattern_of(index_);
    add("drop", edit_of(Action::drop, what));
    add("duplicate", edit_of(Action::duplicate, what));
    swap(what);
    call(what);
    const Json json = to_json(trace_.events[index_]);
    const Json& members = schema_of(what.kind);
    for (const auto& [name, schema] : members.items()) {
      if (!is_common(name)) member(what, name, json.contains(name) ? json[name] : Json(), schema);
    }
    return std::move(lies_);
  }

 private:
  static bool is_common(const std::string& name) {
    constexpr std::array<std::string_view, 6> kCommon{"seq", "at", "src", "kind", "call", "cause"};
    return std::ranges::find(kCommon, name) != kCommon.end();
  }
  static const Json& schema_of(const std::string& kind) {
    static const Json schema = trace_schema();
    return schema["$defs"][kind]["properties"];
  }

  EventPattern pattern_of(std::size_t index) const { return pattern_at(trace_, index); }

  void add(std::string lie, TamperEdit edit) {
    Forgery forgery{edit.what.kind, std::move(lie), {}};
    forgery.tamper.file = "forgery";
    forgery.tamper.edits.push_back(std::move(edit));
    lies_.push_back(std::move(forgery));
  }

  void set(const EventPattern& what, std::string lie, std::string pointer, Json value) {
    TamperEdit edit = edit_of(Action::set, what);
    edit.field = std::move(pointer);
    edit.value = std::move(value);
    add(std::move(lie), std::move(edit));
  }

  void swap(const EventPattern& what) {
    const auto& events = trace_.events;
    for (std::size_t i = index_ + 1; i < events.size(); ++i) {
      if (events[i].call != events[index_].call) continue;
      if (events[i].payload == events[index_].payload) return;
      TamperEdit edit = edit_of(Action::move, what);
      edit.where = pattern_of(i);
      return add("swap", std::move(edit));
    }
  }

  /// The event is said to belong to another call.
  void call(const EventPattern& what) {
    const auto& own = trace_.events[index_].call;
    if (own.empty()) return;
    const auto other = std::ranges::find_if(trace_.events, [&own](const Event& event) {
      return !event.call.empty() && event.call != own;
    });
    set(what, "call", "/call", other == trace_.events.end() ? own + "~" : other->call);
  }

  void member(const EventPattern& what, const std::string& name, const Json& value,
              const Json& schema) {
    const std::string pointer = "/" + name;
    if (value.is_null()) {
      const bool is_text =
          schema.is_object() && schema.contains("type") && schema["type"] == "string";
      if (is_text) set(what, name, pointer, "forged");
      return;
    }
    if (auto other = another_value(name, value)) return set(what, name, pointer, *other);
    Leaves leaves;
    leaves.walk(value, pointer, name);
    for (const auto& [lie, change] : leaves.by_lie) {
      set(what, name + "." + lie, change.first, change.second);
    }
    if (value.is_array() && !value.empty()) {
      Json shorter = value;
      shorter.erase(shorter.size() - 1);
      set(what, name + ".last", pointer, std::move(shorter));
    }
  }

  const Trace& trace_;
  std::size_t index_;
  std::vector<Forgery> lies_;
};

}  // namespace

std::vector<Forgery> forgeries_of(const Trace& trace, std::uint64_t pick) {
  std::map<std::string_view, std::vector<std::size_t>> by_kind;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    by_kind[trace.events[i].kind()].push_back(i);
  }
  std::vector<Forgery> forgeries;
  for (const auto& [kind, indices] : by_kind) {
    auto lies = Liar(trace, indices[pick % indices.size()]).lies();
    std::ranges::move(lies, std::back_inserter(forgeries));
  }
  return forgeries;
}

namespace {

/// An event's kind, and of a hook its event.
std::string name_of(const Event& event) {
  std::string name(event.kind());
  if (const auto* entered = event.as<HookCall>()) name += " " + entered->event;
  if (const auto* returned = event.as<HookReturn>()) name += " " + returned->event;
  return name;
}

/// The events of one call of the trace, as indexes; `pick` chooses the call.
std::vector<std::size_t> events_of_a_call(const Trace& trace, std::uint64_t pick) {
  std::vector<std::string> calls;
  for (const auto& event : trace.events) {
    const bool is_known = std::ranges::find(calls, event.call) != calls.end();
    if (!event.call.empty() && !is_known) calls.push_back(event.call);
  }
  std::vector<std::size_t> places;
  for (std::size_t i = 0; !calls.empty() && i < trace.events.size(); ++i) {
    if (trace.events[i].call == calls[pick % calls.size()]) places.push_back(i);
  }
  return places;
}

}  // namespace

std::vector<Forgery> moves_of(const Trace& trace, std::uint64_t pick) {
  std::vector<Forgery> forgeries;
  const auto places = events_of_a_call(trace, pick);
  for (const auto from : places) {
    for (const auto to : places) {
      const auto& moved = trace.events[from];
      const auto& passed = trace.events[to];
      if (from == to || moved.payload == passed.payload) continue;
      TamperEdit edit = edit_of(TamperEdit::Action::move, pattern_at(trace, from));
      edit.where = pattern_at(trace, to);
      edit.is_before = to < from;
      Forgery forgery{name_of(moved), "past " + name_of(passed), {}};
      forgery.tamper.file = "forgery";
      forgery.tamper.edits.push_back(std::move(edit));
      forgeries.push_back(std::move(forgery));
    }
  }
  return forgeries;
}

namespace {

bool is_noticed(const Trace& forged, const invariants::Catalogue& facts) {
  const auto judgements = invariants::judge(forged, facts);
  return std::ranges::any_of(judgements, [](const invariants::Judgement& one) {
    return one.verdict == invariants::Verdict::fail ||
           one.verdict == invariants::Verdict::harness_error;
  });
}

/// One id for two calls (BATCH-16): what is keyed by an id can not be told apart, so no other rule
/// judges such calls.
bool repeats_an_id(const Scenario& scenario) {
  return std::ranges::any_of(scenario.rules,
                             [](const auto& rule) { return rule.id == "BATCH-16"; });
}

/// Which lies are told of which scenario: whatever others there are.
std::uint64_t place_of(const std::string& lie) {
  std::uint64_t place = 0;
  for (const char c : lie) place = place * 31 + static_cast<unsigned char>(c);
  return place;
}

}  // namespace

std::map<std::string, ForgeryTally> tell_forgeries(std::span<const Scenario> scenarios,
                                                   const Catalogue& catalogue,
                                                   const ForgeryShare& share) {
  std::map<std::string, ForgeryTally> tallies;
  const auto facts = facts_of(catalogue);
  SessionSubject subject;
  for (const auto& scenario : scenarios) {
    if (repeats_an_id(scenario)) continue;
    const auto trace = subject.run(scenario, RunOptions()).trace;
    const auto pick = place_of(scenario.file);
    for (const auto& forgery : share.forge(trace, pick)) {
      const auto name = forgery.kind + " " + forgery.lie;
      if ((pick + place_of(name)) % share.of != 0) continue;
      const auto forged = apply_tamper(trace, forgery.tamper);
      if (!forged || forged->events == trace.events) continue;
      ForgeryTally& tally = tallies[name];
      ++tally.told;
      const bool is_known = share.stops_at_one && !tally.where.empty();
      if (!is_known && !is_noticed(*forged, facts)) tally.where.push_back(scenario.file);
    }
  }
  return tallies;
}

Result<std::map<std::string, std::string>> read_unwatched(const std::string& file) {
  PLUMB_TRY(const auto text, read_source(file, 1 << 20));
  PLUMB_TRY(const auto json, parse_json(text, file));
  std::map<std::string, std::string> reasons;
  for (const auto& [lie, reason] : json.items()) {
    if (reason.is_string()) reasons[lie] = reason.get<std::string>();
    if (!reason.is_object()) continue;
    for (const auto& passed : reason.at("past")) {
      reasons[lie + " past " + passed.get<std::string>()] = reason.at("reason");
    }
  }
  return reasons;
}

}  // namespace plumb::simulator
