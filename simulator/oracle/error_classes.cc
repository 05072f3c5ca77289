// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "engine/kernel/files.h"
#include "simulator/oracle/call_record.h"

namespace plumb::simulator {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

// The engine's error classes and the words of oracle files for them. Names of system errors
// (ENOENT) stand for themselves; what is not here is "other".
constexpr std::array<Pair, 14> kClassTable{{
    {"invalid_args", "invalid_args"},
    {"no_edits", "no_edits"},
    {"access", "access"},
    {"empty_old_text", "empty_old_text"},
    {"not_found", "not_found"},
    {"not_unique", "not_unique"},
    {"overlap", "overlap"},
    {"no_change", "no_change"},
    {"aborted", "aborted"},
    {"offset_beyond_end", "offset_beyond_end"},
    {"bad_pattern", "bad_pattern"},
    {"exit", "exit"},
    {"timeout", "timeout"},
    {"invalid_timeout", "invalid_timeout"},
}};

bool is_system_name(std::string_view name) {
  return name.size() > 1 && name[0] == 'E' && std::ranges::all_of(name, [](char c) {
           return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
         });
}

std::string oracle_word(std::string_view engine_class) {
  if (is_system_name(engine_class)) return std::string(engine_class);
  const auto* const found = std::ranges::find(kClassTable, engine_class, &Pair::first);
  return std::string(found == kClassTable.end() ? "other" : found->second);
}

}  // namespace

std::string oracle_class_of(const engine::FinishedCall& call) {
  switch (call.cause) {
    case engine::Cause::ok:
      return "ok";
    case engine::Cause::invalid_arguments:
    case engine::Cause::prepare_failed:
      return "invalid_args";
    case engine::Cause::aborted:
      return "aborted";
    default:
      return oracle_word(call.result.error_class);
  }
}

std::string oracle_class_of(const Error& error) {
  return oracle_word(engine::system_error_name(error));
}

}  // namespace plumb::simulator
