// SPDX-License-Identifier: Apache-2.0
#include "simulator/cli/live_subjects.h"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/kernel/shell_word.h"
#include "engine/values/suggest.h"
#include "simulator/cli/interrupt.h"
#include "simulator/llm/wire/wire_model_server.h"
#include "simulator/script/words.h"
#include "simulator/subjects/external/black_box.h"
#include "simulator/subjects/external/external_subject.h"
#include "simulator/subjects/session_subject.h"

namespace plumb::simulator {
namespace {

constexpr std::string_view kSession = "session";
constexpr std::int64_t kMsASecond = 1'000;

std::unexpected<Error> bad_words(std::string message) {
  return fail(ErrorCode::invalid, std::move(message));
}

/// Only hermetic runs are swept, explored and broken on purpose.
Result<void> check_live_words(const RunCommand& command) {
  const std::array<std::pair<bool, std::string_view>, 9> words{{
      {command.seed != 0, "--seed"},
      {command.seed_count != 1, "--seeds"},
      {!command.schedules.empty(), "--schedules"},
      {!command.schedule.empty(), "--schedule"},
      {command.aborts_everywhere, "--abort-everywhere"},
      {command.fails_everywhere, "--fail-everywhere"},
      {command.abort_at > 0, "--abort-at"},
      {command.fail_at > 0, "--fail-at"},
      {!command.mutant.empty(), "--mutant"},
  }};
  for (const auto& [is_given, word] : words) {
    if (is_given)
      return bad_words(std::string(word) + " needs the subject 'session': others run live");
  }
  return {};
}

/// A program is named by its path, or with its arguments; a bare word is a subject of ours.
Result<void> check_command(const std::string& command) {
  if (command.contains('/') || command.contains(' ')) return {};
  const std::array known{kSession};
  return bad_words("unknown subject " + in_quotes(command) + suggestion_for(command, known) +
                   " (a program is named by its path: ./" + command + ")");
}

std::string api_of(const RunCommand& command) {
  return command.subject_api == "chat" ? "openai-chat" : "anthropic-messages";
}

AdapterLimits limits_of(const RunCommand& command) {
  AdapterLimits limits;
  if (command.subject_timeout_s == 0) return limits;
  limits.start_ms = limits.step_ms = command.subject_timeout_s * kMsASecond;
  return limits;
}

std::string words_of(const RunCommand& command) {
  std::string words = command.subject_command.empty()
                          ? "--subject " + engine::shell_word(command.subject)
                          : "--subject-command " + engine::shell_word(command.subject_command);
  if (command.subject_api == "chat") words += " --subject-api chat";
  if (command.subject_timeout_s > 0) {
    words += " --subject-timeout " + std::to_string(command.subject_timeout_s);
  }
  return words;
}

Result<ChosenSubject> choose_session(const RunCommand& command) {
  if (command.subject_timeout_s > 0) return bad_words("--subject-timeout needs a live subject");
  if (!command.subject_api.empty()) return bad_words("--subject-api needs a live subject");
  ChosenSubject chosen;
  chosen.name = kSession;
  chosen.pool = std::make_unique<SubjectPool>([] { return std::make_unique<SessionSubject>(); });
  return chosen;
}

Result<ChosenSubject> choose_adapter(const RunCommand& command) {
  if (auto checked = check_command(command.subject); !checked) {
    return std::unexpected(std::move(checked).error());
  }
  ExternalOptions options;
  options.command = command.subject;
  options.api = api_of(command);
  options.limits = limits_of(command);
  options.make_server = [] { return WireModelServer::create(); };
  options.stop_fd = interrupt_fd();
  auto first = std::make_unique<ExternalSubject>(options);
  if (auto tested = first->smoke_test(); !tested) {
    Error error = std::move(tested).error();
    if (error.code == ErrorCode::invalid) return std::unexpected(std::move(error));
    return fail(ErrorCode::protocol,
                "the adapter failed its smoke test, so that its engine was "
                "not judged: " +
                    error.message);
  }
  ChosenSubject chosen;
  chosen.name = first->name();
  chosen.edition = first->edition();
  chosen.pool = std::make_unique<SubjectPool>(
      [options] { return std::make_unique<ExternalSubject>(options); });
  chosen.pool->put(std::move(first));
  return chosen;
}

Result<ChosenSubject> choose_black_box(const RunCommand& command) {
  BlackBoxOptions options;
  options.command = command.subject_command;
  options.api = api_of(command);
  if (command.subject_timeout_s > 0) options.step_ms = command.subject_timeout_s * kMsASecond;
  options.make_server = [] { return WireModelServer::create(); };
  options.stop_fd = interrupt_fd();
  if (auto checked = check_black_box(options.command); !checked) {
    return std::unexpected(std::move(checked).error());
  }
  ChosenSubject chosen;
  chosen.name = "black-box";
  chosen.pool = std::make_unique<SubjectPool>(
      [options] { return std::make_unique<BlackBoxSubject>(options); });
  return chosen;
}

}  // namespace

Result<ChosenSubject> choose_subject(const RunCommand& command) {
  const bool is_black_box = !command.subject_command.empty();
  if (!is_black_box && command.subject == kSession) return choose_session(command);
  if (auto checked = check_live_words(command); !checked) {
    return std::unexpected(std::move(checked).error());
  }
  auto chosen = is_black_box ? choose_black_box(command) : choose_adapter(command);
  if (!chosen) return chosen;
  chosen->is_live = true;
  chosen->reproduce_with = words_of(command);
  return chosen;
}

}  // namespace plumb::simulator
