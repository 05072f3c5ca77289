// SPDX-License-Identifier: Apache-2.0
#include "simulator/llm/wire/dialect.h"

#include <gtest/gtest.h>

namespace plumb::simulator {
namespace {

TEST(Route, IsFoundByTheEndOfThePath) {  // WIRE-13
  using enum Route::Kind;
  const std::vector<std::tuple<std::string, Route::Kind, Dialect>> rows = {
      {"/v1/messages", generate, Dialect::messages},
      {"/messages?beta=true", generate, Dialect::messages},
      {"/v1/messages/count_tokens", count_tokens, Dialect::messages},
      {"/v1/chat/completions", generate, Dialect::chat},
      {"/proxy/chat/completions?a=b", generate, Dialect::chat},
      {"/v1/responses", generate, Dialect::responses},
      {"/responses/input_tokens", count_tokens, Dialect::responses}};
  for (const auto& [path, kind, dialect] : rows) {
    const Route route = route_of(path);
    EXPECT_EQ(route.kind, kind) << path;
    EXPECT_EQ(route.dialect, dialect) << path;
  }
  EXPECT_EQ(route_of("/v1/models").kind, model_list);
  EXPECT_EQ(route_of("/v1/models/org/name").model, "org/name");
  EXPECT_EQ(route_of("/v1/models/").kind, unknown);
  EXPECT_EQ(route_of("/").kind, unknown);
  EXPECT_EQ(route_of("").kind, unknown);
}

TEST(Route, BeginsWithConversationAndTrack) {
  const Route route = route_of("/c/one/t/side/v1/messages");

  EXPECT_EQ(route.conversation, "one");
  EXPECT_EQ(route.track, "side");
  EXPECT_EQ(route.kind, Route::Kind::generate);
  EXPECT_EQ(route_of("/c//v1/messages").conversation, "");
  EXPECT_EQ(route_of("/c/one").conversation, "");
}

TEST(Route, OwnPathsAreNobodysSuffix) {
  EXPECT_EQ(route_of("/_plumb/journal").kind, Route::Kind::journal);
  EXPECT_EQ(route_of("/v1/_plumb/journal").kind, Route::Kind::unknown);
}

}  // namespace
}  // namespace plumb::simulator
