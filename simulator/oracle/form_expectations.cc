// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "simulator/oracle/form_report.h"
#include "simulator/oracle/form_values.h"

namespace plumb::simulator {
namespace {

bool is_system_error(std::string_view name) {
  return name.size() > 1 && name[0] == 'E' && std::ranges::all_of(name.substr(1), [](char c) {
           return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
         });
}

void check_hint(FormReport& form, const Json& json, const char* key, const std::string& at) {
  const Json value = json.value(key, Json());
  if (value.is_null() || value.is_boolean() || value.is_string()) return;
  form.report(below(at, key), "'" + std::string(key) + "' must be a string, true, false or null");
}

/// Long texts stand anywhere in a value as their digest.
void check_digests(FormReport& form, const Json& value, const std::string& at) {
  if (value.is_object() && value.value("long", Json()) == Json(true)) {
    form.check_object(value, at, kLongTextForm);
  } else if (value.is_object()) {
    for (const auto& [key, member] : value.items()) check_digests(form, member, below(at, key));
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) check_digests(form, value[i], below(at, i));
  }
}

/// Values of any kind, but not of every kind.
void check_values(FormReport& form, const Json& expect, const std::string& at) {
  for (const char* key : {"details", "structured"}) {
    const Json value = expect.value(key, Json());
    const bool is_same = key == std::string_view("structured") && value == "same-as-text";
    if (value.is_object() || value.is_null() || is_same) continue;
    form.report(below(at, key), "'" + std::string(key) + "' must be an object or null");
  }
  for (const char* key : {"update_truncated_by", "update_output_file"}) {
    check_hint(form, expect, key, at);
  }
  for (const char* key : {"details", "structured", "value", "transcript_input_after"}) {
    if (expect.contains(key)) check_digests(form, expect[key], below(at, key));
  }
}

void check_block(FormReport& form, const Json& block, const std::string& at) {
  constexpr std::array<std::string_view, 2> types{"text", "image"};
  if (!form.check_object(block, at, kBlockForm)) return;
  form.check_word(block.value("type", Json("text")), below(at, "type"), "type of block", types);
  check_hint(form, block, "notice", at);
  const Json lines = block.value("lines_from", Json(""));
  if (!lines.is_string()) form.check_kind(lines, below(at, "lines_from"), "lines_from", "strings");
  if (!block.contains("text")) return;
  const Json& text = block["text"];
  if (text.is_object()) {
    form.check_object(text, below(at, "text"), kLongTextForm);
  } else if (!text.is_string()) {
    form.report(below(at, "text"), "'text' must be a string or the digest of a long one");
  }
}

}  // namespace

void check_expectation(FormReport& form, const Json& expect, const std::string& at,
                       const OperationForm& operation) {
  if (!form.check_object(expect, at, operation.expect)) return;
  if (expect.empty()) form.report(at, "the expectation is empty");
  if (expect.contains("class") && !is_system_error(expect["class"].get<std::string>())) {
    form.check_word(expect["class"], below(at, "class"), "class", oracle_classes());
  }
  if (operation.name != "call" && operation.name != "start") return;
  form.check_each(expect, "content", at, [&](const Json& block, const std::string& place) {
    check_block(form, block, place);
  });
  check_values(form, expect, at);
  if (expect.contains("updates")) {
    form.check_object(expect["updates"], below(at, "updates"), kUpdatesForm);
  }
  if (expect.contains("output_file")) {
    form.check_object(expect["output_file"], below(at, "output_file"), kOutputFileForm);
  }
}

void check_end(FormReport& form, const Json& end) {
  if (!form.check_object(end, "/expect", kEndForm)) return;
  form.check_modes(end, "/expect");
  form.check_each(end, "keys_sorted", "/expect",
                  [&](const Json& path, const std::string& at) { form.check_inside(path, at); });
  const Json states = end.value("files", Json::object());
  for (const auto& [path, state] : states.items()) {
    form.check_inside(path, below("/expect/files", path));
    form.check_object(state, below("/expect/files", path), kFileStateForm);
    if (state.is_object() && state.empty()) {
      form.report(below("/expect/files", path), "the state is empty");
    }
  }
  for (const char* key : {"log", "never"}) {
    form.check_each(end, key, "/expect",
                    [&](const Json& event, const std::string& at) { form.check_event(event, at); });
  }
  constexpr std::array<std::string_view, 8> kinds{"access", "read",  "write",  "job",
                                                  "start",  "abort", "update", "settled"};
  form.check_each(end, "log_kinds", "/expect", [&](const Json& kind, const std::string& at) {
    form.check_word(kind, at, "kind of event", kinds);
  });
  form.check_each(end, "before", "/expect", [&](const Json& pair, const std::string& at) {
    if (!pair.is_array() || pair.size() != 2) return form.report(at, "expected a pair of events");
    for (std::size_t i = 0; i < 2; ++i) form.check_event(pair[i], below(at, i));
  });
}

}  // namespace plumb::simulator
