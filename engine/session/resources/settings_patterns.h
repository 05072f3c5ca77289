// SPDX-License-Identifier: Apache-2.0
// What resource lists in settings and manifests say besides paths: !glob leaves out, +path takes in
// again, -path leaves out for good (RES-33).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::engine {

/// Whether an entry is a pattern: it begins with !, + or -, or holds * or ?.
bool is_list_pattern(std::string_view entry);
/// Whether it begins with !, + or -.
bool is_override(std::string_view entry);

/// The patterns of one list, about paths relative to `base`. A pattern that cannot be read matches
/// nothing.
class ListPatterns final {
 public:
  ListPatterns(std::span<const std::string> entries, std::string base);

  /// Whether the list takes `path` in. Without plain globs every path is taken at first;
  /// `uses_globs`: false leaves those out of account, as for what was found in folders.
  bool takes(const std::string& path, bool uses_globs = true) const;

 private:
  bool matches_any(const std::string& path, const std::vector<std::string>& globs) const;
  bool names_any(const std::string& path, const std::vector<std::string>& exact) const;
  std::string relative(const std::string& path) const;

  std::string base_;
  std::vector<std::string> globs_;
  std::vector<std::string> excluded_;
  std::vector<std::string> forced_in_;
  std::vector<std::string> forced_out_;
};

}  // namespace plumb::engine
