// SPDX-License-Identifier: Apache-2.0
// The rules of each family, as tables. `all_rules` strings them together.
#pragma once

#include <vector>

#include "simulator/invariants/rule.h"

namespace plumb::invariants {

std::vector<Rule> event_rules();
std::vector<Rule> lifecycle_rules();
std::vector<Rule> batch_rules();
std::vector<Rule> pairing_rules();
std::vector<Rule> result_rules();
std::vector<Rule> cause_rules();
std::vector<Rule> abort_rules();
std::vector<Rule> pipe_rules();
std::vector<Rule> schema_rules();
std::vector<Rule> hook_rules();
std::vector<Rule> result_hook_rules();
std::vector<Rule> registry_rules();
std::vector<Rule> filter_rules();
std::vector<Rule> tool_rules();
std::vector<Rule> active_rules();
std::vector<Rule> cache_rules();
std::vector<Rule> edit_rules();
std::vector<Rule> edit_text_rules();
std::vector<Rule> edit_step_rules();
std::vector<Rule> queue_rules();
std::vector<Rule> read_rules();
std::vector<Rule> builtin_rules();
std::vector<Rule> message_event_rules();

std::vector<RelationRule> relation_rules();

}  // namespace plumb::invariants
