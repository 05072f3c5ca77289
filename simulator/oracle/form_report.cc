// SPDX-License-Identifier: Apache-2.0
#include "simulator/oracle/form_report.h"

#include <algorithm>
#include <array>

#include "engine/values/suggest.h"
#include "simulator/oracle/form_values.h"
#include "simulator/script/words.h"

namespace plumb::simulator {
namespace {

/// Whatever part of a path is so short is a name that file systems take.
constexpr std::int64_t kPathBytesMax = 255;

std::vector<FieldForm> fields_of(std::string_view list) {
  std::vector<FieldForm> fields;
  while (!list.empty()) {
    std::string_view word = list.substr(0, list.find(' '));
    list.remove_prefix(std::min(word.size() + 1, list.size()));
    FieldForm field;
    field.is_required = word.ends_with('!');
    if (field.is_required) word.remove_suffix(1);
    field.name = word.substr(0, word.find(':'));
    field.kind = word.substr(word.find(':') + 1);
    fields.push_back(field);
  }
  return fields;
}

/// KIND:start|end|fail of an operation, or one of the single words.
bool is_event(std::string_view text) {
  constexpr std::array<std::string_view, 4> words{"start", "abort", "update", "settled"};
  constexpr std::array<std::string_view, 4> operations{"access", "read", "write", "job"};
  constexpr std::array<std::string_view, 3> phases{"start", "end", "fail"};
  const auto colon = text.find(':');
  if (colon == 0 || colon == text.npos) return false;
  const auto event = text.substr(colon + 1);
  const auto second = event.find(':');
  if (second == event.npos) return std::ranges::count(words, event) > 0;
  return std::ranges::count(operations, event.substr(0, second)) > 0 &&
         std::ranges::count(phases, event.substr(second + 1)) > 0;
}

/// The call that an event "A:write:start" is of.
std::string_view call_of_event(std::string_view event) {
  return event.substr(0, event.find(':'));
}

}  // namespace

std::string below(const std::string& pointer, std::string_view token) {
  return pointer + "/" + pointer_escape(token);
}

std::string below(const std::string& pointer, std::size_t index) {
  return pointer + "/" + std::to_string(index);
}

std::string hint(std::string_view word, std::span<const std::string_view> known) {
  const auto close = did_you_mean(word, known);
  return close.empty() ? "" : "; did you mean '" + close + "'?";
}

void FormReport::report(std::string pointer, std::string message, bool at_key) {
  problems.push_back({std::move(pointer), std::move(message), at_key});
}

bool FormReport::check_object(const Json& json, const std::string& at, std::string_view list,
                              bool takes_any) {
  if (!json.is_object()) {
    report(at, "expected an object");
    return false;
  }
  const auto before = problems.size();
  const auto fields = fields_of(list);
  // A key that is not known is often the one that is missing.
  if (!takes_any) check_keys(json, at, fields);
  for (const auto& field : fields) {
    const auto found = json.find(std::string(field.name));
    if (found != json.end()) {
      check_kind(*found, below(at, field.name), field.name, field.kind);
    } else if (field.is_required) {
      report(at, "key " + in_quotes(field.name) + " is missing");
    }
  }
  return problems.size() == before;
}

void FormReport::check_keys(const Json& json, const std::string& at,
                            const std::vector<FieldForm>& fields) {
  std::vector<std::string_view> names;
  for (const auto& field : fields) names.push_back(field.name);
  for (const auto& [key, value] : json.items()) {
    if (std::ranges::count(names, key) > 0) continue;
    report(below(at, key), "unknown key " + in_quotes(key) + hint(key, names), true);
  }
}

void FormReport::check_kind(const Json& value, const std::string& at, std::string_view name,
                            std::string_view kind) {
  if (is_of_kind(value, kind)) return;
  report(at, in_quotes(name) + " must be " + kind_phrase(kind));
}

void FormReport::check_word(const Json& word, const std::string& at, std::string_view what,
                            std::span<const std::string_view> known) {
  if (!word.is_string()) return;
  const auto& text = word.get_ref<const std::string&>();
  if (std::ranges::count(known, text) > 0) return;
  report(at, "unknown " + std::string(what) + " " + in_quotes(text) + hint(text, known));
}

void FormReport::check_inside(const Json& path, const std::string& at) {
  if (!path.is_string()) return;
  const auto& text = path.get_ref<const std::string&>();
  const std::string segments = "/" + text + "/";
  if (text.empty() || text.starts_with('/') || segments.contains("/../")) {
    return report(at, "expected a path within the folder of the row");
  }
  if (std::ssize(text) > kPathBytesMax) {
    report(at, "expected a path of at most " + std::to_string(kPathBytesMax) + " bytes");
  }
  check_no_zero(path, at);
}

void FormReport::check_no_zero(const Json& text, const std::string& at) {
  if (text.get_ref<const std::string&>().contains('\0')) report(at, "expected no zero byte");
}

void FormReport::check_modes(const Json& json, const std::string& at) {
  const Json modes = json.value("modes", Json::object());
  for (const auto& [path, mode] : modes.items()) {
    check_inside(path, below(at + "/modes", path));
    check_kind(mode, below(at + "/modes", path), path, "mode");
  }
}

void FormReport::check_environment(const Json& json, const std::string& at) {
  const Json variables = json.value("env", Json::object());
  for (const auto& [name, value] : variables.items()) {
    const std::string place = below(at + "/env", name);
    if (!is_variable_name(name)) report(place, in_quotes(name) + " cannot name a variable", true);
    if (value.is_structured() || value.is_null()) {
      report(place, in_quotes(name) + " must be a string, a number, true or false");
    }
    if (value.is_string()) check_no_zero(value, place);
  }
}

void FormReport::check_error(const Json& json, const std::string& at) {
  if (!json.is_object() || !json.contains("error")) return;
  check_object(json["error"], below(at, "error"), kErrorForm);
}

void FormReport::check_event(const Json& event, const std::string& at) {
  if (!event.is_string() || !is_event(event.get_ref<const std::string&>())) {
    return report(
        at, "expected an event such as 'A:write:start', found " + in_quotes(dump_json(event)));
  }
  check_call_name(Json(call_of_event(event.get_ref<const std::string&>())), at);
}

void FormReport::check_call_name(const Json& name, const std::string& at) {
  const std::vector<std::string_view> known(calls.begin(), calls.end());
  check_word(name, at, "call", known);
}

}  // namespace plumb::simulator
