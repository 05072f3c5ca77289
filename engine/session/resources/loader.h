// SPDX-License-Identifier: Apache-2.0
// Loads all resources of a session in two stages, so that nothing of a project runs before the
// project is trusted (TRUST-01, TRUST-02). Whatever is wrong with one resource is a diagnostic; the
// others are loaded (RES-02).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/session/resources/context_files.h"
#include "engine/session/resources/discovery.h"
#include "engine/session/resources/prompt_templates.h"
#include "engine/session/resources/settings.h"
#include "engine/session/resources/skills.h"

namespace plumb::engine {

/// What an extension's factory registered.
struct RegisteredNames {
  std::vector<std::string> tools;
  std::vector<std::string> commands;
  std::vector<std::string> flags;
};

/// The port to extension code. One loop.
class ExtensionCode {
 public:
  virtual ~ExtensionCode() = default;
  /// Runs the factory of `source.path` to its end. Errors: why the load failed; it leaves nothing
  /// behind (DISC-17).
  virtual Task<Result<RegisteredNames>> load(SourceInfo source) = 0;
  /// The next loads are of a reload: they run the code anew (DISC-25).
  virtual void forget() = 0;
};

/// An extension that the host gives as a function. `id`: its name, or empty for its
/// number; of a built-in never empty.
struct InlineExtension {
  std::string id;
  bool is_builtin = false;
  bool is_replaceable = false;
};

struct LoadedExtension {
  LoadedExtension(SourceInfo from, RegisteredNames registered)
      : source(std::move(from)), names(std::move(registered)) {}
  SourceInfo source;
  RegisteredNames names;
  bool is_replaceable = false;
};

/// What is looked for; each kind can be switched off alone, what is named stays (RES-09). A host
/// that switches all off and names its own has exactly that (RES-07).
struct LoaderOptions {
  ResourcePlaces places;
  std::vector<std::string> extensions;  ///< Of the command line, as are the next two.
  std::vector<std::string> skills;
  std::vector<std::string> prompts;
  std::vector<InlineExtension> inlined;
  bool finds_extensions = true;
  bool finds_skills = true;
  bool finds_prompts = true;
  bool finds_themes = true;
  bool finds_context_files = true;
  std::optional<std::string> system_prompt;  ///< A file or a text, instead of SYSTEM.md.
  std::vector<std::string> appended;         ///< Files or texts, instead of APPEND_SYSTEM.md.
  PackageInstaller installer;
  /// Told of each phase as it begins: resources, extensions, conflicts, skills, prompts, themes,
  /// context, system (RES-01). May be empty.
  std::function<void(std::string_view phase)> on_phase;
};

struct LoadedResources {
  std::vector<LoadedExtension> extensions;
  std::vector<ResourceDiagnostic> errors;    ///< Of extensions.
  std::vector<ResourceDiagnostic> warnings;  ///< Of packages, built-ins left out and settings.
  SkillList skills;
  TemplateList prompts;
  std::vector<ResourceFile> themes;
  ContextList context;
  std::optional<std::string> system_prompt;
  std::vector<std::string> appended;
  Settings settings;
  std::vector<std::string> searched;  ///< Folders searched for extensions (DISC-26).
  bool is_trusted = false;
};

/// Asked once the extensions that need no trust are loaded.
using DecideTrust = std::function<Task<bool>(std::vector<LoadedExtension> loaded)>;

/// One loop. `load` may be called again: a reload.
class ResourceLoader final {
 public:
  ResourceLoader(Files& files, ExtensionCode& code, LoaderOptions options);

  /// `decide` is called once, after the extensions of user, command line and host have been loaded
  /// (TRUST-01, TRUST-18).
  Task<LoadedResources> load(DecideTrust decide);
  /// With a decision that was made before.
  Task<LoadedResources> load(bool is_trusted);
  /// Adds skills and templates behind those of the last load (RES-15).
  Task<LoadedResources> extend(LoadedResources loaded, std::vector<std::string> skills,
                               std::vector<std::string> prompts);

 private:
  struct Ready {
    Ready(std::string file_key, LoadedExtension loaded)
        : key(std::move(file_key)), extension(std::move(loaded)) {}
    std::string key;
    LoadedExtension extension;
  };

  void start();
  Task<LoadedResources> finish(bool is_trusted);
  /// What to load, in order, each file once; built-ins only if the decision is made (TRUST-19).
  Task<std::vector<ResourceFile>> extension_files(bool is_trusted, bool is_decided);
  void add_builtins(std::vector<ResourceFile>& files) const;
  /// Runs the factories that have not run yet, one after the other (DISC-11).
  Task<void> run_factories(std::vector<ResourceFile> files);
  Task<void> run_factory(SourceInfo source, bool is_replaceable);
  Task<void> put_in_order(std::vector<ResourceFile> files);
  Task<void> report_missing();
  void leave_out_replaced();
  void report_conflicts();
  std::vector<ResourceFile> files_of(ResourceKind kind, const std::vector<std::string>& given,
                                     bool is_found);
  Task<void> load_texts();
  Task<void> load_system_files();
  Task<std::optional<std::string>> system_file(std::string name);
  Task<std::string> text_or_file(std::string given);
  void begin(std::string_view phase) const;

  ResourceFiles files_;
  ExtensionCode& code_;
  LoaderOptions options_;
  SettingsFiles settings_files_;
  ResourceDiscovery discovery_;
  FoundResources named_;
  FoundResources found_;
  LoadedResources loaded_;
  std::vector<Ready> ready_;        ///< In the order of their factories.
  std::vector<std::string> tried_;  ///< Keys of files whose factory ran or failed.
  bool is_first_ = true;
};

}  // namespace plumb::engine
