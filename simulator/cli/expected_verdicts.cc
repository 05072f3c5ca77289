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

/// Of digits only.
std::optional<int> number_in(std::string_view text) {
  int value = 0;
  if (text.starts_with('-')) return std::nullopt;
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
  void read_error(YamlView text);
  void read_errors(YamlView map, ExpectedVerdict& entry);
  bool is_of_our_api(YamlView map);
  void read_verdict(YamlView map, ExpectedVerdict& entry);
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
    if (other.errors.empty() != entry.errors.empty()) continue;
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

void ExpectedReader::read_error(YamlView text) {
  const bool is_text = text.value->is_string();
  const std::string pattern = is_text ? text.value->get<std::string>() : "";
  if (!is_text || pattern.empty()) {
    complain(text.place(), "'error' must be a text that is not empty, or a list of such");
  } else if (pattern.find_first_not_of("* ") == std::string::npos) {
    complain(text.place(), "'error' must name words of the error");
  }
}

/// How one run ends says something of one rule in one scenario.
void ExpectedReader::read_errors(YamlView map, ExpectedVerdict& entry) {
  const YamlView errors = *map.find("error");
  for (const std::string_view key : {"rule", "scenario"}) {
    if (!map.find(key)) {
      complain(map.place(), "missing key '" + std::string(key) + "', which 'error' needs");
    }
  }
  std::vector<YamlView> texts;
  const bool is_list = errors.value->is_array() && !errors.value->empty();
  for (std::int64_t i = 0; is_list && i < errors.size(); ++i) texts.push_back(errors.element(i));
  if (!is_list) texts.push_back(errors);
  for (const YamlView& text : texts) {
    read_error(text);
    if (text.value->is_string()) entry.errors.push_back(text.value->get<std::string>());
  }
  if (entry.verdict && *entry.verdict != reports::Verdict::fail) {
    complain(map.find("verdict")->place(), "beside 'error' the verdict must be 'fail'");
  }
}

void ExpectedReader::read_verdict(YamlView map, ExpectedVerdict& entry) {
  constexpr std::array<std::string_view, 3> kVerdicts{"pass", "fail", "not_triggered"};
  const auto verdict = map.find("error") ? text(map, "verdict") : needed(map, "verdict");
  if (verdict.empty()) return;
  if (std::ranges::find(kVerdicts, verdict) != kVerdicts.end()) {
    entry.verdict = reports::verdict_from_string(verdict);
    return;
  }
  complain(map.find("verdict")->place(),
           "unknown verdict '" + verdict + "'" + suggestion_for(verdict, kVerdicts));
}

/// Whether the entry is of the API that the subject is met in.
bool ExpectedReader::is_of_our_api(YamlView map) {
  constexpr std::array<std::string_view, 2> kApis{"messages", "chat"};
  const auto api = text(map, "api");
  if (api.empty()) return true;
  if (std::ranges::find(kApis, api) == kApis.end()) {
    complain(map.find("api")->place(), "unknown API '" + api + "'" + suggestion_for(api, kApis));
  }
  return api == scope_.api;
}

void ExpectedReader::read_entry(YamlView map) {
  constexpr std::array<std::string_view, 7> kKeys{"rule", "scenario", "verdict", "error",
                                                  "api",  "reason",   "expires"};
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
  read_verdict(map, entry);
  if (map.find("error")) read_errors(map, entry);
  entry.reason = needed(map, "reason");
  entry.expires = needed(map, "expires");
  check_date(map, entry.expires);
  if (!is_of_our_api(map)) return;
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
  const auto verdict = entry.verdict.value_or(reports::Verdict::fail);
  return {entry.where, verdict, entry.reason, entry.expires, is_stale};
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

// ---------------------------------------------------------------- errors of runs

/// Whether the whole text is what the pattern says; "*" stands for any text.
bool fits(std::string_view pattern, std::string_view text) {
  auto star = pattern.find('*');
  if (star == pattern.npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  text.remove_prefix(star);
  pattern.remove_prefix(star + 1);
  while ((star = pattern.find('*')) != pattern.npos) {
    const auto found = text.find(pattern.substr(0, star));
    if (found == text.npos) return false;
    text.remove_prefix(found + star);
    pattern.remove_prefix(star + 1);
  }
  return text.ends_with(pattern);
}

/// The errors of a run that say so, taken out of where they stand.
std::vector<reports::Finding> take_errors(reports::ScenarioResult& scenario,
                                          const std::string& pattern) {
  std::vector<reports::Finding> taken;
  std::erase_if(scenario.errors, [&](const Error& error) {
    // What is no fault of the subject's cannot be expected of it.
    if (error.code != ErrorCode::protocol || !fits(pattern, error.message)) return false;
    taken.emplace_back().message = error.message;
    taken.back().where = error.where;
    return true;
  });
  // Beside a broken rule the record has them among what was not met.
  std::erase_if(scenario.expectation_failures, [&](const reports::Finding& finding) {
    const bool is_unmet = !finding.expected.empty() || !finding.actual.empty();
    if (is_unmet || !fits(pattern, finding.message)) return false;
    taken.push_back(finding);
    return true;
  });
  return taken;
}

/// Puts the errors under the rule: what it showed in a run that ended so is not all of it.
void file_errors(reports::ScenarioResult& scenario, const ExpectedVerdict& entry,
                 std::vector<reports::Finding> errors, bool is_stale) {
  const auto known = std::ranges::find(scenario.rules, entry.rule, &reports::RuleVerdict::rule);
  const bool is_new = known == scenario.rules.end();
  auto& verdict = is_new ? scenario.rules.emplace_back() : *known;
  const bool has_failed = !is_new && verdict.verdict == reports::Verdict::fail;
  if (!has_failed) verdict.findings.clear();
  verdict.rule = entry.rule;
  verdict.verdict = reports::Verdict::fail;
  verdict.reason.clear();
  verdict.expected_by = expected_by(entry, is_stale || has_failed != entry.verdict.has_value());
  std::ranges::move(errors, std::back_inserter(verdict.findings));
}

/// Each of the entry's texts must be met.
bool mark_errors(reports::Record& record, const ExpectedVerdict& entry, bool is_expired) {
  bool is_used = false;
  for (auto& scenario : record.scenarios) {
    if (scenario.id != entry.scenario) continue;
    std::vector<reports::Finding> errors;
    bool is_met = true;
    for (const auto& pattern : entry.errors) {
      auto taken = take_errors(scenario, pattern);
      is_met = is_met && !taken.empty();
      std::ranges::move(taken, std::back_inserter(errors));
    }
    if (errors.empty()) continue;
    file_errors(scenario, entry, std::move(errors), is_expired || !is_met);
    is_used = true;
  }
  return is_used;
}

bool is_left_out(const reports::Record& record, const ExpectedVerdict& entry) {
  return !entry.scenario.empty() &&
         std::ranges::none_of(record.scenarios, [&entry](const reports::ScenarioResult& scenario) {
           return scenario.id == entry.scenario;
         });
}

std::string what_is_missing(const ExpectedVerdict& entry) {
  const auto& subject = entry.rule.empty() ? entry.scenario : entry.rule;
  return "the entry for " + subject + " matches no " +
         (entry.errors.empty() ? "verdict" : "error of a run");
}

bool apply(reports::Record& record, const ExpectedVerdict& entry, bool is_expired) {
  if (!entry.errors.empty()) return mark_errors(record, entry, is_expired);
  return entry.rule.empty() ? mark_whole(record, entry, is_expired)
                            : mark(record, entry, is_expired);
}

/// Errors first: what is said of verdicts holds for those that they leave.
std::vector<ExpectedVerdict> errors_first(std::vector<ExpectedVerdict> entries) {
  std::ranges::stable_partition(entries, [](const auto& entry) { return !entry.errors.empty(); });
  return entries;
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
  for (const auto& entry : errors_first(entries)) {
    // Dates of this form compare as texts.
    const bool is_expired = std::string_view(entry.expires) < today;
    if (apply(record, entry, is_expired) || is_left_out(record, entry)) continue;
    record.stale_expectations.push_back(
        {ErrorCode::not_found, what_is_missing(entry), entry.where});
  }
}

}  // namespace plumb::simulator
