// SPDX-License-Identifier: Apache-2.0
// Mutants of what tools, gates and hosts owe on their own side: PIPE-10, PIPE-11, HOOK-10, HOOK-24,
// HOOK-25, BATCH-18, RESULT-14, RESULT-21, ABORT-05.
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "property-tests/mutants/order_mutants.h"
#include "property-tests/mutants/outer_files.h"
#include "property-tests/mutants/outer_hooks.h"

namespace plumb::simulator {
namespace {

using engine::Policies;
using engine::Task;
using engine::ToolResult;

using AlterSession = void (*)(engine::SessionOptions&);

Mutant session_mutant(std::string name, std::string rule, std::string change, AlterSession alter) {
  Mutant mutant;
  mutant.name = std::move(name);
  mutant.kind = MutantKind::extension;
  mutant.rule = std::move(rule);
  mutant.change = std::move(change);
  mutant.alterations.session = alter;
  return mutant;
}

/// A tool that is run with arguments of somebody else's choice.
class OtherArguments final {
 public:
  using Choose = void (*)(Json& arguments);
  OtherArguments(std::function<Task<ToolResult>(engine::ToolCall)> inner, Choose choose)
      : inner_(std::move(inner)), choose_(choose) {}

  Task<ToolResult> operator()(engine::ToolCall call) const {
    call.params = std::make_shared<Json>(*call.params);
    choose_(*call.params);
    return inner_(std::move(call));
  }

 private:
  std::function<Task<ToolResult>(engine::ToolCall)> inner_;
  Choose choose_;
};

void trust_the_schema(engine::SessionOptions& options) {
  for (auto& tool : options.sdk_tools) {
    tool.execute = OtherArguments(std::move(tool.execute), [](Json& args) { args["limit"] = 1; });
  }
}

/// The approval counts for the call, whatever its statement has become.
void trust_the_call_id(engine::SessionOptions& options) {
  for (auto& tool : options.sdk_tools) {
    tool.execute =
        OtherArguments(std::move(tool.execute), [](Json& args) { args["sql"] = "SELECT 2"; });
  }
}

// ------------------------------------------------------------------ acts before it looks

using CurrentPort = std::shared_ptr<engine::Files*>;

class HastyTool final {
 public:
  HastyTool(std::function<Task<ToolResult>(engine::ToolCall)> inner, CurrentPort files)
      : inner_(std::move(inner)), files_(std::move(files)) {}

  Task<ToolResult> operator()(engine::ToolCall call) const {
    return run(inner_, *files_, std::move(call));
  }

 private:
  static Task<ToolResult> run(std::function<Task<ToolResult>(engine::ToolCall)> inner,
                              engine::Files* files, engine::ToolCall call) {
    co_await files->append("/workspace/hasty.log", "begun\n");
    ToolResult result = co_await inner(std::move(call));
    co_return result;
  }

  std::function<Task<ToolResult>(engine::ToolCall)> inner_;
  CurrentPort files_;
};

Mutant hasty_tool() {
  Mutant mutant;
  mutant.name = "pipe-acts-before-the-final-check";
  mutant.kind = MutantKind::extension;
  mutant.rule = "PIPE-10";
  mutant.change = "a tool acts before it looks at its arguments";
  mutant.alterations.for_run = [](Alterations& own) {
    const auto current = std::make_shared<engine::Files*>(nullptr);
    own.files = [current](engine::Files& inner, engine::Loop&) {
      auto files = std::make_unique<OuterFiles>(inner);
      *current = files.get();
      return files;
    };
    own.session = [current](engine::SessionOptions& options) {
      for (auto& tool : options.sdk_tools) {
        tool.execute = HastyTool(std::move(tool.execute), current);
      }
    };
  };
  return mutant;
}

// ------------------------------------------------------------------ the host's hook

/// Keeps the result when a hook inside fails; `is_error` says whether the failure is told at all.
template <bool kIsError>
class ForgivingHooks final : public OuterHooks {
 public:
  using OuterHooks::OuterHooks;

  Task<ToolResult> after_call(engine::CallView call, ToolResult result) override {
    ToolResult kept = result;
    bool has_failed = false;
    try {
      result = co_await inner_.after_call(std::move(call), std::move(result));
    } catch (...) {
      has_failed = true;
    }
    if (!has_failed) co_return result;
    kept.is_error = kIsError;
    co_return kept;
  }
};

/// Forgiving hooks around those of the host, which stand around those of the extensions.
template <bool kIsError>
class HooksAround final : public engine::ToolHooks {
 public:
  explicit HooksAround(std::unique_ptr<engine::ToolHooks> host)
      : host_(std::move(host)), forgiving_(*host_) {}

  Task<engine::BeforeOutcome> before_call(engine::CallView call) override {
    return forgiving_.before_call(std::move(call));
  }
  Task<ToolResult> after_call(engine::CallView call, ToolResult result) override {
    return forgiving_.after_call(std::move(call), std::move(result));
  }
  Task<void> on_event(std::string call_id, Payload event) override {
    return forgiving_.on_event(std::move(call_id), std::move(event));
  }
  bool wants(std::string_view kind) const override { return forgiving_.wants(kind); }

