// SPDX-License-Identifier: Apache-2.0
// Whatever two calls, handlers or later fibers share, the explored classes show every outcome that
// random schedules show: scripts with each verb, side by side.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/values/json.h"
#include "simulator/explore/schedules.h"
#include "simulator/script/scenario.h"
#include "simulator/subjects/session_subject.h"

namespace plumb::simulator {
namespace {

constexpr std::int64_t kSeeds = 200;

/// `one` and `other` are the bodies of two tools that are called in one answer; `handlers` belong
/// to the extension that registers them.
struct Pair {
  std::string_view name;
  std::string_view one;
  std::string_view other;
  std::string_view handlers = "{}";
  bool has_choice = true;  ///< Schedules differ in what they show.
};

void PrintTo(const Pair& pair, std::ostream* out) {
  *out << pair.name;
}

constexpr std::string_view kScenario = R"(# SPDX-License-Identifier: Apache-2.0
scenario: two calls share something
rules: [EVENT-03]
files: {a.txt: "x\n", b.txt: "y\n", c.txt: "z\n"}
settings: {ui: true}
ui: [{match: {title: q}, answer: first}, {match: {title: q}, answer: second}]
extensions:
  - name: x
    tools:
      - {name: one, description: d, parameters: {type: object}, do: ONE}
      - {name: other, description: d, parameters: {type: object}, do: OTHER}
      - {name: inner, description: d, parameters: {type: object}, do: [{result: ok}]}
    on: HANDLERS
steps:
  - user: go
  - model: {calls: [{id: c1, tool: one, args: {n: 1}}, {id: c2, tool: other, args: {n: 1}}]}
  - model: done
  - model: done
  - model: done
)";

std::string with(std::string text, std::string_view word, std::string_view value) {
  const auto at = text.find(word);
  return text.replace(at, word.size(), value);
}

Scenario scenario_of(const Pair& pair) {
  std::string text(kScenario);
  text = with(std::move(text), "HANDLERS", pair.handlers);
  text = with(std::move(text), "ONE", pair.one);
  text = with(std::move(text), "OTHER", pair.other);
  static const Catalogue kCatalogue = load_catalogue("scenarios/rules").value();
  auto scenario = parse_scenario(text, "pair.yaml", kCatalogue);
  EXPECT_TRUE(scenario) << scenario.error().front().message;
  return *std::move(scenario);
}

/// What a run shows to the model, the user and the disk. Events of different calls that do not
/// touch each other have no order: each call has a list of its own.
std::string outcome_of(const Trace& trace) {
  std::vector<std::string> lines;
  for (const auto& event : trace.events) {
    std::string line = event.call + " " + std::string(event.kind()) + " ";
    if (const auto* end = event.as<MessageEnd>()) {
      line += end->message.bytes();
    } else if (const auto* files = event.as<FinalFiles>()) {
      line += files->files.bytes();
    } else if (const auto* note = event.as<Notify>()) {
      line += note->topic + note->data.bytes();
    } else if (const auto* error = event.as<ExtensionError>()) {
      line += error->error;
    } else if (event.as<ToolExecutionUpdate>() == nullptr &&
               event.as<ToolExecutionEnd>() == nullptr) {
      continue;
    }
    lines.push_back(std::move(line));
  }
  std::ranges::stable_sort(lines, {},
                           [](const std::string& line) { return line.substr(0, line.find(' ')); });
  std::string all;
  for (const auto& line : lines) all += line + "\n";
  return all;
}

class EveryVerb : public ::testing::TestWithParam<Pair> {};

TEST_P(EveryVerb, ExploredClassesShowWhatRandomSchedulesShow) {
  const Scenario scenario = scenario_of(GetParam());
  SessionSubject subject;
  std::set<std::string> explored;
  const auto play = [&](SchedulePicker picker) {
    RunOptions options;
    options.picker = std::move(picker);
    options.records_steps = options.records_ready = true;
    auto run = subject.run(scenario, options);
    explored.insert(outcome_of(run.trace));
    return Execution{std::move(run.steps), ""};
  };

  const auto report = explore_schedules(play);
  std::set<std::string> sampled;
  for (std::int64_t seed = 0; seed < kSeeds; ++seed) {
    RunOptions options;
    options.seed = static_cast<std::uint64_t>(seed);
    sampled.insert(outcome_of(subject.run(scenario, options).trace));
  }

  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->is_exhaustive);
  EXPECT_EQ(report->unplanned_classes, 0);
  std::vector<std::string> missed;
  std::ranges::set_difference(sampled, explored, std::back_inserter(missed));
  EXPECT_THAT(missed, ::testing::IsEmpty());
  EXPECT_EQ(sampled.size() > 1, GetParam().has_choice);
}

