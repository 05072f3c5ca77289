// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/child_process.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace plumb::engine {
namespace {

struct Pipe {
  OwnedFd read_end;
  OwnedFd write_end;
};

/// Our end does not block; the child's does.
Result<Pipe> make_pipe() {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail(ErrorCode::io, "cannot make a pipe");
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return Pipe{OwnedFd(ends[0]), OwnedFd(ends[1])};
}

/// The child reads, we write without blocking.
Result<Pipe> make_open_input() {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail(ErrorCode::io, "cannot make a pipe");
  ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
  return Pipe{OwnedFd(ends[0]), OwnedFd(ends[1])};
}

/// Descriptors from here on are nobody's channel.
constexpr int kAboveChannels = 16;

/// The child's end moves out of the way of the numbers that channels have in the child.
Result<Pipe> make_channel(const ChildChannel& channel) {
  PLUMB_ASSERT(channel.number >= 3 && channel.number < kAboveChannels);
  PLUMB_TRY(Pipe pipe, channel.child_writes ? make_pipe() : make_open_input());
  OwnedFd& end = channel.child_writes ? pipe.write_end : pipe.read_end;
  end = OwnedFd(::fcntl(end.get(), F_DUPFD_CLOEXEC, kAboveChannels));
  if (!end.is_open()) return fail(ErrorCode::io, "cannot make a channel");
  return pipe;
}

/// A file in memory that holds the input: nobody has to feed it, and nobody can break a pipe on us.
Result<OwnedFd> make_input(const std::string& input) {
  if (input.empty()) return OwnedFd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  OwnedFd file(::memfd_create("input", MFD_CLOEXEC));
  std::size_t written = 0;
  while (file.is_open() && written < input.size()) {
    const ssize_t count = ::write(file.get(), input.data() + written, input.size() - written);
    if (count <= 0) return fail(ErrorCode::io, "cannot keep the input of a process");
    written += static_cast<std::size_t>(count);
  }
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

/// Whether the line `NAME=VALUE` sets one of the spec's variables, or one it takes away.
bool is_replaced(const ProcessSpec& spec, std::string_view line) {
  const auto name = line.substr(0, line.find('='));
  for (const auto& variable : spec.environment) {
    if (variable.first == name) return true;
  }
  return std::ranges::find(spec.removed_variables, name) != spec.removed_variables.end();
}

void add_to_path(std::vector<std::string>& lines, const std::string& folder) {
  if (folder.empty()) return;
  for (auto& line : lines) {
    if (line.starts_with("PATH=")) {
      line += ":" + folder;
      return;
    }
  }
  lines.push_back("PATH=" + folder);
}

std::vector<std::string> environment_of(const ProcessSpec& spec) {
  std::vector<std::string> lines;
  for (char** line = environ; spec.inherits_environment && *line != nullptr; ++line) {
    if (!is_replaced(spec, *line)) lines.emplace_back(*line);
  }
  for (const auto& [name, value] : spec.environment) lines.push_back(name + "=" + value);
  add_to_path(lines, spec.path_folder);
  return lines;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// What posix_spawn is told about descriptors, the working directory, the group and signals.
class SpawnSettings {
 public:
  SpawnSettings() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  void set_streams(int in, int out, int err) {
    ::posix_spawn_file_actions_adddup2(&actions_, in, 0);
    ::posix_spawn_file_actions_adddup2(&actions_, out, 1);
    ::posix_spawn_file_actions_adddup2(&actions_, err, 2);
  }
  /// `end` lies above every number that a channel may have (make_channel).
  void set_channel(int end, int number) {
    ::posix_spawn_file_actions_adddup2(&actions_, end, number);
    first_unused_ = std::max(first_unused_, number + 1);
  }
  void close_others() { ::posix_spawn_file_actions_addclosefrom_np(&actions_, first_unused_); }
  void set_directory(const std::string& cwd) {
    if (!cwd.empty()) ::posix_spawn_file_actions_addchdir_np(&actions_, cwd.c_str());
  }
  void set_group_and_signals() {
    sigset_t none;
    sigset_t defaults;
    ::sigemptyset(&none);
    ::sigemptyset(&defaults);
    for (const int number : {SIGPIPE, SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGXFSZ})
      ::sigaddset(&defaults, number);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &defaults);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  int spawn(pid_t& pid, std::vector<std::string>& words, std::vector<std::string>& environment) {
    const auto argv = pointers_to(words);
    const auto envp = pointers_to(environment);
    return ::posix_spawnp(&pid, argv[0], &actions_, &attributes_, argv.data(), envp.data());
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
  int first_unused_ = 3;
};

Error start_error(int number, const std::string& program) {
  ErrorCode code = ErrorCode::io;
  if (number == ENOENT) code = ErrorCode::not_found;
  if (number == EACCES) code = ErrorCode::permission;
  return Error{code, "cannot start '" + program + "': " + std::strerror(number), ""};
}

/// Whether /proc/ENTRY is a process of `group` that is not yet dead. Its stat line: pid (name)
/// state parent group ...; the name may hold anything.
bool runs_in_group(const char* entry, pid_t group) {
  if (entry[0] < '0' || entry[0] > '9') return false;
  const OwnedFd file(::open(("/proc/" + std::string(entry) + "/stat").c_str(), O_RDONLY));
  char line[512] = {};
  if (!file.is_open() || ::read(file.get(), line, sizeof line - 1) <= 0) return false;
  const char* const after_name = std::strrchr(line, ')');
  char state = 0;
  int parent = 0;
  int its_group = 0;
  // NOLINTNEXTLINE(bugprone-unchecked-string-to-number-conversion): the kernel wrote the line.
  if (after_name == nullptr ||
      std::sscanf(after_name, ") %c %d %d", &state, &parent, &its_group) < 3)
    return false;
  return its_group == group && state != 'Z' && state != 'X';
}

std::int64_t count_running(pid_t group) {
  DIR* const processes = ::opendir("/proc");
  if (processes == nullptr) return 0;
  std::int64_t count = 0;
  while (const dirent* const entry = ::readdir(processes)) {
    if (runs_in_group(entry->d_name, group)) ++count;
  }
  ::closedir(processes);
  return count;
}

Result<void> check_directory(const std::string& cwd) {
  struct stat found = {};
  if (cwd.empty() || (::stat(cwd.c_str(), &found) == 0 && S_ISDIR(found.st_mode))) return {};
  return fail(ErrorCode::not_found, "working directory does not exist: " + cwd);
}

}  // namespace

OwnedFd& OwnedFd::operator=(OwnedFd&& other) noexcept {
  if (this == &other) return *this;
  close();
  fd_ = std::exchange(other.fd_, -1);
  return *this;
}

void OwnedFd::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      end_fd_(std::move(other.end_fd_)),
      out_fd_(std::move(other.out_fd_)),
      err_fd_(std::move(other.err_fd_)),
      in_fd_(std::move(other.in_fd_)),
      channels_(std::move(other.channels_)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  if (this == &other) return *this;
  end();
  pid_ = std::exchange(other.pid_, -1);
  end_fd_ = std::move(other.end_fd_);
  out_fd_ = std::move(other.out_fd_);
  err_fd_ = std::move(other.err_fd_);
  in_fd_ = std::move(other.in_fd_);
  channels_ = std::move(other.channels_);
  return *this;
}

namespace {

/// The system's own shell; where it is elsewhere, the first in PATH. Its messages begin with this.
const char* shell_path() {
  constexpr const char* kSystemShell = "/bin/bash";
  return ::access(kSystemShell, X_OK) == 0 ? kSystemShell : "bash";
}

Result<Pipe> input_of(const ProcessSpec& spec, ChildInput input) {
  if (input == ChildInput::open) return make_open_input();
  PLUMB_TRY(auto file, make_input(spec.input));
  return Pipe{std::move(file), OwnedFd()};
}

}  // namespace

namespace {

Result<std::vector<Pipe>> make_channels(std::span<const ChildChannel> channels) {
  std::vector<Pipe> pipes;
  for (const ChildChannel& channel : channels) {
    PLUMB_TRY(Pipe pipe, make_channel(channel));
    pipes.push_back(std::move(pipe));
  }
  return pipes;
}

void lower(pid_t pid, __rlimit_resource what, std::int64_t most) {
  const rlimit limit{static_cast<rlim_t>(most), static_cast<rlim_t>(most)};
  ::prlimit(pid, what, &limit, nullptr);
}

}  // namespace

void ChildProcess::limit(const ChildLimits& limits) const {
  if (pid_ <= 0) return;
  lower(pid_, RLIMIT_CORE, 0);
  if (limits.cpu_seconds > 0) lower(pid_, RLIMIT_CPU, limits.cpu_seconds);
  if (limits.file_bytes > 0) lower(pid_, RLIMIT_FSIZE, limits.file_bytes);
  if (limits.open_files > 0) lower(pid_, RLIMIT_NOFILE, limits.open_files);
}

Result<ChildProcess> ChildProcess::start(const ProcessSpec& spec, ChildInput input,
                                         std::span<const ChildChannel> channels) {
  if (auto checked = check_directory(spec.cwd); !checked) {
    return std::unexpected(std::move(checked).error());
  }
  PLUMB_TRY(Pipe out, make_pipe());
  PLUMB_TRY(Pipe err, make_pipe());
  PLUMB_TRY(Pipe in, input_of(spec, input));
  PLUMB_TRY(std::vector<Pipe> pipes, make_channels(channels));
  std::vector<std::string> words = spec.argv;
  if (words.empty()) words = {shell_path(), "-c", spec.command};
  std::vector<std::string> environment = environment_of(spec);
  SpawnSettings settings;
  const OwnedFd& err_end = spec.merges_streams ? out.write_end : err.write_end;
  settings.set_streams(in.read_end.get(), out.write_end.get(), err_end.get());
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const auto& end = channels[i].child_writes ? pipes[i].write_end : pipes[i].read_end;
    settings.set_channel(end.get(), channels[i].number);
  }
  settings.close_others();
  settings.set_directory(spec.cwd);
  settings.set_group_and_signals();
  ChildProcess child;
  const int failure = settings.spawn(child.pid_, words, environment);
  if (failure != 0) {
    child.pid_ = -1;
    return std::unexpected(start_error(failure, words[0]));
  }
  child.end_fd_ = OwnedFd(static_cast<int>(::syscall(SYS_pidfd_open, child.pid_, 0)));
  if (!child.end_fd_.is_open()) return fail(ErrorCode::io, "cannot watch a process");
  child.out_fd_ = std::move(out.read_end);
  child.err_fd_ = std::move(err.read_end);
  child.in_fd_ = std::move(in.write_end);
  for (std::size_t i = 0; i < channels.size(); ++i) {
    auto& ours = channels[i].child_writes ? pipes[i].read_end : pipes[i].write_end;
    child.channels_.push_back(std::move(ours));
  }
  return child;
}

void ChildProcess::kill_group() const {
  if (pid_ > 0) ::kill(-pid_, SIGKILL);
}

void ChildProcess::interrupt_group() const {
  if (pid_ > 0) ::kill(-pid_, SIGINT);
}

void ChildProcess::kill_leader() const {
  if (pid_ > 0) ::kill(pid_, SIGKILL);
}

ProcessExit ChildProcess::peek() const {
  siginfo_t info = {};
  while (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  ProcessExit exit;
  if (info.si_code == CLD_EXITED) {
    exit.exit_code = info.si_status;
  } else {
    exit.end = ProcessEnd::signaled;
    exit.signal_number = info.si_status;
  }
  return exit;
}

ProcessExit ChildProcess::wait() {
  const ProcessExit exit = peek();
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return exit;
}

std::int64_t ChildProcess::running_in_group() const {
  return count_running(pid_);
}

void ChildProcess::end() {
  if (pid_ <= 0) return;
  kill_group();
  wait();
}

}  // namespace plumb::engine
