// SPDX-License-Identifier: Apache-2.0
// Standard output and error, and what is known of the terminal. The one place that reads the
// environment and the wall clock.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/kernel/result.h"
#include "reports/terminal.h"

namespace plumb::simulator {

void print_out(std::string_view text);
void print_error(std::string_view text);
/// "where: message" on standard error.
void print_located(const Error& error);

bool is_terminal_out();
bool is_terminal_error();
/// Colour only on a terminal, never with NO_COLOR set.
reports::TerminalStyle terminal_style();
/// For progress lines and durations only.
std::int64_t steady_ms();
/// YYYY-MM-DD, UTC: what entries of an expectations file expire by.
std::string today();
/// The host's processors, at least 1.
std::int64_t processor_count();

/// Errors: not_found, permission, is_directory, io, each with the path in the message.
Result<std::string> read_text_file(const std::string& path);

}  // namespace plumb::simulator
