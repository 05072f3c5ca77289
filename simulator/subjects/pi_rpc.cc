// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/pi_rpc.h"

#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "engine/trace/request_fold.h"
#include "engine/values/json_members.h"
#include "simulator/llm/wire/neutral_request.h"
#include "simulator/subjects/pi_records.h"

namespace plumb::simulator {
namespace {

/// What the stream itself can show; a request log adds provider_request. Its entry_appended records
/// tell of custom entries alone, so it shows nothing of what is stored.
constexpr std::array<std::string_view, 15> kStreamKinds{"agent_start",
                                                        "turn_start",
                                                        "message_start",
                                                        "message_update",
                                                        "message_end",
                                                        "tool_execution_start",
                                                        "tool_execution_update",
                                                        "tool_execution_end",
                                                        "turn_end",
                                                        "agent_end",
                                                        "agent_settled",
                                                        "provider_response",
                                                        "extension_error",
                                                        "ui_ask",
                                                        "ui_answer"};

bool flag_at(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && *found == Json(true);
}

Json value_at(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found == json.end() ? Json() : *found;
}

/// The Responses dialect stores "call_id|item_id"; requests and results go by the first.
std::string call_id(const std::string& stored) {
  return stored.substr(0, stored.find('|'));
}

/// A message with its call ids as requests have them.
Json neutral_message(Json message) {
  if (message.contains("toolCallId")) {
    message["toolCallId"] = call_id(text_at(message, "toolCallId"));
  }
  if (!message.contains("content") || !message["content"].is_array()) return message;
  for (auto& block : message["content"]) {
    if (block.is_object() && block.contains("id")) block["id"] = call_id(text_at(block, "id"));
  }
  return message;
}

struct LoggedRequest {
  std::vector<RequestBlock> blocks;
  Json params;
  std::string where;  ///< Of the entry in the log.
};

class StreamReader {
 public:
  explicit StreamReader(std::vector<LoggedRequest> requests)
      : requests_(std::move(requests)), recorder_(trace_, [this] { return now_ms_; }) {}

  /// Errors have no place yet: they are about the record, or about the request log (`where` set).
  Result<void> read(const Json& record);
  /// Errors: a run that never settles.
  Result<void> finish() const;
  Trace take() { return std::move(trace_); }

 private:
  using Method = void (StreamReader::*)(const Json&);
  static const std::map<std::string_view, Method>& methods();

  void put(Payload payload, std::string call = {}) {
    recorder_.record(Source::engine, std::move(payload), std::move(call));
  }
  void agent_start(const Json&) { put(AgentStart()); }
  void turn_start(const Json&) { put(TurnStart{turn_}); }
  void message_start(const Json& record);
  void message_update(const Json& record);
  void message_end(const Json& record);
  void tool_start(const Json& record);
  void tool_update(const Json& record);
  void tool_end(const Json& record);
  void turn_end(const Json& record);
  void agent_end(const Json& record);
  void settled(const Json& record) { put(AgentSettled{flag_at(record, "aborted")}); }
  void extension_error(const Json& record);
  void ui_request(const Json& record);
  void send_request();
  void answer(const Json& message);
  Result<void> follow(const std::string& type, const Json& record);
  Result<void> check_request_log(const Json& message) const;

