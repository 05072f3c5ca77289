// SPDX-License-Identifier: Apache-2.0
#include "simulator/llm/wire/wire_reply.h"

#include <algorithm>
#include <utility>

namespace plumb::simulator {
namespace {

/// The pieces with the arguments of all calls in turn: first every call's head, then one delta of
/// each as long as there are any.
std::vector<StreamPiece> interleaved(std::vector<StreamPiece> pieces) {
  const auto calls = std::ranges::find(pieces, "toolcall_start", &StreamPiece::type);
  std::vector<StreamPiece> result(pieces.begin(), calls);
  std::vector<std::vector<StreamPiece>> deltas;
  for (auto piece = calls; piece != pieces.end(); ++piece) {
    if (piece->type == "toolcall_start") {
      result.push_back(*piece);
      deltas.emplace_back();
    } else {
      deltas.back().push_back(*piece);
    }
  }
  std::size_t longest = 0;
  for (const auto& list : deltas) longest = std::max(longest, list.size());
  for (std::size_t i = 0; i < longest; ++i) {
    for (const auto& list : deltas) {
      if (i < list.size()) result.push_back(list[i]);
    }
  }
  return result;
}

}  // namespace

bool ends_in_error(const ModelStep& reply) {
  if (reply.fail) return reply.fail->kind != "refusal";
  return reply.stop == "error" || reply.stop == "aborted";
}

std::vector<StreamPiece> sent_pieces(const ModelStep& reply) {
  std::vector<StreamPiece> pieces = pieces_of(reply);
  if (reply.wire.interleave) pieces = interleaved(std::move(pieces));
  if (reply.fail && reply.fail->after < std::ssize(pieces)) {
    pieces.resize(static_cast<std::size_t>(reply.fail->after));
  }
  return pieces;
}

bool omits(const ModelStep& reply, std::string_view part) {
  return std::ranges::find(reply.wire.omit, part) != reply.wire.omit.end();
}

}  // namespace plumb::simulator
