// SPDX-License-Identifier: Apache-2.0
#include "engine/session/resources/settings_patterns.h"

#include <algorithm>
#include <utility>

#include "engine/session/resources/resource_files.h"
#include "engine/tools/builtin/glob.h"

namespace plumb::engine {
namespace {

/// What a pattern may be about: the file, and of a skill its folder as well.
std::vector<std::string> subjects(const std::string& path) {
  std::vector<std::string> found{path};
  if (base_name(path) == "SKILL.md") found.push_back(parent_path(path));
  return found;
}

std::string_view without_dot(std::string_view path) {
  if (path.starts_with("./")) path.remove_prefix(2);
  return path;
}

}  // namespace

bool is_override(std::string_view entry) {
  return entry.starts_with('!') || entry.starts_with('+') || entry.starts_with('-');
}

bool is_list_pattern(std::string_view entry) {
  return is_override(entry) || entry.find_first_of("*?") != std::string_view::npos;
}

ListPatterns::ListPatterns(std::span<const std::string> entries, std::string base)
    : base_(std::move(base)) {
  for (const auto& entry : entries) {
    if (entry.starts_with('!')) {
      excluded_.push_back(entry.substr(1));
    } else if (entry.starts_with('+')) {
      forced_in_.emplace_back(without_dot(std::string_view(entry).substr(1)));
    } else if (entry.starts_with('-')) {
      forced_out_.emplace_back(without_dot(std::string_view(entry).substr(1)));
    } else if (is_list_pattern(entry)) {
      globs_.push_back(entry);
    }
  }
}

bool ListPatterns::takes(const std::string& path, bool uses_globs) const {
  bool is_taken = !uses_globs || globs_.empty() || matches_any(path, globs_);
  if (matches_any(path, excluded_)) is_taken = false;
  if (names_any(path, forced_in_)) is_taken = true;
  return is_taken && !names_any(path, forced_out_);
}

std::string ListPatterns::relative(const std::string& path) const {
  return is_within(path, base_) && path.size() > base_.size() ? path.substr(base_.size() + 1)
                                                              : path;
}

bool ListPatterns::matches_any(const std::string& path,
                               const std::vector<std::string>& globs) const {
  return std::ranges::any_of(globs, [&](const std::string& pattern) {
    const auto glob = Glob::compile(without_dot(pattern));
    return glob && std::ranges::any_of(subjects(path), [&](const std::string& subject) {
             return glob->matches(relative(subject)) || glob->matches(base_name(subject)) ||
                    glob->matches(subject);
           });
  });
}

bool ListPatterns::names_any(const std::string& path, const std::vector<std::string>& exact) const {
  return std::ranges::any_of(subjects(path), [&](const std::string& subject) {
    return std::ranges::find(exact, relative(subject)) != exact.end() ||
           std::ranges::find(exact, subject) != exact.end();
  });
}

}  // namespace plumb::engine
