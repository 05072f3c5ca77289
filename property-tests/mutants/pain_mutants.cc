// SPDX-License-Identifier: Apache-2.0
// Mutants of troubles that people reported of engines (scenarios/README.md, "Pains"), as far as no
// other family has them.
#include "property-tests/mutants/pain_mutants.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "engine/kernel/processes.h"
#include "engine/model/provider.h"
#include "engine/tools/builtin/edit_planner.h"
#include "engine/values/json_members.h"

namespace plumb::simulator {
namespace {

using engine::Policies;
using engine::Task;

// ------------------------------------------------------------------ P12: line ends

bool needs_other_line_ends(std::string_view original, const engine::TextEdit& edit) {
  return original.find(edit.old_text) == std::string_view::npos;
}

/// The path of several edits looks for the texts as they are.
engine::EditPlan normalise_one_edit_only(std::string_view original,
                                         std::span<const engine::TextEdit> edits) {
  for (std::size_t i = 0; edits.size() > 1 && i < edits.size(); ++i) {
    if (!needs_other_line_ends(original, edits[i])) continue;
    engine::EditPlan plan;
    plan.problem = engine::EditProblem::not_found;
    plan.edit = static_cast<std::int64_t>(i);
    return plan;
  }
  return engine::plan_edits(original, edits);
}

/// What was found by other line ends only stays beside what takes its place.
engine::EditPlan keep_the_old_text(std::string_view original,
                                   std::span<const engine::TextEdit> edits) {
  engine::EditPlan plan = engine::plan_edits(original, edits);
  const bool is_fallback = std::ranges::any_of(
      edits, [&](const auto& edit) { return needs_other_line_ends(original, edit); });
  if (plan.problem != engine::EditProblem::none || !is_fallback) return plan;
  const auto change = std::ranges::mismatch(original, plan.bytes).in1 - original.begin();
  std::int64_t same = 0;
  const auto shorter =
      std::ssize(plan.bytes) < std::ssize(original) ? std::ssize(plan.bytes) : std::ssize(original);
  while (same < shorter - change &&
         *(original.end() - 1 - same) == *(plan.bytes.end() - 1 - same)) {
    ++same;
  }
  plan.bytes.insert(plan.bytes.size() - static_cast<std::size_t>(same),
                    original.substr(static_cast<std::size_t>(change),
                                    original.size() - static_cast<std::size_t>(change + same)));
  return plan;
}

void add_edit_pains(std::vector<Mutant>& list) {
  list.push_back(trips_also(
      policy_mutant("edit-normalises-one-edit-only", "EDIT-24",
                    "several edits in one call are matched with carriage returns",
                    [](Policies& policies) { policies.plan_edits = normalise_one_edit_only; }),
      {"EDIT-02", "EDIT-14", "EDIT-22", "EDIT-26", "EDIT-29"}));
  list.push_back(trips_also(
      policy_mutant("edit-keeps-the-old-text", "EDIT-02",
                    "what is found by its line ends only is not taken away",
                    [](Policies& policies) { policies.plan_edits = keep_the_old_text; }),
      {"EDIT-05", "EDIT-07", "EDIT-14", "EDIT-22", "EDIT-23", "EDIT-24", "EDIT-29", "EDIT-58"}));
}

// ------------------------------------------------------------------ P15: the error flag

/// A patch stands for a result of its own, which is a success unless it says otherwise.
engine::ToolResult patch_to_success(engine::ToolResult result, const engine::ResultPatch& patch) {
  engine::ToolResult patched = engine::apply_result_patch(std::move(result), patch);
  patched.is_error = patch.is_error.value_or(false);
  return patched;
}

// ------------------------------------------------------------------ P16, P18: commands

/// The end of a command is that of its streams, whoever holds them.
class UntilEndOfPipes final : public engine::Processes {
 public:
  explicit UntilEndOfPipes(engine::Processes& inner) : inner_(inner) {}

  Task<Result<engine::ProcessExit>> run(engine::ProcessSpec spec, engine::OutputSink& sink,
                                        engine::AbortSignal signal) override {
    constexpr std::int64_t kHourMs = 3'600'000;
    spec.quiet_ms = kHourMs;
    return inner_.run(std::move(spec), sink, std::move(signal));
  }

 private:
  engine::Processes& inner_;
};

/// Commands get a signal that nobody ever sets.
class DeafProcesses final : public engine::Processes {
 public:
  explicit DeafProcesses(engine::Processes& inner) : inner_(inner) {}

  Task<Result<engine::ProcessExit>> run(engine::ProcessSpec spec, engine::OutputSink& sink,
                                        engine::AbortSignal /*signal*/) override {
    return inner_.run(std::move(spec), sink, engine::AbortSignal());
  }

 private:
  engine::Processes& inner_;
};

template <class Decorator>
Mutant processes_mutant(std::string name, std::string rule, std::string change) {
  Mutant mutant = port_mutant(std::move(name), std::move(rule), std::move(change));
  mutant.alterations.processes = [](engine::Processes& inner, engine::Loop&) {
    return std::make_unique<Decorator>(inner);
  };
  return mutant;
}

// ------------------------------------------------------------------ P20: cut answers

/// Passes the pieces on and keeps the text of the last call's arguments.
class ArgumentsText final : public engine::StreamSink {
 public:
  explicit ArgumentsText(engine::StreamSink& inner) : inner_(inner) {}

  void on_delta(SharedJson partial) override {
    const auto type = text_at(partial.get(), "type");
    if (type == "toolcall_start") text.clear();
    if (type == "toolcall_delta") text += text_at(partial.get(), "delta");
    inner_.on_delta(std::move(partial));
  }

