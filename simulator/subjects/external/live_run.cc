// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/external/live_run.h"

#include <algorithm>
#include <utility>

#include "simulator/script/place.h"
#include "simulator/subjects/external/start_message.h"
#include "simulator/subjects/host_choices.h"
#include "simulator/subjects/step_driver.h"

namespace plumb::simulator {

using engine::Task;

namespace {

/// How long an answer may be on its way when the engine has already made use of it: longest on a
/// machine that has much else to do.
constexpr std::int64_t kAnswerGraceMs = 1'000;
/// How long a request may be on its way that was sent before an abort.
constexpr std::int64_t kOnItsWayMs = 30;

void put_real_paths(TextMatch& match, const LivePlaceholders& placeholders) {
  for (auto* text : {&match.equals, &match.starts, &match.ends}) {
    if (*text) *text = placeholders.real(**text);
  }
  for (auto* texts : {&match.contains, &match.lacks}) {
    for (std::string& text : *texts) text = placeholders.real(text);
  }
}

ModelStep with_real_paths(ModelStep reply, const LivePlaceholders& placeholders) {
  reply.text = placeholders.real(reply.text);
  reply.thinking = placeholders.real(reply.thinking);
  for (auto& call : reply.calls) {
    call.args = placeholders.real_json(call.args);
    call.arguments_text = placeholders.real(call.arguments_text);
  }
  if (!reply.match) return reply;
  if (reply.match->user) put_real_paths(*reply.match->user, placeholders);
  for (auto& [call, text] : reply.match->results) put_real_paths(text, placeholders);
  return reply;
}

/// The script with the run's own paths in what the model says.
PlayerScript with_real_paths(PlayerScript script, const LivePlaceholders& placeholders) {
  for (auto& [track, replies] : script.tracks) {
    for (auto& scripted : replies) scripted.reply = with_real_paths(*scripted.reply, placeholders);
  }
  return script;
}

Json data_of(const Step& step) {
  if (const auto* input = std::get_if<InputStep>(&step.action)) return Json{{"text", input->text}};
  if (const auto* wait = std::get_if<WaitStep>(&step.action)) return Json{{"ms", wait->ms}};
  if (const auto* gone = std::get_if<UninstallStep>(&step.action)) {
    return Json{{"name", gone->name}};
  }
  if (const auto* write = std::get_if<WriteStep>(&step.action)) {
    return Json{{"path", write->file.path}};
  }
  const auto* change = std::get_if<ConfigureStep>(&step.action);
  return change != nullptr && change->model ? Json{{"model", *change->model}} : Json();
}

const Trigger& until_of(const Step& step) {
  static const Trigger kNone;
  const auto* reply = std::get_if<ModelStep>(&step.action);
  return reply == nullptr ? kNone : reply->until;
}

}  // namespace

LiveRun::LiveRun(const Scenario& scenario, LiveHost host, RunResult& result)
    : scenario_(scenario), host_(std::move(host)), result_(result), began_ms_(host_.loop.now_ms()) {
  for (const auto& step : scenario.steps) {
    if (!std::holds_alternative<ModelStep>(step.action)) steps_.push_back(&step);
  }
}

LiveRun::~LiveRun() = default;

void LiveRun::watch_for_replies() {
  for (const auto& step : scenario_.steps) {
    const Trigger& until = until_of(step);
    if (!until.text.empty()) awaited_.emplace(until.text, PatternCounter(until.pattern));
  }
}

void LiveRun::play() {
  auto sandbox = Sandbox::create(scenario_);
  if (!sandbox) return tell(std::move(sandbox).error());
  sandbox_.emplace(*std::move(sandbox));
  record_.emplace(
      result_.trace, [this] { return host_.loop.now_ms() - began_ms_; }, sandbox_->placeholders());
  record_->recorder().listen([this](const Event& event) { on_event(event); });
  watch_for_replies();
  host_.server.replay(with_real_paths(make_player_script(scenario_), sandbox_->placeholders()));
  before_ = sandbox_->state().value_or(SharedJson());
  fibers_.push_back(host_.loop.spawn(hear_news(), "news of the model"));
  auto played = host_.loop.run(play_steps());
  const bool has_played = played.has_value();
  is_over_ = true;
  if (record_->is_asked()) host_.server.wait_for_news(kAnswerGraceMs);
  take_news();
  host_.server.acknowledge();
  for (const auto fiber : fibers_) {
    if (host_.loop.is_running(fiber)) host_.loop.cancel(fiber);
  }
  record_->recorder().listen({});
  if (!has_played) tell(std::move(played).error());
  host_.engine.leave();
  add_final_files();
  // What follows from a run that came to no end says nothing new.
  if (is_late_) result_.errors.clear();
  if (!result_.untestable.empty() || !has_played) return;
  add_leftovers();
  for (auto& error : host_.engine.errors()) result_.errors.push_back(std::move(error));
}

std::string LiveRun::place_of_step() const {
  if (steps_.empty()) return scenario_.file;
  return located(scenario_.file, steps_[std::min(current_, steps_.size() - 1)]->place);
}

void LiveRun::tell(Error error) {
  if (error.code == ErrorCode::rejected) {
    result_.untestable = std::move(error.message);
    return;
  }
  // What a live subject does wrong is never the input's fault.
  if (error.code != ErrorCode::io) error.code = ErrorCode::protocol;
  if (error.where.empty()) error.where = place_of_step();
  result_.errors.push_back(std::move(error));
}

// ---------------------------------------------------------------- news of the fake model

/// What the engine said before it asked comes first; a request is answered when it is recorded.
void LiveRun::take_news() {
  host_.engine.drain();
  add_news(std::exchange(held_news_, {}));
  add_news(host_.server.take_news());
  acknowledge();
}

/// The engine gets no answer while it is being interrupted: it would go on.
void LiveRun::acknowledge() {
  if (interruptions_open_ == 0) host_.server.acknowledge();
}

void LiveRun::add_news(std::vector<ModelNews> news) {
  for (const auto& one : news) add_one(one);
}

/// A request that comes after an abort was on its way already if no turn has begun since, or if the
/// engine drops it; else the engine has gone on (ABORT-08).
void LiveRun::add_one(const ModelNews& news) {
  const auto* asked = std::get_if<ModelAsked>(&news);
  const auto* answered = std::get_if<ModelAnswered>(&news);
  if (asked != nullptr && was_aborted_) {
    suspects_.insert(asked->n);
    const auto& emits = result_.trace.header.emits;
    const bool shows_turns = std::ranges::find(emits, TurnStart::kKind) != emits.end();
    if (shows_turns && !has_turned_) too_late("abort");
  }
  const bool is_dropped = answered != nullptr && answered->stop_reason == "aborted";
  if (is_dropped && suspects_.contains(answered->n)) too_late("abort");
  record_->add(news);
}

void LiveRun::too_late(const std::string& step) {
  is_late_ = true;
  result_.untestable = "the step '" + step + "' reached the engine when it had gone on already";
}

/// In the middle of what the engine says: ends of answers only. A request that has come meanwhile
/// was sent after all that the engine has said.
void LiveRun::catch_up() {
  if (!record_->is_asked()) return;
  host_.server.wait_for_news(kAnswerGraceMs);
  for (auto& one : host_.server.take_news()) {
    const bool is_request = std::holds_alternative<ModelAsked>(one);
    if (is_request || !held_news_.empty()) {
      held_news_.push_back(std::move(one));
    } else {
      add_one(one);
    }
  }
  if (held_news_.empty()) return;
  fibers_.push_back(host_.loop.spawn(hear_held_news(), "held news of the model"));
}

Task<void> LiveRun::hear_held_news() {
  if (!is_over_ && !held_news_.empty()) take_news();
  co_return;
}

LiveCase LiveRun::live_case() {
  LiveCase live(scenario_, *sandbox_, *record_);
  live.base_url = host_.server.base_url(host_.api);
  live.catch_up = [this] { catch_up(); };
  return live;
}

Task<void> LiveRun::hear_news() {
  while (!is_over_) {
    co_await host_.loop.readable(host_.server.news_fd());
    take_news();
  }
}

// ---------------------------------------------------------------- steps at events

void LiveRun::arm() {
  armed_.reset();
  if (next_ >= steps_.size()) return;
  const Trigger& trigger = trigger_of(*steps_[next_]);
  if (!trigger.text.empty()) armed_.emplace(trigger.pattern);
}

void LiveRun::on_event(const Event& event) {
  has_turned_ = has_turned_ || event.as<TurnStart>() != nullptr;
  settlements_ += event.as<AgentSettled>() != nullptr ? 1 : 0;
  for (auto& [text, counter] : awaited_) {
    if (counter.hits(event)) host_.server.release(text);
  }
  if (!armed_ || !armed_->hits(event)) return;
  // Steps in a row that wait for one event all act at it, in their order.
  const auto awaited = trigger_of(*steps_[next_]).pattern;
  do {
    fire();
  } while (next_ < steps_.size() && !trigger_of(*steps_[next_]).text.empty() &&
           trigger_of(*steps_[next_]).pattern == awaited);
}

void LiveRun::fire() {
  current_ = next_;
  const Step& step = *steps_[next_++];
  arm();
  if (!fire_step(step)) refuse(step, "cannot be applied while the engine runs");
}

void LiveRun::note(const Step& step) {
  plumb::Step event;
  event.step = name_of(step);
  event.data = SharedJson(data_of(step));
  event.line = step.place.line;
  record_->recorder().record(Source::host, std::move(event));
}

void LiveRun::refuse(const Step& step, std::string message) {
  result_.errors.push_back({ErrorCode::protocol,
                            "step '" + std::string(name_of(step)) + "' " + std::move(message),
                            located(scenario_.file, step.place)});
}

void LiveRun::refuse_rest() {
  armed_.reset();
  while (next_ < steps_.size()) {
    refuse(*steps_[next_++], "was not played: the engine had crashed");
  }
}

void LiveRun::write(const Step& step, const FileScript& file) {
  note(step);
  auto put = sandbox_->put(file);
  if (!put) tell(std::move(put).error());
}

bool LiveRun::fire_step(const Step& step) {
  if (const auto* change = std::get_if<WriteStep>(&step.action)) {
    write(step, change->file);
    return true;
  }
  if (std::holds_alternative<CrashStep>(step.action)) {
    has_crashed_ = true;
    interruptions_open_ = 0;
    host_.engine.crash();
    record_->recorder().record(Source::host, Crash());
    return true;
  }
  const auto* input = std::get_if<InputStep>(&step.action);
  if (input != nullptr && input->mode == "prompt") return false;
  interrupt(step);
  return true;
}

/// The step is recorded when the engine knows of it, in its place among what the engine says.
void LiveRun::interrupt(const Step& step) {
  ++interruptions_open_;
  const Progress before{record_->request_count(), settlements_};
  auto asked = host_.engine.interrupt(
      step, [this, &step, before](bool is_done) { answered(step, before, is_done); });
  if (!asked) tell(std::move(asked).error());
}

/// The engine did not wait for the step. What an abort leads to may be there before its answer is.
bool LiveRun::has_gone_on(const Step& step, const Progress& before) const {
  const bool has_asked = std::ranges::any_of(
      held_news_, [](const ModelNews& news) { return std::holds_alternative<ModelAsked>(news); });
  const auto* input = std::get_if<InputStep>(&step.action);
  const bool may_wait = input != nullptr && input->mode == "follow_up";
  if (!may_wait && (has_asked || record_->request_count() > before.requests)) return true;
  return !std::holds_alternative<AbortStep>(step.action) && settlements_ > before.settlements;
}

void LiveRun::answered(const Step& step, const Progress& before, bool is_done) {
  --interruptions_open_;
  if (is_done) note(step);
  if (is_done && has_gone_on(step, before)) too_late(std::string(name_of(step)));
  if (std::holds_alternative<AbortStep>(step.action)) {
    was_aborted_ = true;
    has_turned_ = false;
  }
  if (held_news_.empty()) acknowledge();
}

// ---------------------------------------------------------------- steps in their order

/// A run that the scenario expects to end in an error may say so (EVENT-28).
bool LiveRun::is_expected(const Error& error) const {
  return scenario_.expect.settled == "error" && error.code == ErrorCode::invalid;
}

Task<Result<void>> LiveRun::play_idle_step(const Step& step) {
  if (const auto* change = std::get_if<WriteStep>(&step.action)) {
    write(step, change->file);
    co_return Result<void>();
  }
  if (const auto* wait = std::get_if<WaitStep>(&step.action)) {
    note(step);
    arm();
    co_await host_.loop.sleep_ms(wait->ms);
    co_return Result<void>();
  }
  if (std::holds_alternative<ResumeStep>(step.action)) {
    has_crashed_ = false;
    record_->recorder().record(Source::host, Resume());
    LiveCase live = live_case();
    co_return co_await host_.engine.start(std::move(live), true);
  }
  note(step);
  arm();
  co_return co_await host_.engine.perform(step);
}

Task<Result<void>> LiveRun::play_idle(std::size_t index) {
  current_ = index;
  auto played = co_await play_idle_step(*steps_[index]);
  if (!played && is_expected(played.error())) played = Result<void>();
  arm();
  if (!played) co_return played;
  auto settled = co_await host_.engine.settle();
  if (was_aborted_) co_await host_.loop.sleep_ms(kOnItsWayMs);
  was_aborted_ = false;
  co_return settled;
}

Task<Result<void>> LiveRun::play_steps() {
  plumb::Step start;
  start.step = "start";
  start.data = SharedJson(host_choices(scenario_));
  record_->recorder().record(Source::host, std::move(start));
  arm();
  LiveCase live = live_case();
  auto started = co_await host_.engine.start(std::move(live), false);
  if (!started) co_return started;
  while (next_ < steps_.size()) {
    const Step& step = *steps_[next_];
    const bool is_resume = std::holds_alternative<ResumeStep>(step.action);
    if (has_crashed_ && !is_resume) {
      refuse_rest();
      break;
    }
    if (!trigger_of(step).text.empty()) {
      refuse(step, "waited for '" + trigger_of(step).text + "', which never came");
      ++next_;
      arm();
      continue;
    }
    auto played = co_await play_idle(next_++);
    const bool is_cut = !played && played.error().code == ErrorCode::aborted && has_crashed_;
    if (!played && !is_cut) co_return co_await finish_after(std::move(played).error());
  }
  co_return co_await finish();
}

/// A step that the subject could not do leaves it fit for the next scenario; after anything else it
/// is started anew.
Task<Result<void>> LiveRun::finish_after(Error error) {
  if (error.code == ErrorCode::rejected || error.code == ErrorCode::invalid) {
    auto finished = co_await finish();
    if (!finished) co_return finished;
  }
  co_return std::unexpected(std::move(error));
}

Task<Result<void>> LiveRun::finish() {
  if (has_crashed_) co_return Result<void>();
  auto finished = co_await host_.engine.finish();
  co_return finished;
}

// ---------------------------------------------------------------- after the run

void LiveRun::add_final_files() {
  auto files = sandbox_->state();
  if (!files) return tell(std::move(files).error());
  FinalFiles event;
  event.before = before_;
  event.files = *std::move(files);
  record_->recorder().record(Source::host, std::move(event));
}

/// What the fake model complained about and replies that nobody asked for, less what the scenario
/// means to provoke.
void LiveRun::add_leftovers() {
  if (!has_crashed_) {
    for (const auto& error : host_.server.settle()) record_->complain(error);
  }
  const auto& meant = scenario_.expect.llm_errors;
  for (const auto& complaint : record_->complaints()) {
    if (std::ranges::find(meant, complaint.code) != meant.end()) continue;
    result_.errors.push_back(
        {ErrorCode::protocol, complaint.code + ": " + complaint.message, complaint.where});
  }
}

}  // namespace plumb::simulator
