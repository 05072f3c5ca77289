// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/jsonl.h"

#include <algorithm>
#include <utility>

#include "engine/trace/event_json.h"

namespace plumb {
namespace {

std::string place(std::string_view file, std::int64_t line) {
  return std::string(file) + ":" + std::to_string(line) + ":1";
}

/// Gives an error without a place of its own the place of its line.
Error located(Error error, std::string_view file, std::int64_t line) {
  if (error.where.empty()) error.where = place(file, line);
  return error;
}

std::unexpected<Error> bad_line(std::string message, std::string_view file, std::int64_t line) {
  return fail(ErrorCode::invalid, std::move(message), place(file, line));
}

/// What an event may not be after those before it.
std::string problem_of(const Event& event, const Trace& before) {
  const auto expected = static_cast<std::int64_t>(before.events.size());
  if (event.seq != expected) {
    return "seq is " + std::to_string(event.seq) + ", expected " + std::to_string(expected);
  }
  if (event.cause >= event.seq) return "'cause' must name an earlier event";
  const std::int64_t earliest = before.events.empty() ? 0 : before.events.back().at;
  if (event.at < earliest) {
    return "'at' is " + std::to_string(event.at) + ", expected at least " +
           std::to_string(earliest) + ": time does not run backwards";
  }
  const auto& emits = before.header.emits;
  if (std::ranges::find(emits, event.kind()) == emits.end()) {
    return "the header's 'emits' lacks '" + std::string(event.kind()) + "'";
  }
  return "";
}

Result<void> append_event(Trace& trace, const Json& json, std::string_view file,
                          std::int64_t line) {
  auto event = parse_whole_event(json);
  if (!event) return std::unexpected(located(std::move(event).error(), file, line));
  if (auto problem = problem_of(*event, trace); !problem.empty()) {
    return bad_line(std::move(problem), file, line);
  }
  trace.events.push_back(*std::move(event));
  return {};
}

Json end_line(const Trace& trace) {
  return Json{{"end", true}, {"events", trace.events.size()}};
}

/// An event may have a member `end` of its own, but none is without its kind.
bool is_end(const Json& json) {
  return json.is_object() && json.contains("end") && !json.contains("kind");
}

/// Whatever the order of its members.
bool is_end_of(const Json& json, const Trace& trace) {
  return json.size() == 2 && json.at("end") == true && json.contains("events") &&
         json.at("events") == trace.events.size();
}

/// The lines of a trace, one after the other.
struct TraceLines {
  Trace trace;
  std::int64_t line = 0;
  bool has_end = false;

  Result<void> add(std::string_view text, std::string_view file);
};

Result<TraceHeader> read_header_line(std::string_view text, std::string_view file) {
  PLUMB_TRY(const auto json, parse_json(text, file, 1));
  auto header = parse_header(json);
  if (!header) return std::unexpected(located(std::move(header).error(), file, 1));
  return header;
}

Result<void> TraceLines::add(std::string_view text, std::string_view file) {
  ++line;
  if (line == 1) {
    PLUMB_TRY(trace.header, read_header_line(text, file));
    return {};
  }
  if (has_end) return bad_line("a line behind the end of the trace", file, line);
  PLUMB_TRY(const auto json, parse_json(text, file, line));
  if (!is_end(json)) return append_event(trace, json, file, line);
  if (!is_end_of(json, trace)) {
    return bad_line("the end of the trace is not " + dump_json(end_line(trace)), file, line);
  }
  has_end = true;
  return {};
}

}  // namespace

std::string write_trace(const Trace& trace) {
  std::string text = dump_json(to_json(trace.header)) + "\n";
  for (const auto& event : trace.events) {
    text += dump_json(to_json(event));
    text += '\n';
  }
  text += dump_json(end_line(trace)) + "\n";
  return text;
}

Result<Trace> read_trace(std::string_view text, std::string_view file) {
  if (text.empty()) {
    return fail(ErrorCode::invalid, "the file is empty, expected a trace header", place(file, 1));
  }
  TraceLines lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) {
      return bad_line("the last line is cut short, expected a line break at its end", file,
                      lines.line + 1);
    }
    if (auto added = lines.add(text.substr(0, end), file); !added) {
      return std::unexpected(std::move(added).error());
    }
    text.remove_prefix(end + 1);
  }
  if (!lines.has_end) {
    return bad_line("the trace ends before the run does, expected " +
                        dump_json(end_line(lines.trace)) + " as its last line",
                    file, lines.line);
  }
  return std::move(lines.trace);
}

}  // namespace plumb
