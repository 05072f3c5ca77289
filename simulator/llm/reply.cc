// SPDX-License-Identifier: Apache-2.0
#include "simulator/llm/reply.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "engine/values/json_object.h"
#include "engine/values/utf8.h"

namespace plumb::simulator {
namespace {

using engine::AssistantMessage;
using engine::ContentBlock;
using engine::StopReason;

struct FailureWords {
  std::string_view kind;
  std::int64_t status;
  std::string_view message;
};

constexpr std::array<FailureWords, 7> kFailures = {{
    {"overloaded", 529, "529 overloaded"},
    {"rate_limit", 429, "429 rate limit reached"},
    {"server", 500, "500 internal server error"},
    {"network", 0, "connection error: the stream ended early"},
    {"context_length", 400, "400 prompt is too long: it exceeds the context window"},
    {"refusal", 200, "the model refused to answer"},
    {"invalid_request", 400, "400 invalid request"},
}};

const FailureWords& words_of(const FailureScript& failure) {
  const auto* words = std::ranges::find(kFailures, failure.kind, &FailureWords::kind);
  PLUMB_ASSERT(words != kFailures.end());
  return *words;
}

ContentBlock block_of(const CallScript& call) {
  engine::ToolCallBlock block;
  block.id = call.id;
  block.name = call.tool;
  block.arguments = SharedJson(call.args);
  block.arguments_error = call.arguments_error;
  if (block.arguments_error.empty() && !call.arguments_text.empty()) {
    block.arguments_error = "arguments are not JSON";
  }
  return block;
}

/// The text in pieces of `chunk` code points; one piece if `chunk` is 0.
std::vector<std::string> chunks_of(std::string_view text, std::int64_t chunk) {
  std::vector<std::string> chunks;
  if (chunk == 0 && !text.empty()) return {std::string(text)};
  while (!text.empty()) {
    std::int64_t length = 0;
    for (std::int64_t i = 0; i < chunk && length < std::ssize(text); ++i) {
      length += std::max<std::int64_t>(decode_utf8(text, length).length, 1);
    }
    chunks.emplace_back(text.substr(0, static_cast<std::size_t>(length)));
    text.remove_prefix(static_cast<std::size_t>(length));
  }
  return chunks;
}

void add_pieces(std::vector<StreamPiece>& pieces, StreamPiece start, std::string_view text,
                std::int64_t chunk) {
  const std::string kind = start.type;
  const std::int64_t index = start.content_index;
  start.type = kind + "_start";
  pieces.push_back(std::move(start));
  for (std::string& delta : chunks_of(text, chunk)) {
    pieces.push_back({kind + "_delta", index, std::move(delta), "", ""});
  }
  pieces.push_back({kind + "_end", index, "", "", ""});
}

/// An answer that says nothing else says an empty text.
bool has_text_block(const ModelStep& reply) {
  return !reply.text.empty() || (reply.thinking.empty() && reply.calls.empty());
}

StopReason stop_of(const ModelStep& reply) {
  if (reply.stop.empty()) return reply.calls.empty() ? StopReason::stop : StopReason::tool_use;
  // What only a provider says is one of the neutral reasons to an engine.
  if (reply.stop == "stop_sequence" || reply.stop == "pause") return StopReason::stop;
  if (reply.stop == "context") return StopReason::length;
  if (reply.stop == "filter") return StopReason::error;
  const auto reason = engine::parse_stop_reason(reply.stop);
  PLUMB_ASSERT(reason.has_value());
  return *reason;
}

engine::Usage usage_of(const ModelStep& reply) {
  const UsageScript usage = reply.usage.value_or(UsageScript{});
  return {usage.input, usage.output, usage.cache_read, usage.cache_write};
}

/// A block of which only `text` came.
ContentBlock cut_block(const ContentBlock& block, std::string text) {
  if (std::holds_alternative<engine::TextBlock>(block)) return engine::TextBlock{std::move(text)};
  if (std::holds_alternative<engine::ThinkingBlock>(block)) {
    return engine::ThinkingBlock{std::move(text), ""};
  }
  engine::ToolCallBlock call = std::get<engine::ToolCallBlock>(block);
  call.arguments = SharedJson(Json::object());
  call.arguments_error = "the answer ended within the arguments";
  return call;
}

}  // namespace

std::string arguments_text(const CallScript& call) {
  return call.arguments_text.empty() ? dump_json(call.args) : call.arguments_text;
}

Json to_json(const StreamPiece& piece) {
  Json json = json_object("type", piece.type, "contentIndex", piece.content_index);
  if (!piece.delta.empty()) json["delta"] = piece.delta;
  if (!piece.id.empty()) json["id"] = piece.id;
  if (!piece.name.empty()) json["name"] = piece.name;
  return json;
}

std::vector<ContentBlock> blocks_of(const ModelStep& reply) {
  std::vector<ContentBlock> blocks;
  if (!reply.thinking.empty()) blocks.emplace_back(engine::ThinkingBlock{reply.thinking, ""});
  if (has_text_block(reply)) blocks.emplace_back(engine::TextBlock{reply.text});
  for (const CallScript& call : reply.calls) blocks.push_back(block_of(call));
  return blocks;
}

std::vector<StreamPiece> pieces_of(const ModelStep& reply) {
  std::vector<StreamPiece> pieces;
  pieces.reserve(3 * (reply.calls.size() + 2));
  std::int64_t index = 0;
  if (!reply.thinking.empty()) {
    add_pieces(pieces, {"thinking", index++, "", "", ""}, reply.thinking, reply.chunk);
  }
  if (has_text_block(reply)) {
    add_pieces(pieces, {"text", index++, "", "", ""}, reply.text, reply.chunk);
  }
  for (const CallScript& call : reply.calls) {
    add_pieces(pieces, {"toolcall", index++, "", call.id, call.tool}, arguments_text(call),
               reply.chunk);
  }
  return pieces;
}

AssistantMessage message_of(const ModelStep& reply) {
  AssistantMessage message;
  message.content = blocks_of(reply);
  message.stop_reason = stop_of(reply);
  if (message.stop_reason == StopReason::error) message.error_message = "the answer broke off";
  message.usage = usage_of(reply);
  return message;
}

AssistantMessage partial_message_of(const ModelStep& reply, std::int64_t count) {
  const auto blocks = blocks_of(reply);
  const auto pieces = pieces_of(reply);
  AssistantMessage message;
  message.usage = usage_of(reply);
  std::string text;
  for (std::size_t i = 0; i < pieces.size() && static_cast<std::int64_t>(i) < count; ++i) {
    const StreamPiece& piece = pieces[i];
    const ContentBlock& block = blocks[static_cast<std::size_t>(piece.content_index)];
    if (piece.type.ends_with("_start")) {
      text.clear();
      message.content.push_back(cut_block(block, ""));
    } else if (piece.type.ends_with("_end")) {
      message.content.back() = block;
    } else {
      text += piece.delta;
      message.content.back() = cut_block(block, text);
    }
  }
  return message;
}

std::int64_t pieces_within(const std::vector<StreamPiece>& pieces, std::int64_t bytes) {
  std::int64_t count = 0;
  for (const StreamPiece& piece : pieces) {
    bytes -= std::ssize(dump_json(to_json(piece)));
    if (bytes < 0) break;
    ++count;
  }
  return count;
}

std::int64_t piece_bytes(const std::vector<StreamPiece>& pieces) {
  std::int64_t bytes = 0;
  for (const StreamPiece& piece : pieces) bytes += std::ssize(dump_json(to_json(piece)));
  return bytes;
}

std::string failure_message(const FailureScript& failure) {
  std::string message = failure.message;
  if (message.empty()) message = words_of(failure).message;
  if (failure.retry_after_ms < 0) return message;
  return message + "; retry after " + std::to_string(failure.retry_after_ms) + " ms";
}

std::int64_t failure_status(const FailureScript& failure) {
  return failure.status != 0 ? failure.status : words_of(failure).status;
}

}  // namespace plumb::simulator
