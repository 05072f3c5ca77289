// SPDX-License-Identifier: Apache-2.0
// A file and edits, divided by NUL bytes: a plan that is accepted found each oldText exactly once,
// hits not overlapping (EDIT-10), changed something, and changed the length by what the edits say.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tools/builtin/edit_planner.h"

namespace {

std::vector<std::string> pieces_of(std::string_view input) {
  std::vector<std::string> pieces;
  for (std::size_t begin = 0; begin <= input.size();) {
    const auto end = std::min(input.find('\0', begin), input.size());
    pieces.emplace_back(input.substr(begin, end - begin));
    begin = end + 1;
  }
  return pieces;
}

/// CRLF and CR as LF, as the planner reads both the file and the edits.
std::string in_line_feeds(std::string_view text) {
  std::string unified;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_pair = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    if (!is_pair) unified += text[i] == '\r' ? '\n' : text[i];
  }
  return unified;
}

void check(const plumb::engine::EditPlan& plan, const std::vector<plumb::engine::TextEdit>& edits) {
  auto length = static_cast<std::int64_t>(plan.before.size());
  for (const auto& edit : edits) {
    const std::string needle = in_line_feeds(edit.old_text);
    const auto first = plan.before.find(needle);
    if (first == std::string::npos) std::abort();
    if (plan.before.find(needle, first + needle.size()) != std::string::npos) std::abort();
    length += std::ssize(in_line_feeds(edit.new_text)) - std::ssize(needle);
  }
  if (length != std::ssize(plan.after) || plan.before == plan.after) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto pieces = pieces_of({reinterpret_cast<const char*>(data), size});
  std::vector<plumb::engine::TextEdit> edits;
  for (std::size_t i = 1; i + 1 < pieces.size(); i += 2)
    edits.push_back({pieces[i], pieces[i + 1]});
  if (edits.empty()) return 0;
  const auto plan = plumb::engine::plan_edits(pieces.front(), edits);
  if (plan.problem == plumb::engine::EditProblem::none) check(plan, edits);
  return 0;
}
