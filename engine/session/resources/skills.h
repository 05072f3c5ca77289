// SPDX-License-Identifier: Apache-2.0
// Skills: instructions in files. Only name, description and place are always in the prompt
// (SKILL-01); the body enters on demand (SKILL-02) and binds nothing (SKILL-03).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/session/resources/resource.h"
#include "engine/session/resources/resource_files.h"

namespace plumb::engine {

/// Longer ones are loaded with a warning (SKILL-09). UTF-16 code units.
inline constexpr std::int64_t kSkillNameMax = 64;
inline constexpr std::int64_t kSkillDescriptionMax = 1024;

struct Skill {
  std::string name;
  std::string description;
  std::string file;
  std::string folder;
  bool is_manual_only = false;  ///< disable-model-invocation (SKILL-10).
  SourceInfo source;
  bool operator==(const Skill&) const = default;
};

struct SkillList {
  std::vector<Skill> skills;
  std::vector<ResourceDiagnostic> diagnostics;  ///< Collisions come last.
};

/// Which loose .md files of a skills folder count: those at its top, or in `.agents/skills` those
/// below it (SKILL-06, SKILL-07).
enum class LooseSkills : std::uint8_t { at_top, below_top };

/// One loop.
class SkillFinder final {
 public:
  explicit SkillFinder(ResourceFiles& files) : files_(files) {}

  /// The skill files of a folder, in search order: SKILL.md at any depth, which ends the search
  /// below its folder, and loose .md files.
  Task<std::vector<std::string>> find(std::string folder, LooseSkills loose);
  /// Loads files and folders in order. The first of a name wins (RES-12), one file counts once
  /// (RES-11). What is not there gives a diagnostic.
  Task<SkillList> load(std::vector<ResourceFile> paths);
  /// `text` with a leading skill command replaced by the skill's body (SKILL-12); any other text,
  /// and a name that is none, stay. Errors: those of reading the skill.
  Task<Result<std::string>> expand(std::string text, std::vector<Skill> skills);

 private:
  Task<void> walk(std::string folder, std::int64_t depth, IgnoreChain chain);
  Task<void> load_file(ResourceFile file);
  Task<void> add(Skill skill);
  void warn(const std::string& path, std::string message);

  ResourceFiles& files_;
  LooseSkills loose_ = LooseSkills::at_top;
  std::vector<std::string> found_;
  SearchedFolders searched_;
  SkillList list_;
  std::vector<ResourceDiagnostic> collisions_;
  std::vector<std::string> keys_;
};

/// What is wrong with a name; empty if nothing is.
std::vector<std::string> skill_name_problems(std::string_view name);

/// The section of the prompt; "" without a skill that the model may see (SKILL-11). `reader`: the
/// tool that loads a skill, or "".
std::string skills_section(std::span<const Skill> skills, std::string_view reader = "read");

/// The tool by which a model reads skills: read, else bash; nothing without both (SKILL-11).
std::optional<std::string> skill_reader(std::span<const std::string> tools);

}  // namespace plumb::engine
