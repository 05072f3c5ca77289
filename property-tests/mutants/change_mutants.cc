// SPDX-License-Identifier: Apache-2.0
// Mutants of file operations, aborts and keys: EDIT, WRITE, QUEUE, and of what read shows: READ.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "engine/kernel/event.h"
#include "engine/kernel/fiber.h"
#include "engine/kernel/files.h"
#include "engine/kernel/join.h"
#include "engine/kernel/loop.h"
#include "property-tests/mutants/mutant.h"
#include "property-tests/mutants/outer_files.h"

namespace plumb::simulator {
namespace {

using engine::FileOp;
using engine::FileReply;
using engine::FileRequest;
using engine::Task;
using engine::ToolCall;
using engine::ToolDefinition;
using engine::ToolResult;
using ExecuteTool = std::function<Task<ToolResult>(ToolCall)>;
using Perform = Task<Result<FileReply>> (*)(engine::Files& inner, FileRequest request);

/// Does something else with the operations of one kind.
class OtherOperation final : public OuterFiles {
 public:
  OtherOperation(engine::Files& inner, FileOp op, Perform action)
      : OuterFiles(inner), op_(op), action_(action) {}

  Task<Result<FileReply>> perform(FileRequest request) override {
    return request.op == op_ ? action_(inner_, std::move(request))
                             : inner_.perform(std::move(request));
  }

 private:
  FileOp op_;
  Perform action_;
};

Mutant operation_mutant(std::string name, std::string rule, std::string change, FileOp op,
                        Perform perform) {
  Mutant mutant = port_mutant(std::move(name), std::move(rule), std::move(change));
  mutant.alterations.files = [op, perform](engine::Files& inner, engine::Loop&) {
    return std::make_unique<OtherOperation>(inner, op, perform);
  };
  return mutant;
}

Task<Result<FileReply>> grant_all(engine::Files&, FileRequest) {
  co_return FileReply();
}

/// A new file takes the place of the old one.
Task<Result<FileReply>> rename_over(engine::Files& inner, FileRequest request) {
  const std::string path = request.path;
  const std::string temporary = path + ".new";
  const auto written = co_await inner.write(temporary, request.content);
  if (!written) co_return std::unexpected(written.error());
  const auto renamed = co_await inner.rename(temporary, path);
  if (!renamed) co_return std::unexpected(renamed.error());
  co_return FileReply();
}

Task<Result<FileReply>> hide_failure(engine::Files& inner, FileRequest request) {
  auto reply = co_await inner.perform(std::move(request));
  if (!reply) co_return FileReply();
  co_return reply;
}

// ------------------------------------------------------------------ names

/// Works on the name that a call gave, not on the file that it was when the turn was taken.
class NamesAtTheTurn final : public OuterFiles {
 public:
  using OuterFiles::OuterFiles;

  Task<Result<FileReply>> perform(FileRequest request) override {
    if (request.op == FileOp::real_path) return look_up(std::move(request));
    return work(std::move(request));
  }

 private:
  struct Name {
    std::string given;
    FileReply found;
  };

  /// A second look-up of a call finds what the first one found.
  Task<Result<FileReply>> look_up(FileRequest request) {
    engine::Fiber& fiber = co_await engine::current_fiber();
    const std::string call = fiber.label;
    const std::string given = request.path;
    auto reply = co_await inner_.perform(std::move(request));
    if (!reply) co_return reply;
    const auto known = names_.try_emplace(call, Name{given, *reply}).first;
    if (known->second.given == given) co_return known->second.found;
    co_return reply;
  }
  Task<Result<FileReply>> work(FileRequest request) {
    engine::Fiber& fiber = co_await engine::current_fiber();
    const auto name = names_.find(fiber.label);
    if (name != names_.end() && name->second.found.text == request.path) {
      request.path = name->second.given;
    }
    auto reply = co_await inner_.perform(std::move(request));
    co_return reply;
  }

  std::map<std::string, Name> names_;  ///< By call.
};

/// A link that is written is replaced by a file.
class LinksReplaced final : public OuterFiles {
 public:
  using OuterFiles::OuterFiles;

  Task<Result<FileReply>> perform(FileRequest request) override {
    if (request.op == FileOp::real_path) return look_up(std::move(request));
    if (request.op == FileOp::write) return write(std::move(request));
    return inner_.perform(std::move(request));
  }

