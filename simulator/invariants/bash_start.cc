// SPDX-License-Identifier: Apache-2.0
// How a command of the bash tool is run, as far as the process port tells it.
#include <string>

#include "simulator/invariants/bash_view.h"
#include "simulator/invariants/domains.h"

namespace plumb::invariants {
namespace {

const Json& shell_told(const Story& story) {
  return setting("shell", story);
}

/// Neither prefix nor hook has changed it.
bool runs_as_given(const Call& call, const Story& story) {
  return is_bash(call, story) && first(call, "process_start") != nullptr &&
         text_at(shell_told(story), "prefix").empty() && at(shell_told(story), "has_hook") != true;
}

std::string working_folder_of(const Story& story) {
  const auto folder = text_at(at(story.host(), "settings"), "cwd");
  const auto workspace = story.workspace();
  return folder.empty() || workspace.empty() ? workspace : workspace + "/" + folder;
}

Complaint is_the_command_in_its_folder(const Call& call, const Story& story) {
  const Event* event = first(call, "process_start");
  const auto* start = event->as<ProcessStart>();
  if (auto other = differ("the script is not the command", at(arguments_of_bash(call), "command"),
                          Json(start->command), event)) {
    return other;
  }
  const auto folder = working_folder_of(story);
  if (folder.empty()) return std::nullopt;
  return differ("the command runs in another folder", Json(folder), Json(start->cwd), event);
}

/// As the port saw it arrive, whatever stream it came by.
Complaint shows_both_streams_in_order(const Call& call, const Story& story) {
  const auto* exit = exit_of(call);
  if (exit == nullptr || exit->output.empty() || abort_during(call, story) >= 0) return {};
  // What is left of a long output is BASH-03's.
  const bool is_whole =
      exit->output_bytes == std::ssize(exit->output) && !end_of_output(exit->output).is_cut;
  return require(!is_whole || result_text(call).starts_with(end_of_output(exit->output).text),
                 "the result is not both streams in their order of arrival",
                 first(call, "tool_execution_end"));
}

/// BASH-33: nothing but what BASH-32 names is set or taken out.
Complaint passes_the_environment_on(const Call& call, const Story&) {
  const Event* event = first(call, "process_start");
  const auto* start = event->as<ProcessStart>();
  const auto is_of_session = [](const std::string& name) {
    return name == "PI_SESSION_ID" || name == "PI_SESSION_FILE" || name == "PI_PROVIDER" ||
           name == "PI_MODEL" || name == "PI_REASONING_LEVEL";
  };
  for (const auto& name : start->removed) {
    if (!is_of_session(name)) return finding("the command does not see " + name, event);
  }
  for (const auto& [name, value] : start->environment.get().items()) {
    if (!is_of_session(name)) return finding("the command sees another " + name, event);
  }
  return std::nullopt;
}

}  // namespace

std::vector<Rule> bash_start_rules() {
  return {
      rule("BASH-02",
           "the process runs the command itself, in the working folder, and both streams are shown "
           "in their order of arrival; input and group are for tests of the process port")
          .for_each_call()
          .among({"process_start"})
          .when(runs_as_given)
          .expect(is_the_command_in_its_folder)
          .expect(shows_both_streams_in_order),
      rule("BASH-33",
           "the process sees the engine's environment: only the session's variables are set or "
           "taken out")
          .for_each_call()
          .among({"process_start"})
          .when(runs_as_given)
          .expect(passes_the_environment_on),
  };
}

}  // namespace plumb::invariants
