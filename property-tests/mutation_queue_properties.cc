// SPDX-License-Identifier: Apache-2.0
// Calls that change files through the queue, under one schedule of each class: whatever the order,
// no change of a file is lost, and no key is left.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "engine/kernel/join.h"
#include "engine/kernel/memory_files.h"
#include "engine/kernel/sim_loop.h"
#include "engine/tools/builtin/mutation_queue.h"
#include "engine/tools/policies.h"
#include "simulator/explore/schedules.h"

namespace plumb::simulator {
namespace {

using engine::Task;

engine::SimLoopOptions with_picker(SchedulePicker picker) {
  engine::SimLoopOptions options;
  options.records_steps = options.records_ready = true;
  options.picker = std::move(picker);
  return options;
}

/// Each call adds its letter to the file of its name.
class QueuedCalls final {
 public:
  QueuedCalls(SchedulePicker picker, std::vector<std::string> names)
      : loop_(with_picker(std::move(picker))), names_(std::move(names)) {
    files_.put_file("/dir/a.txt", "");
    files_.put_symlink("/link.txt", "dir/a.txt");
    files_.put_symlink("/folder", "dir");
  }

  Execution play() {
    const auto outcome = loop_.run(change_all());
    Execution execution;
    execution.steps = loop_.take_steps();
    std::int64_t letters = 0;
    for (const auto& [path, entry] : files_.snapshot()) {
      if (entry.kind == engine::FileKind::file) letters += std::ssize(entry.content);
    }
    if (letters != std::ssize(names_)) execution.failure = "a change is lost";
    if (queue_.key_count() != 0) execution.failure = "a key is left";
    if (!outcome) execution.failure = outcome.error().message;
    return execution;
  }

 private:
  Task<void> change_all() {
    std::vector<Task<void>> calls;
    for (const auto& name : names_) calls.push_back(change(name));
    co_await engine::all(std::move(calls));
  }
  Task<void> change(std::string name) {
    const auto turn = co_await queue_.enter(name);
    if (!turn) co_return;
    const std::string path = turn->path();
    const auto text = co_await files_.read(path);
    const std::string grown = text.value_or("") + "x";
    const auto written = co_await files_.write(path, grown);
    EXPECT_TRUE(written);
  }

  engine::SimLoop loop_;
  engine::MemoryFiles files_{loop_};
  Trace trace_;
  Recorder recorder_{trace_, [this] { return loop_.now_ms(); }};
  engine::Policies policies_;
  engine::MutationQueue queue_{loop_, files_, recorder_, policies_};
  std::vector<std::string> names_;
};

ExploreReport explore_calls(const std::vector<std::string>& names) {
  const auto report = explore_schedules(
      [&names](SchedulePicker picker) { return QueuedCalls(std::move(picker), names).play(); });
  EXPECT_TRUE(report) << report.error().message;
  return report.value_or(ExploreReport());
}

std::string failure_in(const ExploreReport& report) {
  return report.failures.empty() ? "" : report.failures.front().failure;
}

TEST(MutationQueueProperty, TwoCallsLoseNothingInAnyClass) {  // QUEUE-01, QUEUE-02, QUEUE-10
  const std::vector<std::string> names{"/dir/a.txt", "/link.txt", "/folder/a.txt", "/dir/new.txt",
                                       "/folder/new.txt"};
  for (const auto& one : names) {
    for (const auto& other : names) {
      const auto report = explore_calls({one, other});

      EXPECT_TRUE(report.is_exhaustive) << one << " " << other;
      EXPECT_EQ(failure_in(report), "") << one << " " << other;
    }
  }
}

TEST(MutationQueueProperty, ThreeCallsLoseNothingInAnyClass) {  // QUEUE-02, QUEUE-04
  const auto report = explore_calls({"/dir/a.txt", "/link.txt", "/folder/a.txt"});

  EXPECT_EQ(failure_in(report), "");
  EXPECT_GE(report.classes_explored, 1);
}

}  // namespace
}  // namespace plumb::simulator