  std::vector<LoggedRequest> requests_;
  RequestDeltas deltas_;
  Trace trace_;
  std::int64_t now_ms_ = 0;
  Recorder recorder_;
  std::int64_t turn_ = 0;
  std::int64_t answers_ = 0;
  std::int64_t request_seq_ = -1;
  bool is_running_ = false;
  std::string user_text_;           ///< Of the last message of the user.
  std::set<std::string> calls_;     ///< Started in earlier runs.
  std::set<std::string> answered_;  ///< Commands.
};

const std::map<std::string_view, StreamReader::Method>& StreamReader::methods() {
  static const std::map<std::string_view, Method> kMethods{
      {"agent_start", &StreamReader::agent_start},
      {"turn_start", &StreamReader::turn_start},
      {"message_start", &StreamReader::message_start},
      {"message_update", &StreamReader::message_update},
      {"message_end", &StreamReader::message_end},
      {"tool_execution_start", &StreamReader::tool_start},
      {"tool_execution_update", &StreamReader::tool_update},
      {"tool_execution_end", &StreamReader::tool_end},
      {"turn_end", &StreamReader::turn_end},
      {"agent_end", &StreamReader::agent_end},
      {"agent_settled", &StreamReader::settled},
      {"extension_error", &StreamReader::extension_error},
      {"extension_ui_request", &StreamReader::ui_request},
  };
  return kMethods;
}

/// The texts of a message's content, one after the other.
std::string plain_text_of(const Json& content) {
  if (content.is_string()) return content.get<std::string>();
  std::string text;
  for (std::size_t i = 0; content.is_array() && i < content.size(); ++i) {
    if (content[i].is_object()) text += text_at(content[i], "text");
  }
  return text;
}

/// The text of the last message of the user in a request.
std::string asked_text(const LoggedRequest& request) {
  std::string text;
  for (const auto& block : request.blocks) {
    const Json& body = block.body.get();
    if (block.zone != Zone::messages || text_at(body, "role") != "user") continue;
    text = plain_text_of(value_at(body, "content"));
  }
  return text;
}

std::unexpected<Error> bad_record(std::string message) {
  return fail(ErrorCode::invalid, std::move(message));
}

/// Order over the whole stream: time, runs, answers to commands, calls.
Result<void> StreamReader::follow(const std::string& type, const Json& record) {
  if (const auto time = record.find("t"); time != record.end()) {
    const auto t = time->get<std::int64_t>();
    if (t < now_ms_) {
      return bad_record("'t' is " + std::to_string(t) + ", expected at least " +
                        std::to_string(now_ms_) + "; is the stream given twice?");
    }
    now_ms_ = t;
  }
  const auto id = text_at(record, "id");
  if (type == "response" && !id.empty() && !answered_.insert(id).second) {
    return bad_record("command '" + id + "' is answered twice; is the stream given twice?");
  }
  const auto call = text_at(record, "toolCallId");
  if (type == "tool_execution_start" && !calls_.insert(call).second) {
    return bad_record("call '" + call + "' starts twice; is the stream given twice?");
  }
  if (type == "agent_start") is_running_ = true;
  if (type == "agent_settled") is_running_ = false;
  return {};
}

/// The log belongs to this stream if its first request asks what the user asked last.
Result<void> StreamReader::check_request_log(const Json& message) const {
  if (answers_ > 0 || requests_.empty()) return {};
  if (text_at(message, "role") != "assistant" || text_at(message, "stopReason") == "aborted") {
    return {};
  }
  const std::string asked = asked_text(requests_.front());
  if (asked == user_text_) return {};
  return fail(ErrorCode::invalid,
              "the request asks '" + asked + "', the stream's user said '" + user_text_ +
                  "'; is it the log of another run?",
              requests_.front().where);
}

Result<void> StreamReader::read(const Json& record) {
  if (auto checked = check_pi_record(record); !checked) return checked;
  const auto type = text_at(record, "type");
  if (auto followed = follow(type, record); !followed) return followed;
  if (type == "message_start") {
    const Json message = value_at(record, "message");
    if (text_at(message, "role") == "user") {
      user_text_ = plain_text_of(value_at(message, "content"));
    }
    if (auto fits = check_request_log(message); !fits) return fits;
  }
  const auto method = methods().find(type);
  if (method != methods().end()) (this->*method->second)(record);
  return {};
}

Result<void> StreamReader::finish() const {
  if (!is_running_) return {};
  return bad_record("the stream ends before the run does, expected 'agent_settled'");
}

void StreamReader::send_request() {
  ++answers_;
  request_seq_ = -1;
  if (answers_ > static_cast<std::int64_t>(requests_.size())) return;
  LoggedRequest& request = requests_[static_cast<std::size_t>(answers_ - 1)];
  request_seq_ = recorder_.record(
      Source::llm, deltas_.next("main", request.blocks, SharedJson(std::move(request.params))));
  deltas_.sent(request_seq_);
}

void StreamReader::answer(const Json& message) {
  ProviderResponse response;
  response.n = answers_;
  response.stop_reason = text_at(message, "stopReason");
  response.error = text_at(message, "errorMessage");
  response.message = SharedJson(message);
  recorder_.record(Source::engine, std::move(response), {}, request_seq_);
}

void StreamReader::message_start(const Json& record) {
  Json message = neutral_message(value_at(record, "message"));
  const auto role = text_at(message, "role");
  // An aborted answer that never asked the model has no request of its own.
  if (role == "assistant" && text_at(message, "stopReason") != "aborted") send_request();
  const auto call = text_at(message, "toolCallId");
  put(MessageStart{role, SharedJson(std::move(message))}, call);
}

void StreamReader::message_update(const Json& record) {
  put(MessageUpdate{SharedJson(value_at(record, "assistantMessageEvent"))});
}

void StreamReader::message_end(const Json& record) {
  Json message = neutral_message(value_at(record, "message"));
  const auto role = text_at(message, "role");
  const auto call = text_at(message, "toolCallId");
  if (role == "assistant") answer(message);
  put(MessageEnd{role, SharedJson(std::move(message))}, call);
}

void StreamReader::tool_start(const Json& record) {
  ToolExecutionStart start;
  start.name = text_at(record, "toolName");
  start.args = SharedJson(value_at(record, "args"));
  start.parent = call_id(text_at(record, "parentToolCallId"));
  put(std::move(start), call_id(text_at(record, "toolCallId")));
}

void StreamReader::tool_update(const Json& record) {
  ToolExecutionUpdate update;
  update.name = text_at(record, "toolName");
  update.args = SharedJson(value_at(record, "args"));
  update.partial = SharedJson(value_at(record, "partialResult"));
  put(std::move(update), call_id(text_at(record, "toolCallId")));
}

void StreamReader::tool_end(const Json& record) {
  ToolExecutionEnd end;
  end.name = text_at(record, "toolName");
  end.result = SharedJson(value_at(record, "result"));
  end.is_error = flag_at(record, "isError");
  end.ran = record.contains("durationMs");
  end.parent = call_id(text_at(record, "parentToolCallId"));
  put(std::move(end), call_id(text_at(record, "toolCallId")));
}

void StreamReader::turn_end(const Json& record) {
  TurnEnd end{turn_++, {}};
  const Json results = value_at(record, "toolResults");
  for (std::size_t i = 0; results.is_array() && i < results.size(); ++i) {
    end.results.push_back(call_id(text_at(results[i], "toolCallId")));
  }
  put(std::move(end));
}

void StreamReader::agent_end(const Json& record) {
  turn_ = 0;
  put(AgentEnd{flag_at(record, "willRetry")});
}

void StreamReader::extension_error(const Json& record) {
  put(ExtensionError{text_at(record, "extensionPath"), text_at(record, "event"),
                     text_at(record, "error")});
}

void StreamReader::ui_request(const Json& record) {
  const auto method = text_at(record, "method");
  if (method != "confirm" && method != "select" && method != "input" && method != "editor") return;
  put(UiAsk{method, text_at(record, "title"), text_at(record, "message")});
}

Error located_at(Error error, std::string_view file, std::int64_t line) {
  if (error.where.empty()) error.where = std::string(file) + ":" + std::to_string(line) + ":1";
  return error;
}

Result<LoggedRequest> read_request(const Json& entry) {
  const std::string path = entry.is_object() ? text_at(entry, "path") : "";
  PLUMB_TRY(const auto dialect, dialect_of_path(path));
  const Json body = value_at(entry, "body");
  LoggedRequest request;
  PLUMB_TRY(request.blocks, neutral_blocks(dialect, body));
  request.params = Json{{"model", text_at(body, "model")}};
  return request;
}

/// Where the string ends that begins at `at`: its last quote, or the end of a text cut short.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at;
}

/// "line:column" of each entry of the outermost array of a JSON text, columns in bytes.
std::vector<std::string> places_of_entries(std::string_view text) {
  std::vector<std::string> places;
  std::int64_t line = 1;
  std::size_t line_begin = 0;
  std::int64_t depth = 0;
  bool is_entry_next = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      ++line;
      line_begin = i + 1;
    }
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
    if (is_entry_next && c != ']') {
      places.push_back(std::to_string(line) + ":" + std::to_string(i - line_begin + 1));
      is_entry_next = false;
    }
    if (c == '"') i = end_of_string(text, i);
    if (c == '[' || c == '{') is_entry_next = ++depth == 1;
    if (c == ']' || c == '}') --depth;
    if (c == ',' && depth == 1) is_entry_next = true;
  }
  return places;
}

