// SPDX-License-Identifier: Apache-2.0
// Mutants of reading and of the order in which files are changed: READ, WRITE, QUEUE.
#include <map>
#include <memory>
#include <string>
#include <utility>

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
using RunTool = std::function<Task<ToolResult>(ToolCall)>;
using AlterArguments = std::function<void(Json&)>;

/// The tool gets other arguments than the model gave; what is recorded stays the model's.
AlterArguments with_offset_from_zero() {
  return [](Json& params) {
    if (params.contains("offset")) params["offset"] = params["offset"].get<double>() + 1;
  };
}

AlterArguments with_small_cap() {
  return [](Json& params) {
    if (!params.contains("limit")) params["limit"] = 500;
  };
}

void alter_arguments(ToolDefinition& tool, AlterArguments alter) {
  tool.execute = [inner = tool.execute, alter](ToolCall call) {
    call.params = std::make_shared<Json>(*call.params);
    alter(*call.params);
    return inner(std::move(call));
  };
}

Task<ToolResult> without_notice(RunTool inner, ToolCall call) {
  ToolResult result = co_await inner(std::move(call));
  for (auto& block : result.content) {
    auto* text = std::get_if<engine::TextBlock>(&block);
    if (text != nullptr) text->text = text->text.substr(0, text->text.find("\n\n[Lines "));
  }
  co_return result;
}

std::vector<Mutant> read_mutants() {
  return {
      trips_also(broken_tool("read-caps-at-500-lines", "READ-02", "the cap is 500 lines", "read",
                             [](ToolDefinition& tool) { alter_arguments(tool, with_small_cap()); }),
                 {"READ-04", "READ-05", "READ-08", "READ-28"}),
      trips_also(
          broken_tool("read-offset-from-zero", "READ-03", "offset counts from 0", "read",
                      [](ToolDefinition& tool) { alter_arguments(tool, with_offset_from_zero()); }),
          {"READ-07"}),
      trips_also(broken_tool("read-cuts-silently", "READ-04", "cut text has no notice", "read",
                             [](ToolDefinition& tool) {
                               tool.execute = [inner = tool.execute](ToolCall call) {
                                 return without_notice(inner, std::move(call));
                               };
                             }),
                 {"READ-30", "READ-29"}),
  };
}

// ------------------------------------------------------------------ ports

/// Paths under a prefix are the same files by another real path, so they have keys of their own.
class TwoNames final : public OuterFiles {
 public:
  static constexpr std::string_view kPrefix = "/unqueued";
  using OuterFiles::OuterFiles;

  Task<Result<FileReply>> perform(FileRequest request) override {
    if (!request.path.starts_with(kPrefix)) return inner_.perform(std::move(request));
    request.path.erase(0, kPrefix.size());
    if (request.path.empty()) request.path = "/";
    if (request.op == FileOp::real_path) return other_name(std::move(request));
    return inner_.perform(std::move(request));
  }

 private:
  Task<Result<FileReply>> other_name(FileRequest request) {
    auto reply = co_await inner_.perform(std::move(request));
    if (reply) reply->text.insert(0, kPrefix);
    co_return reply;
  }
};

/// Write's files have keys of their own.
Mutant write_passes_the_queue() {
  Mutant mutant = broken_tool("write-passes-the-queue", "WRITE-02", "only edit waits for its file",
                              "write", [](ToolDefinition& tool) {
                                alter_arguments(tool, [](Json& params) {
                                  params["path"] = std::string(TwoNames::kPrefix) + "/workspace/" +
                                                   params["path"].get<std::string>();
                                });
                              });
  put_around_files<TwoNames>(mutant);
  return mutant;
}

/// The real path of what exists is its name.
class NamesAsKeys final : public OuterFiles {
 public:
  using OuterFiles::OuterFiles;

  Task<Result<FileReply>> perform(FileRequest request) override {
    if (request.op == FileOp::real_path) return name_itself(std::move(request));
    return inner_.perform(std::move(request));
  }

 private:
  Task<Result<FileReply>> name_itself(FileRequest request) {
    std::string name = engine::normal_path(request.path);
    auto reply = co_await inner_.perform(std::move(request));
    if (reply) reply->text = std::move(name);
    co_return reply;
  }
};

/// A file is read when its path is looked up, before the turn; the read within the turn gets that.
class EarlyRead final : public OuterFiles {
 public:
  using OuterFiles::OuterFiles;

  Task<Result<FileReply>> perform(FileRequest request) override {
    if (request.op == FileOp::real_path) return look_up(std::move(request));
    if (request.op == FileOp::read) return give(std::move(request));
    return inner_.perform(std::move(request));
  }

