// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/adapters/messages_provider.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "engine/kernel/join.h"
#include "engine/kernel/owned_fd.h"
#include "engine/values/json_members.h"

namespace plumb::engine {
namespace {

// ------------------------------------------------------------------ HTTP on loopback

/// One POST and its answer: the status line, the headers, the body piece by piece.
class HttpExchange {
 public:
  HttpExchange(RealLoop& loop, std::int64_t port) : loop_(loop), port_(port) {}

  Task<Result<std::int64_t>> post(std::string path, std::string body);
  /// The next piece of the body; empty at its end. Errors: io, when it breaks off.
  Task<Result<std::string>> read_piece();

 private:
  Task<bool> read_some();
  Task<bool> read_until(std::string_view end);
  std::string take(std::size_t count);
  void read_headers(std::string_view head);
  Task<Result<std::string>> read_chunk();

  RealLoop& loop_;
  std::int64_t port_;
  OwnedFd socket_;
  std::string buffer_;
  std::int64_t status_ = 0;
  std::int64_t left_ = -1;  ///< Bytes of the body; -1: until the connection ends.
  bool is_chunked_ = false;
  bool is_over_ = false;
};

std::unexpected<Error> broken_connection() {
  return fail(ErrorCode::io, "connection error: the stream ended early");
}

Task<Result<std::int64_t>> HttpExchange::post(std::string path, std::string body) {
  socket_ = OwnedFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port_));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  if (::connect(socket_.get(), generic, sizeof address) != 0 && errno != EINPROGRESS) {
    co_return broken_connection();
  }
  std::string request = "POST " + path + " HTTP/1.1\r\nhost: 127.0.0.1:" + std::to_string(port_) +
                        "\r\ncontent-type: application/json\r\naccept: text/event-stream\r\n" +
                        "x-api-key: fake-key\r\nanthropic-version: 2023-06-01\r\n" +
                        "connection: close\r\ncontent-length: " + std::to_string(body.size()) +
                        "\r\n\r\n" + body;
  while (!request.empty()) {
    co_await loop_.writable(socket_.get());
    const ssize_t count = ::send(socket_.get(), request.data(), request.size(), MSG_NOSIGNAL);
    if (count < 0 && errno != EAGAIN && errno != EINTR) co_return broken_connection();
    if (count > 0) request.erase(0, static_cast<std::size_t>(count));
  }
  const bool has_head = co_await read_until("\r\n\r\n");
  if (!has_head) co_return broken_connection();
  read_headers(take(buffer_.find("\r\n\r\n") + 4));
  co_return status_;
}

Task<bool> HttpExchange::read_some() {
  co_await loop_.readable(socket_.get());
  std::array<char, 65'536> bytes;
  const ssize_t count = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) co_return true;
  if (count > 0) buffer_.append(bytes.data(), static_cast<std::size_t>(count));
  co_return count > 0;
}

Task<bool> HttpExchange::read_until(std::string_view end) {
  while (!buffer_.contains(end)) {
    const bool has_more = co_await read_some();
    if (!has_more) co_return false;
  }
  co_return true;
}

std::string HttpExchange::take(std::size_t count) {
  std::string taken = buffer_.substr(0, count);
  buffer_.erase(0, count);
  return taken;
}

void HttpExchange::read_headers(std::string_view head) {
  // cppcheck-suppress danglingTemporaryLifetime  # nothing of the text is kept
  std::from_chars(head.data() + std::min<std::size_t>(9, head.size()), head.data() + head.size(),
                  status_);
  std::string lower(head);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  is_chunked_ = lower.contains("transfer-encoding: chunked");
  constexpr std::string_view kLength = "content-length: ";
  if (const auto at = lower.find(kLength); at != std::string::npos) {
    const char* begin = lower.data() + at + kLength.size();
    std::from_chars(begin, lower.data() + lower.size(), left_);
  }
}

