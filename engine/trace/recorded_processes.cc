// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/recorded_processes.h"

#include <array>
#include <csignal>
#include <utility>

#include "engine/kernel/task.h"
#include "engine/values/utf8.h"

namespace plumb {
namespace {

constexpr std::size_t kRecordedBytesMax = std::size_t{256} << 10;

std::string signal_name(std::int64_t number) {
  constexpr std::array<std::pair<int, const char*>, 9> kNames = {{{SIGHUP, "SIGHUP"},
                                                                  {SIGINT, "SIGINT"},
                                                                  {SIGQUIT, "SIGQUIT"},
                                                                  {SIGABRT, "SIGABRT"},
                                                                  {SIGKILL, "SIGKILL"},
                                                                  {SIGSEGV, "SIGSEGV"},
                                                                  {SIGPIPE, "SIGPIPE"},
                                                                  {SIGALRM, "SIGALRM"},
                                                                  {SIGTERM, "SIGTERM"}}};
  for (const auto& [known, name] : kNames) {
    if (known == number) return name;
  }
  return number == 0 ? "" : "SIG" + std::to_string(number);
}

/// JSON holds text only: other bytes are told by their number.
std::string as_recorded(std::string bytes) {
  if (find_invalid_utf8(bytes) < 0) return bytes;
  return "";
}

/// Passes everything on and remembers what is recorded.
class RecordingSink final : public engine::OutputSink {
 public:
  RecordingSink(engine::OutputSink& inner, Recorder& recorder, ProcessStart start, std::string call)
      : inner_(inner), recorder_(recorder), start_(std::move(start)), call_(std::move(call)) {}

  void started() override {
    start_seq_ = recorder_.record(Source::port, start_, call_);
    inner_.started();
  }
  void write(engine::OutputStream stream, std::string_view bytes) override {
    output_ += bytes;
    output_bytes_ += std::ssize(bytes);
    ++chunks_;
    if (output_.size() > 2 * kRecordedBytesMax)
      output_.erase(0, output_.size() - kRecordedBytesMax);
    inner_.write(stream, bytes);
  }
  bool is_full() const override { return inner_.is_full(); }
  engine::Task<void> room() override { return inner_.room(); }

  void record_exit(const engine::ProcessExit& exit) {
    if (start_seq_ < 0) return;
    ProcessExit event;
    event.code = exit.exit_code;
    event.signal = signal_name(exit.signal_number);
    if (output_.size() > kRecordedBytesMax) output_.erase(0, output_.size() - kRecordedBytesMax);
    event.output = as_recorded(std::move(output_));
    event.end = engine::to_string(exit.end);
    event.output_bytes = output_bytes_;
    event.chunks = chunks_;
    event.exited_ms = exit.exited_ms.value_or(-1);
    event.group_alive = exit.group_alive;
    recorder_.record(Source::port, std::move(event), call_, start_seq_);
  }

 private:
  engine::OutputSink& inner_;
  Recorder& recorder_;
  ProcessStart start_;
  std::string call_;
  std::string output_;
  std::int64_t start_seq_ = -1;
  std::int64_t output_bytes_ = 0;
  std::int64_t chunks_ = 0;
};

ProcessStart start_event(const engine::ProcessSpec& spec) {
  ProcessStart event;
  event.command = engine::command_text(spec);
  event.cwd = spec.cwd;
  Json variables = Json::object();
  for (const auto& [name, value] : spec.environment) variables[name] = value;
  event.environment = SharedJson(std::move(variables));
  event.removed = spec.removed_variables;
  return event;
}

}  // namespace

engine::Task<Result<engine::ProcessExit>> RecordedProcesses::run(engine::ProcessSpec spec,
                                                                 engine::OutputSink& sink,
                                                                 engine::AbortSignal signal) {
  engine::Fiber& fiber = co_await engine::current_fiber();
  RecordingSink recording(sink, recorder_, start_event(spec), fiber.label);
  auto exit = co_await inner_.run(std::move(spec), recording, std::move(signal));
  if (exit) recording.record_exit(*exit);
  co_return exit;
}

}  // namespace plumb
