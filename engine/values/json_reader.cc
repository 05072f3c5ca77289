// SPDX-License-Identifier: Apache-2.0
// The reader behind parse_json: recursive descent over the bytes. Our own, because the library
// keeps the last of two equal keys in silence, and because errors here name line, column and what
// was expected.
#include <algorithm>
#include <charconv>
#include <iterator>
#include <numeric>
#include <optional>
#include <vector>

#include "engine/values/json.h"
#include "engine/values/utf8.h"

namespace plumb {

namespace {

constexpr std::string_view kJsonValueExpected = "a value";

/// One parse. `false` from a member function means that `error_` is set.
class JsonReader final {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  bool read_document(Json& out) {
    if (text_.starts_with("\xEF\xBB\xBF")) return refuse("unexpected byte-order mark");
    if (!read_value(out)) return false;
    skip_space();
    return at_ == text_.size() || refuse_token("the end of the text");
  }

  const Error& error() const { return error_; }
  std::size_t error_offset() const { return error_offset_; }

 private:
  bool refuse(std::string message) { return refuse_at(at_, std::move(message)); }

  bool refuse_at(std::size_t offset, std::string message, ErrorCode code = ErrorCode::invalid) {
    error_ = Error{code, std::move(message), {}};
    error_offset_ = offset;
    return false;
  }

  bool refuse_token(std::string_view expected) {
    return refuse("expected " + std::string(expected) + " but found " + found());
  }

  std::string found() const {
    if (at_ == text_.size()) return "the end of the text";
    std::size_t end = at_;
    while (end < text_.size() && end < at_ + 12 && is_word(text_[end])) ++end;
    const CodePoint next = decode_utf8(text_, static_cast<std::int64_t>(at_));
    if (end == at_) end = at_ + static_cast<std::size_t>(next.length);
    const auto first = static_cast<unsigned char>(text_[at_]);
    if (end == at_ || first < 0x20 || first == 0x7F) return "an unprintable byte";
    return "'" + std::string(text_.substr(at_, end - at_)) + "'";
  }

  static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
  }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\n\r").contains(text_[at_])) ++at_;
  }

  bool read_value(Json& out) {
    skip_space();
    switch (peek()) {
      case '{':
        return read_nested(out, &JsonReader::read_object);
      case '[':
        return read_nested(out, &JsonReader::read_array);
      case '"':
        out = std::string();
        return read_string(out.get_ref<std::string&>());
      case 't':
        return read_word("true", true, out);
      case 'f':
        return read_word("false", false, out);
      case 'n':
        return read_word("null", nullptr, out);
      default:
        return read_number(out);
    }
  }

  bool read_word(std::string_view word, Json value, Json& out) {
    const std::size_t end = at_ + word.size();
    const bool is_longer = end < text_.size() && is_word(text_[end]);
    if (text_.substr(at_, word.size()) != word || is_longer) {
      return refuse_token(kJsonValueExpected);
    }
    at_ = end;
    out = std::move(value);
    return true;
  }

  bool read_nested(Json& out, bool (JsonReader::*read)(Json&)) {
    if (depth_ == kJsonDepthMax) {
      return refuse_at(at_, "nested deeper than " + std::to_string(kJsonDepthMax) + " levels",
                       ErrorCode::exhausted);
    }
    ++depth_;
    ++at_;
    const bool is_read = (this->*read)(out);
    --depth_;
    return is_read;
  }

  bool read_array(Json& out) {
    out = Json::array();
    auto& elements = out.get_ref<Json::array_t&>();
    skip_space();
    if (take(']')) return true;
    while (true) {
      if (!read_value(elements.emplace_back())) return false;
      skip_space();
      if (take(']')) return true;
      if (!take(',')) return refuse_token("',' or ']'");
    }
  }

