// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/grep.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/kernel/fiber.h"
#include "engine/tools/builtin/folder_walk.h"
#include "engine/tools/builtin/grep_scan.h"
#include "engine/tools/builtin/path_rules.h"
#include "engine/tools/builtin/search_call.h"
#include "engine/tools/builtin/shown_list.h"
#include "engine/tools/builtin/text_decoding.h"
#include "engine/tools/builtin/tool_arguments.h"
#include "engine/tools/builtin/truncation.h"

namespace plumb::engine {
namespace {

const char* const kGrepSchema = R"({
  "type": "object",
  "properties": {
    "pattern": {"type": "string", "description": "Regular expression, or text with literal"},
    "path": {
      "type": "string", "description": "Folder or file to search; the working folder if absent"
    },
    "glob": {
      "type": "string",
      "description": "Only files like this, relative to path: *.ts at any depth, src/**/*.ts, !*.js"
    },
    "ignoreCase": {"type": "boolean", "description": "Letters match in either case; else as is"},
    "literal": {"type": "boolean", "description": "The pattern is plain text; else it is not"},
    "context": {"type": "number", "description": "Lines to show before and after each match"},
    "limit": {"type": "number", "description": "Most matches to show; 100 if absent"}
  },
  "required": ["pattern"]
})";

/// Between two stops in a large file, at which an abort is seen.
constexpr std::int64_t kScanBytes = 1 << 20;

/// What a call asks for.
struct GrepRequest {
  explicit GrepRequest(LinePattern compiled) : pattern(std::move(compiled)) {}
  LinePattern pattern;
  std::optional<IgnoreLine> glob;
  GrepLimits limits;
  std::string path;  ///< Absolute.
  std::string cwd;
};

bool flag_argument(const Json& params, const char* key) {
  return params.is_object() && params.value(key, Json(false)) == Json(true);
}

/// A glob is read like a line of an ignore file that chooses (GREP-08).
Result<std::optional<IgnoreLine>> read_glob(std::string glob) {
  const std::size_t begin = glob.starts_with('!') ? 1 : 0;
  while (glob.compare(begin, 2, "./") == 0) glob.erase(begin, 2);
  return read_ignore_line(glob, GlobOptions());
}

Result<GrepRequest> read_request(const SearchOptions& options, const ToolCall& call) {
  const Json& params = *call.params;
  PLUMB_TRY(const auto source, string_argument(params, "pattern"));
  LinePatternOptions kind;
  kind.is_literal = flag_argument(params, "literal");
  kind.ignores_case = flag_argument(params, "ignoreCase");
  PLUMB_TRY(auto pattern, LinePattern::compile(source, kind));
  GrepRequest request(std::move(pattern));
  if (const auto glob = string_argument(params, "glob")) {
    PLUMB_TRY(request.glob, read_glob(*glob));
  }
  request.limits.matches = list_limit(params, kGrepMatchesDefault);
  request.limits.context =
      std::clamp<std::int64_t>(whole_argument(params, "context").value_or(0), 0, kListedMax);
  request.cwd = working_folder(call, options.cwd);
  return request;
}

/// A glob that chooses a file chooses it from the ignored ones, too.
WalkChoice choice_of(const IgnoreLine& glob, const std::string& path, bool is_folder) {
  const bool is_match = glob.matches(path, is_folder);
  if (glob.is_wish) return is_match ? WalkChoice::leave : WalkChoice::ask_ignore_files;
  if (is_match) return WalkChoice::take;
  return is_folder ? WalkChoice::ask_ignore_files : WalkChoice::leave;
}

class GrepSearch final {
 public:
  GrepSearch(const SearchOptions& options, GrepRequest request)
      : options_(options),
        request_(std::move(request)),
        scan_(request_.pattern, request_.limits, list_) {}

  Task<Result<void>> search_file(std::string path, std::string shown_path, bool is_chosen) {
    auto bytes = co_await options_.files.read(std::move(path));
    if (!bytes) co_return std::unexpected(bytes.error());
    const std::string text = searched_text(*std::move(bytes));
    scan_.begin_file(decode_text(std::move(shown_path)),
                     is_chosen ? std::string_view(text) : searched_part(text));
    Result<bool> goes_on = scan_.scan(kScanBytes);
    while (goes_on && *goes_on) {
      const Fiber& fiber = co_await current_fiber();
      co_await fiber.loop->yield();
      goes_on = scan_.scan(kScanBytes);
    }
    if (goes_on) co_return Result<void>();
    failure_ = goes_on.error();
    co_return Result<void>();
  }

