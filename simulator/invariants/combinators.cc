// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "simulator/invariants/edit_case.h"
#include "simulator/invariants/rule.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

/// A plan for the subjects that the story keeps in this list.
template <class T, auto kList>
EachPlan<T> plan_for(const std::string& id, const std::string& how) {
  EachPlan<T> plan;
  plan.id = id;
  plan.how = how;
  plan.subjects = [](const Story& story) { return std::span<const T* const>(story.*kList); };
  return plan;
}

/// Keeps the events of a kind and judges them when the whole story is known.
class KindChecker final : public Checker {
 public:
  explicit KindChecker(std::shared_ptr<const EachPlan<Event>> plan) : plan_(std::move(plan)) {}

  void see(const Event& event, const Story&, Report&) override { events_.push_back(&event); }

  void finish(const Story& story, Report& report) override {
    for (const Event* event : events_) {
      if (is_met(*event, story)) judge(*event, story, report);
    }
  }

 private:
  bool is_met(const Event& event, const Story& story) const {
    return std::ranges::all_of(plan_->conditions,
                               [&](const auto& condition) { return condition(event, story); });
  }
  void judge(const Event& event, const Story& story, Report& report) const {
    report.trigger();
    for (const auto& expectation : plan_->expectations) report.complain(expectation(event, story));
  }

  // Shared: the table's plan serves every run.
  std::shared_ptr<const EachPlan<Event>> plan_;
  std::vector<const Event*> events_;
};

Complaint has_count(const Call& call, EventName name, std::int64_t min, std::int64_t max) {
  const auto number = count(call, name);
  if (number >= min && number <= max) return std::nullopt;
  Finding found =
      finding("call " + call.id + " has " + std::to_string(number) + " " + std::string(name.text()),
              number > max          ? last(call, name)
              : call.events.empty() ? nullptr
                                    : call.events.back());
  found.expected = std::to_string(min == max ? min : max);
  found.actual = std::to_string(number);
  return found;
}

Complaint are_in_order(const Call& call, const Story& story, const std::vector<EventName>& names,
                       bool may_lack) {
  const Event* earlier = nullptr;
  for (const auto name : names) {
    const Event* event = first(call, name);
    if (event == nullptr && may_lack) continue;
    if (event == nullptr) {
      return contrast("call " + call.id + " has no " + std::string(name.text()),
                      std::string(name.text()) + " of call " + call.id, "none",
                      call.events.empty() ? nullptr : call.events.back());
    }
    if (auto complaint = before(earlier, event, story)) return complaint;
    earlier = event;
  }
  return std::nullopt;
}

Complaint none_after(const Call& call, const Story& story, EventName name, EventName limit) {
  const Event* end = first(call, limit);
  if (end == nullptr) return std::nullopt;
  for (const Event* event : all(call, name)) {
    if (auto complaint = before(event, end, story)) return complaint;
  }
  return std::nullopt;
}

Complaint lie_between(const Call& call, const Story& story, EventName name, EventName from,
                      EventName to) {
  const Event* opening = first(call, from);
  const Event* closing = last(call, to);
  for (const Event* event : all(call, name)) {
    if (opening == nullptr)
      return finding(std::string(name.text()) + " without " + std::string(from.text()), event);
    if (auto complaint = before(opening, event, story)) return complaint;
    if (auto complaint = before(event, closing, story)) return complaint;
  }
  return std::nullopt;
}

/// The tool that an event names; null for kinds that name none.
const std::string* tool_in(const Event& event) {
  if (const auto* start = event.as<ToolExecutionStart>()) return &start->name;
  if (const auto* update = event.as<ToolExecutionUpdate>()) return &update->name;
  if (const auto* end = event.as<ToolExecutionEnd>()) return &end->name;
  if (const auto* begin = event.as<ExecuteBegin>()) return &begin->name;
  const auto* settled = event.as<ExecuteEnd>();
  return settled == nullptr ? nullptr : &settled->name;
}

