// SPDX-License-Identifier: Apache-2.0
#include "simulator/llm/wire/exchange.h"

#include <array>

#include "engine/values/json_object.h"

namespace plumb::simulator {
namespace {

constexpr std::array<std::string_view, 6> kEndings = {"open", "complete",    "reset",
                                                      "fin",  "client_left", "stopped"};
constexpr std::array<std::string_view, 3> kPlans = {"answered", "refused", "broken"};
constexpr std::array<std::string_view, 3> kDialects = {"messages", "chat", "responses"};

Json headers_json(const HeaderList& headers) {
  Json json = Json::object();
  for (const auto& [name, value] : headers) json[name] = value;
  return json;
}

Json errors_json(const std::vector<LlmError>& errors) {
  Json json = Json::array();
  for (const LlmError& error : errors) {
    json.push_back(json_object("code", error.code, "message", error.message, "where", error.where));
  }
  return json;
}

Json body_json(const std::string& body) {
  auto parsed = parse_json(body);
  return parsed ? *std::move(parsed) : Json(body);
}

}  // namespace

std::string_view to_string(ReplyEnding ending) {
  return kEndings[static_cast<std::size_t>(ending)];
}

Json to_json(const Exchange& exchange, bool with_body) {
  Json json = json_object("n", exchange.n, "method", exchange.method, "path", exchange.path,
                          "conversation", exchange.conversation, "track", exchange.track, "dialect",
                          kDialects[static_cast<std::size_t>(exchange.dialect)], "headers",
                          headers_json(exchange.headers));
  if (with_body) json["body"] = body_json(exchange.body);
  json["bytes"] = exchange.body.size();
  json["status"] = exchange.status;
  json["stream"] = exchange.is_stream;
  if (!exchange.track.empty()) {
    json["plan"] = kPlans[static_cast<std::size_t>(exchange.plan.kind)];
    json["turn"] = exchange.reply_number;
    json["line"] = exchange.plan.place.line;
  }
  json["errors"] = errors_json(exchange.errors);
  json["ending"] = to_string(exchange.ending);
  json["events_sent"] = exchange.events_sent;
  json["bytes_sent"] = exchange.bytes_sent;
  return json;
}

}  // namespace plumb::simulator
