// SPDX-License-Identifier: Apache-2.0
// Replies of OpenAI's Chat Completions API: WIRE-40 to WIRE-49.
#include <map>
#include <string_view>
#include <utility>

#include "engine/values/json_object.h"
#include "simulator/llm/wire/wire_error.h"
#include "simulator/llm/wire/wire_reply.h"

namespace plumb::simulator {
namespace {

bool has_refused(const ModelStep& reply) {
  return reply.fail && reply.fail->kind == "refusal";
}

/// A refusal ends with stop (WIRE-44).
std::string_view finish_reason(const ModelStep& reply) {
  if (has_refused(reply)) return "stop";
  if (reply.stop == "length" || reply.stop == "context") return "length";
  if (reply.stop == "filter") return "content_filter";
  if (reply.stop == "toolUse") return "tool_calls";
  if (!reply.stop.empty()) return "stop";
  return reply.calls.empty() ? "stop" : "tool_calls";
}

/// prompt_tokens counts what was cached as well (WIRE-45).
Json chat_usage(const UsageScript& usage) {
  const std::int64_t prompt = usage.input + usage.cache_read + usage.cache_write;
  return json_object(
      "prompt_tokens", prompt, "completion_tokens", usage.output, "total_tokens",
      prompt + usage.output, "prompt_tokens_details",
      json_object("cached_tokens", usage.cache_read, "cache_write_tokens", usage.cache_write),
      "completion_tokens_details", json_object("reasoning_tokens", usage.reasoning));
}

std::string refusal_text(const ModelStep& reply) {
  return has_refused(reply) ? failure_message(*reply.fail) : "";
}

/// Writes the chunks of one completion.
class ChatWriter final {
 public:
  explicit ChatWriter(const WireReply& reply)
      : reply_(reply), sends_usage_(reply.includes_usage && !omits(reply.reply, "usage")) {}

  EventStream run() {
    chunk(json_object("role", "assistant", "content", ""));
    for (const StreamPiece& piece : sent_pieces(reply_.reply)) write(piece);
    const std::string refusal = refusal_text(reply_.reply);
    if (!refusal.empty()) chunk(json_object("refusal", refusal));
    stream_.finish = std::ssize(stream_.events);
    finish();
    return std::move(stream_);
  }

 private:
  void data(const std::string& text) { stream_.events.push_back("data: " + text + "\n\n"); }

  Json head() const {
    return json_object("id", "chatcmpl-" + reply_.stem, "object", "chat.completion.chunk",
                       "created", kCreated, "model", reply_.model);
  }

  void chunk(Json delta, Json reason = nullptr) {
    Json json = head();
    json["choices"] = Json::array({json_object("index", 0, "delta", std::move(delta), "logprobs",
                                               nullptr, "finish_reason", std::move(reason))});
    if (sends_usage_) json["usage"] = nullptr;
    data(dump_json(json));
  }

  void write(const StreamPiece& piece) {
    if (piece.type == "thinking_delta") {
      chunk(json_object("reasoning_content", piece.delta));
    } else if (piece.type == "text_delta") {
      chunk(json_object("content", piece.delta));
    } else if (piece.type == "toolcall_start") {
      const auto index = static_cast<std::int64_t>(indexes_.size());
      indexes_[piece.content_index] = index;
      call(json_object("index", index, "id", piece.id, "type", "function", "function",
                       json_object("name", piece.name, "arguments", "")));
    } else if (piece.type == "toolcall_delta") {
      call(json_object("index", indexes_.at(piece.content_index), "function",
                       json_object("arguments", piece.delta)));
    }
  }

  void call(Json call) { chunk(json_object("tool_calls", Json::array({std::move(call)}))); }

  void finish() {
    const ModelStep& reply = reply_.reply;
    if (reply.fail && failure_status(*reply.fail) == 0) {
      stream_.is_broken = true;
      return;
    }
    if (ends_in_error(reply)) {
      const WireError error = reply.fail ? wire_error_of(Dialect::chat, *reply.fail) : broken_off();
      return data(dump_json(error_body(Dialect::chat, error, "")));
    }
    if (!omits(reply, "finish")) chunk(Json::object(), Json(finish_reason(reply)));
    if (sends_usage_) {
      Json json = head();
      json["choices"] = Json::array();
      json["usage"] = chat_usage(reply_.usage);
      data(dump_json(json));
    }
    if (!omits(reply, "done")) data("[DONE]");
  }

  const WireReply& reply_;
  EventStream stream_;
  bool sends_usage_;
  std::map<std::int64_t, std::int64_t> indexes_;  ///< Of calls, by the block's.
};

Json chat_message(const ModelStep& reply) {
  const bool is_bare = has_refused(reply) && reply.fail->after == 0;
  const std::string refusal = refusal_text(reply);
  const bool has_text = !reply.text.empty() && !is_bare;
  Json message = json_object("role", "assistant", "content", has_text ? Json(reply.text) : Json(),
                             "refusal", refusal.empty() ? Json() : Json(refusal));
  // An answer of nothing at all is an empty text, as its stream adds up to.
  if (!has_text && refusal.empty() && reply.calls.empty()) message["content"] = "";
  if (!reply.thinking.empty() && !is_bare) message["reasoning_content"] = reply.thinking;
  if (reply.calls.empty() || is_bare) return message;
  Json calls = Json::array();
  for (const CallScript& call : reply.calls) {
    calls.push_back(json_object("id", call.id, "type", "function", "function",
                                json_object("name", call.tool, "arguments", arguments_text(call))));
  }
  message["tool_calls"] = std::move(calls);
  return message;
}

}  // namespace

EventStream chat_events(const WireReply& reply) {
  return ChatWriter(reply).run();
}

Json chat_body(const WireReply& reply) {
  Json choice = json_object("index", 0, "message", chat_message(reply.reply), "logprobs", nullptr,
                            "finish_reason", finish_reason(reply.reply));
  return json_object("id", "chatcmpl-" + reply.stem, "object", "chat.completion", "created",
                     kCreated, "model", reply.model, "choices", Json::array({std::move(choice)}),
                     "usage", chat_usage(reply.usage));
}

}  // namespace plumb::simulator
