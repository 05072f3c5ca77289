// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "engine/kernel/files.h"
#include "property-tests/mutants/order_mutants.h"
#include "property-tests/mutants/outer_files.h"
#include "property-tests/mutants/outer_hooks.h"

namespace plumb::simulator {
namespace {

using engine::ExecutionMode;
using engine::Policies;
using engine::Task;
using Tools = std::span<const engine::RegisteredToolPtr>;
using Order = std::span<const std::size_t>;

/// Remembers what files were before the first write, and can bring that back.
class UndoableFiles final : public OuterFiles {
 public:
  using OuterFiles::OuterFiles;

  Task<Result<engine::FileReply>> perform(engine::FileRequest request) override {
    const bool is_new = !before_.contains(request.path);
    if (is_new && engine::file_op_writes(request.op)) {
      auto content = co_await inner_.read(request.path);
      if (content) before_.emplace(request.path, *std::move(content));
    }
    auto reply = co_await inner_.perform(std::move(request));
    co_return reply;
  }

  Task<void> undo() {
    const std::map<std::string, std::string> before = std::exchange(before_, {});
    for (const auto& [path, content] : before) co_await inner_.write(path, content);
  }

 private:
  std::map<std::string, std::string> before_;
};

/// The files of the run that is under way; they outlive its hooks.
using CurrentFiles = std::shared_ptr<UndoableFiles*>;

class UndoOnFailure final : public OuterHooks {
 public:
  UndoOnFailure(engine::ToolHooks& inner, CurrentFiles files)
      : OuterHooks(inner), files_(std::move(files)) {}

  Task<engine::ToolResult> after_call(engine::CallView call, engine::ToolResult result) override {
    engine::ToolResult after = co_await inner_.after_call(std::move(call), std::move(result));
    UndoableFiles* const files = *files_;
    if (after.is_error && files != nullptr) co_await files->undo();
    co_return after;
  }

 private:
  CurrentFiles files_;
};

Mutant undone_effects() {
  Mutant mutant = port_mutant("batch-failure-undoes-earlier-writes", "BATCH-07",
                              "a failing call takes back what earlier ones wrote");
  mutant.alterations.for_run = [](Alterations& own) {
    const auto current = std::make_shared<UndoableFiles*>(nullptr);
    own.files = [current](engine::Files& inner, engine::Loop&) {
      auto files = std::make_unique<UndoableFiles>(inner);
      *current = files.get();
      return files;
    };
    own.session = [current](engine::SessionOptions& options) {
      options.wrap_hooks =
          [current](engine::ToolHooks& inner) -> std::unique_ptr<engine::ToolHooks> {
        return std::make_unique<UndoOnFailure>(inner, current);
      };
    };
  };
  return mutant;
}

void add_mode_mutants(std::vector<Mutant>& list) {
  list.push_back(policy_mutant("batch-is-always-sequential", "BATCH-01",
                               "calls of a batch never overlap", [](Policies& policies) {
                                 policies.batch_mode = [](ExecutionMode, Tools) {
                                   return ExecutionMode::sequential;
                                 };
                               }));
  list.push_back(policy_mutant("batch-ignores-the-tools-mark", "BATCH-02",
                               "only the host's setting counts", [](Policies& policies) {
                                 policies.batch_mode = [](ExecutionMode host, Tools) {
                                   return host;
                                 };
                               }));
  list.push_back(policy_mutant("batch-ignores-the-hosts-setting", "BATCH-03",
                               "only the tools' marks count", [](Policies& policies) {
                                 policies.batch_mode = [](ExecutionMode, Tools known) {
                                   return engine::batch_mode(ExecutionMode::parallel, known);
                                 };
                               }));
}

std::vector<std::size_t> all_but_the_last(Order completed) {
  auto order = engine::source_order(completed);
  order.pop_back();
  return order;
}

void add_result_mutants(std::vector<Mutant>& list) {
  list.push_back(undone_effects());
  list.push_back(policy_mutant("batch-messages-as-completed", "BATCH-06",
                               "messages in the order of the ends", [](Policies& policies) {
                                 policies.message_order = [](Order completed) {
                                   return std::vector(completed.begin(), completed.end());
                                 };
                               }));
  list.push_back(policy_mutant(
      "batch-last-result-is-lost", "BATCH-17", "the last call of a batch is not answered",
      [](Policies& policies) { policies.message_order = all_but_the_last; }));
}

bool any_terminates(std::span<const engine::FinishedCall> calls) {
  return std::ranges::any_of(calls, [](const auto& call) { return call.result.terminate; });
}

void add_end_mutants(std::vector<Mutant>& list) {
  list.push_back(policy_mutant("batch-stops-after-a-failure", "BATCH-08",
                               "later calls are skipped after a failure", [](Policies& policies) {
                                 policies.siblings_go_on = [](const engine::FinishedCall& call) {
                                   return !call.result.is_error;
                                 };
                               }));
  list.push_back(policy_mutant(
      "batch-cut-answer-runs", "BATCH-11", "calls of a cut answer run", [](Policies& policies) {
        policies.answer_is_runnable = [](engine::StopReason) { return true; };
      }));
  list.push_back(
      policy_mutant("batch-any-terminate-stops", "BATCH-12", "one terminating result is enough",
                    [](Policies& policies) { policies.batch_terminates = any_terminates; }));
  list.push_back(policy_mutant("batch-terminate-skips-the-rest", "BATCH-13",
                               "calls after a terminating one are skipped", [](Policies& policies) {
                                 policies.siblings_go_on = [](const engine::FinishedCall& call) {
                                   return !call.result.terminate;
                                 };
                               }));
}

/// Other rules that a mutant breaks too.
const std::map<std::string, std::vector<std::string>>& batch_side_effects() {
  static const std::map<std::string, std::vector<std::string>> kRules{
      {"batch-is-always-sequential", {"BATCH-05", "EVENT-03", "EVENT-04"}},
      {"batch-ignores-the-tools-mark", {"BATCH-04"}},
      {"batch-ignores-the-hosts-setting", {"BATCH-04"}},
      {"batch-messages-as-completed", {"BATCH-05"}},
      {"batch-stops-after-a-failure", {"BATCH-06", "BATCH-17", "EVENT-03", "EVENT-04"}},
      {"batch-terminate-skips-the-rest", {"BATCH-06", "BATCH-12", "EVENT-03", "EVENT-04"}},
      {"batch-last-result-is-lost", {"BATCH-06"}},
  };
  return kRules;
}

}  // namespace

std::vector<Mutant> batch_mutants() {
  std::vector<Mutant> list;
  add_mode_mutants(list);
  add_result_mutants(list);
  add_end_mutants(list);
  name_also(list, batch_side_effects());
  return list;
}

}  // namespace plumb::simulator
