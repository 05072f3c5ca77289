// SPDX-License-Identifier: Apache-2.0
// The rules that traces are judged by: scenarios/rules/*.yaml, one file a domain. Ids never change
// meaning. A rule is active when a checker is registered for it and a scenario names it, or, where
// it binds this project itself, when tests keep it; until then it is pending and counted as such.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/script/place.h"

namespace plumb::simulator {

enum class Level : std::uint8_t { must, should };
enum class RuleKind : std::uint8_t {
  engine,
  extension,
  wire_server,
  model,
  relation,
  report,
  bench
};
enum class Edition : std::uint8_t { seed, pi_1_6_0 };
/// A: all musts and what loses data, money or safety. B: what users rely on. C: the rest.
// NOLINTNEXTLINE(readability-identifier-naming): spelled as in the catalogue.
enum class Tier : std::uint8_t { A, B, C };

/// One rule. `needs`: event kinds without which it is untestable. `excused_by`: kinds that may show
/// why it does not bind: a failure without them is untestable. `reason`: why it is pending when
/// that is on purpose, else empty. `kept_by`: tests, as Suite.Name, of a rule that binds this
/// project itself.
struct RuleEntry {
  std::string id;
  std::string title;
  Level level = Level::must;
  RuleKind kind = RuleKind::engine;
  std::vector<std::string> engines;  ///< session, durable, any.
  std::vector<Edition> editions;
  std::vector<std::string> needs;
  std::vector<std::string> excused_by;
  Tier tier = Tier::A;
  std::string sentence;
  std::string source;
  std::string observe;
  std::string scenario;
  std::string mutant;
  std::string upstream;
  std::string reason;
  std::vector<std::string> kept_by;
  std::string file;
  Place place;

  bool operator==(const RuleEntry&) const = default;
};

/// All rules in order of file name and place. Thread-compatible.
class Catalogue final {
 public:
  Catalogue() = default;
  explicit Catalogue(std::vector<RuleEntry> rules);

  /// Null when there is no such rule.
  const RuleEntry* find(std::string_view id) const;
  /// The known id closest to `id`, or "".
  std::string suggest(std::string_view id) const;
  const std::vector<RuleEntry>& rules() const { return rules_; }

 private:
  std::vector<RuleEntry> rules_;
  std::map<std::string, std::size_t, std::less<>> index_;
};

enum class RuleState : std::uint8_t { active, pending };

/// Whether a rule is judged, and if not, why.
struct RuleStanding {
  RuleState state = RuleState::pending;
  std::string reason;
  bool operator==(const RuleStanding&) const = default;
};

RuleStanding standing_of(const RuleEntry& rule, const std::set<std::string, std::less<>>& checked,
                         const std::set<std::string, std::less<>>& named);

/// Reads every *.yaml file directly in `directory`. Errors: all that were found.
Checked<Catalogue> load_catalogue(const std::string& directory);

/// Reads the rules of one file's text; `file` names it in errors.
Checked<std::vector<RuleEntry>> parse_rules(std::string_view text, const std::string& file);

/// seed, pi-1.6.0; and so on: the words of the YAML files.
std::string_view to_string(Level level);
std::string_view to_string(RuleKind kind);
std::string_view to_string(Edition edition);
std::string_view to_string(Tier tier);

}  // namespace plumb::simulator
