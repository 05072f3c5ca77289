// SPDX-License-Identifier: Apache-2.0
// The rules of each family, as tables. `all_rules` strings them together.
#pragma once

#include <vector>

#include "simulator/invariants/rule.h"

namespace plumb::invariants {

std::vector<Rule> event_rules();
std::vector<Rule> lifecycle_rules();
std::vector<Rule> batch_rules();
std::vector<Rule> batch_outcome_rules();
std::vector<Rule> pairing_rules();
std::vector<Rule> result_rules();
std::vector<Rule> cause_rules();
std::vector<Rule> abort_rules();
std::vector<Rule> pipe_rules();
std::vector<Rule> coercion_rules();
std::vector<Rule> schema_rules();
std::vector<Rule> hook_rules();
std::vector<Rule> result_hook_rules();
std::vector<Rule> registry_rules();
std::vector<Rule> registry_change_rules();
std::vector<Rule> filter_rules();
std::vector<Rule> tool_rules();
std::vector<Rule> tool_life_rules();
std::vector<Rule> tool_use_rules();
std::vector<Rule> active_rules();
std::vector<Rule> selection_rules();
std::vector<Rule> prompt_tool_rules();
std::vector<Rule> prompt_form_rules();
std::vector<Rule> cache_rules();
std::vector<Rule> edit_rules();
std::vector<Rule> edit_text_rules();
std::vector<Rule> edit_step_rules();
std::vector<Rule> edit_bytes_rules();
std::vector<Rule> edit_argument_rules();
std::vector<Rule> edit_answer_rules();
std::vector<Rule> file_change_rules();
std::vector<Rule> write_rules();
std::vector<Rule> queue_rules();
std::vector<Rule> queue_key_rules();
std::vector<Rule> reentry_rules();
std::vector<Rule> read_rules();
std::vector<Rule> read_window_rules();
std::vector<Rule> read_answer_rules();
std::vector<Rule> picture_rules();
std::vector<Rule> host_file_rules();
std::vector<Rule> bash_rules();
std::vector<Rule> bash_start_rules();
std::vector<Rule> bash_output_rules();
std::vector<Rule> grep_rules();
std::vector<Rule> find_rules();
std::vector<Rule> ls_rules();
std::vector<Rule> builtin_rules();
std::vector<Rule> message_event_rules();
std::vector<Rule> turn_rules();
std::vector<Rule> dispatch_rules();
std::vector<Rule> drain_rules();
std::vector<Rule> chain_rules();
std::vector<Rule> guard_rules();
std::vector<Rule> preparation_rules();

std::vector<RelationRule> relation_rules();

}  // namespace plumb::invariants
