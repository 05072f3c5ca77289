// SPDX-License-Identifier: Apache-2.0
// What the built-in bash tool runs and how its processes end. Judged against what the process port
// recorded, for calls whose result no handler touched.
#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "engine/trace/request_fold.h"
#include "simulator/invariants/bash_view.h"
#include "simulator/invariants/domains.h"

namespace plumb::invariants {
namespace {

const Event* bash_end(const Call& call) {
  return first(call, "tool_execution_end");
}

Complaint fails_with(const Call& call, const std::string& fact, const std::string& what) {
  if (!is_error(call)) return finding(what + " is no error", bash_end(call));
  return require(result_text(call).find(fact) != std::string::npos,
                 "the result of " + what + " does not say " + fact, bash_end(call));
}

// ------------------------------------------------------------------ ends

Condition<Call> ended_as(std::string end) {
  return [end = std::move(end)](const Call& call, const Story& story) {
    const auto* exit = exit_of(call);
    return exit != nullptr && exit->end == end && is_bash(call, story);
  };
}

bool has_failed_exit(const Call& call, const Story& story) {
  return ended_as("exited")(call, story) && exit_of(call)->code != 0;
}

bool has_good_exit(const Call& call, const Story& story) {
  return ended_as("exited")(call, story) && exit_of(call)->code == 0;
}

Complaint shows_output_and_code(const Call& call, const Story&) {
  const auto* exit = exit_of(call);
  if (!result_text(call).starts_with(end_of_output(exit->output).text)) {
    return finding("the result of a failed command does not have its output", bash_end(call));
  }
  return fails_with(call, std::to_string(exit->code), "a failed command");
}

Complaint is_success(const Call& call, const Story&) {
  return require(!is_error(call), "exit code 0 gave an error", bash_end(call));
}

std::int64_t code_of(const ProcessExit& exit) {
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 6> kNumbers = {{{"SIGHUP", 1},
                                                                                  {"SIGINT", 2},
                                                                                  {"SIGABRT", 6},
                                                                                  {"SIGKILL", 9},
                                                                                  {"SIGSEGV", 11},
                                                                                  {"SIGTERM", 15}}};
  for (const auto& [name, number] : kNumbers) {
    if (exit.signal == name) return 128 + number;
  }
  return exit.code;
}

bool ended_by_itself(const Call& call, const Story& story) {
  const auto* exit = exit_of(call);
  return exit != nullptr && (exit->end == "exited" || exit->end == "signaled") &&
         is_bash(call, story);
}

/// BASH-10.
Complaint tells_programs(const Call& call, const Story&) {
  const Json& structured = at(result_of(call), "structuredContent");
  for (const char* key : {"output", "truncated", "exit_code", "wall_time_seconds"}) {
    if (at(structured, key).is_null()) {
      return finding("structuredContent has no " + std::string(key), bash_end(call));
    }
  }
  const bool is_cut = at(structured, "truncated") == true;
  if (is_cut == at(structured, "full_output_path").is_null()) {
    return finding("full_output_path does not stand beside a cut output alone", bash_end(call));
  }
  return differ("structuredContent has another exit code", Json(code_of(*exit_of(call))),
                at(structured, "exit_code"), bash_end(call));
}

/// BASH-12.
Complaint has_code_of_signal(const Call& call, const Story&) {
  return fails_with(call, std::to_string(code_of(*exit_of(call))), "a killed shell");
}

Complaint leaves_nobody(const Call& call, const Story&) {
  return require(exit_of(call)->group_alive == 0, "processes of the group run on",
                 first(call, "process_exit"));
}

std::string seconds_given(const Call& call) {
  const Json& timeout = at(arguments_of_bash(call), "timeout");
  const double seconds = timeout.is_number() ? timeout.get<double>() : 0;
  const auto whole = static_cast<std::int64_t>(seconds);
  return seconds == static_cast<double>(whole) ? std::to_string(whole) : dump_json(timeout);
}

Complaint tells_timeout(const Call& call, const Story&) {
  if (!result_text(call).starts_with(end_of_output(exit_of(call)->output).text)) {
    return finding("the result of a timeout does not have the output so far", bash_end(call));
  }
  return fails_with(call, seconds_given(call), "a timeout");
}

/// The first abort while the process ran, or null.
const Event* abort_of_process(const Call& call, const Event& exit, const Story& story) {
  const auto abort = story.abort_between(seq_of(call, "process_start"), exit.seq);
  for (const auto* list : {&story.steps, &story.notes}) {
    const auto found = std::ranges::find(*list, abort, &Event::seq);
    if (found != list->end()) return *found;
  }
  return nullptr;
}

/// The process did not end just as the abort came.
bool outlived_an_abort(const Call& call, const Story& story) {
  constexpr std::int64_t kGraceMs = 100;
  const Event* exit = first(call, "process_exit");
  if (!is_bash(call, story) || exit == nullptr) return false;
  const Event* abort = abort_of_process(call, *exit, story);
  return abort != nullptr && exit->at > abort->at + kGraceMs;
}

bool met_an_abort(const Call& call, const Story& story) {
  return ended_as("aborted")(call, story) || outlived_an_abort(call, story);
}

Complaint ends_by_the_abort(const Call& call, const Story&) {
  return require(exit_of(call)->end == "aborted", "the command runs on after the abort",
                 first(call, "process_exit"));
}

Complaint tells_abort(const Call& call, const Story&) {
  if (!result_text(call).starts_with(end_of_output(exit_of(call)->output).text)) {
    return finding("the result of an abort does not have the output so far", bash_end(call));
  }
  return fails_with(call, "abort", "an abort");
}

/// BASH-23: what the shell left behind was still listened to.
bool outlived_its_shell(const Call& call, const Story& story) {
  const auto* exit = exit_of(call);
  if (!is_bash(call, story) || exit == nullptr || exit->exited_ms < 0) return false;
  const std::int64_t ended = first(call, "process_start")->at + exit->exited_ms;
  return first(call, "process_exit")->at > ended && !exit->output.empty();
}

Complaint keeps_late_output(const Call& call, const Story&) {
  return require(result_text(call).starts_with(end_of_output(exit_of(call)->output).text),
                 "output after the exit of the shell is lost", bash_end(call));
}

Complaint names_exit_of_shell(const Call& call, const Story&) {
  const auto* exit = exit_of(call);
  if (exit->end != "timed_out") return std::nullopt;
  const std::string text = result_text(call).substr(end_of_output(exit->output).text.size());
  const std::int64_t tenths = (exit->exited_ms + 50) / 100;
  const std::string seconds = tenths % 10 == 0
                                  ? std::to_string(tenths / 10)
                                  : std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
  const bool is_told = text.find("code " + std::to_string(code_of(*exit))) != std::string::npos &&
                       text.find(seconds) != std::string::npos;
  return require(is_told, "the timeout does not tell code and time of the shell's exit",
                 bash_end(call));
}

constexpr std::int64_t kSilenceMs = 100;

/// How long the call went on when the shell was gone.
std::int64_t since_exit_ms(const Call& call) {
  return first(call, "process_exit")->at - first(call, "process_start")->at -
         exit_of(call)->exited_ms;
}

/// BASH-22: somebody held the pipes when the shell was gone, and does so still or kept the call.
bool left_somebody(const Call& call, const Story& story) {
  if (!ended_by_itself(call, story)) return false;
  const auto* exit = exit_of(call);
  return exit->group_alive > 0 || (exit->exited_ms >= 0 && since_exit_ms(call) > 10 * kSilenceMs);
}

Complaint waits_for_silence_only(const Call& call, const Story&) {
  const std::int64_t since_ms = since_exit_ms(call);
  if (exit_of(call)->chunks == 0 && since_ms > kSilenceMs) {
    return finding("a silent background job holds the call", first(call, "process_exit"));
  }
  return require(since_ms >= kSilenceMs, "the pipes were left before they were silent",
                 first(call, "process_exit"));
}

// ------------------------------------------------------------------ nothing runs

bool is_aborted_before_start(const Call& call, const Story& story) {
  if (!is_bash_name(call, story)) return false;
  const std::int64_t abort = abort_during(call, story);
  const std::int64_t start = seq_of(call, "process_start");
  return abort >= 0 && (start < 0 || abort < start);
}

Complaint starts_nothing(const Call& call, const Story&) {
  return require(first(call, "process_start") == nullptr, "a process was started",
                 first(call, "process_start"));
}

Complaint is_refused_call(const Call& call, const Story&) {
  return require(is_error(call), "the call is no error", bash_end(call));
}

bool has_invalid_timeout(const Call& call, const Story& story) {
  const Json& timeout = at(arguments_of_bash(call), "timeout");
  constexpr double kSecondsMax = 2147483.647;
  if (!is_bash(call, story) || !timeout.is_number()) return false;
  return timeout.get<double>() <= 0 || timeout.get<double>() > kSecondsMax;
}

const FileOperation* failed_look(const Call& call) {
  for (const Event* event : all(call, "file_op")) {
    const auto* op = event->as<FileOperation>();
    const bool is_absent = op->result == "ENOENT" || op->result == "ENOTDIR";
    if (op->op == "stat" && op->phase == "end" && is_absent) return op;
  }
  return nullptr;
}

bool has_no_folder(const Call& call, const Story& story) {
  return is_bash(call, story) && failed_look(call) != nullptr;
}

Complaint names_the_folder(const Call& call, const Story&) {
  return fails_with(call, failed_look(call)->path, "a missing folder");
}

// ------------------------------------------------------------------ what is started

const Json& shell_settings(const Story& story) {
  return setting("shell", story);
}

bool has_start(const Call& call, const Story& story) {
  return is_bash(call, story) && first(call, "process_start") != nullptr;
}

bool has_prefix(const Call& call, const Story& story) {
  return has_start(call, story) && !text_at(shell_settings(story), "prefix").empty() &&
         at(shell_settings(story), "has_hook") != true;
}

Complaint is_one_script(const Call& call, const Story& story) {
  const auto starts = all(call, "process_start");
  const auto& script = starts.front()->as<ProcessStart>()->command;
  const bool has_both = script.starts_with(text_at(shell_settings(story), "prefix")) &&
                        script.ends_with(text_at(arguments_of_bash(call), "command"));
  return require(starts.size() == 1 && has_both, "prefix and command are not one script",
                 starts.front());
}

Complaint is_joined_by_line_feed(const Call& call, const Story& story) {
  const std::string wanted =
      text_at(shell_settings(story), "prefix") + "\n" + text_at(arguments_of_bash(call), "command");
  const Event* start = first(call, "process_start");
  return differ("prefix and command are not joined by a line feed", Json(wanted),
                Json(start->as<ProcessStart>()->command), start);
}

/// The spawn hook's events between the beginning of execute and `until`.
template <class T>
const T* spawn_event(const Call& call, std::int64_t until, const Story& story) {
  const T* found = nullptr;
  const std::int64_t from = seq_of(call, "execute_begin");
  for (const Event* event : story.hooks) {
    const auto* hook = event->as<T>();
    if (hook == nullptr || hook->event != "spawn") continue;
    if (event->seq > from && event->seq < until) found = hook;
  }
  return found;
}

bool passed_the_hook(const Call& call, const Story& story) {
  return has_start(call, story) &&
         spawn_event<HookReturn>(call, seq_of(call, "process_start"), story) != nullptr;
}

/// BASH-26.
Complaint uses_what_the_hook_returned(const Call& call, const Story& story) {
  const Event* start = first(call, "process_start");
  const auto* given = spawn_event<HookCall>(call, start->seq, story);
  const auto* returned = spawn_event<HookReturn>(call, start->seq, story);
  const std::string prefix = text_at(shell_settings(story), "prefix");
  const std::string command = text_at(arguments_of_bash(call), "command");
  const std::string script = prefix.empty() ? command : prefix + "\n" + command;
  if (given == nullptr || text_at(given->input.get(), "command") != script) {
    return finding("the hook does not see prefix and command", start);
  }
  const Json& wanted = at(given->input.get(), "environment");
  if (at(shell_settings(story), "session_variables") == true &&
      text_at(wanted, "PI_MODEL").empty()) {
    return finding("the hook does not see the session's variables", start);
  }
  const auto* started = start->as<ProcessStart>();
  const Json used{{"command", started->command},
                  {"cwd", started->cwd},
                  {"environment", started->environment.get()},
                  {"removed", started->removed}};
  return differ("the process is not what the hook returned", returned->result.get(), used, start);
}

bool met_a_failing_hook(const Call& call, const Story& story) {
  const Event* end = bash_end(call);
  if (end == nullptr || !is_bash(call, story)) return false;
  const auto* returned = spawn_event<HookReturn>(call, end->seq, story);
  return returned != nullptr && !returned->error.empty();
}

/// BASH-32.
Complaint tells_the_session(const Call& call, const Story& story) {
  const Event* start = first(call, "process_start");
  const auto* started = start->as<ProcessStart>();
  for (const char* name :
       {"PI_SESSION_ID", "PI_SESSION_FILE", "PI_PROVIDER", "PI_MODEL", "PI_REASONING_LEVEL"}) {
    if (contains(started->removed, name)) continue;
    return finding(std::string(name) + " may be an inherited one", start);
  }
  const bool is_exposed = at(shell_settings(story), "session_variables") != false;
  const std::string model = text_at(at(story.host(), "settings"), "model");
  return differ("the command is told of another model", Json(is_exposed ? model : ""),
                Json(text_at(started->environment.get(), "PI_MODEL")), start);
}

// ------------------------------------------------------------------ an executor of the host's

std::vector<const Event*> remote_notes(const Call& call) {
  std::vector<const Event*> found;
  for (const Event* event : all(call, "notify")) {
    if (event->as<Notify>()->topic == "remote_exec") found.push_back(event);
  }
  return found;
}

bool is_remote_call(const Call& call, const Story& story) {
  return is_bash(call, story) && at(shell_settings(story), "remote") == true;
}

Complaint runs_by_the_host_alone(const Call& call, const Story&) {
  if (const Event* start = first(call, "process_start")) {
    return finding("a process was started beside the host's executor", start);
  }
  const auto notes = remote_notes(call);
  if (notes.size() != 1) return finding("the host's executor was not called once", bash_end(call));
  return differ("the host's executor got another command", at(arguments_of_bash(call), "command"),
                at(notes.front()->as<Notify>()->data.get(), "command"), notes.front());
}

std::vector<Rule> rules_of_bash_ends() {
  return {
      rule("BASH-08",
           "a command that exits with another code than 0 is an error with output and code")
          .for_each_call()
          .among({"process_exit"})
          .when(has_failed_exit)
          .expect(shows_output_and_code),
      rule("BASH-09", "a command that exits with 0 is a success")
          .for_each_call()
          .among({"process_exit"})
          .when(has_good_exit)
          .expect(is_success),
      rule("BASH-10",
           "structuredContent of a command that ended by itself has output, truncated, "
           "wall_time_seconds and the exit code of the process; full_output_path when cut")
          .for_each_call()
          .among({"process_exit"})
          .when(ended_by_itself)
          .expect(tells_programs),
      rule("BASH-12", "a shell that a signal N ended is an error that tells 128 + N")
          .for_each_call()
          .among({"process_exit"})
          .when(ended_as("signaled"))
          .expect(has_code_of_signal),
      rule("BASH-13", "a timeout that is not above 0 or too large is an error and starts nothing")
          .for_each_call()
          .among({"bash"})
          .when(has_invalid_timeout)
          .expect(starts_nothing)
          .expect(is_refused_call),
      rule("BASH-14",
           "at a timeout no process of the group is left; the error has output and seconds")
          .for_each_call()
          .among({"process_exit"})
          .when(ended_as("timed_out"))
          .expect(leaves_nobody)
          .expect(tells_timeout),
      rule("BASH-15",
           "at an abort the command ends and no process of the group is left; the error has output "
           "and abort")
          .for_each_call()
          .among({"bash"})
          .when(met_an_abort)
          .expect(ends_by_the_abort)
          .expect(leaves_nobody)
          .expect(tells_abort),
      rule("BASH-16", "a call of bash that was aborted before its process starts none")
          .for_each_call()
          .among({"bash"})
          .when(is_aborted_before_start)
          .expect(starts_nothing),
      rule("BASH-22", "a background job that holds the pipes holds the call for 100 ms of silence")
          .for_each_call()
          .among({"bash"})
          .when(left_somebody)
          .expect(waits_for_silence_only),
      rule("BASH-23",
           "output after the exit of the shell is shown; a timeout then tells code and time of "
           "that exit")
          .for_each_call()
          .among({"process_exit"})
          .when(outlived_its_shell)
          .expect(keeps_late_output)
          .expect(names_exit_of_shell),
  };
}

std::vector<Rule> rules_of_bash_starts() {
  return {
      rule("BASH-24",
           "with a prefix one process runs, whose script begins with it and ends with "
           "the command")
          .for_each_call()
          .among({"process_start"})
          .when(has_prefix)
          .expect(is_one_script),
      rule("BASH-26",
           "the spawn hook sees prefix, command and session variables; the process is exactly what "
           "it returned")
          .for_each_call()
          .among({"process_start"})
          .when(passed_the_hook)
          .expect(uses_what_the_hook_returned),
      rule("BASH-27", "after a spawn hook that failed nothing is started and the call is an error")
          .for_each_call()
          .among({"bash"})
          .when(met_a_failing_hook)
          .expect(starts_nothing)
          .expect(is_refused_call),
      rule("BASH-28",
           "with an executor of the host's no process is started and that is called once")
          .for_each_call()
          .among({"bash"})
          .when(is_remote_call)
          .expect(runs_by_the_host_alone),
      rule("BASH-31", "without its folder a command is not started, and the error names the folder")
          .for_each_call()
          .among({"bash"})
          .when(has_no_folder)
          .expect(starts_nothing)
          .expect(names_the_folder),
      rule("BASH-32",
           "inherited session variables are removed; PI_MODEL is the session's, or absent when "
           "they are not exposed")
          .for_each_call()
          .among({"process_start"})
          .when(has_start)
          .expect(tells_the_session),
      rule("BASH-39", "the script is the prefix, a line feed and the command")
          .for_each_call()
          .among({"process_start"})
          .when(has_prefix)
          .expect(is_joined_by_line_feed),
  };
}

}  // namespace

std::vector<Rule> bash_rules() {
  auto rules = rules_of_bash_ends();
  std::ranges::move(rules_of_bash_starts(), std::back_inserter(rules));
  return rules;
}

}  // namespace plumb::invariants
