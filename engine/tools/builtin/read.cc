// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/read.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "engine/kernel/join.h"
#include "engine/kernel/shell_word.h"
#include "engine/tools/builtin/image_file.h"
#include "engine/tools/builtin/line_scan.h"
#include "engine/tools/builtin/path_rules.h"
#include "engine/tools/builtin/text_decoding.h"
#include "engine/tools/builtin/tool_arguments.h"
#include "engine/tools/builtin/truncation.h"

namespace plumb::engine {
namespace {

const char* const kReadSchema = R"({
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "File to read, relative or absolute"},
    "offset": {"type": "number", "description": "First line to show, counted from 1"},
    "limit": {"type": "number", "description": "Number of lines to show"}
  },
  "required": ["path"]
})";

/// The lines [first, end) of a file, counted from 1, and how many it has.
struct Selection {
  std::string_view text;
  std::int64_t first = 1;
  std::int64_t end = 1;
  std::int64_t total = 0;
};

/// Offsets below 1 mean the start (READ-14); a limit below 1 counts as 1, so that a hint always
/// makes progress (READ-15).
Selection select_lines(std::string_view text, const Json& params) {
  Selection selection;
  selection.first = std::max<std::int64_t>(whole_argument(params, "offset").value_or(1), 1);
  selection.text = skip_lines(text, selection.first - 1);
  // What was skipped is counted already.
  selection.total = selection.text.empty() ? count_lines(text)
                                           : selection.first - 1 + count_lines(selection.text);
  selection.end = std::max(selection.total + 1, selection.first);
  const auto limit = whole_argument(params, "limit");
  if (!limit) return selection;
  const std::int64_t shown = std::max<std::int64_t>(*limit, 1);
  if (shown >= selection.end - selection.first) return selection;
  selection.end = selection.first + shown;
  const auto rest = skip_lines(selection.text, shown);
  selection.text.remove_suffix(rest.size() + 1);
  return selection;
}

std::string offset_hint(std::int64_t offset) {
  return "Use offset=" + std::to_string(offset) + " to continue.";
}

/// A path as the model wrote it, and as a shell finds the file.
struct ShownPath {
  ShownPath(std::string as_written, const std::string& resolved)
      : written(std::move(as_written)),
        in_shell(is_plain_shell_word(written) ? written : shell_word(resolved)) {}
  std::string written;
  std::string in_shell;
};

/// READ-10, READ-12: a line that is never shown, and how to go on.
std::string long_line_notice(const Selection& selection, const std::string& path) {
  const std::string number = std::to_string(selection.first);
  const auto line = selection.text.substr(0, selection.text.find('\n'));
  std::string notice = "[Line " + number + " has " + format_size(std::ssize(line)) +
                       ", more than the cap of " + format_size(kShownBytesMax) +
                       ". View part of it in a shell: sed -n '" + number + "p' " + path +
                       " | head -c " + std::to_string(kShownBytesMax) + ".";
  if (selection.first < selection.total) {
    notice += " After it: " + offset_hint(selection.first + 1);
  }
  return notice + "]";
}

std::string cut_notice(const Selection& selection, const Truncation& truncation) {
  const std::int64_t last = selection.first + truncation.output_lines - 1;
  std::string notice = "\n\n[Lines " + std::to_string(selection.first) + "-" +
                       std::to_string(last) + " of " + std::to_string(selection.total);
  if (truncation.truncated_by == "bytes") {
    notice += ", cut at " + format_size(kShownBytesMax);
  }
  if (last == selection.total) return notice + "; only the final line break is not shown.]";
  return notice + ". " + offset_hint(last + 1) + "]";
}

ToolResult shown_text(const Selection& selection, const ShownPath& path) {
  const Truncation truncation = truncate_head(selection.text);
  std::string text = truncation.content;
  if (truncation.first_line_exceeds_limit) {
    text = long_line_notice(selection, path.in_shell);
  } else if (truncation.is_truncated) {
    text += cut_notice(selection, truncation);
  } else if (selection.end <= selection.total) {
    text += "\n\n[" + std::to_string(selection.total - selection.end + 1) +
            " more lines in file. " + offset_hint(selection.end) + "]";
  }
  ToolResult result = text_result(text);
  result.structured_content = SharedJson(Json(std::move(text)));
  if (truncation.is_truncated) {
    result.details = SharedJson(Json{{"truncation", to_json(truncation)}});
  }
  return result;
}

ToolResult text_file_result(std::string bytes, const Json& params, const ShownPath& path) {
  const std::string text = decode_text(std::move(bytes));
  const Selection selection = select_lines(text, params);
  if (selection.first > std::max<std::int64_t>(selection.total, 1)) {
    return failed_result("offset " + std::to_string(selection.first) + " is beyond the end of " +
                             path.written + ": it has " + std::to_string(selection.total) +
                             " lines",
                         "offset_beyond_end");
  }
  return shown_text(selection, path);
}

