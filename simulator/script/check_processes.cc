// SPDX-License-Identifier: Apache-2.0
// Keys that contradict each other in scripted commands and in expected files, and texts that would
// become too large.
#include <array>
#include <map>
#include <set>

#include "simulator/script/parse.h"
#include "simulator/script/words.h"

namespace plumb::simulator {
namespace {

struct Exclusion {
  std::string_view key;
  std::string_view other;
};

/// One reason a pair: the second key would have no effect.
constexpr std::array<Exclusion, 8> kExclusions = {{
    {"signal", "exit"},
    {"hangs", "exit"},
    {"hangs", "signal"},
    {"error", "exit"},
    {"error", "signal"},
    {"error", "hangs"},
    {"error", "writes"},
    {"error", "children"},
}};

/// There and meant: `hangs: false` says nothing.
bool is_given(YamlView process, std::string_view key) {
  const auto found = process.find(key);
  return found && *found->value != Json(false);
}

void refuse_beside(YamlView process, std::string_view key, std::string_view other,
                   ErrorList& errors) {
  if (!is_given(process, key) || !is_given(process, other)) return;
  errors.add(process.find(other)->key_place(), in_quotes(other) + " beside " + in_quotes(key) +
                                                   " has no effect, expected one of them");
}

void check_ends(YamlView process, bool is_remote, ErrorList& errors) {
  for (const auto& [key, other] : kExclusions) refuse_beside(process, key, other, errors);
  // An executor of the host fails after its output; a process that cannot be started has none.
  if (!is_remote) refuse_beside(process, "error", "output", errors);
  if (!is_remote) refuse_beside(process, "error", "delay_ms", errors);
  for (const YamlView& child : Fields(process).list("children")) {
    refuse_beside(child, "hangs", "lives_ms", errors);
    refuse_beside(child, "hangs", "writes", errors);
  }
}

/// What the workspace holds: paths of folders, and of everything else.
struct Workspace {
  std::set<std::string, std::less<>> folders;
  std::set<std::string, std::less<>> leaves;
};

Workspace workspace_of(const Scenario& scenario) {
  Workspace workspace;
  for (const FileScript& file : scenario.files) {
    const bool is_folder = file.kind == FileKind::directory;
    if (is_folder) workspace.folders.insert(file.path);
    if (file.kind == FileKind::regular) workspace.leaves.insert(file.path);
    for (std::size_t at = file.path.find('/'); at != std::string::npos;
         at = file.path.find('/', at + 1)) {
      workspace.folders.insert(file.path.substr(0, at));
    }
  }
  return workspace;
}

void check_writes(YamlView process, const Workspace& workspace, ErrorList& errors) {
  for (const auto& [path, text] : members_of(process.find("writes"))) {
    if (workspace.folders.contains(path)) {
      errors.add(text.key_place(), "path " + in_quotes(path) + " is a folder, expected a file");
    }
    for (std::size_t at = path.find('/'); at != path.npos; at = path.find('/', at + 1)) {
      const std::string_view above = std::string_view(path).substr(0, at);
      if (!workspace.leaves.contains(above)) continue;
      errors.add(text.key_place(), "path " + in_quotes(path) + " lies below the file " +
                                       in_quotes(above) + ", expected a folder");
    }
  }
}

// ------------------------------------------------------------------ sizes

std::int64_t length_at(YamlView map, std::string_view key) {
  const auto found = map.find(key);
  return found && found->value->is_string()
             ? std::ssize(found->value->get_ref<const std::string&>())
             : 0;
}

/// "1\n2\n...": the bytes of the first `count` numbers with their line ends.
std::int64_t size_of_numbers(std::int64_t count) {
  std::int64_t bytes = 0;
  std::int64_t digits = 1;
  for (std::int64_t first = 1; first <= count; first *= 10, ++digits) {
    bytes += (std::min(count, first * 10 - 1) - first + 1) * (digits + 1);
  }
  return bytes;
}

/// A file, or a piece of output.
std::int64_t size_made(YamlView view) {
  const Fields fields(view);
  const std::int64_t unit = std::max(length_at(view, "text"), length_at(view, "base64"));
  return unit * fields.number("repeat", 1) + size_of_numbers(fields.number("numbers"));
}

void collect_pieces(YamlView process, std::vector<YamlView>& made) {
  for (const YamlView& piece : Fields(process).list("output")) made.push_back(piece);
  for (const YamlView& child : Fields(process).list("children")) collect_pieces(child, made);
}

/// Whatever `repeat` and `numbers` can make large.
std::vector<YamlView> made_texts(const Fields& root) {
  std::vector<YamlView> made;
  for (const auto& part : {root.find("files"), Fields(root.find("expect")).find("files")}) {
    for (const auto& [path, file] : members_of(part)) made.push_back(file);
  }
  for (const YamlView& step : root.list("steps")) {
    if (const auto write = step.find("write")) made.push_back(*write);
  }
  for (const YamlView& process : root.list("processes")) collect_pieces(process, made);
  return made;
}

/// What is not there has nothing, and what is as at the start is not told again.
void check_expected_file(YamlView file, ErrorList& errors) {
  for (const auto& [other, view] : members_of(file)) {
    if (other != "absent") refuse_beside(file, "absent", other, errors);
    if (other != "same") refuse_beside(file, "same", other, errors);
  }
  refuse_beside(file, "text", "base64", errors);
}

}  // namespace

void check_expected_files(const Fields& root, ErrorList& errors) {
  for (const auto& [path, file] : members_of(Fields(root.find("expect")).find("files"))) {
    if (file.value->is_object()) check_expected_file(file, errors);
  }
}

void check_processes(const Scenario& scenario, const Fields& root, ErrorList& errors) {
  const Workspace workspace = workspace_of(scenario);
  for (const YamlView& process : root.list("processes")) {
    check_ends(process, scenario.settings.shell.is_remote, errors);
    check_writes(process, workspace, errors);
    for (const YamlView& child : Fields(process).list("children")) {
      check_writes(child, workspace, errors);
    }
  }
}

std::vector<Error> check_sizes(const YamlDocument& document) {
  ErrorList errors(document.file);
  std::int64_t bytes = 0;
  for (const YamlView& made : made_texts(Fields(document.view()))) {
    bytes += size_made(made);
    if (bytes <= kScenarioMadeBytesMax) continue;
    errors.add(made.place(), "files and outputs are larger than " +
                                 std::to_string(kScenarioMadeBytesMax) + " bytes in all");
    break;
  }
  return errors.take();
}

}  // namespace plumb::simulator
