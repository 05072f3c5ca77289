// SPDX-License-Identifier: Apache-2.0
#include "simulator/oracle/plain_texts.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "engine/session/resources/context_files.h"
#include "engine/session/resources/prompt_templates.h"
#include "engine/session/resources/skills.h"
#include "engine/tools/system_prompt.h"
#include "engine/values/json_members.h"

namespace plumb::simulator {
namespace {

std::vector<std::string> words_of(const Json& list) {
  return list.is_array() ? list.get<std::vector<std::string>>() : std::vector<std::string>();
}

std::vector<engine::Skill> skills_of(const Json& given) {
  std::vector<engine::Skill> skills;
  for (const auto& one : given) {
    engine::Skill skill;
    skill.name = text_at(one, "name");
    skill.description = text_at(one, "description");
    skill.file = text_at(one, "file");
    skill.folder = engine::parent_path(skill.file);
    skill.is_manual_only = at(one, "manualOnly") == Json(true);
    skills.push_back(std::move(skill));
  }
  return skills;
}

std::vector<engine::ContextFile> context_of(const Json& given) {
  std::vector<engine::ContextFile> files;
  for (const auto& one : given) {
    engine::ContextFile file;
    file.path = one.at(0).get<std::string>();
    file.content = one.at(1).get<std::string>();
    files.push_back(std::move(file));
  }
  return files;
}

engine::RegisteredToolPtr tool_of(const std::string& name) {
  auto tool = std::make_shared<engine::RegisteredTool>();
  tool->definition.name = name;
  tool->definition.prompt_snippet = name;
  return tool;
}

/// What stands between the tags of a section; null without it.
Json section_text(const std::string& prompt, const std::string& name) {
  const std::string open = "\n\n<" + name + ">\n";
  const auto begin = prompt.find(open);
  if (begin == std::string::npos) return Json();
  const auto end = prompt.find("\n</" + name + ">", begin);
  return prompt.substr(begin + open.size(), end - begin - open.size());
}

Json sections_of(const Json& args) {
  const auto tools = words_of(at(args, "tools"));
  const auto hidden = words_of(at(args, "hidden"));
  engine::PromptParts parts;
  std::vector<std::string> declared;
  for (const auto& name : tools) {
    if (std::ranges::find(hidden, name) != hidden.end()) continue;
    declared.push_back(name);
    parts.tools.push_back(tool_of(name));
  }
  if (at(args, "custom").is_string()) parts.custom = text_at(args, "custom");
  parts.appended = text_at(args, "append");
  parts.project_context = engine::context_section(context_of(at(args, "context")));
  parts.cwd = text_at(args, "cwd");
  // A hidden reader is still within reach of other tools, but not to be named.
  const auto reader = engine::skill_reader(declared);
  if (reader || engine::skill_reader(tools)) {
    parts.skills = engine::skills_section(skills_of(at(args, "skills")), reader.value_or(""));
  }
  const std::string prompt = engine::compose_prompt(parts);
  Json texts{{"preamble", prompt.substr(0, prompt.find("\n\n<"))}};
  constexpr std::array names{"tools", "rules", "addendum", "project_context", "skills", "cwd"};
  std::vector<std::pair<std::size_t, std::string>> order;
  for (const char* name : names) {
    const auto place = prompt.find("\n\n<" + std::string(name) + ">\n");
    if (place != std::string::npos) order.emplace_back(place, name);
  }
  std::ranges::sort(order);
  for (const auto& [place, name] : order) texts[name] = section_text(prompt, name);
  return texts;
}

Result<Json> expanded(const Json& args) {
  std::vector<engine::PromptTemplate> templates;
  const Json& given = at(args, "templates");
  for (const auto& [key, one] : given.items()) {
    engine::PromptTemplate prompt;
    prompt.name = given.is_object() ? key : text_at(one, "name");
    prompt.content = one.is_string() ? one.get<std::string>() : text_at(one, "content");
    templates.push_back(std::move(prompt));
  }
  PLUMB_TRY(const std::string text, engine::expand_template(text_at(args, "text"), templates));
  return Json{{"text", text}};
}

}  // namespace

Result<Json> run_plain_text(std::string_view op, const Json& args) {
  if (op == "template.split") {
    return Json{{"words", engine::split_arguments(text_at(args, "text"))}};
  }
  if (op == "template.substitute") {
    const Json& given = at(args, "arguments");
    const auto arguments =
        given.is_array() ? words_of(given) : engine::split_arguments(text_at(args, "arguments"));
    PLUMB_TRY(const std::string text,
              engine::substitute_arguments(text_at(args, "text"), arguments));
    return Json{{"text", text}};
  }
  if (op == "template.expand") return expanded(args);
  if (op == "skills.prompt") {
    return Json{{"text", engine::skills_section(skills_of(at(args, "skills")))}};
  }
  if (op == "prompt.sections") return Json{{"texts", sections_of(args)}};
  return fail(ErrorCode::protocol, "unknown operation " + std::string(op));
}

}  // namespace plumb::simulator