 private:
  Task<Result<FileReply>> look_up(FileRequest request) {
    const std::string given = request.path;
    auto reply = co_await inner_.perform(std::move(request));
    if (reply && reply->text != given) links_[reply->text] = given;
    co_return reply;
  }
  Task<Result<FileReply>> write(FileRequest request) {
    const auto link = links_.find(request.path);
    if (link != links_.end()) {
      request.path = link->second;
      const auto removed = co_await inner_.remove(request.path);
      if (!removed) co_return std::unexpected(removed.error());
    }
    auto reply = co_await inner_.perform(std::move(request));
    co_return reply;
  }

  std::map<std::string, std::string> links_;  ///< By target.
};

/// A write fails when the file is not what it was when it was read.
class GuardedWrites final : public OuterFiles {
 public:
  using OuterFiles::OuterFiles;

  Task<Result<FileReply>> perform(FileRequest request) override {
    if (request.op == FileOp::read) return read(std::move(request));
    if (request.op == FileOp::write) return write(std::move(request));
    return inner_.perform(std::move(request));
  }

 private:
  Task<Result<FileReply>> read(FileRequest request) {
    const std::string path = request.path;
    auto reply = co_await inner_.perform(std::move(request));
    if (reply) texts_[path] = reply->text;
    co_return reply;
  }
  Task<Result<FileReply>> write(FileRequest request) {
    const std::string path = request.path;
    const auto known = texts_.find(path);
    const auto now = co_await inner_.read(path);
    const bool has_changed = known != texts_.end() && now && *now != known->second;
    if (has_changed) {
      co_return std::unexpected(engine::file_io_error("ESTALE: the file has changed", request));
    }
    auto reply = co_await inner_.perform(std::move(request));
    co_return reply;
  }

