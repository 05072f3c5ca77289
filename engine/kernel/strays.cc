// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/strays.h"

#include <algorithm>
#include <cctype>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>

#include <unistd.h>

namespace plumb::engine {
namespace {

/// Who starts processes faster than they are killed is not followed any further.
constexpr int kPassesMax = 50;

pid_t pid_of(const std::string& name) {
  const bool is_number = !name.empty() && name.size() < 10 &&
                         std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
  return is_number ? static_cast<pid_t>(std::stoi(name)) : 0;
}

bool has_entry(const std::filesystem::path& process, const std::string& entry) {
  std::ifstream stream(process / "environ", std::ios::binary);
  const std::string environment('\0' + std::string(std::istreambuf_iterator<char>(stream), {}));
  return environment.contains(entry);
}

/// Those not in `known`, which they are added to.
std::int64_t kill_new(const std::string& entry, std::set<pid_t>& known) {
  std::int64_t count = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator at("/proc", error), end; !error && at != end;
       at.increment(error)) {
    const pid_t pid = pid_of(at->path().filename().string());
    if (pid <= 0 || pid == ::getpid() || known.contains(pid)) continue;
    if (!has_entry(at->path(), entry)) continue;
    known.insert(pid);
    count += ::kill(pid, SIGKILL) == 0 ? 1 : 0;
  }
  return count;
}

}  // namespace

std::string fresh_mark() {
  std::string name;
  std::ifstream("/proc/sys/kernel/random/uuid") >> name;
  return name.empty() ? "" : "PLUMB_MARK=" + name;
}

std::int64_t kill_marked(std::string_view mark) {
  if (mark.empty()) return 0;
  const std::string entry = '\0' + std::string(mark) + '\0';
  std::set<pid_t> known;
  std::int64_t count = 0;
  for (int pass = 0; pass < kPassesMax; ++pass) {
    const auto killed = kill_new(entry, known);
    if (killed == 0) break;
    count += killed;
  }
  return count;
}

}  // namespace plumb::engine
