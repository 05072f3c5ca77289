// SPDX-License-Identifier: Apache-2.0
// What the write tool leaves and says; paths of edit; bytes that are no text.
#include <algorithm>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/edit_case.h"
#include "simulator/invariants/evidence.h"
#include "simulator/invariants/queue_view.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

using std::string_view_literals::operator""sv;

const Event* write_end(const Call& call) {
  return first(call, "tool_execution_end");
}

bool is_builtin_tool(const Call& call, const Story& story) {
  const Json* tool = tool_of(call, story);
  return tool == nullptr || view_at(*tool, "level") == "builtin";
}

const Json& content_of(const Call& call) {
  return at(begin_of(call)->args.get(), "content");
}

/// A write of text to the workspace that ran, cut short by nothing.
bool is_free_write(const Call& call, const Story& story) {
  if (call.name != "write"sv || !has_executed(call) || end_of(call) == nullptr) return false;
  // Files of the host's own are no workspace (WRITE-09).
  if (at(setting("operations", story), "write") == true) return false;
  // What stood in its way is not known.
  if (is_error(call) && !shows_kind(story, "file_op")) return false;
  return is_builtin_tool(call, story) && content_of(call).is_string() &&
         is_undisturbed(call, story) && has_own_result(call);
}

/// By the port, or by the argument where no port tells of files.
std::string file_written(const Call& call, const Story& story) {
  for (const Event* event : all(call, "file_op")) {
    const auto* operation = event->as<FileOperation>();
    if (operation->op != "write") continue;
    return operation->real_path.empty() ? operation->path : operation->real_path;
  }
  return shows_kind(story, "file_op") ? "" : linked_key(argument_path(call), story);
}

/// A call that may change a file, as far as its arguments tell.
bool may_change(const Call& call, const std::string& path, const Story& story) {
  if (call.name != "write"sv && call.name != "edit"sv) return true;
  return linked_key(argument_path(call), story) == path;
}

/// No other call touches the file after it.
bool is_last_write(const Call& call, const Story& story) {
  const auto path = file_written(call, story);
  const auto end = write_end(call)->seq;
  if (!shows_kind(story, "file_op")) {
    return std::ranges::none_of(story.calls, [&](const Call& other) {
      return &other != &call && has_executed(other) && may_change(other, path, story);
    });
  }
  return !path.empty() && std::ranges::none_of(story.file_operations, [&](const Event* event) {
    const auto* operation = event->as<FileOperation>();
    const bool writes = operation->op == "write" || operation->op == "append" ||
                        operation->op == "remove" || operation->op == "rename";
    return writes && event->call != call.id && event->seq > end && operation->real_path == path;
  });
}

bool is_free_last_write(const Call& call, const Story& story) {
  return is_free_write(call, story) && story.final_files != nullptr &&
         (file_written(call, story).empty() || is_last_write(call, story));
}

Complaint file_is_the_content(const Call& call, const Story& story) {
  if (is_error(call)) return finding("a write of text is refused", write_end(call));
  const Json* file = final_file(file_written(call, story), story);
  if (file == nullptr) return finding(argument_path(call) + " is not there", write_end(call));
  if (!at(*file, "text").is_string()) return std::nullopt;
  return differ("content of " + argument_path(call), content_of(call), at(*file, "text"),
                write_end(call));
}

/// There is a style to be mistaken: of the file before, or of the content.
bool has_a_style(const Call& call, const Story& story) {
  if (!is_free_last_write(call, story)) return false;
  const auto content = content_of(call).get<std::string>();
  const Json* was = first_file(argument_path(call), story);
  const std::string old_text = was == nullptr ? "" : text_at(*was, "text");
  return content.contains('\r') || old_text.contains('\r') || content.starts_with("\xEF\xBB\xBF") ||
         old_text.starts_with("\xEF\xBB\xBF") || (!content.empty() && !content.ends_with('\n'));
}

bool is_good_write(const Call& call, const Story& story) {
  return is_free_write(call, story) && !is_error(call);
}

Complaint says_one_line(const Call& call, const Story&) {
  const Json& result = result_of(call);
  const Json& content = at(result, "content");
  if (content.size() != 1 || view_at(content.front(), "type") != "text") {
    return finding("the result of write is not one text block", write_end(call));
  }
  const auto text = text_in(content);
  if (text.contains('\n')) return finding("the result of write has lines", write_end(call));
  if (!at(result, "details").is_null()) return finding("write has details", write_end(call));
  return require(text.contains(argument_path(call)), "the result does not name the path",
                 write_end(call));
}

/// The model's content is no text.
bool has_no_text(const Call& call, const Story& story) {
  return call.name == "write"sv && story.is_edition("seed") && is_builtin_tool(call, story) &&
         end_of(call) != nullptr && stopper_of(call) == nullptr && call.raw.get().is_object() &&
         !at(call.raw.get(), "content").is_string() && abort_during(call, story) < 0;
}

