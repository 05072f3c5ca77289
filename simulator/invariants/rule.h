// SPDX-License-Identifier: Apache-2.0
// A rule as code: an id, one line on what is compared, and a check that judges a trace. Checks are
// put together from the combinators below; a class only where state needs it. A check holds no
// reference to an engine, sees each event once and knows whether the trace exercised it at all.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "simulator/invariants/finding.h"
#include "simulator/invariants/story.h"

namespace plumb::invariants {

/// A rule names at most this many findings of a run; the rest repeats them.
inline constexpr std::size_t kFindingsMax = 16;

/// What a check has to say about one run.
class Report {
 public:
  /// The premise of the rule occurred: without it there is nothing to pass.
  void trigger() { ++trigger_count_; }
  /// Keeps a finding; one that is unknowable makes the rule untestable instead of failed.
  void complain(Complaint complaint);

  bool is_triggered() const { return trigger_count_ > 0; }
  std::int64_t trigger_count() const { return trigger_count_; }
  const std::string& unknowable() const { return unknowable_; }
  const std::vector<Finding>& findings() const { return findings_; }

 private:
  std::int64_t trigger_count_ = 0;
  std::string unknowable_;
  std::vector<Finding> findings_;
};

/// One rule at work on one trace.
class Checker {
 public:
  virtual ~Checker() = default;
  /// An event of a subscribed kind; `story` already knows it.
  virtual void see(const Event& /*event*/, const Story& /*story*/, Report& /*report*/) {}
  /// The trace is over.
  virtual void finish(const Story& /*story*/, Report& /*report*/) {}
};

/// `how`: what is compared and what triggers it, for people. `kinds`: what `see` subscribes to.
struct Rule {
  std::string id;
  std::string how;
  std::vector<std::string_view> kinds;
  std::function<std::unique_ptr<Checker>()> start;
};

template <class T>
using Condition = std::function<bool(const T&, const Story&)>;
template <class T>
using Expectation = std::function<Complaint(const T&, const Story&)>;
/// All subjects of a kind in a trace: lists that the story keeps.
template <class T>
using Subjects = std::span<const T* const> (*)(const Story&);

/// "For each such thing, when ..., expect ...": triggered by the first subject that all conditions
/// accept. `repeats`, if given: the subject is the one before it, as far as this rule looks; then
/// it is passed over, provided that nothing was wrong with that one. `occasions`, of calls: without
/// one of these no condition would hold, so that nobody asks; none: all do.
template <class T>
struct EachPlan {
  std::string id;
  std::string how;
  Subjects<T> subjects = nullptr;
  bool (*repeats)(const T&) = nullptr;
  Occasions occasions;
  std::vector<Condition<T>> conditions;
  std::vector<Expectation<T>> expectations;
};

template <class T>
class EachChecker final : public Checker {
 public:
  explicit EachChecker(std::shared_ptr<const EachPlan<T>> plan) : plan_(std::move(plan)) {}

  void finish(const Story& story, Report& report) override {
    bool is_sound = false;
    const bool asks_all = plan_->occasions.none() || story.asks_of_all;
    if (!asks_all && !is_among(story.occasions_of_calls)) return;
    for (const T* subject : plan_->subjects(story)) {
      if (!asks_all && !is_occasion(*subject)) continue;
      if (is_sound && plan_->repeats != nullptr && plan_->repeats(*subject)) continue;
      is_sound = !is_met(*subject, story) || judge(*subject, story, report);
    }
  }

 private:
  bool is_among(const Occasions& some) const { return (plan_->occasions & some).any(); }
  bool is_occasion(const Call& call) const { return is_among(call.occasions); }
  bool is_occasion(const auto&) const { return true; }  // Only calls have occasions.

  bool is_met(const T& subject, const Story& story) const {
    for (const auto& condition : plan_->conditions) {
      if (!condition(subject, story)) return false;
    }
    return true;
  }
  /// Whether all is as expected.
  bool judge(const T& subject, const Story& story, Report& report) const {
    report.trigger();
    bool is_sound = true;
    for (const auto& expectation : plan_->expectations) {
      Complaint complaint = expectation(subject, story);
      is_sound = is_sound && !complaint;
      if (complaint) report.complain(std::move(complaint));
    }
    return is_sound;
  }

  // Shared: the table's plan serves every run.
  std::shared_ptr<const EachPlan<T>> plan_;
};

template <class T>
class EachRule {
 public:
  explicit EachRule(EachPlan<T> plan) : plan_(std::move(plan)) {}

