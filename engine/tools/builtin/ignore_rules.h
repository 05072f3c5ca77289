// SPDX-License-Identifier: Apache-2.0
// The lines of ignore files (.gitignore and its kind), read as git reads them (GREP-03, FIND-03).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernel/result.h"
#include "engine/tools/builtin/glob.h"

namespace plumb::engine {

/// What a line says of a path.
enum class IgnoreVerdict : std::uint8_t { ignored, wanted };

/// One line. `!` makes it a wish, a / at the end binds it to folders, a / elsewhere to the place
/// of its file; without one it is about names at any depth.
struct IgnoreLine {
  Glob glob;
  bool is_wish = false;
  bool is_for_folders = false;
  bool is_for_names = false;

  /// `path` is relative to the folder of the file.
  bool matches(std::string_view path, bool is_folder) const;
};

/// Nothing for an empty line and a comment. Errors: as Glob::compile.
Result<std::optional<IgnoreLine>> read_ignore_line(std::string_view line,
                                                   const GlobOptions& options);

/// The lines of one file. Immutable; thread-safe.
class IgnoreRules final {
 public:
  /// A line that is no pattern matches nothing, as in git.
  static IgnoreRules parse(std::string_view text);

  /// What the last line that matches says; nothing if none does. `path` is relative to the folder
  /// of the file, without / at its ends.
  std::optional<IgnoreVerdict> judge(std::string_view path, bool is_folder) const;

 private:
  std::vector<IgnoreLine> lines_;
};

}  // namespace plumb::engine
