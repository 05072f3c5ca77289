// SPDX-License-Identifier: Apache-2.0
// Replies of Anthropic's Messages API: WIRE-20 to WIRE-31.
#include <array>
#include <string_view>
#include <utility>

#include "engine/values/json_object.h"
#include "simulator/llm/wire/wire_error.h"
#include "simulator/llm/wire/wire_reply.h"

namespace plumb::simulator {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kStops = {{
    {"stop", "end_turn"},
    {"toolUse", "tool_use"},
    {"length", "max_tokens"},
    {"stop_sequence", "stop_sequence"},
    {"pause", "pause_turn"},
    {"filter", "refusal"},
    {"context", "model_context_window_exceeded"},
}};

constexpr const char* kStopSequence = "STOP";

bool is_refused(const ModelStep& reply) {
  return reply.fail && reply.fail->kind == "refusal";
}

/// "stop", "toolUse", ...: what the script says or what follows from the calls.
std::string_view stop_word(const ModelStep& reply) {
  if (!reply.stop.empty()) return reply.stop;
  return reply.calls.empty() ? "stop" : "toolUse";
}

std::string_view messages_stop(const ModelStep& reply) {
  if (is_refused(reply)) return "refusal";
  for (const auto& [word, stop] : kStops) {
    if (word == stop_word(reply)) return stop;
  }
  return "end_turn";
}

/// A refusal gives its reason (WIRE-27).
Json stop_details(const ModelStep& reply) {
  if (messages_stop(reply) != "refusal") return {};
  std::string explanation = "declined";
  if (reply.fail) explanation = failure_message(*reply.fail);
  return json_object("type", "refusal", "category", nullptr, "explanation", std::move(explanation));
}

Json stop_sequence(const ModelStep& reply) {
  return messages_stop(reply) == "stop_sequence" ? Json(kStopSequence) : Json();
}

Json messages_usage(const UsageScript& usage, std::int64_t output) {
  return json_object(
      "input_tokens", usage.input, "cache_creation_input_tokens", usage.cache_write,
      "cache_read_input_tokens", usage.cache_read, "cache_creation",
      json_object("ephemeral_5m_input_tokens", usage.cache_write, "ephemeral_1h_input_tokens", 0),
      "output_tokens", output, "service_tier", "standard");
}

void add_reasoning(Json& usage, const UsageScript& script) {
  if (script.reasoning == 0) return;
  usage["output_tokens_details"] = json_object("thinking_tokens", script.reasoning);
}

std::string signature_of(const WireReply& reply) {
  return reply.reply.wire.signature.empty() ? "sig_" + reply.stem : reply.reply.wire.signature;
}

/// The head of a message, up to its content.
Json message_head(const WireReply& reply, Json content) {
  return json_object("id", "msg_" + reply.stem, "type", "message", "role", "assistant", "model",
                     reply.model, "content", std::move(content));
}

/// Writes the events of one message.
class MessagesWriter final {
 public:
  explicit MessagesWriter(const WireReply& reply) : reply_(reply) {}

  EventStream run() {
    start();
    for (const StreamPiece& piece : sent_pieces(reply_.reply)) write(piece);
    if (is_open_) stop_block();
    stream_.finish = std::ssize(stream_.events);
    finish();
    return std::move(stream_);
  }

 private:
  void event(std::string_view type, const Json& data) {
    stream_.events.push_back("event: " + std::string(type) + "\ndata: " + dump_json(data) + "\n\n");
  }

  void start() {
    Json message = message_head(reply_, Json::array());
    message["stop_reason"] = nullptr;
    message["stop_sequence"] = nullptr;
    if (!omits(reply_.reply, "usage")) message["usage"] = messages_usage(reply_.usage, 1);
    event("message_start", json_object("type", "message_start", "message", std::move(message)));
  }

  void start_block(Json block) {
    event("content_block_start", json_object("type", "content_block_start", "index", index_,
                                             "content_block", std::move(block)));
    if (index_ == 0) event("ping", json_object("type", "ping"));
    is_open_ = true;
  }

  void delta(Json delta) {
    event("content_block_delta",
          json_object("type", "content_block_delta", "index", index_, "delta", std::move(delta)));
  }

  void stop_block() {
    event("content_block_stop", json_object("type", "content_block_stop", "index", index_));
    ++index_;
    is_open_ = false;
  }

  void write(const StreamPiece& piece) {
    if (!piece.type.starts_with("thinking")) write_redacted();
    if (piece.type == "thinking_start") {
      start_block(json_object("type", "thinking", "thinking", "", "signature", ""));
    } else if (piece.type == "thinking_delta") {
      delta(json_object("type", "thinking_delta", "thinking", piece.delta));
    } else if (piece.type == "thinking_end") {
      delta(json_object("type", "signature_delta", "signature", signature_of(reply_)));
      stop_block();
    } else if (piece.type.starts_with("text")) {
      write_text(piece);
    } else {
      write_call(piece);
    }
  }

