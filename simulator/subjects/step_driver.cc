// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/step_driver.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "engine/values/json_members.h"
#include "simulator/script/place.h"
#include "simulator/subjects/host_choices.h"

namespace plumb::simulator {

using engine::Task;

const Trigger& trigger_of(const Step& step) {
  static const Trigger kNone;
  return std::visit(
      [](const auto& action) -> const Trigger& {
        if constexpr (requires { action.when; }) {
          return action.when;
        } else {
          return kNone;
        }
      },
      step.action);
}

namespace {

std::optional<EventPattern> pattern_of(const Step& step) {
  const Trigger& trigger = trigger_of(step);
  if (trigger.text.empty()) return std::nullopt;
  auto pattern = parse_event_pattern(trigger.text);
  PLUMB_ASSERT(pattern.has_value());  // the loader has read it
  return *std::move(pattern);
}

}  // namespace

namespace {

bool changes_session(const Step& step) {
  return std::holds_alternative<ForkStep>(step.action) ||
         std::holds_alternative<NewSessionStep>(step.action) ||
         std::holds_alternative<ResumeStep>(step.action);
}

bool is_called(const engine::TreeEntry& entry, std::string_view role) {
  return entry.type == "message" && text_at(at(entry.json.get(), "message"), "role") == role;
}

/// The entry that a step names: "user 2" is the second of the branch, or else of the session;
/// "start" the first of the branch.
std::optional<std::string> entry_named(const engine::SessionTree& tree, const std::string& name) {
  const auto branch = tree.branch();
  if (name == "start") {
    return branch.empty() ? std::nullopt : std::optional(branch.front()->id);
  }
  const auto blank = name.find(' ');
  const std::string role = name.substr(0, blank);
  const auto number = std::stoll(name.substr(blank + 1));
  std::int64_t count = 0;
  for (const auto* entry : branch) {
    if (is_called(*entry, role) && ++count == number) return entry->id;
  }
  count = 0;
  for (const auto& entry : tree.entries()) {
    if (is_called(entry, role) && ++count == number) return entry.id;
  }
  return std::nullopt;
}

}  // namespace

StepDriver::StepDriver(const Scenario& scenario, SessionWorld& world, bool is_swept)
    : scenario_(scenario), world_(world), is_swept_(is_swept) {
  for (const auto& step : scenario.steps) {
    if (!std::holds_alternative<ModelStep>(step.action)) steps_.push_back(&step);
  }
  for (const auto* step : steps_) triggers_.push_back(pattern_of(*step));
  // All that is waited for is known before the run begins.
  const bool is_awaited =
      world.gate().is_watching() ||
      std::ranges::any_of(triggers_, [](const auto& trigger) { return trigger.has_value(); });
  if (is_awaited) world_.recorder().listen([this](const Event& event) { on_event(event); });
}

StepDriver::~StepDriver() {
  world_.recorder().listen({});
}

void StepDriver::arm() {
  armed_.reset();
  if (next_ < steps_.size() && triggers_[next_]) armed_.emplace(*triggers_[next_]);
}

/// Whatever a step waits for, the order of such events decides which one it is.
void StepDriver::note_trigger(const Event& event) const {
  for (std::size_t i = next_; i < triggers_.size(); ++i) {
    if (!triggers_[i] || !matches(*triggers_[i], event)) continue;
    world_.loop().note(engine::TouchKind::signal, "the next step", true);
  }
}

void StepDriver::on_event(const Event& event) {
  world_.gate().see(event);
  note_trigger(event);
  if (!armed_ || !armed_->hits(event)) return;
  // Steps in a row that wait for one event all act at it, in their order.
  const auto awaited = triggers_[next_];
  do {
    fire();
  } while (next_ < steps_.size() && triggers_[next_] == awaited);
}

void StepDriver::fire() {
  const Step& step = *steps_[next_++];
  arm();
  if (!apply_now(step)) refuse(step, "cannot be applied while the engine runs");
}

void StepDriver::note(const Step& step, Json data) {
  plumb::Step event;
  event.step = name_of(step);
  event.data = SharedJson(std::move(data));
  event.line = step.place.line;
  world_.recorder().record(Source::host, std::move(event));
}

void StepDriver::refuse(const Step& step, std::string message) {
  errors_.push_back({ErrorCode::rejected,
                     "step '" + std::string(name_of(step)) + "' " + std::move(message),
                     located(scenario_.file, step.place)});
}

/// This subject has no further life.
void StepDriver::refuse_rest() {
  armed_.reset();
  while (next_ < steps_.size()) {
    refuse(*steps_[next_++], "was not played: the engine had crashed");
  }
}

/// Somebody else's write; a link takes the place of what is there.
void StepDriver::put(const FileScript& file) {
  const std::string path = absolute_of(file.path);
  if (file.kind != FileKind::link) return world_.files().put_file(path, file.bytes);
  const engine::FileRequest removal(engine::FileOp::remove, path);
  const auto removed = world_.files().perform_now(removal);
  if (removed || removed.error().code == ErrorCode::not_found) {
    world_.files().put_symlink(path, file.target);
  }
}

void StepDriver::configure(const ConfigureStep& change) {
  auto& session = world_.session();
  if (change.active) session.set_active_tools(*change.active);
  if (change.model) session.set_model(*change.model);
  if (change.has_ui) world_.user().set_attached(*change.has_ui);
}

/// What can be done at once, inside the event that a step waited for: flags and queues only.
bool StepDriver::apply_now(const Step& step) {
  if (const auto* input = std::get_if<InputStep>(&step.action)) {
    if (input->mode == "prompt") return false;
    note(step, Json{{"text", input->text}});
    if (input->mode == "steer") world_.session().steer(input->text);
    if (input->mode == "follow_up") world_.session().follow_up(input->text);
    return true;
  }
  if (std::holds_alternative<AbortStep>(step.action)) {
    note(step, Json());
    world_.session().abort();
    return true;
  }
  if (std::holds_alternative<CrashStep>(step.action)) {
    has_crashed_ = true;
    world_.sever();
    world_.host_recorder().record(Source::host, Crash());
    refuse_rest();
    world_.loop().stop({ErrorCode::aborted, "the incarnation crashed", {}});
    return true;
  }
  if (const auto* change = std::get_if<ConfigureStep>(&step.action)) {
    note(step, change->model ? Json{{"model", *change->model}} : Json());
    configure(*change);
    return true;
  }
  if (const auto* write = std::get_if<WriteStep>(&step.action)) {
    note(step, Json{{"path", write->file.path}});
    world_.loop().note(engine::TouchKind::file, absolute_of(write->file.path), true);
    put(write->file);
    return true;
  }
  return false;
}

/// Where the session stands after a step that moves it.
void StepDriver::note_place(Json data) {
  const auto& store = world_.session().store();
  const auto& leaf = store.tree().leaf();
  data["leaf"] = leaf ? Json(*leaf) : Json();
  data["entries"] = store.tree().entries().size();
  data["file"] = store.path();
  Notify event;
  event.by = "<host>";
  event.topic = "session_place";
  event.data = SharedJson(std::move(data));
  world_.recorder().record(Source::host, std::move(event));
}

Task<Result<void>> StepDriver::navigate(std::string to) {
  const auto target = entry_named(world_.session().store().tree(), to);
  auto done = co_await world_.session().navigate(target.value_or(to));
  Json data{{"to", target.value_or(to)}};
  if (done) data["cancelled"] = done->is_cancelled;
  if (!done) data["error"] = done.error().message;
  if (done && done->editor_text) data["editorText"] = *done->editor_text;
  note_place(std::move(data));
  co_return Result<void>();
}

Task<Result<void>> StepDriver::change_session(const Step* step) {
  auto& session = world_.session();
  const auto* fork = std::get_if<ForkStep>(&step->action);
  note(*step, fork != nullptr ? Json{{"at", fork->at}} : Json());
  arm();
  Result<bool> done = false;
  if (fork != nullptr) {
    const auto at = entry_named(session.store().tree(), fork->at);
    done = co_await session.fork(at.value_or(fork->at));
  } else if (std::holds_alternative<NewSessionStep>(step->action)) {
    done = co_await session.new_session();
  } else {
    std::string path = session.store().path();
    if (path.empty()) {
      refuse(*step, "needs a session that is kept in a file");
      co_return Result<void>();
    }
    done = co_await session.resume(std::move(path));
  }
  Json data = Json::object();
  if (done) data["cancelled"] = !*done;
  if (!done) data["error"] = done.error().message;
  note_place(std::move(data));
  co_return Result<void>();
}

Task<Result<void>> StepDriver::prompt(std::string text) {
  // Interruptions may come from the first event on.
  arm();
  co_return co_await world_.session().prompt(std::move(text));
}

Task<Result<void>> StepDriver::apply_idle(std::size_t index) {
  const Step& step = *steps_[index];
  if (const auto* input = std::get_if<InputStep>(&step.action); input && input->mode == "prompt") {
    note(step, Json{{"text", input->text}});
    co_return co_await prompt(input->text);
  }
  if (const auto* wait = std::get_if<WaitStep>(&step.action)) {
    note(step, Json{{"ms", wait->ms}});
    arm();
    co_await world_.loop().sleep_ms(wait->ms);
    co_return Result<void>();
  }
  if (std::holds_alternative<ReloadStep>(step.action)) {
    note(step, Json());
    arm();
    co_return co_await world_.session().reload();
  }
  if (const auto* gone = std::get_if<UninstallStep>(&step.action)) {
    note(step, Json{{"name", gone->name}});
    arm();
    co_return co_await world_.session().reload(world_.without_extension(gone->name));
  }
  if (const auto* move = std::get_if<NavigateStep>(&step.action)) {
    note(step, Json{{"to", move->to}});
    arm();
    co_return co_await navigate(move->to);
  }
  if (changes_session(step)) {
    co_return co_await change_session(&step);
  }
  if (!apply_now(step)) refuse(step, "is not known to the reference session");
  arm();
  co_return Result<void>();
}

/// A run that the scenario expects to end in an error may say so (EVENT-28); one that was cut may
/// have no answers left.
bool StepDriver::is_expected(const Error& error) const {
  if (is_swept_) return true;
  return scenario_.expect.settled == "error" && error.code == ErrorCode::exhausted;
}

/// What the session counted, for rules about its totals (RESULT-09).
void StepDriver::note_usage() {
  const engine::Usage usage = world_.session().total_usage();
  Notify note;
  note.by = "<host>";
  note.topic = "session_usage";
  note.data = SharedJson(Json{{"input", usage.input},
                              {"output", usage.output},
                              {"cacheRead", usage.cache_read},
                              {"cacheWrite", usage.cache_write}});
  world_.recorder().record(Source::host, std::move(note));
}

Task<Result<void>> StepDriver::play() {
  plumb::Step start;
  start.step = "start";
  start.data = SharedJson(host_choices(scenario_));
  world_.recorder().record(Source::host, std::move(start));
  arm();
  auto started = co_await world_.session().start();
  if (!started) co_return started;
  while (next_ < steps_.size()) {
    const Step& step = *steps_[next_];
    if (!trigger_of(step).text.empty()) {
      refuse(step, "waited for '" + trigger_of(step).text + "', which never came");
      ++next_;
      arm();
      continue;
    }
    auto applied = co_await apply_idle(next_++);
    if (!applied && !is_expected(applied.error())) {
      applied.error().where = located(scenario_.file, step.place);
      co_return applied;
    }
  }
  note_usage();
  co_await world_.session().shutdown();
  co_return Result<void>();
}

}  // namespace plumb::simulator
