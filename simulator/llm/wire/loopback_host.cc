// SPDX-License-Identifier: Apache-2.0
#include "simulator/llm/wire/loopback_host.h"

#include <algorithm>
#include <cctype>

#include "simulator/script/words.h"

namespace plumb::simulator {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// Origins of pages alone: programs that have some other scheme are no web site.
bool is_foreign_origin(std::string_view origin) {
  const std::string text = lower(origin);
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
  if (host.starts_with("[")) return host.substr(0, host.find(']') + 1) == "[::1]";
  const std::string name = lower(host.substr(0, host.find(':')));
  if (name == "localhost" || name.ends_with(".localhost")) return true;
  return name.starts_with("127.") &&
         std::ranges::all_of(name, [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
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
