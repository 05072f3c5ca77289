// SPDX-License-Identifier: Apache-2.0
#include "simulator/llm/wire/wire_model_server.h"

#include <chrono>
#include <utility>

#include "simulator/llm/reply.h"
#include "simulator/llm/wire/wire_reply.h"

namespace plumb::simulator {
namespace {

/// A harness that does not look at its news for so long will not look at all.
constexpr std::chrono::seconds kSeenWithin{30};
/// A reply that stalls, or waits for an event that will not come, is not waited for any longer.
constexpr std::int64_t kQuietWithinMs = 500;

std::int64_t event_count(const Exchange& exchange, std::int64_t pieces) {
  WireReply reply;
  reply.reply = *exchange.plan.reply;
  reply.reply.fail = FailureScript{"network", ""};
  reply.reply.fail->after = pieces;
  const EventStream stream =
      exchange.dialect == Dialect::messages ? messages_events(reply) : chat_events(reply);
  // A block that is open when the pieces end is closed all the same.
  const bool closes = exchange.dialect == Dialect::messages && !stream.events.empty() &&
                      stream.events.back().starts_with("event: content_block_stop");
  return std::ssize(stream.events) - (closes ? 1 : 0);
}

/// The pieces that so many events of the stream hold.
std::int64_t pieces_of_events(const Exchange& exchange) {
  std::int64_t low = 0;
  std::int64_t high = std::ssize(pieces_of(*exchange.plan.reply));
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    if (event_count(exchange, middle) <= exchange.events_sent) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

engine::AssistantMessage ended(engine::AssistantMessage message, engine::StopReason reason,
                               std::string words) {
  message.stop_reason = reason;
  message.error_message = std::move(words);
  return message;
}

engine::AssistantMessage answer_message(const Exchange& exchange) {
  using engine::StopReason;
  // What was refused before the script was asked has no track.
  if (exchange.plan.kind != Plan::Kind::answered || exchange.track.empty()) {
    const std::string words = exchange.errors.empty() ? "refused" : exchange.errors.front().message;
    return ended({}, StopReason::error, std::to_string(exchange.status) + " " + words);
  }
  const ModelStep& reply = *exchange.plan.reply;
  const bool is_whole = exchange.ending == ReplyEnding::complete;
  if (is_whole && !reply.fail) return message_of(reply);
  if (reply.fail && (is_whole || exchange.ending == ReplyEnding::reset)) {
    return ended(partial_message_of(reply, exchange.is_stream ? reply.fail->after : 0),
                 StopReason::error, failure_message(*reply.fail));
  }
  engine::AssistantMessage part =
      partial_message_of(reply, exchange.is_stream ? pieces_of_events(exchange) : 0);
  if (exchange.ending == ReplyEnding::client_left) {
    return ended(std::move(part), StopReason::aborted, "the request was aborted");
  }
  return ended(std::move(part), StopReason::error, "connection error: the stream ended early");
}

}  // namespace

ModelAnswered answer_of(const Exchange& exchange) {
  engine::AssistantMessage message = answer_message(exchange);
  ModelAnswered answered;
  answered.n = exchange.n;
  answered.stop_reason = std::string(to_string(message.stop_reason));
  answered.error = message.error_message;
  answered.message = to_json(engine::Message(std::move(message)));
  return answered;
}

Result<std::unique_ptr<ModelServer>> WireModelServer::create(WireOptions options) {
  PLUMB_TRY(auto wake, engine::WakeUp::create());
  std::unique_ptr<WireModelServer> server(new WireModelServer(std::move(wake)));
  WireModelServer* self = server.get();
  options.shapes_call_ids = false;
  options.on_request = [self](const Exchange& one) { self->on_request(one); };
  options.on_reply = [self](const Exchange& one) { self->on_reply(one); };
  options.has_happened = [self](const Trigger& trigger) { return self->has_happened(trigger); };
  PLUMB_TRY(server->server_, WireServer::start(PlayerScript(), std::move(options)));
  return server;
}

WireModelServer::~WireModelServer() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  if (server_ != nullptr) server_->stop();
}

std::string WireModelServer::base_url(std::string_view api) const {
  const std::string url = "http://127.0.0.1:" + std::to_string(server_->port());
  return api == "anthropic-messages" ? url : url + "/v1";
}

/// What is under way of the case before must not reach the new one: requests that wait to be seen
/// are let go, replies come to their ends.
void WireModelServer::replay(PlayerScript script) {
  forget();
  server_->wait_until_quiet(kQuietWithinMs);
  server_->replay(std::move(script));
  forget();
}

/// Whoever waits for the case that was waits no longer.
void WireModelServer::forget() {
  {
    const std::lock_guard lock(mutex_);
    news_.clear();
    released_.clear();
    posted_ = taken_ = acknowledged_ = 0;
    ++epoch_;
  }
  wake_->take();
  changed_.notify_all();
}

int WireModelServer::news_fd() const {
  return wake_->fd();
}

std::vector<ModelNews> WireModelServer::take_news() {
  wake_->take();
  const std::lock_guard lock(mutex_);
  std::vector<ModelNews> taken(std::make_move_iterator(news_.begin()),
                               std::make_move_iterator(news_.end()));
  news_.clear();
  taken_ = posted_;
  return taken;
}

void WireModelServer::wait_for_news(std::int64_t timeout_ms) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms), [&] { return !news_.empty(); });
}

void WireModelServer::acknowledge() {
  {
    const std::lock_guard lock(mutex_);
    acknowledged_ = taken_;
  }
  changed_.notify_all();
}

void WireModelServer::release(const std::string& pattern) {
  const std::lock_guard lock(mutex_);
  released_.insert(pattern);
}

std::vector<LlmError> WireModelServer::settle() {
  return server_->settle();
}

void WireModelServer::on_request(const Exchange& exchange) {
  const bool is_generation = dialect_of_path(exchange.path).has_value();
  if (!is_generation) return;
  std::unique_lock lock(mutex_);
  const std::int64_t epoch = epoch_;
  const std::string track = exchange.track.empty() ? "main" : exchange.track;
  news_.emplace_back(ModelAsked{exchange.n, track, exchange.path, exchange.body, exchange.errors});
  const std::int64_t number = ++posted_;
  wake_->wake();
  changed_.notify_all();
  changed_.wait_for(lock, kSeenWithin,
                    [&] { return is_ending_ || epoch != epoch_ || acknowledged_ >= number; });
}

void WireModelServer::on_reply(const Exchange& exchange) {
  if (!dialect_of_path(exchange.path).has_value()) return;
  {
    const std::lock_guard lock(mutex_);
    news_.emplace_back(answer_of(exchange));
    ++posted_;
  }
  wake_->wake();
  changed_.notify_all();
}

bool WireModelServer::has_happened(const Trigger& trigger) {
  const std::lock_guard lock(mutex_);
  return released_.contains(trigger.text);
}

}  // namespace plumb::simulator
