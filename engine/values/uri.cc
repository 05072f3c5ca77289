// SPDX-License-Identifier: Apache-2.0
#include "engine/values/uri.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <vector>

namespace plumb {

namespace {

struct UriParts {
  std::string_view scheme;
  std::optional<std::string_view> authority;
  std::string path;
  std::optional<std::string_view> query;
};

UriParts split_uri(std::string_view uri) {
  UriParts parts;
  uri = uri.substr(0, uri.find('#'));
  const std::size_t colon = uri.find(':');
  if (colon < uri.find_first_of("/?")) {
    parts.scheme = uri.substr(0, colon);
    uri.remove_prefix(colon + 1);
  }
  if (uri.starts_with("//")) {
    const std::size_t end = std::min(uri.find_first_of("/?", 2), uri.size());
    parts.authority = uri.substr(2, end - 2);
    uri.remove_prefix(end);
  }
  const std::size_t mark = uri.find('?');
  if (mark != std::string_view::npos) parts.query = uri.substr(mark + 1);
  parts.path = uri.substr(0, mark);
  return parts;
}

std::string join_uri(const UriParts& parts) {
  std::string uri;
  if (!parts.scheme.empty()) uri += std::string(parts.scheme) + ':';
  if (parts.authority) uri += "//" + std::string(*parts.authority);
  uri += parts.path;
  if (parts.query) uri += '?' + std::string(*parts.query);
  return uri;
}

std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> segments;
  while (true) {
    const std::size_t slash = path.find('/');
    segments.emplace_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return segments;
    path.remove_prefix(slash + 1);
  }
}

std::string remove_dot_segments(std::string_view path) {
  const bool is_absolute = path.starts_with('/');
  const auto segments = split_path(path.substr(is_absolute ? 1 : 0));
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const bool is_dots = segments[i] == "." || segments[i] == "..";
    if (segments[i] == ".." && !kept.empty()) kept.pop_back();
    if (!is_dots) kept.push_back(segments[i]);
    if (is_dots && i + 1 == segments.size()) kept.emplace_back();
  }
  std::string joined = is_absolute ? "/" : "";
  for (std::size_t i = 0; i < kept.size(); ++i) joined += (i > 0 ? "/" : "") + kept[i];
  return joined;
}

std::string merge_paths(const UriParts& base, std::string_view path) {
  if (path.starts_with('/')) return remove_dot_segments(path);
  const std::size_t slash = base.path.rfind('/');
  const std::string folder =
      slash == std::string::npos ? (base.authority ? "/" : "") : base.path.substr(0, slash + 1);
  return remove_dot_segments(folder + std::string(path));
}

}  // namespace

std::string resolve_uri(std::string_view base, std::string_view reference) {
  UriParts target = split_uri(reference);
  if (!target.scheme.empty()) return join_uri(target);
  const UriParts from = split_uri(base);
  target.scheme = from.scheme;
  if (target.authority) return join_uri(target);
  target.authority = from.authority;
  if (target.path.empty()) {
    target.path = from.path;
    if (!target.query) target.query = from.query;
  } else {
    target.path = merge_paths(from, target.path);
  }
  return join_uri(target);
}

std::string uri_fragment(std::string_view uri) {
  const std::size_t mark = uri.find('#');
  if (mark == std::string_view::npos) return {};
  const std::string_view text = uri.substr(mark + 1);
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::uint8_t byte = 0;
    const char* const digits = text.data() + std::min(i + 1, text.size());
    const char* const end = text.data() + std::min(i + 3, text.size());
    const bool is_coded =
        text[i] == '%' && end - digits == 2 && std::from_chars(digits, end, byte, 16).ptr == end;
    decoded += is_coded ? static_cast<char>(byte) : text[i];
    if (is_coded) i += 2;
  }
  return decoded;
}

}  // namespace plumb
