// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "property-tests/house_rules.h"

namespace plumb {
namespace {

constexpr std::string_view kRulesFolder = "scenarios/rules/";
constexpr std::array<std::string_view, 7> kRuleFields = {"title",    "level", "kind", "engines",
                                                         "editions", "needs", "tier"};

/// Where a rule was written, and the fields that it has.
struct RuleEntry {
  std::string path;
  std::int64_t line = 0;
  std::set<std::string, std::less<>> fields;
};

using Rules = std::map<std::string, RuleEntry, std::less<>>;

// The catalogue's own files; folders below it hold traces.
bool is_rules_file(std::string_view path) {
  return path.starts_with(kRulesFolder) && path.ends_with(".yaml") &&
         !path.substr(kRulesFolder.size()).contains('/');
}

bool is_scenario(std::string_view path) {
  return path.starts_with("scenarios/") && path.ends_with(".yaml") &&
         !path.starts_with(kRulesFolder);
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\'' || text.front() == '"')) {
    text.remove_prefix(1);
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '\'' || text.back() == '"')) {
    text.remove_suffix(1);
  }
  return text;
}

// The key of "key: value" or "key:"; empty when the line is none.
std::string_view key_of(std::string_view line) {
  const std::size_t colon = line.find(':');
  const bool is_key = colon != std::string_view::npos &&
                      (colon + 1 == line.size() || line[colon + 1] == ' ') &&
                      line.find(' ') > colon;
  return is_key ? line.substr(0, colon) : std::string_view{};
}

/// Collects the rules of a file; the lines are those of its one list "rules".
class RulesReader {
 public:
  RulesReader(const SourceFile& file, Rules& rules, Violations& found)
      : file_(file), rules_(rules), found_(found) {}

  void run() {
    std::string_view section;
    std::int64_t number = 0;
    for (const std::string_view line : lines_of(file_.text)) {
      ++number;
      if (!key_of(line).empty()) section = key_of(line);
      if (section == "rules") read(line, number);
    }
  }

 private:
  void read(std::string_view line, std::int64_t number) {
    const std::size_t start = line.find_first_not_of(' ');
    if (start == std::string_view::npos) return;
    line.remove_prefix(start);
    if (line.starts_with("- id: ")) {
      begin(trimmed(line.substr(6)), number);
      indent_ = start + 2;
    } else if (start == indent_ && current_ != nullptr) {
      current_->fields.emplace(key_of(line));
    }
  }

  void begin(std::string_view id, std::int64_t number) {
    const auto [entry, is_new] = rules_.try_emplace(std::string(id), file_.path, number);
    current_ = &entry->second;
    if (is_new) return;
    found_.push_back({file_.path, number, "catalogue",
                      "rule id " + std::string(id) + " is used twice; first in " +
                          entry->second.path + ":" + std::to_string(entry->second.line)});
  }

  const SourceFile& file_;
  Rules& rules_;
  Violations& found_;
  RuleEntry* current_ = nullptr;
  std::size_t indent_ = 0;
};

void check_fields(const Rules& rules, Violations& found) {
  for (const auto& [id, entry] : rules) {
    for (const std::string_view field : kRuleFields) {
      if (entry.fields.contains(field)) continue;
      found.push_back({entry.path, entry.line, "catalogue",
                       "rule " + id + " has no field '" + std::string(field) + "'"});
    }
  }
}

// The items of "[A, B]" or of "A".
std::vector<std::string_view> items_of(std::string_view list) {
  std::vector<std::string_view> items;
  list = list.substr(0, list.find(" #"));
  while (!list.empty()) {
    const std::size_t end = list.find_first_of(",[]");
    if (const auto item = trimmed(list.substr(0, end)); !item.empty()) items.push_back(item);
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
  }
  return items;
}

