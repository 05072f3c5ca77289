// SPDX-License-Identifier: Apache-2.0
#include "simulator/oracle/form_values.h"

#include <algorithm>
#include <array>

#include "simulator/script/base64.h"

namespace plumb::simulator {
namespace {

constexpr std::int64_t kUidMax = 4'294'967'294;

bool is_whole(const Json& value, std::int64_t most) {
  return value.is_number_integer() && value >= 0 && value <= most;
}

bool is_text_of(const Json& value, std::string_view characters) {
  return value.is_string() &&
         value.get_ref<const std::string&>().find_first_not_of(characters) == std::string::npos;
}

std::size_t size_of(const Json& text) {
  return text.get_ref<const std::string&>().size();
}

bool fits_mode(const Json& value) {
  return is_text_of(value, "01234567") && size_of(value) >= 3 && size_of(value) <= 4;
}

bool fits_hex(const Json& value) {
  return is_text_of(value, "0123456789abcdefABCDEF") && size_of(value) % 2 == 0;
}

bool fits_base64(const Json& value) {
  return value.is_string() && decode_base64(value.get_ref<const std::string&>()).has_value();
}

bool fits_strings(const Json& value) {
  return value.is_array() &&
         std::ranges::all_of(value, [](const Json& one) { return one.is_string(); });
}

bool fits_string(const Json& value) {
  return value.is_string();
}
bool fits_bool(const Json& value) {
  return value.is_boolean();
}
bool fits_object(const Json& value) {
  return value.is_object();
}
bool fits_array(const Json& value) {
  return value.is_array();
}
bool fits_name(const Json& value) {
  return value.is_string() && size_of(value) > 0;
}
bool fits_count(const Json& value) {
  return is_whole(value, kOracleCountMax);
}
bool fits_ms(const Json& value) {
  return is_whole(value, kOracleMsMax);
}
bool fits_uid(const Json& value) {
  return is_whole(value, kUidMax);
}
bool fits_code(const Json& value) {
  return value.is_null() || is_whole(value, 255);
}
bool fits_sha256(const Json& value) {
  return is_text_of(value, "0123456789abcdef") && size_of(value) == 64;
}
bool fits_any(const Json& /*value*/) {
  return true;
}

struct ValueKind {
  std::string_view name;
  bool (*fits)(const Json& value);
  std::string_view phrase;
};

constexpr std::array<ValueKind, 15> kKinds{{
    {"any", fits_any, "a value"},
    {"string", fits_string, "a string"},
    {"name", fits_name, "a string that is not empty"},
    {"bool", fits_bool, "true or false"},
    {"object", fits_object, "an object"},
    {"array", fits_array, "a list"},
    {"strings", fits_strings, "a list of strings"},
    {"count", fits_count, "a whole number from 0 to 67108864"},
    {"ms", fits_ms, "a whole number from 0 to 120000"},
    {"uid", fits_uid, "a whole number from 0 to 4294967294"},
    {"code", fits_code, "a whole number from 0 to 255, or null"},
    {"mode", fits_mode, "three or four octal digits in quotes, as in \"644\""},
    {"base64", fits_base64, "base64"},
    {"hex", fits_hex, "pairs of hexadecimal digits"},
    {"sha256", fits_sha256, "64 hexadecimal digits in lower case"},
}};
static_assert(kOracleCountMax == 67'108'864 && kOracleMsMax == 120'000);

const ValueKind& kind_named(std::string_view name) {
  const auto* const found = std::ranges::find(kKinds, name, &ValueKind::name);
  PLUMB_ASSERT(found != kKinds.end());
  return *found;
}

std::int64_t length_of(const Json& gen, const char* key, std::string_view otherwise) {
  return std::ssize(gen.value(key, std::string(otherwise)));
}

/// Lines "PREFIX1", "PREFIX2", ... up to n, padded to a width.
std::int64_t size_of_lines(const Json& gen) {
  const auto count = gen.value("n", std::int64_t{0});
  const bool is_padded = length_of(gen, "pad", "x") > 0;
  const auto width = is_padded ? gen.value("width", std::int64_t{0}) : 0;
  const auto prefix = length_of(gen, "prefix", "line ");
  const auto eol = length_of(gen, "eol", "\n");
  std::int64_t bytes = 0;
  // Numbers of one digit, of two, ...
  std::int64_t digits = 1;
  for (std::int64_t first = 1; first <= count; first *= 10, ++digits) {
    const auto lines = std::min(count, first * 10 - 1) - first + 1;
    bytes += lines * (std::max(width, prefix + digits) + eol);
  }
  return bytes;
}

}  // namespace

bool is_of_kind(const Json& value, std::string_view kind) {
  return kind_named(kind).fits(value);
}

std::string kind_phrase(std::string_view kind) {
  return std::string(kind_named(kind).phrase);
}

bool is_variable_name(std::string_view name) {
  return !name.empty() && !name.contains('=') && !name.contains('\0');
}

std::int64_t generated_size(const Json& gen) {
  if (gen.value("kind", Json()) == "lines") return size_of_lines(gen);
  return length_of(gen, "head", "") + length_of(gen, "tail", "") +
         length_of(gen, "unit", "") * gen.value("n", std::int64_t{0});
}

}  // namespace plumb::simulator
