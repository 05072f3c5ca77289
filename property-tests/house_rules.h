// SPDX-License-Identifier: Apache-2.0
// The house rules that no compiler knows: who may include whom, which calls are banned and what
// replaces them, what every file needs. Each rule is a pure function of a path and a text, so that
// a test can show what it catches; house_rules_test.cc then applies all of them to the tree.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

/// A file of the tree; `path` is relative to the root, with forward slashes.
struct SourceFile {
  std::string path;
  std::string text;
};

/// One broken rule. `line` counts from 1; 0 means the whole file.
struct Violation {
  std::string path;
  std::int64_t line = 0;
  std::string rule;
  std::string message;

  bool operator==(const Violation&) const = default;
};

using Violations = std::vector<Violation>;

/// The text with comments and the contents of string and character literals turned into spaces;
/// lines and columns stay where they were.
std::string code_only(std::string_view text);

/// The room a path belongs to ("engine/tools" for engine/tools/builtin/edit.cc), or empty.
std::string_view room_of(std::string_view path);

bool is_cpp(std::string_view path);

/// Tests, their fixtures (x_fixture.h) and everything in property-tests.
bool is_test(std::string_view path);

/// The lines of a text, without their ends.
std::vector<std::string_view> lines_of(std::string_view text);

/// Rule "include": a room includes the rooms below it only.
Violations check_room_includes(std::string_view path, std::string_view text);

/// Rule "library": each third-party and system header stays in its place.
Violations check_library_includes(std::string_view path, std::string_view text);

/// Rule "call": banned names, with what to use in their place.
Violations check_banned_calls(std::string_view path, std::string_view text);

/// Rule "unordered": no loop over an unordered container that `text` or its own `header` declares.
Violations check_unordered_loops(std::string_view path, std::string_view text,
                                 std::string_view header);

/// Rule "await": no brace between co_await and the end of its statement (GCC 12 frees twice).
Violations check_await_braces(std::string_view path, std::string_view text);

/// Rule "machine": no path or address of the machine that a file was written on.
Violations check_machine_paths(std::string_view path, std::string_view text);

/// Rule "licence": the SPDX line stands in the first two lines.
Violations check_licence_line(std::string_view path, std::string_view text);

/// Rule "leftover": no unfinished work and no bare lint exception.
Violations check_leftovers(std::string_view path, std::string_view text);

/// Rule "length": files up to 500 lines, lines up to 100 columns.
Violations check_length(std::string_view path, std::string_view text);

/// Rule "owner": one file includes SQLite, one file of simulator/explore starts threads.
Violations check_single_owners(std::span<const SourceFile> files);

/// Rule "type": two files have no type of one name in one namespace.
Violations check_type_names(std::span<const SourceFile> files);

/// Rule "catalogue": ids are unique, rules have their machine fields, scenarios name known rules.
Violations check_catalogue(std::span<const SourceFile> files);

/// Every rule on every file, sorted by path and line.
Violations check_tree(std::span<const SourceFile> files);

}  // namespace plumb