  void write_redacted() {
    if (reply_.reply.wire.redacted.empty() || std::exchange(has_redacted_, true)) return;
    start_block(json_object("type", "redacted_thinking", "data", reply_.reply.wire.redacted));
    stop_block();
  }

  /// An empty answer has no block at all.
  void write_text(const StreamPiece& piece) {
    if (reply_.reply.text.empty()) return;
    if (piece.type == "text_start") start_block(json_object("type", "text", "text", ""));
    if (piece.type == "text_delta") delta(json_object("type", "text_delta", "text", piece.delta));
    if (piece.type == "text_end") stop_block();
  }

  /// The first delta is empty; a call without arguments has no other (WIRE-24).
  void write_call(const StreamPiece& piece) {
    if (piece.type == "toolcall_start") {
      start_block(json_object("type", "tool_use", "id", piece.id, "name", piece.name, "input",
                              Json::object()));
      delta(json_object("type", "input_json_delta", "partial_json", ""));
      has_arguments_ = has_arguments(piece.id);
    } else if (piece.type == "toolcall_end") {
      stop_block();
    } else if (has_arguments_) {
      delta(json_object("type", "input_json_delta", "partial_json", piece.delta));
    }
  }

  bool has_arguments(const std::string& id) const {
    for (const CallScript& call : reply_.reply.calls) {
      if (call.id == id) return !call.arguments_text.empty() || !call.args.empty();
    }
    return true;
  }

  void finish() {
    const ModelStep& reply = reply_.reply;
    if (reply.fail && failure_status(*reply.fail) == 0) {
      stream_.is_broken = true;
      return;
    }
    if (ends_in_error(reply)) {
      const WireError error =
          reply.fail ? wire_error_of(Dialect::messages, *reply.fail) : broken_off();
      return event("error", error_body(Dialect::messages, error, "req_" + reply_.stem));
    }
    if (!omits(reply, "finish")) event("message_delta", message_delta());
    if (!omits(reply, "stop_event")) event("message_stop", json_object("type", "message_stop"));
  }

  Json message_delta() const {
    const ModelStep& reply = reply_.reply;
    Json change =
        json_object("stop_reason", messages_stop(reply), "stop_sequence", stop_sequence(reply));
    Json details = stop_details(reply);
    if (!details.is_null()) change["stop_details"] = std::move(details);
    Json data = json_object("type", "message_delta", "delta", std::move(change));
    if (omits(reply, "usage")) return data;
    const UsageScript& usage = reply_.usage;
    Json totals =
        json_object("input_tokens", usage.input, "cache_creation_input_tokens", usage.cache_write,
                    "cache_read_input_tokens", usage.cache_read, "output_tokens", usage.output);
    add_reasoning(totals, usage);
    data["usage"] = std::move(totals);
    return data;
  }

  const WireReply& reply_;
  EventStream stream_;
  std::int64_t index_ = 0;
  bool is_open_ = false;
  bool has_redacted_ = false;
  bool has_arguments_ = true;
};

Json call_block(const CallScript& call) {
  Json input = call.args;
  if (!call.arguments_text.empty()) {
    auto parsed = parse_json(call.arguments_text);
    input = parsed && parsed->is_object() ? *std::move(parsed) : Json::object();
  }
  return json_object("type", "tool_use", "id", call.id, "name", call.tool, "input",
                     std::move(input));
}

}  // namespace

EventStream messages_events(const WireReply& reply) {
  return MessagesWriter(reply).run();
}

Json messages_body(const WireReply& reply) {
  const ModelStep& step = reply.reply;
  Json content = Json::array();
  if (!step.thinking.empty()) {
    content.push_back(json_object("type", "thinking", "thinking", step.thinking, "signature",
                                  signature_of(reply)));
  }
  if (!step.wire.redacted.empty()) {
    content.push_back(json_object("type", "redacted_thinking", "data", step.wire.redacted));
  }
  if (!step.text.empty()) content.push_back(json_object("type", "text", "text", step.text));
  for (const CallScript& call : step.calls) content.push_back(call_block(call));
  // A refusal gives what came before it, which is nothing unless the script says so.
  if (is_refused(step) && step.fail->after == 0) content = Json::array();
  Json body = message_head(reply, std::move(content));
  body["stop_reason"] = messages_stop(step);
  body["stop_sequence"] = stop_sequence(step);
  Json details = stop_details(step);
  if (!details.is_null()) body["stop_details"] = std::move(details);
  body["usage"] = messages_usage(reply.usage, reply.usage.output);
  add_reasoning(body["usage"], reply.usage);
  return body;
}

}  // namespace plumb::simulator
