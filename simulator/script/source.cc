// SPDX-License-Identifier: Apache-2.0
#include "simulator/script/source.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace plumb::simulator {
namespace {

namespace fs = std::filesystem;

/// Files are read in parts: most are far smaller than the largest that may be read.
constexpr std::size_t kPartBytes = 1 << 16;

bool is_yaml_name(const fs::path& path) {
  return path.extension() == ".yaml" || path.extension() == ".yml";
}

ErrorCode code_of(std::error_code error) {
  if (error == std::errc::no_such_file_or_directory) return ErrorCode::not_found;
  if (error == std::errc::not_a_directory) return ErrorCode::not_found;
  if (error == std::errc::permission_denied) return ErrorCode::permission;
  if (error == std::errc::too_many_symbolic_link_levels) return ErrorCode::loop;
  return ErrorCode::io;
}

std::string describe_code(ErrorCode code) {
  if (code == ErrorCode::not_found) return "no such file or folder";
  if (code == ErrorCode::permission) return "permission denied";
  if (code == ErrorCode::loop) return "too many symbolic links";
  return "cannot be read";
}

std::unexpected<Error> fail_with(std::error_code error, const std::string& path) {
  const ErrorCode code = code_of(error);
  return fail(code, describe_code(code), path);
}

Result<fs::file_type> type_of(const std::string& path) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  if (type == fs::file_type::not_found)
    return fail(ErrorCode::not_found, describe_code(ErrorCode::not_found), path);
  if (error) return fail_with(error, path);
  return type;
}

bool is_skipped_folder(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with('.') || name == "rules";
}

/// Entries of one folder, sorted by bytes.
Result<std::vector<fs::path>> entries_of(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> entries;
  fs::directory_iterator iterator(folder, error);
  if (error) return fail_with(error, folder.string());
  for (; iterator != fs::directory_iterator(); iterator.increment(error)) {
    if (error) return fail_with(error, folder.string());
    entries.push_back(iterator->path());
  }
  std::ranges::sort(entries, {}, [](const fs::path& path) { return path.native(); });
  return entries;
}

Result<void> collect_scenarios(const fs::path& folder, std::int64_t depth,
                               std::vector<std::string>& found) {
  if (depth > kFoldersDepthMax) {
    return fail(ErrorCode::exhausted,
                "folders nested deeper than " + std::to_string(kFoldersDepthMax), folder.string());
  }
  PLUMB_TRY(const auto entries, entries_of(folder));
  for (const fs::path& entry : entries) {
    std::error_code ignored;
    if (fs::is_directory(entry, ignored)) {
      if (is_skipped_folder(entry)) continue;
      if (auto below = collect_scenarios(entry, depth + 1, found); !below) return below;
    } else if (is_yaml_name(entry)) {
      found.push_back(entry.string());
    }
  }
  return {};
}

Result<std::vector<std::string>> scenarios_of(const std::string& path) {
  PLUMB_TRY(const auto type, type_of(path));
  if (type != fs::file_type::directory) return std::vector<std::string>{path};
  std::vector<std::string> found;
  if (auto walked = collect_scenarios(path, 0, found); !walked)
    return std::unexpected(walked.error());
  if (found.empty())
    return fail(ErrorCode::invalid, "no scenario in this folder, expected *.yaml files", path);
  return found;
}

}  // namespace

Result<std::string> read_source(const std::string& path, std::int64_t bytes_max) {
  PLUMB_TRY(const auto type, type_of(path));
  if (type == fs::file_type::directory)
    return fail(ErrorCode::is_directory, "is a folder, expected a file", path);
  if (type != fs::file_type::regular) {
    return fail(ErrorCode::io, "is not a regular file", path);
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return fail(ErrorCode::permission, describe_code(ErrorCode::permission), path);
  std::string text;
  std::string part(kPartBytes, '\0');
  while (stream && std::ssize(text) <= bytes_max) {
    stream.read(part.data(), std::ssize(part));
    text.append(part, 0, static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) return fail(ErrorCode::io, describe_code(ErrorCode::io), path);
  if (std::ssize(text) > bytes_max) {
    const auto fitting = std::string_view(text).substr(0, static_cast<std::size_t>(bytes_max));
    const Place first_too_many{1 + std::ranges::count(fitting, '\n'), 1};
    return fail(ErrorCode::exhausted, "file is larger than " + std::to_string(bytes_max) + " bytes",
                located(path, first_too_many));
  }
  return text;
}

Result<std::vector<std::string>> list_yaml_files(const std::string& directory) {
  PLUMB_TRY(const auto type, type_of(directory));
  if (type != fs::file_type::directory)
    return fail(ErrorCode::not_directory, "is not a folder", directory);
  PLUMB_TRY(const auto entries, entries_of(directory));
  std::vector<std::string> files;
  for (const fs::path& entry : entries) {
    std::error_code ignored;
    if (is_yaml_name(entry) && fs::is_regular_file(entry, ignored)) files.push_back(entry.string());
  }
  return files;
}

FoundFiles look_for_scenarios(const std::vector<std::string>& paths) {
  FoundFiles all;
  for (const std::string& path : paths) {
    const auto found = scenarios_of(path);
    for (const auto& file : found.value_or(std::vector<std::string>())) {
      all.files.push_back(fs::path(file).lexically_normal().string());
    }
    if (!found) all.errors.push_back(found.error());
  }
  if (paths.empty())
    all.errors.push_back(
        Error{ErrorCode::invalid, "no scenario given, expected a file or a folder", ""});
  std::ranges::sort(all.files);
  const auto repeated = std::ranges::unique(all.files);
  all.files.erase(repeated.begin(), repeated.end());
  return all;
}

Checked<std::vector<std::string>> find_scenarios(const std::vector<std::string>& paths) {
  auto found = look_for_scenarios(paths);
  if (!found.errors.empty()) return std::unexpected(std::move(found.errors));
  return std::move(found.files);
}

}  // namespace plumb::simulator
