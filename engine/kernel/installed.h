// SPDX-License-Identifier: Apache-2.0
// Where things of this machine are that the program starts or reads, beside what users name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace plumb::engine {

/// Whether there is a file or folder that may be read.
bool is_there(const std::string& path);
/// The folder `name` of what was installed with this program; `built` when it was not installed.
std::string installed_folder(std::string_view name, std::string built);
/// Where a program of this name is found; nothing when nowhere. A name with a slash is its path.
std::optional<std::string> find_program(const std::string& name);
/// Without links resolved; from the working directory when relative.
std::string absolute_path(const std::string& path);
/// Where programs are looked for; the system's own folders when nobody says.
std::string search_path();

}  // namespace plumb::engine
