// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/external/adapter_client.h"

#include <algorithm>
#include <utility>

#include "engine/kernel/join.h"
#include "engine/kernel/strays.h"
#include "engine/values/json_members.h"
#include "engine/values/utf8.h"
#include "simulator/script/words.h"
#include "simulator/subjects/external/adapter_schema.h"

namespace plumb::simulator {

using engine::Task;

namespace {

constexpr std::size_t kShownLineBytes = 200;
constexpr std::int64_t kLogBytesKept = 4'000;

/// What a stranger wrote, fit for a message: no control characters, no broken UTF-8.
std::string readable(std::string_view text) {
  const bool is_utf8 = find_invalid_utf8(text) < 0;
  std::string result(text);
  std::ranges::replace_if(result, [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; }, ' ');
  if (!is_utf8) std::ranges::replace_if(result, [](char c) { return c < 0; }, '?');
  return result;
}

/// The beginning of a line, for people.
std::string shown_line(std::string_view line) {
  const bool is_cut = line.size() > kShownLineBytes;
  return readable(line.substr(0, kShownLineBytes)) + (is_cut ? "..." : "");
}

std::string seconds(std::int64_t ms) {
  if (ms % 1'000 != 0) return std::to_string(ms) + " ms";
  return std::to_string(ms / 1'000) + " s";
}

/// "'step' user (id 3)".
std::string name_of_message(const Json& message, std::int64_t id) {
  const auto step = text_at(message, "step");
  return in_quotes(text_at(message, "type")) + (step.empty() ? "" : " " + step) + " (id " +
         std::to_string(id) + ")";
}

std::string last_lines(const std::string& text) {
  constexpr std::size_t kShown = 600;
  std::string tail = text.size() > kShown ? text.substr(text.size() - kShown) : text;
  while (!tail.empty() && (tail.back() == '\n' || tail.back() == ' ')) tail.pop_back();
  return readable(tail);
}

}  // namespace

AdapterClient::AdapterClient(engine::RealLoop& loop, std::string command, AdapterLimits limits)
    : loop_(loop),
      command_(std::move(command)),
      limits_(limits),
      changed_(loop, "a message of the adapter") {}

AdapterClient::~AdapterClient() {
  kill_strays();
}

/// Nobody outlives the process, also who left its group.
void AdapterClient::kill_strays() {
  if (process_ != nullptr) process_->kill();
  engine::kill_marked(std::exchange(mark_, ""));
}

std::string AdapterClient::name() const {
  return "the adapter " + in_quotes(has_hello_ ? hello_.name : command_);
}

void AdapterClient::fail_with(const std::string& did) {
  if (failure_ || is_killed_) return;
  std::string message = name() + " " + did;
  if (process_ != nullptr) {
    const auto said = last_lines(process_->error_text());
    if (!said.empty()) message += "; its standard error ends: " + said;
  }
  if (!logs_.empty()) message += "; it logged: " + last_lines(logs_);
  if (placeholders_ != nullptr) message = placeholders_->shown(message);
  failure_ = Error{ErrorCode::protocol, std::move(message), ""};
  if (process_ != nullptr) process_->kill();
  changed_.set();
}

void AdapterClient::forget_process() {
  kill_strays();
  process_.reset();
  end_.clear();
  failure_.reset();
  logs_.clear();
  awaited_.clear();
  end_id_ = 0;
  has_hello_ = is_killed_ = is_closing_ = is_failure_told_ = false;
}

std::unexpected<Error> AdapterClient::told_failure() {
  is_failure_told_ = true;
  return std::unexpected(*failure_);
}

Result<void> AdapterClient::start_process() {
  forget_process();
  engine::ProcessSpec spec;
  mark_ = engine::fresh_mark();
  spec.command = (mark_.empty() ? "" : "export " + mark_ + "; ") + "exec " + command_;
  engine::LineLimits limits;
  limits.line_bytes_max = limits_.line_bytes_max;
  PLUMB_TRY(process_, engine::LineProcess::start(loop_, spec, *this, limits));
  const Json hello{{"type", "hello"}, {"protocol", kAdapterProtocol}};
  process_->write_line(dump_json(hello));
  return {};
}

/// What happened since the last session is told before the process is forgotten.
Task<Result<void>> AdapterClient::open() {
  if (process_ != nullptr && !failure_ && !is_killed_) drain();
  if (failure_ && !is_failure_told_) co_return told_failure();
  if (process_ != nullptr && !failure_ && !is_killed_) co_return Result<void>();
  if (auto started = start_process(); !started) co_return started;
  co_return co_await wait_for_hello();
}

Task<Result<void>> AdapterClient::wait_for_hello() {
  const auto deadline = loop_.now_ms() + limits_.hello_ms;
  while (!has_hello_ && !failure_) {
    const auto left = deadline - loop_.now_ms();
    if (left > 0) {
      co_await wait_for_change(left);
    } else {
      fail_with("wrote no 'hello' within " + seconds(limits_.hello_ms));
    }
  }
  if (failure_) co_return told_failure();
  co_return Result<void>();
}

void AdapterClient::begin_session(SessionListener& listener, const LivePlaceholders& placeholders) {
  listener_ = &listener;
  placeholders_ = &placeholders;
  session_bytes_ = event_count_ = 0;
}

Task<Result<void>> AdapterClient::finish_session() {
  Json message{{"type", "end"}};
  end_id_ = send(std::move(message));
  auto ended = co_await answer(end_id_, limits_.end_ms);
  if (ended) drain();
  if (failure_) co_return told_failure();
  co_return ended;
}

void AdapterClient::end_session() {
  listener_ = nullptr;
  placeholders_ = nullptr;
  end_id_ = 0;
}

std::int64_t AdapterClient::send(Json message) {
  const auto id = next_id_++;
  message["id"] = id;
  awaited_[id].what = name_of_message(message, id);
  if (process_ != nullptr) process_->write_line(dump_json(message));
  return id;
}

void AdapterClient::answer_dialog(const std::string& ask, const Json& answer) {
  if (process_ == nullptr) return;
  const Json message{{"type", "ui"}, {"ask", ask}, {"answer", answer}};
  process_->write_line(dump_json(message));
}

Task<void> AdapterClient::change() {
  co_await changed_.wait();
}

Task<void> AdapterClient::wait_for_change(std::int64_t ms) {
  changed_.reset();
  std::vector<Task<void>> ways;
  ways.push_back(change());
  ways.push_back(engine::sleep_task(loop_, ms));
  co_await engine::race(std::move(ways));
}

Task<Result<void>> AdapterClient::answer(std::int64_t id, std::int64_t limit_ms) {
  const auto deadline = loop_.now_ms() + limit_ms;
  while (true) {
    const auto found = awaited_.find(id);
    if (found != awaited_.end() && found->second.answer) {
      auto given = *std::move(found->second.answer);
      awaited_.erase(found);
      co_return given;
    }
    if (is_killed_) co_return fail(ErrorCode::aborted, "the adapter was killed");
    if (failure_) co_return told_failure();
    PLUMB_ASSERT(found != awaited_.end());
    const auto now = loop_.now_ms();
    if (now >= deadline) {
      fail_with("did not answer " + found->second.what + " within " + seconds(limit_ms) +
                "; expected 'done' or 'error'");
      continue;
    }
    co_await wait_for_change(deadline - now);
  }
}

void AdapterClient::kill() {
  is_killed_ = true;
  kill_strays();
  changed_.set();
}

void AdapterClient::drain() {
  if (process_ != nullptr) process_->drain();
}

Task<void> AdapterClient::wait_for_exit() {
  co_await process_->ended().wait();
}

Task<Result<void>> AdapterClient::close() {
  if (process_ == nullptr || failure_ || is_killed_) co_return Result<void>();
  is_closing_ = true;
  process_->close_input();
  const auto ended = co_await engine::with_timeout(wait_for_exit(), limits_.exit_ms);
  if (!ended) {
    fail_with("did not exit within " + seconds(limits_.exit_ms) + " of the end of its input");
  } else if (!failure_ && end_ != "exited with code 0") {
    fail_with(end_ + " when its input was closed; expected code 0");
  }
  if (failure_) co_return told_failure();
  co_return Result<void>();
}

void AdapterClient::on_line(std::string_view line) {
  auto taken = take(line);
  if (!taken) {
    fail_with("wrote what the protocol does not allow: " + taken.error().message +
              "; the line begins: " + shown_line(line));
  }
  changed_.set();
}

void AdapterClient::on_end(std::string how) {
  end_ = std::move(how);
  changed_.set();
  if (is_closing_ && end_.starts_with("exited")) return;
  std::string awaited = has_hello_ ? "the next message" : "its 'hello'";
  if (!awaited_.empty()) awaited = "the answer to " + awaited_.begin()->second.what;
  fail_with(end_ + "; expected " + awaited);
}

/// Limits of one session, or of what comes outside of one.
Result<void> AdapterClient::count(std::string_view line) {
  session_bytes_ += std::ssize(line) + 1;
  if (session_bytes_ <= limits_.session_bytes_max) return {};
  return fail(ErrorCode::exhausted,
              "more than " + std::to_string(limits_.session_bytes_max) + " bytes in one session");
}

Result<void> AdapterClient::take(std::string_view line) {
  if (auto counted = count(line); !counted) return counted;
  if (placeholders_ == nullptr) {
    PLUMB_TRY(auto message, read_adapter_line(line));
    return take_message(std::move(message));
  }
  const auto json = parse_json(line);
  if (!json) {
    PLUMB_TRY(auto message, read_adapter_line(line));
    return take_message(std::move(message));
  }
  PLUMB_TRY(auto message, read_adapter_message(placeholders_->shown_json(*json)));
  return take_message(std::move(message));
}

Result<void> AdapterClient::take_message(AdapterMessage message) {
  if (auto* hello = std::get_if<AdapterHello>(&message)) return take_hello(std::move(*hello));
  if (!has_hello_) return fail(ErrorCode::protocol, "expected 'hello' first");
  if (auto* event = std::get_if<AdapterEvent>(&message)) return take_event(std::move(*event));
  if (const auto* answer = std::get_if<AdapterAnswer>(&message)) return take_answer(*answer);
  if (const auto* log = std::get_if<AdapterLog>(&message)) {
    logs_ += log->text + "\n";
    const std::int64_t surplus = std::ssize(logs_) - kLogBytesKept;
    if (surplus > 0) logs_.erase(0, static_cast<std::size_t>(surplus));
    return {};
  }
  if (listener_ == nullptr) return fail(ErrorCode::protocol, "a dialog outside a session");
  if (auto* dialog = std::get_if<DialogOpened>(&message)) {
    return listener_->on_dialog(std::move(*dialog));
  }
  return listener_->on_dialog_closed(std::get<DialogClosed>(std::move(message)));
}

Result<void> AdapterClient::take_hello(AdapterHello hello) {
  if (has_hello_) return fail(ErrorCode::protocol, "a second 'hello'");
  hello_ = std::move(hello);
  has_hello_ = true;
  return {};
}

Result<void> AdapterClient::take_event(AdapterEvent event) {
  if (listener_ == nullptr) {
    return fail(ErrorCode::protocol,
                "an event outside a session, which lasts from 'start' to the "
                "'done' of 'end'");
  }
  if (++event_count_ > limits_.events_max) {
    return fail(ErrorCode::exhausted,
                "more than " + std::to_string(limits_.events_max) + " events in one session");
  }
  const auto kind = kEventKinds[event.payload.index()];
  if (std::ranges::find(hello_.emits, kind) == hello_.emits.end()) {
    return fail(ErrorCode::protocol,
                "an event of kind " + in_quotes(kind) + ", which 'emits' of its hello lacks");
  }
  return listener_->on_event(std::move(event));
}

Result<void> AdapterClient::take_answer(const AdapterAnswer& answer) {
  const auto found = awaited_.find(answer.id);
  if (found == awaited_.end() || found->second.answer) {
    std::string open;
    for (const auto& [id, one] : awaited_) {
      if (!one.answer) open += (open.empty() ? "" : ", ") + std::to_string(id);
    }
    return fail(ErrorCode::protocol, "an answer to id " + std::to_string(answer.id) +
                                         ", which nobody waits for; expected " +
                                         (open.empty() ? "none" : open));
  }
  if (answer.id == end_id_) listener_ = nullptr;
  if (listener_ != nullptr) listener_->on_answer(answer.id, answer.code.empty());
  const bool is_unsupported = answer.code == "unsupported";
  if (answer.code.empty()) {
    found->second.answer = Result<void>();
  } else {
    found->second.answer = fail(is_unsupported ? ErrorCode::rejected : ErrorCode::invalid,
                                name() + " answers " + found->second.what + ": " + answer.message);
  }
  return {};
}

}  // namespace plumb::simulator
