// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/external/sandbox.h"

#include "engine/kernel/folder_tree.h"
#include "simulator/subjects/session_world.h"
#include "simulator/subjects/workspace_state.h"

namespace plumb::simulator {

Sandbox::Sandbox(engine::Workspace folder)
    : folder_(std::move(folder)),
      workspace_(folder_.path_of("workspace")),
      home_(folder_.path_of("home")) {
  placeholders_.add(workspace_, std::string(kWorkspace));
  placeholders_.add(home_, std::string(kHome));
}

Result<Sandbox> Sandbox::create(const Scenario& scenario) {
  PLUMB_TRY(auto folder, engine::Workspace::create());
  Sandbox sandbox(std::move(folder));
  if (auto laid = sandbox.lay_out(scenario); !laid) {
    return std::unexpected(std::move(laid).error());
  }
  return sandbox;
}

std::string Sandbox::absolute_of(std::string_view path) const {
  if (path.starts_with("~/")) return home_ + "/" + std::string(path.substr(2));
  return workspace_ + "/" + std::string(path);
}

Result<void> Sandbox::put(const FileScript& file) const {
  const auto path = absolute_of(file.path);
  switch (file.kind) {
    case FileKind::regular:
      return engine::put_file(path, file.bytes);
    case FileKind::directory:
      return engine::put_directory(path);
    case FileKind::link:
      return engine::put_symlink(path, placeholders_.real(file.target));
    case FileKind::hard_link:
      return engine::put_hard_link(path, absolute_of(file.target));
  }
  return {};
}

/// Modes last: they may close what still has to be written.
Result<void> Sandbox::lay_out(const Scenario& scenario) const {
  for (const auto& folder : {workspace_, home_}) {
    if (auto made = engine::put_directory(folder); !made) return made;
  }
  for (const auto& file : scenario.files) {
    if (auto done = put(file); !done) return done;
  }
  for (const auto& file : scenario.files) {
    if (!file.mode) continue;
    if (auto set = engine::set_mode(absolute_of(file.path), *file.mode); !set) return set;
  }
  return {};
}

Result<SharedJson> Sandbox::state() const {
  PLUMB_TRY(const auto snapshot, engine::look_at_folder(workspace_));
  Json states = Json::object();
  for (const auto& [path, entry] : snapshot) states[path] = file_state(entry);
  return SharedJson(placeholders_.shown_json(states));
}

}  // namespace plumb::simulator
