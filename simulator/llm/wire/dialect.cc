// SPDX-License-Identifier: Apache-2.0
#include "simulator/llm/wire/dialect.h"

#include <array>
#include <utility>

namespace plumb::simulator {
namespace {

struct KnownPath {
  std::string_view end;
  Route::Kind kind;
  Dialect dialect;
};

constexpr std::array<KnownPath, 6> kKnownPaths = {{
    {"/messages/count_tokens", Route::Kind::count_tokens, Dialect::messages},
    {"/messages", Route::Kind::generate, Dialect::messages},
    {"/chat/completions", Route::Kind::generate, Dialect::chat},
    {"/responses/input_tokens", Route::Kind::count_tokens, Dialect::responses},
    {"/responses", Route::Kind::generate, Dialect::responses},
    {"/models", Route::Kind::model_list, Dialect::chat},
}};

constexpr std::array<std::pair<std::string_view, Route::Kind>, 3> kOwnPaths = {{
    {"/_plumb/journal", Route::Kind::journal},
    {"/_plumb/health", Route::Kind::health},
    {"/_plumb/reset", Route::Kind::reset},
}};

/// Takes "/KEY/NAME" off the front of a path and gives NAME; "" when the path begins otherwise.
std::string take_segment(std::string_view& path, std::string_view key) {
  if (!path.starts_with(key)) return "";
  const std::string_view rest = path.substr(key.size());
  const std::size_t end = rest.find('/');
  if (end == 0 || end == std::string_view::npos) return "";
  path = rest.substr(end);
  return std::string(rest.substr(0, end));
}

std::string_view without_query(std::string_view path) {
  return path.substr(0, path.find('?'));
}

}  // namespace

Result<Dialect> dialect_of_path(std::string_view path) {
  const Route route = route_of(path);
  if (route.kind == Route::Kind::generate) return route.dialect;
  return fail(ErrorCode::invalid, "unknown request path '" + std::string(path) +
                                      "', expected .../messages, .../chat/completions or "
                                      ".../responses");
}

Route route_of(std::string_view path) {
  path = without_query(path);
  Route route;
  route.conversation = take_segment(path, "/c/");
  route.track = take_segment(path, "/t/");
  for (const auto& [own, kind] : kOwnPaths) {
    if (path != own) continue;
    route.kind = kind;
    return route;
  }
  for (const KnownPath& known : kKnownPaths) {
    if (!path.ends_with(known.end)) continue;
    route.kind = known.kind;
    route.dialect = known.dialect;
    return route;
  }
  const std::size_t models = path.find("/models/");
  if (models == std::string_view::npos) return route;
  route.model = std::string(path.substr(models + std::string_view("/models/").size()));
  if (!route.model.empty()) route.kind = Route::Kind::model;
  return route;
}

std::string_view method_of(Route::Kind kind) {
  switch (kind) {
    case Route::Kind::unknown:
      return "";
    case Route::Kind::generate:
    case Route::Kind::count_tokens:
    case Route::Kind::reset:
      return "POST";
    case Route::Kind::model_list:
    case Route::Kind::model:
    case Route::Kind::journal:
    case Route::Kind::health:
      break;
  }
  return "GET";
}

}  // namespace plumb::simulator