/// The rule ids that a scenario names under `rules:`, flow or block list, with their lines.
std::vector<std::pair<std::string_view, std::int64_t>> named_rules(std::string_view text) {
  std::vector<std::pair<std::string_view, std::int64_t>> named;
  bool is_inside = false;
  std::int64_t number = 0;
  for (std::string_view line : lines_of(text)) {
    ++number;
    if (line.starts_with('#')) continue;
    if (const auto key = key_of(line); !key.empty()) is_inside = key == "rules";
    if (!is_inside) continue;
    if (line.starts_with("rules:")) line.remove_prefix(6);
    while (line.starts_with(' ') || line.starts_with("- ")) line.remove_prefix(1);
    for (const std::string_view item : items_of(line)) named.emplace_back(item, number);
  }
  return named;
}

void check_scenario(const SourceFile& file, const Rules& rules, Violations& found) {
  std::set<std::string_view> seen;
  for (const auto& [id, line] : named_rules(file.text)) {
    if (!rules.contains(id)) {
      found.push_back({file.path, line, "catalogue", "unknown rule id " + std::string(id)});
    }
    if (!seen.insert(id).second) {
      found.push_back({file.path, line, "catalogue", "names rule " + std::string(id) + " twice"});
    }
  }
  if (seen.empty()) found.push_back({file.path, 1, "catalogue", "names no rule under 'rules:'"});
}

std::string_view header_of(std::span<const SourceFile> files, std::string_view path) {
  if (!path.ends_with(".cc")) return {};
  const std::string header = std::string(path.substr(0, path.size() - 3)) + ".h";
  const auto found = std::ranges::find(files, header, &SourceFile::path);
  return found == files.end() ? std::string_view{} : std::string_view{found->text};
}

/// Whether some test program defines the test "Suite.Name".
bool is_defined(std::span<const SourceFile> files, std::string_view test) {
  const std::size_t dot = test.find('.');
  if (dot == std::string_view::npos) return false;
  const std::string arguments =
      "(" + std::string(test.substr(0, dot)) + ", " + std::string(test.substr(dot + 1)) + ")";
  return std::ranges::any_of(files, [&](const SourceFile& file) {
    return file.path.ends_with("_test.cc") && file.text.contains(arguments);
  });
}

/// The tests that a rules file names must be there.
void check_kept_by(const SourceFile& file, std::span<const SourceFile> files, Violations& found) {
  bool is_inside = false;
  std::int64_t number = 0;
  for (const std::string_view line : lines_of(file.text)) {
    ++number;
    if (line == "    kept_by:") {
      is_inside = true;
      continue;
    }
    constexpr std::string_view kItem = "      - ";
    is_inside = is_inside && line.starts_with(kItem);
    if (!is_inside || is_defined(files, line.substr(kItem.size()))) continue;
    found.push_back({file.path, number, "kept_by",
                     "no test is called '" + std::string(line.substr(kItem.size())) + "'"});
  }
}

void append(Violations& found, const Violations& more) {
  found.insert(found.end(), more.begin(), more.end());
}

}  // namespace

Violations check_catalogue(std::span<const SourceFile> files) {
  Violations found;
  Rules rules;
  for (const SourceFile& file : files) {
    if (is_rules_file(file.path)) RulesReader(file, rules, found).run();
  }
  if (rules.empty()) return found;
  check_fields(rules, found);
  for (const SourceFile& file : files) {
    if (is_scenario(file.path)) check_scenario(file, rules, found);
    if (is_rules_file(file.path)) check_kept_by(file, files, found);
  }
  return found;
}

Violations check_tree(std::span<const SourceFile> files) {
  constexpr std::array kFileRules = {
      check_room_includes, check_library_includes, check_banned_calls, check_await_braces,
      check_machine_paths, check_licence_line,     check_leftovers,    check_length};
  Violations found;
  for (const SourceFile& file : files) {
    for (const auto& rule : kFileRules) append(found, rule(file.path, file.text));
    append(found, check_unordered_loops(file.path, file.text, header_of(files, file.path)));
  }
  append(found, check_single_owners(files));
  append(found, check_type_names(files));
  append(found, check_catalogue(files));
  std::ranges::sort(found, {}, [](const Violation& violation) {
    return std::tie(violation.path, violation.line, violation.rule);
  });
  return found;
}

}  // namespace plumb
