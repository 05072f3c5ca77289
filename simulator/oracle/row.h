// SPDX-License-Identifier: Apache-2.0
// Oracle files: observed behaviour of tools as rows that a program can execute. The format is
// described in fixtures/oracle/README.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernel/result.h"
#include "engine/values/json.h"

namespace plumb::simulator {

/// The observed engine does what `rule` forbids or does not ask for: the row is no expectation, or
/// with `field` one key of its expectations is none.
struct OracleQuirk {
  std::string rule;
  std::string field;
  std::string why;
  bool operator==(const OracleQuirk&) const = default;
};

/// One operation. `at` and `expect` are null when the row has none.
struct OracleStep {
  std::string op;
  Json args;
  Json at;
  Json expect;
};

/// One row, well-formed. `setup` and `expect` are objects; `line` counts from 1.
struct OracleRow {
  std::string id;
  std::string tool;
  std::string group;
  std::string edition;
  std::vector<std::string> needs;
  std::vector<OracleQuirk> quirks;
  Json setup = Json::object();
  std::vector<OracleStep> steps;
  Json expect = Json::object();
  std::int64_t line = 0;
};

/// Rows that could be read, and what is wrong with the others (`where` is file:line:col), one error
/// a line.
struct OracleFile {
  std::string path;
  std::vector<OracleRow> rows;
  std::vector<Error> errors;
};

/// Reads JSON Lines: a meta record on the first line (it may be missing), a row on each other line;
/// empty lines are skipped. Each line with an error is left out, the others stay. A file without a
/// row, and counts of the meta record that do not hold, are errors too.
OracleFile read_oracle(std::string_view text, std::string_view file);

}  // namespace plumb::simulator