/// The bytes of a file, and the type of the picture that they are; "" for text.
struct FoundFile {
  FoundFile() = default;
  std::string bytes;
  std::string picture_type;
};

Task<Result<FoundFile>> fail_on_abort(AbortSignal signal) {
  co_await signal.wait();
  co_return fail(ErrorCode::aborted, std::string(kToolAborted));
}

/// All chunks of a stream.
Task<Result<std::string>> read_stream(std::shared_ptr<const ReadOptions> options,
                                      std::string path) {
  std::string bytes;
  const auto take = [&bytes](std::string_view chunk) { bytes += chunk; };
  const auto done = co_await options->operations.stream_file(std::move(path), take);
  if (!done) co_return std::unexpected(done.error());
  co_return bytes;
}

/// The spelling under which a missing path is there (READ-36); the path itself if there is none.
Task<std::string> other_spelling(std::shared_ptr<const ReadOptions> options, std::string path) {
  if (!options->operations.exists) co_return path;
  for (const auto& variant : path_variants(path)) {
    const bool is_there = co_await options->operations.exists(variant);
    if (is_there) co_return variant;
  }
  co_return path;
}

/// A picture is recognised by the host's own operation, or by the bytes of a local file (READ-19).
Task<Result<FoundFile>> read_found(std::shared_ptr<const ReadOptions> options, std::string path) {
  const FileOperations& operations = options->operations;
  FoundFile found;
  if (operations.picture_type) {
    auto type = co_await operations.picture_type(path);
    if (!type) co_return std::unexpected(type.error());
    found.picture_type = *std::move(type);
  }
  Result<std::string> bytes;
  if (operations.stream_file && found.picture_type.empty()) {
    bytes = co_await read_stream(options, std::move(path));
  } else {
    bytes = co_await operations.read_file(std::move(path));
  }
  if (!bytes) co_return std::unexpected(bytes.error());
  found.bytes = *std::move(bytes);
  if (operations.is_local) found.picture_type = image_type_of(found.bytes);
  co_return found;
}

Task<Result<FoundFile>> check_and_read(std::shared_ptr<const ReadOptions> options,
                                       std::string path) {
  auto readable = co_await options->operations.check_read(path);
  if (!readable && readable.error().code == ErrorCode::not_found) {
    std::string spelling = co_await other_spelling(options, path);
    if (spelling != path) {
      path = std::move(spelling);
      readable = co_await options->operations.check_read(path);
    }
  }
  if (!readable) co_return std::unexpected(readable.error());
  auto found = co_await read_found(options, std::move(path));
  co_return found;
}

/// The model's own limits count before the tool's (READ-23). Details name a model that cannot see
/// a picture that is shown (READ-24).
ToolResult picture_result(const FoundFile& found, const ReadOptions& options) {
  const CurrentModel model = options.model ? options.model() : CurrentModel();
  const PictureLimits limits = model.profile.pictures.value_or(options.pictures);
  ToolResult result = image_file_result(found.bytes, found.picture_type, limits);
  const bool is_left_out = result.content.size() < 2;
  if (!model.profile.takes_pictures && !is_left_out) {
    result.details = SharedJson(Json{{"imageUnsupportedByModel", model.name}});
  }
  return result;
}

/// An abort ends the wait at once; the operation may end later without effect (READ-33).
Task<ToolResult> run_read(std::shared_ptr<const ReadOptions> options, ToolCall call) {
  const auto path = string_argument(*call.params, "path");
  if (!path) co_return argument_failure(path.error());
  if (call.signal.aborted()) co_return aborted_failure();
  std::vector<Task<Result<FoundFile>>> contest;
  const std::string resolved =
      resolve_tool_path(*path, working_folder(call, options->cwd), options->home);
  contest.push_back(check_and_read(options, resolved));
  contest.push_back(fail_on_abort(call.signal));
  auto winner = co_await race(std::move(contest));
  if (call.signal.aborted()) co_return aborted_failure();
  if (!winner.value) co_return file_failure("read", *path, winner.value.error());
  FoundFile& found = *winner.value;
  if (!found.picture_type.empty()) co_return picture_result(found, *options);
  const ShownPath shown(*path, resolved);
  co_return text_file_result(std::move(found.bytes), *call.params, shown);
}

}  // namespace

ToolDefinition read_tool(ReadOptions options) {
  ToolDefinition tool;
  tool.name = "read";
  tool.label = "read";
  tool.description =
      "Read a file, as text or, for an image, as a picture. Use it before you change a file. Text "
      "is cut at 2000 lines or 50KB, whichever comes first; a cut output names the offset to go on "
      "with. Changes nothing. Returns the text as it is, without line numbers.";
  tool.prompt_snippet = "read: show a file, or a part of it by offset and limit";
  tool.parameters = SharedJson(parse_json(kReadSchema).value());
  const auto shared = std::make_shared<const ReadOptions>(std::move(options));
  tool.execute = [shared](ToolCall call) { return run_read(shared, std::move(call)); };
  return tool;
}

}  // namespace plumb::engine
