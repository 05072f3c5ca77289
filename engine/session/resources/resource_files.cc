// SPDX-License-Identifier: Apache-2.0
#include "engine/session/resources/resource_files.h"

#include <algorithm>
#include <array>
#include <ranges>

namespace plumb::engine {
namespace {

constexpr std::array<const char*, 3> kIgnoreFiles{".gitignore", ".ignore", ".fdignore"};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

}  // namespace

std::string project_folder(std::string_view cwd) {
  return normal_path(std::string(cwd) + "/.pi");
}

std::string resource_path(std::string_view path, std::string_view base, std::string_view home) {
  path = trimmed(path);
  if (path == "~" || path.starts_with("~/")) {
    return normal_path(std::string(home) + std::string(path.substr(1)));
  }
  if (path.starts_with('/')) return normal_path(path);
  return normal_path(std::string(base) + "/" + std::string(path));
}

std::string base_name(std::string_view path) {
  const auto slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

bool is_within(std::string_view path, std::string_view folder) {
  if (folder == "/") return true;
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

std::string without_mark(std::string text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  return text;
}

void IgnoreChain::add(std::string folder, IgnoreRules rules) {
  files_.emplace_back(std::move(folder), std::move(rules));
}

bool IgnoreChain::ignores(const std::string& path, bool is_folder) const {
  for (const auto& [folder, rules] : std::views::reverse(files_)) {
    const auto begin = folder == "/" ? 1 : folder.size() + 1;
    const auto verdict = rules.judge(std::string_view(path).substr(begin), is_folder);
    if (verdict) return *verdict == IgnoreVerdict::ignored;
  }
  return false;
}

Task<std::optional<FileKind>> ResourceFiles::kind(std::string path) {
  const auto stat = co_await files_.stat(std::move(path));
  if (!stat) co_return std::nullopt;
  co_return stat->kind;
}

Task<bool> ResourceFiles::exists(std::string path) {
  const auto found = co_await kind(std::move(path));
  co_return found.has_value();
}

Task<Result<std::string>> ResourceFiles::read(std::string path) {
  const auto stat = co_await files_.stat(path);
  if (!stat) co_return std::unexpected(stat.error());
  if (stat->size > kResourceBytesMax) {
    co_return fail(ErrorCode::exhausted, "longer than 4 MiB: " + path);
  }
  auto text = co_await files_.read(std::move(path));
  co_return text;
}

Task<std::vector<FolderEntry>> ResourceFiles::entries(std::string folder) {
  std::vector<FolderEntry> found;
  const auto names = co_await files_.list(folder);
  if (!names) co_return found;
  for (const auto& name : *names) {
    if (name.starts_with('.') || name == "node_modules") continue;
    if (std::ssize(found) == kResourceEntriesMax) break;
    const std::string path = normal_path(folder + "/" + name);
    const auto entry_kind = co_await kind(path);
    if (!entry_kind) continue;
    FolderEntry entry;
    entry.name = name;
    entry.path = path;
    entry.is_folder = *entry_kind == FileKind::directory;
    found.push_back(std::move(entry));
  }
  co_return found;
}

Task<IgnoreChain> ResourceFiles::enter(IgnoreChain chain, std::string folder) {
  for (const char* name : kIgnoreFiles) {
    const auto text = co_await read(normal_path(folder + "/" + name));
    if (text) chain.add(folder, IgnoreRules::parse(*text));
  }
  co_return chain;
}

Task<std::vector<FolderEntry>> ResourceFiles::wanted_entries(std::string folder) {
  IgnoreChain none;
  const auto chain = co_await enter(std::move(none), folder);
  auto found = co_await entries(std::move(folder));
  std::erase_if(
      found, [&](const FolderEntry& entry) { return chain.ignores(entry.path, entry.is_folder); });
  co_return found;
}

Task<bool> ResourceFiles::may_search(SearchedFolders& searched, std::string folder,
                                     std::int64_t depth) {
  if (depth > kResourceDepthMax) co_return false;
  auto real = co_await key(std::move(folder));
  if (std::ranges::find(searched, real) != searched.end()) co_return false;
  searched.push_back(std::move(real));
  co_return true;
}

Task<std::string> ResourceFiles::key(std::string path) {
  const auto real = co_await files_.real_path(path);
  co_return real ? *real : path;
}

}  // namespace plumb::engine
