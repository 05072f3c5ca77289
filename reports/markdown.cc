// SPDX-License-Identifier: Apache-2.0
#include "reports/markdown.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "reports/card.h"
#include "reports/text.h"

namespace plumb::reports {
namespace {

constexpr std::int64_t kFailuresMax = 50;

std::string row_of(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& cell : cells) text += " " + cell + " |";
  return text + "\n";
}

std::string counts_table(const Record& record) {
  std::map<std::string, Record> domains;
  for (const ScenarioResult& scenario : record.scenarios) {
    domains[domain_of(scenario.file)].scenarios.push_back(scenario);
  }
  std::vector<std::string> head{"domain", "scenarios"};
  std::vector<std::string> line{"---", "---:"};
  for (const PartCount& part : parts_of(Summary())) {
    head.push_back(words_of(part.name));
    line.emplace_back("---:");
  }
  std::string text = row_of(head) + row_of(line);
  const auto add_row = [&text](const std::string& name, const Summary& summary) {
    std::vector<std::string> cells{name, std::to_string(summary.scenarios)};
    for (const PartCount& part : parts_of(summary)) cells.push_back(std::to_string(part.count));
    text += row_of(cells);
  };
  for (const auto& [name, part] : domains) add_row(markdown_escaped(name), summarise(part));
  add_row("**all**", summarise(record));
  return text;
}

std::string failure_section(const Card& card) {
  std::string heading = "\n### " + markdown_escaped(card.rule);
  if (!card.title.empty()) heading += ": " + markdown_escaped(card.title);
  return heading + "\n\n" + markdown_block(card_text(card));
}

std::string failure_sections(const Record& record) {
  std::vector<Card> cards;
  for (const ScenarioResult& scenario : record.scenarios) {
    const std::vector<Card> more = cards_of(scenario);
    cards.insert(cards.end(), more.begin(), more.end());
  }
  if (cards.empty()) return "";
  std::string text = "\n## Failures\n";
  const std::int64_t shown = std::min(std::ssize(cards), kFailuresMax);
  for (std::int64_t i = 0; i < shown; ++i)
    text += failure_section(cards[static_cast<std::size_t>(i)]);
  if (shown < std::ssize(cards)) {
    text += "\n" + std::to_string(std::ssize(cards) - shown) +
            " more failures are in the JSON record.\n";
  }
  return text;
}

std::string item_of(std::string_view kind, std::string_view where, std::string_view message) {
  std::string text = "- " + std::string(kind) + ": ";
  if (!where.empty()) text += markdown_escaped(where) + ": ";
  return text + markdown_escaped(message) + "\n";
}

std::string notes_section(const Record& record) {
  std::string text;
  for (const Diagnostic& diagnostic : record.diagnostics) {
    text += item_of(words_of(to_string(diagnostic.severity)), diagnostic.where, diagnostic.message);
  }
  for (const Error& entry : record.stale_expectations) {
    text += item_of("stale expectation", entry.where, entry.message);
  }
  return text.empty() ? "" : "\n## Notes\n\n" + text;
}

std::string expected_section(const Record& record) {
  std::string text;
  for (const ScenarioResult& scenario : record.scenarios) {
    for (const RuleVerdict& verdict : scenario.rules) {
      if (part_of(verdict) != Part::expected_failure) continue;
      const ExpectedBy& entry = *verdict.expected_by;
      text += row_of({markdown_escaped(verdict.rule), markdown_escaped(label_of(scenario)),
                      markdown_escaped(entry.reason), markdown_escaped(entry.expires)});
    }
  }
  if (text.empty()) return "";
  return "\n## Expected failures\n\n" + row_of({"rule", "scenario", "reason", "until"}) +
         row_of({"---", "---", "---", "---"}) + text;
}

}  // namespace

std::string markdown_escaped(std::string_view text) {
  constexpr std::string_view kMarkup = "\\`*_[]<>|#~&!";
  std::string escaped;
  for (const char c : visible_line(text)) {
    if (kMarkup.find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string markdown_block(std::string_view text) {
  std::int64_t longest = 2;
  std::int64_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(static_cast<std::size_t>(longest + 1), '`');
  std::string block = fence + "text\n" + visible(text);
  if (block.back() != '\n') block += '\n';
  return block + fence + "\n";
}

std::string markdown_text(const Record& record) {
  const Summary summary = summarise(record);
  std::string text = "# plumb: " + total_text(summary) + "\n\n";
  text += "Subject " + markdown_escaped(record.subject) + ", edition " +
          markdown_escaped(record.edition) + ", exit code " + std::to_string(summary.exit_code) +
          ".";
  if (summary.scenarios == 0) text += " Nothing was selected.";
  text += "\n\n" + counts_table(record);
  text += failure_sections(record) + expected_section(record) + notes_section(record);
  return text + "\n" + total_text(summary) + "\n";
}

}  // namespace plumb::reports
