// SPDX-License-Identifier: Apache-2.0
// What the built-in bash tool shows of its output: its end to the model, snapshots meanwhile, all
// of it in a log file.
#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "simulator/invariants/bash_view.h"
#include "simulator/invariants/domains.h"

namespace plumb::invariants {
namespace {

constexpr std::int64_t kProgramMax = 1'048'576;

const Event* output_end(const Call& call) {
  return first(call, "tool_execution_end");
}

/// The output is known as a whole.
bool has_whole_output(const Call& call, const Story& story) {
  const auto* exit = exit_of(call);
  return is_bash(call, story) && exit != nullptr &&
         exit->output_bytes == static_cast<std::int64_t>(exit->output.size());
}

ShownEnd shown_of(const Call& call) {
  return end_of_output(exit_of(call)->output);
}

bool is_cut_output(const Call& call, const Story& story) {
  return has_whole_output(call, story) && shown_of(call).is_cut;
}

/// Nothing failed in keeping it.
bool is_kept_output(const Call& call, const Story& story) {
  return is_cut_output(call, story) && !has_failed_operation(call);
}

bool is_sent_output(const Call& call, const Story& story) {
  return is_cut_output(call, story) && shown_result(call, story) != nullptr;
}

bool is_cut_within_line(const Call& call, const Story& story) {
  return is_cut_output(call, story) && shown_of(call).is_part_of_line;
}

/// At the caps or above: nothing less tells what they are.
bool is_at_the_caps(const Call& call, const Story& story) {
  if (!has_whole_output(call, story)) return false;
  const auto shown = shown_of(call);
  return shown.is_cut || shown.last == 2000 || shown.total_bytes == 51200;
}

std::string text_shown(const Call& call, const Story& story) {
  const auto* shown = shown_result(call, story);
  return shown == nullptr ? result_text(call) : text_in(shown->content.get());
}

Complaint begins_with_the_end(const Call& call, const Story& story) {
  const auto wanted = shown_of(call);
  const std::string text = text_shown(call, story);
  if (!text.starts_with(wanted.text)) {
    Finding found = finding(
        "the result does not show the end of the output, from line " + std::to_string(wanted.first),
        output_end(call));
    found.expected = wanted.text.substr(0, 120);
    found.actual = text.substr(0, 120);
    return found;
  }
  return std::nullopt;
}

std::string notice_of(const Call& call, const Story& story) {
  const std::string text = text_shown(call, story);
  const auto wanted = shown_of(call);
  return text.starts_with(wanted.text) ? text.substr(wanted.text.size()) : "";
}

std::string log_of(const Call& call) {
  return text_at(at(result_of(call), "details"), "fullOutputPath");
}

bool has_word(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

/// TRUNC-01.
Complaint keeps_the_caps(const Call& call, const Story& story) {
  const auto wanted = shown_of(call);
  if (!wanted.is_cut) return begins_with_the_end(call, story);
  const Json& cut = at(at(result_of(call), "details"), "truncation");
  if (at(cut, "maxLines") != 2000 || at(cut, "maxBytes") != 51200) {
    return finding("the result tells other caps", output_end(call));
  }
  return begins_with_the_end(call, story);
}

/// TRUNC-02, by what the result itself says that it shows.
Complaint keeps_both_caps(const Call& call, const Story& story) {
  const std::string text = text_shown(call, story);
  const auto notice = text.rfind("\n\n[");
  const std::string shown = text.substr(0, notice);
  const auto lines = std::ranges::count(shown, '\n') + 1;
  return require(lines <= 2000 && shown.size() <= 51200, "the result shows more than a cap allows",
                 output_end(call));
}

/// TRUNC-04.
Complaint tells_the_cut(const Call& call, const Story& story) {
  const auto wanted = shown_of(call);
  const std::string notice = notice_of(call, story);
  const bool names_log = !log_of(call).empty() && has_word(notice, log_of(call));
  const bool is_told =
      has_word(notice, std::to_string(wanted.last)) && (names_log || !is_kept_output(call, story));
  return require(is_told, "after the cut text does not stand what is shown and where the rest is",
                 output_end(call));
}

/// BASH-03.
Complaint cuts_the_beginning(const Call& call, const Story& story) {
  const std::string& output = exit_of(call)->output;
  const auto last_line = output.substr(output.rfind('\n', output.size() - 2) + 1);
  const std::string text = text_shown(call, story);
  const std::string tail = last_line.substr(last_line.size() > 40 ? last_line.size() - 40 : 0);
  if (!has_word(text, tail.substr(0, tail.find('\n')))) {
    return finding("the end of the output is not shown", output_end(call));
  }
  return require(!text.starts_with(output.substr(0, 40)) || shown_of(call).is_part_of_line,
                 "the beginning of the output is shown", output_end(call));
}

/// BASH-06.
Complaint names_the_lines(const Call& call, const Story& story) {
  const auto wanted = shown_of(call);
  const std::string notice = notice_of(call, story);
  if (!has_word(notice, std::to_string(wanted.first)) ||
      !has_word(notice, std::to_string(wanted.last))) {
    return finding("the notice does not name the shown lines", output_end(call));
  }
  return require(!wanted.is_by_bytes || has_word(notice, "50.0KB"),
                 "the notice of a cut by bytes does not name the cap", output_end(call));
}

/// TRUNC-07.
Complaint shows_the_end_of_the_line(const Call& call, const Story& story) {
  const Json& cut = at(at(result_of(call), "details"), "truncation");
  if (at(cut, "lastLinePartial") != true) {
    return finding("lastLinePartial is not true", output_end(call));
  }
  return begins_with_the_end(call, story);
}

/// TRUNC-09.
Complaint has_all_fields(const Call& call, const Story&) {
  const Json& cut = at(at(result_of(call), "details"), "truncation");
  for (const char* key :
       {"content", "truncated", "truncatedBy", "totalLines", "totalBytes", "outputLines",
        "outputBytes", "lastLinePartial", "firstLineExceedsLimit", "maxLines", "maxBytes"}) {
    if (at(cut, key).is_null()) {
      return finding("details.truncation has no " + std::string(key), output_end(call));
    }
  }
  const auto wanted = shown_of(call);
  const Json totals{{"totalLines", wanted.last}, {"totalBytes", wanted.total_bytes}};
  const Json told{{"totalLines", at(cut, "totalLines")}, {"totalBytes", at(cut, "totalBytes")}};
  return differ("details.truncation has other totals", totals, told, output_end(call));
}

// ------------------------------------------------------------------ the log

/// Bytes that the call's operations put into a file.
std::int64_t bytes_written(const Call& call, const std::string& path) {
  std::int64_t bytes = 0;
  for (const Event* event : all(call, "file_op")) {
    const auto* op = event->as<FileOperation>();
    if (op->path == path && op->phase == "end" && op->result == "ok") bytes += op->bytes;
  }
  return bytes;
}

/// BASH-04.
Complaint keeps_all_in_the_log(const Call& call, const Story& story) {
  const std::string path = log_of(call);
  if (path.empty()) return finding("details name no log", output_end(call));
  if (!has_word(notice_of(call, story), path)) {
    return finding("the text does not name the log", output_end(call));
  }
  return differ("the log has another length than the output", Json(exit_of(call)->output_bytes),
                Json(bytes_written(call, path)), output_end(call));
}

const Event* log_write(const Call& call) {
  for (const Event* event : all(call, "file_op")) {
    const auto* op = event->as<FileOperation>();
    if (op->path.ends_with(".log") && op->op != "stat") return event;
  }
  return nullptr;
}

/// BASH-05, for output above the caps and below them.
Complaint has_a_log_of_its_own(const Call& call, const Story& story) {
  if (!shown_of(call).is_cut) {
    return require(log_write(call) == nullptr, "a log is written for output that is shown whole",
                   log_write(call));
  }
  if (!is_kept_output(call, story)) return std::nullopt;
  const std::string path = log_of(call);
  const Json* file = final_file(path, story);
  if (file == nullptr || !path.ends_with(".log")) {
    return finding("there is no log at the end", output_end(call));
  }
  if (first_file(path, story) != nullptr)
    return finding("the log is no new file", output_end(call));
  for (const Event* event : all(call, "file_op")) {
    if (event->seq > output_end(call)->seq) return finding("the log comes after the result", event);
  }
  return differ("others than the owner may read the log", Json(0600), at(*file, "mode"),
                output_end(call));
}

// ------------------------------------------------------------------ updates

std::vector<const Event*> updates_of(const Call& call) {
  return all(call, "tool_execution_update");
}

std::string update_text(const Event* event) {
  return text_in(at(event->as<ToolExecutionUpdate>()->partial.get(), "content"));
}

bool has_snapshots(const Call& call, const Story& story) {
  return is_bash(call, story) && exit_of(call) != nullptr && updates_of(call).size() > 1;
}

/// BASH-18: the last one may come sooner, it is complete.
Complaint keeps_the_interval(const Call& call, const Story&) {
  constexpr std::int64_t kIntervalMs = 100;
  const auto updates = updates_of(call);
  for (std::size_t i = 1; i + 1 < updates.size(); ++i) {
    if (updates[i]->at - updates[i - 1]->at >= kIntervalMs) continue;
    return finding("two updates in less than an interval", updates[i]);
  }
  return require(update_text(updates.back()) == shown_of(call).text,
                 "the last update is not complete", updates.back());
}

/// BASH-20: the shown text of an output that only grows.
Complaint are_snapshots(const Call& call, const Story&) {
  const auto& output = exit_of(call)->output;
  for (const Event* event : updates_of(call)) {
    const std::string text = update_text(event);
    if (text.empty()) continue;
    const Json& details = at(event->as<ToolExecutionUpdate>()->partial.get(), "details");
    const bool is_cut = at(at(details, "truncation"), "truncated") == true;
    const bool names_log = !text_at(details, "fullOutputPath").empty();
    if (is_cut && !names_log && !has_failed_operation(call)) {
      return finding("a cut update names no log", event);
    }
    if (!is_cut && !output.starts_with(text)) return finding("an update is no snapshot", event);
  }
  return std::nullopt;
}

bool has_any_update(const Call& call, const Story& story) {
  return is_bash(call, story) && !updates_of(call).empty();
}

/// BASH-21.
Complaint are_over_at_the_end(const Call& call, const Story&) {
  const Event* end = output_end(call);
  const auto updates = updates_of(call);
  return require(updates.back()->seq < end->seq, "an update after the result", updates.back());
}

/// BASH-30.
bool failed_at_the_host(const Call& call, const Story& story) {
  return has_any_update(call, story) && is_error(call) && updates_of(call).size() > 1 &&
         at(setting("shell", story), "remote") == true;
}

Complaint keeps_the_output(const Call& call, const Story&) {
  return require(result_text(call).starts_with(update_text(updates_of(call).back())),
                 "the output of a command whose executor failed is lost", output_end(call));
}

// ------------------------------------------------------------------ programs

bool is_large(const Call& call, const Story& story) {
  const auto* exit = exit_of(call);
  return is_bash(call, story) && exit != nullptr && exit->end == "exited" &&
         exit->output_bytes > 51200;
}

/// BASH-37.
Complaint gives_programs_more(const Call& call, const Story&) {
  const auto* exit = exit_of(call);
  const Json& structured = at(result_of(call), "structuredContent");
  const std::string output = text_at(structured, "output");
  const auto size = static_cast<std::int64_t>(output.size());
  const bool is_cut = at(structured, "truncated") == true;
  if (exit->output_bytes <= kProgramMax) {
    return require(!is_cut && size == exit->output_bytes, "programs do not get the whole output",
                   output_end(call));
  }
  const std::string omitted = std::to_string(exit->output_bytes - kProgramMax);
  return require(is_cut && size >= kProgramMax && size < kProgramMax + 100 &&
                     has_word(output.substr(kProgramMax / 2, 60), omitted),
                 "programs do not get both halves around a mark", output_end(call));
}

std::vector<Rule> shell_output_rules() {
  return {
      rule("BASH-03", "of an output above the caps the next request shows the end, not the start")
          .for_each_call()
          .among({"process_exit"})
          .when(is_sent_output)
          .expect(cuts_the_beginning),
      rule("BASH-04",
           "above the caps content and details name a file into which as many bytes were written "
           "as the process gave; triggered when it could be written")
          .for_each_call()
          .among({"bash"})
          .when(is_kept_output)
          .expect(keeps_all_in_the_log),
      rule("BASH-05",
           "above the caps the log is a new file *.log of mode 0600, complete before the result; "
           "below them there is none")
          .for_each_call()
          .among({"process_exit"})
          .when(has_whole_output)
          .expect(has_a_log_of_its_own),
      rule("BASH-06", "the notice has the first and the last shown line, and the cap of a byte cut")
          .for_each_call()
          .among({"process_exit"})
          .when(is_cut_output)
          .expect(names_the_lines),
      rule("BASH-18",
           "updates but the last lie 100 ms or more apart; the last has the whole shown text")
          .for_each_call()
          .among({"process_exit"})
          .when(has_snapshots)
          .when(has_whole_output)
          .expect(keeps_the_interval),
      rule("BASH-20", "each update is a snapshot from the start, or cut and names the log")
          .for_each_call()
          .among({"process_exit"})
          .when(has_snapshots)
          .when(has_whole_output)
          .expect(are_snapshots),
      rule("BASH-21", "no update of a bash call comes after its end")
          .for_each_call()
          .among({"bash"})
          .when(has_any_update)
          .expect(are_over_at_the_end),
      rule("BASH-30", "an executor's failure keeps the output that the last update showed")
          .for_each_call()
          .among({"bash"})
          .when(failed_at_the_host)
          .expect(keeps_the_output),
      rule("BASH-37",
           "structuredContent.output is whole up to 1 MiB, else two halves around the number of "
           "omitted bytes")
          .for_each_call()
          .among({"bash"})
          .when(is_large)
          .expect(gives_programs_more),
      rule("BASH-38", "the last 2000 lines or 51200 bytes are shown, as recomputed")
          .for_each_call()
          .among({"process_exit"})
          .when(is_cut_output)
          .expect(begins_with_the_end),
  };
}

std::vector<Rule> shell_cut_rules() {
  return {
      rule("TRUNC-01",
           "bash output of up to 2000 lines and 51200 bytes is shown whole, more is cut and told "
           "with these caps; triggered at the caps and above")
          .for_each_call()
          .among({"bash"})
          .when(is_at_the_caps)
          .expect(keeps_the_caps),
      rule("TRUNC-02", "the shown part of a cut bash output has at most 2000 lines and 51200 bytes")
          .for_each_call()
          .among({"process_exit"})
          .when(is_cut_output)
          .expect(keeps_both_caps),
      rule("TRUNC-03", "of a bash output above the caps the end is kept, as recomputed")
          .for_each_call()
          .among({"process_exit"})
          .when(is_cut_output)
          .expect(begins_with_the_end),
      rule("TRUNC-04",
           "after a cut output the model reads the last line's number and the log's path")
          .for_each_call()
          .among({"process_exit"})
          .when(is_sent_output)
          .expect(tells_the_cut),
      rule("TRUNC-07", "the end of a last line above the cap is shown, with lastLinePartial")
          .for_each_call()
          .among({"bash"})
          .when(is_cut_within_line)
          .expect(shows_the_end_of_the_line),
      rule("TRUNC-09", "details.truncation of a cut output has its eleven fields and right totals")
          .for_each_call()
          .among({"process_exit"})
          .when(is_cut_output)
          .expect(has_all_fields),
  };
}

}  // namespace

std::vector<Rule> bash_output_rules() {
  auto rules = shell_output_rules();
  std::ranges::move(shell_cut_rules(), std::back_inserter(rules));
  return rules;
}

}  // namespace plumb::invariants
