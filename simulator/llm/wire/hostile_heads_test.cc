// SPDX-License-Identifier: Apache-2.0
// Heads of requests that are old, too long, malformed, or a stranger's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulator/llm/wire/loopback_host.h"
#include "simulator/llm/wire/wire_client_fixture.h"
#include "simulator/llm/wire/wire_script_fixture.h"
#include "simulator/llm/wire/wire_server.h"

namespace plumb::simulator {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class HostileHeads : public testing::Test {
 protected:
  void SetUp() override {
    WireOptions options;
    options.loops = true;
    auto server = WireServer::start(script_of("  - model: one\n"), options);
    ASSERT_TRUE(server) << server.error().message;
    server_ = *std::move(server);
  }

  void TearDown() override {
    EXPECT_THAT(sent(http_post("/v1/messages", messages_request().body)), HasSubstr("\"one\""));
  }

  std::string sent(const std::string& bytes) {
    WireClient client(server_->port());
    client.send(bytes);
    client.end_of_requests();
    return client.receive();
  }

  /// A chat request with these lines in its head; the client does not close its side.
  std::string asked(const std::string& version, const std::string& lines, bool is_stream = false) {
    const std::string body = chat_request(kHello, "/", is_stream ? R"(,"stream":true)" : "").body;
    WireClient client(server_->port());
    client.send("POST /v1/chat/completions HTTP/" + version + "\r\n" + lines +
                "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    return client.receive();
  }

  std::unique_ptr<WireServer> server_;
};

TEST_F(HostileHeads, AnOldClientGetsItsStreamWithoutChunks) {
  const std::string reply = asked("1.0", "", true);

  EXPECT_THAT(reply, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(reply, Not(HasSubstr("chunked")));
  EXPECT_THAT(reply, HasSubstr("\r\n\r\ndata: {"));
  EXPECT_THAT(reply, EndsWith("data: [DONE]\n\n"));
  EXPECT_EQ(asked("1.0", "Connection: keep-alive\r\n", true).substr(0, 12), "HTTP/1.1 200");
}

TEST_F(HostileHeads, AnOldClientGetsItsObject) {
  EXPECT_THAT(asked("1.0", ""), StartsWith("HTTP/1.1 200"));
}

TEST_F(HostileHeads, ALengthThatIsNoNumberIs400) {
  for (const char* length : {"-1", "abc", "5x", "0x10", "+3"}) {
    const std::string head = "POST /v1/chat/completions HTTP/1.1\r\nContent-Length: ";
    const std::string reply = sent(head + length + "\r\n\r\nGET / HTTP/1.1\r\n\r\n");
    EXPECT_THAT(reply, StartsWith("HTTP/1.1 400")) << length;
    EXPECT_THAT(reply.substr(1), Not(HasSubstr("HTTP/1.1"))) << "the body is no request";
  }
}

TEST_F(HostileHeads, TooManyHeadersAre431) {
  std::string lines;
  for (int i = 0; i < 50'000; ++i) lines += "x: aaa\r\n";

  EXPECT_THAT(sent("GET /v1/models HTTP/1.1\r\n" + lines + "\r\n"), StartsWith("HTTP/1.1 431"));
}

TEST_F(HostileHeads, AHeadThatDoesNotEndIs431) {
  WireClient client(server_->port());
  const std::string line = "x: " + std::string(4000, 'a') + "\r\n";
  client.send("GET /v1/models HTTP/1.1\r\n");
  for (int i = 0; i < 100; ++i) client.send(line);

  EXPECT_THAT(client.receive(), StartsWith("HTTP/1.1 431"));
}

TEST_F(HostileHeads, AStrangersRequestIs403) {
  for (const char* line : {"Host: evil.example\r\n", "Host: 127.0.0.1.evil.example\r\n",
                           "Origin: https://evil.example\r\n", "Origin: null\r\n"}) {
    WireClient client(server_->port());
    client.send("GET /_plumb/journal HTTP/1.1\r\n" + std::string(line) + "\r\n");
    EXPECT_THAT(client.receive("permission_error"), StartsWith("HTTP/1.1 403")) << line;
    EXPECT_THAT(asked("1.1", line), HasSubstr("is not on loopback")) << line;
  }
}

TEST(LoopbackHost, IsKnownByName) {
  for (const char* host : {"localhost", "LocalHost:80", "127.0.0.1", "127.1.2.3:9", "[::1]:80",
                           "[::1]", "a.localhost:1", "localhost.", "localhost.:80"}) {
    EXPECT_TRUE(is_loopback_host(host)) << host;
  }
  for (const char* host :
       {"example.com", "127.0.0.1.example.com", "localhost.example.com", "[::2]:80",
        "[::1]evil.com", "127.0.0.1:evil.com", "10.0.0.1", "notlocalhost"}) {
    EXPECT_FALSE(is_loopback_host(host)) << host;
  }
}

TEST(LoopbackHost, APageOfThisMachineIsNoStranger) {
  EXPECT_EQ(foreign_source({{"host", "127.0.0.1:8"}, {"origin", "http://localhost:3000"}}), "");
  EXPECT_EQ(foreign_source({{"origin", "vscode-file://vscode-app"}}), "");
  EXPECT_EQ(foreign_source({{"host", "a.example"}}), "host 'a.example'");
  EXPECT_EQ(foreign_source({{"origin", "HTTPS://a.example"}}), "origin 'HTTPS://a.example'");
}

}  // namespace
}  // namespace plumb::simulator
