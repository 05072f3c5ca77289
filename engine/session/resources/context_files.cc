// SPDX-License-Identifier: Apache-2.0
#include "engine/session/resources/context_files.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/session/resources/text_words.h"

namespace plumb::engine {
namespace {

constexpr std::array<const char*, 5> kContextNames{"AGENTS.override.md", "AGENTS.md", "AGENTS.MD",
                                                   "CLAUDE.md", "CLAUDE.MD"};

/// The folder that a worktree's .git file names; "" if the text is none.
std::string git_folder_of(const std::string& text, const std::string& root) {
  constexpr std::string_view kKey = "gitdir:";
  if (!text.starts_with(kKey)) return "";
  return resource_path(trimmed_words(std::string_view(text).substr(kKey.size())), root, "");
}

}  // namespace

Task<ContextList> ContextFinder::load(ResourcePlaces places) {
  diagnostics_.clear();
  std::vector<ContextFile> found;
  const auto shadowed = co_await shadowed_file(places.cwd);
  for (std::string folder = normal_path(places.cwd);; folder = parent_path(folder)) {
    auto file = co_await of_folder(folder);
    if (file) {
      const auto real = co_await files_.key(folder);
      const bool is_shadowed = shadowed && real + "/" + base_name(file->path) == *shadowed;
      if (!is_shadowed) found.push_back(*std::move(file));
    }
    if (folder == "/") break;
  }
  auto user = co_await of_folder(normal_path(places.user_folder));
  if (user) {
    std::erase_if(found, [&](const ContextFile& file) { return file.path == user->path; });
    found.push_back(*std::move(user));
  }
  std::ranges::reverse(found);
  ContextList list;
  list.files = std::move(found);
  list.diagnostics = std::exchange(diagnostics_, {});
  co_return list;
}

Task<std::optional<ContextFile>> ContextFinder::of_folder(std::string folder) {
  for (const char* name : kContextNames) {
    const std::string path = normal_path(folder + "/" + name);
    const auto kind = co_await files_.kind(path);
    if (!kind || *kind == FileKind::directory) continue;
    auto text = co_await files_.read(path);
    if (text) {
      ContextFile file;
      file.path = path;
      file.content = without_mark(*std::move(text));
      co_return file;
    }
    diagnostics_.emplace_back("warning", "context", path, text.error().message);
  }
  co_return std::nullopt;
}

/// In a linked worktree inside its main repository: the main copy of its context file (RES-22).
Task<std::optional<std::string>> ContextFinder::shadowed_file(std::string cwd) {
  std::string root = normal_path(cwd);
  auto kind = co_await files_.kind(root + "/.git");
  while (!kind && root != "/") {
    root = parent_path(root);
    kind = co_await files_.kind(normal_path(root + "/.git"));
  }
  if (!kind || *kind == FileKind::directory) co_return std::nullopt;
  const auto link = co_await files_.read(root + "/.git");
  const std::string git = link ? git_folder_of(*link, root) : "";
  if (git.empty()) co_return std::nullopt;
  const auto common = co_await files_.read(git + "/commondir");
  if (!common) co_return std::nullopt;
  const auto shared = co_await files_.key(resource_path(*common, git, ""));
  const auto main = parent_path(shared);
  const auto real = co_await files_.key(root);
  const auto main_git = co_await files_.key(normal_path(main + "/.git"));
  if (real == main || !is_within(real, main) || main_git != shared) co_return std::nullopt;
  const auto own = co_await of_folder(root);
  if (!own) co_return std::nullopt;
  co_return normal_path(main + "/" + base_name(own->path));
}

std::string context_section(std::span<const ContextFile> files) {
  if (files.empty()) return "";
  std::string text = "Instructions of this project and its user:";
  for (const auto& file : files) {
    text += "\n\n<project_instructions path=\"" + file.path + "\">\n" + file.content +
            "\n</project_instructions>";
  }
  return text;
}

}  // namespace plumb::engine
