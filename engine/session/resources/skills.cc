// SPDX-License-Identifier: Apache-2.0
#include "engine/session/resources/skills.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/session/resources/front_matter.h"
#include "engine/session/resources/text_words.h"
#include "engine/values/json_members.h"

namespace plumb::engine {
namespace {

constexpr std::string_view kSkillFile = "SKILL.md";
constexpr std::string_view kCommand = "/skill:";

bool is_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&apos;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string too_long(std::string_view what, std::int64_t max, std::int64_t length) {
  return std::string(what) + " is longer than " + std::to_string(max) + " characters (" +
         std::to_string(length) + ")";
}

}  // namespace

std::vector<std::string> skill_name_problems(std::string_view name) {
  std::vector<std::string> problems;
  const auto length = utf16_length(name);
  if (length > kSkillNameMax) problems.push_back(too_long("the name", kSkillNameMax, length));
  if (!std::ranges::all_of(name, is_name_letter)) {
    problems.emplace_back("the name has other letters than a-z, 0-9 and hyphens");
  }
  if (name.starts_with('-') || name.ends_with('-')) {
    problems.emplace_back("the name begins or ends with a hyphen");
  }
  if (name.contains("--")) problems.emplace_back("the name has two hyphens in a row");
  return problems;
}

Task<std::vector<std::string>> SkillFinder::find(std::string folder, LooseSkills loose) {
  loose_ = loose;
  found_.clear();
  searched_.clear();
  IgnoreChain none;
  co_await walk(std::move(folder), 0, std::move(none));
  co_return std::exchange(found_, {});
}

Task<void> SkillFinder::walk(std::string folder, std::int64_t depth, IgnoreChain chain) {
  const auto may_search = co_await files_.may_search(searched_, folder, depth);
  if (!may_search) co_return;
  chain = co_await files_.enter(std::move(chain), folder);
  const auto entries = co_await files_.entries(folder);
  const auto own = std::ranges::find(entries, kSkillFile, &FolderEntry::name);
  if (own != entries.end() && !own->is_folder && !chain.ignores(own->path, false)) {
    found_.push_back(own->path);
    co_return;
  }
  const bool takes_loose = (loose_ == LooseSkills::at_top) == (depth == 0);
  for (const auto& entry : entries) {
    if (chain.ignores(entry.path, entry.is_folder)) continue;
    if (entry.is_folder) {
      co_await walk(entry.path, depth + 1, chain);
    } else if (takes_loose && entry.name.ends_with(".md") && entry.name != kSkillFile) {
      found_.push_back(entry.path);
    }
  }
}

Task<SkillList> SkillFinder::load(std::vector<ResourceFile> paths) {
  list_ = SkillList();
  collisions_.clear();
  keys_.clear();
  for (const auto& given : paths) {
    const auto kind = co_await files_.kind(given.path);
    if (!kind) {
      warn(given.path, "the skill path does not exist");
    } else if (*kind == FileKind::directory) {
      const auto files = co_await find(given.path, LooseSkills::at_top);
      for (const auto& file : files) {
        ResourceFile one(file, given.source);
        co_await load_file(std::move(one));
      }
    } else if (given.path.ends_with(".md")) {
      co_await load_file(given);
    } else {
      warn(given.path, "the skill path is no .md file");
    }
  }
  for (auto& found : collisions_) list_.diagnostics.push_back(std::move(found));
  co_return std::exchange(list_, {});
}

void SkillFinder::warn(const std::string& path, std::string message) {
  list_.diagnostics.emplace_back("warning", "skill", path, std::move(message));
}

Task<void> SkillFinder::load_file(ResourceFile file) {
  const bool is_declared = base_name(file.path) == kSkillFile;
  const auto text = co_await files_.read(file.path);
  if (!text) {
    warn(file.path, text.error().message);
    co_return;
  }
  const auto matter = parse_front_matter(*text);
  if (!matter) {
    if (is_declared) warn(file.path, matter.error().message);
    co_return;
  }
  Skill skill;
  skill.description = text_at(matter->fields, "description");
  const bool is_described = !trimmed_words(skill.description).empty();
  if (!is_described && !is_declared) co_return;  // Any text may lie beside skills (SKILL-08).
  const auto length = utf16_length(skill.description);
  if (!is_described) {
    warn(file.path, "the skill has no description");
  } else if (length > kSkillDescriptionMax) {
    warn(file.path, too_long("the description", kSkillDescriptionMax, length));
  }
  skill.folder = parent_path(file.path);
  skill.name = text_at(matter->fields, "name");
  if (skill.name.empty()) skill.name = base_name(skill.folder);
  for (auto& problem : skill_name_problems(skill.name)) warn(file.path, std::move(problem));
  if (!is_described) co_return;
  skill.is_manual_only = at(matter->fields, "disable-model-invocation") == Json(true);
  skill.file = file.path;
  skill.source = std::move(file.source);
  skill.source.path = skill.file;
  co_await add(std::move(skill));
}

Task<void> SkillFinder::add(Skill skill) {
  const auto key = co_await files_.key(skill.file);
  if (std::ranges::find(keys_, key) != keys_.end()) co_return;
  keys_.push_back(key);
  const auto owner = std::ranges::find(list_.skills, skill.name, &Skill::name);
  if (owner != list_.skills.end()) {
    collisions_.push_back(collision("skill", skill.name, owner->file, skill.file));
    co_return;
  }
  list_.skills.push_back(std::move(skill));
}

Task<Result<std::string>> SkillFinder::expand(std::string text, std::vector<Skill> skills) {
  if (!text.starts_with(kCommand)) co_return text;
  const auto blank = std::min(text.find(' '), text.size());
  const std::string name = text.substr(kCommand.size(), blank - kCommand.size());
  const auto found = std::ranges::find(skills, name, &Skill::name);
  if (found == skills.end()) co_return text;
  const auto content = co_await files_.read(found->file);
  if (!content) co_return std::unexpected(content.error());
  const auto matter = parse_front_matter(*content);
  if (!matter) co_return std::unexpected(matter.error());
  std::string block = "<skill name=\"" + found->name + "\" location=\"" + found->file +
                      "\">\nReferences are relative to " + found->folder + ".\n\n" +
                      trimmed_words(matter->body) + "\n</skill>";
  const std::string arguments = trimmed_words(std::string_view(text).substr(blank));
  if (!arguments.empty()) block += "\n\n" + arguments;
  co_return block;
}

std::string skills_section(std::span<const Skill> skills, std::string_view reader) {
  std::string lines;
  for (const auto& skill : skills) {
    if (skill.is_manual_only) continue;
    lines += "  <skill>\n    <name>" + escaped(skill.name) + "</name>\n    <description>" +
             escaped(skill.description) + "</description>\n    <location>" + escaped(skill.file) +
             "</location>\n  </skill>\n";
  }
  if (lines.empty()) return "";
  const std::string with = reader.empty() ? "" : " with " + std::string(reader);
  return "Skills are instructions for special tasks. When a task fits a description, load the "
         "file" +
         with +
         " first.\nPaths in a skill are relative to the folder of its "
         "file.\n\n<available_skills>\n" +
         lines + "</available_skills>";
}

std::optional<std::string> skill_reader(std::span<const std::string> tools) {
  for (const char* reader : {"read", "bash"}) {
    if (std::ranges::find(tools, reader) != tools.end()) return reader;
  }
  return std::nullopt;
}

}  // namespace plumb::engine
