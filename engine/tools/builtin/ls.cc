// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/ls.h"

#include <memory>
#include <string>
#include <utility>

#include "engine/tools/builtin/name_order.h"
#include "engine/tools/builtin/path_rules.h"
#include "engine/tools/builtin/search_call.h"
#include "engine/tools/builtin/shown_list.h"
#include "engine/tools/builtin/text_decoding.h"
#include "engine/tools/builtin/tool_arguments.h"

namespace plumb::engine {
namespace {

const char* const kListSchema = R"({
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "Folder to list; the working folder if absent"},
    "limit": {"type": "number", "description": "Most entries to show; 500 if absent"}
  }
})";

/// Entries that cannot be looked at are no entries (LS-02).
Task<ToolResult> list_folder(std::shared_ptr<const SearchOptions> options, std::string folder,
                             std::int64_t limit) {
  auto names = co_await options->files.list(folder);
  if (!names) co_return file_failure("list", folder, names.error());
  ShownList list;
  std::int64_t count = 0;
  const auto ordered = in_name_order(*std::move(names));
  for (const auto& name : ordered) {
    const auto stat = co_await options->files.stat(normal_path(folder + "/" + name));
    if (!stat) continue;
    if (count == limit) {
      list.add_limit_notice(limit, "entries");
      list.set_detail("entryLimitReached", limit);
      break;
    }
    ++count;
    list.add(decode_text(stat->kind == FileKind::directory ? name + "/" : name));
  }
  co_return list.result("(empty directory)");
}

Task<ToolResult> list(std::shared_ptr<const SearchOptions> options, ToolCall call,
                      std::string argument) {
  const auto cwd = working_folder(call, options->cwd);
  const std::string folder = resolve_tool_path(argument, cwd, options->home);
  const auto stat = co_await options->files.stat(folder);
  if (!stat) co_return missing_path_failure("list", folder, stat.error());
  if (stat->kind != FileKind::directory) {
    co_return failed_result(folder + " is not a directory");
  }
  const std::int64_t limit = list_limit(*call.params, kListEntriesDefault);
  ToolResult listed = co_await list_folder(options, folder, limit);
  co_return listed;
}

}  // namespace

ToolDefinition ls_tool(SearchOptions options) {
  ToolDefinition tool;
  tool.name = "ls";
  tool.label = "ls";
  tool.description =
      "List a folder. Use it to see what is in one folder; to search in many use find. Shows up to "
      "500 entries or 50KB, whichever comes first, and says when there are more. Changes nothing. "
      "Returns one name per line without regard to case, hidden ones too, folders with a / at the "
      "end.";
  tool.prompt_snippet = "ls: list what is in a folder";
  tool.parameters = SharedJson(parse_json(kListSchema).value());
  const auto shared = std::make_shared<const SearchOptions>(std::move(options));
  tool.execute = [shared](ToolCall call) {
    return until_aborted(std::move(call), [shared](ToolCall running, std::string path) {
      return list(shared, std::move(running), std::move(path));
    });
  };
  return tool;
}

}  // namespace plumb::engine
