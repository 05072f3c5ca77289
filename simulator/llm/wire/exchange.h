// SPDX-License-Identifier: Apache-2.0
// One HTTP request as the fake LLM saw it, and what became of it: the unit of its log (WIRE-09).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/llm/player.h"
#include "simulator/llm/wire/dialect.h"

namespace plumb::simulator {

using HeaderList = std::vector<std::pair<std::string, std::string>>;

/// How a reply ended. `open`: it has not. `reset`, `fin`: the script broke the connection.
/// `client_left`: the client did.
enum class ReplyEnding : std::uint8_t { open, complete, reset, fin, client_left, stopped };

std::string_view to_string(ReplyEnding ending);

/// `n` counts requests in order of arrival, from 1. `track`: of the script; empty for requests that
/// take no reply. `body`: the bytes as they came. `headers`: names in lower case, credentials
/// masked. `plan`: what the script said (plan.reply as sent, with the faults of its content).
/// `reply_number`: of the conversation, from 1: what the ids of the reply are made of.
/// `events_sent`: whole events of a stream. `is_cut`: the client did not get the reply whole.
struct Exchange {
  std::int64_t n = 0;
  std::string conversation;
  std::string track;
  Dialect dialect = Dialect::messages;
  std::string method;
  std::string path;
  HeaderList headers;
  std::string body;
  int status = 0;
  bool is_stream = false;
  Plan plan;
  std::vector<LlmError> errors;
  std::int64_t reply_number = 0;
  ReplyEnding ending = ReplyEnding::open;
  std::int64_t events_sent = 0;
  std::int64_t bytes_sent = 0;
  bool is_cut = false;
};

/// Of all exchanges since the script began, those that are forgotten included. `answered`: requests
/// that a reply of the script was given to.
struct WireTotals {
  std::int64_t answered = 0;
  std::int64_t errors = 0;
};

/// One object of the journal. `with_body`: the request's body, as JSON where it is JSON.
Json to_json(const Exchange& exchange, bool with_body);

}  // namespace plumb::simulator
