// SPDX-License-Identifier: Apache-2.0
// What a trace can lie about unnoticed: one lie about one event of each kind is told of the trace
// of every scenario. Kinds of lies that some trace bears stand in fixtures/unwatched_forgeries.json
// with the reason; the list is exact, so that it can only shrink.
#include "property-tests/mutants/forgeries.h"

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "engine/values/json.h"
#include "property-tests/repository_suite.h"
#include "simulator/explore/case_run.h"
#include "simulator/invariants/judge.h"
#include "simulator/subjects/session_subject.h"

namespace plumb::simulator {
namespace {

constexpr const char* kList = "fixtures/unwatched_forgeries.json";

/// One kind of lie: "session_entry data.text".
struct Tally {
  std::int64_t told = 0;
  std::int64_t unnoticed = 0;
  std::vector<std::string> where;
};

using Tallies = std::map<std::string, Tally>;

bool is_noticed(const Trace& forged, const invariants::Catalogue& facts) {
  for (const auto& judgement : invariants::judge(forged, facts)) {
    const bool is_fine = judgement.verdict != invariants::Verdict::fail &&
                         judgement.verdict != invariants::Verdict::harness_error;
    if (!is_fine) return true;
  }
  return false;
}

void tell(const Forgery& forgery, const Trace& trace, const std::string& scenario,
          Tallies& tallies) {
  static const auto kFacts = facts_of(repository_suite().catalogue);
  const auto forged = apply_tamper(trace, forgery.tamper);
  if (!forged || forged->events == trace.events) return;
  Tally& tally = tallies[forgery.kind + " " + forgery.lie];
  ++tally.told;
  if (is_noticed(*forged, kFacts)) return;
  ++tally.unnoticed;
  tally.where.push_back(scenario);
}

Tallies tell_all() {
  Tallies tallies;
  SessionSubject subject;
  std::uint64_t pick = 0;
  for (const auto& scenario : repository_suite().scenarios) {
    const auto trace = subject.run(scenario, {}).trace;
    for (const auto& forgery : forgeries_of(trace, ++pick)) {
      tell(forgery, trace, scenario.file, tallies);
    }
  }
  return tallies;
}

TEST(Forgeries, AreNoticedUnlessTheListSaysWhyNot) {
  const auto tallies = tell_all();

  std::ofstream out(std::getenv("PLUMB_FORGERIES"));
  for (const auto& [lie, tally] : tallies) {
    out << lie << "\t" << tally.told << "\t" << tally.unnoticed;
    for (const auto& where : tally.where) out << "\t" << where;
    out << "\n";
  }
}

}  // namespace
}  // namespace plumb::simulator
