// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/write.h"

#include <memory>
#include <utility>

#include "engine/tools/builtin/path_rules.h"
#include "engine/tools/builtin/tool_arguments.h"

namespace plumb::engine {
namespace {

const char* const kWriteSchema = R"({
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "File to write, relative or absolute"},
    "content": {"type": "string", "description": "The whole content of the file"}
  },
  "required": ["path", "content"]
})";

/// Inside the queue's turn (WRITE-02, WRITE-04).
Task<ToolResult> write_in_turn(std::shared_ptr<const WriteOptions> options, ToolCall call,
                               std::string path, std::string target) {
  const FileOperations& files = options->operations;
  auto content = string_argument(*call.params, "content");
  if (call.signal.aborted()) co_return aborted_failure();
  if (!content) co_return argument_failure(content.error());
  const auto made = co_await files.make_folders(parent_path(target));
  if (call.signal.aborted()) co_return aborted_failure();
  if (!made) co_return file_failure("write", path, made.error());
  const auto size = std::ssize(*content);
  const auto written = co_await files.write_file(std::move(target), *std::move(content));
  if (call.signal.aborted()) co_return aborted_failure();
  if (!written) co_return file_failure("write", path, written.error());
  co_return text_result("Wrote " + std::to_string(size) + " bytes to " + path);
}

Task<ToolResult> run_write(std::shared_ptr<const WriteOptions> options, ToolCall call) {
  auto path = string_argument(*call.params, "path");
  if (!path) co_return argument_failure(path.error());
  if (call.signal.aborted()) co_return aborted_failure();
  std::string target = resolve_tool_path(*path, working_folder(call, options->cwd), options->home);
  const auto turn = co_await options->queue.enter(target, call.signal);
  if (call.signal.aborted()) co_return aborted_failure();
  if (!turn) co_return file_failure("write", *path, turn.error());
  if (options->operations.is_local) target = turn->path();
  ToolResult result =
      co_await write_in_turn(options, std::move(call), *std::move(path), std::move(target));
  co_return result;
}

}  // namespace

ToolDefinition write_tool(WriteOptions options) {
  ToolDefinition tool;
  tool.name = "write";
  tool.label = "write";
  tool.description =
      "Write a whole file. Use it for new files or complete rewrites; for changes to a part use "
      "edit. It creates missing folders and replaces an existing file. Returns the number of bytes "
      "written.";
  tool.prompt_snippet = "write: create a file or replace it whole";
  tool.parameters = SharedJson(parse_json(kWriteSchema).value());
  const auto shared = std::make_shared<const WriteOptions>(std::move(options));
  tool.execute = [shared](ToolCall call) { return run_write(shared, std::move(call)); };
  return tool;
}

}  // namespace plumb::engine