Complaint name_one_tool(const Call& call) {
  const std::string* agreed = call.name.empty() ? nullptr : &call.name;
  for (const Event* event : call.events) {
    const std::string* name = tool_in(*event);
    if (name == nullptr) continue;
    if (agreed == nullptr) agreed = name;
    if (*name == *agreed) continue;
    return differ("events of call " + call.id + " disagree in name", Json(*agreed), Json(*name),
                  event);
  }
  return std::nullopt;
}

}  // namespace

void Report::complain(Complaint complaint) {
  if (!complaint) return;
  if (complaint->is_unknowable) {
    unknowable_ = complaint->message;
  } else if (findings_.size() < kFindingsMax) {
    findings_.push_back(std::move(*complaint));
  }
}

CallRule RuleStart::for_each_call() const {
  return CallRule(plan_for<Call, &Story::judged_calls>(id_, how_));
}

EachRule<Batch> RuleStart::for_each_batch() const {
  return EachRule<Batch>(plan_for<Batch, &Story::judged_batches>(id_, how_));
}

EachRule<Request> RuleStart::for_each_request() const {
  return EachRule<Request>(plan_for<Request, &Story::judged_requests>(id_, how_));
}

EachRule<Request> RuleStart::for_each_prompt() const {
  auto plan = plan_for<Request, &Story::judged_requests>(id_, how_);
  plan.repeats = [](const Request& request) { return request.repeats_prompt; };
  return EachRule<Request>(std::move(plan));
}

EventRule RuleStart::for_each(std::string_view kind) const {
  EachPlan<Event> plan;
  plan.id = id_;
  plan.how = how_;
  return EventRule(std::move(plan), kind);
}

EachRule<EditCase> RuleStart::for_each_edit() const {
  return EachRule<EditCase>(plan_for<EditCase, &Story::judged_edits>(id_, how_));
}

EachRule<Story> RuleStart::for_the_run() const {
  return EachRule<Story>(plan_for<Story, &Story::itself>(id_, how_));
}

EventRule::operator Rule() const {
  auto shared = std::make_shared<const EachPlan<Event>>(plan());
  return Rule{
      shared->id, shared->how, {kind_}, [shared] { return std::make_unique<KindChecker>(shared); }};
}

CallRule& CallRule::among(std::initializer_list<Occasion> occasions) {
  for (const auto occasion : occasions) plan().occasions[occasion.index()] = true;
  return *this;
}

CallRule& CallRule::when(Condition<Call> condition) {
  EachRule<Call>::when(std::move(condition));
  return *this;
}

CallRule& CallRule::expect(Expectation<Call> expectation) {
  EachRule<Call>::expect(std::move(expectation));
  return *this;
}

CallRule& CallRule::exactly_one(EventName name) {
  return expect([name](const Call& call, const Story&) { return has_count(call, name, 1, 1); });
}

CallRule& CallRule::at_most_one(EventName name) {
  return expect([name](const Call& call, const Story&) { return has_count(call, name, 0, 1); });
}

CallRule& CallRule::none(EventName name) {
  return expect([name](const Call& call, const Story&) { return has_count(call, name, 0, 0); });
}

CallRule& CallRule::order(std::vector<EventName> names) {
  return expect([names = std::move(names)](const Call& call, const Story& story) {
    return are_in_order(call, story, names, false);
  });
}

CallRule& CallRule::order_of_present(std::vector<EventName> names) {
  return expect([names = std::move(names)](const Call& call, const Story& story) {
    return are_in_order(call, story, names, true);
  });
}

CallRule& CallRule::never_after(EventName name, EventName limit) {
  return expect([name, limit](const Call& call, const Story& story) {
    return none_after(call, story, name, limit);
  });
}

CallRule& CallRule::only_between(EventName name, EventName from, EventName to) {
  return expect([=](const Call& call, const Story& story) {
    return lie_between(call, story, name, from, to);
  });
}

CallRule& CallRule::same_tool() {
  return expect([](const Call& call, const Story&) { return name_one_tool(call); });
}

}  // namespace plumb::invariants
