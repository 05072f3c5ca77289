// SPDX-License-Identifier: Apache-2.0
#include "simulator/cli/expected_verdicts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <optional>
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
  ExpectedReader(const YamlDocument& document, std::string_view today)
      : document_(document), today_(day_of(today)) {}

  Checked<std::vector<ExpectedVerdict>> read();

 private:
  void complain(Place place, std::string message) {
    errors_.push_back({ErrorCode::invalid, std::move(message), located(document_.file, place)});
  }
  void check_keys(YamlView map);
  std::string text(YamlView map, std::string_view key, bool is_required);
  void check_date(YamlView map, const std::string& date);
  void read_entry(YamlView map);

  const YamlDocument& document_;
  std::optional<std::chrono::sys_days> today_;
  std::vector<ExpectedVerdict> entries_;
  std::vector<Error> errors_;
};

void ExpectedReader::check_keys(YamlView map) {
  constexpr std::array<std::string_view, 5> kKeys{"rule", "scenario", "verdict", "reason",
                                                  "expires"};
  std::int64_t position = 0;
  for (const auto& [key, value] : map.value->items()) {
    const YamlView member = map.member_at(position++);
    if (std::ranges::find(kKeys, key) != kKeys.end()) continue;
    const auto hint = did_you_mean(key, kKeys);
    complain(member.key_place(),
             "unknown key '" + key + "'" + (hint.empty() ? "" : "; did you mean '" + hint + "'?"));
  }
}

std::string ExpectedReader::text(YamlView map, std::string_view key, bool is_required) {
  const auto member = map.find(key);
  if (member && member->value->is_string()) return member->value->get<std::string>();
  if (member || is_required) {
    complain(member ? member->place() : map.place(), "'" + std::string(key) + "' must be a text");
  }
  return "";
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
  if (!map.value->is_object()) return complain(map.place(), "an entry must be a map");
  check_keys(map);
  ExpectedVerdict entry;
  entry.where = located(document_.file, map.place());
  entry.rule = text(map, "rule", true);
  entry.scenario = text(map, "scenario", false);
  entry.reason = text(map, "reason", true);
  entry.expires = text(map, "expires", true);
  check_date(map, entry.expires);
  const auto verdict = text(map, "verdict", true);
  if (const auto parsed = reports::verdict_from_string(verdict)) {
    entry.verdict = *parsed;
  } else if (!verdict.empty()) {
    constexpr std::array<std::string_view, 3> kVerdicts{"pass", "fail", "not_triggered"};
    const auto hint = did_you_mean(verdict, kVerdicts);
    complain(map.find("verdict")->place(),
             "unknown verdict '" + verdict + "'" +
                 (hint.empty() ? "" : "; did you mean '" + hint + "'?"));
  }
  entries_.push_back(std::move(entry));
}

Checked<std::vector<ExpectedVerdict>> ExpectedReader::read() {
  const YamlView root = document_.view();
  const auto list = root.find("expected");
  if (!list || !list->value->is_array() || root.size() != 1) {
    complain(root.place(), "an expectations file must be {expected: [entries]}");
  } else {
    for (std::int64_t i = 0; i < list->size(); ++i) read_entry(list->element(i));
  }
  if (!errors_.empty()) return std::unexpected(std::move(errors_));
  return std::move(entries_);
}

bool speaks_of(const ExpectedVerdict& entry, const reports::ScenarioResult& scenario,
               const reports::RuleVerdict& verdict) {
  return entry.rule == verdict.rule && (entry.scenario.empty() || entry.scenario == scenario.id);
}

/// Marks what one entry speaks of; tells whether there was anything.
bool mark(reports::Record& record, const ExpectedVerdict& entry, bool is_expired) {
  bool is_used = false;
  for (auto& scenario : record.scenarios) {
    for (auto& verdict : scenario.rules) {
      if (!speaks_of(entry, scenario, verdict)) continue;
      // An entry for every scenario need not hold where the rule was not judged.
      const bool is_judged =
          verdict.verdict == reports::Verdict::pass || verdict.verdict == reports::Verdict::fail;
      if (entry.scenario.empty() && verdict.verdict != entry.verdict && !is_judged) continue;
      reports::ExpectedBy by{entry.where, entry.verdict, entry.reason, entry.expires, false};
      by.is_stale = is_expired || verdict.verdict != entry.verdict;
      verdict.expected_by = std::move(by);
      is_used = true;
    }
  }
  return is_used;
}

}  // namespace

Checked<std::vector<ExpectedVerdict>> read_expected_verdicts(std::string_view text,
                                                             const std::string& file,
                                                             std::string_view today) {
  auto document = parse_yaml(text, file, kExpectationsBytesMax);
  if (!document) return std::unexpected(std::vector<Error>{std::move(document).error()});
  return ExpectedReader(*document, today).read();
}

void apply_expected(reports::Record& record, const std::vector<ExpectedVerdict>& entries,
                    std::string_view today) {
  for (const auto& entry : entries) {
    // Dates of this form compare as texts.
    const bool is_expired = std::string_view(entry.expires) < today;
    if (mark(record, entry, is_expired)) continue;
    record.stale_expectations.push_back(
        {ErrorCode::not_found, "the entry for " + entry.rule + " matches no verdict", entry.where});
  }
}

}  // namespace plumb::simulator
