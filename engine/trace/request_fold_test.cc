// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/request_fold.h"

#include <utility>

#include <gtest/gtest.h>

namespace plumb {
namespace {

RequestBlock message(std::string text) {
  return {Zone::messages, SharedJson(Json{{"role", "user"}, {"content", std::move(text)}})};
}

/// Records each request and returns the trace.
Trace record(const std::vector<std::vector<RequestBlock>>& requests) {
  Trace trace;
  Recorder recorder(trace, [] { return std::int64_t{0}; });
  RequestDeltas deltas;
  for (const auto& blocks : requests) {
    deltas.sent(recorder.record(Source::port, deltas.next("main", blocks, {})));
  }
  return trace;
}

TEST(RequestFold, RebuildsWhatWasSent) {
  const RequestBlock system{Zone::system, SharedJson(Json("s"))};
  const std::vector<std::vector<RequestBlock>> requests{
      {system, message("a")},
      {system, message("a"), message("b")},
      {system, message("x"), message("b"), message("c")},
      {}};
  const auto trace = record(requests);

  RequestFold fold;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto folded = fold.fold(trace.events[i]);
    ASSERT_TRUE(folded) << folded.error().message;
    EXPECT_EQ(std::vector<RequestBlock>(folded->blocks.begin(), folded->blocks.end()), requests[i]);
  }
}

TEST(RequestDeltas, StoresOnlyWhatChanged) {
  const auto trace = record({{message("a")}, {message("a"), message("b")}, {message("c")}});

  const auto* second = trace.events[1].as<ProviderRequest>();
  EXPECT_EQ(second->base, 0);
  EXPECT_EQ(second->common, 1);
  EXPECT_EQ(second->append.size(), 1U);
  const auto* third = trace.events[2].as<ProviderRequest>();
  EXPECT_EQ(third->removed, 2);
  EXPECT_EQ(third->common, 0);
}

TEST(RequestDeltas, HashDependsOnEveryByteAndOnNothingElse) {
  const auto one = record({{message("a"), message("b")}});
  const auto two = record({{message("a")}, {message("a"), message("b")}});
  const auto other = record({{message("a"), message("c")}});

  EXPECT_EQ(one.events[0].as<ProviderRequest>()->hash, two.events[1].as<ProviderRequest>()->hash);
  EXPECT_NE(one.events[0].as<ProviderRequest>()->hash, other.events[0].as<ProviderRequest>()->hash);
}

TEST(RequestDeltas, HashOfARequestIsItsOwnHoweverLaterOnesGoOn) {
  const auto trace = record({{message("a")}, {message("a"), message("b")}, {message("c")}});

  for (const auto& [event, alone] : {std::pair(0, record({{message("a")}})),
                                     std::pair(1, record({{message("a"), message("b")}})),
                                     std::pair(2, record({{message("c")}}))}) {
    EXPECT_EQ(trace.events[static_cast<std::size_t>(event)].as<ProviderRequest>()->hash.hex(),
              alone.events[0].as<ProviderRequest>()->hash.hex());
  }
}

TEST(RequestFold, RefusesADamagedChain) {
  auto trace = record({{message("a")}, {message("a"), message("b")}});

  RequestFold fold;
  EXPECT_FALSE(fold.fold(trace.events[1]));
}

}  // namespace
}  // namespace plumb
