// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/external/command_engine.h"

#include <algorithm>
#include <utility>

#include "engine/kernel/join.h"
#include "engine/kernel/shell_word.h"

namespace plumb::simulator {

using engine::Task;

namespace {

void replace_all(std::string& text, std::string_view from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

/// Each placeholder is one word for the shell. The prompt goes last: what it holds is no
/// placeholder.
std::string CommandEngine::command_for(const std::string& prompt) const {
  std::string text = options_.command;
  replace_all(text, "{base_url}", engine::shell_word(live_->base_url));
  replace_all(text, "{workspace}", engine::shell_word(live_->sandbox.workspace()));
  replace_all(text, "{home}", engine::shell_word(live_->sandbox.home()));
  replace_all(text, "{model}", engine::shell_word(live_->scenario.settings.model));
  replace_all(text, "{api}", engine::shell_word(options_.api));
  replace_all(text, "{prompt}", engine::shell_word(live_->sandbox.placeholders().real(prompt)));
  return text;
}

Task<Result<void>> CommandEngine::start(LiveCase live, bool /*is_resumed*/) {
  live_.emplace(std::move(live));
  is_interrupted_ = is_crashed_ = false;
  co_return Result<void>();
}

Task<void> CommandEngine::until_end() {
  co_await process_->ended().wait();
}

Error CommandEngine::stopped(const std::string& why) const {
  std::string said = process_->error_text();
  while (!said.empty() && said.back() == '\n') said.pop_back();
  std::ranges::replace_if(said, [](char c) { return c >= 0 && c < ' '; }, ' ');
  std::string message = "the command " + why;
  if (!said.empty()) message += "; its standard error ends: " + said;
  return {ErrorCode::protocol, live_->sandbox.placeholders().shown(message), ""};
}

Task<Result<void>> CommandEngine::run_to_end() {
  const auto ended = co_await engine::with_timeout(until_end(), options_.step_ms);
  if (is_crashed_) co_return fail(ErrorCode::aborted, "the command was killed");
  if (!ended) {
    const Error error = stopped("did not end within " + std::to_string(options_.step_ms) +
                                " ms of its prompt; expected it to exit when it is done");
    process_->kill();
    co_return std::unexpected(error);
  }
  if (output_bytes_ > options_.output_bytes_max) {
    co_return std::unexpected(
        stopped("wrote more than " + std::to_string(options_.output_bytes_max) + " bytes"));
  }
  if (!is_interrupted_ && !end_.starts_with("exited")) {
    co_return std::unexpected(stopped(end_ + "; expected it to exit"));
  }
  const bool has_asked = live_->record.request_count() > requests_before_;
  if (!is_interrupted_ && !has_asked && end_ != "exited with code 0") {
    co_return std::unexpected(stopped(end_ + " and never asked the model"));
  }
  co_return Result<void>();
}

Task<Result<void>> CommandEngine::perform(const Step& step) {
  const auto* input = std::get_if<InputStep>(&step.action);
  if (input == nullptr) co_return Result<void>();  // An abort when nothing runs.
  engine::ProcessSpec spec;
  spec.command = command_for(input->text);
  spec.cwd = live_->sandbox.workspace();
  spec.environment = {{"HOME", live_->sandbox.home()}};
  end_.clear();
  output_bytes_ = 0;
  requests_before_ = live_->record.request_count();
  auto started = engine::LineProcess::start(loop_, spec, *this);
  if (!started) co_return std::unexpected(std::move(started).error());
  process_ = *std::move(started);
  process_->close_input();
  auto ended = co_await run_to_end();
  process_.reset();
  co_return ended;
}

Result<void> CommandEngine::interrupt(const Step& step, std::function<void(bool)> on_answered) {
  on_answered(true);
  if (!std::holds_alternative<AbortStep>(step.action) || process_ == nullptr) return {};
  is_interrupted_ = true;
  process_->interrupt();
  return {};
}

Task<Result<void>> CommandEngine::settle() {
  co_return Result<void>();
}

Task<Result<void>> CommandEngine::finish() {
  co_return Result<void>();
}

void CommandEngine::crash() {
  is_crashed_ = true;
  if (process_ != nullptr) process_->kill();
}

void CommandEngine::on_line(std::string_view line) {
  output_bytes_ += std::ssize(line) + 1;
  if (output_bytes_ > options_.output_bytes_max) process_->kill();
}

}  // namespace plumb::simulator
