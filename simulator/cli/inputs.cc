// SPDX-License-Identifier: Apache-2.0
#include "simulator/cli/inputs.h"

#include <filesystem>
#include <utility>

#include "simulator/cli/terminal_io.h"
#include "simulator/script/lint.h"

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

Checked<Catalogue> find_catalogue(const CommonOptions& common) {
  return load_catalogue(rules_folder_of(common));
}

LoadedScenarios load_scenarios(std::vector<std::string> paths, const Catalogue& catalogue) {
  if (paths.empty()) paths.emplace_back("scenarios");
  auto report = lint_scenarios(paths, catalogue);
  return {std::move(report.scenarios), std::move(report.errors)};
}

Checked<std::vector<ExpectedVerdict>> load_expected(const std::string& path) {
  if (path.empty()) return std::vector<ExpectedVerdict>();
  const auto text = read_text_file(path);
  if (!text) return std::unexpected(std::vector<Error>{text.error()});
  return read_expected_verdicts(*text, path, today());
}

void print_errors(const std::vector<Error>& errors) {
  for (const auto& error : errors) print_located(error);
}

}  // namespace plumb::simulator
