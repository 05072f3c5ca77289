// SPDX-License-Identifier: Apache-2.0
// Extensions in TypeScript or JavaScript: a Node process hosts them, the engine sees the same API
// as of any other extension. All of a session share one process.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/extensions/extension_api.h"
#include "engine/extensions/hosted/node_host.h"
#include "engine/kernel/loop.h"
#include "engine/kernel/result.h"
#include "engine/trace/trace.h"

namespace plumb::engine {

/// Where Node and the host's script are. Empty: as this program was built or installed with it.
struct NodePlace {
  std::string program = "node";
  std::string script;
};

/// What the hosted extensions of one run share. `cwd` as the session names it.
struct HostedOptions {
  NodePlace node;
  NodeHostOptions host;
  /// Real folders of the process: its home, and one for temporary files.
  std::string home;
  std::string temporary;
  std::string working_folder;
  /// What the session's built-in tools are: extensions may build on them.
  std::vector<ToolDefinition> builtin_tools;
  /// Around every turn of the process; may be empty.
  std::function<void()> before_turn;
  std::function<void()> after_turn;
};

class HostServices;

/// Belongs to whoever runs the session and outlives it; `host` is set once the session exists,
/// before it starts. The loop's fibers must be gone before it goes. One loop.
class HostedWorld final {
 public:
  HostedWorld(Loop& loop, Recorder& recorder, HostedOptions options);
  HostedWorld(const HostedWorld&) = delete;
  HostedWorld& operator=(const HostedWorld&) = delete;
  ~HostedWorld();

  /// An extension to load; `path` names it in traces, `file` is where it really is.
  ExtensionSource extension(std::string path, std::string file);
  /// As ScriptWorld::host.
  void set_session(ExtensionHost& session);
  /// Whether native work was ever open in the process.
  bool has_been_live() const;

 private:
  struct Loaded {
    std::int64_t number = 0;
    std::string file;
    std::string path;
  };

  class Factory;
  Task<Result<void>> load(ExtensionApi* api, std::string file);
  /// Starts the process, or a new one in which everything is loaded again that was before.
  Result<void> ensure_running(const std::string& file);
  HostRequest load_request(std::int64_t number, const std::string& file,
                           const std::string& path) const;

  std::int64_t generation_ = 1;
  std::int64_t next_number_ = 1;
  std::vector<Loaded> loaded_;
  std::unique_ptr<HostServices> services_;
  NodeHost process_;
};

/// The process that NodeHost starts: a cleaned environment, a home of its own. Errors: not_found,
/// when there is no script, or what it loads extensions with is not installed.
Result<ProcessSpec> node_process(const HostedOptions& options);
/// What the process may use.
ChildLimits node_limits();

}  // namespace plumb::engine
