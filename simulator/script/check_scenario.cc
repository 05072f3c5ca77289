// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "simulator/script/error_list.h"
#include "simulator/script/parse.h"
#include "simulator/script/words.h"

namespace plumb::simulator {
namespace {

using Places = NamedPlaces;

std::string first_line(Place place) {
  return "; first in line " + std::to_string(place.line);
}

void check_rules(const Scenario& scenario, ErrorList& errors) {
  Places seen;
  for (const RuleReference& rule : scenario.rules) {
    const auto [first, is_new] = seen.try_emplace(rule.id, rule.place);
    if (is_new) continue;
    errors.add(rule.place, "rule " + in_quotes(rule.id) + " is named twice");
  }
}

/// Whether a scenario is about answers that use an id twice (BATCH-16).
bool means_repeated_ids(const Scenario& scenario) {
  return std::ranges::find(scenario.rules, "BATCH-16", &RuleReference::id) != scenario.rules.end();
}

/// The ids of all calls in model replies.
Places check_calls(const Scenario& scenario, ErrorList& errors) {
  Places seen;
  for (const Step& step : scenario.steps) {
    const auto* model = std::get_if<ModelStep>(&step.action);
    if (model == nullptr) continue;
    for (const CallScript& call : model->calls) {
      const auto [first, is_new] = seen.try_emplace(call.id, call.place);
      if (is_new || means_repeated_ids(scenario)) continue;
      errors.add(call.place,
                 "call id " + in_quotes(call.id) + " is used twice" + first_line(first->second));
    }
  }
  return seen;
}

void check_call_arguments(YamlView model, ErrorList& errors) {
  for (const YamlView& call : Fields(model).list("calls")) {
    if (!call.find("args")) continue;
    for (const std::string_view other : {"arguments_text", "arguments_error"}) {
      const auto found = call.find(other);
      if (!found) continue;
      errors.add(found->key_place(), in_quotes(other) + " excludes 'args', expected one of them");
    }
  }
}

void check_order(const Scenario& scenario, ErrorList& errors) {
  for (const Step& step : scenario.steps) {
    if (std::holds_alternative<InputStep>(step.action)) return;
    if (std::holds_alternative<ResumeStep>(step.action)) return;
    if (!std::holds_alternative<ModelStep>(step.action)) continue;
    errors.add(step.place, "model reply before any user step, expected 'user' first");
    return;
  }
}

void check_results(const Scenario& scenario, const Places& calls, ErrorList& errors) {
  for (const ResultExpectation& result : scenario.expect.results) {
    if (calls.contains(outermost(result.call))) continue;
    errors.add(result.place, "result of unknown call " + in_quotes(result.call) +
                                 advice(result.call, names_of(calls)));
  }
}

/// Of the keys that say what a file is, one may stand.
void check_one_content(YamlView file, bool is_needed, ErrorList& errors) {
  static constexpr std::array<std::string_view, 5> kContents = {"text", "base64", "link",
                                                                "hard_link", "dir"};
  std::int64_t count = 0;
  for (const std::string_view key : kContents) {
    const auto found = file.find(key);
    if (!found || ++count < 2) continue;
    errors.add(found->key_place(), in_quotes(key) + " beside another content, expected one of " +
                                       "text, base64, link, hard_link and dir");
  }
  if (is_needed && count == 0) {
    errors.add(file.place(), "file without content, expected text, base64, link, hard_link or dir");
  }
}

void check_files(const Scenario& scenario, const Fields& root, ErrorList& errors) {
  for (const auto& [path, view] : members_of(root.find("files"))) {
    if (view.value->is_object()) check_one_content(view, true, errors);
  }
  std::map<std::string, FileKind, std::less<>> kinds;
  for (const FileScript& file : scenario.files) kinds[file.path] = file.kind;
  for (const FileScript& file : scenario.files) {
    const auto target = kinds.find(file.target);
    if (file.kind != FileKind::hard_link) continue;
    if (target != kinds.end() && target->second == FileKind::regular) continue;
    errors.add(file.place, "hard link to " + in_quotes(file.target) +
                               ", expected a regular file under 'files'");
  }
}

void check_parents(const Scenario& scenario, ErrorList& errors) {
  std::set<std::string, std::less<>> leaves;
  for (const FileScript& file : scenario.files) {
    if (file.kind == FileKind::regular || file.kind == FileKind::hard_link) {
      leaves.insert(file.path);
    }
  }
  for (const FileScript& file : scenario.files) {
    const std::string_view path = file.path;
    for (std::size_t at = path.find('/'); at != path.npos; at = path.find('/', at + 1)) {
      if (!leaves.contains(path.substr(0, at))) continue;
      errors.add(file.place, "path " + in_quotes(path) + " lies below the file " +
                                 in_quotes(path.substr(0, at)) + ", expected a folder");
    }
  }
}

/// A command that starts in a file could not start.
void check_working_folder(const Scenario& scenario, const Fields& root, ErrorList& errors) {
  const auto cwd = Fields(root.find("settings")).find("cwd");
  for (const FileScript& file : scenario.files) {
    if (!cwd || file.kind == FileKind::directory || file.path != scenario.settings.cwd) continue;
    if (file.kind == FileKind::link) continue;
    errors.add(cwd->place(), "'cwd' is the file " + in_quotes(file.path) + ", expected a folder");
  }
}

void check_faults(const Scenario& scenario, ErrorList& errors) {
  for (const FaultScript& fault : scenario.faults) {
    if (fault.error || fault.delay_ms > 0 || !fault.until.text.empty()) continue;
    errors.add(fault.place, "fault without effect, expected error, delay_ms or until");
  }
}

void check_answers(const Fields& root, ErrorList& errors) {
  for (const YamlView& answer : root.list("ui")) {
    const bool is_answered = answer.find("answer").has_value();
    const bool is_silent = answer.find("never").has_value();
    if (is_answered != is_silent) continue;
    errors.add(answer.place(), "answer of the user, expected 'answer' or 'never: true'");
  }
}

/// Names of all extensions that the scenario can bring, those that steps install included.
Places check_extensions(const Scenario& scenario, ErrorList& errors) {
  Places paths;
  Places names;
  for (const ExtensionScript& extension : scenario.extensions) {
    names.try_emplace(extension.name, extension.place);
    const auto [first, is_new] = paths.try_emplace(extension.path, extension.place);
    if (is_new) continue;
    errors.add(extension.place, "extension path " + in_quotes(extension.path) + " is used twice" +
                                    first_line(first->second));
  }
  for (const Step& step : scenario.steps) {
    const auto* install = std::get_if<InstallStep>(&step.action);
    if (install != nullptr) names.try_emplace(install->extension.name, step.place);
  }
  return names;
}

void check_extension_names(const Scenario& scenario, const Places& names, ErrorList& errors) {
  const auto check = [&](const std::string& name, Place place) {
    if (names.contains(name)) return;
    errors.add(place, "unknown extension " + in_quotes(name) + advice(name, names_of(names)));
  };
  for (const Step& step : scenario.steps) {
    const auto* uninstall = std::get_if<UninstallStep>(&step.action);
    if (uninstall != nullptr) check(uninstall->name, step.place);
  }
  if (!scenario.variants) return;
  for (const std::string& name : scenario.variants->without_extension) {
    check(name, scenario.variants->place);
  }
}

struct Latches {
  Places set;
  Places awaited;
};

/// Keys below which anything may stand, also what looks like a verb.
bool holds_free_data(std::string_view key) {
  static constexpr std::array<std::string_view, 9> kFreeData = {
      "args",         "data",   "details",           "equals", "parameters",
      "outputSchema", "return", "structuredContent", "value"};
  return std::ranges::find(kFreeData, key) != kFreeData.end();
}

void collect_latches(YamlView view, Latches& latches) {
  if (view.value->is_array()) {
    for (std::int64_t i = 0; i < view.size(); ++i) collect_latches(view.element(i), latches);
  }
  for (const auto& [key, member] : members_of(view)) {
    if (holds_free_data(key)) continue;
    if (key != "latch") {
      collect_latches(member, latches);
      continue;
    }
    for (const auto& [action, name] : members_of(member)) {
      Places& places = action == "set" ? latches.set : latches.awaited;
      places.try_emplace(name.value->get<std::string>(), name.place());
    }
  }
}

void check_latches(const Fields& root, ErrorList& errors) {
  Latches latches;
  for (const std::string_view key : {"extensions", "tools", "steps"}) {
    if (const auto part = root.find(key)) collect_latches(*part, latches);
  }
  for (const auto& [name, place] : latches.awaited) {
    if (latches.set.contains(name)) continue;
    errors.add(place, "latch " + in_quotes(name) + " is awaited but never set" +
                          advice(name, names_of(latches.set)));
  }
  for (const auto& [name, place] : latches.set) {
    if (latches.awaited.contains(name)) continue;
    errors.add(place, "latch " + in_quotes(name) + " is set but never awaited" +
                          advice(name, names_of(latches.awaited)));
  }
}

}  // namespace

std::vector<std::string> names_of(const NamedPlaces& places) {
  std::vector<std::string> names;
  for (const auto& [name, place] : places) names.push_back(name);
  return names;
}

std::string_view outermost(std::string_view call) {
  return call.substr(0, call.find('/'));
}

std::vector<Error> check_scenario(const Scenario& scenario, const YamlDocument& document) {
  const Fields root(document.view());
  ErrorList errors(document.file);
  check_rules(scenario, errors);
  const Places calls = check_calls(scenario, errors);
  for (const YamlView& step : root.list("steps")) {
    if (const auto model = step.find("model")) check_call_arguments(*model, errors);
    if (const auto write = step.find("write")) check_one_content(*write, true, errors);
  }
  check_order(scenario, errors);
  check_results(scenario, calls, errors);
  check_files(scenario, root, errors);
  check_parents(scenario, errors);
  check_processes(scenario, root, errors);
  check_expected_files(root, errors);
  check_working_folder(scenario, root, errors);
  check_faults(scenario, errors);
  check_replies(scenario, calls, errors);
  check_answers(root, errors);
  check_latches(root, errors);
  check_scripts(root, calls, errors);
  check_claims(scenario, calls, errors);
  check_extension_names(scenario, check_extensions(scenario, errors), errors);
  return errors.take();
}

}  // namespace plumb::simulator
