// SPDX-License-Identifier: Apache-2.0
#include "simulator/invariants/evidence.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace plumb::invariants {
namespace {

class CheckedRun final : public Checker {
 public:
  CheckedRun(std::unique_ptr<Checker> inner, const RunCheck& check)
      : inner_(std::move(inner)), check_(check) {}

  void see(const Event& event, const Story& story, Report& report) override {
    inner_->see(event, story, report);
  }
  void finish(const Story& story, Report& report) override {
    inner_->finish(story, report);
    check_.check(story, report);
  }

 private:
  std::unique_ptr<Checker> inner_;
  RunCheck check_;
};

void add_check(Rule& rule, const RunCheck& check) {
  rule.how += "; " + std::string(check.how);
  rule.start = [start = std::move(rule.start), check] {
    return std::make_unique<CheckedRun>(start(), check);
  };
}

}  // namespace

bool is_live(const Story& story) {
  return story.header.determinism == Determinism::live;
}

bool shows_kind(const Story& story, EventName kind) {
  return story.emitted[kind.index()];
}

std::vector<Rule> with_run_checks(std::vector<Rule> rules) {
  for (const auto& checks : {agreement_checks(), file_checks(), order_checks(), process_checks()}) {
    for (const auto& check : checks) {
      const auto rule = std::ranges::find(rules, check.rule, &Rule::id);
      PLUMB_ASSERT(rule != rules.end());
      add_check(*rule, check);
    }
  }
  return rules;
}

}  // namespace plumb::invariants
