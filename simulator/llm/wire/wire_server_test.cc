// SPDX-License-Identifier: Apache-2.0
#include "simulator/llm/wire/wire_server.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "simulator/llm/wire/wire_client_fixture.h"
#include "simulator/llm/wire/wire_script_fixture.h"

namespace plumb::simulator {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::unique_ptr<WireServer> serve(const std::string& steps, WireOptions options = {}) {
  auto server = WireServer::start(script_of(steps), std::move(options));
  EXPECT_TRUE(server) << server.error().message;
  return *std::move(server);
}

std::string body_of(const std::string& rest = "") {
  return messages_request(kHello, "/v1/messages", rest).body;
}

std::string ask(WireServer& server, const std::string& path, const std::string& body) {
  WireClient client(server.port());
  client.send(http_post(path, body, "Connection: close\r\n"));
  return client.receive();
}

const std::string kStream = R"(,"stream":true)";

TEST(WireServer, AnswersOnAFreePort) {  // WIRE-07
  const auto server = serve("  - model: one\n");

  const std::string reply = ask(*server, "/v1/messages", body_of());

  EXPECT_THAT(reply, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(reply, HasSubstr("Content-Type: application/json"));
  EXPECT_THAT(reply, HasSubstr(R"("text":"one")"));
}

TEST(WireServer, Streams) {  // WIRE-01
  const auto server = serve("  - model: one\n");

  const std::string reply = ask(*server, "/v1/messages", body_of(kStream));

  EXPECT_THAT(reply, HasSubstr("Content-Type: text/event-stream"));
  EXPECT_THAT(reply,
              HasSubstr("event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n\r\n0\r\n"));
}

TEST(WireServer, KeepsTheConnectionForTheNextRequest) {
  const auto server = serve("  - model: one\n  - model: two\n");
  WireClient client(server->port());

  client.send(http_post("/v1/messages", body_of()));
  const std::string first = client.receive("service_tier\":\"standard\"}}");
  client.send(http_post("/v1/messages", body_of()));
  const std::string second = client.receive("service_tier\":\"standard\"}}");

  EXPECT_THAT(first, HasSubstr("\"one\""));
  EXPECT_THAT(second, HasSubstr("\"two\""));
}

TEST(WireServer, CutsTheStreamAtAByte) {
  const auto server = serve("  - model: {text: abc, fault: {kind: cut, at: 30, close: fin}}\n");

  const std::string reply = ask(*server, "/v1/messages", body_of(kStream));

  EXPECT_TRUE(reply.ends_with("event: message_start\ndata: {\"t\r\n")) << reply;
  EXPECT_TRUE(server->wait_until_quiet(1000));
  const auto exchanges = server->take_exchanges();
  ASSERT_EQ(exchanges.size(), 1U);
  EXPECT_EQ(exchanges[0].ending, ReplyEnding::fin);
  EXPECT_EQ(exchanges[0].bytes_sent, 30);
  EXPECT_EQ(exchanges[0].events_sent, 0);
  EXPECT_TRUE(exchanges[0].is_cut);
}

TEST(WireServer, BreaksTheConnection) {
  const auto server = serve(
      "  - model: {text: abc, fault: {kind: cut, at: 30}}\n  - model: {fail: {kind: network}}\n");
  WireClient half(server->port());
  half.send(http_post("/v1/messages", body_of(kStream)));
  half.receive();
  WireClient nothing(server->port());
  nothing.send(http_post("/v1/messages", body_of(kStream)));

  EXPECT_TRUE(half.was_reset());
  EXPECT_EQ(nothing.receive(), "");
  EXPECT_TRUE(nothing.was_reset());
}

TEST(WireServer, SeesAClientThatLeaves) {  // WIRE-09, WIRE-12
  const auto server = serve("  - model: {text: abc, fault: {kind: stall, at: 400}}\n");
  WireClient client(server->port());
  client.send(http_post("/v1/messages", body_of(kStream)));
  client.receive("message_start");
  EXPECT_FALSE(server->wait_until_quiet(30));

  client.close();

  EXPECT_TRUE(server->wait_until_quiet(2000));
  const auto exchanges = server->take_exchanges();
  ASSERT_EQ(exchanges.size(), 1U);
  EXPECT_EQ(exchanges[0].ending, ReplyEnding::client_left);
  EXPECT_EQ(exchanges[0].bytes_sent, 400);
  EXPECT_GE(exchanges[0].events_sent, 1);
}

TEST(WireServer, HoldsTheEndBackUntilItsEvent) {
  std::atomic<bool> has_happened = false;
  WireOptions options;
  options.has_happened = [&](const Trigger& trigger) {
    EXPECT_EQ(trigger.text, "agent_start");
    return has_happened.load();
  };
  const auto server = serve("  - model: {text: abc, until: agent_start}\n", options);
  WireClient client(server->port());
  client.send(http_post("/v1/messages", body_of(kStream)));

  const std::string before = client.receive("content_block_stop\",\"index\":0}");
  EXPECT_FALSE(server->wait_until_quiet(30));
  has_happened = true;
  const std::string after = client.receive("message_stop\"}");

  EXPECT_THAT(before, Not(HasSubstr("message_delta")));
  EXPECT_THAT(after, HasSubstr("message_stop"));
}

TEST(WireServer, GivesUpAnEventThatDoesNotCome) {
  WireOptions options;
  options.has_happened = [](const Trigger&) { return false; };
  options.until_timeout_ms = 20;
  const auto server = serve("  - model: {text: abc, until: agent_start}\n", options);

  const std::string reply = ask(*server, "/v1/messages", body_of(kStream));

  EXPECT_THAT(reply, Not(HasSubstr("message_stop")));
  EXPECT_TRUE(server->wait_until_quiet(1000));
  EXPECT_EQ(server->take_exchanges().at(0).ending, ReplyEnding::stopped);
  ASSERT_EQ(server->errors().size(), 1U);
  EXPECT_EQ(server->errors()[0].code, "until_timeout");
}

TEST(WireServer, StopsWhileARepliesStalls) {
  auto server = serve("  - model: {text: abc, fault: {kind: stall, at: 400}}\n");
  WireClient client(server->port());
  client.send(http_post("/v1/messages", body_of(kStream)));
  client.receive("message_start");

  server->stop();

  EXPECT_EQ(server->take_exchanges().at(0).ending, ReplyEnding::stopped);
}

TEST(WireServer, SaysThatAPortIsTaken) {
  const auto server = serve("  - model: one\n");
  WireOptions options;
  options.port = server->port();

  const auto second = WireServer::start(script_of("  - model: one\n"), options);

  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::io);
  EXPECT_EQ(second.error().message,
            "port " + std::to_string(server->port()) + " of 127.0.0.1 cannot be bound");
}

TEST(WireServer, AnswersManyClientsAtOnce) {
  WireOptions options;
  options.loops = true;
  const auto server = serve("  - model: {text: abcdef, chunk: 1}\n", options);
  std::atomic<int> whole = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 50; ++i) {
    clients.emplace_back([&] {
      const std::string reply = ask(*server, "/v1/messages", body_of(kStream));
      if (reply.contains("message_stop")) ++whole;
    });
  }
  for (std::thread& client : clients) client.join();