  std::map<std::string, std::string> texts_;
};

// ------------------------------------------------------------------ tools

Task<ToolResult> deaf(ExecuteTool inner, ToolCall call) {
  call.signal = engine::AbortSignal();
  ToolResult result = co_await inner(std::move(call));
  co_return result;
}

Task<ToolResult> fail_on_abort(engine::AbortSignal signal) {
  co_await signal.wait();
  co_return engine::failed_result("Operation aborted");
}

/// Ends at the abort, whatever its operation does.
Task<ToolResult> hasty(ExecuteTool inner, ToolCall call) {
  std::vector<Task<ToolResult>> contest;
  contest.push_back(fail_on_abort(call.signal));
  contest.push_back(inner(std::move(call)));
  auto winner = co_await engine::race(std::move(contest));
  co_return std::move(winner.value);
}

Task<ToolResult> cheerful(ExecuteTool inner, ToolCall call) {
  ToolResult result = co_await inner(std::move(call));
  if (result.failure) result = engine::text_result("Done");
  co_return result;
}

Mutant wrapped_tool(std::string name, std::string rule, std::string change, std::string tool,
                    Task<ToolResult> (*wrapper)(ExecuteTool, ToolCall)) {
  return broken_tool(std::move(name), std::move(rule), std::move(change), std::move(tool),
                     [wrapper](ToolDefinition& definition) {
                       definition.execute = [wrapper, inner = definition.execute](ToolCall call) {
                         return wrapper(inner, std::move(call));
                       };
                     });
}

Json content_as_text(Json raw) {
  if (raw.is_object() && raw.contains("content") && !raw["content"].is_string()) {
    raw["content"] = dump_json(raw["content"]);
  }
  return raw;
}

std::vector<Mutant> edit_change_mutants() {
  return {
      trips_also(
          operation_mutant("edit-skips-the-access-check", "EDIT-19",
                           "access is not checked, the write fails", FileOp::access, grant_all),
          {"EDIT-16", "EDIT-20", "EDIT-71"}),
      trips_also(
          operation_mutant("edit-renames-over-the-file", "EDIT-31",
                           "a new file takes the place of the old one", FileOp::write, rename_over),
          {"EDIT-71", "EDIT-16"}),
      trips_also(wrapped_tool("edit-looks-once-at-the-signal", "EDIT-55",
                              "the signal is not looked at between operations", "edit", deaf),
                 {"EDIT-56", "ABORT-05"}),
      trips_also(wrapped_tool("edit-leaves-its-write", "EDIT-56",
                              "an edit ends at the abort, its write goes on", "edit", hasty),
                 {"QUEUE-06", "QUEUE-05"}),
      trips_also(operation_mutant("edit-hides-a-failed-write", "EDIT-72",
                                  "a failed write is a success", FileOp::write, hide_failure),
                 {"QUEUE-08", "EDIT-02", "EDIT-39"}),
  };
}

std::vector<Mutant> write_change_mutants() {
  return {
      trips_also(wrapped_tool("write-goes-on-after-the-abort", "WRITE-04",
                              "a write does not look at the signal", "write", deaf),
                 {"ABORT-05"}),
      files_mutant<LinksReplaced>("write-replaces-links", "WRITE-05",
                                  "a file takes the place of a link"),
      trips_also(wrapped_tool("write-reports-success", "WRITE-06", "a failed write is a success",
                              "write", cheerful),
                 {"QUEUE-11", "WRITE-01", "WRITE-07"}),
      trips_also(
          broken_tool("write-writes-null", "WRITE-08", "null is written as a word", "write",
                      [](ToolDefinition& tool) { tool.prepare_arguments = content_as_text; }),
          {"WRITE-01"}),
  };
}

// ------------------------------------------------------------------ keys

std::string next_key(const std::string& path, std::int64_t& calls) {
  return path + "#" + std::to_string(++calls);
}

void new_file_has_no_key(engine::Policies& policies) {
  policies.missing_key = [calls = std::make_shared<std::int64_t>(0)](
                             const std::string& path, const std::string&, const std::string&) {
    return next_key(path, *calls);
  };
}

void new_file_by_its_name(engine::Policies& policies) {
  policies.missing_key = engine::key_of_missing_pi;
}

void one_call_at_a_time(engine::Policies& policies) {
  policies.batch_mode = [](engine::ExecutionMode, std::span<const engine::RegisteredToolPtr>) {
    return engine::ExecutionMode::sequential;
  };
}

std::vector<Mutant> key_mutants() {
  return {
      trips_also(wrapped_tool("queue-abort-frees-the-key", "QUEUE-06",
                              "an aborted edit gives its turn back at once", "edit", hasty),
                 {"EDIT-56", "QUEUE-02", "QUEUE-05"}),
      trips_also(policy_mutant("queue-new-files-have-no-key", "QUEUE-09",
                               "a file that is missing has no key", new_file_has_no_key),
                 {"QUEUE-01", "QUEUE-02", "QUEUE-05", "QUEUE-10", "WRITE-02", "WRITE-01"}),
      trips_also(
          policy_mutant("queue-new-files-by-name", "QUEUE-10",
                        "links to the folder of a new file are not resolved", new_file_by_its_name),
          {"QUEUE-01", "QUEUE-02", "WRITE-02", "WRITE-01"}),
      trips_also(
          files_mutant<NamesAtTheTurn>("queue-name-is-opened-at-the-turn", "QUEUE-13",
                                       "the key is the old file's, the name is opened at the turn"),
          {"QUEUE-01"}),
      trips_also(files_mutant<GuardedWrites>("queue-claims-to-be-a-lock", "QUEUE-15",
                                             "an outside writer makes a call fail"),
                 {"EDIT-16", "EDIT-71", "EDIT-02", "EDIT-26"}),
      trips_also(policy_mutant("queue-serialises-all-tools", "QUEUE-16",
                               "every tool waits for the others of its batch", one_call_at_a_time),
                 {"BATCH-01", "BATCH-05", "QUEUE-17"}),
  };
}

// ------------------------------------------------------------------ a race

/// In place of the queue: whoever looks a path up waits for the call before it, which gives way
/// when its write begins, not when it ends. First in, first out, the write is over before the next
/// call has looked its path up.
class EarlyRelease final : public OuterFiles {
 public:
  EarlyRelease(engine::Files& inner, engine::Loop& loop) : OuterFiles(inner), loop_(loop) {}

  Task<Result<FileReply>> perform(FileRequest request) override {
    if (request.op == FileOp::real_path) return look_up(std::move(request));
    if (request.op == FileOp::write) return write(std::move(request));
    return inner_.perform(std::move(request));
  }

