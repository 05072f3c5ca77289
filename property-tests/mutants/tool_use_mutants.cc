// SPDX-License-Identifier: Apache-2.0
// Mutants of what a running tool is given and may reach: TOOL.
#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "property-tests/mutants/mutant.h"
#include "property-tests/mutants/outer_hooks.h"

namespace plumb::simulator {
namespace {

using engine::SessionOptions;
using engine::Task;
using engine::ToolCall;
using engine::ToolContext;
using engine::ToolDefinition;
using engine::ToolResult;
using ExecuteCall = std::function<Task<ToolResult>(ToolCall)>;

Mutant host_mutant(std::string name, std::string rule, std::string change,
                   std::function<void(SessionOptions&)> alter) {
  Mutant mutant;
  mutant.name = std::move(name);
  mutant.kind = MutantKind::extension;
  mutant.rule = std::move(rule);
  mutant.change = std::move(change);
  mutant.alterations.session = std::move(alter);
  return mutant;
}

// ------------------------------------------------------------------ the context

/// The context as it is, for those that change a part of it.
class OtherContext : public ToolContext {
 public:
  explicit OtherContext(ToolContext& inner) : inner_(inner) {}
  std::string cwd() const override { return inner_.cwd(); }
  std::string model() const override { return inner_.model(); }
  bool has_ui() const override { return inner_.has_ui(); }
  bool is_idle() const override { return inner_.is_idle(); }
  std::string system_prompt() const override { return inner_.system_prompt(); }
  SharedJson session_entries() const override { return inner_.session_entries(); }
  void abort() override { inner_.abort(); }
  void compact() override { inner_.compact(); }

 private:
  ToolContext& inner_;
};

class ContextOfTheStart final : public OtherContext {
 public:
  ContextOfTheStart(ToolContext& inner, const SessionOptions& options)
      : OtherContext(inner), model_(options.model) {}
  std::string model() const override { return model_; }

 private:
  std::string model_;
};

/// What a tool appended to the view stands in the session.
class WritableView final : public OtherContext {
 public:
  WritableView(ToolContext& inner, const SessionOptions& /*options*/) : OtherContext(inner) {}
  SharedJson session_entries() const override {
    Json entries = OtherContext::session_entries().get();
    entries.push_back(Json{{"id", "forged"}, {"type", "custom"}});
    return SharedJson(std::move(entries));
  }
};

/// Runs a tool with another context.
template <class Context>
class WithContext final {
 public:
  WithContext(ExecuteCall inner, SessionOptions options)
      : inner_(std::move(inner)),
        options_(std::make_shared<const SessionOptions>(std::move(options))) {}

  Task<ToolResult> operator()(ToolCall call) const {
    return run(inner_, options_, std::move(call));
  }

 private:
  static Task<ToolResult> run(ExecuteCall inner, std::shared_ptr<const SessionOptions> options,
                              ToolCall call) {
    Context context(*call.context, *options);
    call.context = &context;
    Task<ToolResult> running = inner(std::move(call));
    co_return co_await std::move(running);
  }

  ExecuteCall inner_;
  // Shared by the copies of this function object.
  std::shared_ptr<const SessionOptions> options_;
};

template <class Context>
void change_context(SessionOptions& options) {
  SessionOptions start;
  start.model = options.model;
  for (auto& tool : options.sdk_tools) {
    tool.execute = WithContext<Context>(std::move(tool.execute), start);
  }
}

// ------------------------------------------------------------------ definitions

Task<ToolResult> say_ok(ToolCall /*call*/) {
  co_return engine::text_result("ok");
}

ToolDefinition drafted_tool() {
  ToolDefinition tool;
  tool.name = "drafted";
  tool.description = "b";
  tool.parameters = SharedJson(Json{{"type", "object"}});
  tool.execute = say_ok;
  return tool;
}

/// A factory whose defineTool registers what it is given.
class RegisteringFactory final {
 public:
  explicit RegisteringFactory(engine::ExtensionFactory inner) : inner_(std::move(inner)) {}

