// SPDX-License-Identifier: Apache-2.0
// Applies the house rules to the tree. Runs in the root of the repository. Old offenders stand in
// house_rules_ratchet.txt, one a line: path, rule, reason; an entry that nothing needs is an error
// too.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "property-tests/house_rules.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRatchet = "property-tests/house_rules_ratchet.txt";

bool is_skipped(const fs::path& folder) {
  static const std::set<std::string> names = {"build", ".git", "node_modules", ".cache", "out"};
  return names.contains(folder.filename().string());
}

bool is_text(const std::string& path) {
  constexpr std::array endings = {".h",  ".cc",   ".yaml", ".yml", ".cmake", ".txt", ".sh",
                                  ".md", ".json", ".mjs",  ".ts",  ".py",    "/run", ".in"};
  return path == "plumb" || std::ranges::any_of(endings, [&](std::string_view ending) {
           return path.ends_with(ending);
         });
}

std::string read(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<SourceFile> read_tree() {
  std::vector<SourceFile> files;
  fs::recursive_directory_iterator walk(".");
  for (const fs::directory_entry& entry : walk) {
    if (entry.is_directory() && is_skipped(entry.path())) walk.disable_recursion_pending();
    const std::string path = entry.path().lexically_relative(".").generic_string();
    if (entry.is_regular_file() && is_text(path)) files.push_back({path, read(entry.path())});
  }
  std::ranges::sort(files, {}, &SourceFile::path);
  return files;
}

using RatchetKey = std::pair<std::string, std::string>;

std::map<RatchetKey, std::string> read_ratchet() {
  std::map<RatchetKey, std::string> entries;
  std::ifstream stream{std::string(kRatchet)};
  for (std::string line; std::getline(stream, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    std::istringstream words(line);
    RatchetKey key;
    std::string reason;
    words >> key.first >> key.second >> std::ws;
    std::getline(words, reason);
    entries.emplace(std::move(key), std::move(reason));
  }
  return entries;
}

std::string shown(const Violation& violation) {
  return violation.path + ":" + std::to_string(violation.line) + ": " + violation.message + " [" +
         violation.rule + "]";
}

TEST(HouseRules, HoldInTheTree) {
  const std::vector<SourceFile> files = read_tree();
  const std::map<RatchetKey, std::string> ratchet = read_ratchet();
  std::set<RatchetKey> used;

  for (const Violation& violation : check_tree(files)) {
    const RatchetKey key{violation.path, violation.rule};
    if (ratchet.contains(key)) {
      used.insert(key);
    } else {
      ADD_FAILURE() << shown(violation);
    }
  }

  ASSERT_GT(files.size(), 20U) << "run it in the root of the repository";
  for (const auto& [key, reason] : ratchet) {
    EXPECT_TRUE(used.contains(key))
        << kRatchet << ": nothing needs " << key.first << " " << key.second;
    EXPECT_GE(reason.size(), 10U) << kRatchet << ": no reason for " << key.first;
  }
}

}  // namespace
}  // namespace plumb
