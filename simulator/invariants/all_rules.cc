// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/evidence.h"
#include "simulator/invariants/judge.h"

namespace plumb::invariants {
namespace {

std::vector<Rule> join_domains() {
  const std::array domains{event_rules,
                           lifecycle_rules,
                           batch_rules,
                           pairing_rules,
                           result_rules,
                           cause_rules,
                           abort_rules,
                           pipe_rules,
                           schema_rules,
                           hook_rules,
                           result_hook_rules,
                           registry_rules,
                           filter_rules,
                           tool_rules,
                           active_rules,
                           cache_rules,
                           edit_rules,
                           edit_text_rules,
                           edit_step_rules,
                           queue_rules,
                           read_rules,
                           builtin_rules,
                           message_event_rules,
                           turn_rules,
                           dispatch_rules,
                           drain_rules,
                           chain_rules,
                           guard_rules,
                           preparation_rules,
                           edit_bytes_rules,
                           edit_argument_rules,
                           edit_answer_rules,
                           file_change_rules,
                           write_rules,
                           queue_key_rules,
                           read_window_rules,
                           read_answer_rules,
                           picture_rules,
                           host_file_rules,
                           bash_rules,
                           bash_output_rules,
                           bash_start_rules,
                           reentry_rules,
                           coercion_rules,
                           prompt_tool_rules,
                           registry_change_rules,
                           tool_life_rules,
                           tool_use_rules,
                           selection_rules,
                           prompt_form_rules,
                           grep_rules,
                           find_rules,
                           ls_rules};
  std::vector<Rule> rules;
  for (const auto domain : domains) {
    for (auto& rule : domain()) rules.push_back(std::move(rule));
  }
  return with_run_checks(std::move(rules));
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