  Task<Result<void>> operator()(engine::ExtensionApi& api) const { return run(inner_, api); }

 private:
  // NOLINTNEXTLINE(cppcoreguidelines-avoid-reference-coroutine-parameters): outlives extensions.
  static Task<Result<void>> run(engine::ExtensionFactory inner, engine::ExtensionApi& api) {
    auto loading = inner(api);
    auto loaded = co_await std::move(loading);
    if (!loaded) co_return loaded;
    co_return api.register_tool(engine::define_tool(drafted_tool()));
  }

  engine::ExtensionFactory inner_;
};

void let_define_register(SessionOptions& options) {
  if (options.extensions.empty()) return;
  auto& factory = options.extensions.front().factory;
  factory = RegisteringFactory(std::move(factory));
}

/// Each tool is kept with the source of the extension that registered before.
void mix_up_sources(engine::Policies& policies) {
  // Shared by the copies of the function; one a run.
  const auto last = std::make_shared<engine::SourceInfo>();
  policies.registry.source = [last](const engine::SourceInfo& extension) {
    const auto before = std::exchange(*last, extension);
    return before.path.empty() ? extension : before;
  };
}

// ------------------------------------------------------------------ reach

/// read_note opens its id as a path.
class NoteAsPath final {
 public:
  explicit NoteAsPath(ExecuteCall read) : read_(std::move(read)) {}

  Task<ToolResult> operator()(ToolCall call) const {
    Json params{{"path", call.params->value("id", "")}};
    call.params = std::make_shared<Json>(std::move(params));
    return read_(std::move(call));
  }

 private:
  ExecuteCall read_;
};

void read_notes_from_files(SessionOptions& options) {
  const auto read = std::ranges::find(options.builtin_tools, "read", &ToolDefinition::name);
  const auto note = std::ranges::find(options.sdk_tools, "read_note", &ToolDefinition::name);
  if (read == options.builtin_tools.end() || note == options.sdk_tools.end()) return;
  note->execute = NoteAsPath(read->execute);
}

/// Hooks that live in the wrapper of extension tools: a built-in's calls pass them by.
class BuiltinsEscape final : public OuterHooks {
 public:
  using OuterHooks::OuterHooks;

  Task<engine::BeforeOutcome> before_call(engine::CallView call) override {
    if (call.name != "read") co_return co_await inner_.before_call(std::move(call));
    co_return engine::BeforeOutcome();
  }
};

engine::ToolResultMessage message_with_structure(const engine::FinishedCall& call) {
  auto message = engine::result_message(call);
  const auto& structured = call.result.structured_content;
  if (!structured.is_null()) message.content.emplace_back(engine::TextBlock{structured.bytes()});
  return message;
}

}  // namespace

std::vector<Mutant> tool_use_mutants() {
  return {
      host_mutant("tool-define-registers", "TOOL-02", "defineTool registers the definition",
                  let_define_register),
      policy_mutant("tool-sources-are-mixed-up", "TOOL-03",
                    "a tool is kept with the source of the extension that registered before it",
                    mix_up_sources),
      host_mutant("tool-context-of-the-start", "TOOL-08",
                  "the context is made once, when the session starts",
                  change_context<ContextOfTheStart>),
      trips_also(
          hook_mutant<BuiltinsEscape>("tool-builtins-escape-the-hooks", "TOOL-09",
                                      "calls of a built-in pass the handlers of tool_call by"),
          {"HOOK-12"}),
      host_mutant("tool-note-is-a-path", "TOOL-18", "read_note opens its id as a path",
                  read_notes_from_files),
      trips_also(policy_mutant("tool-structure-is-shown", "TOOL-21",
                               "structuredContent is added to the model's text",
                               [](engine::Policies& policies) {
                                 policies.result_message = message_with_structure;
                               }),
                 {"RESULT-01"}),
      host_mutant("tool-session-view-is-writable", "TOOL-27",
                  "what a tool appends to its view of the session stays there",
                  change_context<WritableView>),
  };
}

}  // namespace plumb::simulator
