// SPDX-License-Identifier: Apache-2.0
// Three edits of one file side by side, through the file port, with a queue for the file and with a
// queue that a planted bug passes by.
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "engine/kernel/event.h"
#include "engine/kernel/join.h"
#include "engine/kernel/memory_files.h"
#include "simulator/explore/schedules.h"

namespace plumb::simulator {
namespace {

using engine::AsyncMutex;
using engine::MemoryFiles;
using engine::SimLoop;
using engine::SimLoopOptions;
using engine::Task;

SimLoopOptions recording(SchedulePicker picker) {
  SimLoopOptions options;
  options.records_steps = true;
  options.records_ready = true;
  options.picker = std::move(picker);
  return options;
}

/// Each edit looks the file up, reads it, and writes it with its own letter added.
class Edits final {
 public:
  Edits(SchedulePicker picker, bool is_queued)
      : loop_(recording(std::move(picker))), is_queued_(is_queued) {
    files_.put_file("/a.txt", "");
  }

  Execution play() {
    const auto outcome = loop_.run(edit_all());
    Execution execution;
    execution.steps = loop_.take_steps();
    std::string text;
    for (const auto& [path, entry] : files_.snapshot()) text = entry.content;
    if (!outcome) execution.failure = outcome.error().message;
    if (text.size() != 3) execution.failure = "an edit is lost";
    return execution;
  }

 private:
  Task<void> edit_all() {
    std::vector<Task<void>> edits;
    for (const char letter : {'x', 'y', 'z'}) edits.push_back(edit(letter));
    co_await engine::all(std::move(edits));
  }
  Task<void> edit(char letter) {
    const std::string path = "/a.txt";
    const auto real_path = co_await files_.real_path(path);
    if (!is_queued_) co_return co_await change(*real_path, letter);
    const auto turn = co_await queue_.lock();
    co_await change(*real_path, letter);
  }
  Task<void> change(std::string path, char letter) {
    const auto text = co_await files_.read(path);
    const auto written = co_await files_.write(path, *text + letter);
    EXPECT_TRUE(written);
  }

  SimLoop loop_;
  MemoryFiles files_{loop_};
  AsyncMutex queue_{loop_, "/a.txt"};
  bool is_queued_;
};

TEST(ThreeEdits, OfOneFileAreAllKeptInEveryClass) {
  const auto report = explore_schedules(
      [](SchedulePicker picker) { return Edits(std::move(picker), true).play(); });

  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->is_exhaustive);
  EXPECT_GE(report->classes_explored, 6);  // At least the orders of the edits.
  EXPECT_EQ(report->unplanned_classes, 0);
  EXPECT_EQ(report->failing_classes, 0);
  RecordProperty("report", describe(*report, ExploreOptions()));
}

TEST(ThreeEdits, ThatPassTheQueueByLoseOne) {
  const PlaySchedule play = [](SchedulePicker picker) {
    return Edits(std::move(picker), false).play();
  };

  const auto report = explore_schedules(play);

  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->is_exhaustive);
  ASSERT_FALSE(report->failures.empty());
  EXPECT_EQ(play(schedule_picker(report->failures.front().picks)).failure, "an edit is lost");
  RecordProperty("report", describe(*report, ExploreOptions()));
}

}  // namespace
}  // namespace plumb::simulator
