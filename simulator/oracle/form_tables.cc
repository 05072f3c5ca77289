// SPDX-License-Identifier: Apache-2.0
#include "simulator/oracle/form_tables.h"

#include <algorithm>
#include <array>

namespace plumb::simulator {
namespace {

constexpr std::string_view kCallExpect =
    "class:string content:array details:any structured:any transcript_input_after:any "
    "output_file:object updates:object first_update_blocks:count within_ms:ms "
    "last_update_ends:string update_gap_ms_min:ms updates_grow:bool "
    "update_truncated_by:any update_output_file:any value:any";
constexpr std::string_view kListingExpect =
    "log:any extensions:any errors:any warnings:any scopes:any skills:any prompts:any "
    "prompt_diagnostics:any system:any context:any sessionDir:any trusted:any";
constexpr std::string_view kQueryExpect =
    "class:string leaf:any leaf_data:any branch:any entries:any roots:any children:any "
    "branch_of:any roles:any texts:any context_entries:any label:any name:any model:any "
    "thinking:any state:any entry:any lacks:any lines:any header_keys:any header:any "
    "patterns:any entry_keys:any chain:any ends_with_newline:any session_id:any checkpoint:any "
    "id_differs_from:any";
constexpr std::string_view kTreeExpect =
    "class:string message:any result:any events:any leaf:any branch:any factory_calls:any";
constexpr std::string_view kClassExpect = "class:string";

constexpr std::array<OperationForm, 39> kOperations{{
    {"call", "tool:string! input:any! as:name options:object context:object", kCallExpect},
    {"start", "as:name! tool:string input:any options:object context:object job:object",
     kCallExpect},
    {"join", "calls:strings! limit_ms:ms", ""},
    {"wait", "ms:ms!", ""},
    {"fs",
     "do:string! path:string! text:string extension:object to:string target:string replace:bool",
     ""},
    {"inject", "call:string! operation:string! error:object delay_ms:ms until:string", ""},
    {"abort", "call:string!", ""},
    {"fn", "name:string! content:any! options:any", "value:any"},
    {"session.create", "store:string! dir:any as:string", kClassExpect},
    {"session.open", "file:string! as:string", "class:string message:any"},
    {"session.append", "type:string!", kClassExpect, true},
    {"session.leaf", "to:any! session:string", kClassExpect},
    {"session.leave", "to:any! summary:any! as:string session:string", kClassExpect},
    {"session.branch_file", "at:any! as:string! session:string", kClassExpect},
    {"session.fork", "file:string! cwd:string! dir:string! as:string!", kClassExpect},
    {"session.check_id", "id:any!", "valid:bool"},
    {"session.folder_name", "cwd:string!", "name:string"},
    {"session.query", "session:string what:string limit_ms:ms", kQueryExpect},
    {"session.navigate", "to:any! label:any summarize:any", kTreeExpect},
    {"engine.start", "cwd:string! watch:any! state:any try_in_factory:any", kTreeExpect},
    {"engine.reload", "", kTreeExpect},
    {"extension.answer", "event:string! result:any!", ""},
    {"extension.append", "customType:string! data:any", kTreeExpect},
    {"trust.requires", "dir:string!", "requires:bool"},
    {"trust.get", "dir:string!", "decision:any class:string"},
    {"trust.set", "dir:string! decision:any!", kClassExpect},
    {"trust.decide", "dir:string! ui:bool! override:any default:any extensions:any answer:any",
     "trusted:any handlers_called:any errors:any asked:any"},
    {"load",
     "cwd:string! trusted:any decision:any cli:any inline:any noExtensions:any noContextFiles:any",
     kListingExpect},
    {"reload", "", kListingExpect},
    {"settings.read", "cwd:string! trusted:any!", "sessionDir:any defaultProjectTrust:any"},
    {"settings.write", "cwd:string! trusted:any! scope:any! packages:any!", kClassExpect},
    {"skills.list", "paths:any!", "skills:any diagnostics:any"},
    {"skills.prompt", "skills:any!", "contains:any lacks:any text:any"},
    {"prompt.sections",
     "cwd:string! tools:any! context:any! hidden:any skills:any append:any custom:any",
     "sections:any has:any in_order:any"},
    {"template.split", "text:string!", "words:any"},
    {"template.substitute", "text:string! arguments:any!", "text:any"},
    {"template.expand", "text:string! templates:any!", "text:any"},
    {"templates.list", "paths:any!", "templates:any diagnostics:any"},
    {"context.list", "cwd:string!", "files:any"},
}};

constexpr std::array<std::string_view, 12> kEntryTypes{
    "user",     "assistant", "system",     "custom", "custom_message", "model_change",
    "thinking", "label",     "compaction", "info",   "context_edit",   "usage"};
constexpr std::array<std::string_view, 12> kEntryForms{"text:any!",
                                                       "text:any!",
                                                       "",
                                                       "customType:string!",
                                                       "customType:string! text:any!",
                                                       "provider:any! model:any!",
                                                       "level:any!",
                                                       "target:any! text:any!",
                                                       "summary:any! keep_from:any!",
                                                       "name:any!",
                                                       "target:any!",
                                                       "usage:any!"};

constexpr std::array<std::string_view, 19> kClasses{
    "ok",        "error",      "invalid_args",    "no_edits",    "empty_old_text",    "overlap",
    "not_found", "not_unique", "no_change",       "access",      "offset_beyond_end", "aborted",
    "exit",      "timeout",    "invalid_timeout", "bad_pattern", "not_a_session",     "unsettled",
    "other"};
constexpr std::array<std::string_view, 7> kTools{"edit", "read", "write", "bash",
                                                 "grep", "find", "ls"};
constexpr std::array<std::string_view, 4> kNeeds{"unprivileged", "images", "image-codec",
                                                 "search-programs"};
constexpr std::array<std::string_view, 2> kEditions{"seed", "pi-1.6.0"};
constexpr std::array<std::string_view, 19> kSubjects{
    "edit",         "read",  "write",        "bash",        "grep",
    "find",         "ls",    "truncateHead", "queue",       "truncateTail",
    "truncateLine", "trust", "formatSize",   "session",     "disc",
    "context",      "skill", "prompt",       "session-tree"};

}  // namespace

std::span<const OperationForm> oracle_operations() {
  return kOperations;
}

const std::string_view* oracle_entry_form(std::string_view type) {
  const auto* const found = std::ranges::find(kEntryTypes, type);
  return found == kEntryTypes.end()
             ? nullptr
             : &kEntryForms[static_cast<std::size_t>(found - kEntryTypes.begin())];
}

std::span<const std::string_view> oracle_entry_types() {
  return kEntryTypes;
}
std::span<const std::string_view> oracle_classes() {
  return kClasses;
}
std::span<const std::string_view> oracle_tools() {
  return kTools;
}
std::span<const std::string_view> oracle_needs() {
  return kNeeds;
}
std::span<const std::string_view> oracle_editions() {
  return kEditions;
}
std::span<const std::string_view> oracle_subjects() {
  return kSubjects;
}

std::vector<std::string_view> oracle_expectations() {
  std::vector<std::string_view> lists{kEndForm};
  for (const auto& operation : kOperations) lists.push_back(operation.expect);
  std::vector<std::string_view> names;
  for (std::string_view list : lists) {
    while (!list.empty()) {
      names.push_back(list.substr(0, list.find(':')));
      list.remove_prefix(std::min(list.find(' '), list.size() - 1) + 1);
    }
  }
  return names;
}

}  // namespace plumb::simulator
