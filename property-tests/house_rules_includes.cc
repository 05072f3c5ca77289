// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "property-tests/house_rules.h"

namespace plumb {
namespace {

/// An #include line: the header and whether it stands in angle brackets.
struct Include {
  std::int64_t line = 0;
  std::string_view header;
  bool is_angled = false;
};

std::vector<Include> includes_of(std::string_view text) {
  std::vector<Include> includes;
  std::int64_t number = 0;
  for (const std::string_view line : lines_of(text)) {
    ++number;
    if (!line.starts_with("#include ") || line.size() < 12) continue;
    const std::string_view rest = line.substr(9);
    const std::size_t end = rest.find(rest[0] == '<' ? '>' : '"', 1);
    if (end == std::string_view::npos) continue;
    includes.push_back({number, rest.substr(1, end - 1), rest[0] == '<'});
  }
  return includes;
}

using Table = std::map<std::string_view, std::vector<std::string_view>>;

// What each room may include besides itself; what those may include comes with it, except where a
// room sees its list only (kStrictRooms).
const Table& rooms_below() {
  static const Table table = {
      {"engine/kernel", {}},
      {"engine/values", {"engine/kernel"}},
      {"engine/trace", {"engine/kernel", "engine/values"}},
      {"engine/model", {"engine/kernel", "engine/values"}},
      {"engine/tools", {"engine/model", "engine/trace"}},
      {"engine/extensions", {"engine/tools"}},
      {"engine/extensions/hosted", {"engine/extensions"}},
      {"engine/session", {"engine/extensions", "engine/session/resources"}},
      {"engine/session/resources", {"engine/extensions"}},
      {"engine/lazy", {"engine/extensions"}},
      {"engine/approval", {"engine/extensions"}},
      {"engine/durable", {"engine/tools"}},
      {"simulator/script", {"engine/model", "engine/trace"}},
      {"simulator/cache_model", {"engine/trace"}},
      {"simulator/llm", {"simulator/script", "simulator/cache_model", "engine/trace"}},
      {"simulator/llm/wire", {"simulator/llm"}},
      {"simulator/subjects",
       {"engine/session", "engine/extensions/hosted", "engine/lazy", "engine/approval",
        "engine/durable", "simulator/llm", "simulator/llm/wire"}},
      {"simulator/subjects/external", {"simulator/subjects", "simulator/llm/wire"}},
      {"simulator/subjects/adapters", {"engine/session"}},
      {"simulator/invariants", {"engine/trace", "engine/values", "simulator/cache_model"}},
      {"simulator/explore", {"simulator/subjects", "simulator/invariants"}},
      {"simulator/oracle", {"engine/tools", "engine/session/resources", "simulator/script"}},
      {"reports", {}},
  };
  return table;
}

constexpr std::array<std::string_view, 2> kStrictRooms = {"simulator/invariants", "reports"};

void add_below(std::string_view room, std::set<std::string_view>& seen) {
  const auto entry = rooms_below().find(room);
  if (entry == rooms_below().end()) return;
  for (const std::string_view below : entry->second) {
    if (seen.insert(below).second) add_below(below, seen);
  }
}

bool may_include(std::string_view room, std::string_view other) {
  if (room == other) return true;
  if (std::ranges::find(kStrictRooms, room) != kStrictRooms.end()) {
    return std::ranges::count(rooms_below().at(room), other) > 0;
  }
  std::set<std::string_view> below;
  add_below(room, below);
  return below.contains(other);
}

// The vocabulary of errors belongs to all rooms.
constexpr std::string_view kSharedHeader = "engine/kernel/result.h";

/// Where a header may be included: below these folders or in these files; "" means everywhere.
struct Placement {
  std::string_view prefix;
  std::vector<std::string_view> places;
};

// Libraries whose types stay out of our headers.
const std::vector<Placement>& libraries() {
  static const std::vector<Placement> list = {
      {"yaml-cpp/", {"simulator/script/", "engine/session/resources/front_matter.cc"}},
      {"httplib.h", {"simulator/llm/wire/"}},
      {"CLI/", {"simulator/cli/"}},
      {"sqlite3.h", {""}},
      {"pcre2.h", {"engine/values/"}},
      {"openssl/", {"engine/values/"}},
      {"stb/", {"engine/tools/builtin/picture_codec.cc"}},
      {"utf8proc.h", {"engine/values/", "engine/tools/"}},
      {"fmt/", {""}},
  };
  return list;
}

const std::vector<Placement>& system_headers() {
  static const std::vector<std::string_view> ports = {
      "engine/kernel/", "simulator/llm/wire/",        "simulator/cli/",
      "reports/",       "simulator/script/source.cc", "simulator/subjects/adapters/"};
  static const std::vector<Placement> list = {
      {"benchmark/", {"bench/"}},
      {"regex", {}},
      {"format", {}},
      {"print", {}},
      {"fstream", ports},
      {"iostream", {"simulator/cli/", "bench/"}},
      {"unistd.h", ports},
      {"fcntl.h", ports},
      {"poll.h", ports},
      {"spawn.h", ports},
      {"dirent.h", ports},
      {"netinet/", {"simulator/llm/wire/", "simulator/subjects/adapters/"}},
      {"sys/", ports},
  };
  return list;
}

bool matches(std::string_view header, std::string_view prefix) {
  return prefix.ends_with('/') ? header.starts_with(prefix) : header == prefix;
}

bool is_test_library(std::string_view header) {
  return header.starts_with("gtest/") || header.starts_with("gmock/") ||
         header.starts_with("rapidcheck");
}

std::string places_text(const Placement& placement) {
  if (placement.places.empty()) return "nowhere: it does not exist for us";
  std::string text;
  for (const std::string_view place : placement.places) {
    text += (text.empty() ? "in " : ", ") + std::string(place);
  }
  return text + " only";
}

bool is_placed(const Placement& placement, std::string_view path) {
  return std::ranges::any_of(placement.places,
                             [&](std::string_view place) { return path.starts_with(place); });
}

const Placement* placement_of(const std::vector<Placement>& list, std::string_view header) {
  const auto found = std::ranges::find_if(
      list, [&](const Placement& placement) { return matches(header, placement.prefix); });
  return found == list.end() ? nullptr : &*found;
}

// What is wrong with including `header` in `path`; empty when nothing is.
std::string misplacement(std::string_view header, std::string_view path) {
  if (is_test_library(header)) return is_test(path) ? "" : "belongs to tests";
  if (const Placement* library = placement_of(libraries(), header)) {
    if (!is_placed(*library, path)) return "is included " + places_text(*library);
    return path.ends_with(".h") && !is_test(path) ? "is included in .cc files only" : "";
  }
  const Placement* system = placement_of(system_headers(), header);
  if (system == nullptr || is_placed(*system, path) || is_test(path)) return "";
  return "is included " + places_text(*system) + "; go through Env";
}

}  // namespace

Violations check_room_includes(std::string_view path, std::string_view text) {
  const std::string_view room = room_of(path);
  Violations found;
  if (!is_cpp(path) || !rooms_below().contains(room)) return found;
  for (const Include& include : includes_of(text)) {
    const std::string_view other = room_of(include.header);
    if (include.is_angled || include.header == kSharedHeader || may_include(room, other)) continue;
    const std::string what = other.empty() ? std::string(include.header) : std::string(other);
    found.push_back({std::string(path), include.line, "include",
                     std::string(room) + " may not include " + what +
                         "; a needed upward call means a missing port or event"});
  }
  return found;
}

Violations check_library_includes(std::string_view path, std::string_view text) {
  Violations found;
  if (!is_cpp(path)) return found;
  for (const Include& include : includes_of(text)) {
    const std::string problem = misplacement(include.header, path);
    if (problem.empty()) continue;
    found.push_back(
        {std::string(path), include.line, "library", std::string(include.header) + " " + problem});
  }
  return found;
}

}  // namespace plumb
