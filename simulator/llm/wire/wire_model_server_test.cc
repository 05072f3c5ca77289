// SPDX-License-Identifier: Apache-2.0
#include "simulator/llm/wire/wire_model_server.h"

#include <gtest/gtest.h>
#include <poll.h>

#include "simulator/llm/wire/wire_client_fixture.h"
#include "simulator/llm/wire/wire_script_fixture.h"

namespace plumb::simulator {
namespace {

class WireModelServerTest : public testing::Test {
 protected:
  void SetUp() override {
    auto server = WireModelServer::create();
    ASSERT_TRUE(server) << server.error().message;
    server_ = *std::move(server);
  }

  std::int64_t port() const {
    return std::stoll(server_->base_url("anthropic-messages").substr(sizeof("http://127.0.0.1")));
  }

  /// The next piece of news; the request it may tell of is answered from then on.
  ModelNews next_news() {
    while (news_.empty()) {
      server_->wait_for_news(5000);
      for (ModelNews& one : server_->take_news()) news_.push_back(std::move(one));
    }
    ModelNews one = std::move(news_.front());
    news_.erase(news_.begin());
    return one;
  }

  static std::string stream_body() {
    return messages_request(kHello, "/v1/messages", R"(,"stream":true)").body;
  }

  std::unique_ptr<ModelServer> server_;
  std::vector<ModelNews> news_;
};

bool is_readable(int fd) {
  pollfd entry{fd, POLLIN, 0};
  return ::poll(&entry, 1, 0) > 0;
}

TEST_F(WireModelServerTest, ARequestWaitsUntilItWasSeen) {
  server_->replay(script_of("  - model: {text: hm, calls: [{id: c1, tool: f}]}\n"));
  WireClient client(port());
  client.send(http_post("/v1/messages", messages_request().body));

  const auto asked = std::get<ModelAsked>(next_news());
  EXPECT_FALSE(is_readable(server_->news_fd()));
  server_->acknowledge();
  const std::string reply = client.receive("standard\"}}");
  const auto answered = std::get<ModelAnswered>(next_news());

  EXPECT_EQ(asked.n, 1);
  EXPECT_EQ(asked.track, "main");
  EXPECT_EQ(asked.body, messages_request().body);
  EXPECT_TRUE(reply.contains("\"id\":\"c1\"")) << reply;  // As the scenario has it.
  EXPECT_EQ(answered.stop_reason, "toolUse");
  EXPECT_EQ(answered.error, "");
  EXPECT_EQ(answered.message["content"][1]["id"], "c1");
}

TEST_F(WireModelServerTest, TellsWhatTheClientGotOfACutReply) {
  // The second delta goes from byte 661 to 778.
  server_->replay(script_of("  - model: {text: abcdef, chunk: 2, fault: {kind: cut, at: 700}}\n"));
  WireClient client(port());
  client.send(http_post("/v1/messages", stream_body()));
  next_news();
  server_->acknowledge();
  client.receive();

  const auto answered = std::get<ModelAnswered>(next_news());

  EXPECT_EQ(answered.stop_reason, "error");
  EXPECT_EQ(answered.error, "connection error: the stream ended early");
  EXPECT_EQ(answered.message["content"][0]["text"], "ab");
}

TEST_F(WireModelServerTest, TellsThatTheClientLeft) {
  server_->replay(script_of("  - model: {text: a, until: agent_start}\n"));
  WireClient client(port());
  client.send(http_post("/v1/messages", stream_body()));
  next_news();
  server_->acknowledge();
  client.receive("content_block_stop\",\"index\":0}");
  client.close();

  const auto answered = std::get<ModelAnswered>(next_news());

  EXPECT_EQ(answered.stop_reason, "aborted");
  EXPECT_EQ(answered.message["content"][0]["text"], "a");
}

TEST_F(WireModelServerTest, AReleasedEventEndsTheReply) {
  server_->replay(script_of("  - model: {text: a, until: agent_start}\n"));
  WireClient client(port());
  client.send(http_post("/v1/messages", stream_body()));
  next_news();
  server_->acknowledge();
  server_->release("agent_start");

  EXPECT_TRUE(client.receive("message_stop\"}").contains("message_stop"));
  EXPECT_EQ(std::get<ModelAnswered>(next_news()).stop_reason, "stop");
}

TEST_F(WireModelServerTest, TellsOfWhatItRefuses) {
  server_->replay(script_of("  - model: a\n"));
  WireClient client(port());
  client.send(http_post("/v1/messages", "{bad"));

  const auto asked = std::get<ModelAsked>(next_news());
  server_->acknowledge();
  const auto answered = std::get<ModelAnswered>(next_news());

  ASSERT_EQ(asked.errors.size(), 1U);
  EXPECT_EQ(asked.errors[0].code, "bad_request");
  EXPECT_EQ(answered.stop_reason, "error");
  EXPECT_EQ(server_->settle().size(), 1U);
}

TEST_F(WireModelServerTest, ANewCaseForgetsTheNews) {
  server_->replay(script_of("  - model: a\n"));
  WireClient client(port());
  client.send(http_post("/v1/messages", messages_request().body));
  server_->wait_for_news(5000);

  server_->replay(script_of("  - model: b\n"));

  EXPECT_TRUE(server_->take_news().empty());
  EXPECT_FALSE(is_readable(server_->news_fd()));
}

TEST_F(WireModelServerTest, ANewCaseWaitsForTheRepliesOfTheOneBefore) {
  server_->replay(script_of("  - model: {text: early, delay_ms: 100}\n"));
  WireClient before(port());
  before.send(http_post("/v1/messages", messages_request().body));
  server_->wait_for_news(5000);

  server_->replay(script_of("  - model: late\n"));
  const std::string reply = before.receive("standard\"}}");
  before.close();
  EXPECT_TRUE(server_->take_news().empty());
  WireClient after(port());
  after.send(http_post("/v1/messages", messages_request().body));
  const auto asked = std::get<ModelAsked>(next_news());
  server_->acknowledge();

  EXPECT_TRUE(reply.contains("early")) << reply;
  EXPECT_EQ(asked.n, 1);
  EXPECT_TRUE(after.receive("standard\"}}").contains("late"));
}

}  // namespace
}  // namespace plumb::simulator
