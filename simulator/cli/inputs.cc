// SPDX-License-Identifier: Apache-2.0
#include "simulator/cli/inputs.h"

#include <filesystem>
#include <utility>

#include "simulator/cli/record_builder.h"
#include "simulator/cli/terminal_io.h"
#include "simulator/script/lint.h"
#include "simulator/script/source.h"
#include "simulator/script/words.h"
#include "simulator/subjects/definitions.h"

namespace plumb::simulator {
namespace {

/// scenarios/rules of the current folder, of the folders above the program (a build tree), or
/// share/ beside it (installed).
std::string rules_folder() {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::is_directory("scenarios/rules", error)) return "scenarios/rules";
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  for (fs::path folder = program.parent_path(); folder != folder.root_path();
       folder = folder.parent_path()) {
    for (const char* place : {"scenarios/rules", "share/plumbline/rules"}) {
      if (fs::is_directory(folder / place, error)) return (folder / place).string();
    }
  }
  return "scenarios/rules";
}

}  // namespace

std::string rules_folder_of(const CommonOptions& common) {
  return common.rules_folder.empty() ? rules_folder() : common.rules_folder;
}

std::string scenarios_folder_of(const CommonOptions& common) {
  const std::filesystem::path rules(rules_folder_of(common));
  return rules.has_parent_path() ? rules.parent_path().string() : ".";
}

Checked<Catalogue> find_catalogue(const CommonOptions& common) {
  return load_catalogue(rules_folder_of(common));
}

LoadedScenarios load_scenarios(std::vector<std::string> paths, const Catalogue& catalogue) {
  if (paths.empty()) paths.emplace_back("scenarios");
  auto report = lint_scenarios(paths, catalogue, compile_definition);
  return {std::move(report.scenarios), std::move(report.errors)};
}

Checked<std::vector<ExpectedVerdict>> load_expected(const std::string& path,
                                                    const LoadedScenarios* loaded,
                                                    const Catalogue& catalogue,
                                                    std::string_view api) {
  if (path.empty()) return std::vector<ExpectedVerdict>();
  const auto text = read_text_file(path);
  if (!text) return std::unexpected(std::vector<Error>{text.error()});
  const std::string date = today();
  ExpectationScope scope;
  scope.api = api;
  scope.today = date;
  for (const auto& rule : catalogue.rules()) scope.rules.push_back(rule.id);
  std::vector<std::string> ids;
  if (loaded != nullptr) {
    for (const auto& scenario : loaded->scenarios) ids.push_back(id_of_file(scenario.file));
    // An entry may speak of a scenario that this run leaves out.
    const auto others = find_scenarios({"scenarios"});
    for (const auto& file : others.value_or(std::vector<std::string>())) {
      ids.push_back(id_of_file(file));
    }
  }
  scope.scenarios.assign(ids.begin(), ids.end());
  return read_expected_verdicts(*text, path, scope);
}

Result<void> check_rules(const std::vector<std::string>& rules, const Catalogue& catalogue) {
  for (const auto& rule : rules) {
    if (catalogue.find(rule) != nullptr) continue;
    const auto hint = catalogue.suggest(rule);
    return fail(ErrorCode::invalid, "unknown rule " + in_quotes(rule) +
                                        (hint.empty() ? "" : "; did you mean '" + hint + "'?"));
  }
  return {};
}

int refuse(const std::vector<Error>& errors) {
  print_errors(errors);
  print_out("0 passed, " + std::to_string(errors.size()) + " failed, 0 skipped\n");
  return kExitInput;
}

int refuse_subject(const Error& error) {
  const int code = refuse({error});
  return error.code == ErrorCode::invalid ? code : kExitHarness;
}

void print_errors(const std::vector<Error>& errors) {
  for (const auto& error : errors) print_located(error);
}

}  // namespace plumb::simulator
