// SPDX-License-Identifier: Apache-2.0
#include "engine/values/canonical_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <vector>

#include "engine/values/utf8.h"

namespace plumb {

namespace {

constexpr std::int64_t kExactIntegerMax = (std::int64_t{1} << 53) - 1;

/// Significant decimal digits and the place of the point: 0.digits times ten to the power `point`.
struct Decimal {
  std::string digits;
  std::int64_t point = 0;
};

// std::to_chars gives the shortest digits; only their layout differs from ECMAScript's.
Decimal shortest_decimal(double magnitude) {
  std::array<char, 32> buffer{};
  const auto end =
      std::to_chars(buffer.begin(), buffer.end(), magnitude, std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data()));
  const std::size_t mark = text.find('e');
  const std::size_t skipped = text[mark + 1] == '+' ? 2 : 1;
  Decimal decimal;
  std::from_chars(text.data() + mark + skipped, text.data() + text.size(), decimal.point);
  ++decimal.point;
  std::ranges::copy_if(text.substr(0, mark), std::back_inserter(decimal.digits),
                       [](char c) { return c != '.'; });
  return decimal;
}

std::string lay_out_exponent(const Decimal& decimal) {
  const std::int64_t exponent = decimal.point - 1;
  std::string text = decimal.digits.substr(0, 1);
  if (decimal.digits.size() > 1) text += '.' + decimal.digits.substr(1);
  return text + (exponent < 0 ? "e-" : "e+") + std::to_string(std::abs(exponent));
}

// Number::toString of ECMA-262 for a positive value: n is the place of the point, k the digits'
// count.
std::string lay_out(const Decimal& decimal) {
  const std::int64_t n = decimal.point;
  const auto k = static_cast<std::int64_t>(decimal.digits.size());
  if (n > 21 || n <= -6) return lay_out_exponent(decimal);
  if (n <= 0) return "0." + std::string(static_cast<std::size_t>(-n), '0') + decimal.digits;
  if (k <= n) return decimal.digits + std::string(static_cast<std::size_t>(n - k), '0');
  const auto whole = static_cast<std::size_t>(n);
  return decimal.digits.substr(0, whole) + '.' + decimal.digits.substr(whole);
}

// Orders code points as their UTF-16 code units: surrogates (D800-DFFF) come before U+E000-U+FFFF.
char32_t utf16_rank(char32_t code_point) {
  if (code_point >= 0x10000) return code_point - 0x10000 + 0xD800;
  return code_point >= 0xE000 ? code_point + 0x100000 : code_point;
}

// Both texts are valid UTF-8 and differ; the first code point that differs decides.
bool utf16_less(std::string_view left, std::string_view right) {
  const auto [a, b] = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
  if (a == left.end() || b == right.end()) return a == left.end() && b != right.end();
  auto offset = a - left.begin();
  while ((static_cast<unsigned char>(left[static_cast<std::size_t>(offset)]) & 0xC0U) == 0x80U) {
    --offset;
  }
  return utf16_rank(decode_utf8(left, offset).value) < utf16_rank(decode_utf8(right, offset).value);
}

std::string_view short_escape(char c) {
  switch (c) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\b':
      return "\\b";
    case '\t':
      return "\\t";
    case '\n':
      return "\\n";
    case '\f':
      return "\\f";
    case '\r':
      return "\\r";
    default:
      return {};
  }
}

/// One canonical text under construction. `false` from a member function means that `error_` is
/// set.
class CanonicalWriter final {
 public:
  explicit CanonicalWriter(LargeIntegers large_integers) : large_integers_(large_integers) {}

  bool write(const Json& value) {
    switch (value.type()) {
      case Json::value_t::object:
        return write_nested(value, &CanonicalWriter::write_object);
      case Json::value_t::array:
        return write_nested(value, &CanonicalWriter::write_array);
      case Json::value_t::string:
        return write_string(value.get_ref<const std::string&>());
      case Json::value_t::boolean:
        return append(value.get<bool>() ? "true" : "false");
      case Json::value_t::null:
        return append("null");
      case Json::value_t::number_integer:
      case Json::value_t::number_unsigned:
      case Json::value_t::number_float:
        return write_number(value);
      default:
        return refuse("a value that JSON text cannot hold");
    }
  }

