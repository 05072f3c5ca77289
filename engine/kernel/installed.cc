// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/installed.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>

#include <unistd.h>

namespace plumb::engine {

bool is_there(const std::string& path) {
  return ::access(path.c_str(), R_OK) == 0;
}

std::string installed_folder(std::string_view name, std::string built) {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return built;
  const auto beside = program.parent_path().parent_path() / "share" / "plumbline" / name;
  return is_there(beside.string()) ? beside.string() : built;
}

std::optional<std::string> find_program(const std::string& name) {
  const auto may_run = [](const std::string& path) {
    std::error_code error;  // A folder may be entered, not run.
    return std::filesystem::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
  };
  if (name.contains('/')) return may_run(name) ? std::optional(name) : std::nullopt;
  std::istringstream folders(search_path());
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string path = (folder.empty() ? "." : folder) + "/" + name;
    if (may_run(path)) return path;
  }
  return std::nullopt;
}

std::string absolute_path(const std::string& path) {
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

std::string search_path() {
  const char* const given = std::getenv("PATH");
  return given != nullptr ? given : "/usr/local/bin:/usr/bin:/bin";
}

}  // namespace plumb::engine
