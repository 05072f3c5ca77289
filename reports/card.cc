// SPDX-License-Identifier: Apache-2.0
#include "reports/card.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "reports/text.h"

namespace plumb::reports {
namespace {

constexpr std::int64_t kLabelColumns = 12;  // Two of indent, ten for the label.
constexpr std::int64_t kCommandLinesMax = 4;

std::string event_label(const Finding& finding) {
  if (finding.event_seq < 0) return finding.event_text;
  std::string text = "#" + std::to_string(finding.event_seq);
  if (!finding.event_text.empty()) text += " " + finding.event_text;
  if (finding.trace_line >= 0) text += " (trace line " + std::to_string(finding.trace_line) + ")";
  return text;
}

std::string related_text(const std::vector<std::int64_t>& related) {
  std::string text;
  for (const std::int64_t seq : related) {
    if (!text.empty()) text += ", ";
    text += "#" + std::to_string(seq);
  }
  return text;
}

void append_part(std::string& text, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  if (!text.empty()) text += ", ";
  text += name;
  text += value;
}

std::string setting_of(const ScenarioResult& scenario) {
  std::string text;
  append_part(text, "", scenario.subject);
  append_part(text, "engine ", scenario.engine);
  append_part(text, "edition ", scenario.edition);
  append_part(text, "seed ", std::to_string(scenario.seed));
  append_part(text, "schedule ", scenario.schedule);
  append_part(text, "", scenario.determinism);
  return text;
}

Card blank_card(const ScenarioResult& scenario) {
  Card card;
  card.location = location_of(scenario);
  card.scenario = label_of(scenario);
  card.setting = setting_of(scenario);
  card.reproduce = scenario.reproduce;
  return card;
}

void add_finding(Card& card, const Finding& finding) {
  card.message = finding.message;
  card.event = event_label(finding);
  card.expected = finding.expected;
  card.actual = finding.actual;
  card.related = related_text(finding.related);
  if (!finding.where.empty()) card.location = finding.where;
}

Finding stale_finding(const RuleVerdict& verdict) {
  const ExpectedBy& entry = *verdict.expected_by;
  Finding finding;
  finding.message = "the expectation is stale: " + entry.reason;
  if (!entry.expires.empty()) finding.message += " (until " + entry.expires + ")";
  finding.expected = to_string(entry.verdict);
  finding.actual = to_string(verdict.verdict);
  finding.where = entry.file;
  return finding;
}

Finding own_finding(const RuleVerdict& verdict) {
  Finding finding;
  finding.message = verdict.reason;
  if (verdict.verdict == Verdict::untestable) {
    finding.message = "untestable, though the scenario or the subject claims it: " + verdict.reason;
  } else if (verdict.reason.empty()) {
    finding.message = "no finding was recorded";
  }
  return finding;
}

/// Findings without an event come last.
bool comes_first(const Finding& a, const Finding& b) {
  if ((a.event_seq < 0) != (b.event_seq < 0)) return a.event_seq >= 0;
  return a.event_seq < b.event_seq;
}

struct Section {
  std::string_view label;
  std::vector<std::string> lines;
};

std::string labelled(std::string_view label, std::string_view line) {
  std::string text = "  " + std::string(label);
  text.resize(static_cast<std::size_t>(kLabelColumns), ' ');
  text += line;
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::vector<std::string> command_lines(const Card& card, const CardStyle& style) {
  if (card.reproduce.empty()) return {};
  const std::string command = visible_line(card.reproduce, style.unicode);
  std::vector<std::string> lines = wrapped_command(command, style.columns - kLabelColumns);
  if (std::ssize(lines) > kCommandLinesMax) return {command};
  return lines;
}

std::vector<std::string> text_lines(std::string_view text, const CardStyle& style,
                                    std::int64_t lines_max) {
  if (text.empty()) return {};
  return wrapped(text, style.columns - kLabelColumns, lines_max, style.unicode);
}

constexpr std::int64_t kComparedLinesMax = 3;
/// What is still shown before a difference within a long line.
constexpr std::int64_t kBytesBefore = 30;

bool fits(std::string_view text, const CardStyle& style) {
  return std::ssize(text_lines(text, style, kComparedLinesMax + 1)) <= kComparedLinesMax;
}

/// Where to begin so that the first difference is seen: its line, or a little before it; 0 for all.
std::size_t start_of_difference(std::string_view one, std::string_view other) {
  if (one == other) return 0;
  const auto at = static_cast<std::size_t>(std::ranges::mismatch(one, other).in1 - one.begin());
  const auto line = at == 0 ? one.npos : one.rfind('\n', at - 1);
  std::size_t start = line == one.npos ? 0 : line + 1;
  if (at - start <= static_cast<std::size_t>(2 * kBytesBefore)) return start;
  start = at - static_cast<std::size_t>(kBytesBefore);
  // Not within a character.
  while (start < at && (static_cast<unsigned char>(one[start]) & 0xC0U) == 0x80U) ++start;
  return start;
}

/// Two texts that are compared, from their first difference on where they do not fit.
std::pair<std::string, std::string> compared(const Card& card, const CardStyle& style) {
  const auto start = start_of_difference(card.expected, card.actual);
  const bool is_whole = fits(card.expected, style) && fits(card.actual, style);
  if (is_whole || start == 0) return {card.expected, card.actual};
  const auto lines = std::ranges::count(card.expected.substr(0, start), '\n');
  const std::string place = lines == 0 ? "..." : "line " + std::to_string(lines + 1) + ": ";
  return {place + card.expected.substr(start), place + card.actual.substr(start)};
}

std::string heading_of(const Card& card, const CardStyle& style) {
  std::string heading = card.part == Part::fail ? "FAIL " : words_of(to_string(card.part)) + " ";
  if (card.part == Part::stale) heading = "STALE ";
  if (card.part == Part::harness_error) heading = "ERROR ";
  heading += card.rule;
  if (!card.title.empty()) heading += "  " + card.title;
  return clipped(heading, style.columns, style.unicode);
}

}  // namespace

Card rule_card(const ScenarioResult& scenario, const RuleVerdict& verdict) {
  Card card = blank_card(scenario);
  card.part = part_of(verdict);
  card.rule = verdict.rule;
  card.title = verdict.title;
  card.sentence = verdict.sentence;
  const std::vector<Finding> evidence = evidence_of(verdict);
  if (!evidence.empty()) add_finding(card, evidence.front());
  const std::int64_t more = std::ssize(evidence) - 1;
  if (more > 0) card.more = std::to_string(more) + " more of this rule in the record";
  return card;
}

Card expectation_card(const ScenarioResult& scenario, const Finding& failure) {
  Card card = blank_card(scenario);
  card.rule = "expectation";
  card.title = scenario.title;
  add_finding(card, failure);
  return card;
}

Card error_card(const ScenarioResult& scenario, const Error& error) {
  Card card = blank_card(scenario);
  card.part = Part::harness_error;
  card.rule = "harness error";
  card.title = to_string(error.code);
  card.message = error.message;
  if (!error.where.empty()) card.location = error.where;
  return card;
}

std::vector<Card> cards_of(const ScenarioResult& scenario) {
  std::vector<Card> cards;
  for (const RuleVerdict& verdict : scenario.rules) {
    if (counts_as_failed(part_of(verdict))) cards.push_back(rule_card(scenario, verdict));
  }
  for (const Finding& failure : scenario.expectation_failures) {
    cards.push_back(expectation_card(scenario, failure));
  }
  for (const Error& error : scenario.errors) cards.push_back(error_card(scenario, error));
  return cards;
}

// The limits add up to 25: 1 + 1 + 1 + 3 + 3 + 2 + 3 + 3 + 1 + 2 + 1 + 4.
std::vector<std::string> card_lines(const Card& card, const CardStyle& style) {
  const auto [expected, actual] = compared(card, style);
  const std::vector<Section> sections{
      {"at", text_lines(card.location, style, 1)},
      {"scenario", text_lines(card.scenario, style, 1)},
      {"rule", text_lines(card.sentence, style, 3)},
      {"message", text_lines(card.message, style, 3)},
      {"event", text_lines(card.event, style, 2)},
      {"expected", text_lines(expected, style, kComparedLinesMax)},
      {"actual", text_lines(actual, style, kComparedLinesMax)},
      {"related", text_lines(card.related, style, 1)},
      {"setting", text_lines(card.setting, style, 2)},
      {"findings", text_lines(card.more, style, 1)},
      {"reproduce", command_lines(card, style)},
  };
  std::vector<std::string> lines{heading_of(card, style)};
  for (const Section& section : sections) {
    std::string_view label = section.label;
    for (const std::string& line : section.lines) {
      lines.push_back(labelled(std::exchange(label, ""), line));
    }
  }
  return lines;
}

std::string card_text(const Card& card, const CardStyle& style) {
  std::string text;
  for (const std::string& line : card_lines(card, style)) text += line + "\n";
  return text;
}

std::vector<Finding> evidence_of(const RuleVerdict& verdict) {
  std::vector<Finding> evidence = verdict.findings;
  const auto first = std::ranges::min_element(evidence, comes_first);
  if (first != evidence.end()) std::rotate(evidence.begin(), first, std::next(first));
  const Part part = part_of(verdict);
  if (part == Part::stale) evidence.insert(evidence.begin(), stale_finding(verdict));
  if (evidence.empty() && (counts_as_failed(part) || part == Part::expected_failure)) {
    evidence.push_back(own_finding(verdict));
  }
  return evidence;
}

std::string words_of(std::string_view name) {
  return replaced(name, "_", " ");
}

std::array<PartCount, 9> parts_of(const Summary& summary) {
  return {{{"pass", summary.pass},
           {"fail", summary.fail},
           {"harness_error", summary.harness_error},
           {"stale", summary.stale},
           {"not_triggered", summary.not_triggered},
           {"untestable", summary.untestable},
           {"not_applicable", summary.not_applicable},
           {"expected_failure", summary.expected_failure},
           {"not_run", summary.not_run}}};
}

std::string parts_text(const Summary& summary) {
  std::string text;
  std::int64_t total = 0;
  for (const PartCount& part : parts_of(summary)) {
    append_part(text, std::to_string(part.count) + " ", words_of(part.name));
    total += part.count;
  }
  return text + " of " + std::to_string(total);
}

std::string total_text(const Summary& summary) {
  return std::to_string(summary.passed) + " passed, " + std::to_string(summary.failed) +
         " failed, " + std::to_string(summary.skipped) + " skipped";
}

}  // namespace plumb::reports
