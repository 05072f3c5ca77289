// SPDX-License-Identifier: Apache-2.0
#include "engine/values/schema_format.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <optional>

#include "engine/values/ecma_pattern.h"

namespace plumb {

namespace {

bool is_format_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_format_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_format_hex(char c) {
  return is_format_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// '0' stands for a digit, 'h' for a hexadecimal digit, anything else for itself.
bool has_shape(std::string_view text, std::string_view shape) {
  return std::ranges::equal(text, shape, [](char c, char wanted) {
    if (wanted == '0') return is_format_digit(c);
    return wanted == 'h' ? is_format_hex(c) : c == wanted;
  });
}

// The number in a place whose digits `has_shape` has seen.
std::int64_t number_at(std::string_view text, std::size_t offset, std::size_t length) {
  std::int64_t number = 0;
  std::from_chars(text.data() + offset, text.data() + offset + length, number);
  return number;
}

bool is_date(std::string_view text) {
  if (!has_shape(text, "0000-00-00")) return false;
  constexpr std::int64_t kDays[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const std::int64_t year = number_at(text, 0, 4);
  const std::int64_t month = number_at(text, 5, 2);
  const std::int64_t day = number_at(text, 8, 2);
  if (month < 1 || month > 12 || day < 1 || day > kDays[month - 1]) return false;
  const bool is_leap_year = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month != 2 || day < 29 || is_leap_year;
}

// The offset from UTC in minutes, "Z" or "+hh:mm".
std::optional<std::int64_t> zone_minutes(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  if (!has_shape(text, "+00:00") && !has_shape(text, "-00:00")) return {};
  const std::int64_t hours = number_at(text, 1, 2);
  const std::int64_t minutes = number_at(text, 4, 2);
  if (hours > 23 || minutes > 59) return {};
  return (text.front() == '-' ? -1 : 1) * (hours * 60 + minutes);
}

bool is_time(std::string_view text) {
  if (text.size() < 9 || !has_shape(text.substr(0, 8), "00:00:00")) return false;
  std::string_view rest = text.substr(8);
  if (rest.starts_with('.')) {
    const std::size_t end = std::min(rest.find_first_not_of("0123456789", 1), rest.size());
    if (end == 1) return false;
    rest.remove_prefix(end);
  }
  const auto zone = zone_minutes(rest);
  const std::int64_t hours = number_at(text, 0, 2);
  const std::int64_t minutes = number_at(text, 3, 2);
  const std::int64_t seconds = number_at(text, 6, 2);
  if (!zone || hours > 23 || minutes > 59 || seconds > 60) return false;
  // A leap second exists at the end of a day in UTC only.
  constexpr std::int64_t kDayMinutes = 1440;
  const std::int64_t utc = (hours * 60 + minutes - *zone + 2 * kDayMinutes) % kDayMinutes;
  return seconds < 60 || utc == kDayMinutes - 1;
}

bool is_date_time(std::string_view text) {
  return text.size() > 11 && (text[10] == 'T' || text[10] == 't') && is_date(text.substr(0, 10)) &&
         is_time(text.substr(11));
}

bool is_ipv4(std::string_view text) {
  for (int part = 0; part < 4; ++part) {
    const std::size_t end = std::min(text.find('.'), text.size());
    const std::string_view digits = text.substr(0, end);
    const bool is_octet =
        !digits.empty() && digits.size() <= 3 && std::ranges::all_of(digits, is_format_digit) &&
        (digits.size() == 1 || digits.front() != '0') && number_at(digits, 0, digits.size()) <= 255;
    if (!is_octet || (part < 3) != (end < text.size())) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

// The 16-bit groups in `text`, or -1 when one of them is none; an IPv4 tail counts as two.
std::int64_t count_groups(std::string_view text, bool may_end_in_ipv4) {
  std::int64_t count = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(':'), text.size());
    const std::string_view group = text.substr(0, end);
    const bool is_last = end == text.size();
    if (is_last && may_end_in_ipv4 && is_ipv4(group)) return count + 2;
    if (group.empty() || group.size() > 4 || !std::ranges::all_of(group, is_format_hex)) return -1;
    ++count;
    text.remove_prefix(end);
    if (text == ":") return -1;
    if (!text.empty()) text.remove_prefix(1);
  }
  return count;
}

bool is_ipv6(std::string_view text) {
  const std::size_t gap = text.find("::");
  if (gap == std::string_view::npos) return count_groups(text, true) == 8;
  const std::int64_t before = count_groups(text.substr(0, gap), false);
  const std::int64_t after = count_groups(text.substr(gap + 2), true);
  return before >= 0 && after >= 0 && before + after <= 7;
}

bool is_hostname(std::string_view text) {
  if (text.empty() || text.size() > 253) return false;
  while (true) {
    const std::string_view label = text.substr(0, text.find('.'));
    const bool is_label = !label.empty() && label.size() <= 63 && label.front() != '-' &&
                          label.back() != '-' && std::ranges::all_of(label, [](char c) {
                            return is_format_letter(c) || is_format_digit(c) || c == '-';
                          });
    if (!is_label) return false;
    if (label.size() == text.size()) return true;
    text.remove_prefix(label.size() + 1);
  }
}

bool is_address_domain(std::string_view domain) {
  if (!domain.starts_with('[')) return is_hostname(domain);
  if (!domain.ends_with(']')) return false;
  const std::string_view inside = domain.substr(1, domain.size() - 2);
  return inside.starts_with("IPv6:") ? is_ipv6(inside.substr(5)) : is_ipv4(inside);
}

bool is_email(std::string_view text) {
  const std::size_t mark = text.rfind('@');
  if (mark == std::string_view::npos || mark == 0) return false;
  const std::string_view local = text.substr(0, mark);
  if (!is_address_domain(text.substr(mark + 1))) return false;
  if (local.size() > 1 && local.front() == '"' && local.back() == '"') return true;
  return local.front() != '.' && local.back() != '.' && !local.contains("..") &&
         std::ranges::all_of(local, [](char c) {
           return is_format_letter(c) || is_format_digit(c) ||
                  std::string_view("!#$%&'*+/=?^_`{|}~-.").contains(c);
         });
}

// Brackets stand around an IPv6 address only.
bool is_authority(std::string_view text) {
  const std::size_t user_end = text.rfind('@');
  if (user_end != std::string_view::npos) {
    if (text.substr(0, user_end).find_first_of("[]@") != std::string_view::npos) return false;
    text.remove_prefix(user_end + 1);
  }
  const std::size_t address_end = text.starts_with('[') ? text.find(']') : 0;
  if (address_end == std::string_view::npos) return false;
  if (address_end > 0 && !is_ipv6(text.substr(1, address_end - 1))) return false;
  const std::string_view host_and_port = text.substr(address_end > 0 ? address_end + 1 : 0);
  const std::size_t colon = host_and_port.find(':');
  const bool has_host_after_address = address_end > 0 && colon != 0 && !host_and_port.empty();
  if (has_host_after_address || host_and_port.find_first_of("[]") != std::string_view::npos) {
    return false;
  }
  return colon == std::string_view::npos ||
         std::ranges::all_of(host_and_port.substr(colon + 1), is_format_digit);
}

bool has_uri_characters(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool is_refused =
        byte <= 0x20 || byte >= 0x7F || std::string_view("\"<>\\^`{|}").contains(text[i]);
    if (is_refused || (text[i] == '%' && !has_shape(text.substr(i, 3), "%hh"))) return false;
  }
  return true;
}

bool is_uri(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || !is_format_letter(text.front()))
    return false;
  const bool is_scheme = std::ranges::all_of(text.substr(0, colon), [](char c) {
    return is_format_letter(c) || is_format_digit(c) || std::string_view("+-.").contains(c);
  });
  std::string_view rest = text.substr(colon + 1);
  if (!is_scheme || !has_uri_characters(rest)) return false;
  if (rest.starts_with("//")) {
    const std::size_t end = std::min(rest.find_first_of("/?#", 2), rest.size());
    if (!is_authority(rest.substr(2, end - 2))) return false;
    rest.remove_prefix(end);
  }
  return rest.find_first_of("[]") == std::string_view::npos && std::ranges::count(rest, '#') <= 1;
}

bool is_uuid(std::string_view text) {
  return has_shape(text, "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh");
}

bool is_json_pointer(std::string_view text) {
  if (!text.empty() && text.front() != '/') return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (text[i] == '~' && next != '0' && next != '1') return false;
  }
  return true;
}

bool is_regex(std::string_view text) {
  return EcmaPattern::compile(text).has_value();
}

struct KnownFormat {
  std::string_view name;
  bool (*matches)(std::string_view);
};

constexpr KnownFormat kKnownFormats[] = {
    {"date-time", is_date_time}, {"date", is_date},
    {"time", is_time},           {"email", is_email},
    {"hostname", is_hostname},   {"ipv4", is_ipv4},
    {"ipv6", is_ipv6},           {"uri", is_uri},
    {"uuid", is_uuid},           {"json-pointer", is_json_pointer},
    {"regex", is_regex}};

}  // namespace

bool matches_format(std::string_view format, std::string_view text) {
  const auto* const known = std::ranges::find(kKnownFormats, format, &KnownFormat::name);
  return known == std::end(kKnownFormats) || known->matches(text);
}

}  // namespace plumb
