// SPDX-License-Identifier: Apache-2.0
// A text of 10 MB whose lines are all different, edits spread over it, plain file access, and the
// file tools on real files.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/kernel/real_files.h"
#include "engine/kernel/sim_loop.h"
#include "engine/tools/builtin/edit.h"
#include "engine/tools/builtin/edit_planner.h"
#include "engine/tools/builtin/read.h"
#include "engine/tools/policies.h"

namespace plumb::engine {

inline constexpr std::int64_t kLargeLines = 200'000;

inline std::string large_line(std::int64_t number) {
  std::string line = "value_" + std::to_string(number) + " = ";
  line.resize(49, 'x');
  return line;
}

inline const std::string& large_text() {
  static const std::string kText = [] {
    std::string text;
    for (std::int64_t i = 0; i < kLargeLines; ++i) text += large_line(i) + "\n";
    return text;
  }();
  return kText;
}

inline std::vector<TextEdit> spread_edits(std::int64_t count) {
  std::vector<TextEdit> edits;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto number = (2 * i + 1) * kLargeLines / (2 * count);
    edits.push_back({large_line(number), "changed " + std::to_string(number)});
  }
  return edits;
}

inline std::string read_whole(const std::string& path) {
  std::string text;
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return text;
  std::fseek(file, 0, SEEK_END);
  text.resize(static_cast<std::size_t>(std::ftell(file)));
  std::fseek(file, 0, SEEK_SET);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

inline void write_whole(const std::string& path, const std::string& text) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return;
  std::fwrite(text.data(), 1, text.size(), file);
  std::fclose(file);
}

/// A temporary file with the large text, removed with the object.
class LargeFile final {
 public:
  LargeFile() {
    const int id = ::mkstemp(path_.data());
    std::FILE* const file = id < 0 ? nullptr : ::fdopen(id, "wb");
    if (file != nullptr) std::fclose(file);
    write_whole(path_, large_text());
  }
  LargeFile(const LargeFile&) = delete;
  LargeFile& operator=(const LargeFile&) = delete;
  ~LargeFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/plumb-bench-XXXXXX";
};

/// The product's file tools with their defaults, on the machine's own files.
struct LocalTools {
  static Task<ToolResult> execute(ToolDefinition& tool, Json arguments) {
    auto params = std::make_shared<Json>(std::move(arguments));
    ToolCall call("c1", tool.name, std::move(params));
    ToolResult result = co_await tool.execute(std::move(call));
    co_return result;
  }
  ToolResult call(ToolDefinition& tool, const Json& arguments) {
    auto result = loop.run(execute(tool, arguments));
    PLUMB_ASSERT(result.has_value());
    return *std::move(result);
  }

  SimLoop loop;
  RealFiles files{loop};
  Trace trace;
  Recorder recorder{trace, [this] { return loop.now_ms(); }};
  Policies policies;
  MutationQueue queue{loop, files, recorder, policies};
  ToolDefinition read = read_tool({local_operations(files), "/", ""});
  ToolDefinition edit = edit_tool(EditOptions(local_operations(files), queue, policies));
};

}  // namespace plumb::engine
