// SPDX-License-Identifier: Apache-2.0
// Plays one scenario with a live engine: real folders, the fake model over HTTP, real time. The
// steps are those of DESIGN.md section 7; `when` and `until` are matched on the events as they
// arrive.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/kernel/real_loop.h"
#include "engine/kernel/task.h"
#include "engine/trace/pattern.h"
#include "simulator/llm/model_server.h"
#include "simulator/subjects/external/live_engine.h"
#include "simulator/subjects/subject.h"

namespace plumb::simulator {

/// What a run borrows.
struct LiveHost {
  engine::RealLoop& loop;
  ModelServer& server;
  LiveEngine& engine;
  std::string api;
};

/// One loop; one scenario.
class LiveRun {
 public:
  LiveRun(const Scenario& scenario, LiveHost host, RunResult& result);
  LiveRun(const LiveRun&) = delete;
  LiveRun& operator=(const LiveRun&) = delete;
  ~LiveRun();

  /// Leaves everything in the result.
  void play();
  /// An interruption reached the engine when it had gone on already: the run shows nothing.
  bool was_late() const { return is_late_; }

 private:
  /// How far the engine had come.
  struct Progress {
    std::int64_t requests = 0;
    std::int64_t settlements = 0;
  };

  engine::Task<Result<void>> play_steps();
  engine::Task<Result<void>> play_idle(std::size_t index);
  engine::Task<Result<void>> play_idle_step(const Step& step);
  engine::Task<Result<void>> finish();
  engine::Task<Result<void>> finish_after(Error error);
  engine::Task<void> hear_news();
  engine::Task<void> hear_held_news();
  void take_news();
  void add_news(std::vector<ModelNews> news);
  void add_one(const ModelNews& news);
  void too_late(const std::string& step);
  void catch_up();
  LiveCase live_case();
  void on_event(const Event& event);
  void arm();
  void fire();
  bool fire_step(const Step& step);
  void interrupt(const Step& step);
  void answered(const Step& step, const Progress& before, bool is_done);
  bool has_gone_on(const Step& step, const Progress& before) const;
  void acknowledge();
  void write(const Step& step, const FileScript& file);
  void note(const Step& step);
  void refuse(const Step& step, std::string message);
  void refuse_rest();
  void watch_for_replies();
  void add_final_files();
  void add_leftovers();
  /// Where an error is told that has no place of its own.
  std::string place_of_step() const;
  void tell(Error error);
  bool is_expected(const Error& error) const;

  const Scenario& scenario_;
  LiveHost host_;
  RunResult& result_;
  std::int64_t began_ms_;
  std::optional<Sandbox> sandbox_;
  std::optional<LiveRecord> record_;
  std::vector<const Step*> steps_;
  std::size_t next_ = 0;     ///< The step to start next.
  std::size_t current_ = 0;  ///< The step started last.
  std::optional<PatternCounter> armed_;
  std::map<std::string, PatternCounter> awaited_;  ///< What replies wait for.
  std::vector<ModelNews> held_news_;  ///< Requests: what the engine said before them comes first.
  bool has_crashed_ = false;
  bool is_over_ = false;
  bool is_late_ = false;
  bool was_aborted_ = false;         ///< Since the last step that the engine was idle for.
  bool has_turned_ = false;          ///< The engine has begun another turn since then.
  std::set<std::int64_t> suspects_;  ///< Requests that came after an abort.
  std::int64_t interruptions_open_ = 0;
  std::int64_t settlements_ = 0;
  std::vector<engine::SpawnId> fibers_;
  SharedJson before_;
};

}  // namespace plumb::simulator
