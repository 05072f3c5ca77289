// SPDX-License-Identifier: Apache-2.0
// A scripted reply as the message that it makes and as the pieces in which it streams.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/model/message.h"
#include "simulator/script/scenario.h"

namespace plumb::simulator {

/// One piece of a stream: {type, contentIndex, ...}. Types: thinking_start, thinking_delta,
/// thinking_end, text_..., toolcall_start (with id and name), toolcall_delta, toolcall_end.
struct StreamPiece {
  std::string type;
  std::int64_t content_index = 0;
  std::string delta;
  std::string id;
  std::string name;
  bool operator==(const StreamPiece&) const = default;
};

Json to_json(const StreamPiece& piece);

/// The text of a call's arguments as the model writes it.
std::string arguments_text(const CallScript& call);

/// The blocks of a reply: thinking, text, calls. Text is left out when it is empty and something
/// else is there.
std::vector<engine::ContentBlock> blocks_of(const ModelStep& reply);

/// All pieces in order; `chunk` code points a delta, or a whole block.
std::vector<StreamPiece> pieces_of(const ModelStep& reply);

/// The complete message of a reply that does not fail.
engine::AssistantMessage message_of(const ModelStep& reply);

/// What there is of a reply after its first `count` pieces: whole blocks, text as far as it came,
/// and a call that was cut as one whose arguments could not be read.
engine::AssistantMessage partial_message_of(const ModelStep& reply, std::int64_t count);

/// The pieces that `bytes` bytes of the stream of their JSON forms hold whole.
std::int64_t pieces_within(const std::vector<StreamPiece>& pieces, std::int64_t bytes);

/// The bytes of that stream.
std::int64_t piece_bytes(const std::vector<StreamPiece>& pieces);

/// The provider's words for a failure: the script's own, or those of its kind.
std::string failure_message(const FailureScript& failure);

/// The HTTP status of a failure: the script's own, or that of its kind; 0 for a broken connection.
std::int64_t failure_status(const FailureScript& failure);

}  // namespace plumb::simulator
