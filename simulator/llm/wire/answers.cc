// SPDX-License-Identifier: Apache-2.0
#include "simulator/llm/wire/answers.h"

#include <algorithm>
#include <utility>

#include "engine/values/json_object.h"
#include "simulator/llm/fault.h"

namespace plumb::simulator {
namespace {

constexpr std::size_t kStemBytesMax = 40;
constexpr std::size_t kTemplatesMax = 10'000;

std::string_view id_prefix(Dialect dialect) {
  return dialect == Dialect::messages ? "toolu_" : "call_";
}

void add_failure_headers(Delivery& delivery, const FailureScript& failure) {
  if (failure.retry_after_ms >= 0) {
    delivery.headers.emplace_back("retry-after-ms", std::to_string(failure.retry_after_ms));
    delivery.headers.emplace_back("retry-after",
                                  std::to_string((failure.retry_after_ms + 999) / 1000));
  }
  if (failure.should_retry) {
    delivery.headers.emplace_back("x-should-retry", *failure.should_retry ? "true" : "false");
  }
}

Delivery failure_answer(Dialect dialect, const FailureScript& failure, const std::string& id) {
  const WireError error = wire_error_of(dialect, failure);
  Delivery delivery = error_answer(dialect, error, id);
  if (error.status == 0) {
    // Nothing at all comes back: the connection breaks.
    delivery = plain_delivery(0, "");
    delivery.ending = ReplyEnding::reset;
    return delivery;
  }
  if (failure.body) {
    delivery.body = *failure.body;
    delivery.content_type = "text/html";
    delivery.part_ends.clear();
    if (!delivery.body.empty()) delivery.part_ends.push_back(std::ssize(delivery.body));
  }
  add_failure_headers(delivery, failure);
  return delivery;
}

/// "messages[1]" of "messages[1]: a second result ...".
std::string position_of(const std::string& message) {
  const std::size_t end = message.find(": ");
  const bool is_position = end != std::string::npos && message.find(' ') > end;
  return is_position ? message.substr(0, end) : "";
}

Delivery refusal_answer(const Exchange& exchange, const std::string& id) {
  const LlmError& problem = exchange.plan.errors.front();
  WireError error{400, problem.message};
  error.param = position_of(problem.message);
  if (problem.code == "missing_key") error.status = 401;
  return error_answer(exchange.dialect, error, id);
}

/// A client that tries again would only hide that the script is wrong (WIRE-10).
Delivery broken_answer(const Exchange& exchange, const std::string& id) {
  const LlmError& problem = exchange.plan.errors.front();
  const std::string where = problem.where.empty() ? "" : " (" + problem.where + ")";
  Delivery delivery =
      error_answer(exchange.dialect, {500, problem.code + ": " + problem.message + where}, id);
  delivery.headers.emplace_back("x-should-retry", "false");
  return delivery;
}

/// What a stream depends on beside its ids; "" when that is different for every request. Replies
/// are told apart by their place and what strikes them there.
std::string template_key(const Exchange& exchange, const WireReply& reply,
                         const WireOptions& options) {
  const ModelStep& step = reply.reply;
  const bool has_own_ids = options.loops && !step.calls.empty();
  const bool has_own_usage = options.computes_usage && !step.usage;
  if (has_own_ids || has_own_usage) return "";
  const Place place = exchange.plan.place;
  std::string key = std::to_string(place.line) + ":" + std::to_string(place.column);
  key += exchange.dialect == Dialect::messages ? " m" : " c";
  key += reply.includes_usage ? "u " : " ";
  if (step.fail) key += "fail " + step.fail->kind;
  if (step.fault) key += "fault " + step.fault->kind;
  return key + " " + reply.model;
}

Delivery reply_answer(const Exchange& exchange, const WireRequest& wire, const UsageScript& usage,
                      const WireOptions& options, StreamTemplates& templates) {
  const bool is_messages = exchange.dialect == Dialect::messages;
  WireReply reply;
  reply.reply = *exchange.plan.reply;
  reply.model = wire.model;
  reply.stem = stem_of(exchange.conversation, exchange.reply_number);
  reply.usage = usage;
  reply.includes_usage = wire.includes_usage;
  Delivery delivery;
  if (wire.is_stream) {
    EventStream stream =
        templates.stream(template_key(exchange, reply, options), exchange.dialect, reply);
    delivery = stream_delivery(reply.reply, std::move(stream), options.write, options.seed);
  } else {
    const Json body = is_messages ? messages_body(reply) : chat_body(reply);
    delivery = object_delivery(reply.reply, dump_json(body), options.seed);
  }
  return delivery;
}

Json messages_model(const std::string& id) {
  return json_object("type", "model", "id", id, "display_name", id, "created_at",
                     "2023-11-14T22:13:20Z", "max_input_tokens", 200'000, "max_tokens", 64'000,
                     "capabilities", Json::object());
}

Json chat_model(const std::string& id) {
  return json_object("id", id, "object", "model", "created", kCreated, "owned_by", "plumbline");
}

}  // namespace

EventStream StreamTemplates::stream(const std::string& key, Dialect dialect,
                                    const WireReply& reply) {
  if (key.empty())
    return dialect == Dialect::messages ? messages_events(reply) : chat_events(reply);
  std::shared_ptr<const StreamTemplate> form;
  {
    const std::lock_guard lock(mutex_);
    const auto found = templates_.find(key);
    if (found != templates_.end()) form = found->second;
  }
  if (form == nullptr) {
    form = std::make_shared<const StreamTemplate>(dialect, reply);
    const std::lock_guard lock(mutex_);
    if (templates_.size() >= kTemplatesMax) templates_.clear();
    templates_.try_emplace(key, form);
  }
  return form->with(reply.stem);
}

std::string stem_of(const std::string& conversation, std::int64_t number) {
  std::string digits = std::to_string(number);
  if (digits.size() < 4) digits.insert(0, 4 - digits.size(), '0');
  std::string stem;
  for (const char c : conversation.substr(0, kStemBytesMax)) {
    stem += is_wire_word(std::string(1, c), 1) ? c : '_';
  }
  return stem.empty() ? digits : stem + "_" + digits;
}

ModelStep sent_reply(ModelStep reply, Dialect dialect, const WireOptions& options,
                     std::int64_t number) {
  reply = with_content_fault(std::move(reply), options.seed);
  const std::string prefix(id_prefix(dialect));
  for (CallScript& call : reply.calls) {
    if (options.shapes_call_ids && !call.id.starts_with(prefix)) call.id = prefix + call.id;
    if (options.loops) call.id += "_" + std::to_string(number);
  }
  return reply;
}

std::string script_call_id(std::string_view wire_id, const PlayerScript& script) {
  for (const std::string_view prefix : {"", "toolu_", "call_"}) {
    if (!wire_id.starts_with(prefix)) continue;
    std::string_view id = wire_id.substr(prefix.size());
    if (script.calls.contains(id)) return std::string(id);
    id = id.substr(0, id.rfind('_'));
    if (script.calls.contains(id)) return std::string(id);
  }
  return std::string(wire_id);
}

Delivery error_answer(Dialect dialect, const WireError& error, const std::string& request_id) {
  Delivery delivery =
      plain_delivery(error.status, dump_json(error_body(dialect, error, request_id)));
  delivery.headers.emplace_back(dialect == Dialect::messages ? "request-id" : "x-request-id",
                                request_id);
  return delivery;
}

Delivery plan_answer(const Exchange& exchange, const WireRequest& wire, const UsageScript& usage,
                     const WireOptions& options, StreamTemplates& templates) {
  const std::string id = "req_" + stem_of(exchange.conversation, exchange.reply_number);
  if (exchange.plan.kind == Plan::Kind::broken) return broken_answer(exchange, id);
  if (exchange.plan.kind == Plan::Kind::refused) return refusal_answer(exchange, id);
  const ModelStep& reply = *exchange.plan.reply;
  const bool streams_first = wire.is_stream && (!reply.fail || reply.fail->after > 0);
  Delivery delivery;
  if (ends_in_error(reply) && !streams_first) {
    delivery = reply.fail ? failure_answer(exchange.dialect, *reply.fail, id)
                          : error_answer(exchange.dialect, broken_off(), id);
    delivery.delay_ms = reply.delay_ms;
    return delivery;
  }
  delivery = reply_answer(exchange, wire, usage, options, templates);
  delivery.headers.emplace_back(
      exchange.dialect == Dialect::messages ? "request-id" : "x-request-id", id);
  return delivery;
}

Delivery model_list_answer(const PlayerScript& script, bool is_messages) {
  Json data = Json::array();
  for (const std::string& id : script.models) {
    data.push_back(is_messages ? messages_model(id) : chat_model(id));
  }
  if (!is_messages) {
    return plain_delivery(200, dump_json(json_object("object", "list", "data", std::move(data))));
  }
  const Json first = script.models.empty() ? Json() : Json(script.models.front());
  const Json last = script.models.empty() ? Json() : Json(script.models.back());
  return plain_delivery(200, dump_json(json_object("data", std::move(data), "has_more", false,
                                                   "first_id", first, "last_id", last)));
}

Delivery model_answer(const PlayerScript& script, const std::string& model, bool is_messages) {
  if (std::ranges::find(script.models, model) == script.models.end()) {
    return error_answer(is_messages ? Dialect::messages : Dialect::chat, {404, "model: " + model},
                        "req_model");
  }
  return plain_delivery(200, dump_json(is_messages ? messages_model(model) : chat_model(model)));
}

std::int64_t token_count(std::int64_t bytes) {
  return (bytes + 3) / 4;
}

Delivery token_answer(Dialect dialect, const Json& body) {
  const std::int64_t tokens = token_count(std::ssize(dump_json(body)));
  if (dialect == Dialect::messages) {
    return plain_delivery(200, dump_json(json_object("input_tokens", tokens)));
  }
  return plain_delivery(
      200, dump_json(json_object("object", "response.input_tokens", "input_tokens", tokens)));
}

}  // namespace plumb::simulator
