// SPDX-License-Identifier: Apache-2.0
#include "simulator/llm/wire/wire_book.h"

#include <algorithm>
#include <array>

#include "engine/values/json_members.h"
#include "engine/values/json_object.h"
#include "simulator/llm/wire/answers.h"
#include "simulator/script/words.h"

namespace plumb::simulator {
namespace {

/// Earlier requests of a conversation that a prefix is looked for in.
constexpr std::size_t kPrefixesMax = 8;
constexpr std::string_view kMainTrack = "main";
constexpr std::string_view kSummaryTrack = "summary";

bool is_messages_caller(const HttpRequest& request) {
  return !header_of(request, "anthropic-version").empty();
}

/// The dialect in which a request hears that there is no such route.
Dialect caller_dialect(const HttpRequest& request, const Route& route) {
  if (route.kind == Route::Kind::generate || route.kind == Route::Kind::count_tokens) {
    return route.dialect;
  }
  return is_messages_caller(request) ? Dialect::messages : Dialect::chat;
}

HeaderList masked(HeaderList headers) {
  static constexpr std::array<std::string_view, 4> kSecret = {"authorization", "x-api-key",
                                                              "cookie", "proxy-authorization"};
  for (auto& [name, value] : headers) {
    if (std::ranges::find(kSecret, name) != kSecret.end()) value = "<set>";
  }
  return headers;
}

Exchange exchange_of(HttpRequest request, const Route& route) {
  Exchange exchange;
  exchange.conversation = route.conversation;
  exchange.dialect = caller_dialect(request, route);
  exchange.method = std::move(request.method);
  exchange.path = std::move(request.target);
  exchange.headers = masked(std::move(request.headers));
  exchange.body = std::move(request.body);
  return exchange;
}

/// A conversation may be named by the path, or by a header.
Route route_with_headers(const HttpRequest& request) {
  Route route = route_of(request.path);
  if (route.conversation.empty()) {
    route.conversation = std::string(header_of(request, "x-plumb-conversation"));
  }
  if (route.track.empty()) route.track = std::string(header_of(request, "x-plumb-track"));
  return route;
}

/// The track that was asked for, or the one that bears the conversation's name, or the summary's
/// for a request without tools in a conversation that had some, or main.
std::string track_of(const Route& route, const PlayerScript& script, bool lost_its_tools) {
  if (!route.track.empty()) return route.track;
  if (script.tracks.contains(route.conversation)) return route.conversation;
  if (lost_its_tools && script.tracks.contains(kSummaryTrack)) return std::string(kSummaryTrack);
  return std::string(kMainTrack);
}

/// Tools, system, messages: without cache marks, which neutral blocks do not have (WIRE-120).
std::string canonical_text(const WireRequest& wire) {
  std::string text;
  for (const auto& tool : wire.request.tools) text += tool.json.bytes();
  text += wire.request.system.bytes();
  for (const SharedJson& message : wire.request.messages) text += message.bytes();
  return text;
}

std::int64_t common_bytes(std::string_view left, std::string_view right) {
  return std::ranges::mismatch(left, right).in1 - left.begin();
}

std::vector<FoundError> found_errors(const HttpRequest& request, Dialect dialect, const Json& body,
                                     const PlayerScript& script, bool needs_key) {
  std::vector<FoundError> found;
  const bool has_key =
      !header_of(request, "x-api-key").empty() || !header_of(request, "authorization").empty();
  if (dialect == Dialect::messages && needs_key && !has_key) {
    found.push_back({"missing_key", "x-api-key header is required", ""});
  }
  const auto problems =
      dialect == Dialect::messages ? check_messages_body(body) : check_chat_body(body);
  for (const RequestProblem& problem : problems) {
    found.push_back({problem.code, problem.position + ": " + problem.message,
                     script_call_id(problem.call, script)});
  }
  return found;
}

}  // namespace

std::string_view header_of(const HttpRequest& request, std::string_view name) {
  for (const auto& [key, value] : request.headers) {
    if (key == name) return value;
  }
  return "";
}

WireBook::WireBook(PlayerScript script, WireOptions options)
    : options_(std::move(options)),
      script_(std::make_shared<const PlayerScript>(std::move(script))) {}

WireBook::Script WireBook::script() const {
  const std::lock_guard lock(mutex_);
  return script_;
}

Delivery WireBook::answer(HttpRequest request) {
  const Route route = route_with_headers(request);
  const std::string_view method = method_of(route.kind);
  if (method.empty()) {
    return refuse(std::move(request), 404, "unknown request URL: no such route");
  }
  const bool is_head = request.method == "HEAD" && method == "GET";
  if (request.method != method && !is_head) {
    Delivery delivery = refuse(std::move(request), 405, "expected method " + std::string(method));
    delivery.headers.emplace_back("allow", method);
    return delivery;
  }
  if (route.kind == Route::Kind::generate) return generate(std::move(request), route);
  switch (route.kind) {
    case Route::Kind::journal:
      return plain_delivery(200, dump_json(journal()));
    case Route::Kind::health:
      return plain_delivery(200, R"({"status":"ok"})");
    case Route::Kind::reset:
      replay(*script());
      return plain_delivery(200, R"({"status":"ok"})");
    default:
      break;
  }
  Delivery delivery = endpoint(request, route);
  return log(exchange_of(std::move(request), route), std::move(delivery));
}

Delivery WireBook::endpoint(const HttpRequest& request, const Route& route) const {
  const bool is_messages = is_messages_caller(request);
  if (route.kind == Route::Kind::model_list) return model_list_answer(*script(), is_messages);
  if (route.kind == Route::Kind::model) return model_answer(*script(), route.model, is_messages);
  const auto body = parse_json(request.body);
  if (body && body->is_object()) return token_answer(route.dialect, *body);
  return error_answer(route.dialect, {400, "the request body is no JSON object"}, "req_tokens");
}

Delivery WireBook::refuse(HttpRequest request, int status, const std::string& message) {
  const Route route = route_with_headers(request);
  const Dialect dialect = caller_dialect(request, route);
  WireError error{status, message};
  if (status == 404) error.code = "unknown_url";
  Exchange exchange = exchange_of(std::move(request), route);
  if (route.kind == Route::Kind::generate) note(exchange, {"bad_request", message, ""});
  return log(std::move(exchange), error_answer(dialect, error, "req_refused"));
}

void WireBook::note(Exchange& exchange, LlmError error) {
  const std::lock_guard lock(mutex_);
  error.where = script_->file;
  exchange.errors.push_back(error);
  keep_error(std::move(error));
}

Delivery WireBook::generate(HttpRequest request, const Route& route) {
  if (route.dialect == Dialect::responses) {
    return refuse(std::move(request), 404, "the Responses API is not served");
  }
  auto body = parse_json(request.body);
  if (!body) {
    const std::string where = body.error().where.empty() ? "" : " at " + body.error().where;
    return refuse(std::move(request), 400,
                  "the request body is no valid JSON: " + body.error().message + where);
  }
  auto wire = read_wire_request(route.dialect, *body);
  if (!wire) return refuse(std::move(request), 400, wire.error().message);
  const Script script = this->script();
  PlayerRules rules;
  rules.found = found_errors(request, route.dialect, *body, *script, options_.needs_key);
  Exchange exchange = exchange_of(std::move(request), route);
  exchange.is_stream = wire->is_stream;
  exchange.track = route.track;
  Chosen chosen = choose(exchange, *wire, std::move(rules));
  exchange.track = wire->request.lineage;
  exchange.plan = std::move(chosen.plan);
  exchange.errors = exchange.plan.errors;
  exchange.reply_number = chosen.reply_number;
  Delivery delivery = plan_answer(exchange, *wire, chosen.usage, options_, *chosen.templates);
  return log(std::move(exchange), std::move(delivery));
}

WireBook::Chosen WireBook::choose(const Exchange& exchange, WireRequest& wire, PlayerRules rules) {
  rules.checks_off = options_.checks_off;
  rules.is_lenient = options_.is_lenient;
  rules.loops = options_.loops;
  if (options_.selection == Selection::history) rules.answers = wire.answers;
  rules.matches = options_.selection == Selection::match;
  const std::lock_guard lock(mutex_);
  rules.script_id = [this](std::string_view id) { return script_call_id(id, *script_); };
  Chosen chosen;
  chosen.templates = templates_;
  const bool is_new = !conversations_.contains(exchange.conversation);
  if (is_new && std::ssize(conversations_) >= options_.conversations_max) {
    chosen.plan.kind = Plan::Kind::broken;
    chosen.plan.errors.push_back({"too_many_conversations", "no further conversation is kept", ""});
    keep_error(chosen.plan.errors.front());
    return chosen;
  }
  Conversation& conversation = conversations_[exchange.conversation];
  const Route route{Route::Kind::generate, exchange.dialect, exchange.conversation, exchange.track,
                    ""};
  const bool lost_its_tools = wire.request.tools.empty() && conversation.had_tools;
  conversation.had_tools = conversation.had_tools || !wire.request.tools.empty();
  wire.request.lineage = track_of(route, *script_, lost_its_tools);
  Played played = step(*script_, std::move(conversation.state), wire.request, rules);
  conversation.state = std::move(played.state);
  // On a wire no two requests share their messages: there is nothing to remember them for.
  conversation.state.accepted.clear();
  chosen.plan = std::move(played.plan);
  chosen.reply_number = ++conversation.replies;
  if (chosen.plan.kind == Plan::Kind::answered && !chosen.plan.reply->until.text.empty() &&
      !options_.has_happened) {
    chosen.plan.kind = Plan::Kind::broken;
    chosen.plan.errors.push_back({"no_events", "a reply with 'until' in a run without events",
                                  located(script_->file, chosen.plan.reply->until.place)});
  }
  for (const LlmError& error : chosen.plan.errors) keep_error(error);
  if (chosen.plan.kind != Plan::Kind::answered) return chosen;
  ++totals_.answered;
  chosen.usage = computed_usage(conversation, wire, exchange.dialect, *chosen.plan.reply);
  chosen.plan.reply =
      sent_reply(*chosen.plan.reply, exchange.dialect, options_, chosen.reply_number);
  return chosen;
}

UsageScript WireBook::computed_usage(Conversation& conversation, const WireRequest& wire,
                                     Dialect dialect, const ModelStep& reply) const {
  if (reply.usage || !options_.computes_usage) return reply.usage.value_or(UsageScript{});
  std::string text = canonical_text(wire);
  std::int64_t common = 0;
  for (const auto& [model, earlier] : conversation.prefixes) {
    if (model == wire.model) common = std::max(common, common_bytes(text, earlier));
  }
  UsageScript usage;
  usage.cache_read = common / 4;
  const std::int64_t rest = token_count(std::ssize(text)) - usage.cache_read;
  (dialect == Dialect::messages ? usage.cache_write : usage.input) = rest;
  std::int64_t output = std::ssize(reply.text) + std::ssize(reply.thinking);
  for (const CallScript& call : reply.calls) output += std::ssize(arguments_text(call));
  usage.output = std::max<std::int64_t>(1, token_count(output));
  usage.reasoning = token_count(std::ssize(reply.thinking));
  conversation.prefixes.emplace_back(wire.model, std::move(text));
  if (conversation.prefixes.size() > kPrefixesMax) conversation.prefixes.pop_front();
  return usage;
}

Delivery WireBook::log(Exchange exchange, Delivery delivery) {
  exchange.status = delivery.status;
  Exchange seen;
  {
    const std::lock_guard lock(mutex_);
    exchange.n = ++arrived_;
    delivery.exchange = exchange.n;
    delivery.epoch = epoch_;
    ++open_;
    log_bytes_ += std::ssize(exchange.body);
    if (options_.on_request) seen = exchange;
    log_.push_back(std::move(exchange));
    forget_old();
  }
  if (options_.on_request) options_.on_request(seen);
  return delivery;
}

void WireBook::forget_old() {
  while (!log_.empty() &&
         (std::ssize(log_) > options_.journal_max || log_bytes_ > options_.journal_bytes_max)) {
    log_bytes_ -= std::ssize(log_.front().body);
    log_.pop_front();
  }
}

Exchange* WireBook::find(const Delivery& delivery) {
  if (delivery.epoch != epoch_ || log_.empty()) return nullptr;
  const std::int64_t index = delivery.exchange - log_.front().n;
  return index < 0 || index >= std::ssize(log_) ? nullptr : &log_[static_cast<std::size_t>(index)];
}

void WireBook::end(const Delivery& delivery, ReplyEnding ending, std::int64_t bytes) {
  if (delivery.exchange == 0) return;
  Exchange seen;
  {
    const std::lock_guard lock(mutex_);
    if (delivery.epoch != epoch_) return;
    --open_;
    Exchange* exchange = find(delivery);
    if (exchange == nullptr) return;
    exchange->ending = ending;
    exchange->bytes_sent = bytes;
    exchange->events_sent = events_within(delivery, bytes);
    exchange->is_cut = ending != ReplyEnding::complete;
    if (options_.on_reply) seen = *exchange;
  }
  if (options_.on_reply) options_.on_reply(seen);
}

void WireBook::give_up(const Delivery& delivery) {
  const std::lock_guard lock(mutex_);
  Exchange* exchange = find(delivery);
  if (exchange == nullptr) return;
  LlmError error{"until_timeout",
                 "a reply waited for " + in_quotes(delivery.until.text) + ", which did not happen",
                 located(script_->file, delivery.until.place)};
  exchange->errors.push_back(error);
  keep_error(std::move(error));
}

void WireBook::keep_error(LlmError error) {
  ++totals_.errors;
  if (std::ssize(errors_) < options_.errors_max) errors_.push_back(std::move(error));
}

void WireBook::replay(PlayerScript script) {
  const std::lock_guard lock(mutex_);
  templates_ = std::make_shared<StreamTemplates>();
  script_ = std::make_shared<const PlayerScript>(std::move(script));
  conversations_.clear();
  log_.clear();
  errors_.clear();
  totals_ = {};
  ++epoch_;
  arrived_ = taken_ = open_ = log_bytes_ = 0;
}

std::vector<Exchange> WireBook::take() {
  const std::lock_guard lock(mutex_);
  std::vector<Exchange> fresh;
  for (const Exchange& exchange : log_) {
    if (exchange.n > taken_) fresh.push_back(exchange);
  }
  taken_ = arrived_;
  return fresh;
}

std::vector<LlmError> WireBook::left_over() const {
  const std::lock_guard lock(mutex_);
  return left_over_locked();
}

std::vector<LlmError> WireBook::left_over_locked() const {
  std::vector<LlmError> errors;
  for (const auto& [track, replies] : script_->tracks) {
    const PlayerScript one{script_->file, {}, {{track, replies}}, {}};
    std::ranges::move(left_over_of(track, one), std::back_inserter(errors));
  }
  return errors;
}

std::vector<LlmError> WireBook::left_over_of(const std::string& track,
                                             const PlayerScript& one) const {
  std::vector<LlmError> errors;
  bool was_begun = false;
  for (const auto& [name, conversation] : conversations_) {
    if (!conversation.state.taken.contains(track)) continue;
    was_begun = true;
    for (LlmError& error : simulator::left_over(one, conversation.state)) {
      if (!name.empty()) error.message += " in conversation " + in_quotes(name);
      errors.push_back(std::move(error));
    }
  }
  return was_begun ? errors : simulator::left_over(one, PlayerState());
}

std::vector<LlmError> WireBook::errors() const {
  const std::lock_guard lock(mutex_);
  return errors_;
}

WireTotals WireBook::totals() const {
  const std::lock_guard lock(mutex_);
  return totals_;
}

std::int64_t WireBook::open_count() const {
  const std::lock_guard lock(mutex_);
  return open_;
}

Json WireBook::journal() const {
  const std::lock_guard lock(mutex_);
  Json requests = Json::array();
  for (const Exchange& exchange : log_) requests.push_back(to_json(exchange, true));
  Json left = Json::array();
  for (const LlmError& error : left_over_locked()) left.push_back(error.where);
  Json errors = Json::array();
  for (const LlmError& error : errors_) {
    errors.push_back(
        json_object("code", error.code, "message", error.message, "where", error.where));
  }
  return json_object("file", script_->file, "requests", std::move(requests), "errors",
                     std::move(errors), "left_over", std::move(left), "forgotten",
                     arrived_ - std::ssize(log_));
}

}  // namespace plumb::simulator
