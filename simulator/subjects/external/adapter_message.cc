// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/external/adapter_message.h"

#include <utility>

#include "engine/trace/event_json.h"
#include "engine/values/json_members.h"
#include "simulator/subjects/external/adapter_schema.h"

namespace plumb::simulator {
namespace {

std::vector<std::string> texts_at(const Json& message, std::string_view name) {
  std::vector<std::string> texts;
  const Json& list = at(message, name);
  for (std::size_t i = 0; list.is_array() && i < list.size(); ++i) {
    texts.push_back(list[i].get<std::string>());
  }
  return texts;
}

AdapterHello read_hello(const Json& message) {
  AdapterHello hello;
  hello.name = text_at(message, "name");
  hello.version = text_at(message, "version");
  hello.engine = text_at(message, "engine");
  hello.edition = text_at(message, "edition");
  hello.emits = texts_at(message, "emits");
  hello.steps = texts_at(message, "steps");
  hello.apis = texts_at(message, "apis");
  hello.supports = texts_at(message, "supports");
  hello.claims = texts_at(message, "claims");
  const Json& declares = at(message, "declares");
  if (!declares.is_object()) return hello;
  for (const auto& [name, choice] : declares.items()) {
    hello.declares[name] = choice.get<std::string>();
  }
  return hello;
}

/// As a line of a trace: the one reader of events judges what the members mean.
Result<AdapterEvent> read_event(const Json& message) {
  const bool is_probe = text_at(message, "src") == "probe";
  Json line{{"seq", 0}, {"at", 0}, {"src", is_probe ? "probe" : "engine"}};
  line["kind"] = message.at("kind");
  if (message.contains("call")) line["call"] = message.at("call");
  for (const auto& [name, value] : message.at("data").items()) line[name] = value;
  auto event = parse_whole_event(line);
  if (!event) {
    return fail(ErrorCode::protocol, "in 'event': " + std::move(event).error().message);
  }
  AdapterEvent read;
  read.source = event->source;
  read.payload = std::move(event->payload);
  read.call = std::move(event->call);
  read.ref = text_at(message, "ref");
  read.cause = text_at(message, "cause");
  return read;
}

AdapterMessage read_dialog(const Json& message) {
  const auto ask = text_at(message, "ask");
  if (message.contains("closed")) return DialogClosed{ask, text_at(message, "closed")};
  return DialogOpened{ask,
                      text_at(message, "method"),
                      text_at(message, "title"),
                      text_at(message, "message"),
                      texts_at(message, "options"),
                      text_at(message, "call")};
}

}  // namespace

Result<AdapterMessage> read_adapter_message(const Json& message) {
  if (auto checked = check_adapter_message(message); !checked) {
    return std::unexpected(std::move(checked).error());
  }
  const auto type = text_at(message, "type");
  if (type == "hello") return read_hello(message);
  if (type == "event") return read_event(message);
  if (type == "ui") return read_dialog(message);
  if (type == "log") return AdapterLog{text_at(message, "text")};
  return AdapterAnswer{message.at("id").get<std::int64_t>(), text_at(message, "code"),
                       text_at(message, "message")};
}

Result<AdapterMessage> read_adapter_line(std::string_view line) {
  const auto json = parse_json(line);
  if (!json) {
    return fail(ErrorCode::protocol,
                "the line is no JSON (" + json.error().where + ": " + json.error().message + ")");
  }
  return read_adapter_message(*json);
}

}  // namespace plumb::simulator