  bool read_object(Json& out) {
    out = Json::object();
    // The map is a vector of pairs: appending past its own linear search keeps big objects linear.
    auto& members = out.get_ref<Json::object_t&>();
    std::vector<std::size_t> offsets;
    skip_space();
    if (take('}')) return true;
    while (true) {
      skip_space();
      offsets.push_back(at_);
      if (!read_member(members)) return false;
      skip_space();
      if (take('}')) return check_keys(members, offsets);
      if (!take(',')) return refuse_token("',' or '}'");
    }
  }

  bool read_member(Json::object_t& members) {
    std::string key;
    if (peek() != '"') return refuse_token("a key in double quotes");
    if (!read_string(key)) return false;
    skip_space();
    if (!take(':')) return refuse_token("':'");
    members.emplace_back(std::move(key), Json());
    return read_value(members.back().second);
  }

  bool check_keys(const Json::object_t& members, const std::vector<std::size_t>& offsets) {
    std::vector<std::size_t> order(members.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto first = members.begin();
    const auto key = [first](std::size_t i) -> const std::string& {
      return std::next(first, static_cast<std::ptrdiff_t>(i))->first;
    };
    std::ranges::sort(order, [key](std::size_t left, std::size_t right) {
      const int compared = key(left).compare(key(right));
      return compared != 0 ? compared < 0 : left < right;
    });
    const auto twice = std::ranges::adjacent_find(order, {}, key);
    if (twice == order.end()) return true;
    return refuse_at(offsets[*std::next(twice)], "key '" + key(*twice) + "' occurs twice");
  }

  bool read_string(std::string& out) {
    const std::size_t begin = at_++;
    while (true) {
      const std::size_t run = at_;
      while (at_ < text_.size() && is_plain(text_[at_])) ++at_;
      out.append(text_.substr(run, at_ - run));
      if (at_ == text_.size()) return refuse_at(begin, "string without its closing '\"'");
      if (take('"')) return true;
      if (!read_special(out)) return false;
    }
  }

  // Characters that need no look: ASCII but quotes, backslash and control characters.
  static bool is_plain(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
  }

  bool read_special(std::string& out) {
    if (take('\\')) return read_escape(out);
    if (static_cast<unsigned char>(text_[at_]) < 0x20) {
      return refuse("control character in a string; expected an escape such as \\n or \\u001f");
    }
    const auto length = decode_utf8(text_, static_cast<std::int64_t>(at_)).length;
    if (length == 0) return refuse("bytes that are not UTF-8");
    out.append(text_.substr(at_, static_cast<std::size_t>(length)));
    at_ += static_cast<std::size_t>(length);
    return true;
  }

  bool read_escape(std::string& out) {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    if (take('u')) return read_unicode_escape(out);
    const std::size_t index = kLetters.find(peek());
    if (at_ == text_.size() || index == std::string_view::npos) {
      return refuse_at(at_ - 1,
                       "unknown escape; expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u");
    }
    ++at_;
    out += kMeanings[index];
    return true;
  }

  bool read_unicode_escape(std::string& out) {
    const std::size_t begin = at_ - 2;
    const auto first = read_hex();
    if (!first) return refuse_at(begin, "expected four hexadecimal digits after \\u");
    char32_t code_point = *first;
    if (code_point >= 0xD800 && code_point <= 0xDBFF && text_.substr(at_).starts_with("\\u")) {
      at_ += 2;
      const auto second = read_hex();
      if (!second || *second < 0xDC00 || *second > 0xDFFF) return refuse_surrogate(begin);
      code_point = 0x10000 + ((code_point - 0xD800) << 10U) + (*second - 0xDC00);
    }
    if (code_point >= 0xD800 && code_point <= 0xDFFF) return refuse_surrogate(begin);
    append_utf8(out, code_point);
    return true;
  }

  bool refuse_surrogate(std::size_t offset) {
    return refuse_at(offset, "unpaired surrogate; expected \\ud800-\\udbff then \\udc00-\\udfff");
  }

  std::optional<char32_t> read_hex() {
    std::uint32_t value = 0;
    const char* const begin = text_.data() + at_;
    const char* const end = text_.data() + std::min(at_ + 4, text_.size());
    const auto [stop, code] = std::from_chars(begin, end, value, 16);
    if (code != std::errc() || stop != begin + 4) return {};
    at_ += 4;
    return value;
  }

  bool skip_digits() {
    const std::size_t begin = at_;
    while (is_digit(peek())) ++at_;
    return at_ > begin || refuse_token("a digit");
  }

  bool read_number(Json& out) {
    const std::size_t begin = at_;
    const bool is_negative = take('-');
    if (!is_negative && !is_digit(peek())) return refuse_token(kJsonValueExpected);
    if (take('0')) {
      if (is_digit(peek())) return refuse_at(begin, "number with a leading zero");
    } else if (!skip_digits()) {
      return false;
    }
    bool is_integer = true;
    if (take('.')) {
      is_integer = false;
      if (!skip_digits()) return false;
    }
    if (take('e') || take('E')) {
      is_integer = false;
      if (!take('-')) take('+');
      if (!skip_digits()) return false;
    }
    if (is_word(peek())) return refuse_token("the end of the number");
    return store_number(begin, is_integer, out);
  }

  bool store_number(std::size_t begin, bool is_integer, Json& out) {
    const std::string_view digits = text_.substr(begin, at_ - begin);
    if (is_integer && digits.front() == '-' && store<std::int64_t>(digits, out)) return true;
    if (is_integer && store<std::uint64_t>(digits, out)) return true;
    double value = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    // Too small a number is reported like too big a one; only the latter cannot be kept.
    if (result.ec == std::errc::result_out_of_range && !is_tiny(digits)) {
      return refuse_at(begin, "number beyond the range of a double");
    }
    out = value;
    return true;
  }

  // Decides by the power of ten of the first digit that is not zero.
  static bool is_tiny(std::string_view digits) {
    const std::string_view mantissa = digits.substr(0, digits.find_first_of("eE"));
    const std::string_view exponent = digits.substr(std::min(mantissa.size() + 1, digits.size()));
    if (exponent.size() > 7) return exponent.front() == '-';
    std::int64_t power = 0;
    const std::string_view scale = exponent.substr(exponent.starts_with('+') ? 1 : 0);
    std::from_chars(scale.data(), scale.data() + scale.size(), power);
    const auto point = static_cast<std::int64_t>(std::min(mantissa.find('.'), mantissa.size()));
    const auto first = static_cast<std::int64_t>(mantissa.find_first_of("123456789"));
    return point - first + power < 0;
  }

  template <class Integer>
  static bool store(std::string_view digits, Json& out) {
    Integer value = 0;
    const char* const begin = digits.data();
    const char* const end = begin + digits.size();
    const auto result = std::from_chars(begin, end, value);
    if (result.ec != std::errc() || result.ptr != end) return false;
    out = value;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::int64_t depth_ = 0;
  Error error_;
  std::size_t error_offset_ = 0;
};

std::string json_location(std::string_view text, std::size_t offset, std::string_view file,
                          std::int64_t first_line) {
  const std::string_view before = text.substr(0, offset);
  const std::int64_t line = first_line + std::ranges::count(before, '\n');
  const std::string_view last_line = before.substr(before.rfind('\n') + 1);
  const std::string position =
      std::to_string(line) + ':' + std::to_string(count_code_points(last_line) + 1);
  return file.empty() ? position : std::string(file) + ':' + position;
}

}  // namespace

Result<Json> parse_json(std::string_view text, std::string_view file, std::int64_t first_line) {
  JsonReader reader(text);
  Json value;
  if (reader.read_document(value)) return value;
  Error error = reader.error();
  error.where = json_location(text, reader.error_offset(), file, first_line);
  return std::unexpected(std::move(error));
}

}  // namespace plumb
