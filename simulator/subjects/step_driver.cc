// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/step_driver.h"

#include <type_traits>
#include <utility>

#include "simulator/script/place.h"

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

StepDriver::StepDriver(const Scenario& scenario, SessionWorld& world)
    : scenario_(scenario), world_(world) {
  for (const auto& step : scenario.steps) {
    if (!std::holds_alternative<ModelStep>(step.action)) steps_.push_back(&step);
  }
  world_.recorder().listen([this](const Event& event) { on_event(event); });
}

StepDriver::~StepDriver() {
  world_.recorder().listen({});
}

void StepDriver::arm() {
  armed_.reset();
  if (next_ == steps_.size()) return;
  const Trigger& trigger = trigger_of(*steps_[next_]);
  if (trigger.text.empty()) return;
  auto pattern = parse_event_pattern(trigger.text);
  PLUMB_ASSERT(pattern.has_value());  // the loader has read it
  armed_.emplace(*std::move(pattern));
}

void StepDriver::on_event(const Event& event) {
  world_.gate().see(event);
  if (armed_ && armed_->hits(event)) fire();
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
    world_.recorder().record(Source::host, Crash());
    world_.sever();
    world_.loop().stop({ErrorCode::aborted, "the incarnation crashed", {}});
    return true;
  }
  if (const auto* change = std::get_if<ConfigureStep>(&step.action)) {
    note(step, Json());
    configure(*change);
    return true;
  }
  if (const auto* write = std::get_if<WriteStep>(&step.action)) {
    note(step, Json{{"path", write->file.path}});
    world_.files().put_file(absolute_of(write->file.path), write->file.bytes);
    return true;
  }
  return false;
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
  if (!apply_now(step)) refuse(step, "is not known to the reference session");
  arm();
  co_return Result<void>();
}

/// What the host decided before the start, as the checks need it.
Json StepDriver::host_choices() const {
  const ToolSettings& tools = scenario_.tools;
  Json chosen = Json::object();
  if (tools.active) chosen["active"] = *tools.active;
  if (tools.allow) chosen["allow"] = *tools.allow;
  if (!tools.exclude.empty()) chosen["exclude"] = tools.exclude;
  Json settings{{"execution", scenario_.settings.execution},
                {"steering", scenario_.settings.steering},
                {"follow_up", scenario_.settings.follow_up},
                {"has_ui", scenario_.settings.has_ui},
                {"model", scenario_.settings.model}};
  return Json{{"settings", std::move(settings)}, {"tools", std::move(chosen)}};
}

Task<Result<void>> StepDriver::play() {
  plumb::Step start;
  start.step = "start";
  start.data = SharedJson(host_choices());
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
    if (!applied) {
      applied.error().where = located(scenario_.file, step.place);
      co_return applied;
    }
  }
  co_await world_.session().shutdown();
  co_return Result<void>();
}

}  // namespace plumb::simulator
