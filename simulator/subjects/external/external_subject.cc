// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/external/external_subject.h"

#include <algorithm>
#include <utility>

#include "simulator/script/words.h"
#include "simulator/subjects/external/adapter_engine.h"
#include "simulator/subjects/external/live_kinds.h"
#include "simulator/subjects/external/live_run.h"
#include "simulator/subjects/external/start_message.h"

namespace plumb::simulator {
namespace {

constexpr std::string_view kSmokeReply = "ok";
/// An interruption may come too late by chance.
constexpr int kRunsMax = 3;

Scenario smoke_scenario() {
  Scenario scenario;
  scenario.file = "smoke test";
  scenario.title = "one prompt, one reply";
  Step user;
  user.action = InputStep{"prompt", "Say ok.", {}};
  ModelStep answer;
  answer.text = kSmokeReply;
  Step model;
  model.action = std::move(answer);
  scenario.steps = {std::move(user), std::move(model)};
  return scenario;
}

/// In the order of a trace's kinds.
std::vector<std::string> kinds_of(const AdapterHello& hello) {
  std::vector<std::string> kinds;
  for (const auto kind : kEventKinds) {
    const bool is_told = std::ranges::find(hello.emits, kind) != hello.emits.end();
    if (is_told || is_harness_kind(kind)) kinds.emplace_back(kind);
  }
  return kinds;
}

}  // namespace

ExternalSubject::ExternalSubject(ExternalOptions options)
    : options_(std::move(options)),
      loop_(engine::RealLoopOptions{.stop_fd = options_.stop_fd}),
      client_(loop_, options_.command, options_.limits) {}

/// An adapter that is told of the end can tidy up.
ExternalSubject::~ExternalSubject() {
  static_cast<void>(close());
}

std::string_view ExternalSubject::name() const {
  return client_.hello().name.empty() ? "external" : std::string_view(client_.hello().name);
}

std::string_view ExternalSubject::engine() const {
  return client_.hello().engine.empty() ? "session" : std::string_view(client_.hello().engine);
}

std::string_view ExternalSubject::edition() const {
  return client_.hello().edition;
}

std::vector<std::string> ExternalSubject::emits() const {
  return kinds_of(client_.hello());
}

Result<void> ExternalSubject::open() {
  if (server_ == nullptr) {
    PLUMB_TRY(server_, options_.make_server());
  }
  if (auto opened = loop_.run(client_.open()); !opened) return opened;
  const auto& apis = client_.hello().apis;
  if (std::ranges::find(apis, options_.api) != apis.end()) return {};
  return fail(ErrorCode::invalid, "the subject " + in_quotes(client_.hello().name) +
                                      " does not speak " + options_.api + ", but " +
                                      joined(apis, "and"));
}

RunResult ExternalSubject::run(const Scenario& scenario, const RunOptions& options) {
  RunResult result;
  auto opened = open();
  TraceHeader& header = result.trace.header;
  header.subject = name();
  header.engine = engine();
  if (!edition().empty()) header.edition = edition();
  header.seed = static_cast<std::int64_t>(options.seed);
  header.determinism = Determinism::live;
  header.is_clock_virtual = false;
  header.emits = emits();
  header.declares = client_.hello().declares;
  result.claims = client_.hello().claims;
  if (!opened) {
    Error error = std::move(opened).error();
    error.code = ErrorCode::protocol;
    if (error.where.empty()) error.where = scenario.file;
    result.errors.push_back(std::move(error));
    return result;
  }
  result.untestable = reason_against_subject(scenario, client_.hello());
  if (!result.untestable.empty()) return result;
  const TraceHeader kept = header;
  for (int i = 0; i < kRunsMax; ++i) {
    AdapterEngine adapter(loop_, client_, options_.api);
    LiveRun live(scenario, LiveHost{loop_, *server_, adapter, options_.api}, result);
    live.play();
    if (!live.was_late() || i + 1 == kRunsMax) break;
    result = RunResult();
    result.trace.header = kept;
    result.claims = client_.hello().claims;
  }
  return result;
}

Result<void> ExternalSubject::smoke_test() {
  if (auto opened = open(); !opened) return opened;
  auto played = run(smoke_scenario(), RunOptions());
  if (!played.untestable.empty()) {
    return fail(ErrorCode::protocol, "it cannot play one prompt: " + played.untestable);
  }
  if (played.errors.empty()) return {};
  played.errors.front().where.clear();
  return std::unexpected(std::move(played.errors.front()));
}

Result<void> ExternalSubject::close() {
  return loop_.run(client_.close());
}

}  // namespace plumb::simulator
