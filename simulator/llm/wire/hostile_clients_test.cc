// SPDX-License-Identifier: Apache-2.0
// Clients that are slow, half closed, huge, or no HTTP at all: each gets the right status, and the
// server answers the next one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulator/llm/wire/wire_client_fixture.h"
#include "simulator/llm/wire/wire_script_fixture.h"
#include "simulator/llm/wire/wire_server.h"

namespace plumb::simulator {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class HostileClients : public testing::Test {
 protected:
  void SetUp() override {
    WireOptions options;
    options.body_bytes_max = 10'000;
    options.read_timeout_ms = 300;
    options.loops = true;
    auto server = WireServer::start(script_of("  - model: one\n"), options);
    ASSERT_TRUE(server) << server.error().message;
    server_ = *std::move(server);
  }

  void TearDown() override {
    EXPECT_THAT(sent(http_post("/v1/messages", good())), HasSubstr("\"one\""));
  }

  static std::string good() { return messages_request().body; }

  /// What comes back for these bytes, with the client's side closed behind them.
  std::string sent(const std::string& bytes) {
    WireClient client(server_->port());
    client.send(bytes);
    client.end_of_requests();
    return client.receive();
  }

  std::unique_ptr<WireServer> server_;
};

TEST_F(HostileClients, HalfClosedGetsItsReply) {
  EXPECT_THAT(sent(http_post("/v1/messages", good())), StartsWith("HTTP/1.1 200"));
}

TEST_F(HostileClients, HugeBodyIs413) {
  const std::string reply = sent(http_post("/v1/messages", std::string(20'000, 'x')));

  EXPECT_THAT(reply, StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(reply, HasSubstr("request_too_large"));
}

TEST_F(HostileClients, HugeBodyIsRefusedBeforeItComes) {
  WireClient client(server_->port());
  client.send("POST /v1/messages HTTP/1.1\r\nContent-Length: 99999999999999\r\n\r\n");

  EXPECT_THAT(client.receive("request_too_large"), StartsWith("HTTP/1.1 413"));
}

TEST_F(HostileClients, HugeChunkedBodyIs413) {
  std::string body;
  for (int i = 0; i < 20; ++i) body += "400\r\n" + std::string(0x400, 'x') + "\r\n";

  const std::string reply = sent(
      "POST /v1/chat/completions HTTP/1.1\r\n"
      "Transfer-Encoding: chunked\r\n\r\n" +
      body + "0\r\n\r\n");

  EXPECT_THAT(reply, StartsWith("HTTP/1.1 413"));
}

TEST_F(HostileClients, ChunkedBodyIsRead) {
  const std::string body = good();
  const std::string head =
      "POST /v1/messages HTTP/1.1\r\nx-api-key: k\r\n"
      "Transfer-Encoding: chunked\r\n\r\n";
  char size[16];
  std::snprintf(size, sizeof(size), "%zx", body.size());

  EXPECT_THAT(sent(head + size + "\r\n" + body + "\r\n0\r\n\r\n"), StartsWith("HTTP/1.1 200"));
}

TEST_F(HostileClients, BadChunkingIs400) {
  const std::string head = "POST /v1/messages HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";

  EXPECT_THAT(sent(head + "zz\r\nabc\r\n0\r\n\r\n"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(sent(head + "ffffffffffffffff\r\nabc"),
              testing::AnyOf(StartsWith("HTTP/1.1 400"), StartsWith("HTTP/1.1 413")));
}

TEST_F(HostileClients, InvalidJsonIs400InTheDialectsShape) {
  const std::string anthropic = sent(http_post("/v1/messages", "{bad"));
  const std::string chat = sent(http_post("/v1/chat/completions", "{bad"));

  EXPECT_THAT(anthropic, StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(anthropic, HasSubstr(R"({"type":"error","error":{"type":"invalid_request_error")"));
  EXPECT_THAT(chat, StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(chat, HasSubstr(R"({"error":{"message":"the request body is no valid JSON)"));
}

TEST_F(HostileClients, JsonThatIsNoRequestIs400) {
  for (const char* body : {"", "7", "[]", "null", R"({"messages":7})", R"({"messages":[7]})",
                           R"({"messages":{}})", "\"\xff\"", R"({"a":1,"a":2})"}) {
    EXPECT_THAT(sent(http_post("/v1/messages", body)), StartsWith("HTTP/1.1 400")) << body;
    EXPECT_THAT(sent(http_post("/v1/chat/completions", body)), StartsWith("HTTP/1.1 400")) << body;
  }
  const std::string deep =
      R"({"messages":)" + std::string(3000, '[') + std::string(3000, ']') + "}";
  EXPECT_THAT(sent(http_post("/v1/messages", deep)), StartsWith("HTTP/1.1 400"));
}

TEST_F(HostileClients, AFormIs400) {
  EXPECT_THAT(sent(http_post("/v1/messages", "--b\r\n\r\nx\r\n--b--\r\n",
                             "Content-Type: multipart/form-data; boundary=b\r\n")),
              StartsWith("HTTP/1.1 400"));
}

TEST_F(HostileClients, WrongRouteIs404) {
  EXPECT_THAT(sent(http_post("/v2/other", good())), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(sent("GET / HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(sent(http_post("/v1/responses", "{}")), StartsWith("HTTP/1.1 404"));
}

TEST_F(HostileClients, WrongMethodIs405) {
  for (const char* method : {"GET", "DELETE", "PUT", "PATCH", "OPTIONS", "HEAD"}) {
    const std::string reply =
        sent(std::string(method) + " /v1/messages HTTP/1.1\r\nContent-Length: 0\r\n\r\n");
    EXPECT_THAT(reply, StartsWith("HTTP/1.1 405")) << method;
    EXPECT_THAT(reply, HasSubstr("allow: POST")) << method;
  }
}

TEST_F(HostileClients, NoHttpIs400) {
  EXPECT_THAT(sent("hello\r\n\r\n"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(sent(std::string("\x16\x03\x01\x02\x00\x01\r\n\r\n", 10)),
              StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(sent("BREW /v1/messages HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 400"));
}

TEST_F(HostileClients, LongUrlIs414) {
  EXPECT_THAT(sent("GET /" + std::string(9000, 'a') + " HTTP/1.1\r\n\r\n"),
              StartsWith("HTTP/1.1 414"));
}

TEST_F(HostileClients, LongHeaderIs400) {
  EXPECT_THAT(sent("GET / HTTP/1.1\r\nx: " + std::string(20'000, 'a') + "\r\n\r\n"),
              StartsWith("HTTP/1.1 400"));
}

TEST_F(HostileClients, SlowHeaderIs408) {
  WireClient client(server_->port());
  client.send("POST /v1/messages HTTP/1.1\r\nx-a");

  EXPECT_THAT(client.receive(), StartsWith("HTTP/1.1 408"));
}

TEST_F(HostileClients, SlowBodyIs408) {
  WireClient client(server_->port());
  client.send("POST /v1/messages HTTP/1.1\r\nContent-Length: 100\r\n\r\n{");

  EXPECT_THAT(client.receive("timeout_error"), StartsWith("HTTP/1.1 408"));
}

TEST_F(HostileClients, ABodyThatBreaksOffIs400) {
  EXPECT_THAT(sent("POST /v1/messages HTTP/1.1\r\nContent-Length: 100\r\n\r\n{"),
              StartsWith("HTTP/1.1 400"));
}

TEST_F(HostileClients, AskingForPartOfAReplyGetsItWhole) {
  EXPECT_THAT(
      sent(http_post("/v1/messages", good(), "Range: bytes=0-3\r\nAccept-Encoding: gzip, br\r\n")),
      HasSubstr(R"("stop_sequence":null)"));
}

TEST_F(HostileClients, RequestsInOneGoAreAnsweredInOrder) {
  const std::string replies =
      sent(http_post("/v1/messages", good()) + http_post("/v1/chat/completions", good()));

  EXPECT_THAT(replies, HasSubstr("msg_0001"));
  EXPECT_THAT(replies, HasSubstr("chatcmpl-0002"));
}

TEST_F(HostileClients, ManyConnectionsThatSayNothingHarmNobody) {
  std::vector<std::unique_ptr<WireClient>> silent;
  for (int i = 0; i < 100; ++i) silent.push_back(std::make_unique<WireClient>(server_->port()));

  EXPECT_THAT(sent(http_post("/v1/messages", good())), StartsWith("HTTP/1.1 200"));
}

}  // namespace
}  // namespace plumb::simulator
