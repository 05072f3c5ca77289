// SPDX-License-Identifier: Apache-2.0
#include "engine/session/resources/discovery.h"

#include <algorithm>

#include "engine/session/resources/settings_patterns.h"
#include "engine/values/json_members.h"

namespace plumb::engine {
namespace {

// Named: a list written in a loop does not outlive an await in it with GCC 12.
constexpr std::array kStrongestFirst{SettingsScope::project, SettingsScope::user};
constexpr std::array kIndexFiles{"index.ts", "index.js"};

/// Ranks of RES-10.
int settings_rank(SettingsScope scope) {
  return scope == SettingsScope::project ? 0 : 2;
}
int folder_rank(SettingsScope scope) {
  return settings_rank(scope) + 1;
}

std::string scope_name(SettingsScope scope) {
  return scope == SettingsScope::project ? "project" : "user";
}

SourceInfo source_of(std::string from, SettingsScope scope, std::string base) {
  SourceInfo source;
  source.source = std::move(from);
  source.scope = scope_name(scope);
  source.base_dir = std::move(base);
  return source;
}

bool is_script(std::string_view name) {
  return name.ends_with(".ts") || name.ends_with(".js");
}

std::string_view suffix_of(ResourceKind kind) {
  return kind == ResourceKind::theme ? ".json" : ".md";
}

}  // namespace

std::string_view folder_of(ResourceKind kind) {
  constexpr std::array<std::string_view, 4> names{"extensions", "skills", "prompts", "themes"};
  return names.at(static_cast<std::size_t>(kind));
}

std::string ResourceDiscovery::base_of(SettingsScope scope) const {
  return scope == SettingsScope::project ? project_folder(places_.cwd)
                                         : normal_path(places_.user_folder);
}

Task<FoundResources> ResourceDiscovery::find(Settings settings, bool is_trusted) {
  candidates_ = Candidates();
  found_ = FoundResources();
  package_keys_.clear();
  for (const auto scope : kStrongestFirst) {
    if (scope == SettingsScope::project && !is_trusted) continue;
    co_await add_settings(settings, scope);
    co_await add_folders(settings, scope);
    co_await add_agents_folders(settings, scope);
    co_await add_packages(settings, scope);
  }
  co_return co_await take_found();
}

Task<FoundResources> ResourceDiscovery::find_named(std::vector<std::string> paths) {
  candidates_ = Candidates();
  found_ = FoundResources();
  for (const auto& given : paths) {
    const std::string path = resource_path(given, places_.cwd, places_.home);
    const auto kind = co_await files_.kind(path);
    if (!kind) continue;
    SourceInfo source;
    source.source = "cli";
    if (*kind == FileKind::directory) {
      co_await add_package_folder(path, std::move(source), Json());
    } else {
      source.base_dir = parent_path(path);
      add(ResourceKind::extension, Candidate(path, std::move(source), 0));
    }
  }
  co_return co_await take_found();
}

void ResourceDiscovery::add(ResourceKind kind, Candidate candidate) {
  auto& list = candidates_.at(static_cast<std::size_t>(kind));
  const auto same = std::ranges::find(list, candidate.path, &Candidate::path);
  if (same == list.end()) list.push_back(std::move(candidate));
}

/// In order of rank; a file counts at its first place, even where that place switches it off.
Task<FoundResources> ResourceDiscovery::take_found() {
  for (const auto kind : kResourceKinds) {
    auto& list = candidates_.at(static_cast<std::size_t>(kind));
    std::ranges::stable_sort(list, {}, &Candidate::rank);
    std::vector<std::string> keys;
    for (auto& candidate : list) {
      const auto key = co_await files_.key(candidate.path);
      if (std::ranges::find(keys, key) != keys.end()) continue;
      keys.push_back(key);
      if (!candidate.is_enabled) continue;
      candidate.source.path = candidate.path;
      found_.of(kind).emplace_back(std::move(candidate.path), std::move(candidate.source));
    }
  }
  co_return std::exchange(found_, {});
}

Task<void> ResourceDiscovery::add_settings(Settings settings, SettingsScope scope) {
  const std::string base = base_of(scope);
  for (const auto kind : kResourceKinds) {
    const auto entries = settings.list(scope, folder_of(kind));
    const ListPatterns patterns(entries, base);
    for (const auto& entry : entries) {
      if (is_list_pattern(entry)) continue;
      const auto files = co_await files_of(resource_path(entry, base, places_.home), kind);
      for (const auto& file : files) {
        Candidate candidate(file, source_of("local", scope, ""), settings_rank(scope));
        candidate.is_enabled = patterns.takes(file);
        add(kind, std::move(candidate));
      }
    }
  }
}

Task<void> ResourceDiscovery::add_folders(Settings settings, SettingsScope scope) {
  const std::string base = base_of(scope);
  for (const auto kind : kResourceKinds) {
    const std::string folder = normal_path(base + "/" + std::string(folder_of(kind)));
    if (kind == ResourceKind::extension) found_.searched.push_back(folder);
    // Not files_of: prompts and themes of a folder lie directly in it (RES-32).
    const bool is_flat = kind == ResourceKind::prompt || kind == ResourceKind::theme;
    std::vector<std::string> files;
    if (is_flat) {
      files = co_await flat_files(folder, suffix_of(kind));
    } else {
      files = co_await files_of(folder, kind);
    }
    const auto entries = settings.list(scope, folder_of(kind));
    const ListPatterns patterns(entries, base);
    for (const auto& file : files) {
      Candidate candidate(file, source_of("auto", scope, base), folder_rank(scope));
      candidate.is_enabled = patterns.takes(file, false);
      add(kind, std::move(candidate));
    }
  }
}

/// `.agents/skills`: of the user's home, and of the working directory and those above it up to the
/// repository (SKILL-07).
Task<void> ResourceDiscovery::add_agents_folders(Settings settings, SettingsScope scope) {
  const std::string own = normal_path(places_.home + "/.agents");
  std::vector<std::string> folders;
  if (scope == SettingsScope::user) folders.push_back(own);
  std::string folder = normal_path(places_.cwd);
  while (scope == SettingsScope::project) {
    const std::string agents = normal_path(folder + "/.agents");
    if (agents != own) folders.push_back(agents);
    const auto is_repository = co_await files_.exists(normal_path(folder + "/.git"));
    if (is_repository || folder == "/") break;
    folder = parent_path(folder);
  }
  const auto entries = settings.list(scope, "skills");
  for (const auto& agents : folders) {
    SkillFinder finder(files_);
    const auto files = co_await finder.find(agents + "/skills", LooseSkills::below_top);
    const ListPatterns patterns(entries, agents);
    for (const auto& file : files) {
      Candidate candidate(file, source_of("auto", scope, agents), folder_rank(scope));
      candidate.is_enabled = patterns.takes(file, false);
      add(ResourceKind::skill, std::move(candidate));
    }
  }
}

Task<std::vector<std::string>> ResourceDiscovery::files_of(std::string path, ResourceKind kind) {
  const auto found = co_await files_.kind(path);
  std::vector<std::string> files;
  if (!found) co_return files;
  if (*found != FileKind::directory) {
    files.push_back(std::move(path));
    co_return files;
  }
  if (kind == ResourceKind::extension) co_return co_await extensions_in(std::move(path));
  if (kind == ResourceKind::skill) {
    SkillFinder finder(files_);
    co_return co_await finder.find(std::move(path), LooseSkills::at_top);
  }
  co_return co_await deep_files(std::move(path), suffix_of(kind));
}

Task<std::vector<std::string>> ResourceDiscovery::extensions_in(std::string folder) {
  auto files = co_await extension_entries(folder);
  if (!files.empty()) co_return files;  // The folder as a whole is one (DISC-05).
  const auto entries = co_await files_.wanted_entries(std::move(folder));
  for (const auto& entry : entries) {
    if (!entry.is_folder && is_script(entry.name)) files.push_back(entry.path);
    if (!entry.is_folder) continue;
    const auto inner = co_await extension_entries(entry.path);
    files.insert(files.end(), inner.begin(), inner.end());
  }
  co_return files;
}

Task<std::vector<std::string>> ResourceDiscovery::extension_entries(std::string folder) {
  std::vector<std::string> files;
  const Json manifest = co_await manifest_of(folder);
  const Json& named = at(manifest, "extensions");
  for (std::size_t i = 0; named.is_array() && i < named.size(); ++i) {
    if (!named[i].is_string()) continue;
    const std::string path = resource_path(named[i].get<std::string>(), folder, places_.home);
    const auto is_there = co_await files_.exists(path);
    if (is_there) files.push_back(path);
  }
  for (const char* name : kIndexFiles) {
    if (!files.empty()) break;
    const std::string path = normal_path(folder + "/" + name);
    const auto is_there = co_await files_.exists(path);
    if (is_there) files.push_back(path);
  }
  co_return files;
}

Task<std::vector<std::string>> ResourceDiscovery::flat_files(std::string folder,
                                                             std::string_view suffix) {
  std::vector<std::string> files;
  const auto entries = co_await files_.wanted_entries(std::move(folder));
  for (const auto& entry : entries) {
    if (!entry.is_folder && entry.name.ends_with(suffix)) files.push_back(entry.path);
  }
  co_return files;
}

Task<std::vector<std::string>> ResourceDiscovery::deep_files(std::string folder,
                                                             std::string_view suffix) {
  walked_.clear();
  searched_.clear();
  IgnoreChain none;
  co_await walk(std::move(folder), suffix, 0, std::move(none));
  co_return std::exchange(walked_, {});
}

Task<void> ResourceDiscovery::walk(std::string folder, std::string_view suffix, std::int64_t depth,
                                   IgnoreChain chain) {
  const auto may_search = co_await files_.may_search(searched_, folder, depth);
  if (!may_search) co_return;
  chain = co_await files_.enter(std::move(chain), folder);
  const auto entries = co_await files_.entries(std::move(folder));
  for (const auto& entry : entries) {
    if (chain.ignores(entry.path, entry.is_folder)) continue;
    if (entry.is_folder) {
      co_await walk(entry.path, suffix, depth + 1, chain);
    } else if (entry.name.ends_with(suffix)) {
      walked_.push_back(entry.path);
    }
  }
}

/// The `pi` object of a package.json; null without one.
Task<Json> ResourceDiscovery::manifest_of(std::string folder) {
  const auto text = co_await files_.read(normal_path(folder + "/package.json"));
  if (!text) co_return Json();
  const auto json = parse_json(without_mark(*text));
  if (!json) co_return Json();
  const Json manifest = at(*json, "pi");
  co_return manifest.is_object() ? manifest : Json();
}

}  // namespace plumb::engine
