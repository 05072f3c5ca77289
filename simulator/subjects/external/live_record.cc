// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/external/live_record.h"

#include <utility>

#include "engine/values/sha256.h"
#include "simulator/llm/wire/neutral_request.h"
#include "simulator/script/words.h"

namespace plumb::simulator {
namespace {

/// What a request says beside its blocks, and the digest of its bytes.
Json params_of(const Json& body, const ModelAsked& asked) {
  Json params = Json::object();
  for (const auto& [name, value] : body.items()) {
    if (name == "system" || name == "tools" || name == "messages" || name == "input") continue;
    params[name] = value;
  }
  params["wire"] =
      Json{{"path", asked.path}, {"bytes", asked.body.size()}, {"sha256", sha256_hex(asked.body)}};
  return params;
}

}  // namespace

void LiveRecord::complain(const LlmError& error) {
  recorder_.record(Source::llm, error);
  complaints_.push_back(error);
}

/// A body that nobody can read has no blocks; the fake model has refused it, which is recorded.
void LiveRecord::add_request(const ModelAsked& asked) {
  const auto parsed = parse_json(asked.body);
  const Json body =
      parsed && parsed->is_object() ? placeholders_.shown_json(*parsed) : Json::object();
  const auto dialect = dialect_of_path(asked.path);
  std::vector<RequestBlock> blocks;
  if (dialect) blocks = neutral_blocks(*dialect, body).value_or(std::vector<RequestBlock>());
  auto request = deltas_.next(asked.track, blocks, SharedJson(params_of(body, asked)));
  numbers_[asked.n] = request.n;
  ++request_count_;
  const auto seq = recorder_.record(Source::llm, std::move(request));
  deltas_.sent(seq);
  asked_[asked.n] = seq;
  for (const auto& error : asked.errors) complain(error);
}

void LiveRecord::add_response(const ModelAnswered& answered) {
  const auto asked = asked_.find(answered.n);
  if (asked == asked_.end()) return;  // Of a case before this one.
  ProviderResponse response;
  response.n = numbers_[answered.n];
  response.stop_reason = answered.stop_reason;
  response.error = placeholders_.shown(answered.error);
  if (!answered.message.is_null()) {
    response.message = SharedJson(placeholders_.shown_json(answered.message));
  }
  recorder_.record(Source::llm, std::move(response), {}, asked->second);
  asked_.erase(asked);
}

void LiveRecord::add(const ModelNews& news) {
  if (const auto* asked = std::get_if<ModelAsked>(&news)) return add_request(*asked);
  add_response(std::get<ModelAnswered>(news));
}

Result<void> LiveRecord::add(AdapterEvent event) {
  std::int64_t cause = -1;
  if (!event.cause.empty()) {
    const auto found = refs_.find(event.cause);
    if (found == refs_.end()) {
      return fail(ErrorCode::protocol, "the cause " + in_quotes(event.cause) +
                                           " is the 'ref' of no earlier event of the session");
    }
    cause = found->second;
  }
  if (refs_.contains(event.ref)) {
    return fail(ErrorCode::protocol, "the ref " + in_quotes(event.ref) + " is taken");
  }
  const auto ref = std::move(event.ref);
  // Known before whoever listens acts on the event.
  const auto seq =
      recorder_.record(event.source, std::move(event.payload), std::move(event.call), cause);
  if (!ref.empty()) refs_[ref] = seq;
  return {};
}

}  // namespace plumb::simulator
