// SPDX-License-Identifier: Apache-2.0
// Where the host's script is and how its process is started.
#include "engine/extensions/hosted/hosted.h"
#include "engine/kernel/installed.h"

namespace plumb::engine {
namespace {

constexpr std::int64_t kHeapMegabytes = 512;
constexpr std::int64_t kCpuSeconds = 600;
constexpr std::int64_t kFileBytes = std::int64_t{1} << 30;
constexpr std::int64_t kOpenFiles = 1024;

std::string script_of(const NodePlace& place) {
  if (!place.script.empty()) return place.script;
  return installed_folder("hosted", PLUMB_HOSTED_FOLDER) + "/host.mjs";
}

}  // namespace

Result<ProcessSpec> node_process(const HostedOptions& options) {
  const std::string script = script_of(options.node);
  const auto program = find_program(options.node.program);
  if (!program) {
    return fail(ErrorCode::not_found, "TypeScript extensions need Node 18 or later: there is no '" +
                                          options.node.program + "' in PATH");
  }
  const std::string folder = script.substr(0, script.rfind('/'));
  if (!is_there(script)) {
    return fail(ErrorCode::not_found, "the host of TypeScript extensions is not at " + script);
  }
  for (const char* package : {"jiti", "typebox"}) {
    if (is_there(folder + "/node_modules/" + package + "/package.json")) continue;
    return fail(ErrorCode::not_found, std::string("the npm package ") + package +
                                          " is not installed for TypeScript extensions; run: " +
                                          "npm ci --ignore-scripts --prefix " + folder);
  }
  ProcessSpec spec;
  spec.argv = {*program, "--max-old-space-size=" + std::to_string(kHeapMegabytes), script};
  spec.cwd = options.working_folder;
  spec.inherits_environment = false;
  spec.environment = {{"HOME", options.home},  {"TMPDIR", options.temporary},
                      {"PATH", search_path()}, {"LANG", "C.UTF-8"},
                      {"TZ", "UTC"},           {"NO_COLOR", "1"}};
  return spec;
}

ChildLimits node_limits() {
  ChildLimits limits;
  limits.cpu_seconds = kCpuSeconds;
  limits.file_bytes = kFileBytes;
  limits.open_files = kOpenFiles;
  return limits;
}

}  // namespace plumb::engine