  std::string take_text() { return std::move(text_); }
  Error take_error() { return std::move(error_); }

 private:
  bool append(std::string_view text) {
    text_ += text;
    return true;
  }

  bool refuse(std::string message, ErrorCode code = ErrorCode::rejected) {
    error_ = Error{code, std::move(message), path_};
    return false;
  }

  bool write_nested(const Json& value, bool (CanonicalWriter::*write_inside)(const Json&)) {
    if (depth_ == kJsonDepthMax) {
      return refuse("nested deeper than " + std::to_string(kJsonDepthMax) + " levels",
                    ErrorCode::exhausted);
    }
    ++depth_;
    const std::size_t path_size = path_.size();
    const bool is_written = (this->*write_inside)(value);
    path_.resize(path_size);
    --depth_;
    return is_written;
  }

  bool write_child(std::string_view token, const Json& child) {
    const std::size_t path_size = path_.size();
    path_ += '/' + pointer_escape(token);
    if (!write(child)) return false;
    path_.resize(path_size);
    return true;
  }

  bool write_array(const Json& value) {
    text_ += '[';
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (i > 0) text_ += ',';
      if (!write_child(std::to_string(i), value[i])) return false;
    }
    return append("]");
  }

  bool write_object(const Json& value) {
    auto order = std::vector<Json::const_iterator>();
    for (auto member = value.begin(); member != value.end(); ++member) {
      if (find_invalid_utf8(member.key()) >= 0) return refuse("a key that is not UTF-8");
      order.push_back(member);
    }
    std::ranges::sort(order, utf16_less,
                      [](const auto& member) -> const std::string& { return member.key(); });
    text_ += '{';
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::string& key = order[i].key();
      if (i > 0 && key == order[i - 1].key()) return refuse("key '" + key + "' occurs twice");
      if (i > 0) text_ += ',';
      write_string(key);
      text_ += ':';
      if (!write_child(key, order[i].value())) return false;
    }
    return append("}");
  }

  bool write_string(const std::string& value) {
    if (find_invalid_utf8(value) >= 0) return refuse("text that is not UTF-8");
    text_ += '"';
    for (const char c : value) append_character(c);
    return append("\"");
  }

  void append_character(char c) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (const std::string_view escape = short_escape(c); !escape.empty()) {
      text_ += escape;
    } else if (byte < 0x20) {
      text_ += "\\u00";
      text_ += kDigits[byte >> 4U];
      text_ += kDigits[byte & 0xFU];
    } else {
      text_ += c;
    }
  }

  bool write_number(const Json& value) {
    const bool is_large =
        value.is_number_unsigned()
            ? value.get<std::uint64_t>() > std::uint64_t{kExactIntegerMax}
            : value.is_number_integer() &&
                  std::abs(value.get<double>()) > static_cast<double>(kExactIntegerMax);
    if (is_large && large_integers_ == LargeIntegers::refuse) {
      return refuse("integer " + value.dump() + " is beyond 2^53-1 and not exact as a number");
    }
    const auto number = value.get<double>();
    if (!std::isfinite(number)) return refuse("a number that is not finite");
    return append(ecmascript_number(number));
  }

  LargeIntegers large_integers_;
  std::string text_;
  std::string path_;
  std::int64_t depth_ = 0;
  Error error_;
};

}  // namespace

std::string ecmascript_number(double value) {
  PLUMB_ASSERT(std::isfinite(value));
  if (value == 0) return "0";
  return (value < 0 ? "-" : "") + lay_out(shortest_decimal(std::abs(value)));
}

Result<std::string> canonical_json(const Json& value, LargeIntegers large_integers) {
  CanonicalWriter writer(large_integers);
  if (!writer.write(value)) return std::unexpected(writer.take_error());
  return writer.take_text();
}

}  // namespace plumb
