// SPDX-License-Identifier: Apache-2.0
#include "simulator/cli/terminal_io.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <unistd.h>

#include "engine/values/json.h"
#include "simulator/script/place.h"
#include "simulator/script/source.h"

namespace plumb::simulator {
/// Larger inputs are refused: a trace of this size has other problems.
constexpr std::int64_t kInputBytesMax = std::int64_t{512} << 20;

void print_out(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void print_error(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void print_located(const Error& error) {
  print_error(error_line(error) + "\n");
}

bool is_terminal_out() {
  return ::isatty(STDOUT_FILENO) == 1;
}

bool is_terminal_error() {
  return ::isatty(STDERR_FILENO) == 1;
}

reports::TerminalStyle terminal_style() {
  reports::TerminalStyle style;
  const char* no_color = std::getenv("NO_COLOR");
  style.has_color = is_terminal_out() && (no_color == nullptr || *no_color == '\0');
  return style;
}

std::int64_t steady_ms() {
  using std::chrono::duration_cast;
  using std::chrono::milliseconds;
  return duration_cast<milliseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string today() {
  const std::chrono::year_month_day date{
      std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now())};
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02u", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  return text.data();
}

std::int64_t processor_count() {
  return std::max<std::int64_t>(1, std::thread::hardware_concurrency());
}

Result<std::string> read_text_file(const std::string& path) {
  return read_source(path, kInputBytesMax);
}

}  // namespace plumb::simulator
