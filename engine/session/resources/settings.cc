// SPDX-License-Identifier: Apache-2.0
#include "engine/session/resources/settings.h"

#include <array>
#include <utility>

#include "engine/values/json_members.h"

namespace plumb::engine {
namespace {

// Named: a list written in a loop does not outlive an await in it with GCC 12.
constexpr std::array kScopes{SettingsScope::user, SettingsScope::project};

}  // namespace

std::vector<std::string> Settings::list(SettingsScope scope, std::string_view name) const {
  std::vector<std::string> entries;
  const Json& given = at(scope == SettingsScope::user ? user : project, name);
  if (!given.is_array()) return entries;
  for (const auto& entry : given) {
    if (entry.is_string()) entries.push_back(entry.get<std::string>());
  }
  return entries;
}

Json Settings::session_folder() const {
  for (const Json* settings : {&project, &user}) {
    const Json& folder = at(*settings, "sessionDir");
    if (folder.is_string()) return folder;
  }
  return Json();
}

std::string Settings::default_trust() const {
  const std::string given = text_at(user, "defaultProjectTrust");
  return given == "always" || given == "never" ? given : "ask";
}

std::string SettingsFiles::path(SettingsScope scope) const {
  const std::string folder =
      scope == SettingsScope::user ? places_.user_folder : project_folder(places_.cwd);
  return normal_path(folder + "/settings.json");
}

Task<Result<Json>> SettingsFiles::read(SettingsScope scope) {
  const std::string file = path(scope);
  const auto is_there = co_await files_.exists(file);
  if (!is_there) co_return Json::object();
  auto text = co_await files_.read(file);
  if (!text) co_return std::unexpected(text.error());
  auto json = parse_json(without_mark(*std::move(text)), file);
  if (json && !json->is_object()) {
    co_return fail(ErrorCode::invalid, "settings are no object", file);
  }
  co_return json;
}

Task<Settings> SettingsFiles::load(bool is_trusted) {
  Settings settings;
  for (const auto scope : kScopes) {
    if (scope == SettingsScope::project && !is_trusted) continue;
    auto json = co_await read(scope);
    if (!json) {
      settings.diagnostics.emplace_back("error", "settings", path(scope), json.error().message);
      continue;
    }
    (scope == SettingsScope::user ? settings.user : settings.project) = *std::move(json);
  }
  co_return settings;
}

Task<Json> SettingsFiles::early_session_folder() {
  const auto json = co_await read(SettingsScope::project);
  const Json folder = json ? at(*json, "sessionDir") : Json();
  co_return folder.is_string() ? folder : Json();
}

Task<Result<void>> SettingsFiles::set(SettingsScope scope, std::string name, Json value,
                                      bool is_trusted) {
  const std::string file = path(scope);
  if (scope == SettingsScope::project && !is_trusted) {
    co_return fail(ErrorCode::rejected, "the project is not trusted: its settings are not written",
                   file);
  }
  PLUMB_CO_TRY(Json json, co_await read(scope));
  json[name] = std::move(value);
  const auto made = co_await files_.port().make_directory(parent_path(file), true);
  if (!made) co_return made;
  const auto written = co_await files_.port().write(file, dump_json_pretty(json) + "\n");
  co_return written;
}

}  // namespace plumb::engine
