// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/disk_mirror.h"

#include <ranges>

#include "engine/kernel/folder_tree.h"
#include "engine/values/sha256.h"

namespace plumb::simulator {
namespace {

/// Modes and owners stay each side's own.
bool same_content(const engine::SnapshotEntry& one, const engine::SnapshotEntry& other) {
  return one.kind == other.kind && one.content == other.content;
}

bool has_same(const engine::FileSnapshot& snapshot, const std::string& path,
              const engine::SnapshotEntry& entry) {
  const auto found = snapshot.find(path);
  return found != snapshot.end() && same_content(found->second, entry);
}

}  // namespace

engine::FileSnapshot DiskMirror::in_memory() const {
  engine::FileSnapshot mirrored;
  for (auto& [path, entry] : memory_.snapshot()) {
    for (const auto& folder : folders_) {
      if (path.starts_with(folder.named + "/")) mirrored.emplace(path, entry);
    }
  }
  return mirrored;
}

engine::FileSnapshot DiskMirror::on_disk() {
  engine::FileSnapshot mirrored;
  for (const auto& folder : folders_) {
    auto found = engine::look_at_folder(folder.real);
    if (!found) {
      complain(found.error());
      continue;
    }
    for (auto& [path, entry] : *found) {
      mirrored.emplace(folder.named + "/" + path, std::move(entry));
    }
  }
  return mirrored;
}

std::string DiskMirror::real_path(const std::string& path) const {
  for (const auto& folder : folders_) {
    if (path.starts_with(folder.named + "/")) return folder.real + path.substr(folder.named.size());
  }
  return path;
}

Result<void> DiskMirror::copy_out(const std::string& path,
                                  const engine::SnapshotEntry& entry) const {
  const std::string real = real_path(path);
  if (entry.kind == engine::FileKind::directory) return engine::put_directory(real);
  if (entry.kind == engine::FileKind::symlink)
    return engine::put_symlink(real, real_path(entry.content));
  return engine::put_file(real, entry.content);
}

void DiskMirror::write_out() {
  engine::FileSnapshot now = in_memory();
  // What lies deeper goes first.
  for (const auto& path : known_ | std::views::keys | std::views::reverse) {
    if (now.contains(path)) continue;
    const auto removed = engine::remove_entry(real_path(path));
    if (!removed) complain(removed.error());
  }
  for (const auto& [path, entry] : now) {
    if (has_same(known_, path, entry)) continue;
    const auto copied = copy_out(path, entry);
    if (!copied) complain(copied.error());
  }
  known_ = std::move(now);
}

void DiskMirror::read_back() {
  engine::FileSnapshot now = on_disk();
  for (auto& [path, entry] : now) {
    // A link that was copied out has its target made real.
    const auto known = known_.find(path);
    if (entry.kind == engine::FileKind::symlink && known != known_.end() &&
        real_path(known->second.content) == entry.content) {
      entry.content = known->second.content;
    }
    if (!has_same(known_, path, entry)) copy_back(path, entry);
  }
  for (const auto& path : known_ | std::views::keys | std::views::reverse) {
    if (!now.contains(path)) remove_from_memory(path);
  }
  known_ = std::move(now);
}

void DiskMirror::copy_back(const std::string& path, const engine::SnapshotEntry& entry) {
  switch (entry.kind) {
    case engine::FileKind::directory:
      return memory_.put_directory(path);
    case engine::FileKind::symlink:
      remove_from_memory(path);
      return memory_.put_symlink(path, entry.content);
    default:
      memory_.put_file(path, entry.content);
      record("write", path, entry.content);
  }
}

void DiskMirror::remove_from_memory(const std::string& path) {
  const engine::FileRequest removal(engine::FileOp::remove, path);
  if (memory_.perform_now(removal)) record("remove", path, "");
}

void DiskMirror::record(const std::string& op, const std::string& path,
                        const std::string& content) {
  FileOperation event;
  event.op = op;
  event.path = path;
  event.real_path = path;
  event.phase = "begin";
  const auto begin = recorder_.record(Source::port, event);
  event.phase = "end";
  event.result = "ok";
  if (op == "write") {
    event.bytes = std::ssize(content);
    event.hash = sha256_hex(content);
  }
  recorder_.record(Source::port, std::move(event), "", begin);
}

void DiskMirror::complain(const Error& error) {
  Diagnostic event;
  event.code = "not_mirrored";
  event.message = error.message;
  recorder_.record(Source::host, std::move(event));
}

}  // namespace plumb::simulator
