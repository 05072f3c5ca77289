// SPDX-License-Identifier: Apache-2.0
// Resources over files in memory for the tests, and extension code that is a tripwire: it notes
// whose factory ran.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/kernel/memory_files.h"
#include "engine/kernel/sim_loop.h"
#include "engine/session/resources/loader.h"
#include "engine/values/json_members.h"

namespace plumb::engine {

/// Extension files hold JSON: {tools?, commands?, flags?, fail?}. Inline ones are registered by
/// path. Notes each factory that runs.
class TripwireCode final : public ExtensionCode {
 public:
  explicit TripwireCode(Files& files) : files_(files) {}

  Task<Result<RegisteredNames>> load(SourceInfo source) override {
    ran.push_back(source.path);
    const auto text = co_await files_.read(source.path);
    const auto json = parse_json(text ? *text : inlined[source.path]);
    if (!json) co_return std::unexpected(json.error());
    if (json->contains("fail")) co_return fail(ErrorCode::rejected, text_at(*json, "fail"));
    RegisteredNames names;
    names.tools = json->value("tools", names.tools);
    names.commands = json->value("commands", names.commands);
    names.flags = json->value("flags", names.flags);
    co_return names;
  }
  void forget() override { ++forgotten; }

  std::vector<std::string> ran;
  std::map<std::string, std::string> inlined;
  int forgotten = 0;

 private:
  Files& files_;
};

struct ResourceWorld {
  ResourceWorld() {
    options.places.cwd = "/w";
    options.places.user_folder = "/user/.pi/agent";
    options.places.home = "/user";
    memory.put_directory("/w");
    memory.put_directory("/user");
  }

  void put(const std::string& path, std::string text = "{}") {
    memory.put_file(path, std::move(text));
  }
  void put_skill(const std::string& folder, const std::string& name) {
    put(folder + "/SKILL.md", "---\nname: " + name + "\ndescription: d\n---\nbody of " + name);
  }
  template <class T>
  AsResult<T> run(Task<T> task) {
    return loop.run(std::move(task));
  }
  LoadedResources load(bool is_trusted) {
    ResourceLoader loader(memory, code, options);
    return *run(loader.load(is_trusted));
  }

  SimLoop loop;
  MemoryFiles memory{loop};
  ResourceFiles files{memory};
  TripwireCode code{memory};
  LoaderOptions options;
};

inline std::vector<std::string> paths_of(const std::vector<LoadedExtension>& extensions) {
  std::vector<std::string> paths;
  for (const auto& extension : extensions) paths.push_back(extension.source.path);
  return paths;
}

}  // namespace plumb::engine
