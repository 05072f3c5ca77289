// SPDX-License-Identifier: Apache-2.0
#include "simulator/script/catalogue.h"

#include <array>
#include <span>
#include <utility>

#include "engine/values/suggest.h"
#include "simulator/script/error_list.h"
#include "simulator/script/fields.h"
#include "simulator/script/formats.h"
#include "simulator/script/scenario_schema.h"
#include "simulator/script/shape.h"
#include "simulator/script/source.h"
#include "simulator/script/words.h"

namespace plumb::simulator {
namespace {

constexpr std::int64_t kRulesBytesMax = 4 << 20;

constexpr std::array<std::string_view, 2> kLevels = {"must", "should"};
constexpr std::array<std::string_view, 7> kKinds = {"engine",   "extension", "wire_server", "model",
                                                    "relation", "report",    "bench"};
constexpr std::array<std::string_view, 2> kEditions = {"seed", "pi-1.6.0"};
constexpr std::array<std::string_view, 3> kTiers = {"A", "B", "C"};

/// The enumerator whose word stands at that position; the shape has refused other words.
template <class T>
T read_word(std::string_view word, std::span<const std::string_view> words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == word) return static_cast<T>(i);
  }
  PLUMB_ASSERT(false);
  return T{};
}

RuleEntry parse_rule(YamlView view, const std::string& file) {
  const Fields fields(view);
  RuleEntry rule;
  rule.id = fields.text("id");
  rule.title = fields.text("title");
  rule.level = read_word<Level>(fields.text("level"), kLevels);
  rule.kind = read_word<RuleKind>(fields.text("kind"), kKinds);
  rule.engines = fields.texts("engines");
  for (const std::string& edition : fields.texts("editions")) {
    rule.editions.push_back(read_word<Edition>(edition, kEditions));
  }
  rule.needs = fields.texts("needs");
  rule.excused_by = fields.texts("excused_by");
  rule.tier = read_word<Tier>(fields.text("tier"), kTiers);
  rule.sentence = fields.text("rule");
  rule.source = fields.text("source");
  rule.observe = fields.text("observe");
  rule.scenario = fields.text("scenario");
  rule.mutant = fields.text("mutant");
  rule.upstream = fields.text("upstream");
  rule.reason = fields.text("reason");
  rule.kept_by = fields.texts("kept_by");
  rule.file = file;
  rule.place = view.place();
  return rule;
}

Checked<std::vector<RuleEntry>> fail_alone(Error error) {
  std::vector<Error> errors;
  errors.push_back(std::move(error));
  return std::unexpected(std::move(errors));
}

Checked<std::vector<RuleEntry>> load_rules(const std::string& file) {
  const auto text = read_source(file, kRulesBytesMax);
  if (!text) return fail_alone(text.error());
  return parse_rules(*text, file);
}

std::vector<Error> find_repeated_ids(const std::vector<RuleEntry>& rules) {
  std::vector<Error> errors;
  std::map<std::string_view, const RuleEntry*> seen;
  for (const RuleEntry& rule : rules) {
    const auto [first, is_new] = seen.try_emplace(rule.id, &rule);
    if (is_new) continue;
    errors.push_back({ErrorCode::invalid,
                      "rule id " + in_quotes(rule.id) + " is used twice; first in " +
                          located(first->second->file, first->second->place),
                      located(rule.file, rule.place)});
  }
  return errors;
}

}  // namespace

Catalogue::Catalogue(std::vector<RuleEntry> rules) : rules_(std::move(rules)) {
  for (std::size_t i = 0; i < rules_.size(); ++i) index_.try_emplace(rules_[i].id, i);
}

const RuleEntry* Catalogue::find(std::string_view id) const {
  const auto found = index_.find(id);
  return found == index_.end() ? nullptr : &rules_[found->second];
}

std::string Catalogue::suggest(std::string_view id) const {
  std::vector<std::string_view> known;
  for (const auto& [name, index] : index_) known.push_back(name);
  return did_you_mean(id, known);
}

RuleStanding standing_of(const RuleEntry& rule, const std::set<std::string, std::less<>>& checked,
                         const std::set<std::string, std::less<>>& named) {
  if (checked.contains(rule.id) && named.contains(rule.id)) return {RuleState::active, ""};
  if (!rule.kept_by.empty()) return {RuleState::active, ""};
  if (!rule.reason.empty()) return {RuleState::pending, rule.reason};
  if (checked.contains(rule.id)) return {RuleState::pending, "no scenario names it"};
  if (named.contains(rule.id)) return {RuleState::pending, "no checker is registered for it"};
  return {RuleState::pending, "no checker and no scenario yet"};
}

Checked<std::vector<RuleEntry>> parse_rules(std::string_view text, const std::string& file) {
  const auto document = parse_yaml(text, file, kRulesBytesMax);
  if (!document) return fail_alone(document.error());
  const FormatCheck check = [](std::string_view format, const std::string& value) {
    return check_format(format, value, nullptr);
  };
  auto errors = check_shape(*document, rules_schema(), check);
  if (!errors.empty()) return std::unexpected(std::move(errors));
  std::vector<RuleEntry> rules;
  for (const YamlView& view : Fields(document->view()).list("rules")) {
    rules.push_back(parse_rule(view, file));
  }
  return rules;
}

Checked<Catalogue> load_catalogue(const std::string& directory) {
  const auto files = list_yaml_files(directory);
  if (!files) return std::unexpected(fail_alone(files.error()).error());
  std::vector<Error> errors;
  std::vector<RuleEntry> rules;
  for (const std::string& file : *files) {
    const auto more = load_rules(file);
    if (more) rules.insert(rules.end(), more->begin(), more->end());
    if (!more) errors.insert(errors.end(), more.error().begin(), more.error().end());
  }
  if (files->empty()) {
    errors.push_back({ErrorCode::invalid, "no rules in this folder, expected *.yaml", directory});
  }
  const auto repeated_ids = find_repeated_ids(rules);
  errors.insert(errors.end(), repeated_ids.begin(), repeated_ids.end());
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return Catalogue(std::move(rules));
}

std::string_view to_string(Level level) {
  return kLevels[std::to_underlying(level)];
}
std::string_view to_string(RuleKind kind) {
  return kKinds[std::to_underlying(kind)];
}
std::string_view to_string(Edition edition) {
  return kEditions[std::to_underlying(edition)];
}
std::string_view to_string(Tier tier) {
  return kTiers[std::to_underlying(tier)];
}

}  // namespace plumb::simulator
