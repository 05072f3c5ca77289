// SPDX-License-Identifier: Apache-2.0
#include "reports/terminal.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "reports/card.h"
#include "reports/text.h"

namespace plumb::reports {
namespace {

constexpr std::int64_t kProgressIntervalMs = 100;
constexpr std::int64_t kColumnsMin = 40;
/// Failures of one scenario that get a whole card; the others get a line.
constexpr std::int64_t kCardsMax = 5;
constexpr std::int64_t kListLinesMax = 8;
/// Skipped rules are all named, however many there are.
constexpr std::int64_t kRulesLinesMax = 1'000;

enum class Color : std::uint8_t { red, green, yellow, bold };

std::string painted(std::string text, Color color, const TerminalStyle& style) {
  if (!style.has_color) return text;
  constexpr std::array<std::string_view, 4> kCodes{"\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[1m"};
  return std::string(kCodes.at(static_cast<std::size_t>(color))) + text + "\x1b[0m";
}

CardStyle card_style_of(const TerminalStyle& style) {
  return {std::clamp(style.columns, kColumnsMin, kCardColumnsMax), style.unicode};
}

std::string fitted(std::string_view text, const TerminalStyle& style) {
  return clipped(text, card_style_of(style).columns, style.unicode);
}

std::string card_block(const Card& card, const TerminalStyle& style) {
  std::vector<std::string> lines = card_lines(card, card_style_of(style));
  lines.front() = painted(lines.front(), Color::red, style);
  std::string text = "\n";
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string short_line(const Card& card, const TerminalStyle& style) {
  return fitted("  also " + card.rule + "  " + card.location + "  " + card.message, style) + "\n";
}

Summary summary_of(const ScenarioResult& scenario) {
  Record record;
  record.scenarios.push_back(scenario);
  return summarise(record);
}

std::string failed_scenario_text(const ScenarioResult& scenario, const TerminalStyle& style) {
  const Summary summary = summary_of(scenario);
  const std::string line =
      total_text(summary) + "  " + location_of(scenario) + "  " + label_of(scenario);
  std::string text = "\n" + painted(fitted(line, style), Color::bold, style) + "\n";
  const std::vector<Card> cards = cards_of(scenario);
  for (std::int64_t i = 0; i < std::ssize(cards); ++i) {
    const Card& card = cards[static_cast<std::size_t>(i)];
    text += i < kCardsMax ? card_block(card, style) : short_line(card, style);
  }
  return text;
}

/// "6 of 6 classes of schedules in 24 runs", or "" when none were explored.
std::string explored_text(const ScenarioResult& scenario, const TerminalStyle& style) {
  if (!scenario.exploration.has_value() || scenario.exploration->schedules_run == 0) return "";
  const Exploration& exploration = *scenario.exploration;
  const std::string total = exploration.classes_total.has_value()
                                ? std::to_string(*exploration.classes_total)
                                : "an unknown number";
  const std::string line = "  " + std::to_string(exploration.classes_explored) + " of " + total +
                           " classes of schedules in " + std::to_string(exploration.schedules_run) +
                           " runs  " + scenario.id;
  return fitted(line, style) + "\n";
}

std::string explored_lines(const Record& record, const TerminalStyle& style) {
  std::string text;
  for (const ScenarioResult& scenario : record.scenarios) text += explored_text(scenario, style);
  return text.empty() ? "" : "\n" + text;
}

/// Folder of scenarios -> its counts, by name.
std::map<std::string, Summary> domains_of(const Record& record) {
  std::map<std::string, Record> parts;
  for (const ScenarioResult& scenario : record.scenarios) {
    parts[domain_of(scenario.file)].scenarios.push_back(scenario);
  }
  std::map<std::string, Summary> domains;
  for (const auto& [name, part] : parts) domains[name] = summarise(part);
  return domains;
}

std::string domain_lines(const Record& record, const TerminalStyle& style) {
  const std::map<std::string, Summary> domains = domains_of(record);
  std::size_t widest = 0;
  for (const auto& [name, summary] : domains) widest = std::max(widest, name.size());
  std::string text = domains.empty() ? "" : "\n";
  for (const auto& [name, summary] : domains) {
    std::string padded = name;
    padded.resize(widest, ' ');
    const Color color = summary.failed > 0 ? Color::red : Color::green;
    text += "  " + painted(visible_line(padded, style.unicode), color, style) + "  " +
            total_text(summary) + "\n";
  }
  return text;
}

/// Why a verdict stands where it stands.
std::string reason_of(const RuleVerdict& verdict) {
  if (part_of(verdict) != Part::expected_failure) return verdict.reason;
  return verdict.expected_by->reason + ", until " + verdict.expected_by->expires;
}

/// "reason" -> rules, each once, for the verdicts of one part.
std::map<std::string, std::set<std::string>> reasons_of(const Record& record, Part part) {
  std::map<std::string, std::set<std::string>> reasons;
  for (const ScenarioResult& scenario : record.scenarios) {
    for (const RuleVerdict& verdict : scenario.rules) {
      if (part_of(verdict) == part) reasons[reason_of(verdict)].insert(verdict.rule);
    }
  }
  return reasons;
}

/// Rules that nothing in the whole run triggered; others are of no interest to a reader.
std::map<std::string, std::set<std::string>> never_triggered(const Record& record) {
  std::set<std::string> triggered;
  for (const ScenarioResult& scenario : record.scenarios) {
    for (const RuleVerdict& verdict : scenario.rules) {
      if (part_of(verdict) != Part::not_triggered) triggered.insert(verdict.rule);
    }
  }
  std::map<std::string, std::set<std::string>> reasons = reasons_of(record, Part::not_triggered);
  std::set<std::string> rules;
  for (const auto& [reason, all] : reasons) {
    std::ranges::set_difference(all, triggered, std::inserter(rules, rules.end()));
  }
  if (rules.empty()) return {};
  return {{"by no scenario of this run", rules}};
}

std::string joined(const std::set<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string list_text(std::string_view title,
                      const std::map<std::string, std::set<std::string>>& reasons,
                      const TerminalStyle& style) {
  std::string text;
  const std::int64_t columns = card_style_of(style).columns - 4;
  for (const auto& [reason, rules] : reasons) {
    const std::string head = std::string(title) + (reason.empty() ? "" : ": " + reason);
    text += fitted(head, style) + "\n";
    for (const std::string& line : wrapped(joined(rules), columns, kRulesLinesMax, style.unicode)) {
      text += "    " + line + "\n";
    }
  }
  return text;
}

std::string skipped_lists(const Record& record, const TerminalStyle& style) {
  std::string text;
  for (const Part part : {Part::expected_failure, Part::untestable, Part::not_applicable}) {
    text += list_text(words_of(to_string(part)), reasons_of(record, part), style);
  }
  text += list_text("not triggered", never_triggered(record), style);
  std::map<std::string, std::set<std::string>> not_run;
  for (const ScenarioResult& scenario : record.scenarios) {
    if (!scenario.skip_reason.empty()) not_run[scenario.skip_reason].insert(scenario.id);
  }
  text += list_text("not run", not_run, style);
  return text.empty() ? "" : "\n" + text;
}

std::string located(std::string_view where, std::string_view message) {
  return where.empty() ? std::string(message) : std::string(where) + ": " + std::string(message);
}

std::string diagnostic_lines(const Record& record, const TerminalStyle& style) {
  std::string text;
  for (const Diagnostic& diagnostic : record.diagnostics) {
    const bool is_error = diagnostic.severity >= Severity::error;
    const std::string name = is_error ? "error" : std::string(to_string(diagnostic.severity));
    const Color color = is_error ? Color::red : Color::yellow;
    text += painted(name, color, style) + ": " +
            visible_line(located(diagnostic.where, diagnostic.message), style.unicode) + "\n";
  }
  for (const Error& entry : record.stale_expectations) {
    text += painted("stale", Color::red, style) + ": " +
            visible_line(located(entry.where, entry.message), style.unicode) + "\n";
  }
  return text.empty() ? "" : "\n" + text;
}

std::string exploration_line(const Record& record) {
  Exploration sum;
  bool is_total_known = true;
  std::int64_t classes_total = 0;
  for (const ScenarioResult& scenario : record.scenarios) {
    if (!scenario.exploration.has_value()) continue;
    sum.schedules_run += scenario.exploration->schedules_run;
    sum.classes_explored += scenario.exploration->classes_explored;
    sum.points_covered += scenario.exploration->points_covered;
    is_total_known = is_total_known && scenario.exploration->classes_total.has_value();
    classes_total += scenario.exploration->classes_total.value_or(0);
  }
  if (sum.schedules_run == 0 && sum.points_covered == 0) return "";
  if (sum.schedules_run == 0) {
    return "points     " + std::to_string(sum.points_covered) + " covered\n";
  }
  const std::string total = is_total_known ? std::to_string(classes_total) : "an unknown number";
  return "schedules  " + std::to_string(sum.schedules_run) + " run, " +
         std::to_string(sum.classes_explored) + " of " + total + " classes explored" +
         (sum.points_covered == 0 ? ""
                                  : ", " + std::to_string(sum.points_covered) + " points covered") +
         "\n";
}

/// The parts of the rate, broken between parts and never within one.
std::string parts_lines(const Summary& summary, const TerminalStyle& style) {
  std::string_view label = "verdicts   ";
  const std::string glued = replaced(replaced(parts_text(summary), " ", "_"), ",_", ", ");
  const std::int64_t columns = card_style_of(style).columns - std::ssize(label);
  std::string text;
  for (const std::string& line : wrapped(glued, columns, kListLinesMax)) {
    text += std::string(std::exchange(label, "           ")) + words_of(line) + "\n";
  }
  return text;
}

/// "; 2 files could not be read", or "".
std::string unreadable_text(const Record& record) {
  std::set<std::string> files;
  for (const Diagnostic& diagnostic : record.diagnostics) {
    if (diagnostic.severity != Severity::input_error) continue;
    files.insert(diagnostic.where.substr(0, diagnostic.where.find(':')));
  }
  if (files.empty()) return "";
  return "; " + std::to_string(files.size()) + (files.size() == 1 ? " file" : " files") +
         " could not be read";
}

std::string summary_lines(const Record& record, const TerminalStyle& style) {
  const Summary summary = summarise(record);
  const std::int64_t neither = summary.rules - summary.rules_passed - summary.rules_failed;
  std::string text = "\n";
  if (summary.scenarios == 0 && record.diagnostics.empty()) text += "nothing was selected\n";
  text += "scenarios  " + std::to_string(summary.scenarios_passed) + " passed, " +
          std::to_string(summary.scenarios_failed) + " failed, " +
          std::to_string(summary.scenarios_skipped) + " skipped of " +
          std::to_string(summary.scenarios) + unreadable_text(record) + "\n";
  text += "rules      " + std::to_string(summary.rules_passed) + " passed, " +
          std::to_string(summary.rules_failed) + " failed, " + std::to_string(neither) +
          " neither of " + std::to_string(summary.rules) + "\n";
  text += exploration_line(record);
  text += parts_lines(summary, style);
  const bool is_green = summary.exit_code == 0;
  return text + painted(total_text(summary), is_green ? Color::green : Color::red, style) + "\n";
}

}  // namespace

void ProgressLine::update(std::int64_t now_ms, std::int64_t done, std::int64_t total,
                          std::string_view what) {
  if (!is_terminal_ || now_ms < next_at_ms_) return;
  next_at_ms_ = now_ms + kProgressIntervalMs;
  std::string text = std::to_string(done);
  if (total > 0) text += "/" + std::to_string(total);
  text += "  " + std::string(what);
  const std::int64_t columns = std::max<std::int64_t>(style_.columns - 1, 1);
  std::string line = clipped(text, columns, style_.unicode);
  const std::int64_t used = columns_of(line);
  line.append(static_cast<std::size_t>(std::max<std::int64_t>(printed_columns_ - used, 0)), ' ');
  sink_("\r" + line);
  printed_columns_ = used;
}

void ProgressLine::clear() {
  if (printed_columns_ == 0) return;
  sink_("\r" + std::string(static_cast<std::size_t>(printed_columns_), ' ') + "\r");
  printed_columns_ = 0;
  next_at_ms_ = INT64_MIN;
}

void TerminalReporter::print(std::string_view text) {
  if (text.empty()) return;
  if (progress_ != nullptr) progress_->clear();
  sink_(text);
}

void TerminalReporter::run_started(const Record& head) {
  const std::string line =
      "plumb " + head.tool_version + "  subject " + head.subject + "  edition " + head.edition;
  print(fitted(line, style_) + "\n");
}

void TerminalReporter::scenario_finished(const ScenarioResult& scenario) {
  if (status_of(scenario) == ScenarioStatus::failed) print(failed_scenario_text(scenario, style_));
}

void TerminalReporter::run_finished(const Record& record) {
  print(explored_lines(record, style_));
  print(domain_lines(record, style_));
  print(skipped_lists(record, style_));
  print(diagnostic_lines(record, style_));
  print(summary_lines(record, style_));
}

std::string terminal_text(const Record& record, const TerminalStyle& style) {
  std::string text;
  TerminalReporter reporter([&text](std::string_view part) { text += part; }, style);
  reporter.run_started(record);
  for (const ScenarioResult& scenario : record.scenarios) reporter.scenario_finished(scenario);
  reporter.run_finished(record);
  return text;
}

}  // namespace plumb::reports