 private:
  std::unique_ptr<engine::ToolHooks> host_;
  ForgivingHooks<kIsError> forgiving_;
};

template <bool kIsError>
void forgive_the_host(engine::SessionOptions& options) {
  if (!options.wrap_hooks) return;
  options.wrap_hooks = [wrap = options.wrap_hooks](engine::ToolHooks& inner) {
    return std::make_unique<HooksAround<kIsError>>(wrap(inner));
  };
}

// ------------------------------------------------------------------ gates, marks, signals

/// A gate that takes an empty chair for a yes.
Task<engine::HandlerResult> allow_without_user(engine::HandlerContext context) {
  engine::Dialog dialog("confirm", "may it write");
  const engine::DialogAnswer answer = co_await context.host->ui().ask(std::move(dialog));
  std::optional<Json> verdict;
  const bool is_refused = answer.by == "user" && answer.value != true;
  if (is_refused) verdict = Json{{"block", true}, {"reason", "the user said no"}};
  co_return verdict;
}

Task<Result<void>> load_trusting_gate(engine::ExtensionApi* api) {
  const auto added = api->on("tool_call", allow_without_user);
  co_return added ? Result<void>() : std::unexpected(added.error());
}

void trust_silence(engine::SessionOptions& options) {
  for (auto& extension : options.extensions) {
    extension.factory = [](engine::ExtensionApi& api) { return load_trusting_gate(&api); };
  }
}

void forget_the_marks(engine::SessionOptions& options) {
  for (auto& tool : options.sdk_tools) tool.execution_mode = engine::ExecutionMode::parallel;
}

void keep_the_signal_back(engine::SessionOptions& options) {
  for (auto& tool : options.sdk_tools) {
    tool.execute = [execute = tool.execute](engine::ToolCall call) {
      call.signal = engine::AbortSignal();
      return execute(std::move(call));
    };
  }
}

// ------------------------------------------------------------------ redaction

using KeptBlocks = std::map<std::string, std::vector<engine::ContentBlock>>;

class BlockKeeper final : public OuterHooks {
 public:
  BlockKeeper(engine::ToolHooks& inner, std::shared_ptr<KeptBlocks> kept)
      : OuterHooks(inner), kept_(std::move(kept)) {}

  Task<ToolResult> after_call(engine::CallView call, ToolResult result) override {
    (*kept_)[call.id] = result.content;
    return inner_.after_call(std::move(call), std::move(result));
  }

 private:
  // Shared with the message policy of the same mutant.
  std::shared_ptr<KeptBlocks> kept_;
};

/// The event shows the redacted content; the message that is stored and sent does not.
Mutant redaction_for_show() {
  Mutant mutant;
  mutant.name = "result-secret-is-redacted-for-show";
  mutant.kind = MutantKind::extension;
  mutant.rule = "RESULT-21";
  mutant.also = {"RESULT-01", "HOOK-16"};
  mutant.change = "handlers redact what is shown, not what is stored and sent";
  mutant.alterations.for_run = [](Alterations& own) {
    const auto kept = std::make_shared<KeptBlocks>();
    own.session = [kept](engine::SessionOptions& options) {
      options.wrap_hooks = [kept](engine::ToolHooks& inner) {
        return std::make_unique<BlockKeeper>(inner, kept);
      };
    };
    own.policies = [kept](Policies& policies) {
      policies.result_message = [kept](const engine::FinishedCall& call) {
        auto message = engine::result_message(call);
        if (kept->contains(call.id)) message.content = kept->at(call.id);
        return message;
      };
    };
  };
  return mutant;
}

}  // namespace

std::vector<Mutant> guard_mutants() {
  return {
      trips_also(hasty_tool(), {"HOOK-10"}),
      session_mutant("pipe-tool-trusts-the-schema", "PIPE-11",
                     "a tool does not look at its final arguments", trust_the_schema),
      trips_also(
          session_mutant("hook-approval-counts-for-the-call", "HOOK-10",
                         "an approval covers whatever the call has become", trust_the_call_id),
          {"PIPE-10"}),
      trips_also(session_mutant("hook-host-failure-is-isolated", "HOOK-24",
                                "a throw of the host's hook is forgotten", forgive_the_host<false>),
                 {"RESULT-14"}),
      trips_also(session_mutant("result-host-failure-keeps-the-result", "RESULT-14",
                                "a throw of the host's hook flags the tool's result as an error",
                                forgive_the_host<true>),
                 {"HOOK-24", "RESULT-16"}),
      session_mutant("hook-gate-without-user-is-open", "HOOK-25",
                     "a gate lets pass what nobody answered", trust_silence),
      trips_also(session_mutant("batch-counter-is-not-marked", "BATCH-18",
                                "tools that depend on each other's order are not marked",
                                forget_the_marks),
                 {"BATCH-02"}),
      redaction_for_show(),
      trips_also(session_mutant("abort-signal-is-not-passed-on", "ABORT-05",
                                "a tool holds the signal and works on", keep_the_signal_back),
                 {"ABORT-03"}),
  };
}

}  // namespace plumb::simulator
