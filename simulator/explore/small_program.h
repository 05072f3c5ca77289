// SPDX-License-Identifier: Apache-2.0
// Small programs of a few fibers, for tests of exploration: a seed gives a program, and a program
// and a picker give an execution and the state it ends in.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/kernel/rng.h"
#include "simulator/explore/schedules.h"

namespace plumb::simulator {

enum class OpKind : std::uint8_t {
  read,     ///< A point that reads a variable into the fiber's register.
  write,    ///< A point that writes a variable from the register.
  yield,    ///< A point that touches nothing.
  lock,     ///< No point of its own.
  unlock,   ///< No point of its own.
  set,      ///< An event; no point of its own.
  wait,     ///< For an event.
  count,    ///< Counts the latch down; no point of its own.
  latch,    ///< Waits for the latch.
  sleep,    ///< `key` + 1 ms.
  all,      ///< The children, to their ends.
  race,     ///< The children, until one has ended.
  timeout,  ///< The first child, for `key` + 1 ms at most.
  spawn,    ///< The first child, as a root fiber.
  peek,     ///< Reads an event without waiting; no point of its own.
};

struct Op {
  Op() = default;
  Op(OpKind what, std::int64_t which, std::vector<std::vector<Op>> below = {})
      : kind(what), key(which), children(std::move(below)) {}
  OpKind kind = OpKind::yield;
  std::int64_t key = 0;
  std::vector<std::vector<Op>> children;
};

/// The children of the root fiber.
using SmallProgram = std::vector<std::vector<Op>>;

SmallProgram random_program(std::uint64_t seed);
std::string program_text(const SmallProgram& program);

struct ProgramRun {
  Execution execution;
  std::string state;  ///< Variables, registers of all fibers, and how the run ended.
};
ProgramRun play_program(const SmallProgram& program, SchedulePicker picker);

}  // namespace plumb::simulator