Task<Result<std::string>> HttpExchange::read_chunk() {
  const bool has_size = co_await read_until("\r\n");
  if (!has_size) co_return broken_connection();
  const std::string line = take(buffer_.find("\r\n") + 2);
  std::size_t size = 0;
  std::from_chars(line.data(), line.data() + line.size(), size, 16);
  is_over_ = size == 0;
  while (buffer_.size() < size + 2) {
    const bool has_more = co_await read_some();
    if (!has_more) co_return broken_connection();
  }
  std::string piece = take(size);
  take(2);
  co_return piece;
}

Task<Result<std::string>> HttpExchange::read_piece() {
  if (is_over_) co_return std::string();
  if (is_chunked_) {
    Task<Result<std::string>> chunk = read_chunk();
    co_return co_await std::move(chunk);
  }
  if (left_ == 0) co_return std::string();
  if (buffer_.empty()) {
    const bool has_more = co_await read_some();
    if (!has_more && left_ > 0) co_return broken_connection();
    if (!has_more) co_return std::string();
  }
  std::string piece = std::exchange(buffer_, "");
  if (left_ > 0) left_ -= std::min(left_, std::ssize(piece));
  co_return piece;
}

// ------------------------------------------------------------------ Anthropic Messages

Json wire_block(const Json& block) {
  const auto type = text_at(block, "type");
  if (type == "toolCall") {
    return Json{
        {"type", "tool_use"},
        {"id", at(block, "id")},
        {"name", at(block, "name")},
        {"input", at(block, "arguments").is_object() ? at(block, "arguments") : Json::object()}};
  }
  if (type != "image") return block;
  Json source{
      {"type", "base64"}, {"media_type", at(block, "mimeType")}, {"data", at(block, "data")}};
  return Json{{"type", "image"}, {"source", std::move(source)}};
}

/// Empty texts are left out: the API refuses them.
Json wire_content(const Json& content) {
  Json blocks = Json::array();
  for (const auto& block : content) {
    if (text_at(block, "type") == "text" && text_at(block, "text").empty()) continue;
    blocks.push_back(wire_block(block));
  }
  return blocks;
}

/// The results of a batch stand in one message of the user.
void add_result(Json& messages, const Json& message) {
  Json block{{"type", "tool_result"},
             {"tool_use_id", at(message, "toolCallId")},
             {"content", wire_content(at(message, "content"))},
             {"is_error", at(message, "isError")}};
  const bool joins = !messages.empty() && text_at(messages.back(), "role") == "user" &&
                     text_at(messages.back()["content"].back(), "type") == "tool_result";
  if (!joins) messages.push_back(Json{{"role", "user"}, {"content", Json::array()}});
  messages.back()["content"].push_back(std::move(block));
}

Json wire_messages(const ModelRequest& request) {
  Json messages = Json::array();
  for (const auto& shared : request.messages) {
    const Json& message = shared.get();
    const auto role = text_at(message, "role");
    if (role == "toolResult") {
      add_result(messages, message);
      continue;
    }
    Json content = wire_content(at(message, "content"));
    // The wire has no place for changes of tools between messages: its `tools` say what holds.
    if (content.empty()) continue;
    messages.push_back(
        Json{{"role", role == "system" ? "user" : role}, {"content", std::move(content)}});
  }
  return messages;
}

/// What the API takes for arguments: the schema of an object.
Json wire_schema(Json schema) {
  if (!schema.is_object()) schema = Json::object();
  if (!schema.contains("type")) schema["type"] = "object";
  return schema;
}

std::string wire_body(const ModelRequest& request) {
  Json body{{"model", request.model}, {"max_tokens", 4096}, {"stream", true}};
  if (!request.system.is_null()) body["system"] = request.system.get();
  for (const auto& tool : request.tools) {
    body["tools"].push_back(Json{{"name", tool.name},
                                 {"description", at(tool.json.get(), "description")},
                                 {"input_schema", wire_schema(at(tool.json.get(), "parameters"))}});
  }
  body["messages"] = wire_messages(request);
  return dump_json(body);
}

StopReason reason_of(std::string_view word) {
  if (word == "tool_use") return StopReason::tool_use;
  return word == "max_tokens" ? StopReason::length : StopReason::stop;
}

