// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/judge.h"

namespace plumb::invariants {
namespace {

std::vector<Rule> join_domains() {
  const std::array domains{event_rules,  lifecycle_rules, batch_rules,        pairing_rules,
                           result_rules, cause_rules,     abort_rules,        pipe_rules,
                           schema_rules, hook_rules,      result_hook_rules,  registry_rules,
                           filter_rules, tool_rules,      active_rules,       cache_rules,
                           edit_rules,   edit_text_rules, edit_step_rules,    queue_rules,
                           read_rules,   builtin_rules,   message_event_rules};
  std::vector<Rule> rules;
  for (const auto domain : domains) {
    for (auto& rule : domain()) rules.push_back(std::move(rule));
  }
  return rules;
}

}  // namespace

const std::vector<Rule>& all_rules() {
  static const std::vector<Rule> rules = join_domains();
  return rules;
}

const std::vector<RelationRule>& all_relations() {
  static const std::vector<RelationRule> relations = relation_rules();
  return relations;
}

}  // namespace plumb::invariants