  Task<Result<void>> search_folder() {
    WalkOptions walking;
    walking.root = request_.path;
    walking.outermost = request_.cwd;
    walking.own_file = ".rgignore";
    walking.needs_repository = true;
    if (request_.glob) {
      walking.choose = [this](const std::string& path, bool is_folder) {
        return choice_of(*request_.glob, path, is_folder);
      };
    }
    FolderWalk walk(options_.files, std::move(walking));
    const auto begun = co_await walk.begin();
    if (!begun) co_return begun;
    while (!scan_.is_done() && !failure_) {
      const auto entry = co_await walk.next();
      if (!entry) break;
      if (entry->stat.kind != FileKind::file) continue;
      if (entry->stat.size > options_.file_bytes_max) {
        ++too_large_count_;
        continue;
      }
      std::string path = normal_path(request_.path + "/" + entry->path);
      const auto searched = co_await search_file(std::move(path), entry->path, false);
      if (!searched) walk.add_unreadable(entry->path);
    }
    unreadable_ = walk.unreadable_notice();
    co_return Result<void>();
  }

  ToolResult result() {
    if (failure_) return failed_result(failure_->message);
    if (scan_.has_more()) {
      list_.add_limit_notice(request_.limits.matches, "matches");
      list_.set_detail("matchLimitReached", request_.limits.matches);
    }
    if (scan_.has_cut_lines()) {
      list_.add_notice("Some lines are cut at 500 characters. Use read to see them whole");
      list_.set_detail("linesTruncated", true);
    }
    if (too_large_count_ > 0) {
      list_.add_notice(std::to_string(too_large_count_) + " files above " +
                       format_size(options_.file_bytes_max) + " were not searched");
    }
    if (!unreadable_.empty()) list_.add_notice(unreadable_);
    return list_.result("No matches found");
  }

 private:
  const SearchOptions& options_;
  GrepRequest request_;
  ShownList list_;
  GrepScan scan_;
  std::optional<Error> failure_;
  std::int64_t too_large_count_ = 0;
  std::string unreadable_;
};

Task<ToolResult> search(std::shared_ptr<const SearchOptions> options, ToolCall call,
                        std::string argument) {
  const auto cwd = working_folder(call, options->cwd);
  const std::string path = resolve_tool_path(argument, cwd, options->home);
  const auto stat = co_await options->files.stat(path);
  if (!stat) co_return missing_path_failure("search", path, stat.error());
  auto request = read_request(*options, call);
  if (!request) {
    const bool is_bad = request.error().code == ErrorCode::rejected;
    co_return failed_result(request.error().message, is_bad ? "bad_pattern" : "invalid_args");
  }
  request->path = path;
  GrepSearch running(*options, *std::move(request));
  Result<void> done;
  if (stat->kind == FileKind::directory) {
    done = co_await running.search_folder();
  } else {
    done = co_await running.search_file(path, path.substr(path.rfind('/') + 1), true);
  }
  if (!done) co_return file_failure("search", path, done.error());
  co_return running.result();
}

}  // namespace

ToolDefinition grep_tool(SearchOptions options) {
  ToolDefinition tool;
  tool.name = "grep";
  tool.label = "grep";
  tool.description =
      "Search the contents of files by a regular expression or plain text. Use it to find where "
      "something is written. Leaves out what .gitignore names in a git repository. Shows up to 100 "
      "matches or 50KB, whichever comes first, and says when there are more. Changes nothing. "
      "Returns lines as path:line: text, with context as path-line- text.";
  tool.prompt_snippet = "grep: find lines in files by a pattern";
  tool.parameters = SharedJson(parse_json(kGrepSchema).value());
  const auto shared = std::make_shared<const SearchOptions>(std::move(options));
  tool.execute = [shared](ToolCall call) {
    return until_aborted(std::move(call), [shared](ToolCall running, std::string path) {
      return search(shared, std::move(running), std::move(path));
    });
  };
  return tool;
}

}  // namespace plumb::engine
