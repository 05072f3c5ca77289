// SPDX-License-Identifier: Apache-2.0
// The decisions of the bash tool, each with its default and the rules that it keeps.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "engine/tools/builtin/truncation.h"

namespace plumb::engine {

class ShellOutput;

/// What the model sees of an output: its end (BASH-03, BASH-38, TRUNC-03).
Truncation shown_end(const ShellOutput& output);
/// Prefix and command as one script, a line feed between them (BASH-24, BASH-39).
std::string prefixed_script(const std::string& prefix, const std::string& command);
/// How long an update still has to wait, `since_ms` after the last one: an interval lies between
/// two (BASH-18).
std::int64_t update_wait_ms(std::int64_t since_ms);
/// Whether a timeout is one at all: finite, above 0, at most what a timer takes (BASH-13).
bool is_valid_timeout(double seconds);
/// Every code but 0 (BASH-08, BASH-09).
bool is_failing_exit(std::int64_t code);
/// Whether a spawn hook that failed ends the call: always (BASH-27).
bool failed_hook_ends_call(const std::string& message);

struct ShellPolicies {
  std::function<Truncation(const ShellOutput&)> shown = shown_end;
  std::function<std::string(const std::string&, const std::string&)> script = prefixed_script;
  std::function<bool(const std::string&)> failed_hook_ends_call = engine::failed_hook_ends_call;
  std::function<std::int64_t(std::int64_t)> update_wait_ms = engine::update_wait_ms;
  std::function<bool(double)> is_valid_timeout = engine::is_valid_timeout;
  std::function<bool(std::int64_t)> is_failing_exit = engine::is_failing_exit;
};

}  // namespace plumb::engine
