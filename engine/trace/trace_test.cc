// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plumb {
namespace {

using ::testing::ElementsAre;

Notify topic(std::string name) {
  Notify event;
  event.topic = std::move(name);
  return event;
}

TEST(Recorder, QueuesWhatItsListenerRecords) {
  Trace trace;
  Recorder recorder(trace, [] { return 0; });
  std::vector<std::string> heard;
  recorder.listen([&](const Event& event) {
    const std::string name = event.as<Notify>()->topic;
    if (name == "first") {
      recorder.record(Source::host, topic("second"));
      recorder.record(Source::host, topic("third"));
    }
    heard.push_back(name);
  });

  recorder.record(Source::engine, topic("first"));

  EXPECT_THAT(heard, ElementsAre("first", "second", "third"));
}

TEST(Recorder, EventOfAListenerOutlastsWhatItRecords) {
  Trace trace;
  Recorder recorder(trace, [] { return 0; });
  std::string before;
  std::string after;
  recorder.listen([&](const Event& event) {
    if (event.source == Source::host) return;
    before = event.as<Notify>()->topic;
    // More than any growth strategy keeps in place.
    for (int i = 0; i < 10'000; ++i) recorder.record(Source::host, topic("other"));
    after = event.as<Notify>()->topic;
  });

  recorder.record(Source::engine, topic("a topic too long for a small string"));

  EXPECT_EQ(after, before);
}

TEST(Recorder, TellsALateListenerOnlyWhatFollows) {
  Trace trace;
  Recorder recorder(trace, [] { return 0; });
  recorder.record(Source::engine, topic("early"));
  std::vector<std::string> heard;
  recorder.listen([&](const Event& event) { heard.push_back(event.as<Notify>()->topic); });

  recorder.record(Source::engine, topic("late"));

  EXPECT_THAT(heard, ElementsAre("late"));
}

}  // namespace
}  // namespace plumb
