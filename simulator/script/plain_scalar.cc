// SPDX-License-Identifier: Apache-2.0
#include "simulator/script/plain_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace plumb::simulator {
namespace {

bool is_one_of(std::string_view text, std::span<const std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::size_t skip_digits(std::string_view text, std::size_t from) {
  while (from < text.size() && is_digit(text[from])) ++from;
  return from;
}

std::size_t skip_sign(std::string_view text, std::size_t from) {
  return from < text.size() && (text[from] == '+' || text[from] == '-') ? from + 1 : from;
}

template <class T>
std::optional<T> read_number(std::string_view text, int base) {
  T value = 0;
  const char* const end = std::to_address(text.end());
  const auto [stop, error] = std::from_chars(std::to_address(text.begin()), end, value, base);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<Json> read_integer(std::string_view text) {
  if (text.starts_with("0o") && text.size() > 2) {
    if (const auto value = read_number<std::int64_t>(text.substr(2), 8)) return Json(*value);
    return std::nullopt;
  }
  if (text.starts_with("0x") && text.size() > 2) {
    if (const auto value = read_number<std::int64_t>(text.substr(2), 16)) return Json(*value);
    return std::nullopt;
  }
  const std::size_t digits = skip_sign(text, 0);
  if (digits == text.size() || skip_digits(text, digits) != text.size()) return std::nullopt;
  const std::string_view plain = text.front() == '+' ? text.substr(1) : text;
  if (const auto value = read_number<std::int64_t>(plain, 10)) return Json(*value);
  if (const auto value = read_number<std::uint64_t>(plain, 10)) return Json(*value);
  return std::nullopt;
}

/// [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
bool is_float(std::string_view text) {
  const std::size_t begin = skip_sign(text, 0);
  std::size_t at = skip_digits(text, begin);
  std::size_t digits = at - begin;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = at + 1;
    at = skip_digits(text, fraction);
    digits += at - fraction;
  }
  if (digits == 0) return false;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    const std::size_t exponent = skip_sign(text, at + 1);
    at = skip_digits(text, exponent);
    if (at == exponent) return false;
  }
  return at == text.size();
}

Result<Json> read_float(std::string_view text) {
  const std::string_view plain = text.front() == '+' ? text.substr(1) : text;
  double value = 0;
  const auto [stop, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (error != std::errc()) {
    return fail(ErrorCode::invalid, "number '" + std::string(text) + "' is out of range");
  }
  return Json(value);
}

}  // namespace

Result<Json> resolve_plain_scalar(std::string_view text) {
  static constexpr std::array<std::string_view, 5> kNull = {"", "~", "null", "Null", "NULL"};
  static constexpr std::array<std::string_view, 3> kTrue = {"true", "True", "TRUE"};
  static constexpr std::array<std::string_view, 3> kFalse = {"false", "False", "FALSE"};
  static constexpr std::array<std::string_view, 12> kNotFinite = {
      ".inf",  ".Inf",  ".INF",  "+.inf", "+.Inf", "+.INF",
      "-.inf", "-.Inf", "-.INF", ".nan",  ".NaN",  ".NAN"};
  if (is_one_of(text, kNull)) return Json(nullptr);
  if (is_one_of(text, kTrue)) return Json(true);
  if (is_one_of(text, kFalse)) return Json(false);
  if (is_one_of(text, kNotFinite)) {
    return fail(ErrorCode::invalid, "'" + std::string(text) + "' is no number here; quote a text");
  }
  if (auto integer = read_integer(text)) return *std::move(integer);
  if (is_float(text)) return read_float(text);
  return Json(std::string(text));
}

}  // namespace plumb::simulator
