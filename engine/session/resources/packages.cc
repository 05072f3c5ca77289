// SPDX-License-Identifier: Apache-2.0
// Packages of settings and of the command line: folders with resources of their own.
#include <algorithm>

#include "engine/session/resources/discovery.h"
#include "engine/session/resources/settings_patterns.h"
#include "engine/values/json_members.h"

namespace plumb::engine {
namespace {

constexpr int kPackageOrder = 4;

/// `npm:NAME@VERSION` and `git:HOST/PATH@REF` without their prefix and version; "" for a path.
std::string remote_name(std::string_view source) {
  const bool is_npm = source.starts_with("npm:");
  const bool is_git =
      source.starts_with("git:") || source.starts_with("https://") || source.starts_with("ssh://");
  if (!is_npm && !is_git) return "";
  std::string_view name = source.substr(is_npm || source.starts_with("git:") ? 4 : 0);
  if (const auto host = name.find("://"); host != name.npos) name.remove_prefix(host + 3);
  // A scope begins with an @ as well.
  const auto version = name.rfind('@');
  if (version != name.npos && version > 0) name = name.substr(0, version);
  if (name.ends_with(".git")) name.remove_suffix(4);
  return std::string(name);
}

std::vector<std::string> strings_of(const Json& list) {
  std::vector<std::string> strings;
  for (std::size_t i = 0; list.is_array() && i < list.size(); ++i) {
    if (list[i].is_string()) strings.push_back(list[i].get<std::string>());
  }
  return strings;
}

bool names_resources(const Json& manifest) {
  return std::ranges::any_of(kResourceKinds, [&](ResourceKind kind) {
    return manifest.is_object() && manifest.contains(std::string(folder_of(kind)));
  });
}

}  // namespace

Task<void> ResourceDiscovery::add_packages(Settings settings, SettingsScope scope) {
  const Json packages =
      at(scope == SettingsScope::project ? settings.project : settings.user, "packages");
  for (std::size_t i = 0; packages.is_array() && i < packages.size(); ++i) {
    co_await add_package(packages[i], scope);
  }
}

Task<void> ResourceDiscovery::add_package(Json package, SettingsScope scope) {
  const bool is_plain = package.is_string();
  const std::string given = is_plain ? package.get<std::string>() : text_at(package, "source");
  if (given.empty()) co_return;
  const std::string name = remote_name(given);
  const bool is_npm = given.starts_with("npm:");
  const std::string base = base_of(scope);
  const std::string folder =
      name.empty() ? resource_path(given, base, places_.home)
                   : normal_path(base + (is_npm ? "/npm/node_modules/" : "/git/") + name);
  // The project's settings come first: the same package of the user is left out.
  const std::string key = name.empty() ? folder : name;
  if (std::ranges::find(package_keys_, key) != package_keys_.end()) co_return;
  package_keys_.push_back(key);
  const std::string owner = scope == SettingsScope::project ? "project" : "user";
  auto kind = co_await files_.kind(folder);
  if (!kind && !name.empty()) {
    Result<void> installed = fail(ErrorCode::not_found, "there is nothing that installs packages");
    if (installer_) installed = co_await installer_(given, owner, folder);
    kind = co_await files_.kind(folder);
    if (!installed || !kind) {
      const std::string why = installed ? "it is not there" : installed.error().message;
      found_.diagnostics.emplace_back("warning", "package", given,
                                      "the package was not installed (" + why +
                                          "); remove it from `packages` in " + base +
                                          "/settings.json if it is not wanted");
      co_return;
    }
  }
  if (!kind) co_return;
  SourceInfo source;
  source.source = given;
  source.scope = owner;
  source.origin = "package";
  source.base_dir = *kind == FileKind::directory ? folder : parent_path(folder);
  if (*kind != FileKind::directory) {
    add(ResourceKind::extension, Candidate(folder, std::move(source), kPackageOrder));
    co_return;
  }
  Json filter = is_plain ? Json() : std::move(package);
  co_await add_package_folder(folder, std::move(source), std::move(filter));
}

/// `filter`: an object whose lists choose among the package's files, or null.
Task<void> ResourceDiscovery::add_package_folder(std::string folder, SourceInfo source,
                                                 Json filter) {
  const bool is_temporary = source.scope == "temporary";
  const int rank = is_temporary ? 0 : kPackageOrder;
  source.base_dir = folder;
  bool has_any = filter.is_object();
  for (const auto kind : kResourceKinds) {
    const auto files = co_await manifest_files(folder, kind);
    has_any = has_any || is_listed_;
    const std::string name(folder_of(kind));
    const bool is_chosen = filter.is_object() && filter.contains(name);
    const auto chosen = strings_of(at(filter, name));
    const ListPatterns patterns(chosen, folder);
    for (const auto& file : files) {
      Candidate candidate(file, source, rank);
      const bool is_named = std::ranges::any_of(chosen, [&](const std::string& entry) {
        return !is_list_pattern(entry) && resource_path(entry, folder, "") == file;
      });
      const bool is_taken = is_named || (!chosen.empty() && patterns.takes(file));
      candidate.is_enabled = !is_chosen || is_taken;
      add(kind, std::move(candidate));
    }
  }
  if (has_any) co_return;
  const auto entries = co_await extension_entries(folder);
  for (const auto& file : entries) {
    add(ResourceKind::extension, Candidate(file, source, rank));
  }
}

/// What a package's manifest lists, or without one what lies in the folder of that name.
Task<std::vector<std::string>> ResourceDiscovery::manifest_files(std::string folder,
                                                                 ResourceKind kind) {
  const Json manifest = co_await manifest_of(folder);
  std::vector<std::string> files;
  if (!names_resources(manifest)) {
    const std::string inside = normal_path(folder + "/" + std::string(folder_of(kind)));
    is_listed_ = co_await files_.exists(inside);
    co_return co_await files_of(inside, kind);
  }
  is_listed_ = true;
  const auto entries = strings_of(at(manifest, folder_of(kind)));
  for (const auto& entry : entries) {
    if (is_list_pattern(entry)) continue;
    const auto more = co_await files_of(resource_path(entry, folder, ""), kind);
    files.insert(files.end(), more.begin(), more.end());
  }
  const bool has_globs = std::ranges::any_of(entries, [](const std::string& entry) {
    return is_list_pattern(entry) && !is_override(entry);
  });
  if (has_globs) {
    const auto all = co_await deep_files(folder, kind == ResourceKind::theme       ? ".json"
                                                 : kind == ResourceKind::extension ? ""
                                                                                   : ".md");
    std::vector<std::string> globs;
    std::ranges::copy_if(entries, std::back_inserter(globs), [](const std::string& entry) {
      return is_list_pattern(entry) && !is_override(entry);
    });
    const ListPatterns patterns(globs, folder);
    std::ranges::copy_if(all, std::back_inserter(files),
                         [&](const std::string& file) { return patterns.takes(file); });
  }
  std::vector<std::string> overrides;
  std::ranges::copy_if(entries, std::back_inserter(overrides),
                       [](const std::string& entry) { return is_override(entry); });
  const ListPatterns patterns(overrides, folder);
  std::erase_if(files, [&](const std::string& file) { return !patterns.takes(file); });
  co_return files;
}

}  // namespace plumb::engine