  std::string text;

 private:
  engine::StreamSink& inner_;
};

/// Arguments that end within a text are completed, and the call runs.
class CompletedArguments final : public engine::Provider {
 public:
  explicit CompletedArguments(engine::Provider& inner) : inner_(inner) {}

  Task<Result<engine::AssistantMessage>> complete(engine::ModelRequest request,
                                                  engine::StreamSink& sink,
                                                  engine::AbortSignal signal) override {
    ArgumentsText heard(sink);
    auto answer = co_await inner_.complete(std::move(request), heard, std::move(signal));
    if (answer) complete_last_call(*answer, heard.text);
    co_return answer;
  }

 private:
  static void complete_last_call(engine::AssistantMessage& answer, const std::string& text) {
    if (answer.content.empty()) return;
    auto* call = std::get_if<engine::ToolCallBlock>(&answer.content.back());
    if (call == nullptr || call->arguments_error.empty()) return;
    const auto whole = parse_json(text + "\"}");
    if (!whole) return;
    call->arguments = SharedJson(*whole);
    call->arguments_error.clear();
  }

  engine::Provider& inner_;
};

/// Only the newest messages are sent, wherever that cuts.
class NewestMessages final : public engine::Provider {
 public:
  explicit NewestMessages(engine::Provider& inner) : inner_(inner) {}

  Task<Result<engine::AssistantMessage>> complete(engine::ModelRequest request,
                                                  engine::StreamSink& sink,
                                                  engine::AbortSignal signal) override {
    constexpr std::int64_t kMessagesMax = 4;
    std::vector<SharedJson> messages(request.messages.begin(), request.messages.end());
    const auto dropped = std::max(std::ssize(messages) - kMessagesMax, std::ptrdiff_t{0});
    messages.erase(messages.begin(), messages.begin() + dropped);
    request.messages = std::move(messages);
    return inner_.complete(std::move(request), sink, std::move(signal));
  }

 private:
  engine::Provider& inner_;
};

template <class Decorator>
Mutant provider_mutant(std::string name, std::string rule, std::string change) {
  Mutant mutant = port_mutant(std::move(name), std::move(rule), std::move(change));
  mutant.alterations.provider = [](engine::Provider& inner, engine::Loop&) {
    return std::make_unique<Decorator>(inner);
  };
  return mutant;
}

}  // namespace

std::vector<Mutant> pain_mutants() {
  std::vector<Mutant> list;
  add_edit_pains(list);
  list.push_back(
      trips_also(policy_mutant("hook-patched-content-is-a-success", "HOOK-17",
                               "a patch without isError takes the error away",
                               [](Policies& policies) { policies.apply_patch = patch_to_success; }),
                 {"RESULT-05", "RESULT-13"}));
  list.push_back(
      trips_also(processes_mutant<DeafProcesses>("bash-never-hears-the-abort", "BASH-15",
                                                 "a command does not get the signal of its call"),
                 {"BASH-16", "ABORT-02", "ABORT-05", "ABORT-06", "EVENT-03", "EVENT-04"}));
  list.push_back(
      processes_mutant<UntilEndOfPipes>("bash-waits-for-the-end-of-pipes", "BASH-22",
                                        "a call lasts until nobody holds the command's streams"));
  list.push_back(
      trips_also(provider_mutant<CompletedArguments>("pipe-half-arguments-are-completed", "PIPE-15",
                                                     "arguments that were cut are completed"),
                 {"EVENT-04", "PIPE-09", "PIPE-20", "WRITE-08"}));
  list.push_back(policy_mutant("event-failed-answer-is-sent-again", "EVENT-30",
                               "a failed answer stays in the conversation", [](Policies& policies) {
                                 policies.session.answer_is_sent_again = [](engine::StopReason) {
                                   return true;
                                 };
                               }));
  list.push_back(
      trips_also(provider_mutant<NewestMessages>("batch-requests-begin-anywhere", "BATCH-17",
                                                 "of a long conversation the end is sent"),
                 {"BATCH-06", "CACHE-10", "CACHE-11"}));
  return list;
}

std::vector<std::string> mutants_of_pain(const std::string& pain) {
  static const std::map<std::string, std::vector<std::string>> kMutants{
      {"P11", {"queue-key-for-each-call", "queue-key-is-the-name"}},
      {"P12",
       {"edit-keeps-the-old-text", "edit-makes-line-ends-equal", "edit-normalises-one-edit-only",
        "edit-writes-line-feeds"}},
      {"P15",
       {"hook-patched-content-is-a-success", "result-message-is-never-an-error",
        "result-returned-error-is-ignored"}},
      {"P16",
       {"abort-fresh-signal-for-each-call", "abort-signal-is-not-passed-on",
        "bash-never-hears-the-abort", "event-update-after-the-end"}},
      {"P18",
       {"bash-abort-kills-the-shell-alone", "bash-timeout-kills-the-shell-alone",
        "bash-waits-for-the-end-of-pipes"}},
      {"P19", {"bash-counts-lines-alone", "result-details-are-shown"}},
      {"P20",
       {"batch-cut-answer-runs", "event-failed-answer-is-sent-again", "event-failed-answer-runs",
        "pipe-half-arguments-are-completed"}},
      {"P21", {"batch-last-result-is-lost", "batch-requests-begin-anywhere"}},
  };
  const auto found = kMutants.find(pain);
  return found == kMutants.end() ? std::vector<std::string>() : found->second;
}

}  // namespace plumb::simulator
