// SPDX-License-Identifier: Apache-2.0
#include "simulator/cli/expected_verdicts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <optional>
#include <span>
#include <utility>

#include "engine/values/suggest.h"
#include "simulator/script/yaml.h"

namespace plumb::simulator {
namespace {

constexpr std::int64_t kExpectationsBytesMax = 1 << 20;

std::optional<int> number_in(std::string_view text) {
  int value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

/// A calendar day written YYYY-MM-DD.
std::optional<std::chrono::sys_days> day_of(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto year = number_in(text.substr(0, 4));
  const auto month = number_in(text.substr(5, 2));
  const auto day = number_in(text.substr(8, 2));
  if (!year || !month || !day || *month < 1 || *day < 1) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date);
}

class ExpectedReader {
 public:
  ExpectedReader(const YamlDocument& document, const ExpectationScope& scope)
      : document_(document), scope_(scope), today_(day_of(scope.today)) {}

  Checked<std::vector<ExpectedVerdict>> read();

 private:
  void complain(Place place, std::string message) {
    errors_.push_back({ErrorCode::invalid, std::move(message), located(document_.file, place)});
  }
  void check_keys(YamlView map, std::span<const std::string_view> known);
  std::string text(YamlView map, std::string_view key);
  std::string needed(YamlView map, std::string_view key);
  void read_rule(YamlView map, ExpectedVerdict& entry);
  void read_scenario(YamlView map, ExpectedVerdict& entry);
  void check_twin(YamlView map, const ExpectedVerdict& entry);
  void check_date(YamlView map, const std::string& date);
  void read_entry(YamlView map);