/// An answer as its events come in.
class StreamedAnswer {
 public:
  explicit StreamedAnswer(StreamSink& sink) : sink_(sink) {}

  void take(const Json& event);
  bool is_whole() const { return is_whole_; }
  const std::string& error() const { return error_; }
  AssistantMessage message() const;

 private:
  void start_block(const Json& event);
  void add_delta(const Json& delta);
  void end_block();
  void tell(const std::string& type, const std::string& delta = "");
  void count(const Json& usage);

  StreamSink& sink_;
  std::vector<ContentBlock> blocks_;
  std::string kind_;  ///< text, thinking, toolcall.
  std::string arguments_;
  StopReason stop_ = StopReason::stop;
  Usage usage_;
  bool is_whole_ = false;
  bool is_open_ = false;
  std::string error_;
};

void StreamedAnswer::tell(const std::string& type, const std::string& delta) {
  Json json{{"type", type}, {"contentIndex", blocks_.size() - 1}};
  if (!delta.empty()) json["delta"] = delta;
  const auto* call = std::get_if<ToolCallBlock>(&blocks_.back());
  if (call != nullptr && type == "toolcall_start") {
    json["id"] = call->id;
    json["name"] = call->name;
  }
  sink_.on_delta(SharedJson(std::move(json)));
}

void StreamedAnswer::start_block(const Json& event) {
  const Json& block = at(event, "content_block");
  const auto type = text_at(block, "type");
  kind_ = type == "tool_use" ? "toolcall" : type;
  arguments_.clear();
  if (kind_ == "toolcall") {
    ToolCallBlock call;
    call.id = text_at(block, "id");
    call.name = text_at(block, "name");
    call.arguments = SharedJson(Json::object());
    call.arguments_error = "the answer ended within the arguments";
    blocks_.emplace_back(std::move(call));
  } else if (kind_ == "thinking") {
    blocks_.emplace_back(ThinkingBlock());
  } else {
    blocks_.emplace_back(TextBlock());
  }
  is_open_ = true;
  tell(kind_ + "_start");
}

void StreamedAnswer::add_delta(const Json& delta) {
  if (blocks_.empty()) return;
  const std::string text =
      text_at(delta, "text") + text_at(delta, "thinking") + text_at(delta, "partial_json");
  if (auto* block = std::get_if<TextBlock>(&blocks_.back())) block->text += text;
  if (auto* block = std::get_if<ThinkingBlock>(&blocks_.back())) {
    block->thinking += text;
    block->signature += text_at(delta, "signature");
  }
  arguments_ += text_at(delta, "partial_json");
  if (!text.empty()) tell(kind_ + "_delta", text);
}

void StreamedAnswer::end_block() {
  if (!std::exchange(is_open_, false)) return;
  if (auto* call = std::get_if<ToolCallBlock>(&blocks_.back())) {
    auto parsed = parse_json(arguments_.empty() ? "{}" : arguments_);
    call->arguments_error = parsed ? "" : "arguments are not JSON: " + parsed.error().message;
    if (parsed) call->arguments = SharedJson(*std::move(parsed));
  }
  tell(kind_ + "_end");
}

void StreamedAnswer::count(const Json& usage) {
  const auto number = [&usage](const char* name, std::int64_t known) {
    const Json& value = at(usage, name);
    return value.is_number_integer() ? value.get<std::int64_t>() : known;
  };
  usage_.input = number("input_tokens", usage_.input);
  usage_.output = number("output_tokens", usage_.output);
  usage_.cache_read = number("cache_read_input_tokens", usage_.cache_read);
  usage_.cache_write = number("cache_creation_input_tokens", usage_.cache_write);
}

