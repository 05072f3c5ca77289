// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/ignore_rules.h"

#include <ranges>
#include <utility>

namespace plumb::engine {
namespace {

/// Blanks at the end count only behind a backslash.
std::string_view without_blanks(std::string_view line) {
  std::size_t end = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '\\') {
      ++at;
      end = at + 1;
    } else if (line[at] != ' ') {
      end = at + 1;
    }
  }
  return line.substr(0, end);
}

std::string_view name_of(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace

bool IgnoreLine::matches(std::string_view path, bool is_folder) const {
  if (is_for_folders && !is_folder) return false;
  return glob.matches(is_for_names ? name_of(path) : path);
}

Result<std::optional<IgnoreLine>> read_ignore_line(std::string_view line,
                                                   const GlobOptions& options) {
  line = without_blanks(line);
  if (line.empty() || line.starts_with('#')) return std::optional<IgnoreLine>();
  IgnoreLine read;
  if (line.starts_with('!')) {
    read.is_wish = true;
    line.remove_prefix(1);
  }
  if (line.ends_with('/')) {
    read.is_for_folders = true;
    line.remove_suffix(1);
  }
  read.is_for_names = !line.contains('/');
  if (line.starts_with('/')) line.remove_prefix(1);
  if (line.empty()) return std::optional<IgnoreLine>();
  PLUMB_TRY(read.glob, Glob::compile(line, options));
  return std::optional<IgnoreLine>(std::move(read));
}

IgnoreRules IgnoreRules::parse(std::string_view text) {
  GlobOptions options;
  options.has_choices = false;
  options.is_bytewise = true;
  IgnoreRules rules;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    auto read = read_ignore_line(line, options);
    if (read && *read) rules.lines_.push_back(**std::move(read));
  }
  return rules;
}

std::optional<IgnoreVerdict> IgnoreRules::judge(std::string_view path, bool is_folder) const {
  for (const auto& line : std::views::reverse(lines_)) {
    if (!line.matches(path, is_folder)) continue;
    return line.is_wish ? IgnoreVerdict::wanted : IgnoreVerdict::ignored;
  }
  return std::nullopt;
}

}  // namespace plumb::engine
