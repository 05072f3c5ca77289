// SPDX-License-Identifier: Apache-2.0
// Where an item of a YAML file stands, and the result of a reading that reports every error it
// finds.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernel/result.h"

namespace plumb::simulator {

/// A place in a file: both count from 1, columns in code points. Line 0 means unknown.
struct Place {
  std::int64_t line = 0;
  std::int64_t column = 0;

  bool operator==(const Place&) const = default;
};

/// "file:line:col", or "file" for an unknown line.
std::string located(std::string_view file, Place place);

/// A value, or all errors that were found, in the order of the file. Never an empty list.
template <class T>
using Checked = std::expected<T, std::vector<Error>>;

/// "where: message": the one line in which an error is shown.
std::string error_line(const Error& error);

}  // namespace plumb::simulator
