// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/hosted_run.h"

#include <utility>

#include "engine/kernel/folder_tree.h"
#include "engine/kernel/installed.h"
#include "simulator/subjects/session_world.h"

namespace plumb::simulator {

Result<std::vector<engine::FolderPair>> HostedRun::make_folders() {
  PLUMB_TRY(auto folder, engine::Workspace::create());
  folder_ = std::move(folder);
  std::vector<engine::FolderPair> folders;
  folders.emplace_back(std::string(kWorkspace), folder_->path_of("workspace"));
  folders.emplace_back(std::string(kHome), folder_->path_of("home"));
  folders.emplace_back(std::string(kTemporary), folder_->path_of("tmp"));
  for (const auto& one : folders) {
    auto made = engine::put_directory(one.real);
    if (!made) return std::unexpected(std::move(made).error());
  }
  return folders;
}

Result<void> HostedRun::prepare(const engine::SessionOptions& session, std::uint64_t seed) {
  if (world_ != nullptr) return {};
  PLUMB_TRY(auto folders, make_folders());
  mirror_.emplace(memory_, recorder_, folders);
  engine::HostedOptions options;
  options.working_folder = folders[0].real;
  options.home = folders[1].real;
  options.temporary = folders[2].real;
  options.builtin_tools = session.builtin_tools;
  options.before_turn = [this] { mirror_->write_out(); };
  options.after_turn = [this] { mirror_->read_back(); };
  PLUMB_TRY(options.host.process, engine::node_process(options));
  options.host.limits.child = engine::node_limits();
  options.host.folders = std::move(folders);
  options.host.agent_folder = std::string(kHome) + "/.pi/agent";
  options.host.seed = seed;
  memory_.put_directory(options.host.agent_folder);
  world_ = std::make_unique<engine::HostedWorld>(loop_, recorder_, std::move(options));
  return {};
}

engine::ExtensionSource HostedRun::extension(const std::string& path, const std::string& file) {
  return world_->extension(path, engine::absolute_path(file));
}

void HostedRun::set_session(engine::ExtensionHost& session) {
  if (world_ != nullptr) world_->set_session(session);
}

}  // namespace plumb::simulator
