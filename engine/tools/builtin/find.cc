// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/find.h"

#include <memory>
#include <utility>

#include "engine/tools/builtin/folder_walk.h"
#include "engine/tools/builtin/glob.h"
#include "engine/tools/builtin/path_rules.h"
#include "engine/tools/builtin/search_call.h"
#include "engine/tools/builtin/shown_list.h"
#include "engine/tools/builtin/text_decoding.h"
#include "engine/tools/builtin/tool_arguments.h"

namespace plumb::engine {
namespace {

const char* const kFindSchema = R"({
  "type": "object",
  "properties": {
    "pattern": {
      "type": "string",
      "description": "Glob relative to path: *.ts for names at any depth, src/**/*.ts for paths"
    },
    "path": {"type": "string", "description": "Folder to search; the working folder if absent"},
    "limit": {"type": "number", "description": "Most paths to show; 1000 if absent"}
  },
  "required": ["pattern"]
})";

/// Finds names at any depth, or paths from the searched folder on (FIND-02).
struct FindPattern {
  FindPattern() = default;
  Glob glob;
  bool is_of_paths = false;
  bool is_absolute = false;
  bool is_all = false;

  bool matches(const std::string& root, const std::string& path) const {
    if (is_all) return true;
    if (is_absolute) return glob.matches(root == "/" ? "/" + path : root + "/" + path);
    return glob.matches(is_of_paths ? path : path.substr(path.rfind('/') + 1));
  }
};

Result<FindPattern> read_pattern(std::string text) {
  while (text.starts_with("./")) text.erase(0, 2);
  FindPattern pattern;
  pattern.is_all = text.empty();
  pattern.is_of_paths = text.contains('/');
  pattern.is_absolute = text.starts_with('/');
  GlobOptions options;
  options.ignores_case = !has_upper_case(text);
  PLUMB_TRY(pattern.glob, Glob::compile(text, options));
  return pattern;
}

struct FoundPaths {
  ShownList list;
  std::int64_t limit = kFindResultsDefault;
  std::int64_t count = 0;
  bool has_more = false;

  /// False when nothing more is to be shown.
  bool add(const std::string& path) {
    has_more = count == limit;
    if (has_more) return false;
    ++count;
    list.add(decode_text(path));
    return true;
  }
  ToolResult result() {
    if (has_more) {
      list.add_limit_notice(limit, "results");
      list.set_detail("resultLimitReached", limit);
    }
    return list.result("No files found matching pattern");
  }
};

/// A path that a host gave, relative to the searched folder.
std::string below_folder(const std::string& path, const std::string& folder) {
  if (!path.starts_with('/')) return path;
  const std::string prefix = folder == "/" ? folder : folder + "/";
  return path.starts_with(prefix) ? path.substr(prefix.size()) : path;
}

Task<ToolResult> find_by_host(std::shared_ptr<const FindOperations> host, std::string folder,
                              std::string pattern, std::int64_t limit) {
  const bool is_there = co_await host->exists(folder);
  if (!is_there) co_return failed_result("there is nothing at " + folder, "not_found");
  HostGlobRequest request;
  request.pattern = std::move(pattern);
  request.folder = folder;
  request.ignore = {"**/node_modules/**", "**/.git/**"};
  request.limit = limit + 1;
  const auto paths = co_await host->glob(std::move(request));
  if (!paths) co_return file_failure("search", folder, paths.error());
  FoundPaths found;
  found.limit = limit;
  for (const auto& path : *paths) {
    const bool goes_on = found.add(below_folder(path, folder));
    if (!goes_on) break;
  }
  co_return found.result();
}

Task<ToolResult> find_in_folder(std::shared_ptr<const SearchOptions> options, WalkOptions walking,
                                FindPattern pattern, std::int64_t limit) {
  const std::string root = walking.root;
  FolderWalk walk(options->files, std::move(walking));
  const auto begun = co_await walk.begin();
  if (!begun) co_return file_failure("search", root, begun.error());
  FoundPaths found;
  found.limit = limit;
  for (bool goes_on = true; goes_on;) {
    const auto entry = co_await walk.next();
    if (!entry) break;
    if (!pattern.matches(root, entry->path)) continue;
    const bool is_folder = entry->stat.kind == FileKind::directory;
    goes_on = found.add(is_folder ? entry->path + "/" : entry->path);
  }
  if (auto notice = walk.unreadable_notice(); !notice.empty()) {
    found.list.add_notice(std::move(notice));
  }
  co_return found.result();
}

Task<ToolResult> find(std::shared_ptr<const SearchOptions> options,
                      std::shared_ptr<const FindOperations> host, ToolCall call,
                      std::string argument) {
  const auto text = string_argument(*call.params, "pattern");
  if (!text) co_return argument_failure(text.error());
  const std::int64_t limit = list_limit(*call.params, kFindResultsDefault);
  WalkOptions walking;
  walking.outermost = working_folder(call, options->cwd);
  walking.root = resolve_tool_path(argument, walking.outermost, options->home);
  walking.own_file = ".fdignore";
  if (host != nullptr) {
    ToolResult found = co_await find_by_host(host, walking.root, *text, limit);
    co_return found;
  }
  const auto stat = co_await options->files.stat(walking.root);
  if (!stat || stat->kind != FileKind::directory) {
    co_return failed_result("there is no folder at " + walking.root);
  }
  auto pattern = read_pattern(*text);
  if (!pattern) co_return failed_result(pattern.error().message, "bad_pattern");
  ToolResult found =
      co_await find_in_folder(options, std::move(walking), *std::move(pattern), limit);
  co_return found;
}

}  // namespace

ToolDefinition find_tool(SearchOptions options, std::optional<FindOperations> operations) {
  ToolDefinition tool;
  tool.name = "find";
  tool.label = "find";
  tool.description =
      "Find files and folders by a glob. Use it when you know a part of a name. Leaves out what "
      ".gitignore names. Shows up to 1000 paths or 50KB, whichever comes first, and says when "
      "there are more. Changes nothing. Returns one path per line, relative to the searched "
      "folder, folders with a / at the end.";
  tool.prompt_snippet = "find: list files and folders by a glob";
  tool.parameters = SharedJson(parse_json(kFindSchema).value());
  const auto shared = std::make_shared<const SearchOptions>(std::move(options));
  std::shared_ptr<const FindOperations> host;
  if (operations) host = std::make_shared<const FindOperations>(*std::move(operations));
  tool.execute = [shared, host](ToolCall call) {
    return until_aborted(std::move(call), [shared, host](ToolCall running, std::string path) {
      return find(shared, host, std::move(running), std::move(path));
    });
  };
  return tool;
}

}  // namespace plumb::engine