Result<std::vector<LoggedRequest>> read_requests(NamedText log) {
  std::vector<LoggedRequest> requests;
  if (log.text.empty()) return requests;
  PLUMB_TRY(const auto json, parse_json(log.text, log.file));
  if (!json.is_array()) {
    return fail(ErrorCode::invalid, "a request log must be a JSON array",
                std::string(log.file) + ":1:1");
  }
  const auto places = places_of_entries(log.text);
  for (const auto& entry : json) {
    const auto where = std::string(log.file) + ":" + places.at(requests.size());
    auto request = read_request(entry);
    if (!request) {
      Error error = std::move(request).error();
      if (error.where.empty()) error.where = where;
      return std::unexpected(std::move(error));
    }
    request->where = where;
    requests.push_back(*std::move(request));
  }
  return requests;
}

TraceHeader stream_header(bool has_requests) {
  TraceHeader header;
  header.subject = "pi";
  header.edition = "pi-1.6.0";
  header.determinism = Determinism::live;
  header.is_clock_virtual = false;
  header.emits.assign(kStreamKinds.begin(), kStreamKinds.end());
  if (has_requests) header.emits.emplace_back("provider_request");
  return header;
}

}  // namespace

Result<Trace> read_pi_rpc(NamedText events, NamedText requests) {
  PLUMB_TRY(auto log, read_requests(requests));
  const bool has_requests = !log.empty();
  StreamReader reader(std::move(log));
  std::int64_t line = 0;
  while (!events.text.empty()) {
    ++line;
    const auto end = events.text.find('\n');
    if (end == std::string_view::npos) {
      return fail(ErrorCode::invalid,
                  "the last line is cut short, expected a line break at its end",
                  std::string(events.file) + ":" + std::to_string(line) + ":1");
    }
    PLUMB_TRY(const auto record, parse_json(events.text.substr(0, end), events.file, line));
    events.text.remove_prefix(end + 1);
    auto read = reader.read(record);
    if (!read) return std::unexpected(located_at(std::move(read).error(), events.file, line));
  }
  if (line == 0) {
    return fail(ErrorCode::invalid, "the file is empty, expected records of pi's RPC output",
                std::string(events.file) + ":1:1");
  }
  if (auto whole = reader.finish(); !whole) {
    return std::unexpected(located_at(std::move(whole).error(), events.file, line));
  }
  Trace trace = reader.take();
  trace.header = stream_header(has_requests);
  return trace;
}

}  // namespace plumb::simulator
