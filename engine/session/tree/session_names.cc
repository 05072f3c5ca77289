// SPDX-License-Identifier: Apache-2.0
#include "engine/session/tree/session_names.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace plumb::engine {

namespace {

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

void append_hex(std::string& text, std::uint64_t value, int digits) {
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) {
    text += "0123456789abcdef"[(value >> static_cast<unsigned>(shift)) & 0xFU];
  }
}

void append_number(std::string& text, std::int64_t value, std::size_t width) {
  const std::string digits = std::to_string(value);
  text.append(width > digits.size() ? width - digits.size() : 0, '0');
  text += digits;
}

}  // namespace

bool is_session_id(std::string_view id) {
  const bool has_length = !id.empty() && std::ssize(id) <= kSessionIdBytesMax;
  if (!has_length || !is_letter_or_digit(id.front()) || !is_letter_or_digit(id.back())) {
    return false;
  }
  return std::ranges::all_of(
      id, [](char c) { return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.'; });
}

std::string new_session_id(std::int64_t wall_ms, Rng& rng) {
  const std::uint64_t high = rng.next();
  const std::uint64_t low = rng.next();
  std::string id;
  append_hex(id, static_cast<std::uint64_t>(wall_ms) >> 16U, 8);
  id += '-';
  append_hex(id, static_cast<std::uint64_t>(wall_ms) & 0xFFFFU, 4);
  id += "-7";
  append_hex(id, high, 3);
  id += '-';
  append_hex(id, 0x8000U | ((high >> 16U) & 0x3FFFU), 4);
  id += '-';
  append_hex(id, low, 12);
  return id;
}

std::string new_entry_id(Rng& rng) {
  std::string id;
  append_hex(id, rng.next(), 8);
  return id;
}

std::string iso_time(std::int64_t wall_ms) {
  const std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds(wall_ms)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  std::string text;
  append_number(text, static_cast<int>(date.year()), 4);
  text += '-';
  append_number(text, static_cast<unsigned>(date.month()), 2);
  text += '-';
  append_number(text, static_cast<unsigned>(date.day()), 2);
  text += 'T';
  append_number(text, clock.hours().count(), 2);
  text += ':';
  append_number(text, clock.minutes().count(), 2);
  text += ':';
  append_number(text, clock.seconds().count(), 2);
  text += '.';
  append_number(text, clock.subseconds().count(), 3);
  return text + 'Z';
}

std::string session_folder_name(std::string_view cwd) {
  if (cwd.starts_with('/') || cwd.starts_with('\\')) cwd.remove_prefix(1);
  std::string name = "--";
  name += cwd;
  std::ranges::replace_if(name, [](char c) { return c == '/' || c == '\\' || c == ':'; }, '-');
  return name + "--";
}

std::string session_file_name(std::string_view time, std::string_view id) {
  std::string name(time);
  std::ranges::replace_if(name, [](char c) { return c == ':' || c == '.'; }, '-');
  name += '_';
  name += id;
  return name + ".jsonl";
}

}  // namespace plumb::engine
