// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include "simulator/script/parse.h"

namespace plumb::simulator {
namespace {

CallScript parse_call(YamlView view) {
  const Fields fields(view);
  CallScript call;
  call.id = fields.text("id");
  call.tool = fields.text("tool");
  call.args = fields.json("args", Json::object());
  call.arguments_text = fields.text("arguments_text");
  call.arguments_error = fields.text("arguments_error");
  call.place = view.place();
  return call;
}

std::optional<FailureScript> parse_failure(std::optional<YamlView> view) {
  if (!view) return std::nullopt;
  const Fields fields(*view);
  return FailureScript{fields.text("kind"),       fields.text("message"),
                       fields.number("status"),   fields.number("retry_after_ms", -1),
                       fields.number("after"),    fields.text("code"),
                       fields.maybe_text("body"), fields.maybe_flag("should_retry")};
}

std::optional<ReplyFaultScript> parse_fault(std::optional<YamlView> view) {
  if (!view) return std::nullopt;
  const Fields fields(*view);
  return ReplyFaultScript{fields.text("kind"),     fields.number("at", -1),
                          fields.text("call"),     fields.text("close", "reset"),
                          fields.number("ms", -1), view->place()};
}

WireScript parse_wire(std::optional<YamlView> view) {
  const Fields fields(view);
  WireScript wire;
  // A number of bytes, or a word.
  const Json write = fields.json("write");
  if (write.is_string()) wire.write = write.get<std::string>();
  if (write.is_number_integer()) wire.write = std::to_string(write.get<std::int64_t>());
  wire.interleave = fields.flag("interleave");
  wire.omit = fields.texts("omit");
  wire.signature = fields.text("signature");
  wire.redacted = fields.text("redacted");
  return wire;
}

std::optional<UsageScript> parse_usage(std::optional<YamlView> view) {
  if (!view) return std::nullopt;
  const Fields fields(*view);
  return UsageScript{fields.number("input"), fields.number("output"), fields.number("cache_read"),
                     fields.number("cache_write"), fields.number("reasoning")};
}

std::optional<RequestMatch> parse_request_match(std::optional<YamlView> view) {
  if (!view) return std::nullopt;
  const Fields fields(*view);
  RequestMatch match;
  if (fields.has("user")) match.user = parse_match(fields.find("user"));
  for (const auto& [call, text] : members_of(fields.find("results"))) {
    match.results.emplace_back(call, parse_match(text));
  }
  match.tools = fields.maybe_texts("tools");
  match.model = fields.maybe_text("model");
  match.place = view->key_place();
  return match;
}

Action parse_model(YamlView view) {
  ModelStep model;
  if (view.value->is_string()) {
    model.text = view.value->get<std::string>();
    return model;
  }
  const Fields fields(view);
  model.track = fields.text("track", model.track);
  model.text = fields.text("text");
  model.thinking = fields.text("thinking");
  for (const YamlView& call : fields.list("calls")) model.calls.push_back(parse_call(call));
  model.stop = fields.text("stop");
  model.fail = parse_failure(fields.find("fail"));
  model.fault = parse_fault(fields.find("fault"));
  model.wire = parse_wire(fields.find("wire"));
  model.usage = parse_usage(fields.find("usage"));
  model.delay_ms = fields.number("delay_ms");
  model.delta_delay_ms = fields.number("delta_delay_ms");
  model.chunk = fields.number("chunk");
  model.until = fields.trigger("until");
  model.match = parse_request_match(fields.find("match"));
  return model;
}

Action parse_input(YamlView view, std::string mode) {
  InputStep input;
  input.mode = std::move(mode);
  if (view.value->is_string()) {
    input.text = view.value->get<std::string>();
    return input;
  }
  input.text = Fields(view).text("text");
  input.when = Fields(view).trigger("when");
  return input;
}

Action parse_prompt(YamlView view) {
  return parse_input(view, "prompt");
}
Action parse_steer(YamlView view) {
  return parse_input(view, "steer");
}
Action parse_follow_up(YamlView view) {
  return parse_input(view, "follow_up");
}
Action parse_abort(YamlView view) {
  return AbortStep{Fields(view).trigger("when")};
}
Action parse_crash(YamlView view) {
  return CrashStep{Fields(view).trigger("when")};
}
Action parse_reload(YamlView view) {
  return ReloadStep{Fields(view).trigger("when")};
}
Action parse_resume(YamlView /*view*/) {
  return ResumeStep{};
}
Action parse_new_session(YamlView /*view*/) {
  return NewSessionStep{};
}
Action parse_navigate(YamlView view) {
  return NavigateStep{view.value->get<std::string>()};
}
Action parse_fork(YamlView view) {
  return ForkStep{view.value->get<std::string>()};
}
Action parse_install(YamlView view) {
  return InstallStep{parse_extension(view), false};
}
Action parse_replace(YamlView view) {
  return InstallStep{parse_extension(view), true};
}
Action parse_uninstall(YamlView view) {
  return UninstallStep{view.value->get<std::string>()};
}
Action parse_wait(YamlView view) {
  return WaitStep{view.value->get<std::int64_t>()};
}

Action parse_configure(YamlView view) {
  const Fields fields(view);
  ConfigureStep configure;
  configure.active = fields.maybe_texts("active");
  configure.model = fields.maybe_text("model");
  configure.thinking = fields.maybe_text("thinking");
  configure.execution = fields.maybe_text("execution");
  configure.steering = fields.maybe_text("steering");
  configure.follow_up = fields.maybe_text("follow_up");
  configure.has_ui = fields.maybe_flag("ui");
  configure.when = fields.trigger("when");
  return configure;
}

Action parse_write(YamlView view) {
  return WriteStep{parse_file(Fields(view).text("path"), view), Fields(view).trigger("when")};
}

using StepParser = Action (*)(YamlView);

constexpr std::array<std::pair<std::string_view, StepParser>, 16> kStepParsers = {{
    {"user", parse_prompt},
    {"steer", parse_steer},
    {"follow_up", parse_follow_up},
    {"model", parse_model},
    {"abort", parse_abort},
    {"crash", parse_crash},
    {"reload", parse_reload},
    {"resume", parse_resume},
    {"new_session", parse_new_session},
    {"navigate", parse_navigate},
    {"fork", parse_fork},
    {"configure", parse_configure},
    {"install", parse_install},
    {"replace", parse_replace},
    {"uninstall", parse_uninstall},
    {"write", parse_write},
}};

StepParser parser_of(std::string_view name) {
  for (const auto& [known, parser] : kStepParsers) {
    if (known == name) return parser;
  }
  PLUMB_ASSERT(name == "wait");
  return parse_wait;
}

/// A step is its name alone, or a map with its name as the one key.
Step parse_step(YamlView view) {
  static const Json kNothing;
  if (view.value->is_string()) {
    const YamlView nothing{&kNothing, view.places};
    return {parser_of(view.value->get_ref<const std::string&>())(nothing), view.place()};
  }
  const auto [name, argument] = members_of(view).front();
  return {parser_of(name)(argument), view.place()};
}

std::string_view name_of_input(const InputStep& input) {
  return input.mode == "prompt" ? "user" : std::string_view(input.mode);
}

}  // namespace

std::vector<Step> parse_steps(const Fields& root) {
  std::vector<Step> steps;
  for (const YamlView& view : root.list("steps")) steps.push_back(parse_step(view));
  return steps;
}

std::string_view name_of(const Step& step) {
  static constexpr std::array<std::string_view, 14> kNames = {
      "model",    "user", "abort",     "crash",   "resume",    "reload", "new_session",
      "navigate", "fork", "configure", "install", "uninstall", "write",  "wait"};
  static_assert(kNames.size() == std::variant_size_v<Action>);
  if (const auto* input = std::get_if<InputStep>(&step.action)) return name_of_input(*input);
  const auto* install = std::get_if<InstallStep>(&step.action);
  if (install != nullptr && install->replaces) return "replace";
  return kNames[step.action.index()];
}

}  // namespace plumb::simulator
