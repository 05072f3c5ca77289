// SPDX-License-Identifier: Apache-2.0
#include "simulator/explore/small_program.h"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "engine/kernel/event.h"
#include "engine/kernel/join.h"
#include "engine/kernel/task.h"

namespace plumb::simulator {
namespace {

using engine::AsyncMutex;
using engine::Event;
using engine::Latch;
using engine::SimLoop;
using engine::SimLoopOptions;
using engine::Task;
using engine::Touch;
using engine::TouchKind;

SimLoopOptions loop_options(SchedulePicker picker) {
  SimLoopOptions options;
  options.records_steps = true;
  options.records_ready = true;
  options.picker = std::move(picker);
  return options;
}

/// What the fibers of one program share, and the interpreter.
class World final {
 public:
  explicit World(SchedulePicker picker) : loop_(loop_options(std::move(picker))) {}
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  /// Spawned fibers may still wait for what goes before the loop.
  ~World() { loop_.destroy_fibers(); }

  ProgramRun play(const SmallProgram& program) {
    const auto outcome = loop_.run(play_all(program));
    ProgramRun run;
    run.execution.steps = loop_.take_steps();
    run.state = outcome ? "ended" : "failed";
    for (const std::int64_t one : variables_) run.state += " " + std::to_string(one);
    for (const auto& [path, value] : registers_) run.state += " " + path + ":" + value;
    return run;
  }

 private:
  using Locks = std::array<std::optional<AsyncMutex::Lock>, 2>;

  std::vector<Task<void>> tasks(const SmallProgram& program) {
    std::vector<Task<void>> tasks;
    for (const auto& ops : program) tasks.push_back(play_ops(ops));
    return tasks;
  }
  Task<void> play_all(SmallProgram program) {
    auto children = tasks(program);
    co_await engine::all(std::move(children));
  }
  Task<void> play_ops(std::vector<Op> ops) {
    engine::Fiber& fiber = co_await engine::current_fiber();
    Locks locks;
    for (const Op& op : ops) {
      const auto at = static_cast<std::size_t>(op.key);
      if (op.kind == OpKind::lock && !locks[at]) {
        auto lock = co_await mutexes_[at].lock();
        locks[at].emplace(std::move(lock));
      } else if (op.kind == OpKind::unlock) {
        locks[at].reset();
      } else if (op.kind >= OpKind::all && op.kind <= OpKind::timeout) {
        co_await play_children(op, fiber.path);
      } else {
        co_await play_op(op, fiber.path);
      }
    }
  }
  Task<void> play_op(Op op, std::string path) {
    const auto at = static_cast<std::size_t>(op.key);
    const std::string name = std::to_string(op.key);
    Touch touch(TouchKind::file, name, op.kind == OpKind::write);
    if (op.kind == OpKind::read) {
      co_await loop_.point(std::move(touch));
      registers_[path] += std::to_string(variables_[at]) + ",";
    } else if (op.kind == OpKind::write) {
      co_await loop_.point(std::move(touch));
      variables_[at] = variables_[at] * 31 % 9973 + std::ssize(registers_[path]) + path.back();
    } else if (op.kind == OpKind::wait) {
      co_await events_[at].wait();
    } else if (op.kind == OpKind::latch) {
      co_await latch_.wait();
    } else if (op.kind == OpKind::sleep) {
      co_await loop_.sleep_ms(op.key + 1);
    } else if (op.kind == OpKind::yield) {
      co_await loop_.yield();
    } else {
      act(op, path);
    }
  }
  void act(const Op& op, const std::string& path) {
    const auto at = static_cast<std::size_t>(op.key);
    if (op.kind == OpKind::set) events_[at].set();
    if (op.kind == OpKind::count) latch_.count_down();
    if (op.kind == OpKind::peek) registers_[path] += events_[at].is_set() ? "set," : "unset,";
    if (op.kind == OpKind::spawn) loop_.spawn(play_ops(op.children.front()), "");
  }
  Task<void> play_children(Op op, std::string path) {
    auto children = tasks(op.children);
    if (op.kind == OpKind::all) {
      co_await engine::all(std::move(children));
    } else if (op.kind == OpKind::race) {
      const std::int64_t winner = co_await engine::race(std::move(children));
      registers_[path] += "won " + std::to_string(winner) + ",";
    } else {
      auto first = std::move(children.front());
      const auto result = co_await engine::with_timeout(std::move(first), op.key + 1);
      registers_[path] += result ? "in time," : "late,";
    }
  }

  SimLoop loop_;
  std::array<std::int64_t, 3> variables_ = {0, 0, 0};
  std::map<std::string, std::string> registers_;
  std::array<AsyncMutex, 2> mutexes_ = {AsyncMutex(loop_, "a"), AsyncMutex(loop_, "b")};
  std::array<Event, 2> events_ = {Event(loop_, "a"), Event(loop_, "b")};
  Latch latch_{loop_, "latch", 2};
};

std::vector<Op> random_ops(engine::Rng& rng, std::int64_t depth);

Op random_family(engine::Rng& rng, std::int64_t depth) {
  const auto kind = static_cast<OpKind>(static_cast<std::int64_t>(OpKind::all) + rng.below(4));
  Op op(kind, rng.below(2));
  const bool is_single = kind == OpKind::timeout || kind == OpKind::spawn;
  for (std::int64_t i = is_single ? 1 : 2; i > 0; --i) {
    op.children.push_back(random_ops(rng, depth + 1));
  }
  return op;
}

Op random_op(engine::Rng& rng, std::int64_t depth) {
  if (depth == 0 && rng.chance(1, 6)) return random_family(rng, depth);
  constexpr std::array kKinds = {OpKind::read,   OpKind::read,  OpKind::write, OpKind::write,
                                 OpKind::write,  OpKind::yield, OpKind::lock,  OpKind::lock,
                                 OpKind::unlock, OpKind::set,   OpKind::wait,  OpKind::count,
                                 OpKind::latch,  OpKind::sleep, OpKind::peek};
  const auto kind = kKinds[static_cast<std::size_t>(rng.below(std::ssize(kKinds)))];
  return Op(kind, rng.below(2));
}

std::vector<Op> random_ops(engine::Rng& rng, std::int64_t depth) {
  std::vector<Op> ops;
  const std::int64_t count = depth == 0 ? rng.between(2, 4) : rng.between(1, 2);
  for (std::int64_t i = 0; i < count; ++i) ops.push_back(random_op(rng, depth));
  return ops;
}

}  // namespace

SmallProgram random_program(std::uint64_t seed) {
  engine::Rng rng(seed);
  SmallProgram program(static_cast<std::size_t>(rng.between(2, 3)));
  for (auto& ops : program) ops = random_ops(rng, 0);
  return program;
}

std::string program_text(const SmallProgram& program) {
  constexpr std::array<std::string_view, 15> kNames = {
      "read",  "write", "yield", "lock", "unlock",  "set",   "wait", "count",
      "latch", "sleep", "all",   "race", "timeout", "spawn", "peek"};
  std::string text = "{";
  for (const auto& ops : program) {
    text += " [";
    for (const Op& op : ops) {
      text += std::string(kNames.at(static_cast<std::size_t>(op.kind))) + std::to_string(op.key);
      text += op.children.empty() ? " " : program_text(op.children) + " ";
    }
    text += "]";
  }
  return text + " }";
}

ProgramRun play_program(const SmallProgram& program, SchedulePicker picker) {
  World world(std::move(picker));
  return world.play(program);
}

}  // namespace plumb::simulator
