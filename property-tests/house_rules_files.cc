// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "property-tests/house_rules.h"

namespace plumb {
namespace {

constexpr std::int64_t kLinesMax = 500;
constexpr std::int64_t kColumnsMax = 100;

// Put together here so that this file does not contain what it looks for.
const std::vector<std::string>& machine_needles() {
  static const std::vector<std::string> needles = {std::string("/") + "work/",
                                                   std::string("/tmp/") + "wt",
                                                   std::string("/") + "root/",
                                                   std::string("/home") + "/",
                                                   std::string("registry.") + "npmjs",
                                                   std::string("deb.") + "debian.org",
                                                   std::string("files.") + "pythonhosted",
                                                   std::string("proxy.") + "golang.org"};
  return needles;
}

bool is_yaml(std::string_view path) {
  return path.ends_with(".yaml") || path.ends_with(".yml");
}

bool is_cmake(std::string_view path) {
  return path.ends_with(".cmake") || path.ends_with("CMakeLists.txt");
}

bool is_script(std::string_view path) {
  return path.ends_with(".sh") || path == "plumb" || path.starts_with(".ci/");
}

// Data that other programs wrote, or that a test needs byte by byte.
bool is_data(std::string_view path) {
  return path.starts_with("fixtures/") || path.starts_with("reports/golden/");
}

bool is_ours(std::string_view path) {
  return !is_data(path) && (is_cpp(path) || is_yaml(path) || is_cmake(path) || is_script(path));
}

// One long word in a line of data: nothing to wrap.
bool is_one_word(std::string_view line) {
  const std::size_t start = line.find_first_not_of(' ');
  return start != std::string_view::npos && !line.substr(start).contains(' ');
}

std::int64_t columns_of(std::string_view line) {
  return std::ranges::count_if(
      line, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; });
}

// The home folder of every hermetic run, on no machine in particular.
bool is_virtual_home(std::string_view line, std::size_t at) {
  static const std::string home = std::string("/home") + "/user";
  return line.substr(at).starts_with(home);
}

// A needle that starts a path must not continue a longer word: a/b/c.
bool stands_alone(std::string_view line, std::size_t at) {
  if (at == 0 || line[at] != '/') return true;
  const char before = line[at - 1];
  return std::isalnum(static_cast<unsigned char>(before)) == 0 && before != '_' && before != '.' &&
         before != '}' && before != '>' && before != '*';
}

std::string machine_needle_in(std::string_view line) {
  for (const std::string& needle : machine_needles()) {
    const std::size_t at = line.find(needle);
    if (at == std::string_view::npos || is_virtual_home(line, at)) continue;
    if (stands_alone(line, at)) return needle;
  }
  return {};
}

std::string leftover_in(std::string_view line) {
  static const std::string fixme = std::string("FIX") + "ME";
  static const std::string todo = std::string("TO") + "DO";
  static const std::string nolint = std::string("NO") + "LINT";
  if (line.contains(fixme)) return fixme + ": finish it or write an issue";
  if (line.contains(todo) && !line.contains(todo + "(#")) return todo + " without an issue number";
  const std::size_t at = line.find(nolint);
  if (at == std::string_view::npos) return {};
  return line.substr(at).contains('(') ? "" : "bare " + nolint + "; name the check and the reason";
}

}  // namespace

Violations check_machine_paths(std::string_view path, std::string_view text) {
  Violations found;
  if (is_data(path)) return found;
  std::int64_t number = 0;
  for (const std::string_view line : lines_of(text)) {
    ++number;
    const std::string needle = machine_needle_in(line);
    if (needle.empty()) continue;
    found.push_back(
        {std::string(path), number, "machine", "'" + needle + "' belongs to one machine"});
  }
  return found;
}

Violations check_licence_line(std::string_view path, std::string_view text) {
  if (!is_ours(path)) return {};
  const std::vector<std::string_view> lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size() && i < 2; ++i) {
    if (lines[i].ends_with("SPDX-License-Identifier: Apache-2.0")) return {};
  }
  return {{std::string(path), 1, "licence",
           "the first line names the licence: SPDX-License-Identifier: Apache-2.0"}};
}

Violations check_leftovers(std::string_view path, std::string_view text) {
  Violations found;
  if (!is_ours(path)) return found;
  std::int64_t number = 0;
  for (const std::string_view line : lines_of(text)) {
    ++number;
    const std::string leftover = leftover_in(line);
    if (!leftover.empty()) found.push_back({std::string(path), number, "leftover", leftover});
  }
  return found;
}

Violations check_length(std::string_view path, std::string_view text) {
  Violations found;
  if (!is_ours(path)) return found;
  std::int64_t number = 0;
  for (const std::string_view line : lines_of(text)) {
    ++number;
    if (columns_of(line) <= kColumnsMax || (is_yaml(path) && is_one_word(line))) continue;
    found.push_back({std::string(path), number, "length",
                     std::to_string(columns_of(line)) + " columns; the limit is 100"});
  }
  if (is_cpp(path) && number > kLinesMax) {
    found.push_back({std::string(path), 0, "length",
                     std::to_string(number) + " lines; the limit is 500: split it"});
  }
  return found;
}

}  // namespace plumb