void StreamedAnswer::take(const Json& event) {
  const auto type = text_at(event, "type");
  if (type == "message_start") count(at(at(event, "message"), "usage"));
  if (type == "content_block_start") start_block(event);
  if (type == "content_block_delta") add_delta(at(event, "delta"));
  if (type == "content_block_stop") end_block();
  if (type == "message_delta") {
    stop_ = reason_of(text_at(at(event, "delta"), "stop_reason"));
    count(at(event, "usage"));
  }
  if (type == "message_stop") is_whole_ = true;
  if (type == "error") error_ = text_at(at(event, "error"), "message");
}

AssistantMessage StreamedAnswer::message() const {
  AssistantMessage answer;
  answer.content = blocks_;
  // An answer without anything is one empty text, as it would be stored.
  if (blocks_.empty() && is_whole_) answer.content.emplace_back(TextBlock());
  answer.stop_reason = stop_;
  answer.usage = usage_;
  return answer;
}

/// One answer under way.
struct AnswerStream {
  AnswerStream(RealLoop& run_loop, std::int64_t server_port, StreamSink& sink)
      : loop(run_loop), port(server_port), answer(sink) {}
  RealLoop& loop;
  std::int64_t port;
  std::string path;
  StreamedAnswer answer;
  std::int64_t failure_status = 0;

  Task<Result<void>> play(ModelRequest request);
};

/// Takes whole events off the text. True when the answer has ended.
bool take_events(std::string& text, StreamedAnswer& answer) {
  for (auto end = text.find("\n\n"); end != std::string::npos; end = text.find("\n\n")) {
    const std::string event = text.substr(0, end);
    text.erase(0, end + 2);
    const auto data = event.find("data: ");
    if (data == std::string::npos) continue;
    const auto json = parse_json(std::string_view(event).substr(data + 6));
    if (json) answer.take(*json);
  }
  return answer.is_whole() || !answer.error().empty();
}

Task<Result<void>> AnswerStream::play(ModelRequest request) {
  HttpExchange exchange(loop, port);
  std::string sent = wire_body(request);
  auto status = co_await exchange.post(path, std::move(sent));
  if (!status) co_return std::unexpected(std::move(status).error());
  std::string text;
  bool is_ended = false;
  while (!is_ended) {
    auto piece = co_await exchange.read_piece();
    if (!piece) co_return std::unexpected(std::move(piece).error());
    text += *piece;
    is_ended = piece->empty() || (*status == 200 && take_events(text, answer));
  }
  if (*status == 200 && answer.is_whole()) co_return Result<void>();
  if (*status == 200 && answer.error().empty()) co_return broken_connection();
  if (*status == 200) co_return fail(ErrorCode::protocol, answer.error());
  failure_status = *status;
  const auto body = parse_json(text);
  const std::string told = body ? text_at(at(*body, "error"), "message") : "";
  co_return fail(ErrorCode::protocol, std::to_string(*status) + " " + told);
}

Task<Result<void>> until_abort(AbortSignal signal) {
  co_await signal.wait();
  co_return Result<void>();
}

}  // namespace

MessagesProvider::MessagesProvider(RealLoop& loop, const std::string& base_url) : loop_(loop) {
  const auto colon = base_url.rfind(':') + 1;
  const auto slash = std::min(base_url.find('/', colon), base_url.size());
  std::from_chars(base_url.data() + colon, base_url.data() + slash, port_);
  path_ = base_url.substr(slash) + "/v1/messages";
}

Task<Result<AssistantMessage>> MessagesProvider::complete(ModelRequest request, StreamSink& sink,
                                                          AbortSignal signal) {
  AnswerStream stream(loop_, port_, sink);
  stream.path = path_;
  std::vector<Task<Result<void>>> ways;
  ways.push_back(stream.play(std::move(request)));
  ways.push_back(until_abort(std::move(signal)));
  Winner<Result<void>> first = co_await race(std::move(ways));
  AssistantMessage message = stream.answer.message();
  if (first.index == 1) {
    message.stop_reason = StopReason::aborted;
    message.error_message = "the request was aborted";
  } else if (!first.value) {
    message.stop_reason = StopReason::error;
    message.error_message = first.value.error().message;
    message.error_status = stream.failure_status;
  }
  co_return message;
}

}  // namespace plumb::engine
