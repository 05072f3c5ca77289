// SPDX-License-Identifier: Apache-2.0
#include "engine/extensions/hosted/node_host.h"

#include <algorithm>
#include <utility>

#include "engine/kernel/join.h"

namespace plumb::engine {
namespace {

/// While native work is open, the loop's time follows the wall clock in steps of this.
constexpr std::int64_t kNativeStepMs = 20;

Error not_quiet(std::int64_t wait_ms) {
  return {ErrorCode::timeout, "was not at rest within " + std::to_string(wait_ms) + " ms", ""};
}

HostFailure failed_host(std::string why) {
  HostFailure failure(std::move(why));
  failure.is_host = true;
  return failure;
}

}  // namespace

/// Forgets a request when whoever awaits it goes.
class NodeHost::OpenRequest {
 public:
  OpenRequest(NodeHost& host, std::int64_t id) : host_(host), id_(id) {}
  OpenRequest(const OpenRequest&) = delete;
  OpenRequest& operator=(const OpenRequest&) = delete;
  ~OpenRequest() { host_.pending_.erase(id_); }

 private:
  NodeHost& host_;
  std::int64_t id_;
};

NodeHost::NodeHost(Loop& loop, std::function<std::int64_t()> wall_ms, NodeHostOptions options,
                   HostListener& listener)
    : loop_(loop),
      wall_ms_(std::move(wall_ms)),
      options_(std::move(options)),
      listener_(&listener) {}

NodeHost::~NodeHost() {
  forget_timers();
  if (native_watch_ && loop_.is_running(*native_watch_)) loop_.cancel(*native_watch_);
}

Result<Json> NodeHost::start() {
  process_.reset();
  failure_.reset();
  outbox_.clear();
  native_count_ = 0;
  PLUMB_TRY(process_, ChannelProcess::start(options_.process, options_.limits));
  HostRequest request("initialize",
                      Json{{"agentDir", options_.agent_folder}, {"seed", options_.seed}});
  request.activity = "it started";
  const HostReply hello = request_now(std::move(request));
  if (!hello) return fail(ErrorCode::protocol, hello.error().message);
  const std::int64_t protocol = number_in(*hello, "protocol", -1);
  if (protocol == kHostProtocol) return *hello;
  return fail(ErrorCode::protocol, "the extension host speaks protocol " +
                                       std::to_string(protocol) + ", expected " +
                                       std::to_string(kHostProtocol));
}

std::int64_t NodeHost::open(HostRequest request) {
  const std::int64_t id = next_request_++;
  Json message{{"id", id}, {"method", request.method}, {"params", request.params}};
  Outgoing outgoing{std::move(message), request.extension, request.activity};
  pending_.emplace(id, std::make_unique<Pending>(loop_, std::move(request)));
  exchange(std::move(outgoing));
  return id;
}

HostReply NodeHost::close(std::int64_t id) {
  Pending& pending = *pending_.at(id);
  if (pending.reply) return *std::move(pending.reply);
  return std::unexpected(failed_host("the extension host gave no answer"));
}

HostReply NodeHost::request_now(HostRequest request) {
  const std::int64_t id = open(std::move(request));
  const OpenRequest opened(*this, id);
  return close(id);
}

Task<void> NodeHost::wait_for(Event* answered) {
  co_await answered->wait();
}

Task<HostReply> NodeHost::request(HostRequest request) {
  const bool is_load = request.method == "load";
  const std::int64_t wait_ms = is_load ? options_.load_ms : options_.request_ms;
  const std::string activity = request.activity;
  const std::int64_t id = open(std::move(request));
  const OpenRequest opened(*this, id);
  Pending& pending = *pending_.at(id);
  if (!pending.reply) {
    std::vector<Task<void>> ways;
    ways.push_back(wait_for(&pending.answered));
    ways.push_back(sleep_task(loop_, wait_ms));
    co_await race(std::move(ways));
  }
  if (pending.reply) co_return close(id);
  co_return std::unexpected(HostFailure("it waits for what never comes: no end within " +
                                        std::to_string(wait_ms) + " ms while " + activity));
}

void NodeHost::notify(std::string method, Json params) {
  Json message{{"method", std::move(method)}, {"params", std::move(params)}};
  exchange(Outgoing{std::move(message), "", "it was told of something"});
}

void NodeHost::settle(std::int64_t call, Result<Json> outcome) {
  Json message{{"id", call}};
  if (outcome) {
    message["result"] = *std::move(outcome);
  } else {
    message["error"] = Json{{"message", outcome.error().message}};
  }
  exchange(Outgoing{std::move(message), "", "an answer of the session arrived"});
}

const HostRequest* NodeHost::open_request(std::int64_t id) const {
  const auto found = pending_.find(id);
  return found == pending_.end() ? nullptr : &found->second->request;
}

void NodeHost::exchange(Outgoing outgoing) {
  outbox_.push_back(std::move(outgoing));
  if (!is_talking_) send_all();
}

void NodeHost::send_all() {
  is_talking_ = true;
  while (!outbox_.empty()) {
    const Outgoing next = std::move(outbox_.front());
    outbox_.erase(outbox_.begin());
    if (!is_running()) {
      fail_all({ErrorCode::protocol, "is gone", ""}, next);
      continue;
    }
    const bool is_start = text_in(next.message, "method") == "initialize";
    const auto talked = talk(next, is_start ? options_.start_ms : options_.turn_ms);
    if (!talked) fail_all(talked.error(), next);
  }
  is_talking_ = false;
  watch_native();
}

Result<void> NodeHost::talk(const Outgoing& outgoing, std::int64_t wait_ms) {
  listener_->before_turn();
  const bool is_load = text_in(outgoing.message, "method") == "load";
  // The path of an extension's file is real as it is.
  Json message = is_load ? outgoing.message : with_real_paths(outgoing.message, options_.folders);
  message["seq"] = ++seq_;
  message["now"] = wall_ms_();
  const WallDeadline deadline(wait_ms);
  auto heard = process_->send(dump_json(message), deadline);
  if (heard) heard = hear_until_rest(seq_, deadline);
  take_output();
  listener_->after_turn();
  if (!heard && heard.error().code == ErrorCode::timeout) {
    return std::unexpected(not_quiet(wait_ms));
  }
  return heard;
}

Result<void> NodeHost::hear_until_rest(std::int64_t seq, const WallDeadline& deadline) {
  const WallDeadline native_deadline(std::min(deadline.left_ms(), options_.native_ms));
  bool is_at_rest = false;
  for (std::int64_t count = 0; !is_at_rest || native_count_ > 0; ++count) {
    if (count > options_.messages_max) {
      return fail(ErrorCode::exhausted,
                  "sent more than " + std::to_string(options_.messages_max) + " messages at once");
    }
    const WallDeadline& limit = is_at_rest ? native_deadline : deadline;
    // A flood keeps no deadline by itself.
    if (limit.has_passed() && !is_at_rest) return std::unexpected(not_quiet(0));
    PLUMB_TRY(const auto heard, process_->hear(limit));
    if (!heard && is_at_rest) return {};
    if (!heard) return std::unexpected(not_quiet(0));
    PLUMB_TRY(const bool is_rest, take(*heard, seq, deadline));
    is_at_rest = is_at_rest || is_rest;
  }
  return {};
}

Result<bool> NodeHost::take(const Heard& heard, std::int64_t seq, const WallDeadline& deadline) {
  PLUMB_TRY(HostMessage message, parse_host_message(heard.text));
  message.params = with_named_paths(std::move(message.params), options_.folders);
  if (heard.kind == HeardKind::question) {
    auto answered = answer(message, deadline);
    if (!answered) return std::unexpected(std::move(answered).error());
    return false;
  }
  if (message.is_answer()) {
    take_answer(std::move(message));
    return false;
  }
  if (message.is_call()) {
    listener_->begin(message);
    return false;
  }
  return take_notification(message, seq);
}

Result<void> NodeHost::answer(const HostMessage& question, const WallDeadline& deadline) {
  Result<Json> given = listener_->answer(question);
  Json line = Json::object();
  if (given) {
    line["result"] = with_real_paths(*std::move(given), options_.folders);
  } else {
    line["error"] = Json{{"message", given.error().message}};
  }
  return process_->answer(dump_json(line), deadline);
}

void NodeHost::take_answer(HostMessage message) {
  const auto found = pending_.find(message.id);
  // Whoever asked may have given up.
  if (found == pending_.end()) return;
  if (message.reply) message.reply = with_named_paths(*message.reply, options_.folders);
  found->second->reply = std::move(message.reply);
  found->second->answered.set();
}

bool NodeHost::take_notification(const HostMessage& message, std::int64_t seq) {
  if (message.method == "idle") {
    native_count_ = number_in(message.params, "native");
    has_been_live_ = has_been_live_ || native_count_ > 0;
    return number_in(message.params, "after") == seq;
  }
  if (message.method == "timer.start") {
    start_timer(message);
  } else if (message.method == "timer.clear") {
    clear_timer(number_in(message.params, "timer"));
  } else {
    listener_->hear(message);
  }
  return false;
}

void NodeHost::start_timer(const HostMessage& message) {
  const std::int64_t timer = number_in(message.params, "timer");
  clear_timer(timer);
  const std::int64_t delay_ms = std::max<std::int64_t>(number_in(message.params, "ms"), 1);
  timers_[timer] = loop_.spawn(run_timer(timer, delay_ms), "");
}

void NodeHost::clear_timer(std::int64_t timer) {
  const auto found = timers_.find(timer);
  if (found == timers_.end()) return;
  const SpawnId fiber = found->second;
  timers_.erase(found);
  if (loop_.is_running(fiber)) loop_.cancel(fiber);
}

Task<void> NodeHost::run_timer(std::int64_t timer, std::int64_t delay_ms) {
  co_await loop_.sleep_ms(delay_ms);
  // From here on it cannot be cleared: this fiber must not be cancelled from within.
  timers_.erase(timer);
  Json message{{"method", "timer"}, {"params", Json{{"timer", timer}}}};
  Outgoing outgoing{std::move(message), "", "one of its timers fired"};
  exchange(std::move(outgoing));
}

void NodeHost::forget_timers() {
  for (const auto& [timer, fiber] : std::exchange(timers_, {})) {
    if (loop_.is_running(fiber)) loop_.cancel(fiber);
  }
}

void NodeHost::watch_native() {
  if (native_count_ == 0 || !is_running()) return;
  if (native_watch_ && loop_.is_running(*native_watch_)) return;
  native_watch_ = loop_.spawn(follow_native(), "");
}

/// What is open in the process ends in real time, and wakes no loop: looks from time to time.
Task<void> NodeHost::follow_native() {
  const WallDeadline end(options_.native_ms_max);
  while (native_count_ > 0 && is_running()) {
    co_await loop_.sleep_ms(kNativeStepMs);
    if (!is_running()) co_return;
    is_talking_ = true;
    listener_->before_turn();
    auto heard = hear_for(kNativeStepMs);
    if (heard && native_count_ > 0 && end.has_passed())
      heard = std::unexpected(not_quiet(options_.native_ms_max));
    take_output();
    listener_->after_turn();
    const Outgoing nobody{Json(), "", "its native work went on"};
    if (!heard) fail_all(heard.error(), nobody);
    send_all();
  }
}

Result<void> NodeHost::hear_for(std::int64_t wait_ms) {
  const WallDeadline step(wait_ms);
  while (!step.has_passed() && native_count_ > 0) {
    PLUMB_TRY(const auto line, process_->hear(step));
    if (!line) break;
    auto taken = take(*line, seq_, WallDeadline(options_.turn_ms));
    if (!taken) return std::unexpected(std::move(taken).error());
  }
  return {};
}

void NodeHost::take_output() {
  for (const auto stream : {OutputStream::out, OutputStream::err}) {
    std::string text = process_->take_output(stream);
    if (text.empty()) continue;
    const Json named = with_named_paths(Json(std::move(text)), options_.folders);
    listener_->hear_output(stream, named.get<std::string>());
  }
}

/// Every open request fails with it: their process is the same. Told once.
void NodeHost::fail_all(const Error& error, const Outgoing& outgoing) {
  if (!failure_) {
    failure_ = "the extension host " + error.message + " while " + outgoing.activity;
    if (process_) process_->kill();
    forget_timers();
    native_count_ = 0;
    listener_->has_failed(outgoing.extension, *failure_);
  }
  // An answer came too early if its turn never came to an end.
  const bool is_request = !text_in(outgoing.message, "method").empty();
  const std::int64_t asked = is_request ? number_in(outgoing.message, "id", -1) : -1;
  for (auto& [id, pending] : pending_) {
    if (pending->reply && id != asked) continue;
    pending->reply = std::unexpected(failed_host(*failure_));
    pending->answered.set();
  }
}

}  // namespace plumb::engine
