// SPDX-License-Identifier: Apache-2.0
#include "simulator/llm/wire/loopback_host.h"

#include <algorithm>

#include "engine/values/utf8.h"
#include "simulator/script/words.h"

namespace plumb::simulator {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// A host with its port, or without one.
std::string_view name_in(std::string_view host) {
  const auto end = host.starts_with("[") ? host.find(']') : host.find(':');
  const std::size_t length = host.starts_with("[") && end != host.npos ? end + 1 : end;
  if (length >= host.size()) return host;
  const std::string_view port = host.substr(length);
  const bool is_port = port.starts_with(":") && std::ranges::all_of(port.substr(1), is_digit);
  return is_port ? host.substr(0, length) : host;
}

/// Origins of pages alone: programs that have some other scheme are no web site.
bool is_foreign_origin(std::string_view origin) {
  const std::string text = lower_case(origin);
  if (text == "null") return true;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (text.starts_with(scheme)) {
      return !is_loopback_host(std::string_view(text).substr(scheme.size()));
    }
  }
  return false;
}

}  // namespace

bool is_loopback_host(std::string_view host) {
  std::string name = lower_case(name_in(host));
  if (name.ends_with('.')) name.pop_back();  // The root of all names.
  if (name == "[::1]" || name == "localhost" || name.ends_with(".localhost")) return true;
  return name.starts_with("127.") &&
         std::ranges::all_of(name, [](char c) { return c == '.' || is_digit(c); });
}

std::string foreign_source(const HeaderList& headers) {
  for (const auto& [name, value] : headers) {
    if (name == "host" && !value.empty() && !is_loopback_host(value)) {
      return "host " + in_quotes(value);
    }
    if (name == "origin" && is_foreign_origin(value)) return "origin " + in_quotes(value);
  }
  return "";
}

}  // namespace plumb::simulator
