// SPDX-License-Identifier: Apache-2.0
#include "simulator/explore/sweeps.h"

#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/tools/hooks.h"
#include "simulator/subjects/session_subject.h"

namespace plumb::simulator {
namespace {

using engine::Task;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Sweeps : public ::testing::Test {
 protected:
  static Scenario scenario() {
    static const auto kCatalogue = load_catalogue("scenarios/rules");
    auto parsed = parse_scenario(kText, "swept.yaml", *kCatalogue);
    EXPECT_TRUE(parsed) << error_line(parsed.error().front());
    return parsed ? *std::move(parsed) : Scenario();
  }

  SweepReport swept(SweepKind kind, const RunOptions& options = RunOptions()) {
    const Variant variant{"", "", scenario(), 0};
    return sweep({.kind = kind}, subject_, variant, options, {});
  }
  /// What is wrong with a run that nothing cuts.
  std::vector<std::string> plain_problems(RunOptions options) {
    const Variant variant{"", "", scenario(), 0};
    options.is_swept = true;
    const CaseRun run = run_case(subject_, variant, options, {});
    return problems_of(run, run.result.trace);
  }

  static constexpr std::string_view kText = R"(
scenario: a call writes and another reads, with a slow result handler
rules: [EVENT-01]
files: {a.txt: "one two\n"}
extensions:
  - {name: own, on: {tool_result: [{do: [{delay: 5}]}]}}
steps:
  - user: change a.txt
  - model:
      calls:
        - id: c1
          tool: edit
          args: {path: a.txt, edits: [{oldText: one, newText: "1"}]}
        - {id: c2, tool: read, args: {path: a.txt}}
  - model: done
)";
  SessionSubject subject_;
};

TEST_F(Sweeps, ReferenceSettlesWhereverItIsAborted) {
  const auto report = swept(SweepKind::abort);

  EXPECT_GT(report.points, 10);
  for (const auto& failure : report.failures) {
    ADD_FAILURE() << failure.at << ": " << failure.problems.front();
  }
}

TEST_F(Sweeps, ReferenceLeavesFilesOldOrNewWhateverFails) {
  const auto report = swept(SweepKind::fail);

  EXPECT_GT(report.points, 2);
  for (const auto& failure : report.failures) {
    ADD_FAILURE() << failure.at << ": " << failure.problems.front();
  }
}

/// Waits for ever when the abort comes while result handlers run.
class DeafHooks final : public engine::ToolHooks {
 public:
  explicit DeafHooks(engine::ToolHooks& inner) : inner_(inner) {}
  Task<engine::BeforeOutcome> before_call(engine::CallView call) override {
    return inner_.before_call(std::move(call));
  }
  Task<engine::ToolResult> after_call(engine::CallView call, engine::ToolResult result) override {
    const engine::AbortSignal signal = call.signal;
    const bool was_aborted = signal.aborted();
    engine::ToolResult after = co_await inner_.after_call(std::move(call), std::move(result));
    const engine::AbortSignal never;
    // cppcheck-suppress incorrectLogicOperator  # the chain took its time
    if (!was_aborted && signal.aborted()) co_await never.wait();
    co_return after;
  }
  Task<void> on_event(std::string call_id, Payload event) override {
    return inner_.on_event(std::move(call_id), std::move(event));
  }
  bool wants(std::string_view kind) const override { return inner_.wants(kind); }

 private:
  engine::ToolHooks& inner_;
};

TEST_F(Sweeps, AbortSweepFindsWhatNoPlainRunShows) {
  RunOptions deaf;
  deaf.alterations.session = [](engine::SessionOptions& options) {
    options.wrap_hooks = [](engine::ToolHooks& inner) {
      return std::make_unique<DeafHooks>(inner);
    };
  };

  EXPECT_THAT(plain_problems(deaf), IsEmpty());
  const auto report = swept(SweepKind::abort, deaf);

  ASSERT_FALSE(report.failures.empty());
  EXPECT_THAT(report.failures.front().problems, Contains("the run gets stuck"));
}

/// Leaves half of the content behind when a write fails.
class TearingFiles final : public engine::Files {
 public:
  explicit TearingFiles(engine::Files& inner) : inner_(inner) {}
  Task<Result<engine::FileReply>> perform(engine::FileRequest request) override {
    engine::FileRequest half = request;
    half.content.resize(half.content.size() / 2);
    auto reply = co_await inner_.perform(std::move(request));
    const bool is_torn = !reply && half.op == engine::FileOp::write;
    if (is_torn) co_await inner_.perform(std::move(half));
    co_return reply;
  }

 private:
  engine::Files& inner_;
};

TEST_F(Sweeps, FaultSweepFindsATornFile) {
  RunOptions torn;
  torn.alterations.files = [](engine::Files& inner, engine::Loop&) {
    return std::make_unique<TearingFiles>(inner);
  };

  EXPECT_THAT(plain_problems(torn), IsEmpty());
  const auto report = swept(SweepKind::fail, torn);

  ASSERT_FALSE(report.failures.empty());
  EXPECT_THAT(report.failures.front().problems,
              Contains(HasSubstr("file a.txt is neither old nor new")));
}

TEST_F(Sweeps, SaysWhenItStopsBeforeItsEnd) {
  const Variant variant{"", "", scenario(), 0};
  const auto all = swept(SweepKind::abort);

  for (const auto kind : {SweepKind::abort, SweepKind::fail}) {
    const auto some = sweep({kind, 2}, subject_, variant, RunOptions(), {});

    EXPECT_FALSE(some.is_complete);
    EXPECT_EQ(some.points, 2);
    EXPECT_EQ(some.points_total.has_value(), kind == SweepKind::abort);
    EXPECT_EQ(some.points_total.value_or(all.points), all.points);
  }
  EXPECT_TRUE(all.is_complete);
  EXPECT_EQ(all.points_total, all.points);
  EXPECT_EQ(swept(SweepKind::fail).points_total, swept(SweepKind::fail).points);
}

TEST_F(Sweeps, PointIsRepeatedByItsNumber) {
  const Variant variant{"", "", scenario(), 0};

  const auto first = play_point({SweepKind::abort, 4}, subject_, variant, RunOptions(), {});
  const auto second = play_point({SweepKind::abort, 4}, subject_, variant, RunOptions(), {});

  EXPECT_EQ(first.result.trace.events.size(), second.result.trace.events.size());
}

}  // namespace
}  // namespace plumb::simulator