  EachRule& when(Condition<T> condition) {
    plan_.conditions.push_back(std::move(condition));
    return *this;
  }
  EachRule& expect(Expectation<T> expectation) {
    plan_.expectations.push_back(std::move(expectation));
    return *this;
  }

  /// Implicit, so that a domain's rules read as a table.
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator Rule() const {
    auto plan = std::make_shared<const EachPlan<T>>(plan_);
    return Rule{.id = plan->id, .how = plan->how, .kinds = {}, .start = [plan] {
                  return std::make_unique<EachChecker<T>>(plan);
                }};
  }

 protected:
  const EachPlan<T>& plan() const { return plan_; }
  EachPlan<T>& plan() { return plan_; }

 private:
  EachPlan<T> plan_;
};

class CallRule;
class EventRule;
struct EditCase;

/// The start of a rule's sentence.
class RuleStart {
 public:
  RuleStart(std::string id, std::string how) : id_(std::move(id)), how_(std::move(how)) {}

  CallRule for_each_call() const;
  EachRule<Batch> for_each_batch() const;
  EachRule<Request> for_each_request() const;
  /// Every request whose prompt, declarations or their sources differ from those of the last one:
  /// for rules that look at nothing else.
  EachRule<Request> for_each_prompt() const;
  /// Every event of a kind.
  EventRule for_each(std::string_view kind) const;
  /// Every call of the built-in edit, beside what must become of it.
  EachRule<EditCase> for_each_edit() const;
  /// The trace as a whole, once.
  EachRule<Story> for_the_run() const;
  /// A class, for what needs state.
  template <class T>
  Rule by(std::vector<std::string_view> kinds) const {
    return Rule{id_, how_, std::move(kinds), [] { return std::make_unique<T>(); }};
  }

 private:
  std::string id_;
  std::string how_;
};

inline RuleStart rule(std::string id, std::string how) {
  return {std::move(id), std::move(how)};
}

/// Sentences about the events of one call.
class CallRule final : public EachRule<Call> {
 public:
  using EachRule<Call>::EachRule;

  /// The only calls that can be meant: those with one of these events or traits.
  CallRule& among(std::initializer_list<Occasion> occasions);
  CallRule& when(Condition<Call> condition);
  CallRule& expect(Expectation<Call> expectation);
  CallRule& exactly_one(EventName name);
  CallRule& at_most_one(EventName name);
  CallRule& none(EventName name);
  /// Each occurs, and the first of each come in this order.
  CallRule& order(std::vector<EventName> names);
  /// The first of each, as far as they occur, come in this order.
  CallRule& order_of_present(std::vector<EventName> names);
  /// No `name` after the first `limit`.
  CallRule& never_after(EventName name, EventName limit);
  /// Each `name` lies after the first `from` and before the last `to`.
  CallRule& only_between(EventName name, EventName from, EventName to);
  /// All events of the call that name a tool name the same one.
  CallRule& same_tool();
};

/// Sentences about single events, judged once the whole trace is known.
class EventRule final : public EachRule<Event> {
 public:
  EventRule(EachPlan<Event> plan, std::string_view kind)
      : EachRule<Event>(std::move(plan)), kind_(kind) {}

  EventRule& when(Condition<Event> condition) {
    EachRule<Event>::when(std::move(condition));
    return *this;
  }
  EventRule& expect(Expectation<Event> expectation) {
    EachRule<Event>::expect(std::move(expectation));
    return *this;
  }
  // NOLINTNEXTLINE(google-explicit-constructor): as EachRule.
  operator Rule() const;

 private:
  std::string_view kind_;
};

/// A rule about several runs: variants of one scenario. `view` is what has to be equal in all.
struct RelationRule {
  std::string id;
  std::string how;
  std::string variants;
  /// Whether the first run exercises the rule; empty: always.
  std::function<bool(const Trace&)> condition;
  std::function<Json(const Trace&)> view;
};

class RelationStart {
 public:
  RelationStart(std::string id, std::string how)
      : rule_{std::move(id), std::move(how), {}, {}, {}} {}

  /// Which variants exercise the rule, as scenarios name them.
  RelationStart& variants(std::string text) {
    rule_.variants = std::move(text);
    return *this;
  }
  RelationStart& when(std::function<bool(const Trace&)> condition) {
    rule_.condition = std::move(condition);
    return *this;
  }
  RelationRule equal(std::function<Json(const Trace&)> view) {
    rule_.view = std::move(view);
    return rule_;
  }

 private:
  RelationRule rule_;
};

inline RelationStart relation(std::string id, std::string how) {
  return {std::move(id), std::move(how)};
}

}  // namespace plumb::invariants
