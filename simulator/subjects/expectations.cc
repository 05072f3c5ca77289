// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/expectations.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "engine/trace/pattern.h"
#include "engine/trace/request_fold.h"
#include "engine/values/json_members.h"

namespace plumb::simulator {
namespace {

/// What is being compared, so that each failure names its place and its event.
struct Compared {
  std::string what;
  Place place;
  std::int64_t event_seq = -1;
};

class Unmets {
 public:
  void add(const Compared& subject, std::string message, std::string expected, std::string actual) {
    list_.push_back({subject.place, subject.what + " " + std::move(message), std::move(expected),
                     std::move(actual), subject.event_seq});
  }
  void equal(const Compared& subject, const Json& expected, const Json& actual) {
    if (expected != actual) add(subject, "differs", dump_json(expected), dump_json(actual));
  }
  void text(const Compared& subject, const TextMatch& match, const std::string& actual);
  std::vector<Unmet> take() { return std::move(list_); }

 private:
  std::vector<Unmet> list_;
};

void Unmets::text(const Compared& subject, const TextMatch& match, const std::string& actual) {
  for (TextMismatch& one : mismatches(match, actual)) {
    add(subject, std::move(one.message), std::move(one.expected), actual);
  }
}

// ---------------------------------------------------------------- files

const FinalFiles* final_files(const Trace& trace, std::int64_t& seq) {
  for (auto event = trace.events.rbegin(); event != trace.events.rend(); ++event) {
    if (const auto* files = event->as<FinalFiles>()) {
      seq = event->seq;
      return files;
    }
  }
  return nullptr;
}

std::string text_of_state(const Json& state) {
  const Json& text = at(state, "text");
  return text.is_string() ? text.get<std::string>() : dump_json(state);
}

/// As it is written in scenarios: octal, four digits.
std::string octal(std::int64_t mode) {
  std::string digits;
  for (; mode > 0 || digits.size() < 4; mode /= 8) {
    digits.insert(digits.begin(), static_cast<char>('0' + mode % 8));
  }
  return "mode " + digits;
}

void check_mode(std::int64_t mode, const Json& state, const Compared& subject, Unmets& unmets) {
  const Json actual = at(state, "mode");
  if (actual == Json(mode)) return;
  unmets.add(subject, "has another mode", octal(mode),
             actual.is_number_integer() ? octal(actual.get<std::int64_t>()) : "no mode");
}

/// One word for what is there; a failed comparison shows contents, a file too many does not.
std::string kind_of_state(const Json& state) {
  if (state.contains("dir")) return "a folder";
  return state.contains("link") ? "a link" : "a file";
}

void check_present_file(const FileExpectation& file, const Compared& subject, const Json& state,
                        Unmets& unmets) {
  const auto text = text_of_state(state);
  if (file.bytes && *file.bytes != text) unmets.add(subject, "differs", *file.bytes, text);
  unmets.text(subject, file.text, text);
  if (file.link) unmets.equal(subject, Json(*file.link), at(state, "link"));
  if (file.mode) check_mode(*file.mode, state, subject, unmets);
}

void check_file(const FileExpectation& file, const FinalFiles& files, std::int64_t seq,
                Unmets& unmets) {
  const Compared subject{"file '" + file.path + "'", file.place, seq};
  const auto found = files.files.get().find(file.path);
  const bool exists = found != files.files.get().end();
  if (file.is_absent) {
    if (exists) unmets.add(subject, "is there", "no such file", kind_of_state(*found));
    return;
  }
  if (!exists) return unmets.add(subject, "is missing", "the file", "no such file");
  if (file.is_same) {
    return unmets.equal(subject, files.before.get().value(file.path, Json()), *found);
  }
  check_present_file(file, subject, *found, unmets);
}

void check_files(const Scenario& scenario, const Trace& trace, Unmets& unmets) {
  if (scenario.expect.files.empty()) return;
  std::int64_t seq = -1;
  const FinalFiles* files = final_files(trace, seq);
  for (const auto& file : scenario.expect.files) {
    if (files != nullptr) {
      check_file(file, *files, seq, unmets);
    } else {
      unmets.add({"file '" + file.path + "'", file.place, -1}, "cannot be seen", "final_files",
                 "the trace shows no files");
    }
  }
}

// ---------------------------------------------------------------- results

struct SeenCall {
  const Event* end = nullptr;
  std::string cause;
};

std::map<std::string, SeenCall> seen_calls(const Trace& trace) {
  std::map<std::string, SeenCall> calls;
  for (const auto& event : trace.events) {
    if (event.as<ToolExecutionEnd>() != nullptr) calls[event.call].end = &event;
    if (const auto* outcome = event.as<CallOutcome>()) calls[event.call].cause = outcome->outcome;
  }
  return calls;
}

std::string text_of_content(const Json& result) {
  std::string text;
  for (const auto& block : at(result, "content")) text += text_at(block, "text");
  return text;
}

void check_members(const Compared& subject, const Json& expected, const Json& actual,
                   Unmets& unmets) {
  if (!expected.is_object() || !actual.is_object()) return unmets.equal(subject, expected, actual);
  for (const auto& [name, value] : expected.items()) {
    const Compared member{subject.what + "." + name, subject.place, subject.event_seq};
    unmets.equal(member, value, at(actual, name));
  }
}

void check_result_body(const ResultExpectation& expected, const Compared& subject,
                       const ToolExecutionEnd& end, Unmets& unmets) {
  const Json& result = end.result.get();
  const auto part = [&subject](std::string_view name) {
    return Compared{subject.what + " " + std::string(name), subject.place, subject.event_seq};
  };
  if (expected.is_error) unmets.equal(part("is_error"), *expected.is_error, end.is_error);
  if (expected.ran) unmets.equal(part("ran"), *expected.ran, end.ran);
  if (expected.terminate) {
    unmets.equal(part("terminate"), *expected.terminate, at(result, "terminate") == true);
  }
  unmets.text(part("text"), expected.text, text_of_content(result));
  if (expected.details) {
    check_members(part("details"), *expected.details, at(result, "details"), unmets);
  }
  if (expected.structured) {
    check_members(part("structured"), *expected.structured, at(result, "structuredContent"),
                  unmets);
  }
  if (expected.added_tools) {
    const Json& names = at(result, "addedToolNames");
    unmets.equal(part("added_tools"), *expected.added_tools,
                 names.is_null() ? Json::array() : names);
  }
}

void check_results(const Scenario& scenario, const Trace& trace, Unmets& unmets) {
  if (scenario.expect.results.empty()) return;
  const auto calls = seen_calls(trace);
  for (const auto& expected : scenario.expect.results) {
    Compared subject{"result of call '" + expected.call + "'", expected.place, -1};
    const auto found = calls.find(expected.call);
    if (found == calls.end() || found->second.end == nullptr) {
      unmets.add(subject, "is missing", "a tool_execution_end", "the call never ended");
      continue;
    }
    subject.event_seq = found->second.end->seq;
    check_result_body(expected, subject, *found->second.end->as<ToolExecutionEnd>(), unmets);
    if (!expected.cause.empty()) {
      unmets.equal({subject.what + " cause", subject.place, subject.event_seq}, expected.cause,
                   found->second.cause);
    }
  }
}

// ---------------------------------------------------------------- requests

struct SeenRequest {
  std::int64_t seq = -1;
  std::string text;
  std::string system;
  std::vector<std::string> tools;
  std::vector<std::string> roles;
};

SeenRequest see(const FoldedRequest& request) {
  SeenRequest seen;
  seen.seq = request.event->seq;
  for (const auto& block : request.blocks) {
    seen.text += block.body.bytes() + "\n";
    const Json& body = block.body.get();
    if (block.zone == Zone::system) seen.system += body.is_string() ? body.get<std::string>() : "";
    if (block.zone == Zone::tools) seen.tools.push_back(text_at(body, "name"));
    if (block.zone == Zone::messages) seen.roles.push_back(text_at(body, "role"));
  }
  return seen;
}

std::vector<SeenRequest> seen_requests(const Trace& trace) {
  std::vector<SeenRequest> requests;
  RequestFold fold;
  for (const auto& event : trace.events) {
    if (event.as<ProviderRequest>() == nullptr) continue;
    if (auto folded = fold.fold(event)) requests.push_back(see(*folded));
  }
  return requests;
}

void check_requests(const Scenario& scenario, const Trace& trace, Unmets& unmets) {
  const auto& expect = scenario.expect;
  if (!expect.request_count && expect.requests.empty()) return;
  const auto requests = seen_requests(trace);
  if (expect.request_count) {
    unmets.equal({"number of requests", expect.request_count_place, -1}, *expect.request_count,
                 requests.size());
  }
  for (const auto& expected : expect.requests) {
    Compared subject{"request " + std::to_string(expected.n), expected.place, -1};
    if (expected.n < 1 || expected.n > static_cast<std::int64_t>(requests.size())) {
      unmets.add(subject, "is missing", "the request",
                 std::to_string(requests.size()) + " requests were sent");
      continue;
    }
    const SeenRequest& seen = requests[static_cast<std::size_t>(expected.n - 1)];
    subject.event_seq = seen.seq;
    unmets.text(subject, expected.text, seen.text);
    unmets.text({subject.what + " system", subject.place, seen.seq}, expected.system, seen.system);
    if (expected.tools) {
      unmets.equal({subject.what + " tools", subject.place, seen.seq}, *expected.tools, seen.tools);
    }
    if (expected.roles) {
      unmets.equal({subject.what + " roles", subject.place, seen.seq}, *expected.roles, seen.roles);
    }
  }
}

// ---------------------------------------------------------------- events

/// The loader has read every pattern.
EventPattern pattern_of(const Trigger& trigger) {
  auto pattern = parse_event_pattern(trigger.text);
  PLUMB_ASSERT(pattern.has_value());
  return *std::move(pattern);
}

/// Whether a pattern means one event among those that match, the first included.
bool has_nth(const Trigger& trigger, const EventPattern& pattern) {
  return pattern.nth > 1 || trigger.text.contains(" nth 1");
}

/// How many events a pattern means: with `nth` the one of that number, if it comes.
std::int64_t count_of(const Trace& trace, const Trigger& trigger, std::int64_t& last_seq) {
  const auto pattern = pattern_of(trigger);
  const bool is_one = has_nth(trigger, pattern);
  std::int64_t matched = 0;
  std::int64_t count = 0;
  for (const auto& event : trace.events) {
    if (!matches(pattern, event)) continue;
    ++matched;
    if (is_one && matched != pattern.nth) continue;
    ++count;
    last_seq = event.seq;
  }
  return count;
}

void check_order(const EventExpectation& expected, const Trace& trace, Unmets& unmets) {
  std::int64_t last = -1;
  std::string last_text = "the start";
  for (const auto& trigger : expected.patterns) {
    const auto pattern = pattern_of(trigger);
    PatternCounter counter(pattern);
    const auto found = std::ranges::find_if(
        trace.events, [&counter](const Event& event) { return counter.hits(event); });
    const Compared subject{"event '" + trigger.text + "'", trigger.place, last};
    if (found == trace.events.end()) {
      return unmets.add(subject, "is missing", "after " + last_text, "no such event");
    }
    if (found->seq < last) {
      return unmets.add({subject.what, subject.place, found->seq}, "comes too early",
                        "after " + last_text + " (seq " + std::to_string(last) + ")",
                        "seq " + std::to_string(found->seq));
    }
    last = found->seq;
    last_text = "'" + trigger.text + "'";
  }
}

void check_counts(const EventExpectation& expected, const Trace& trace, Unmets& unmets) {
  using Form = EventExpectation::Form;
  for (std::size_t i = 0; i < expected.patterns.size(); ++i) {
    const Trigger& trigger = expected.patterns[i];
    std::int64_t wanted = expected.form == Form::once ? 1 : 0;
    if (expected.form == Form::count) wanted = expected.counts[i];
    std::int64_t seq = -1;
    const auto count = count_of(trace, trigger, seq);
    if (count == wanted) continue;
    unmets.add({"number of events '" + trigger.text + "'", trigger.place, seq}, "differs",
               std::to_string(wanted), std::to_string(count));
  }
}

void check_events(const Scenario& scenario, const Trace& trace, Unmets& unmets) {
  for (const auto& expected : scenario.expect.events) {
    if (expected.form == EventExpectation::Form::order) {
      check_order(expected, trace, unmets);
    } else {
      check_counts(expected, trace, unmets);
    }
  }
}

void check_end(const Scenario& scenario, const Trace& trace, Unmets& unmets) {
  if (!scenario.expect.settled) return;
  const Event* settled = nullptr;
  const Event* answer = nullptr;
  for (const auto& event : trace.events) {
    if (event.as<AgentSettled>() != nullptr) settled = &event;
    const auto* message = event.as<MessageEnd>();
    if (message != nullptr && message->role == "assistant") answer = &event;
  }
  std::string actual = "never";
  if (settled != nullptr) actual = settled->as<AgentSettled>()->aborted ? "aborted" : "done";
  if (actual == "done" && answer != nullptr &&
      answer->as<MessageEnd>()->message.get().value("stopReason", "") == "error") {
    actual = "error";
  }
  unmets.equal(
      {"the end of the run", scenario.expect.settled_place, settled == nullptr ? -1 : settled->seq},
      *scenario.expect.settled, actual);
}

/// An error that the script was meant to provoke, and did not.
void check_llm_errors(const Scenario& scenario, const Trace& trace, Unmets& unmets) {
  const auto& expect = scenario.expect;
  for (std::size_t i = 0; i < expect.llm_errors.size(); ++i) {
    const auto& code = expect.llm_errors[i];
    const bool happened = std::ranges::any_of(trace.events, [&code](const Event& event) {
      const auto* error = event.as<LlmError>();
      return error != nullptr && error->code == code;
    });
    if (happened) continue;
    const auto& places = expect.llm_error_places;
    unmets.add(
        {"error '" + code + "' of the fake model", i < places.size() ? places[i] : Place{}, -1},
        "did not happen", code, "no such error");
  }
}

// ---------------------------------------------------------------- hosted extensions

/// What went wrong with hosted extensions: their loads, their host. `fails` of one foresees it.
struct HostTrouble {
  std::int64_t seq = -1;
  std::string extension;
  std::string message;
};

std::vector<HostTrouble> host_troubles(const Scenario& scenario, const Trace& trace) {
  const auto is_hosted = [&scenario](const std::string& path) {
    return std::ranges::any_of(scenario.extensions, [&path](const ExtensionScript& one) {
      return !one.hosted.empty() && one.path == path;
    });
  };
  std::vector<HostTrouble> troubles;
  for (const auto& event : trace.events) {
    const auto* load = event.as<Load>();
    if (load != nullptr && load->phase == "failed" && is_hosted(load->extension)) {
      troubles.push_back({event.seq, load->extension, load->error});
    }
    const auto* diagnostic = event.as<Diagnostic>();
    if (diagnostic != nullptr && diagnostic->code == "extension_host") {
      troubles.push_back({event.seq, diagnostic->path, diagnostic->message});
    }
  }
  return troubles;
}

/// Each hosted extension loads and keeps its host alive, unless it is said to fail.
void check_hosted(const Scenario& scenario, const Trace& trace, Unmets& unmets) {
  auto troubles = host_troubles(scenario, trace);
  for (const auto& script : scenario.extensions) {
    if (script.hosted.empty()) continue;
    const Compared compared{"hosted extension '" + script.path + "'", script.place, -1};
    const auto is_own = [&](const HostTrouble& one) { return one.extension == script.path; };
    const auto first = std::ranges::find_if(troubles, is_own);
    if (script.fails.empty() && first == troubles.end()) continue;
    if (script.fails.empty()) {
      unmets.add({compared.what, compared.place, first->seq}, "fails", "no failure",
                 first->message);
    } else if (first == troubles.end()) {
      unmets.add(compared, "does not fail", script.fails, "no failure");
    } else if (!first->message.contains(script.fails)) {
      unmets.add({compared.what, compared.place, first->seq}, "fails otherwise", script.fails,
                 first->message);
    }
    std::erase_if(troubles, is_own);
  }
  for (const auto& trouble : troubles) {
    unmets.add({"the host of extensions", Place{}, trouble.seq}, "fails", "no failure",
               trouble.message);
  }
}

// ---------------------------------------------------------------- what a subject does not show

bool shows(const TraceHeader& header, std::string_view kind) {
  return std::ranges::find(header.emits, kind) != header.emits.end();
}

/// Of patterns those that the subject could show; an order needs all of its own.
void forget_unseen_events(Expectations& expect, const TraceHeader& header) {
  std::erase_if(expect.events, [&header](const EventExpectation& expected) {
    return std::ranges::any_of(expected.patterns, [&header](const Trigger& trigger) {
      return !shows(header, trigger.pattern.kind);
    });
  });
}

/// What the subject cannot show is neither met nor unmet.
void forget_unseen(Expectations& expect, const TraceHeader& header) {
  if (!shows(header, FinalFiles::kKind)) expect.files.clear();
  if (!shows(header, ToolExecutionEnd::kKind)) expect.results.clear();
  if (!shows(header, CallOutcome::kKind)) {
    for (auto& result : expect.results) result.cause.clear();
  }
  if (!shows(header, ProviderRequest::kKind)) {
    expect.requests.clear();
    expect.request_count.reset();
  }
  if (!shows(header, LlmError::kKind)) expect.llm_errors.clear();
  const bool shows_end = shows(header, AgentSettled::kKind) && shows(header, MessageEnd::kKind);
  if (!shows_end) expect.settled.reset();
  forget_unseen_events(expect, header);
}

std::vector<Unmet> unmet_in(const Scenario& scenario, const Trace& trace) {
  Unmets unmets;
  check_files(scenario, trace, unmets);
  check_results(scenario, trace, unmets);
  check_requests(scenario, trace, unmets);
  check_events(scenario, trace, unmets);
  check_llm_errors(scenario, trace, unmets);
  check_hosted(scenario, trace, unmets);
  check_end(scenario, trace, unmets);
  return unmets.take();
}

}  // namespace

std::vector<Unmet> unmet_expectations(const Scenario& stated, const Trace& trace) {
  // They say what the scenario's own edition does; an engine of another is judged by the rules.
  const bool is_seed = stated.edition == Edition::seed;
  if (trace.header.edition != (is_seed ? "seed" : "pi-1.6.0")) return {};
  Expectations seen = stated.expect;
  forget_unseen(seen, trace.header);
  if (seen == stated.expect) return unmet_in(stated, trace);
  Scenario scenario = stated;
  scenario.expect = std::move(seen);
  return unmet_in(scenario, trace);
}

}  // namespace plumb::simulator
