// SPDX-License-Identifier: Apache-2.0
#include "simulator/oracle/texts.h"

#include <algorithm>

#include "engine/values/sha256.h"
#include "engine/values/utf8.h"

namespace plumb::simulator {
namespace {

constexpr std::string_view kBlankLine = "\n\n";

/// Where a final "[...]" begins, its blank line included; npos when there is none.
std::size_t notice_begin(std::string_view text) {
  if (!text.ends_with(']')) return text.npos;
  const auto line = text.rfind('\n') + 1;
  if (text[line] != '[') return text.npos;
  if (line == 0) return 0;
  return text.substr(0, line).ends_with(kBlankLine) ? line - kBlankLine.size() : text.npos;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// The number at `at`, which is a digit; moves `at` behind it.
std::string take_number(std::string_view word, std::size_t& at) {
  const std::size_t begin = at;
  const auto skip_digits = [&] {
    while (at < word.size() && is_digit(word[at])) ++at;
  };
  skip_digits();
  if (at + 1 < word.size() && word[at] == '.' && is_digit(word[at + 1])) {
    ++at;
    skip_digits();
  }
  return std::string(word.substr(begin, at - begin));
}

void add_numbers(std::string_view word, std::vector<std::string>& numbers) {
  if (word.contains('/')) return;
  for (std::size_t at = 0; at < word.size();) {
    const bool begins = is_digit(word[at]) && (at == 0 || !is_letter(word[at - 1]));
    if (begins) {
      numbers.push_back(take_number(word, at));
    } else {
      ++at;
    }
  }
}

}  // namespace

ShownText take_apart(std::string_view text, bool has_status) {
  ShownText shown_text;
  if (has_status) {
    const auto blank = text.rfind(kBlankLine);
    const auto begin = blank == text.npos ? 0 : blank;
    shown_text.status = text.substr(begin);
    text = text.substr(0, begin);
  }
  const auto notice = notice_begin(text);
  if (notice != text.npos) shown_text.notice = text.substr(notice);
  shown_text.body = text.substr(0, notice);
  return shown_text;
}

std::vector<std::string> numbers_in(std::string_view sentence) {
  std::vector<std::string> numbers;
  while (!sentence.empty()) {
    const auto end = std::min(sentence.find_first_of(" \n"), sentence.size());
    add_numbers(sentence.substr(0, end), numbers);
    sentence.remove_prefix(std::min(end + 1, sentence.size()));
  }
  return numbers;
}

std::vector<std::string> numbers_of_notice(std::string_view notice) {
  constexpr std::string_view kOffset = "offset=";
  const auto at = notice.rfind(kOffset);
  auto numbers = numbers_in(at == notice.npos ? notice : notice.substr(at));
  if (at != notice.npos && numbers.size() > 1) numbers.resize(1);
  return numbers;
}

bool are_among(std::vector<std::string> some, std::vector<std::string> all) {
  std::ranges::sort(some);
  std::ranges::sort(all);
  return std::ranges::includes(all, some);
}

std::int64_t count_utf16_units(std::string_view text) {
  std::int64_t units = 0;
  for (std::int64_t at = 0; at < std::ssize(text);) {
    const CodePoint point = decode_utf8(text, at);
    units += point.value > 0xFFFF ? 2 : 1;
    at += std::max<std::int64_t>(point.length, 1);
  }
  return units;
}

Differences compare_digest(const Json& digest, std::string_view text, const std::string& path) {
  Differences found;
  const auto judge = [&](const char* key, const Json& actual) {
    if (!digest.contains(key) || digest[key] == actual) return;
    found.push_back({path + "/" + key, shown(digest[key]), shown(actual)});
  };
  judge("chars", count_utf16_units(text));
  judge("bytes", std::ssize(text));
  judge("sha256", sha256_hex(text));
  for (const auto& [key, is_head] : {std::pair("head", true), std::pair("tail", false)}) {
    if (!digest.contains(key)) continue;
    const auto& wanted = digest[key].get_ref<const std::string&>();
    if (is_head ? text.starts_with(wanted) : text.ends_with(wanted)) continue;
    const auto size = std::min(wanted.size(), text.size());
    judge(key, std::string(is_head ? text.substr(0, size) : text.substr(text.size() - size)));
  }
  return found;
}

}  // namespace plumb::simulator
