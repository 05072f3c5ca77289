// SPDX-License-Identifier: Apache-2.0
#include "reports/write_report.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace plumb::reports {
namespace {

struct FailureText {
  int number;
  ErrorCode code;
  std::string_view text;
};

constexpr std::array kFailureTexts{
    FailureText{ENOENT, ErrorCode::not_found, "no such directory"},
    FailureText{ENOTDIR, ErrorCode::not_directory, "part of the path is not a directory"},
    FailureText{EISDIR, ErrorCode::is_directory, "is a directory"},
    FailureText{EACCES, ErrorCode::permission, "permission denied"},
    FailureText{EPERM, ErrorCode::permission, "operation not permitted"},
    FailureText{EROFS, ErrorCode::permission, "read-only file system"},
    FailureText{ELOOP, ErrorCode::loop, "too many symbolic links"},
    FailureText{ENOSPC, ErrorCode::io, "no space left on device"},
    FailureText{EDQUOT, ErrorCode::io, "disk quota exceeded"},
    FailureText{EFBIG, ErrorCode::io, "file too large"},
    FailureText{EIO, ErrorCode::io, "input/output error"},
    FailureText{EPIPE, ErrorCode::io, "nobody reads the pipe"},
    FailureText{ENXIO, ErrorCode::io, "nobody reads the pipe"},
    FailureText{ENAMETOOLONG, ErrorCode::invalid, "file name too long"},
    FailureText{ETXTBSY, ErrorCode::io, "file is being executed"},
    FailureText{EMFILE, ErrorCode::io, "too many open files"},
    FailureText{ENFILE, ErrorCode::io, "too many open files"},
};

std::unexpected<Error> write_failure(const std::string& path, int number) {
  const auto found = std::ranges::find(kFailureTexts, number, &FailureText::number);
  if (found != kFailureTexts.end()) {
    return fail(found->code, "cannot write: " + std::string(found->text), path);
  }
  return fail(ErrorCode::io, "cannot write: error " + std::to_string(number), path);
}

class OpenFile final {
 public:
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int descriptor() const { return descriptor_; }
  /// The error number of close, or 0.
  int close() {
    const int outcome = ::close(descriptor_);
    descriptor_ = -1;
    return outcome == 0 ? 0 : errno;
  }

 private:
  int descriptor_;
};

/// 0, or the error number.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

/// A file system that cannot flush says EINVAL; that is not the report's failure.
int flush(int descriptor) {
  if (::fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS) return 0;
  return errno;
}

/// Opens, writes, flushes and closes; with O_NONBLOCK only the opening does not wait. 0, or the
/// error number.
int write_to(const std::string& path, int flags, std::string_view text) {
  OpenFile file(::open(path.c_str(), flags | O_WRONLY | O_CLOEXEC, 0666));
  if (file.descriptor() < 0) return errno;
  if ((flags & O_NONBLOCK) != 0) ::fcntl(file.descriptor(), F_SETFL, O_WRONLY);
  if (const int number = write_all(file.descriptor(), text); number != 0) return number;
  if (const int number = flush(file.descriptor()); number != 0) return number;
  return file.close();
}

/// The file that a symbolic link leads to, so that the link itself stays.
std::string resolved(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  return real == nullptr ? path : std::string(real.get());
}

}  // namespace

Result<void> write_report(const std::string& path, std::string_view text) {
  struct stat status{};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return write_failure(path, EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    // A pipe that nobody reads is an error, not a wait without end.
    const int number = write_to(path, O_NONBLOCK, text);
    return number == 0 ? Result<void>() : write_failure(path, number);
  }
  const std::string target = exists ? resolved(path) : path;
  const std::string part = target + ".part";
  int number = write_to(part, O_CREAT | O_TRUNC | O_NOFOLLOW, text);
  if (number == 0 && ::rename(part.c_str(), target.c_str()) != 0) number = errno;
  if (number == 0) return {};
  ::unlink(part.c_str());
  return write_failure(path, number);
}

}  // namespace plumb::reports
