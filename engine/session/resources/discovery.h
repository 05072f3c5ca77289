// SPDX-License-Identifier: Apache-2.0
// Which files are resources: of settings, of the folders of project and user, of packages, in the
// order of RES-10. Nothing is run and no text but manifests and ignore files is read.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/session/resources/resource.h"
#include "engine/session/resources/resource_files.h"
#include "engine/session/resources/settings.h"
#include "engine/session/resources/skills.h"

namespace plumb::engine {

enum class ResourceKind : std::uint8_t { extension, skill, prompt, theme };
inline constexpr std::array<ResourceKind, 4> kResourceKinds{
    ResourceKind::extension, ResourceKind::skill, ResourceKind::prompt, ResourceKind::theme};
/// The plural that names folders, settings and manifest entries: "extensions".
std::string_view folder_of(ResourceKind kind);

/// The files of each kind, in order, each real path once (RES-11).
struct FoundResources {
  std::array<std::vector<ResourceFile>, 4> by_kind;
  std::vector<ResourceDiagnostic> diagnostics;
  /// Folders that were searched for extensions (DISC-26).
  std::vector<std::string> searched;

  std::vector<ResourceFile>& of(ResourceKind kind) {
    return by_kind.at(static_cast<std::size_t>(kind));
  }
};

/// Fetches a package that is not there: `npm:NAME`, `git:...`. Errors: why it cannot be had.
using PackageInstaller =
    std::function<Task<Result<void>>(std::string source, std::string scope, std::string folder)>;

/// One loop.
class ResourceDiscovery final {
 public:
  /// `installer` may be empty: a package that is not there is then reported (RES-14).
  ResourceDiscovery(ResourceFiles& files, ResourcePlaces places, PackageInstaller installer = {})
      : files_(files), places_(std::move(places)), installer_(std::move(installer)) {}

  /// Project places count only when `is_trusted`, and `settings` hold the project's only then
  /// (TRUST-02, TRUST-04).
  Task<FoundResources> find(Settings settings, bool is_trusted);
  /// What the command line names: files, and folders as packages; scope temporary (DISC-08). What
  /// is not there is left out.
  Task<FoundResources> find_named(std::vector<std::string> paths);
  /// The entry files of an extension folder: its manifest's, else index.ts, else index.js
  /// (DISC-04); empty for none.
  Task<std::vector<std::string>> extension_entries(std::string folder);

 private:
  struct Candidate {
    Candidate(std::string file, SourceInfo from, int order)
        : path(std::move(file)), source(std::move(from)), rank(order) {}
    std::string path;
    SourceInfo source;
    int rank;
    bool is_enabled = true;
  };
  using Candidates = std::array<std::vector<Candidate>, 4>;

  Task<void> add_settings(Settings settings, SettingsScope scope);
  Task<void> add_folders(Settings settings, SettingsScope scope);
  Task<void> add_agents_folders(Settings settings, SettingsScope scope);
  Task<void> add_packages(Settings settings, SettingsScope scope);
  Task<void> add_package(Json package, SettingsScope scope);
  Task<void> add_package_folder(std::string folder, SourceInfo source, Json filter);
  Task<std::vector<std::string>> manifest_files(std::string folder, ResourceKind kind);
  Task<std::vector<std::string>> files_of(std::string path, ResourceKind kind);
  Task<std::vector<std::string>> extensions_in(std::string folder);
  Task<std::vector<std::string>> flat_files(std::string folder, std::string_view suffix);
  Task<std::vector<std::string>> deep_files(std::string folder, std::string_view suffix);
  Task<void> walk(std::string folder, std::string_view suffix, std::int64_t depth,
                  IgnoreChain chain);
  Task<Json> manifest_of(std::string folder);
  std::string base_of(SettingsScope scope) const;
  void add(ResourceKind kind, Candidate candidate);
  Task<FoundResources> take_found();

  ResourceFiles& files_;
  ResourcePlaces places_;
  PackageInstaller installer_;
  Candidates candidates_;
  FoundResources found_;
  std::vector<std::string> walked_;
  SearchedFolders searched_;
  std::vector<std::string> package_keys_;
  bool is_listed_ = false;  ///< Of manifest_files: whether the package speaks of that kind.
};

}  // namespace plumb::engine
