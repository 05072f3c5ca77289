// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/user_process.h"

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/kernel/owned_fd.h"

namespace plumb::engine {
namespace {

constexpr uid_t kSuperUser = 0;

bool become(std::int64_t uid) {
  const auto id = static_cast<uid_t>(uid);
  return ::setgroups(0, nullptr) == 0 && ::setgid(id) == 0 && ::setuid(id) == 0;
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

std::string read_all(int fd) {
  std::string text;
  std::array<char, 65'536> block;
  while (true) {
    const ssize_t count = ::read(fd, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(block.data(), static_cast<std::size_t>(count));
  }
}

[[noreturn]] void run_child(int fd, std::int64_t uid, const std::function<std::string()>& work) {
  const bool is_done = become(uid) && write_all(fd, work());
  ::_exit(is_done ? 0 : 1);
}

}  // namespace

bool may_run_as(std::int64_t uid) {
  return uid >= 0 && (::geteuid() == kSuperUser || ::geteuid() == static_cast<uid_t>(uid));
}

Result<std::string> run_as(std::int64_t uid, const std::function<std::string()>& work) {
  if (!may_run_as(uid)) {
    return fail(ErrorCode::permission, "cannot run as user " + std::to_string(uid));
  }
  if (::geteuid() == static_cast<uid_t>(uid)) return work();
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail(ErrorCode::io, "cannot make a pipe");
  const OwnedFd reading(ends[0]);
  OwnedFd writing(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) return fail(ErrorCode::io, "cannot make a child process");
  if (child == 0) run_child(writing.get(), uid, work);
  writing = OwnedFd();
  std::string text = read_all(reading.get());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return fail(ErrorCode::io, "the process of user " + std::to_string(uid) + " did not end well");
  }
  return text;
}

}  // namespace plumb::engine