  EXPECT_EQ(whole, 50);
}

/// Each stream takes three descriptors: the client's, the server's and its deadline's.
void allow_descriptors(rlim_t count) {
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  if (limit.rlim_cur < count) limit.rlim_cur = std::min(count, limit.rlim_max);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

TEST(WireServer, StreamsToAThousandClientsAtOnce) {
  constexpr int kClients = 1000;
  allow_descriptors(4000);
  WireOptions options;
  options.loops = true;
  const auto server = serve("  - model: {text: abcdef, chunk: 1}\n", options);
  std::vector<std::unique_ptr<WireClient>> clients;

  // All are there before the first reads what it gets.
  for (int i = 0; i < kClients; ++i) {
    clients.push_back(std::make_unique<WireClient>(server->port()));
    clients.back()->send(http_post("/v1/messages", body_of(kStream)));
  }
  int whole = 0;
  for (const auto& client : clients) {
    if (client->receive("message_stop\"}").contains("message_stop\"}")) ++whole;
  }

  EXPECT_EQ(whole, kClients);
  EXPECT_TRUE(server->errors().empty());
}

TEST(WireServer, ShowsItsJournal) {  // WIRE-09
  const auto server = serve("  - model: one\n");
  ask(*server, "/v1/messages", body_of());
  WireClient client(server->port());
  client.send("GET /_plumb/journal HTTP/1.1\r\nConnection: close\r\n\r\n");

  const std::string journal = client.receive();

  EXPECT_THAT(journal, HasSubstr(R"("x-api-key":"<set>")"));
  EXPECT_THAT(journal, HasSubstr(R"("ending":"complete")"));
  EXPECT_THAT(journal, HasSubstr(R"("plan":"answered")"));
}

}  // namespace
}  // namespace plumb::simulator
