// SPDX-License-Identifier: Apache-2.0
// What the listings of files at the start and the end of a run say of a path.
#include <filesystem>
#include <string>
#include <string_view>

#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

/// A path without `.` and `..` where that can be told from its text.
std::string plain_path(std::string_view path) {
  std::vector<std::string_view> parts;
  for (std::size_t from = 0; from <= path.size();) {
    const auto to = std::min(path.find('/', from), path.size());
    const auto part = path.substr(from, to - from);
    const bool goes_up = part == ".." && !parts.empty() && parts.back() != "..";
    if (goes_up) parts.pop_back();
    if (!goes_up && !part.empty() && part != ".") parts.push_back(part);
    from = to + 1;
  }
  std::string plain = path.starts_with('/') ? "/" : "";
  for (const auto part : parts) {
    if (!plain.empty() && plain != "/") plain += '/';
    plain += part;
  }
  return plain;
}

/// An absolute path of a trace that does not name its workspace: the longest key that it ends with.
std::string longest_ending(const Json& listing, std::string_view path) {
  std::string longest;
  for (const auto& [key, file] : listing.items()) {
    if (path.ends_with("/" + key) && key.size() > longest.size()) longest = key;
  }
  return longest;
}

/// The listing's keys are relative to the workspace; a path may carry the workspace in front. The
/// key that it is, or "".
std::string fitting_key(const Json& listing, std::string_view given, const Story& story) {
  if (!listing.is_object()) return "";
  std::string path = plain_path(given);
  const std::string workspace = story.workspace();
  if (path.starts_with('/') && workspace.empty()) return longest_ending(listing, path);
  const bool is_inside = !workspace.empty() && path.starts_with(workspace + "/");
  if (is_inside) path.erase(0, workspace.size() + 1);
  return listing.contains(path) ? path : std::string();
}

const Json* find_file(const Json& listing, std::string_view path, const Story& story) {
  const auto key = fitting_key(listing, path, story);
  return key.empty() ? nullptr : &listing[key];
}

}  // namespace

const Json* final_file(std::string_view path, const Story& story) {
  return story.final_files == nullptr ? nullptr
                                      : find_file(story.final_files->files.get(), path, story);
}

const Json* first_file(std::string_view path, const Story& story) {
  return story.final_files == nullptr ? nullptr
                                      : find_file(story.final_files->before.get(), path, story);
}

std::string file_key(std::string_view path, const Story& story) {
  if (story.final_files != nullptr) {
    for (const auto* listing : {&story.final_files->files, &story.final_files->before}) {
      auto key = fitting_key(listing->get(), path, story);
      if (!key.empty()) return key;
    }
  }
  return std::string(path);
}

namespace {

/// What a link of the listings leads to, or "".
std::string link_target(const std::string& path, const Story& story) {
  for (const Json* file : {final_file(path, story), first_file(path, story)}) {
    if (file == nullptr || !at(*file, "link").is_string()) continue;
    const auto folder = std::filesystem::path(path).parent_path();
    return (folder / text_at(*file, "link")).lexically_normal().string();
  }
  return "";
}

/// The path with its first folder that is a link followed, or "".
std::string behind_linked_folder(const std::string& path, const Story& story) {
  for (auto end = path.find('/', 1); end != path.npos; end = path.find('/', end + 1)) {
    const auto target = link_target(path.substr(0, end), story);
    if (!target.empty()) return target + path.substr(end);
  }
  return "";
}

}  // namespace

std::string linked_key(std::string_view path, const Story& story) {
  auto key = file_key(path, story);
  for (int hop = 0; hop < 8; ++hop) {
    auto target = link_target(key, story);
    if (target.empty()) target = behind_linked_folder(key, story);
    if (target.empty()) break;
    key = file_key(target, story);
  }
  return key;
}

}  // namespace plumb::invariants
