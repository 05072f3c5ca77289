// SPDX-License-Identifier: Apache-2.0
// Runs the program from a shell, as its users do.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "engine/kernel/abort_signal.h"
#include "engine/kernel/real_loop.h"
#include "engine/kernel/real_processes.h"
#include "engine/kernel/task.h"

namespace plumb::simulator {

inline constexpr const char* kOneScenario = "scenarios/edit/EDIT-43-the-model-sees-no-diff.yaml";

struct Ran {
  std::int64_t code = -1;
  std::string out;
  std::string err;
};

/// Runs a shell line in which `plumb` is the program under test.
inline Ran shell(const std::string& line) {
  engine::RealLoop loop;
  engine::RealProcesses processes(loop);
  engine::CollectingSink sink;
  engine::ProcessSpec spec;
  spec.command = "plumb() { \"" PLUMB_PROGRAM "\" \"$@\"; }\n" + line;
  spec.timeout_ms = 300'000;
  const auto exit = loop.run(processes.run(std::move(spec), sink, engine::AbortSignal()));
  EXPECT_TRUE(exit) << exit.error().message;
  return {exit ? exit->exit_code : -1, sink.out, sink.err};
}

inline std::string slurp(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// A folder of the test's own, removed when the test ends.
class Scratch {
 public:
  Scratch() : path_(testing::TempDir() + "plumb-cli-" + std::to_string(::getpid())) {
    std::filesystem::create_directories(path_);
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// How each line of arguments ends: "CODE, ERRORS errors, LAST LINE". One shell for all.
inline std::vector<std::string> endings(const std::vector<std::string>& lines) {
  std::string script;
  for (const auto& line : lines) {
    script += "out=$(plumb " + line +
              " 2>err.$$); code=$?; echo \"$code, $(wc -l <err.$$) errors, " +
              "$(printf %s \"$out\" | tail -n 1)\"; rm -f err.$$\n";
  }
  std::vector<std::string> ends;
  std::istringstream out(shell(script).out);
  for (std::string line; std::getline(out, line);) ends.push_back(line);
  return ends;
}

}  // namespace plumb::simulator
