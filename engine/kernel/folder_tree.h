// SPDX-License-Identifier: Apache-2.0
// The files of a live run's folders, at once and past the run's own file port: laid out before it,
// looked at after it.
#pragma once

#include <cstdint>
#include <string>

#include "engine/kernel/memory_tree.h"
#include "engine/kernel/result.h"

namespace plumb::engine {

/// Each makes missing parents and takes the place of a file or link that is there. Errors: io.
Result<void> put_file(const std::string& path, const std::string& content);
Result<void> put_directory(const std::string& path);
Result<void> put_symlink(const std::string& path, const std::string& target);
Result<void> put_hard_link(const std::string& path, const std::string& existing);
/// What is there goes, with everything below it.
Result<void> remove_entry(const std::string& path);
Result<void> set_mode(const std::string& path, std::int64_t mode);

inline constexpr std::int64_t kFolderEntriesMax = 20'000;
inline constexpr std::int64_t kFolderBytesMax = std::int64_t{256} << 20;

/// Everything below `folder` by its path relative to it, sorted by bytes; links are not followed.
/// What cannot be read has an empty content. Errors: exhausted, when there is more than one looks
/// at; io, when the folder itself cannot be read.
Result<FileSnapshot> look_at_folder(const std::string& folder);

}  // namespace plumb::engine