 private:
  Task<Result<FileReply>> look_up(FileRequest request) {
    engine::Fiber& fiber = co_await engine::current_fiber();
    auto reply = co_await inner_.perform(std::move(request));
    if (!reply || texts_.contains(fiber.label)) co_return reply;
    auto text = co_await inner_.read(reply->text);
    if (text) texts_[fiber.label] = *std::move(text);
    co_return reply;
  }
  Task<Result<FileReply>> give(FileRequest request) {
    engine::Fiber& fiber = co_await engine::current_fiber();
    const auto early = texts_.find(fiber.label);
    if (early != texts_.end()) co_return FileReply(early->second);
    auto reply = co_await inner_.perform(std::move(request));
    co_return reply;
  }

  std::map<std::string, std::string> texts_;  ///< By call.
};

std::vector<Mutant> port_mutants() {
  Mutant names = trips_also(
      files_mutant<NamesAsKeys>("queue-key-is-the-name", "QUEUE-01", "links are not resolved"),
      {"BATCH-18", "EDIT-02", "EDIT-39"});
  Mutant early = trips_also(files_mutant<EarlyRead>("edit-reads-before-its-turn", "QUEUE-05",
                                                    "a file is read when its path is looked up"),
                            {"EDIT-19", "BATCH-18", "EDIT-02", "EDIT-39"});
  return {
      trips_also(write_passes_the_queue(), {"QUEUE-02"}),
      trips_also(std::move(names), {"QUEUE-02", "QUEUE-05"}),
      trips_also(std::move(early), {"EDIT-16", "QUEUE-01", "QUEUE-02"}),
  };
}

// ------------------------------------------------------------------ the queue

void key_for_each_call(engine::Policies& policies) {
  policies.existing_key = [calls = std::make_shared<std::int64_t>(0)](const std::string& path) {
    return path + "#" + std::to_string(++*calls);
  };
}

Task<ToolResult> come_late(RunTool inner, ToolCall call) {
  engine::Fiber& fiber = co_await engine::current_fiber();
  co_await fiber.loop->sleep_ms(1);
  ToolResult result = co_await inner(std::move(call));
  co_return result;
}

/// The first edit of a session takes its place a little later.
void let_others_overtake(ToolDefinition& tool) {
  tool.execute = [inner = tool.execute, calls = std::make_shared<std::int64_t>(0)](ToolCall call) {
    return ++*calls == 1 ? come_late(inner, std::move(call)) : inner(std::move(call));
  };
}

Task<ToolResult> end_with_abort(engine::AbortSignal signal) {
  co_await signal.wait();
  co_return engine::failed_result("Operation aborted");
}

Task<ToolResult> until_abort(RunTool inner, ToolCall call) {
  std::vector<Task<ToolResult>> contest;
  contest.push_back(end_with_abort(call.signal));
  contest.push_back(inner(std::move(call)));
  auto winner = co_await engine::race(std::move(contest));
  co_return std::move(winner.value);
}

/// The first edit of a session has its turn; those behind it do not wait after an abort.
void let_aborted_calls_leave(ToolDefinition& tool) {
  tool.execute = [inner = tool.execute, calls = std::make_shared<std::int64_t>(0)](ToolCall call) {
    return ++*calls == 1 ? inner(std::move(call)) : until_abort(inner, std::move(call));
  };
}

std::vector<Mutant> order_of_changes() {
  return {
      trips_also(policy_mutant("queue-key-for-each-call", "QUEUE-02",
                               "every call has a queue of its own", key_for_each_call),
                 {"QUEUE-01", "QUEUE-05", "WRITE-02", "BATCH-18", "EDIT-02", "EDIT-39"}),
      policy_mutant("queue-one-key-for-all", "QUEUE-03", "one lock for all files",
                    [](engine::Policies& policies) {
                      policies.existing_key = [](const std::string&) {
                        return std::string("everything");
                      };
                    }),
      broken_tool("queue-later-call-overtakes", "QUEUE-04", "the first edit takes its place late",
                  "edit", let_others_overtake),
      broken_tool("queue-aborted-call-leaves", "QUEUE-07",
                  "a waiting call ends at the abort, not at its turn", "edit",
                  let_aborted_calls_leave),
  };
}

/// A pattern that begins with a dash is taken for an option.
Mutant dash_is_an_option() {
  const auto drop_option = [](Json& params) {
    if (params["pattern"].get<std::string>().starts_with('-')) params["pattern"] = "";
  };
  return trips_also(
      broken_tool("grep-takes-a-dash-for-an-option", "GREP-09",
                  "a pattern with a dash is an option", "grep",
                  [drop_option](ToolDefinition& tool) { alter_arguments(tool, drop_option); }),
      {"GREP-02"});
}

}  // namespace

std::vector<Mutant> file_mutants() {
  std::vector<Mutant> list = read_mutants();
  list.push_back(dash_is_an_option());
  std::ranges::move(port_mutants(), std::back_inserter(list));
  std::ranges::move(order_of_changes(), std::back_inserter(list));
  return list;
}

}  // namespace plumb::simulator
