// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/jsonl.h"

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

Result<void> append_line(Trace& trace, std::string_view text, std::string_view file,
                         std::int64_t line) {
  PLUMB_TRY(const auto json, parse_json(text, file, line));
  auto event = parse_event(json);
  if (!event) return std::unexpected(located(std::move(event).error(), file, line));
  const auto expected = static_cast<std::int64_t>(trace.events.size());
  if (event->seq != expected) {
    return fail(ErrorCode::invalid,
                "seq is " + std::to_string(event->seq) + ", expected " + std::to_string(expected),
                place(file, line));
  }
  if (event->cause >= event->seq) {
    return fail(ErrorCode::invalid, "'cause' must name an earlier event", place(file, line));
  }
  trace.events.push_back(*std::move(event));
  return {};
}

Result<TraceHeader> read_header_line(std::string_view text, std::string_view file) {
  PLUMB_TRY(const auto json, parse_json(text, file, 1));
  auto header = parse_header(json);
  if (!header) return std::unexpected(located(std::move(header).error(), file, 1));
  return header;
}

}  // namespace

std::string write_trace(const Trace& trace) {
  std::string text = dump_json(to_json(trace.header)) + "\n";
  for (const auto& event : trace.events) {
    text += dump_json(to_json(event));
    text += '\n';
  }
  return text;
}

Result<Trace> read_trace(std::string_view text, std::string_view file) {
  if (text.empty()) {
    return fail(ErrorCode::invalid, "the file is empty, expected a trace header", place(file, 1));
  }
  Trace trace;
  std::int64_t line = 0;
  while (!text.empty()) {
    ++line;
    const auto end = text.find('\n');
    if (end == std::string_view::npos) {
      return fail(ErrorCode::invalid,
                  "the last line is cut short, expected a line break at its end",
                  place(file, line));
    }
    const auto content = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line == 1) {
      PLUMB_TRY(trace.header, read_header_line(content, file));
    } else if (auto added = append_line(trace, content, file, line); !added) {
      return std::unexpected(added.error());
    }
  }
  return trace;
}

}  // namespace plumb
