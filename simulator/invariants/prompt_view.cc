// SPDX-License-Identifier: Apache-2.0
#include "simulator/invariants/prompt_view.h"

#include <algorithm>
#include <utility>

#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

constexpr std::string_view kBlanks = " \t\n\r\v\f";

std::string trim(std::string_view text) {
  const auto from = text.find_first_not_of(kBlanks);
  if (from == std::string_view::npos) return "";
  return std::string(text.substr(from, text.find_last_not_of(kBlanks) - from + 1));
}

std::string text_of_body(const Json& body) {
  if (body.is_string()) return body.get<std::string>();
  if (body.is_object() && body.contains("content")) return text_of_body(body["content"]);
  if (body.is_object()) return text_at(body, "text");
  return text_in(body);
}

/// The event of the prompt that a request works for, or null.
const Event* prompt_before(const Request& request, const Story& story) {
  const Event* last = nullptr;
  for (const Event* event : story.prompts) {
    if (event->seq < request.event->seq) last = event;
  }
  return last;
}

/// Where a line with these words alone begins, from `from` on; npos if there is none.
std::size_t find_line(std::string_view text, std::string_view line, std::size_t from) {
  for (auto place = text.find(line, from); place != std::string_view::npos;
       place = text.find(line, place + 1)) {
    const auto end = place + line.size();
    const bool begins = place == 0 || text[place - 1] == '\n';
    if (begins && (end == text.size() || text[end] == '\n')) return place;
  }
  return std::string_view::npos;
}

std::string framed(const std::string& section) {
  return "\n" + section + "\n- ";
}

std::string needle_of(std::string_view guideline) {
  return "\n- " + std::string(guideline) + "\n";
}

}  // namespace

std::string prompt_of(const Request& request) {
  std::string text;
  for (const auto& body : request.system) text += text_of_body(body.get());
  return text;
}

std::optional<std::string> section_of(std::string_view prompt, std::string_view name) {
  const std::string open = "<" + std::string(name) + ">";
  const auto begin = find_line(prompt, open, 0);
  if (begin == std::string_view::npos) return std::nullopt;
  const auto from = begin + open.size() + 1;
  if (from > prompt.size()) return std::nullopt;
  const auto end = find_line(prompt, "</" + std::string(name) + ">", from);
  if (end == std::string_view::npos) return std::nullopt;
  return std::string(prompt.substr(from, end == from ? 0 : end - 1 - from));
}

std::string section_text(const Request& request, std::string_view name) {
  return section_of(prompt_of(request), name).value_or("");
}

const std::string& Story::section(const Request& request, std::string_view name) const {
  const bool is_block = request.system.size() == 1;
  const void* prompt =
      is_block ? static_cast<const void*>(&request.system.front().get()) : &request;
  const auto [known, is_new] = sections_.try_emplace({prompt, std::string(name)});
  if (is_new) known->second = section_text(request, name);
  return known->second;
}

std::string one_line(std::string_view snippet) {
  std::string line;
  bool is_gap = false;
  for (const char character : snippet) {
    if (kBlanks.contains(character)) {
      is_gap = !line.empty();
      continue;
    }
    if (std::exchange(is_gap, false)) line += ' ';
    line += character;
  }
  return line;
}

std::string snippet_of(const Json& tool) {
  return one_line(text_at(tool, "promptSnippet"));
}

std::vector<std::string> guidelines_of(const Json& tool) {
  std::vector<std::string> guidelines;
  for (const auto& one : strings_in(at(tool, "promptGuidelines"))) {
    auto text = trim(one);
    if (!text.empty() && !contains(guidelines, text)) guidelines.push_back(std::move(text));
  }
  return guidelines;
}

bool has_line_of(std::string_view section, std::string_view name) {
  const std::string start = "- " + std::string(name) + ":";
  for (auto place = section.find(start); place != std::string_view::npos;
       place = section.find(start, place + 1)) {
    if (place == 0 || section[place - 1] == '\n') return true;
  }
  return false;
}

std::vector<std::string> lines_of(const std::string& section, std::string_view name) {
  const std::string start = "- " + std::string(name) + ":";
  std::vector<std::string> lines;
  std::string_view rest = section;
  while (!rest.empty()) {
    const auto end = rest.find('\n');
    const auto line = rest.substr(0, end);
    if (line.starts_with(start)) lines.emplace_back(line);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return lines;
}

std::int64_t bullet_count(const std::string& section, std::string_view guideline) {
  const std::string text = framed(section);
  const std::string needle = needle_of(guideline);
  std::int64_t count = 0;
  for (auto place = text.find(needle); place != std::string::npos;
       place = text.find(needle, place + 1)) {
    // A bullet ends where the next one begins; a longer one only starts alike.
    if (text.compare(place + needle.size(), 2, "- ") == 0) ++count;
  }
  return count;
}

std::size_t bullet_place(const std::string& section, std::string_view guideline) {
  return framed(section).find(needle_of(guideline));
}

std::vector<const Json*> declared_tools(const Request& request, const Story& story) {
  std::vector<const Json*> tools;
  const auto* active = story.active_at(request.event->seq);
  for (const auto& name : request.declared) {
    if (active != nullptr && !contains(active->after, name)) continue;
    if (const Json* tool = story.tool_at(name, request.event->seq)) tools.push_back(tool);
  }
  return tools;
}

std::vector<const HookReturn*> preparations_of(const Request& request, const Story& story) {
  std::vector<const HookReturn*> returns;
  const Event* prompt = prompt_before(request, story);
  if (prompt == nullptr) return returns;
  for (const Event* event : story.hooks) {
    const auto* returned = event->as<HookReturn>();
    const bool is_between = event->seq > prompt->seq && event->seq < request.event->seq;
    if (returned == nullptr || returned->event != "before_agent_start" || !is_between) continue;
    returns.push_back(returned);
  }
  return returns;
}

std::optional<std::string> forced_prompt(const Request& request, const Story& story) {
  std::optional<std::string> forced;
  for (const auto* returned : preparations_of(request, story)) {
    const Json& text = at(returned->result.get(), "systemPrompt");
    if (text.is_string()) forced = text.get<std::string>();
  }
  return forced;
}

bool has_custom_prompt(const Story& story) {
  return !at(at(story.host(), "prompt"), "custom").is_null();
}

bool is_generated(const Request& request, const Story& story) {
  return !has_custom_prompt(story) && !forced_prompt(request, story);
}

}  // namespace plumb::invariants
