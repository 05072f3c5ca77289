// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "property-tests/house_rules.h"

namespace plumb {
namespace {

bool is_word(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

std::int64_t line_at(std::string_view text, std::size_t offset) {
  return 1 + std::ranges::count(text.substr(0, offset), '\n');
}

/// A banned name, what replaces it, and the places where it is right all the same.
struct Ban {
  std::string_view name;
  std::string_view replacement;
  std::vector<std::string_view> places = {};
};

const std::vector<std::string_view> kThreadPlaces = {"simulator/llm/wire/", "simulator/explore/"};

const std::vector<Ban>& bans() {
  static const std::vector<std::string_view> bench = {"bench/"};
  static const std::vector<std::string_view> trees = {"property-tests/", "bench/",
                                                      "simulator/script/source.cc"};
  static const std::vector<std::string_view> output = {"reports/", "engine/kernel/result.h",
                                                       "bench/", "property-tests/"};
  static const std::vector<Ban> list = {
      {"*_clock::now", "the clock of Env", bench},
      {"random_device", "the run's seeded Rng"},
      {"rand(", "the run's seeded Rng"},
      {"srand(", "the run's seeded Rng"},
      {"*_distribution", "the run's seeded Rng: the library's results differ by platform"},
      {"std::shuffle", "the run's seeded Rng: the library's results differ by platform"},
      {"ranges::shuffle", "the run's seeded Rng: the library's results differ by platform"},
      {"std::hash", "an ordered container, or a digest of engine/values"},
      {"getenv", "a setting that the command line reads"},
      {"setenv", "the environment of the started process"},
      {"strerror", "a message of our own: the library's depends on the locale"},
      {"std::locale", "bytes and std::to_chars"},
      {"setlocale", "bytes and std::to_chars"},
      {"imbue", "bytes and std::to_chars"},
      {"sleep_for", "a timer of the loop"},
      {"sleep_until", "a timer of the loop"},
      {"usleep", "a timer of the loop"},
      {"std::thread", "a task of the loop", kThreadPlaces},
      {"std::jthread", "a task of the loop", kThreadPlaces},
      {"std::async", "a task of the loop"},
      {"std::mutex", "one owner on one loop", kThreadPlaces},
      {"std::condition_variable", "a queue of the loop", kThreadPlaces},
      {"directory_iterator", "Env's sorted listing", trees},
      {"recursive_directory_iterator", "Env's sorted listing", trees},
      {"readdir", "Env's sorted listing"},
      {"popen", "Env's processes"},
      {"std::system", "Env's processes"},
      {"std::regex", "the patterns of engine/values"},
      {"std::format", "fmt::format in a .cc file"},
      {"std::print", "fmt::print in a .cc file"},
      {"std::cout", "a reporter", output},
      {"std::cerr", "an Error, or an event of the trace", output},
      {"printf(", "a reporter, an Error or an event of the trace", output},
      {"fprintf(", "a reporter, an Error or an event of the trace", output},
      {"puts(", "a reporter, an Error or an event of the trace", output},
  };
  return list;
}

// The kernel is the door to the machine, the command line the door to the user.
bool is_exempt(std::string_view path, const Ban& ban) {
  if (path.starts_with("engine/kernel/") && !ban.name.ends_with("printf(")) return true;
  if (path.starts_with("simulator/cli/")) return true;
  // Tests renew golden files when asked, and look at the folders they wrote.
  if (is_test(path) && (ban.name == "getenv" || ban.name == "directory_iterator")) return true;
  return std::ranges::any_of(ban.places,
                             [&](std::string_view place) { return path.starts_with(place); });
}

// Offsets at which `name` stands as a word of its own; a leading `*` lets the word begin earlier.
std::vector<std::size_t> offsets_of(std::string_view code, std::string_view name) {
  const bool is_suffix = name.starts_with('*');
  if (is_suffix) name.remove_prefix(1);
  std::vector<std::size_t> offsets;
  for (std::size_t at = code.find(name); at != std::string_view::npos;
       at = code.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins = is_suffix || at == 0 || !is_word(code[at - 1]);
    const bool ends = !is_word(name.back()) || end == code.size() || !is_word(code[end]);
    if (begins && ends) offsets.push_back(at);
  }
  return offsets;
}

// Where the statement of a co_await ends: at its `;` or at the bracket that encloses it.
std::size_t end_of_statement(std::string_view code, std::size_t at) {
  int depth = 0;
  for (; at < code.size(); ++at) {
    const char letter = code[at];
    if (letter == '(' || letter == '[') ++depth;
    if (letter == '{') return at;
    if (letter == ')' || letter == ']') --depth;
    if (depth < 0 || letter == '}' || (letter == ';' && depth == 0)) return at;
  }
  return at;
}

// Skips the arguments of a template whose `<` stands at `at`.
std::size_t after_angles(std::string_view code, std::size_t at) {
  int depth = 0;
  for (; at < code.size(); ++at) {
    if (code[at] == '<') ++depth;
    if (code[at] == '>' && --depth == 0) return at + 1;
  }
  return at;
}

// Names declared as unordered containers, references to them included.
void add_unordered_names(std::string_view code, std::set<std::string>& names) {
  for (const std::string_view type : {"unordered_map", "unordered_set"}) {
    for (const std::size_t offset : offsets_of(code, type)) {
      std::size_t at = offset + type.size();
      if (at >= code.size() || code[at] != '<') continue;
      at = after_angles(code, at);
      while (at < code.size() && (code[at] == ' ' || code[at] == '&')) ++at;
      const std::size_t begin = at;
      while (at < code.size() && is_word(code[at])) ++at;
      if (at > begin) names.emplace(code.substr(begin, at - begin));
    }
  }
}

// The last word of a range-for's range: `name` in `for (auto& x : object.name)`.
std::string_view range_name(std::string_view line) {
  const std::size_t colon = line.find(" : ");
  const std::size_t close = line.find(')', colon == std::string_view::npos ? 0 : colon);
  if (!line.contains("for (") || colon == std::string_view::npos ||
      close == std::string_view::npos) {
    return {};
  }
  std::size_t begin = close;
  while (begin > colon && is_word(line[begin - 1])) --begin;
  return line.substr(begin, close - begin);
}

}  // namespace

Violations check_banned_calls(std::string_view path, std::string_view text) {
  Violations found;
  if (!is_cpp(path)) return found;
  const std::string code = code_only(text);
  for (const Ban& ban : bans()) {
    if (is_exempt(path, ban)) continue;
    for (const std::size_t offset : offsets_of(code, ban.name)) {
      found.push_back({std::string(path), line_at(code, offset), "call",
                       std::string(ban.name) + " is banned; use " + std::string(ban.replacement)});
    }
  }
  return found;
}

Violations check_unordered_loops(std::string_view path, std::string_view text,
                                 std::string_view header) {
  Violations found;
  if (!is_cpp(path)) return found;
  std::set<std::string> names;
  const std::string code = code_only(text);
  add_unordered_names(code, names);
  add_unordered_names(code_only(header), names);
  std::int64_t number = 0;
  for (const std::string_view line : lines_of(code)) {
    ++number;
    const std::string name(range_name(line));
    if (!names.contains(name)) continue;
    found.push_back({std::string(path), number, "unordered",
                     "the order of '" + name + "' differs by machine; use an ordered container"});
  }
  return found;
}

Violations check_await_braces(std::string_view path, std::string_view text) {
  Violations found;
  if (!is_cpp(path)) return found;
  const std::string code = code_only(text);
  for (const std::size_t offset : offsets_of(code, "co_await")) {
    const std::size_t end = end_of_statement(code, offset);
    if (end == code.size() || code[end] != '{') continue;
    found.push_back({std::string(path), line_at(code, end), "await",
                     "brace inside a co_await statement, which GCC 12 frees twice; name the value "
                     "first and move it"});
  }
  return found;
}

Violations check_single_owners(std::span<const SourceFile> files) {
  std::vector<std::string> stores;
  std::vector<std::string> threads;
  for (const SourceFile& file : files) {
    if (!is_cpp(file.path) || is_test(file.path) || file.path.starts_with("bench/")) continue;
    if (file.text.contains("#include <sqlite3.h>")) stores.push_back(file.path);
    const std::string code = code_only(file.text);
    const bool has_threads = code.contains("std::thread") || code.contains("std::jthread") ||
                             code.contains("std::mutex");
    if (file.path.starts_with("simulator/explore/") && has_threads) threads.push_back(file.path);
  }
  Violations found;
  for (std::size_t i = 1; i < stores.size(); ++i) {
    found.push_back({stores[i], 0, "owner", "SQLite already has its file: " + stores[0]});
  }
  for (std::size_t i = 1; i < threads.size(); ++i) {
    found.push_back({threads[i], 0, "owner", "threads already have their file: " + threads[0]});
  }
  return found;
}

}  // namespace plumb