  const YamlDocument& document_;
  const ExpectationScope& scope_;
  std::optional<std::chrono::sys_days> today_;
  std::vector<ExpectedVerdict> entries_;
  std::vector<Error> errors_;
};

void ExpectedReader::check_keys(YamlView map, std::span<const std::string_view> known) {
  std::int64_t position = 0;
  for (const auto& [key, value] : map.value->items()) {
    const YamlView member = map.member_at(position++);
    if (std::ranges::find(known, key) != known.end()) continue;
    complain(member.key_place(), "unknown key '" + key + "'" + suggestion_for(key, known));
  }
}

/// "" when the key is not there, or with a complaint when it is no text.
std::string ExpectedReader::text(YamlView map, std::string_view key) {
  const auto member = map.find(key);
  if (!member) return "";
  if (member->value->is_string() && !member->value->get_ref<const std::string&>().empty()) {
    return member->value->get<std::string>();
  }
  complain(member->place(), "'" + std::string(key) + "' must be a text that is not empty");
  return "";
}

std::string ExpectedReader::needed(YamlView map, std::string_view key) {
  if (!map.find(key)) complain(map.place(), "missing key '" + std::string(key) + "'");
  return text(map, key);
}

void ExpectedReader::read_rule(YamlView map, ExpectedVerdict& entry) {
  entry.rule = text(map, "rule");
  if (entry.rule.empty() || scope_.rules.empty()) return;
  if (std::ranges::find(scope_.rules, entry.rule) != scope_.rules.end()) return;
  complain(map.find("rule")->place(),
           "unknown rule '" + entry.rule + "'" + suggestion_for(entry.rule, scope_.rules));
}

void ExpectedReader::read_scenario(YamlView map, ExpectedVerdict& entry) {
  entry.scenario = text(map, "scenario");
  if (entry.scenario.ends_with(".yaml")) entry.scenario.resize(entry.scenario.size() - 5);
  if (entry.scenario.empty() || scope_.scenarios.empty()) return;
  if (std::ranges::find(scope_.scenarios, entry.scenario) != scope_.scenarios.end()) return;
  complain(map.find("scenario")->place(), "unknown scenario '" + entry.scenario + "'" +
                                              suggestion_for(entry.scenario, scope_.scenarios));
}

/// Two entries for one thing would hide each other's reason.
void ExpectedReader::check_twin(YamlView map, const ExpectedVerdict& entry) {
  for (const auto& other : entries_) {
    if (other.rule != entry.rule || other.scenario != entry.scenario) continue;
    return complain(map.place(), "a second entry for the same, the first is at " + other.where);
  }
}

void ExpectedReader::check_date(YamlView map, const std::string& date) {
  const auto member = map.find("expires");
  if (!member) return;
  const auto day = day_of(date);
  if (!day) return complain(member->place(), "'expires' must be a date such as 2030-01-31");
  if (today_ && (*day - *today_).count() > kExpectedDaysMax) {
    complain(member->place(),
             "'expires' must lie within " + std::to_string(kExpectedDaysMax) + " days");
  }
}

void ExpectedReader::read_entry(YamlView map) {
  constexpr std::array<std::string_view, 5> kKeys{"rule", "scenario", "verdict", "reason",
                                                  "expires"};
  constexpr std::array<std::string_view, 3> kVerdicts{"pass", "fail", "not_triggered"};
  if (!map.value->is_object()) return complain(map.place(), "an entry must be a map");
  const auto known_errors = errors_.size();
  check_keys(map, kKeys);
  // A key that is not known is often the one that is missing.
  if (errors_.size() > known_errors) return;
  ExpectedVerdict entry;
  entry.where = located(document_.file, map.place());
  if (!map.find("rule") && !map.find("scenario")) {
    complain(map.place(), "missing key 'rule' or 'scenario'");
  }
  read_rule(map, entry);
  read_scenario(map, entry);
  entry.reason = needed(map, "reason");
  entry.expires = needed(map, "expires");
  check_date(map, entry.expires);
  const auto verdict = needed(map, "verdict");
  if (const auto parsed = reports::verdict_from_string(verdict)) {
    entry.verdict = *parsed;
  } else if (!verdict.empty()) {
    complain(map.find("verdict")->place(),
             "unknown verdict '" + verdict + "'" + suggestion_for(verdict, kVerdicts));
  }
  check_twin(map, entry);
  entries_.push_back(std::move(entry));
}

Checked<std::vector<ExpectedVerdict>> ExpectedReader::read() {
  constexpr std::array<std::string_view, 1> kKeys{"expected"};
  const YamlView root = document_.view();
  if (root.value->is_object()) check_keys(root, kKeys);
  const auto list = root.find("expected");
  if (list && list->value->is_array()) {
    for (std::int64_t i = 0; i < list->size(); ++i) read_entry(list->element(i));
  } else if (errors_.empty()) {
    complain(root.place(), "an expectations file must be {expected: [entries]}");
  }
  if (!errors_.empty()) return std::unexpected(std::move(errors_));
  return std::move(entries_);
}

bool speaks_of(const ExpectedVerdict& entry, const reports::ScenarioResult& scenario,
               const reports::RuleVerdict& verdict) {
  return entry.rule == verdict.rule && (entry.scenario.empty() || entry.scenario == scenario.id);
}

reports::ExpectedBy expected_by(const ExpectedVerdict& entry, bool is_stale) {
  return {entry.where, entry.verdict, entry.reason, entry.expires, is_stale};
}

/// Marks what one entry about a rule speaks of; tells whether there was anything.
bool mark(reports::Record& record, const ExpectedVerdict& entry, bool is_expired) {
  bool is_used = false;
  for (auto& scenario : record.scenarios) {
    for (auto& verdict : scenario.rules) {
      if (!speaks_of(entry, scenario, verdict)) continue;
      // An entry for every scenario need not hold where the rule was not judged.
      const bool is_judged =
          verdict.verdict == reports::Verdict::pass || verdict.verdict == reports::Verdict::fail;
      if (entry.scenario.empty() && verdict.verdict != entry.verdict && !is_judged) continue;
      verdict.expected_by = expected_by(entry, is_expired || verdict.verdict != entry.verdict);
      is_used = true;
    }
  }
  return is_used;
}

/// The scenario's own expectations that failed, as one verdict that an entry can speak of.
void gather_expectations(reports::ScenarioResult& scenario) {
  if (scenario.expectation_failures.empty()) return;
  reports::RuleVerdict verdict;
  verdict.rule = "expectation";
  verdict.title = "what the scenario expects";
  verdict.verdict = reports::Verdict::fail;
  verdict.findings = std::exchange(scenario.expectation_failures, {});
  scenario.rules.push_back(std::move(verdict));
}

/// Marks everything that fails in the scenario that an entry names as a whole.
bool mark_whole(reports::Record& record, const ExpectedVerdict& entry, bool is_expired) {
  bool is_used = false;
  for (auto& scenario : record.scenarios) {
    if (scenario.id != entry.scenario) continue;
    gather_expectations(scenario);
    for (auto& verdict : scenario.rules) {
      if (verdict.verdict != entry.verdict || verdict.expected_by) continue;
      verdict.expected_by = expected_by(entry, is_expired);
      is_used = true;
    }
  }
  return is_used;
}

bool is_left_out(const reports::Record& record, const ExpectedVerdict& entry) {
  return !entry.scenario.empty() &&
         std::ranges::none_of(record.scenarios, [&entry](const reports::ScenarioResult& scenario) {
           return scenario.id == entry.scenario;
         });
}

std::string subject_of(const ExpectedVerdict& entry) {
  return entry.rule.empty() ? entry.scenario : entry.rule;
}

}  // namespace

Checked<std::vector<ExpectedVerdict>> read_expected_verdicts(std::string_view text,
                                                             const std::string& file,
                                                             const ExpectationScope& scope) {
  auto document = parse_yaml(text, file, kExpectationsBytesMax);
  if (!document) return std::unexpected(std::vector<Error>{std::move(document).error()});
  return ExpectedReader(*document, scope).read();
}

void apply_expected(reports::Record& record, const std::vector<ExpectedVerdict>& entries,
                    std::string_view today) {
  for (const auto& entry : entries) {
    // Dates of this form compare as texts.
    const bool is_expired = std::string_view(entry.expires) < today;
    const bool is_used = entry.rule.empty() ? mark_whole(record, entry, is_expired)
                                            : mark(record, entry, is_expired);
    if (is_used || is_left_out(record, entry)) continue;
    record.stale_expectations.push_back(
        {ErrorCode::not_found, "the entry for " + subject_of(entry) + " matches no verdict",
         entry.where});
  }
}

}  // namespace plumb::simulator
