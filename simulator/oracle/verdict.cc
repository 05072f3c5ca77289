// SPDX-License-Identifier: Apache-2.0
#include "simulator/oracle/verdict.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace plumb::simulator {
namespace {

constexpr std::array<std::string_view, 4> kOutcomes{"PASS", "FAIL", "SKIP", "ERROR"};
constexpr std::size_t kShownMax = 400;

std::string cut(const std::string& text) {
  if (text.size() <= kShownMax) return text;
  return text.substr(0, kShownMax / 2) + " ...(" + std::to_string(text.size()) + " bytes)... " +
         text.substr(text.size() - kShownMax / 2);
}

}  // namespace

void append(Differences& all, Differences more) {
  std::ranges::move(more, std::back_inserter(all));
}

std::string describe(const Difference& difference) {
  return difference.path + ": expected " + cut(difference.expected) + ", got " +
         cut(difference.actual);
}

std::string shown(const Json& value) {
  return value.is_discarded() ? "nothing" : dump_json(value);
}

std::string_view to_string(CaseOutcome outcome) {
  return kOutcomes[static_cast<std::size_t>(outcome)];
}

Json to_json(const CaseVerdict& verdict) {
  Json json{{"id", verdict.id}, {"line", verdict.line}, {"verdict", to_string(verdict.outcome)}};
  if (!verdict.reason.empty()) json["reason"] = verdict.reason;
  for (const auto& difference : verdict.differences) {
    json["differences"].push_back(Json{{"path", difference.path},
                                       {"expected", difference.expected},
                                       {"actual", difference.actual}});
  }
  if (!verdict.set_aside.empty()) json["setAside"] = verdict.set_aside;
  return json;
}

Result<CaseVerdict> parse_verdict(const Json& json) {
  CaseVerdict verdict;
  const auto outcome = std::ranges::find(kOutcomes, json.value("verdict", std::string()));
  if (outcome == kOutcomes.end()) return fail(ErrorCode::invalid, "not a verdict");
  verdict.id = json.value("id", std::string());
  verdict.line = json.value("line", std::int64_t{0});
  verdict.outcome = static_cast<CaseOutcome>(outcome - kOutcomes.begin());
  verdict.reason = json.value("reason", std::string());
  for (const auto& one : json.value("differences", Json::array())) {
    verdict.differences.push_back({one.value("path", std::string()),
                                   one.value("expected", std::string()),
                                   one.value("actual", std::string())});
  }
  verdict.set_aside = json.value("setAside", std::vector<std::string>());
  return verdict;
}

}  // namespace plumb::simulator
