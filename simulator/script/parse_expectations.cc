// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <utility>

#include "simulator/script/base64.h"
#include "simulator/script/parse.h"

namespace plumb::simulator {
namespace {

TextMatch parse_conditions(const Fields& fields) {
  TextMatch match;
  match.equals = fields.maybe_text("equals");
  match.contains = fields.texts("contains");
  match.lacks = fields.texts("lacks");
  match.starts = fields.maybe_text("starts");
  match.ends = fields.maybe_text("ends");
  return match;
}

std::optional<std::int64_t> parse_mode(const std::optional<std::string>& digits) {
  if (!digits) return std::nullopt;
  std::int64_t mode = 0;
  std::from_chars(digits->data(), digits->data() + digits->size(), mode, 8);
  return mode;
}

FileExpectation parse_file_expectation(const std::string& path, YamlView view) {
  FileExpectation file;
  file.path = path;
  file.place = view.key_place();
  file.is_absent = view.value->is_null();
  if (view.value->is_string()) file.bytes = view.value->get<std::string>();
  if (!view.value->is_object()) return file;
  const Fields fields(view);
  const auto base64 = fields.maybe_text("base64");
  file.bytes = base64 ? decode_base64(*base64) : fields.maybe_text("text");
  if (file.bytes) file.bytes = repeated(*file.bytes, fields.number("repeat", 1));
  file.is_absent = fields.flag("absent");
  file.is_same = fields.flag("same");
  file.link = fields.maybe_text("link");
  file.mode = parse_mode(fields.maybe_text("mode"));
  file.text = parse_conditions(fields);
  return file;
}

ResultExpectation parse_result(const std::string& call, YamlView view) {
  const Fields fields(view);
  ResultExpectation result;
  result.call = call;
  result.place = view.key_place();
  result.is_error = fields.maybe_flag("is_error");
  result.cause = fields.text("cause");
  result.ran = fields.maybe_flag("ran");
  result.terminate = fields.maybe_flag("terminate");
  result.text = parse_match(fields.find("text"));
  result.details = fields.maybe_json("details");
  result.structured = fields.maybe_json("structured");
  result.added_tools = fields.maybe_texts("added_tools");
  return result;
}

RequestExpectation parse_request(const std::string& number, YamlView view) {
  const Fields fields(view);
  RequestExpectation request;
  std::from_chars(number.data(), number.data() + number.size(), request.n);
  request.place = view.key_place();
  request.text = parse_conditions(fields);
  request.system = parse_match(fields.find("system"));
  request.tools = fields.maybe_texts("tools");
  request.roles = fields.maybe_texts("roles");
  return request;
}

EventExpectation parse_counts(YamlView view) {
  EventExpectation events;
  events.form = EventExpectation::Form::count;
  for (const auto& [text, count] : members_of(view)) {
    auto pattern = parse_event_pattern(text);
    PLUMB_ASSERT(pattern.has_value());
    events.patterns.push_back({text, *std::move(pattern), count.key_place()});
    events.counts.push_back(count.value->get<std::int64_t>());
  }
  return events;
}

EventExpectation parse_events(YamlView view) {
  const auto [form, argument] = members_of(view).front();
  EventExpectation events;
  if (form == "count") {
    events = parse_counts(argument);
  } else if (form == "order") {
    for (std::int64_t i = 0; i < argument.size(); ++i) {
      events.patterns.push_back(trigger_of(argument.element(i)));
    }
  } else {
    events.form = form == "never" ? EventExpectation::Form::never : EventExpectation::Form::once;
    events.patterns.push_back(trigger_of(argument));
  }
  events.place = view.place();
  return events;
}

}  // namespace

TextMatch parse_match(std::optional<YamlView> view) {
  TextMatch match;
  if (!view) return match;
  if (view->value->is_object()) return parse_conditions(Fields(*view));
  match.equals = view->value->get<std::string>();
  return match;
}

Expectations parse_expectations(std::optional<YamlView> view) {
  const Fields fields(view);
  Expectations expect;
  for (const auto& [path, file] : members_of(fields.find("files"))) {
    expect.files.push_back(parse_file_expectation(path, file));
  }
  for (const auto& [call, result] : members_of(fields.find("results"))) {
    expect.results.push_back(parse_result(call, result));
  }
  for (const auto& [number, request] : members_of(fields.find("requests"))) {
    if (number == "count") {
      expect.request_count = request.value->get<std::int64_t>();
      expect.request_count_place = request.key_place();
    } else {
      expect.requests.push_back(parse_request(number, request));
    }
  }
  for (const YamlView& event : fields.list("events")) expect.events.push_back(parse_events(event));
  for (const YamlView& code : fields.list("llm_errors")) {
    expect.llm_errors.push_back(code.value->get<std::string>());
    expect.llm_error_places.push_back(code.place());
  }
  expect.settled = fields.maybe_text("settled");
  if (const auto settled = fields.find("settled")) expect.settled_place = settled->key_place();
  return expect;
}

std::optional<Variants> parse_variants(std::optional<YamlView> view) {
  if (!view) return std::nullopt;
  const Fields fields(*view);
  Variants variants;
  variants.permute = fields.text("permute");
  variants.without_extension = fields.texts("without_extension");
  for (const YamlView& seed : fields.list("seeds")) {
    variants.seeds.push_back(seed.value->get<std::int64_t>());
  }
  for (const YamlView& pattern : fields.list("crash_at")) {
    variants.crash_at.push_back(trigger_of(pattern));
  }
  variants.execution = fields.texts("execution");
  variants.place = view->key_place();
  return variants;
}

}  // namespace plumb::simulator
