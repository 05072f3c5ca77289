// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/mutation_queue.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/kernel/memory_files.h"
#include "engine/kernel/sim_loop.h"
#include "engine/tools/policies.h"

namespace plumb::engine {
namespace {

using ::testing::ElementsAre;

struct QueueWorld {
  QueueWorld() {
    files.put_file("/w/a", "a");
    files.put_file("/w/b", "b");
    files.put_directory("/w/real");
    files.put_symlink("/w/link", "/w/a");
    files.put_symlink("/w/dir", "/w/real");
  }

  /// Holds the turn of `path` for `hold_ms` and notes what happens.
  Task<void> mutate(std::string name, std::string path, std::int64_t hold_ms) {
    auto turn = co_await queue.enter(std::move(path));
    if (!turn) {
      log.push_back(name + " failed");
      co_return;
    }
    log.push_back(name + " begins " + turn->key());
    co_await loop.sleep_ms(hold_ms);
    log.push_back(name + " ends");
  }
  void start(std::string name, std::string path, std::int64_t hold_ms = 10) {
    loop.spawn(mutate(name, std::move(path), hold_ms), name);
  }
  void run() {
    const auto idle = loop.run_until_idle();
    ASSERT_TRUE(idle) << idle.error().message;
  }

  SimLoop loop;
  MemoryFiles files{loop};
  Trace trace;
  Recorder recorder{trace, [this] { return loop.now_ms(); }};
  Policies policies;
  MutationQueue queue{loop, files, recorder, policies};
  std::vector<std::string> log;
};

TEST(MutationQueue, RunsOneFileOneAfterTheOther) {  // QUEUE-01, QUEUE-02, QUEUE-18
  QueueWorld world;
  world.start("1", "/w/a");
  world.start("2", "/w/link");

  world.run();

  EXPECT_THAT(world.log, ElementsAre("1 begins /w/a", "1 ends", "2 begins /w/a", "2 ends"));
  EXPECT_EQ(world.queue.key_count(), 0);
}

TEST(MutationQueue, RunsDifferentFilesSideBySide) {  // QUEUE-03
  QueueWorld world;
  world.start("1", "/w/a");
  world.start("2", "/w/b");

  world.run();

  EXPECT_THAT(world.log, ElementsAre("1 begins /w/a", "2 begins /w/b", "1 ends", "2 ends"));
}

TEST(MutationQueue, KeepsTheOrderOfCallsWhateverTheLookUpTakes) {  // QUEUE-04
  QueueWorld world;
  FaultPlan plan;
  FileFault slow;
  slow.op = FileOp::real_path;
  slow.occurrence = 1;
  slow.delay_ms = 100;
  plan.add(slow);
  world.files.set_faults(&plan);
  for (const auto* name : {"1", "2", "3"}) world.start(name, "/w/a", 1);

  world.run();

  EXPECT_THAT(world.log, ElementsAre("1 begins /w/a", "1 ends", "2 begins /w/a", "2 ends",
                                     "3 begins /w/a", "3 ends"));
}

TEST(MutationQueue, OrdersTwoRoutesToANewFile) {  // QUEUE-09, QUEUE-10
  QueueWorld world;
  world.start("1", "/w/dir/sub/new");
  world.start("2", "/w/real/sub/new");

  world.run();

  EXPECT_THAT(world.log, ElementsAre("1 begins /w/real/sub/new", "1 ends",
                                     "2 begins /w/real/sub/new", "2 ends"));
}

TEST(MutationQueue, KeepsTheRoutesApartInTheOtherEdition) {  // QUEUE-10
  QueueWorld world;
  world.policies.missing_key = key_of_missing_pi;
  world.start("1", "/w/dir/new");

  world.run();

  EXPECT_EQ(world.log.front(), "1 begins /w/dir/new");
}

TEST(MutationQueue, FailsOnlyTheCallWhosePathCannotBeResolved) {  // QUEUE-08, QUEUE-11
  QueueWorld world;
  world.files.put_symlink("/w/loop", "/w/loop");
  world.start("1", "/w/loop");
  world.start("2", "/w/a");

  world.run();

  EXPECT_THAT(world.log, ElementsAre("1 failed", "2 begins /w/a", "2 ends"));
}

Task<void> retarget(QueueWorld& world) {
  co_await world.loop.sleep_ms(5);
  FileRequest gone(FileOp::remove, "/w/link");
  FileRequest link(FileOp::symlink, "/w/link");
  link.other = "/w/b";
  PLUMB_ASSERT(world.files.perform_now(gone).has_value());
  PLUMB_ASSERT(world.files.perform_now(link).has_value());
}

TEST(MutationQueue, TakesTheKeyAgainWhenTheLinkHasMoved) {  // QUEUE-13
  QueueWorld world;
  world.start("1", "/w/a");
  world.start("2", "/w/link");
  world.loop.spawn(retarget(world), "");

  world.run();

  EXPECT_EQ(world.log.back(), "2 ends");
  EXPECT_THAT(world.log[2], "2 begins /w/b");
}

Task<void> enter_twice(QueueWorld& world) {
  const auto outer = co_await world.queue.enter("/w/a");
  const auto inner = co_await world.queue.enter("/w/link");
  world.log.push_back(inner ? "entered" : inner.error().message);
}

TEST(MutationQueue, RefusesToWaitForItself) {  // QUEUE-14
  QueueWorld world;
  world.loop.spawn(enter_twice(world), "c1");

  world.run();

  EXPECT_THAT(world.log, ElementsAre("this call already holds the turn of /w/a"));
}

TEST(MutationQueue, RecordsTurnsWithTheirTickets) {
  QueueWorld world;
  world.start("c1", "/w/a");
  world.start("c2", "/w/a");

  world.run();

  std::vector<std::string> events;
  for (const auto& event : world.trace.events) {
    const auto* acquire = event.as<QueueAcquire>();
    const auto* release = event.as<QueueRelease>();
    const auto ticket = acquire != nullptr ? acquire->ticket : release->ticket;
    events.push_back(std::string(event.kind()) + " " + event.call + " " + std::to_string(ticket));
  }
  EXPECT_THAT(events, ElementsAre("queue_acquire c1 0", "queue_release c1 0", "queue_acquire c2 1",
                                  "queue_release c2 1"));
}

}  // namespace
}  // namespace plumb::engine
