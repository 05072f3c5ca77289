// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/path_rules.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include <utf8proc.h>

#include "engine/kernel/files.h"
#include "engine/values/utf8.h"

namespace plumb::engine {
namespace {

bool is_unicode_blank(char32_t c) {
  return c == 0x00A0 || (c >= 0x2000 && c <= 0x200A) || c == 0x202F || c == 0x205F || c == 0x3000;
}

std::string with_plain_blanks(std::string_view text) {
  std::string plain;
  for (std::int64_t at = 0; at < std::ssize(text);) {
    const CodePoint point = decode_utf8(text, at);
    const std::int64_t length = point.length == 0 ? 1 : point.length;
    if (point.length > 0 && is_unicode_blank(point.value)) {
      plain += ' ';
    } else {
      plain += text.substr(static_cast<std::size_t>(at), static_cast<std::size_t>(length));
    }
    at += length;
  }
  return plain;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
                           hex_digit(text[i + 2]) >= 0;
    if (!is_escape) {
      decoded += text[i];
      continue;
    }
    decoded += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
    i += 2;
  }
  return decoded;
}

/// The path of a file: URL without host, or of host localhost; other text as it is.
std::string without_file_scheme(std::string text) {
  for (const std::string_view prefix : {"file://localhost/", "file:///", "file:/"}) {
    if (!text.starts_with(prefix)) continue;
    return percent_decoded(std::string_view(text).substr(prefix.size() - 1));
  }
  return text;
}

/// As names of screenshots have it: " PM." with U+202F for the space, in any letter case.
std::string with_narrow_space(std::string_view path) {
  std::string text;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const auto next = [&](std::size_t at) { return i + at < path.size() ? path[i + at] : '\0'; };
    const bool is_half = std::string_view("AaPp").contains(next(1)) && next(1) != '\0' &&
                         (next(2) == 'M' || next(2) == 'm') && next(3) == '.';
    if (path[i] == ' ' && is_half) {
      text += "\xE2\x80\xAF";
    } else {
      text += path[i];
    }
  }
  return text;
}

std::string with_curly_apostrophe(std::string_view path) {
  std::string text;
  for (const char c : path) {
    if (c == '\'') {
      text += "\xE2\x80\x99";
    } else {
      text += c;
    }
  }
  return text;
}

/// Normalisation form D; the text itself if it is not UTF-8.
std::string decomposed(const std::string& text) {
  utf8proc_uint8_t* mapped = nullptr;
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE);
  const auto length = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                   static_cast<utf8proc_ssize_t>(text.size()), &mapped, options);
  if (length < 0) return text;
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(mapped, &std::free);
  return std::string(reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(length));
}

}  // namespace

std::vector<std::string> path_variants(const std::string& path) {
  std::vector<std::string> variants;
  const std::string parts = decomposed(path);
  for (const auto& variant : {with_narrow_space(path), parts, with_curly_apostrophe(path),
                              with_curly_apostrophe(parts)}) {
    const bool is_new = variant != path && std::ranges::count(variants, variant) == 0;
    if (is_new) variants.push_back(variant);
  }
  return variants;
}

std::string resolve_tool_path(std::string_view argument, std::string_view cwd,
                              std::string_view home) {
  std::string path = with_plain_blanks(argument);
  if (path.starts_with('@')) path.erase(0, 1);
  path = without_file_scheme(std::move(path));
  if (!home.empty() && (path == "~" || path.starts_with("~/"))) path.replace(0, 1, home);
  if (!path.starts_with('/')) path = std::string(cwd) + "/" + path;
  return normal_path(path);
}

}  // namespace plumb::engine
