// SPDX-License-Identifier: Apache-2.0
// What every report says about a failure, gathered once: the failure card and its evidence.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reports/record.h"

namespace plumb::reports {

inline constexpr std::int64_t kCardLinesMax = 25;
inline constexpr std::int64_t kCardColumnsMax = 100;

/// One failure as a reader needs it. Empty fields are left out.
struct Card {
  Part part = Part::fail;
  std::string rule;  ///< "EDIT-03", "expectation" or "harness error".
  std::string title;
  std::string sentence;
  std::string location;  ///< "file:line" or "file:line:col".
  std::string scenario;  ///< Its label.
  std::string message;
  std::string event;  ///< "#17 file_op write begin (trace line 18)": the first divergent one.
  std::string expected;
  std::string actual;
  std::string related;  ///< "#12, #15"
  std::string setting;  ///< Subject, engine, edition, seed, schedule, determinism.
  std::string more;     ///< How many further findings the record holds.
  std::string reproduce;

  bool operator==(const Card&) const = default;
};

/// A card for each verdict that counts as failed, each failed expectation and each harness error,
/// in that order.
std::vector<Card> cards_of(const ScenarioResult& scenario);
Card rule_card(const ScenarioResult& scenario, const RuleVerdict& verdict);
Card expectation_card(const ScenarioResult& scenario, const Finding& failure);
Card error_card(const ScenarioResult& scenario, const Error& error);

struct CardStyle {
  std::int64_t columns = kCardColumnsMax;
  bool unicode = true;
};

/// The card as at most 25 lines of at most `columns`. Only a command of which a word, or more than
/// four lines, would not fit runs wider: it must stay pasteable.
std::vector<std::string> card_lines(const Card& card, const CardStyle& style);
/// The same as one text, each line with its line feed.
std::string card_text(const Card& card, const CardStyle& style = {});

/// The findings behind a verdict, the first divergent one first. Never empty for a verdict that
/// counts as failed: a stale or claimed one explains itself.
std::vector<Finding> evidence_of(const RuleVerdict& verdict);

/// "not triggered" for not_triggered.
std::string words_of(std::string_view name);

struct PartCount {
  std::string_view name;
  std::int64_t count = 0;
};
/// All parts of the count, in the order in which they are printed.
std::array<PartCount, 9> parts_of(const Summary& summary);
/// "12 pass, 1 fail, ..., 0 not run of 17": every part, zero or not.
std::string parts_text(const Summary& summary);
/// "12 passed, 1 failed, 4 skipped"
std::string total_text(const Summary& summary);

}  // namespace plumb::reports
