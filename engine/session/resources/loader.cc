// SPDX-License-Identifier: Apache-2.0
#include "engine/session/resources/loader.h"

#include <algorithm>
#include <map>

#include "engine/session/resources/settings_patterns.h"

namespace plumb::engine {
namespace {

constexpr std::string_view kBuiltinPrefix = "builtin:";

bool is_builtin_path(std::string_view path) {
  return path.starts_with(kBuiltinPrefix);
}

/// An extension without a name has its number among those that are no built-ins.
SourceInfo inlined_info(const std::vector<InlineExtension>& all, std::size_t index) {
  const InlineExtension& given = all[index];
  SourceInfo source;
  source.source = given.is_builtin ? "builtin" : "inline";
  if (given.is_builtin) {
    source.path = std::string(kBuiltinPrefix) + given.id;
    return source;
  }
  const auto before = all.begin() + static_cast<std::ptrdiff_t>(index);
  const auto number =
      1 + std::ranges::count(all.begin(), before, false, &InlineExtension::is_builtin);
  source.path = "<inline:" + (given.id.empty() ? std::to_string(number) : given.id) + ">";
  return source;
}

std::vector<ResourceFile> named_files(const std::vector<std::string>& paths,
                                      const ResourcePlaces& places) {
  std::vector<ResourceFile> files;
  for (const auto& path : paths) {
    SourceInfo source;
    source.source = "cli";
    files.emplace_back(resource_path(path, places.cwd, places.home), std::move(source));
  }
  return files;
}

/// What was told once is not told again.
void append_new(std::vector<ResourceDiagnostic>& all, std::vector<ResourceDiagnostic> more) {
  for (auto& one : more) {
    if (std::ranges::find(all, one) == all.end()) all.push_back(std::move(one));
  }
}

void append_files(std::vector<ResourceFile>& files, const std::vector<ResourceFile>& more) {
  files.insert(files.end(), more.begin(), more.end());
}

/// {kind, name} of everything an extension registered.
using Claim = std::pair<std::string_view, std::string>;
std::vector<Claim> claims_of(const RegisteredNames& names) {
  std::vector<Claim> claims;
  for (const auto& name : names.tools) claims.emplace_back("tool", name);
  for (const auto& name : names.commands) claims.emplace_back("command", name);
  for (const auto& name : names.flags) claims.emplace_back("flag", name);
  return claims;
}

std::string shown_claim(const Claim& claim) {
  const std::string sign = claim.first == "command" ? "/" : claim.first == "flag" ? "--" : "";
  return std::string(claim.first) + " " + sign + claim.second;
}

}  // namespace

ResourceLoader::ResourceLoader(Files& files, ExtensionCode& code, LoaderOptions options)
    : files_(files),
      code_(code),
      options_(std::move(options)),
      settings_files_(files_, options_.places),
      discovery_(files_, options_.places, options_.installer) {}

void ResourceLoader::begin(std::string_view phase) const {
  if (options_.on_phase) options_.on_phase(phase);
}

void ResourceLoader::start() {
  if (!is_first_) code_.forget();
  is_first_ = false;
  loaded_ = LoadedResources();
  ready_.clear();
  tried_.clear();
}

Task<LoadedResources> ResourceLoader::load(DecideTrust decide) {
  start();
  auto files = co_await extension_files(false, false);
  co_await run_factories(std::move(files));
  std::vector<LoadedExtension> early;
  for (const auto& ready : ready_) early.push_back(ready.extension);
  const bool is_trusted = co_await decide(std::move(early));
  co_return co_await finish(is_trusted);
}

Task<LoadedResources> ResourceLoader::load(bool is_trusted) {
  start();
  co_return co_await finish(is_trusted);
}

Task<LoadedResources> ResourceLoader::finish(bool is_trusted) {
  begin("resources");
  loaded_.is_trusted = is_trusted;
  const auto files = co_await extension_files(is_trusted, true);
  begin("extensions");
  co_await run_factories(files);
  co_await put_in_order(files);
  begin("conflicts");
  leave_out_replaced();
  report_conflicts();
  co_await report_missing();
  co_await load_texts();
  co_await load_system_files();
  co_return std::exchange(loaded_, {});
}

Task<std::vector<ResourceFile>> ResourceLoader::extension_files(bool is_trusted, bool is_decided) {
  loaded_.settings = co_await settings_files_.load(is_trusted);
  found_ = co_await discovery_.find(loaded_.settings, is_trusted);
  named_ = co_await discovery_.find_named(options_.extensions);
  loaded_.searched = found_.searched;
  loaded_.warnings = loaded_.settings.diagnostics;
  loaded_.warnings.insert(loaded_.warnings.end(), found_.diagnostics.begin(),
                          found_.diagnostics.end());
  std::vector<ResourceFile> all = named_.of(ResourceKind::extension);
  if (options_.finds_extensions) append_files(all, found_.of(ResourceKind::extension));
  std::vector<ResourceFile> files;
  std::vector<std::string> keys;
  for (auto& file : all) {
    const auto key = co_await files_.key(file.path);
    if (std::ranges::find(keys, key) != keys.end()) continue;
    keys.push_back(key);
    files.push_back(std::move(file));
  }
  if (is_decided) add_builtins(files);
  co_return files;
}

/// Those of the command line come where it names them; the others, unless settings switch them
/// off, behind all files.
void ResourceLoader::add_builtins(std::vector<ResourceFile>& files) const {
  const std::string base = normal_path(options_.places.user_folder);
  const auto user = loaded_.settings.list(SettingsScope::user, "extensions");
  const auto project = loaded_.settings.list(SettingsScope::project, "extensions");
  for (std::size_t i = 0; i < options_.inlined.size(); ++i) {
    if (!options_.inlined[i].is_builtin) continue;
    SourceInfo source = inlined_info(options_.inlined, i);
    const bool is_named =
        std::ranges::find(options_.extensions, source.path) != options_.extensions.end();
    const bool is_on = ListPatterns(user, base).takes(source.path, false) &&
                       ListPatterns(project, base).takes(source.path, false);
    const bool is_forced = std::ranges::find(project, "+" + source.path) != project.end();
    if (!is_named && (!options_.finds_extensions || (!is_on && !is_forced))) continue;
    std::string path = source.path;
    files.emplace_back(std::move(path), std::move(source));
  }
}

Task<void> ResourceLoader::run_factories(std::vector<ResourceFile> files) {
  for (const auto& file : files) {
    const auto own = std::ranges::find_if(options_.inlined, [&](const InlineExtension& given) {
      return given.is_builtin && std::string(kBuiltinPrefix) + given.id == file.path;
    });
    co_await run_factory(file.source, own != options_.inlined.end() && own->is_replaceable);
  }
  for (std::size_t i = 0; i < options_.inlined.size(); ++i) {
    const InlineExtension& given = options_.inlined[i];
    if (given.is_builtin) continue;
    co_await run_factory(inlined_info(options_.inlined, i), given.is_replaceable);
  }
}

Task<void> ResourceLoader::run_factory(SourceInfo source, bool is_replaceable) {
  const std::string key = co_await files_.key(source.path);
  if (std::ranges::find(tried_, key) != tried_.end()) co_return;
  tried_.push_back(key);
  auto names = co_await code_.load(source);
  if (!names) {
    loaded_.errors.emplace_back("error", "extension", source.path, names.error().message);
    co_return;
  }
  LoadedExtension extension(std::move(source), *std::move(names));
  extension.is_replaceable = is_replaceable;
  ready_.emplace_back(key, std::move(extension));
}

Task<void> ResourceLoader::put_in_order(std::vector<ResourceFile> files) {
  std::vector<Ready> rest = std::exchange(ready_, {});
  for (const auto& file : files) {
    const auto key = co_await files_.key(file.path);
    const auto found = std::ranges::find(rest, key, &Ready::key);
    if (found == rest.end()) continue;
    // It keeps the name under which it ran; where it is from is what the order says (RES-13).
    SourceInfo& source = found->extension.source;
    std::string path = std::move(source.path);
    source = file.source;
    source.path = std::move(path);
    loaded_.extensions.push_back(std::move(found->extension));
    rest.erase(found);
  }
  for (auto& ready : rest) {
    // What only the first stage found is gone: project settings may switch off a user's file.
    if (!ready.key.starts_with("<inline:")) continue;
    loaded_.extensions.push_back(std::move(ready.extension));
  }
}

void ResourceLoader::leave_out_replaced() {
  std::map<Claim, std::string> owners;
  for (const auto& extension : loaded_.extensions) {
    if (extension.is_replaceable) continue;
    for (auto& claim : claims_of(extension.names)) {
      owners.emplace(std::move(claim), extension.source.path);
    }
  }
  std::erase_if(loaded_.extensions, [&](const LoadedExtension& extension) {
    if (!extension.is_replaceable) return false;
    for (const auto& claim : claims_of(extension.names)) {
      const auto owner = owners.find(claim);
      if (owner == owners.end()) continue;
      ResourceDiagnostic warning("warning", "extension", extension.source.path,
                                 owner->second + " registers " + shown_claim(claim) + ": " +
                                     extension.source.path + " is left out");
      warning.name = claim.second;
      warning.winner = owner->second;
      loaded_.warnings.push_back(std::move(warning));
      return true;
    }
    return false;
  });
}

void ResourceLoader::report_conflicts() {
  std::map<Claim, std::string> owners;
  for (const auto& extension : loaded_.extensions) {
    for (auto& claim : claims_of(extension.names)) {
      if (claim.first == "command") continue;  // Commands of one name are numbered (EXT-20).
      const auto [owner, is_first] = owners.try_emplace(claim, extension.source.path);
      if (is_first || owner->second == extension.source.path) continue;
      ResourceDiagnostic error("error", "extension", extension.source.path,
                               shown_claim(claim) + " belongs to " + owner->second);
      error.name = claim.second;
      error.winner = owner->second;
      loaded_.errors.push_back(std::move(error));
    }
  }
}

Task<void> ResourceLoader::report_missing() {
  for (const auto& given : options_.extensions) {
    if (is_builtin_path(given)) {
      const bool is_known =
          std::ranges::any_of(options_.inlined, [&](const InlineExtension& inlined) {
            return inlined.is_builtin && std::string(kBuiltinPrefix) + inlined.id == given;
          });
      if (!is_known) {
        loaded_.errors.emplace_back("error", "extension", given, "there is no such built-in");
      }
      continue;
    }
    const std::string path = resource_path(given, options_.places.cwd, options_.places.home);
    const auto is_there = co_await files_.exists(path);
    if (is_there) continue;
    loaded_.errors.emplace_back("error", "extension", path, "the path does not exist");
  }
}

/// Those of the command line, of its packages, and those found if they are searched for.
std::vector<ResourceFile> ResourceLoader::files_of(ResourceKind kind,
                                                   const std::vector<std::string>& given,
                                                   bool is_found) {
  auto files = named_files(given, options_.places);
  append_files(files, named_.of(kind));
  if (is_found) append_files(files, found_.of(kind));
  return files;
}

Task<void> ResourceLoader::load_texts() {
  begin("skills");
  SkillFinder skill_finder(files_);
  auto skills = files_of(ResourceKind::skill, options_.skills, options_.finds_skills);
  loaded_.skills = co_await skill_finder.load(std::move(skills));
  begin("prompts");
  TemplateFinder template_finder(files_);
  auto prompts = files_of(ResourceKind::prompt, options_.prompts, options_.finds_prompts);
  loaded_.prompts = co_await template_finder.load(std::move(prompts));
  begin("themes");
  loaded_.themes = files_of(ResourceKind::theme, {}, options_.finds_themes);
  begin("context");
  if (!options_.finds_context_files) co_return;
  ContextFinder context_finder(files_);
  loaded_.context = co_await context_finder.load(options_.places);
}

Task<void> ResourceLoader::load_system_files() {
  begin("system");
  if (options_.system_prompt) {
    loaded_.system_prompt = co_await text_or_file(*options_.system_prompt);
  } else {
    loaded_.system_prompt = co_await system_file("SYSTEM.md");
  }
  for (const auto& given : options_.appended) {
    loaded_.appended.push_back(co_await text_or_file(given));
  }
  if (!options_.appended.empty()) co_return;
  auto text = co_await system_file("APPEND_SYSTEM.md");
  if (text) loaded_.appended.push_back(*std::move(text));
}

/// The project's where it is trusted and has one, else the user's (RES-25).
Task<std::optional<std::string>> ResourceLoader::system_file(std::string name) {
  std::vector<std::string> places;
  if (loaded_.is_trusted) places.push_back(project_folder(options_.places.cwd));
  places.push_back(normal_path(options_.places.user_folder));
  for (const auto& folder : places) {
    const std::string path = folder + "/" + name;
    const auto is_there = co_await files_.exists(path);
    if (!is_there) continue;
    auto text = co_await files_.read(path);
    if (text) co_return without_mark(*std::move(text));
    loaded_.warnings.emplace_back("warning", "context", path, text.error().message);
    co_return std::nullopt;
  }
  co_return std::nullopt;
}

Task<std::string> ResourceLoader::text_or_file(std::string given) {
  const std::string path = resource_path(given, options_.places.cwd, options_.places.home);
  const auto kind = co_await files_.kind(path);
  if (!kind || *kind == FileKind::directory) co_return given;
  auto text = co_await files_.read(path);
  co_return text ? without_mark(*std::move(text)) : given;
}

Task<LoadedResources> ResourceLoader::extend(LoadedResources loaded,
                                             std::vector<std::string> skills,
                                             std::vector<std::string> prompts) {
  std::vector<ResourceFile> skill_files;
  for (const auto& skill : loaded.skills.skills) skill_files.emplace_back(skill.file, skill.source);
  append_files(skill_files, named_files(skills, options_.places));
  SkillFinder skill_finder(files_);
  auto more_skills = co_await skill_finder.load(std::move(skill_files));
  loaded.skills.skills = std::move(more_skills.skills);
  append_new(loaded.skills.diagnostics, std::move(more_skills.diagnostics));
  std::vector<ResourceFile> prompt_files;
  for (const auto& one : loaded.prompts.templates) prompt_files.emplace_back(one.file, one.source);
  append_files(prompt_files, named_files(prompts, options_.places));
  TemplateFinder template_finder(files_);
  auto more_prompts = co_await template_finder.load(std::move(prompt_files));
  loaded.prompts.templates = std::move(more_prompts.templates);
  append_new(loaded.prompts.diagnostics, std::move(more_prompts.diagnostics));
  co_return loaded;
}

}  // namespace plumb::engine
