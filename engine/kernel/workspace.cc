// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/workspace.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

namespace plumb::engine {
namespace {

/// What a run has closed against itself must not keep it from going.
void open_directories(const std::filesystem::path& root) {
  std::vector<std::filesystem::path> left = {root};
  std::error_code error;
  while (!left.empty()) {
    const auto folder = left.back();
    left.pop_back();
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all,
                                 std::filesystem::perm_options::add, error);
    for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
         it.increment(error)) {
      if (it->is_directory(error) && !it->is_symlink(error)) left.push_back(it->path());
    }
  }
}

}  // namespace

Result<Workspace> Workspace::create() {
  const char* const base = std::getenv("TMPDIR");
  std::string path = std::string(base != nullptr && *base == '/' ? base : "/tmp") + "/plumb-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) {
    return fail(ErrorCode::io, "cannot make a temporary directory " + path);
  }
  std::error_code error;
  const auto real = std::filesystem::canonical(path, error);
  if (error) return fail(ErrorCode::io, "cannot find the temporary directory " + path);
  return Workspace(real.string());
}

Workspace::Workspace(Workspace&& other) noexcept : path_(std::exchange(other.path_, "")) {}

Workspace& Workspace::operator=(Workspace&& other) noexcept {
  if (this == &other) return *this;
  remove();
  path_ = std::exchange(other.path_, "");
  return *this;
}

Result<void> Workspace::copy_in(const std::string& directory) const {
  std::error_code error;
  constexpr auto kOptions =
      std::filesystem::copy_options::recursive | std::filesystem::copy_options::copy_symlinks;
  std::filesystem::copy(directory, path_, kOptions, error);
  if (error) return fail(ErrorCode::io, "cannot copy " + directory + ": " + error.message());
  return {};
}

void Workspace::remove() {
  if (path_.empty()) return;
  std::error_code error;
  open_directories(path_);
  std::filesystem::remove_all(path_, error);
  path_.clear();
}

}  // namespace plumb::engine