constexpr Pair kPairs[] = {
    {"SetActive", R"([{read_file: a.txt}, {set_active: {remove: [write]}}, {read_file: a.txt}])",
     R"([{read_file: b.txt}, {result: "${active}"}, {read_file: b.txt}])"},
    {"SetActiveTwice",
     R"([{read_file: a.txt}, {set_active: {remove: [write]}}, {read_file: a.txt}])",
     R"([{read_file: b.txt}, {set_active: [read, write]}, {read_file: b.txt}])"},
    {"Register",
     R"([{read_file: a.txt}, {register: {name: late, description: d}}, {read_file: a.txt}])",
     R"([{read_file: b.txt}, {result: "${tools}"}, {read_file: b.txt}])"},
    {"Send", R"([{read_file: a.txt}, {send: {text: one}}, {read_file: a.txt}])",
     R"([{read_file: b.txt}, {send: {text: other}}, {read_file: b.txt}])"},
    {"SendLater", R"([{later: [{read_file: b.txt}, {read_file: b.txt}, {send: {text: late}}]}])",
     R"([{read_file: a.txt}])"},
    {"SendNextTurn",
     R"([{read_file: a.txt}, {send: {content: one, mode: next_turn}}, {read_file: a.txt}])",
     R"([{read_file: b.txt}, {send: {content: other, trigger: false}}, {read_file: b.txt}])", "{}",
     false},
    {"Append", R"([{read_file: a.txt}, {append: {type: one}}, {read_file: a.txt}])",
     R"([{read_file: b.txt}, {result: "${ctx.entries}"}, {read_file: b.txt}])"},
    {"Latch", R"([{latch: {wait: l}}, {write_file: {path: c.txt, text: one}}])",
     R"([{read_file: b.txt}, {latch: {set: l}}, {write_file: {path: c.txt, text: other}}])"},
    {"Files",
     R"([{append_file: {path: c.txt, text: one}}, {read_file: c.txt}, {result: "${last}"}])",
     R"([{append_file: {path: c.txt, text: other}}, {read_file: c.txt}, {result: "${last}"}])"},
    {"Update", R"([{later: [{read_file: b.txt}, {update: now}]}, {read_file: a.txt}])", "[]"},
    {"SetArguments",
     R"([{later: [{read_file: b.txt}, {set: {path: /n, value: 2}}]}, {read_file: a.txt},
         {result: "${args/n}"}, {read_file: a.txt}])",
     "[]"},
    {"UnsetArguments",
     R"([{later: [{read_file: b.txt}, {unset: /n}]}, {read_file: a.txt},
         {result: "${args/n}"}, {read_file: a.txt}])",
     "[]"},
    {"Ask", R"([{read_file: a.txt}, {ask: {method: input, title: q}}, {result: "${last}"}])",
     R"([{read_file: b.txt}, {ask: {method: input, title: q}}, {result: "${last}"}])"},
    {"Abort", R"([{read_file: a.txt}, abort, {read_file: a.txt}])",
     R"([{read_file: b.txt}, {result: "${signal.aborted}"}, {read_file: b.txt}])"},
    {"AbortLater", R"([{later: [{read_file: b.txt}, {read_file: b.txt}, abort]}])",
     R"([{read_file: a.txt}])"},
    {"WaitAbort", R"([wait_abort, {write_file: {path: c.txt, text: one}}])",
     R"([{read_file: b.txt}, abort, {write_file: {path: c.txt, text: other}}])"},
    {"CallTool",
     R"([{later: [{read_file: b.txt}, {call_tool: {tool: inner}}]}, {read_file: a.txt},
         {call_tool: {tool: inner}}, {result: "${last/id}"}])",
     "[]"},
    {"Delay", R"([{delay: 5}, {write_file: {path: c.txt, text: one}}])",
     R"([{sleep: 5}, {write_file: {path: c.txt, text: other}}])"},
    {"InTurn", R"([{in_turn: {path: c.txt, do: [{write_file: {path: c.txt, text: one}},
         {read_file: c.txt}]}}, {result: "${last}"}])",
     R"([{in_turn: {path: c.txt, do: [{write_file: {path: c.txt, text: other}}]}}])", "{}", false},
    {"Throw", R"([{read_file: a.txt}, {set_active: [read]}, {throw: no}])",
     R"([{read_file: b.txt}, {result: "${active}"}, {throw_value: "no"}])", "{}", false},
    {"AddHandler", R"([{read_file: a.txt}])", R"([{read_file: b.txt}])",
     R"({tool_execution_end: [{when: {call: c1}, do: [{read_file: c.txt},
         {add_handler: {event: tool_execution_end, do: [{note: {topic: late}}]}}]}]})"},
    {"RemoveHandler", R"([{read_file: a.txt}])", R"([{read_file: b.txt}])",
     R"({tool_execution_end: [{when: {call: c1}, do: [{read_file: c.txt}, {remove_handler: h}]},
         {id: h, do: [{note: {topic: still}}]}]})"},
    {"NthDispatch", R"([{read_file: a.txt}])", R"([{read_file: b.txt}])",
     R"({tool_execution_end: [{when: {nth: 2}, do: [{note: {topic: second}}]}]})"},
    {"Idle", R"([{later: [{read_file: b.txt}, {read_file: b.txt}, {read_file: b.txt},
         {note: {topic: idle, data: "$ctx.is_idle"}}]}])",
     "[]"},
};

INSTANTIATE_TEST_SUITE_P(Pairs, EveryVerb, ::testing::ValuesIn(kPairs),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace plumb::simulator
