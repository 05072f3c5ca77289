// SPDX-License-Identifier: Apache-2.0
#include "simulator/script/scenario.h"

#include <fstream>

#include <gtest/gtest.h>

#include "simulator/script/lint.h"
#include "simulator/script/scenario_schema.h"

namespace plumb::simulator {
namespace {

const Catalogue& catalogue() {
  static const Catalogue loaded = load_catalogue("scenarios/rules").value();
  return loaded;
}

std::string lines_of(const std::vector<Error>& errors) {
  std::string lines;
  for (const Error& error : errors) lines += error_line(error) + "\n";
  return lines;
}

Scenario parsed(const std::string& body) {
  const std::string text = "scenario: s\nrules: [EDIT-11]\n" + body;
  auto scenario = parse_scenario(text, "x.yaml", catalogue());
  EXPECT_TRUE(scenario) << lines_of(scenario.error());
  return scenario ? *std::move(scenario) : Scenario();
}

Scenario every_key() {
  auto scenario = load_scenario("fixtures/every_key.yaml", catalogue());
  EXPECT_TRUE(scenario) << lines_of(scenario.error());
  return scenario ? *std::move(scenario) : Scenario();
}

constexpr const char* kSteps = "steps:\n  - user: go\n  - model: done\n";

TEST(Scenario, ReadsTheSmallestOne) {
  const Scenario scenario = parsed(kSteps);

  Scenario expected;
  expected.file = "x.yaml";
  expected.title = "s";
  expected.rules = {{"EDIT-11", {2, 9}}};
  ModelStep model;
  model.text = "done";
  expected.steps = {{InputStep{"prompt", "go", {}}, {4, 5}}, {model, {5, 5}}};
  EXPECT_EQ(scenario, expected);
}

std::vector<std::string> redundant_files(const std::vector<Scenario>& scenarios,
                                         const std::vector<std::string>& bases) {
  std::vector<std::string> files;
  for (const auto* scenario : redundant_scenarios(scenarios, bases))
    files.push_back(scenario->file);
  return files;
}

Scenario naming(std::string file, std::vector<std::string> rules) {
  Scenario scenario;
  scenario.file = std::move(file);
  for (auto& rule : rules) scenario.rules.push_back({std::move(rule), {}});
  return scenario;
}

TEST(Lint, ScenarioIsRedundantWhenOthersNameEachOfItsRules) {
  const std::vector<Scenario> scenarios{naming("scenarios/a.yaml", {"EDIT-11", "EDIT-12"}),
                                        naming("scenarios/b.yaml", {"EDIT-11"}),
                                        naming("scenarios/c.yaml", {"EDIT-13", "EDIT-13"})};

  EXPECT_EQ(redundant_files(scenarios, {}), std::vector<std::string>{"scenarios/b.yaml"});
}

TEST(Lint, ScenarioOfAPainIsNotRedundant) {
  std::vector<Scenario> scenarios{naming("scenarios/a.yaml", {"EDIT-11"}),
                                  naming("scenarios/b.yaml", {"EDIT-11"})};
  scenarios.front().pains = {"P12"};

  EXPECT_EQ(redundant_files(scenarios, {}), std::vector<std::string>{"scenarios/b.yaml"});
}

TEST(Lint, BaseOfATamperIsNotRedundant) {
  const std::vector<Scenario> scenarios{naming("x/scenarios/a.yaml", {"EDIT-11"}),
                                        naming("scenarios/b.yaml", {"EDIT-11"})};

  EXPECT_EQ(redundant_files(scenarios, {"scenarios/a.yaml", "b.yaml"}), std::vector<std::string>{});
  EXPECT_EQ(redundant_files(scenarios, {"io/b.yaml"}).size(), 2U);
}

TEST(Scenario, TellsNoMoreErrorsThanOneReads) {
  std::string text = "scenario: s\nrules: [EDIT-11]\nsteps: [{user: hi}, {model: hello}]\n";
  for (int i = 0; i < 1000; ++i) text += "key" + std::to_string(i) + ": x\n";
  const auto scenario = parse_scenario(text, "x.yaml", catalogue());

  ASSERT_FALSE(scenario);
  ASSERT_EQ(scenario.error().size(), 101U);
  EXPECT_EQ(error_line(scenario.error().back()),
            "x.yaml:104:1: 900 more errors from here on are not told");
}

TEST(Scenario, QuotesNoMoreThanOneReads) {
  const std::string text = std::string(900, 'k') + ": x\nscenario: s\nrules: [EDIT-11]\nsteps: " +
                           "[{user: hi}, {model: hello}]\n";
  const auto scenario = parse_scenario(text, "x.yaml", catalogue());

  ASSERT_FALSE(scenario);
  EXPECT_LT(scenario.error().front().message.size(), 300U);
}

std::vector<std::string> tool_warnings_of(const std::string& description,
                                          const std::string& result) {
  Scenario scenario;
  scenario.tools.sdk.push_back(Json{{"name", "x"},
                                    {"description", description},
                                    {"do", Json::array({Json{{"result", result}}})}});
  scenario.tools.sdk_places.emplace_back();
  std::vector<std::string> messages;
  for (const auto& warning : tool_warnings(scenario)) messages.push_back(warning.message);
  return messages;
}

TEST(Lint, DescriptionSaysFourThings) {  // TOOL-20
  EXPECT_EQ(tool_warnings_of("does things", "3 rows").size(), 4U);
  EXPECT_EQ(tool_warnings_of("", "3 rows").size(), 4U);
  EXPECT_EQ(tool_warnings_of("Use it before an order. Takes the id from find_customer. Changes "
                             "nothing. Returns the address.",
                             "3 rows"),
            std::vector<std::string>{});
}

TEST(Lint, SuccessIsMoreThanDone) {  // RESULT-08
  const std::string good = "Use it to delete a row by its id. Returns the number of rows left.";

  EXPECT_EQ(tool_warnings_of(good, "Done.").size(), 1U);
  EXPECT_EQ(tool_warnings_of(good, "7 rows are left"), std::vector<std::string>{});
}

TEST(Scenario, ReadsTheHead) {
  const Scenario scenario = every_key();

  EXPECT_EQ(scenario.title, "every key is read");
  EXPECT_EQ(scenario.edition, Edition::pi_1_6_0);
  EXPECT_EQ(scenario.engine, "session");
  EXPECT_EQ(scenario.subjects, std::vector<std::string>{"session"});
}

TEST(Scenario, ReadsEachFormOfAFile) {
  const Scenario scenario = every_key();

  ASSERT_EQ(scenario.files.size(), 6U);
  EXPECT_EQ(scenario.files[0].bytes, "abc");
  EXPECT_EQ(scenario.files[1].bytes, std::string("\x00\x01\x02", 3));
  EXPECT_EQ(scenario.files[1].mode, 0600);
  EXPECT_EQ(scenario.files[2].bytes, "(ababab)");
  EXPECT_EQ(scenario.files[3].kind, FileKind::link);
  EXPECT_EQ(scenario.files[3].target, "a.txt");
  EXPECT_EQ(scenario.files[4].kind, FileKind::hard_link);
  EXPECT_EQ(scenario.files[5].kind, FileKind::directory);
}

TEST(Scenario, ReadsSettingsAndTools) {
  const Scenario scenario = every_key();

  const ShellHookScript hook{"ls", "folder", {{"A", "b"}}, "stop"};
  const ShellSettings shell{"set -e", false, true, "late", hook};
  OperationSettings operations{std::vector<FileScript>(), true, true};
  for (const auto& [path, bytes] : std::vector<std::pair<std::string, std::string>>{
           {"a.txt", "far"}, {"b.bin", std::string("\x00\x01\x02", 3)}, {"c.txt", "c"}}) {
    operations.read->push_back(FileScript{path, FileKind::regular, bytes, "", {}, {}});
  }
  const std::optional<PictureLimitsScript> limits = PictureLimitsScript{40, 30};
  const std::map<std::string, ModelScript> models{
      {"fake-2", ModelScript{false, PictureLimitsScript{20, 10}}}};
  const Settings expected{"sequential", "all",        "all",    false,      false,  "fake-2", "low",
                          "Be brief.",  "Really.",    "folder", 2,          5,      9,        true,
                          "it is full", {"secret-1"}, shell,    operations, limits, models};
  Settings settings = scenario.settings;
  for (auto& file : *settings.operations.read) file.place = Place();
  EXPECT_EQ(settings, expected);
  EXPECT_EQ(scenario.tools.active, std::vector<std::string>{"read"});
  EXPECT_EQ(scenario.tools.allow, (std::vector<std::string>{"read", "edit"}));
  EXPECT_EQ(scenario.tools.exclude, std::vector<std::string>{"write"});
  ASSERT_EQ(scenario.tools.sdk.size(), 1U);
  EXPECT_EQ(scenario.tools.sdk[0]["name"], "sample");
}

TEST(Scenario, ReadsFaultsProcessesAndAnswers) {
  const Scenario scenario = every_key();

  ASSERT_EQ(scenario.faults.size(), 1U);
  EXPECT_EQ(scenario.faults[0].error, ErrorCode::io);
  EXPECT_EQ(scenario.faults[0].io_error, "ENOSPC: no space left on device");
  EXPECT_EQ(scenario.faults[0].nth, 2);
  EXPECT_EQ(scenario.faults[0].until.pattern.kind, "agent_end");
  ASSERT_EQ(scenario.processes.size(), 3U);
  EXPECT_EQ(scenario.processes[0].output, (std::vector{OutputScript{"stderr", "oops", 3}}));
  EXPECT_TRUE(scenario.processes[0].children.at(1).hangs);
  EXPECT_EQ(scenario.processes[1].error, "gone");
  EXPECT_EQ(scenario.processes[2].signal, "SIGTERM");
  ASSERT_EQ(scenario.ui.size(), 2U);
  EXPECT_EQ(scenario.ui[0].answer, Json(true));
  EXPECT_EQ(scenario.ui[0].delay_ms, 7);
  EXPECT_TRUE(scenario.ui[1].never);
}

/// The pains that scenarios/README.md explains.
std::vector<std::string> explained_pains() {
  std::vector<std::string> pains;
  std::ifstream readme("scenarios/README.md");
  for (std::string line; std::getline(readme, line);) {
    if (line.starts_with("| P") && line.find(" |", 2) == 5) pains.push_back(line.substr(2, 3));
  }
  return pains;
}

TEST(Scenario, KnowsThePainsThatAreExplained) {
  const Json& known = scenario_schema()["properties"]["pain"]["items"]["enum"];

  EXPECT_EQ(known.get<std::vector<std::string>>(), explained_pains());
}

TEST(Scenario, ReadsAModelReply) {
  const Scenario scenario = every_key();

  const auto& model = std::get<ModelStep>(scenario.steps.at(1).action);
  EXPECT_EQ(model.track, "summary");
  EXPECT_EQ(model.thinking, "hm");
  ASSERT_EQ(model.calls.size(), 2U);
  EXPECT_EQ(model.calls[0].args, (Json{{"path", "a.txt"}}));
  EXPECT_EQ(model.calls[1].arguments_text, "{");
  EXPECT_EQ(model.calls[1].arguments_error, "cut");
  EXPECT_EQ(model.stop, "toolUse");
  EXPECT_EQ(model.usage, (UsageScript{1, 2, 3, 4, 1}));
  EXPECT_EQ(model.delay_ms, 5);
  EXPECT_EQ(model.delta_delay_ms, 6);
  EXPECT_EQ(model.chunk, 7);
  EXPECT_EQ(model.until.text, "agent_start");
  const auto& failed = std::get<ModelStep>(scenario.steps.at(2).action);
  EXPECT_EQ(failed.fail,
            (FailureScript{"overloaded", "m", 529, 8, 1, "slow_down", "<html>", false}));
}

TEST(Scenario, ReadsWhatHappensToAReplyOnItsWay) {
  const Scenario scenario = every_key();

  const auto& model = std::get<ModelStep>(scenario.steps.at(1).action);
  EXPECT_EQ(model.wire, (WireScript{"7", true, {"done"}, "s", "r"}));
  ASSERT_TRUE(model.fault);
  EXPECT_EQ(model.fault->kind + " " + model.fault->call, "cut_arguments c1");
  EXPECT_EQ(model.fault->at, 3);
  const auto& cut = std::get<ModelStep>(scenario.steps.at(3).action);
  EXPECT_EQ(cut.fault->close, "fin");
  const auto& stall = std::get<ModelStep>(scenario.steps.at(4).action);
  EXPECT_EQ(stall.fault->ms, 9);
  EXPECT_EQ(stall.fault->at, -1);
}

TEST(Scenario, NamesEachStepAsWritten) {
  std::string names;
  for (const Step& step : every_key().steps) names += std::string(name_of(step)) + " ";

  EXPECT_EQ(names,
            "user model model model model steer follow_up abort crash resume reload new_session "
            "navigate fork configure install replace uninstall write wait ");
}

TEST(Scenario, ReadsTheStepsOfTheHost) {
  const Scenario scenario = every_key();

  const auto& steer = std::get<InputStep>(scenario.steps.at(5).action);
  EXPECT_EQ(steer.text, "stop it");
  EXPECT_EQ(steer.when.text, "execute_begin call c1");
  EXPECT_EQ(steer.when.place, (Place{165, 34}));
  EXPECT_EQ(std::get<AbortStep>(scenario.steps.at(7).action).when.pattern.kind, "agent_start");
  const auto& configure = std::get<ConfigureStep>(scenario.steps.at(14).action);
  EXPECT_EQ(configure.thinking, "high");
  EXPECT_EQ(configure.has_ui, true);
  EXPECT_EQ(std::get<WriteStep>(scenario.steps.at(18).action).file.bytes, "new");
  EXPECT_EQ(std::get<WaitStep>(scenario.steps.at(19).action).ms, 10);
}

TEST(Scenario, ReadsVariants) {
  const Scenario scenario = every_key();

  ASSERT_TRUE(scenario.variants);
  EXPECT_EQ(scenario.variants->permute, "edits");
  EXPECT_EQ(scenario.variants->without_extension, std::vector<std::string>{"gate"});
  EXPECT_EQ(scenario.variants->seeds, (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(scenario.variants->crash_at.at(0).text, "turn_end");
  EXPECT_EQ(scenario.variants->execution.size(), 2U);
}

TEST(Scenario, ReadsExpectedFiles) {
  const auto files = every_key().expect.files;

  ASSERT_EQ(files.size(), 7U);
  EXPECT_EQ(files[0].text.contains, std::vector<std::string>{"a"});
  EXPECT_EQ(files[0].text.lacks, (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(files[0].mode, 0644);
  EXPECT_TRUE(files[1].is_absent);
  EXPECT_TRUE(files[2].is_absent);
  EXPECT_EQ(files[3].bytes, std::string("\x00\x01\x02", 3));
  EXPECT_EQ(files[4].bytes, "ababab");
  EXPECT_EQ(files[5].link, "a.txt");
  EXPECT_TRUE(files[6].is_same);
}

TEST(Scenario, ReadsExpectedResultsRequestsAndEvents) {
  const Expectations expect = every_key().expect;

  ASSERT_EQ(expect.results.size(), 1U);
  EXPECT_EQ(expect.results[0].cause, "blocked");
  EXPECT_EQ(expect.results[0].text.equals, "denied");
  EXPECT_EQ(expect.request_count, 2);
  ASSERT_EQ(expect.requests.size(), 1U);
  EXPECT_EQ(expect.requests[0].n, 1);
  EXPECT_EQ(expect.requests[0].system.starts, "Be");
  ASSERT_EQ(expect.events.size(), 4U);
  EXPECT_EQ(expect.events[0].form, EventExpectation::Form::order);
  EXPECT_EQ(expect.events[1].counts, std::vector<std::int64_t>{2});
  EXPECT_EQ(expect.events[2].form, EventExpectation::Form::never);
  EXPECT_EQ(expect.events[3].form, EventExpectation::Form::once);
  EXPECT_EQ(expect.llm_errors, std::vector<std::string>{"left_over"});
  EXPECT_EQ(expect.settled, "aborted");
}

TEST(Scenario, NamesNestedResultsOfAKnownCall) {
  const Scenario scenario = parsed(
      "steps:\n  - user: go\n  - model: {calls: [{id: c1, tool: t}]}\n"
      "expect: {results: {c1/1: {is_error: true}}}\n");

  EXPECT_EQ(scenario.expect.results.at(0).call, "c1/1");
}

TEST(Scenario, ExtensionHasAnInlinePathUnlessGiven) {  // EXT-31
  const Scenario scenario =
      parsed(std::string("extensions: [{name: a}, {name: b, path: b.ts}]\n") + kSteps);

  EXPECT_EQ(scenario.extensions.at(0).path, "<inline:a>");
  EXPECT_EQ(scenario.extensions.at(1).path, "b.ts");
}

TEST(Scenario, OnlyTheFirstReplyBeforeInputIsReported) {
  const auto scenario =
      parse_scenario("scenario: s\nrules: [EDIT-11]\nsteps: [{model: a}, {model: b}, {user: c}]\n",
                     "x", catalogue());

  ASSERT_FALSE(scenario);
  EXPECT_EQ(scenario.error().size(), 1U);
}

TEST(Scenario, FreeDataMayLookLikeAVerb) {
  parsed(std::string(
             "tools: {sdk: [{name: t, do: [{note: {topic: x, data: {latch: {wait: d}}}}]}]}\n") +
         kSteps);
}

TEST(Lint, AcceptsEveryScenarioOfTheRepository) {
  const LintReport report = lint_scenarios({"scenarios"}, catalogue());

  EXPECT_EQ(lines_of(report.errors), "");
  EXPECT_GE(report.scenarios.size(), 12U);
}

}  // namespace
}  // namespace plumb::simulator
