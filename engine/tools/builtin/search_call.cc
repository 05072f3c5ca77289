// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/search_call.h"

#include <utility>
#include <vector>

#include "engine/kernel/join.h"
#include "engine/tools/builtin/tool_arguments.h"

namespace plumb::engine {
namespace {

Task<ToolResult> failure_at_abort(AbortSignal signal) {
  co_await signal.wait();
  co_return aborted_failure();
}

}  // namespace

Task<ToolResult> until_aborted(ToolCall call, Search search) {
  if (call.signal.aborted()) co_return aborted_failure();
  std::string path = string_argument(*call.params, "path").value_or("");
  if (path.empty()) path = ".";
  const AbortSignal signal = call.signal;
  std::vector<Task<ToolResult>> contest;
  contest.push_back(search(std::move(call), std::move(path)));
  contest.push_back(failure_at_abort(signal));
  auto winner = co_await race(std::move(contest));
  if (signal.aborted()) co_return aborted_failure();
  co_return std::move(winner.value);
}

ToolResult missing_path_failure(std::string_view verb, const std::string& path,
                                const Error& error) {
  if (error.code == ErrorCode::not_found) {
    return failed_result("there is nothing at " + path + ": " + error.message, "not_found");
  }
  return file_failure(verb, path, error);
}

}  // namespace plumb::engine
