// SPDX-License-Identifier: Apache-2.0
// Adapters that hang, die, flood and lie (fixtures/adapters/hostile.py): each is told from the
// others by a sentence that says what was expected, and none is waited for beyond its deadline.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include "simulator/subjects/external/external_subject.h"
#include "simulator/subjects/external/silent_model.h"

namespace plumb::simulator {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

/// For whoever answers, however busy the machine is.
constexpr std::int64_t kPatienceMs = 120'000;

ExternalOptions hostile(const std::string& mode, const std::string& mark = "") {
  ExternalOptions options;
  options.command = "python3 fixtures/adapters/hostile.py " + mode + " " + mark;
  const bool never_starts = mode == "never_reads" || mode == "hangs_at_start";
  options.limits.hello_ms = mode == "silent" ? 2'000 : kPatienceMs;
  options.limits.start_ms = never_starts ? 2'000 : kPatienceMs;
  options.limits.step_ms = mode == "hangs" ? 300 : kPatienceMs;
  options.limits.end_ms = mode == "hangs_at_end" ? 300 : kPatienceMs;
  options.limits.exit_ms = mode == "outlives_its_input" ? 300 : kPatienceMs;
  options.limits.line_bytes_max = 1 << 20;
  options.limits.session_bytes_max = 4 << 20;
  options.limits.events_max = 1'000;
  options.make_server = SilentModel::create;
  return options;
}

Scenario one_prompt() {
  Scenario scenario;
  scenario.file = "scenarios/x.yaml";
  Step user;
  user.action = InputStep{"prompt", "hello", {}};
  user.place = {7, 3};
  scenario.steps = {std::move(user)};
  return scenario;
}

struct Lie {
  std::string mode;
  std::string told;
};

void PrintTo(const Lie& lie, std::ostream* stream) {
  *stream << lie.mode;
}

class HostileAdapter : public testing::TestWithParam<Lie> {};

TEST_P(HostileAdapter, IsStoppedWithASentence) {
  const Lie& lie = GetParam();
  ExternalSubject subject(hostile(lie.mode));

  const auto result = subject.run(one_prompt(), RunOptions());

  ASSERT_THAT(result.errors, SizeIs(1));
  EXPECT_THAT(result.errors.front().message, HasSubstr(lie.told));
  EXPECT_EQ(result.errors.front().code, ErrorCode::protocol);
  EXPECT_THAT(result.errors.front().where, HasSubstr("scenarios/x.yaml"));
}

INSTANTIATE_TEST_SUITE_P(
    BeforeASession, HostileAdapter,
    testing::Values(
        Lie{"silent", "wrote no 'hello' within 2 s"},
        Lie{"exits",
            "exited with code 3; expected its 'hello'; its standard error ends: no engine"},
        Lie{"segfaults", "was ended by signal 11; expected its 'hello'"},
        Lie{"other_protocol", "in 'hello': 'protocol'"},
        Lie{"emits_unknown", "in 'hello': 'emits.0'"},
        Lie{"emits_effects", "in 'hello': 'emits.0'"},
        Lie{"event_before_hello", "expected 'hello' first"},
        Lie{"second_hello", "a second 'hello'"},
        Lie{"event_before_start", "an event outside a session"},
        Lie{"never_reads", "did not answer 'start' (id 1) within 2 s"},
        Lie{"hangs_at_start",
            "did not answer 'start' (id 1) within 2 s; expected 'done' or 'error'"},
        Lie{"other_api", "does not speak anthropic-messages, but openai-chat"}));

INSTANTIATE_TEST_SUITE_P(
    InASession, HostileAdapter,
    testing::Values(
        Lie{"no_json", "the line is no JSON"}, Lie{"no_object", "a message must be a JSON object"},
        Lie{"no_utf8", "the line is no JSON"},
        Lie{"unknown_type", "unknown type of message 'dome'; did you mean 'done'?"},
        Lie{"unknown_kind", "unknown kind of event 'turn_strat'; did you mean 'turn_start'?"},
        Lie{"claims_an_effect", "only the harness itself reports 'provider_request'"},
        Lie{"not_in_emits", "an event of kind 'agent_end', which 'emits' of its hello lacks"},
        Lie{"wrong_data", "in 'event': 'data.turn'"},
        Lie{"missing_data", "in 'event': 'data.turn'"}, Lie{"unknown_member", "in 'event': 'at'"},
        Lie{"unknown_cause", "the cause 'e7' is the 'ref' of no earlier event"},
        Lie{"same_ref", "the ref 'a' is taken"},
        Lie{"wrong_id", "an answer to id 4711, which nobody waits for; expected 2"},
        Lie{"done_twice", "an answer to id 2, which nobody waits for"},
        Lie{"hangs", "did not answer 'step' user (id 2) within 300 ms; expected 'done' or 'error'"},
        Lie{"dies", "was ended by signal 9; expected the answer to 'step' user (id 2)"},
        Lie{"leaves", "exited with code 0; expected the answer to 'step' user (id 2)"},
        Lie{"closes_its_output", "closed its output"},
        Lie{"floods_lines", "more than 4194304 bytes in one session"},
        Lie{"floods_events", "more than 1000 events in one session"},
        Lie{"endless_line", "wrote a line of more than 1048576 bytes"},
        Lie{"closes_no_dialog", "no dialog 'a' is open"},
        Lie{"many_dialogs", "more than 64 dialogs at a time"},
        Lie{"hangs_at_end", "did not answer 'end' (id 3) within 300 ms"},
        Lie{"event_after_end", "an event outside a session"},
        Lie{"answers_failed", "answers 'step' user (id 2): out of luck"}));

TEST(HostileAdapters, MakeAScenarioUntestableThatTheyDoNotSupport) {
  ExternalSubject subject(hostile("answers_unsupported"));

  const auto result = subject.run(one_prompt(), RunOptions());

  EXPECT_THAT(result.errors, SizeIs(0));
  EXPECT_THAT(result.untestable, HasSubstr("no prompts"));
}

TEST(HostileAdapters, AreStartedAnewForTheNextScenario) {
  ExternalSubject subject(hostile("dies"));

  const auto first = subject.run(one_prompt(), RunOptions());
  const auto second = subject.run(one_prompt(), RunOptions());

  EXPECT_THAT(first.errors, SizeIs(1));
  ASSERT_THAT(second.errors, SizeIs(1));
  EXPECT_THAT(second.errors.front().message, HasSubstr("was ended by signal 9"));
}

TEST(HostileAdapters, MustExitWhenTheirInputIsClosed) {
  for (const std::string mode : {"outlives_its_input", "exits_with_1"}) {
    ExternalSubject subject(hostile(mode));
    const auto result = subject.run(one_prompt(), RunOptions());
    const auto closed = subject.close();

    EXPECT_THAT(result.errors, SizeIs(0)) << mode;
    EXPECT_FALSE(closed) << mode;
  }
}

TEST(HostileAdapters, FailTheSmokeTestWithTheirSentence) {
  ExternalSubject mute(hostile("silent"));
  ExternalSubject other(hostile("other_api"));

  const auto silent = mute.smoke_test();
  const auto unfit = other.smoke_test();

  ASSERT_FALSE(silent);
  EXPECT_THAT(silent.error().message, HasSubstr("wrote no 'hello'"));
  ASSERT_FALSE(unfit);
  EXPECT_EQ(unfit.error().code, ErrorCode::invalid);
}

/// Whether a process that still runs has this word in its command line.
bool runs(const std::string& word) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream stream(entry.path() / "cmdline", std::ios::binary);
    const std::string line((std::istreambuf_iterator<char>(stream)), {});
    if (line.contains(word)) return true;
  }
  return false;
}

/// A killed process is seen until the system has taken it away.
bool is_gone_soon(const std::string& word) {
  for (int look = 0; look < 200 && runs(word); ++look) ::poll(nullptr, 0, 10);
  return !runs(word);
}

TEST(HostileAdapters, LeaveNoProcessBehind) {
  const std::string mark =
      "plumb-mark-" + std::to_string(testing::UnitTest::GetInstance()->random_seed());
  {
    ExternalSubject subject(hostile("hangs", mark));
    subject.run(one_prompt(), RunOptions());
    ExternalSubject other(hostile("leaves_a_child", mark));
    other.run(one_prompt(), RunOptions());
    ExternalSubject third(hostile("leaves_a_session", mark));
    third.run(one_prompt(), RunOptions());
    EXPECT_TRUE(runs(mark));
  }

  EXPECT_TRUE(is_gone_soon(mark));
}

}  // namespace
}  // namespace plumb::simulator
