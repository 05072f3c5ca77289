// SPDX-License-Identifier: Apache-2.0
#include "simulator/invariants/judge.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <compare>
#include <iterator>
#include <memory>
#include <numeric>
#include <utility>

#include "simulator/invariants/other_orders.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

constexpr std::array<std::string_view, 6> kVerdicts{
    "pass", "fail", "not_triggered", "untestable", "not_applicable", "harness_error"};

/// Names that the catalogue uses for the kinds of a trace (DESIGN.md, section 5).
constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kAliases{{
    {"tool_call", "hook_call"},
    {"tool_result", "hook_call"},
    {"hook", "hook_call"},
    {"exec_start", "execute_begin"},
    {"exec_end", "execute_end"},
    {"user_input", "input"},
    {"steer", "step"},
    {"follow_up", "step"},
    {"queue_update", "step"},
    {"store_state", "session_entry"},
    {"registry", "registry_refresh"},
    {"active_tools", "active_set"},
    {"file_state", "final_files"},
    {"approval", "notify"},
    {"backend_effect", "file_op"},
}};

bool names(const std::vector<std::string>& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

std::size_t kind_index(std::string_view kind) {
  const auto found = std::ranges::find(kEventKinds, kind);
  PLUMB_ASSERT(found != kEventKinds.end());
  return static_cast<std::size_t>(found - kEventKinds.begin());
}

constexpr std::size_t kNameCount = kEventKindCount + kAliases.size();

/// The kind's index, or that of an alias behind them, or kNameCount.
std::size_t place_of_name(std::string_view name) {
  const auto* kind = std::ranges::find(kEventKinds, name);
  if (kind != kEventKinds.end()) return static_cast<std::size_t>(kind - kEventKinds.begin());
  const auto* alias = std::ranges::find(kAliases, name, [](const auto& one) { return one.first; });
  return kEventKindCount + static_cast<std::size_t>(alias - kAliases.begin());
}

/// What a subject can show, by all names of it.
class Emitted {
 public:
  explicit Emitted(const TraceHeader& header) : header_(header) {
    for (const auto& kind : header.emits) {
      const std::size_t place = place_of_name(kind);
      if (place < kEventKindCount) shown_[place] = true;
    }
    for (std::size_t i = 0; i < kAliases.size(); ++i) {
      shown_[kEventKindCount + i] = shown_[kind_index(kAliases[i].second)];
    }
  }
  bool has(const NeededKind& need) const {
    return need.place() < kNameCount ? shown_[need.place()] : names(header_.emits, need.name());
  }

 private:
  const TraceHeader& header_;
  std::bitset<kNameCount> shown_;
};

/// What the catalogue says of each rule, in the order of `all_rules`; null for unknown ones. Both
/// are walked once, by id.
std::vector<const RuleFacts*> facts_of_rules(const Catalogue& catalogue) {
  static const std::vector<std::size_t> kById = [] {
    std::vector<std::size_t> places(all_rules().size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::ranges::sort(places, {}, [](std::size_t place) { return all_rules()[place].id; });
    return places;
  }();
  std::vector<const RuleFacts*> facts(all_rules().size(), nullptr);
  auto known = catalogue.begin();
  for (const auto place : kById) {
    const auto& id = all_rules()[place].id;
    auto order = std::strong_ordering::less;
    while (known != catalogue.end() && (order = known->first <=> id) < 0) ++known;
    if (known != catalogue.end() && order == 0) facts[place] = &known->second;
  }
  return facts;
}

/// Why the rule can not be judged on this trace; an empty reason if it can. `facts` may be null.
Judgement precheck(const std::string& id, const RuleFacts* facts, const TraceHeader& header,
                   const Emitted& emitted) {
  if (facts == nullptr) return {id, Verdict::pass, "", {}};
  const auto& [needs, editions, engines, excused_by] = *facts;
  if (!editions.empty() && !names(editions, header.edition)) {
    return {id, Verdict::not_applicable, "not a rule of edition " + header.edition, {}};
  }
  if (!engines.empty() && !names(engines, "any") && !names(engines, header.engine)) {
    return {id, Verdict::not_applicable, "not a rule of engine " + header.engine, {}};
  }
  for (const auto& need : needs) {
    if (emitted.has(need)) continue;
    return {id, Verdict::untestable, "the subject does not emit " + need.name(), {}};
  }
  return {id, Verdict::pass, "", {}};
}

/// A rule that is being judged.
struct Running {
  const Rule* rule;
  std::unique_ptr<Checker> checker;
  Report report;
};

/// What comes of a rule that could be judged.
void conclude(Judgement& judgement, const Report& report) {
  judgement.trigger_count = report.trigger_count();
  judgement.findings = report.findings();
  if (!report.findings().empty()) {
    judgement.verdict = Verdict::fail;
  } else if (!report.unknowable().empty()) {
    judgement.verdict = Verdict::untestable;
    judgement.reason = report.unknowable();
  } else if (!report.is_triggered()) {
    judgement.verdict = Verdict::not_triggered;
    judgement.reason = "nothing in the run exercised the rule";
  }
}

/// What broke the rule may have an excuse that the subject cannot show.
void excuse(Judgement& judgement, const Emitted& emitted, const Catalogue& catalogue) {
  if (judgement.verdict != Verdict::fail) return;
  const auto facts = catalogue.find(judgement.id);
  if (facts == catalogue.end()) return;
  for (const auto& kind : facts->second.excused_by) {
    if (emitted.has(kind)) continue;
    judgement = {judgement.id, Verdict::untestable, "the subject does not emit " + kind, {}};
    return;
  }
}

/// The indexes of the kinds that each rule subscribes to, in the order of `all_rules`: names are
/// looked up once, not for every trace.
const std::vector<std::vector<std::size_t>>& subscriptions() {
  static const std::vector<std::vector<std::size_t>> kSubscriptions = [] {
    std::vector<std::vector<std::size_t>> lists;
    for (const auto& rule : all_rules()) {
      auto& list = lists.emplace_back();
      for (const auto kind : rule.kinds) list.push_back(kind_index(kind));
    }
    return lists;
  }();
  return kSubscriptions;
}

/// The walk: every event once, to the story and to those who subscribed to its kind.
void walk(const Trace& trace, Story& story, std::vector<Running>& running) {
  std::array<std::vector<Running*>, kEventKindCount> subscribers;
  for (auto& one : running) {
    const auto place = static_cast<std::size_t>(one.rule - all_rules().data());
    for (const auto kind : subscriptions()[place]) subscribers[kind].push_back(&one);
  }
  StoryTeller teller(story);
  for (const auto& event : trace.events) {
    teller.see(event);
    for (auto* one : subscribers[event.payload.index()]) {
      one->checker->see(event, story, one->report);
    }
  }
  story.finish();
  for (auto& one : running) one.checker->finish(story, one.report);
}

/// The rule on another order of the trace, which is the one to look at now, not one of several.
Judgement judge_order(Trace& order, const std::string& rule, const Catalogue& catalogue) {
  order.header.determinism = Determinism::hermetic;
  auto judgement = std::move(judge(order, catalogue, {.rules = {rule}}).front());
  order.header.determinism = Determinism::live;
  return judgement;
}

/// Where an order may matter to a finding: its events, and all of the call that it is about.
std::vector<std::int64_t> places_of(const Finding& finding, const Trace& trace) {
  std::vector<std::int64_t> places{finding.seq};
  places.insert(places.end(), finding.related.begin(), finding.related.end());
  if (finding.seq < 0 || finding.seq >= std::ssize(trace.events)) return places;
  const auto& call = trace.events[static_cast<std::size_t>(finding.seq)].call;
  for (const auto& event : trace.events) {
    if (!call.empty() && event.call == call) places.push_back(event.seq);
  }
  return places;
}

/// A step to an order of the trace, by moving what stands at `place`, in which the rule has less to
/// say against it, if there is one.
bool find_better_order(std::int64_t place, Trace& trace, Judgement& judgement,
                       const Catalogue& catalogue) {
  for (auto& [order, is_of_abort] : other_orders(trace, place)) {
    auto again = judge_order(order, judgement.id, catalogue);
    // An order that takes the rule's occasions away says nothing, unless they hang on an abort.
    if (again.trigger_count < judgement.trigger_count && !is_of_abort) continue;
    if (again.findings.size() >= judgement.findings.size()) continue;
    trace = std::move(order);
    judgement = std::move(again);
    return true;
  }
  return false;
}

/// The same, by moving whatever a finding is about.
bool find_better_order(Trace& trace, Judgement& judgement, const Catalogue& catalogue) {
  std::vector<std::int64_t> places;
  for (const auto& finding : judgement.findings) {
    std::ranges::copy(places_of(finding, trace), std::back_inserter(places));
  }
  return std::ranges::any_of(places, [&](const auto place) {
    return find_better_order(place, trace, judgement, catalogue);
  });
}

/// A live trace shows one order of several that there may have been: a rule that does not fail in
/// another of them cannot be told to be broken.
void settle_orders(const Trace& trace, const Catalogue& catalogue,
                   std::vector<Judgement>& judgements) {
  if (trace.header.determinism != Determinism::live) return;
  for (auto& judgement : judgements) {
    if (judgement.verdict != Verdict::fail) continue;
    Trace order = trace;
    Judgement best = judgement;
    while (best.verdict == Verdict::fail && find_better_order(order, best, catalogue)) continue;
    if (best.verdict == Verdict::fail) continue;
    judgement = {
        judgement.id, Verdict::untestable, "it depends on an order that no cause settles", {}};
  }
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  return kVerdicts[static_cast<std::size_t>(verdict)];
}

NeededKind::NeededKind(std::string name) : name_(std::move(name)), place_(place_of_name(name_)) {}

std::string_view kind_of_need(std::string_view need) {
  for (const auto& [alias, kind] : kAliases) {
    if (alias == need) return kind;
  }
  return need;
}

std::vector<Judgement> judge(const Trace& trace, const Catalogue& catalogue,
                             const JudgeOptions& options) {
  std::vector<Judgement> judgements;
  std::vector<Running> running;
  std::vector<std::size_t> places;
  const Emitted emitted(trace.header);
  const auto facts = facts_of_rules(catalogue);
  judgements.reserve(facts.size());
  running.reserve(facts.size());
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const auto& rule = all_rules()[i];
    if (!options.rules.empty() && !names(options.rules, rule.id)) continue;
    judgements.push_back(precheck(rule.id, facts[i], trace.header, emitted));
    if (judgements.back().verdict != Verdict::pass) continue;
    places.push_back(judgements.size() - 1);
    running.push_back(Running{&rule, rule.start(), {}});
  }
  Story story(trace.header);
  story.asks_of_all = options.asks_of_all;
  walk(trace, story, running);
  for (std::size_t i = 0; i < running.size(); ++i) {
    Judgement& judgement = judgements[places[i]];
    if (story.damage.empty()) {
      conclude(judgement, running[i].report);
    } else {
      judgement.verdict = Verdict::harness_error;
      judgement.reason = story.damage;
    }
    excuse(judgement, emitted, catalogue);
  }
  settle_orders(trace, catalogue, judgements);
  return judgements;
}

Judgement judge_relation(const RelationRule& rule, std::span<const Trace> traces,
                         const Catalogue& catalogue) {
  if (traces.size() < 2) {
    return {rule.id, Verdict::not_triggered, "fewer than two variants ran", {}};
  }
  const TraceHeader& header = traces.front().header;
  const auto facts = catalogue.find(rule.id);
  const Emitted emitted(header);
  auto judgement =
      precheck(rule.id, facts == catalogue.end() ? nullptr : &facts->second, header, emitted);
  if (judgement.verdict != Verdict::pass) return judgement;
  if (rule.condition && !rule.condition(traces.front())) {
    return {rule.id, Verdict::not_triggered, "the first variant does not exercise it", {}};
  }
  const Json first = rule.view(traces.front());
  Report report;
  report.trigger();
  for (std::size_t i = 1; i < traces.size(); ++i) {
    report.complain(differ("variant " + std::to_string(i) + " differs from variant 0", first,
                           rule.view(traces[i]), nullptr));
  }
  conclude(judgement, report);
  excuse(judgement, emitted, catalogue);
  return judgement;
}

}  // namespace plumb::invariants
