// SPDX-License-Identifier: Apache-2.0
// Settings of the user and of the project, as far as resources need them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/session/resources/resource.h"
#include "engine/session/resources/resource_files.h"
#include "engine/values/json.h"

namespace plumb::engine {

enum class SettingsScope : std::uint8_t { user, project };

/// Objects, empty where there is no file. `project` stays empty while the project is not trusted
/// (TRUST-22).
struct Settings {
  Json user = Json::object();
  Json project = Json::object();
  std::vector<ResourceDiagnostic> diagnostics;

  /// The strings of a list, `extensions`, `skills`, ...; anything else in it is passed over.
  std::vector<std::string> list(SettingsScope scope, std::string_view name) const;
  /// Null without one; the project's before the user's.
  Json session_folder() const;
  /// always, never or ask; only the user sets it (TRUST-15).
  std::string default_trust() const;
};

/// One loop.
class SettingsFiles final {
 public:
  SettingsFiles(ResourceFiles& files, ResourcePlaces places)
      : files_(files), places_(std::move(places)) {}

  std::string path(SettingsScope scope) const;
  /// A file that cannot be read gives a diagnostic and counts as empty.
  Task<Settings> load(bool is_trusted);
  /// sessionDir of the project's settings, read before any decision (TRUST-06); null without one.
  Task<Json> early_session_folder();
  /// Sets one member, the others stay. Errors: rejected, for a project that is not trusted
  /// (TRUST-22); invalid, for a file that is no object; those of writing.
  Task<Result<void>> set(SettingsScope scope, std::string name, Json value, bool is_trusted);

 private:
  Task<Result<Json>> read(SettingsScope scope);

  ResourceFiles& files_;
  ResourcePlaces places_;
};

}  // namespace plumb::engine
