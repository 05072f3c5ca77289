// SPDX-License-Identifier: Apache-2.0
// What is judged: something that plays a scenario and leaves a trace. The checks see the trace
// only, so that one set of them judges every subject.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/extensions/user_interface.h"
#include "engine/kernel/files.h"
#include "engine/kernel/processes.h"
#include "engine/kernel/sim_loop.h"
#include "engine/model/provider.h"
#include "engine/session/session_options.h"
#include "engine/tools/policies.h"
#include "engine/trace/trace.h"
#include "simulator/script/scenario.h"

namespace plumb::simulator {

/// Decorators between the engine and its recorded ports, and changes to what the host hands the
/// session: the places where port and extension mutants stand. An empty function changes nothing.
/// What a decorator does to the inner port is recorded, what it hides from the engine is too. The
/// engine records dialogs itself: as `ui` answers them.
struct Alterations {
  std::function<std::unique_ptr<engine::Files>(engine::Files& inner, engine::Loop& loop)> files;
  std::function<std::unique_ptr<engine::Processes>(engine::Processes& inner, engine::Loop& loop)>
      processes;
  std::function<std::unique_ptr<engine::Provider>(engine::Provider& inner, engine::Loop& loop)>
      provider;
  std::function<std::unique_ptr<engine::UserInterface>(engine::UserInterface& inner)> ui;
  std::function<void(engine::SessionOptions&)> session;
  std::function<void(engine::Policies&)> policies;
  /// Completes a copy of these for one run: what its parts share belongs to that run alone, for
  /// runs go side by side.
  std::function<void(Alterations& own)> for_run;
};

/// How a run is scheduled and what is changed in it. Everything that is left alone gives the
/// reference run of `seed`.
struct RunOptions {
  std::uint64_t seed = 0;
  /// Indices into the ready fibers, step by step; first in, first out after its end.
  std::optional<std::vector<std::int64_t>> schedule;
  std::function<std::int64_t(std::span<engine::Waiter* const>)> picker;
  std::function<void(const engine::Step&)> on_point;
  bool records_steps = false;
  bool records_ready = false;
  std::int64_t step_max = 2'000'000;
  /// The host aborts before this step, counted from 1 (a point of an abort sweep).
  std::optional<std::int64_t> abort_at;
  /// This file operation fails, counted from 1 over all (a point of a fault sweep).
  std::optional<std::int64_t> fail_at;
  /// What the script expects does not count: the run goes on as far as it can, then everything that
  /// is still pending is let run out.
  bool is_swept = false;
  Alterations alterations;
};

/// What a run leaves. `errors`: why the run itself is worth nothing (a script that ran out or was
/// left over, a step that could not be applied, a subject that got stuck), each with the place in
/// the scenario; the trace is complete up to there.
struct RunResult {
  Trace trace;
  std::vector<Error> errors;
  std::vector<engine::Step> steps;
  // Of a swept run:
  bool has_finished = false;  ///< The host came to its end: nothing got stuck.
  std::string alive;          ///< What still waits when nothing can happen any more.
  // Of a subject that is not ours:
  std::string untestable;           ///< Why the scenario says nothing of it; empty: it was played.
  std::vector<std::string> claims;  ///< Rules that must not turn out untestable.
};

/// Thread-compatible: one run at a time on one object, many objects side by side.
class Subject {
 public:
  virtual ~Subject() = default;
  virtual std::string_view name() const = 0;
  /// session or durable.
  virtual std::string_view engine() const { return "session"; }
  /// The one edition that it is of; empty: the scenario's.
  virtual std::string_view edition() const { return ""; }
  /// Ours, hermetic and deterministic; else its scenarios speak of it as "external", too.
  virtual bool is_built_in() const { return true; }
  /// The kinds of events that this subject can show at all.
  virtual std::vector<std::string> emits() const = 0;
  virtual RunResult run(const Scenario& scenario, const RunOptions& options) = 0;
};

}  // namespace plumb::simulator
