// SPDX-License-Identifier: Apache-2.0
// A crash, as the outside sees it: the ports of one life of the engine are cut, then its frames are
// destroyed. Who severs ends the run before another fiber is resumed (Loop::stop), so that nothing
// half done goes on.
#pragma once

#include <string>

#include "engine/kernel/event.h"
#include "engine/kernel/files.h"
#include "engine/kernel/processes.h"

namespace plumb::engine {

/// One life of an engine. One loop. Outlives the ports that look at it.
class Incarnation {
 public:
  explicit Incarnation(Loop& loop) : never_(loop, "a severed port") {}

  bool is_severed() const { return is_severed_; }
  void sever() { is_severed_ = true; }
  /// Never comes back. For ports, once severed.
  Event::Awaiter never() { return never_.wait(); }

 private:
  bool is_severed_ = false;
  Event never_;
};

/// Calls begun after the cut have no effect and never end; calls under way never end.
class SeverableFiles final : public Files {
 public:
  SeverableFiles(Files& inner, Incarnation& incarnation)
      : inner_(&inner), incarnation_(&incarnation) {}
  Task<Result<FileReply>> perform(FileRequest request) override;

 private:
  Files* inner_;
  Incarnation* incarnation_;
};

class SeverableProcesses final : public Processes {
 public:
  SeverableProcesses(Processes& inner, Incarnation& incarnation)
      : inner_(&inner), incarnation_(&incarnation) {}
  Task<Result<ProcessExit>> run(ProcessSpec spec, OutputSink& sink, AbortSignal signal) override;

 private:
  Processes* inner_;
  Incarnation* incarnation_;
};

}  // namespace plumb::engine