Complaint writes_no_text(const Call& call, const Story&) {
  for (const Event* event : all(call, "file_op")) {
    if (event->as<FileOperation>()->op == "write") {
      return finding("content that is no text is written", event);
    }
  }
  return require(is_error(call), "content that is no text is no error", write_end(call));
}

// ------------------------------------------------------------------ paths (EDIT-70)

/// What the operations' path must end with, for a path argument that is not taken as it is; or "".
std::string meant_path(std::string path) {
  constexpr std::string_view kNoBreakSpace = "\xC2\xA0";
  bool is_special = false;
  for (auto at = path.find(kNoBreakSpace); at != std::string::npos; at = path.find(kNoBreakSpace)) {
    path.replace(at, kNoBreakSpace.size(), " ");
    is_special = true;
  }
  if (path.starts_with('@')) {
    path.erase(0, 1);
    is_special = true;
  }
  if (path.starts_with("file://")) {
    path.erase(0, 7);
    is_special = true;
  }
  if (path.starts_with("~/")) {
    path.erase(0, 1);
    is_special = true;
  }
  if (!is_special) return "";
  return path.starts_with('/') ? path : "/" + path;
}

bool has_a_special_path(const Call& call, const Story& story) {
  return call.name == "edit"sv && has_executed(call) && is_builtin_tool(call, story) &&
         end_of(call) != nullptr && !meant_path(argument_path(call)).empty() &&
         !all(call, "file_op").empty();
}

/// The result of a call that was aborted need not be about its path.
Complaint works_on_the_path_meant(const Call& call, const Story& story) {
  const auto meant = meant_path(argument_path(call));
  const Event* operation = first(call, "file_op");
  if (!operation->as<FileOperation>()->path.ends_with(meant)) {
    return finding(
        "the path " + argument_path(call) + " is taken for " + operation->as<FileOperation>()->path,
        operation);
  }
  const bool is_about_it = abort_during(call, story) < 0 && has_own_result(call);
  return require(!is_about_it || result_text(call).contains(argument_path(call)),
                 "the result does not name the path as given", write_end(call));
}

// ------------------------------------------------------------------ no text (EDIT-67)

/// Bytes in the listing, or -1 where it has text or nothing.
std::int64_t size_of_no_text(const Json* file) {
  if (file == nullptr || !at(*file, "bytes").is_number()) return -1;
  return at(*file, "bytes").get<std::int64_t>();
}

bool edits_what_is_no_text(const Call& call, const Story& story) {
  if (call.name != "edit"sv || !has_executed(call) || !is_builtin_tool(call, story)) return false;
  const auto size = size_of_no_text(first_file(argument_path(call), story));
  return size >= 0 && end_of(call) != nullptr && abort_during(call, story) < 0 &&
         changes_in(begin_of(call)->args.get()).has_value();
}

/// Each byte that becomes U+FFFD would add two.
Complaint other_bytes_stay(const Call& call, const Story& story) {
  const Json* was = first_file(argument_path(call), story);
  const Json* is = final_file(argument_path(call), story);
  if (is == nullptr) return finding(argument_path(call) + " is gone", write_end(call));
  if (is_error(call)) {
    return differ(argument_path(call) + " changed", at(*was, "sha256"), at(*is, "sha256"),
                  write_end(call));
  }
  auto expected = size_of_no_text(was);
  const auto changes = changes_in(begin_of(call)->args.get());
  for (const auto& change : *changes) {
    expected += std::ssize(change.new_text) - std::ssize(change.old_text);
  }
  const auto text = text_at(*is, "text");
  const auto size = at(*is, "bytes").is_number() ? size_of_no_text(is) : std::ssize(text);
  return differ("bytes of " + argument_path(call), Json(expected), Json(size), write_end(call));
}

}  // namespace

std::vector<Rule> write_rules() {
  return {
      rule("WRITE-01", "after a write the file is there and has the content")
          .for_each_call()
          .among({"write"})
          .when(is_free_last_write)
          .expect(file_is_the_content),
      rule("WRITE-03",
           "the file has the content byte for byte; triggered by CR, a mark, no final line break")
          .for_each_call()
          .among({"write"})
          .when(has_a_style)
          .expect(file_is_the_content),
      rule("WRITE-07", "a successful write says one line with the path as given, no details")
          .for_each_call()
          .among({"write"})
          .when(is_good_write)
          .expect(says_one_line),
      rule("WRITE-08", "content that is no text is an error, and nothing is written")
          .for_each_call()
          .among({"write"})
          .when(has_no_text)
          .expect(writes_no_text),
      rule("EDIT-67",
           "an edit of a file that is no UTF-8 is an error, or changes its size by the edits alone")
          .for_each_call()
          .among({"edit"})
          .when(edits_what_is_no_text)
          .expect(other_bytes_stay),
      rule("EDIT-70",
           "@, ~, file: and no-break spaces in a path mean what they mean; the result names the "
           "path as given")
          .for_each_call()
          .among({"edit"})
          .when(has_a_special_path)
          .expect(works_on_the_path_meant),
  };
}

}  // namespace plumb::invariants