 private:
  engine::AsyncMutex& mutex_of(const std::string& path) {
    auto& slot = mutexes_[path];
    if (slot == nullptr) {
      const engine::Touch touch(engine::TouchKind::queue, path, true);
      slot = std::make_unique<engine::AsyncMutex>(loop_, "early " + path, touch);
    }
    return *slot;
  }
  Task<Result<FileReply>> look_up(FileRequest request) {
    engine::Fiber& fiber = co_await engine::current_fiber();
    const std::string call = fiber.label;
    auto lock = co_await mutex_of(request.path).lock();
    held_.insert_or_assign(call, std::move(lock));
    auto reply = co_await inner_.perform(std::move(request));
    co_return reply;
  }
  Task<Result<FileReply>> write(FileRequest request) {
    engine::Fiber& fiber = co_await engine::current_fiber();
    held_.erase(fiber.label);
    auto reply = co_await inner_.perform(std::move(request));
    co_return reply;
  }

  engine::Loop& loop_;
  std::map<std::string, std::unique_ptr<engine::AsyncMutex>> mutexes_;
  std::map<std::string, engine::AsyncMutex::Lock> held_;  ///< By call.
};

Mutant early_release() {
  Mutant mutant = port_mutant("queue-turn-ends-before-the-write", "QUEUE-02",
                              "the next call goes on when a write begins, not when it ends");
  mutant.also = {"QUEUE-01", "QUEUE-05",  "WRITE-02", "BATCH-08", "EDIT-39",
                 "EVENT-03", "RESULT-13", "BATCH-18", "EDIT-02"};
  mutant.is_race = true;
  mutant.alterations.files = [](engine::Files& inner, engine::Loop& loop) {
    return std::make_unique<EarlyRelease>(inner, loop);
  };
  mutant.alterations.policies = [](engine::Policies& policies) {
    policies.existing_key = [calls = std::make_shared<std::int64_t>(0)](const std::string& path) {
      return next_key(path, *calls);
    };
  };
  return mutant;
}

// ------------------------------------------------------------------ read

engine::TextBlock* first_text(ToolResult& result) {
  for (auto& block : result.content) {
    if (auto* text = std::get_if<engine::TextBlock>(&block)) return text;
  }
  return nullptr;
}

bool has_picture(const ToolResult& result) {
  return std::ranges::any_of(result.content, [](const auto& block) {
    return std::holds_alternative<engine::ImageBlock>(block);
  });
}

Task<ToolResult> hint_too_far(ExecuteTool inner, ToolCall call) {
  ToolResult result = co_await inner(std::move(call));
  auto* text = first_text(result);
  const std::string mark = "offset=";
  const auto at = text == nullptr ? std::string::npos : text->text.rfind(mark);
  if (at == std::string::npos) co_return result;
  const auto begin = at + mark.size();
  const auto end = text->text.find_first_not_of("0123456789", begin);
  const auto offset = std::stoll(text->text.substr(begin, end - begin));
  text->text.replace(begin, end - begin, std::to_string(offset + 1));
  result.structured_content = SharedJson(Json(text->text));
  co_return result;
}

/// The name decides: what is not called a picture is shown as text.
Task<ToolResult> judge_by_name(ExecuteTool inner, ToolCall call) {
  const std::string path = call.params->value("path", "");
  ToolResult result = co_await inner(std::move(call));
  if (!has_picture(result) || path.ends_with(".png")) co_return result;
  result = engine::text_result("\xEF\xBF\xBDPNG\r\n\x1A\n");
  result.structured_content = SharedJson(Json(engine::text_of(result.content)));
  co_return result;
}

Task<ToolResult> picture_alone(ExecuteTool inner, ToolCall call) {
  ToolResult result = co_await inner(std::move(call));
  if (has_picture(result)) {
    std::erase_if(result.content, [](const auto& block) {
      return std::holds_alternative<engine::TextBlock>(block);
    });
  }
  co_return result;
}

std::vector<Mutant> read_change_mutants() {
  return {
      trips_also(wrapped_tool("read-hints-too-far", "READ-05", "the next offset is one too large",
                              "read", hint_too_far),
                 {"READ-04", "READ-06", "READ-07", "READ-11", "READ-15"}),
      wrapped_tool("read-judges-by-the-name", "READ-19", "the name decides what is a picture",
                   "read", judge_by_name),
      wrapped_tool("read-shows-pictures-alone", "READ-20", "a picture has no text beside it",
                   "read", picture_alone),
  };
}

}  // namespace

std::vector<Mutant> change_mutants() {
  std::vector<Mutant> list = edit_change_mutants();
  list.push_back(early_release());
  for (auto* more : {write_change_mutants, key_mutants, read_change_mutants}) {
    std::ranges::move(more(), std::back_inserter(list));
  }
  return list;
}

}  // namespace plumb::simulator
