// SPDX-License-Identifier: Apache-2.0
#include "simulator/oracle/form.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string_view>

#include "engine/values/suggest.h"
#include "simulator/oracle/form_tables.h"

namespace plumb::simulator {
namespace {

/// One entry of a field list: "NAME:KIND", "NAME:KIND!" for one that must be there.
struct FieldForm {
  std::string_view name;
  std::string_view kind;
  bool is_required = false;
};

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

bool is_of_kind(const Json& value, std::string_view kind) {
  if (kind == "string") return value.is_string();
  if (kind == "number") return value.is_number();
  if (kind == "bool") return value.is_boolean();
  if (kind == "object") return value.is_object();
  if (kind == "array") return value.is_array();
  if (kind == "strings") {
    return value.is_array() &&
           std::ranges::all_of(value, [](const Json& one) { return one.is_string(); });
  }
  return true;
}

std::string kind_phrase(std::string_view kind) {
  if (kind == "strings") return "a list of strings";
  if (kind == "array") return "a list";
  if (kind == "object") return "an object";
  if (kind == "bool") return "true or false";
  return "a " + std::string(kind);
}

std::string hint(std::string_view word, std::span<const std::string_view> known) {
  const auto close = did_you_mean(word, known);
  return close.empty() ? "" : "; did you mean '" + close + "'?";
}

std::string below(const std::string& pointer, std::string_view token) {
  return pointer + "/" + pointer_escape(token);
}

std::string below(const std::string& pointer, std::size_t index) {
  return pointer + "/" + std::to_string(index);
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

bool is_system_error(std::string_view name) {
  return name.size() > 1 && name[0] == 'E' && std::ranges::all_of(name.substr(1), [](char c) {
           return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
         });
}

const OperationForm* operation_named(std::string_view name) {
  const auto all = oracle_operations();
  const auto found = std::ranges::find(all, name, &OperationForm::name);
  return found == all.end() ? nullptr : &*found;
}

class FormCheck final {
 public:
  void check_row(const Json& row) {
    if (!check_object(row, "", kRowForm)) return;
    check_words(row, "needs", "need", oracle_needs());
    check_edition(row);
    check_each(row, "quirk", "", [&](const Json& quirk, const std::string& at) {
      check_object(quirk, at, kQuirkForm);
    });
    if (row.contains("setup")) check_setup(row["setup"]);
    check_each(row, "steps", "",
               [&](const Json& step, const std::string& at) { check_step(step, at); });
    if (row.contains("expect")) check_end(row["expect"]);
    if (problems.empty()) check_whole(row);
  }

  std::vector<FormProblem> problems;

 private:
  void report(std::string pointer, std::string message, bool at_key = false) {
    problems.push_back({std::move(pointer), std::move(message), at_key});
  }

  /// Whether all that must be there is, of the right kind, and nothing else.
  bool check_object(const Json& json, const std::string& at, std::string_view list,
                    bool takes_any = false) {
    if (!json.is_object()) {
      report(at, "expected an object");
      return false;
    }
    const auto before = problems.size();
    const auto fields = fields_of(list);
    for (const auto& field : fields) {
      const auto found = json.find(std::string(field.name));
      const std::string name = "'" + std::string(field.name) + "'";
      if (found == json.end()) {
        if (field.is_required) report(at, "key " + name + " is missing");
      } else if (!is_of_kind(*found, field.kind)) {
        report(below(at, field.name), name + " must be " + kind_phrase(field.kind));
      }
    }
    if (!takes_any) check_keys(json, at, fields);
    return problems.size() == before;
  }

  void check_keys(const Json& json, const std::string& at, const std::vector<FieldForm>& fields) {
    std::vector<std::string_view> names;
    for (const auto& field : fields) names.push_back(field.name);
    for (const auto& [key, value] : json.items()) {
      if (std::ranges::count(names, key) > 0) continue;
      report(below(at, key), "unknown key '" + key + "'" + hint(key, names), true);
    }
  }

  template <class Check>
  void check_each(const Json& json, const char* key, const std::string& at, Check check) {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_array()) return;
    for (std::size_t i = 0; i < found->size(); ++i) check((*found)[i], below(below(at, key), i));
  }

  void check_word(const Json& word, const std::string& at, std::string_view what,
                  std::span<const std::string_view> known) {
    if (!word.is_string()) return;
    const auto& text = word.get_ref<const std::string&>();
    if (std::ranges::count(known, text) > 0) return;
    report(at, "unknown " + std::string(what) + " '" + text + "'" + hint(text, known));
  }

  void check_words(const Json& json, const char* key, std::string_view what,
                   std::span<const std::string_view> known) {
    check_each(json, key, "",
               [&](const Json& word, const std::string& at) { check_word(word, at, what, known); });
  }

  void check_edition(const Json& row) {
    if (row.contains("edition"))
      check_word(row["edition"], "/edition", "edition", oracle_editions());
  }

  void check_setup(const Json& setup) {
    if (!check_object(setup, "/setup", kSetupForm)) return;
    check_each(setup, "files", "/setup",
               [&](const Json& file, const std::string& at) { check_file(file, at); });
    for (const char* key : {"symlinks", "hardlinks"}) {
      check_each(setup, key, "/setup", [&](const Json& link, const std::string& at) {
        if (check_object(link, at, kLinkForm)) check_inside(link["path"], below(at, "path"));
      });
    }
    check_each(setup, "hardlinks", "/setup", [&](const Json& link, const std::string& at) {
      if (link.is_object()) check_inside(link.value("target", Json()), below(at, "target"));
    });
    check_each(setup, "dirs", "/setup",
               [&](const Json& folder, const std::string& at) { check_inside(folder, at); });
    if (setup.contains("home")) check_inside(setup["home"], "/setup/home");
    const Json modes = setup.value("modes", Json::object());
    for (const auto& [path, _] : modes.items()) check_inside(path, below("/setup/modes", path));
  }

  /// What a row makes and changes lies in its own folder.
  void check_inside(const Json& path, const std::string& at) {
    if (!path.is_string()) return;
    const auto& text = path.get_ref<const std::string&>();
    const std::string segments = "/" + text + "/";
    if (text.empty() || text.starts_with('/') || segments.contains("/../")) {
      report(at, "expected a path within the folder of the row");
    }
  }

  void check_file(const Json& file, const std::string& at) {
    if (!check_object(file, at, kFileForm)) return;
    check_inside(file["path"], below(at, "path"));
    constexpr std::array<const char*, 4> bodies{"text", "b64", "gen", "extension"};
    if (std::ranges::count_if(bodies, [&](const char* key) { return file.contains(key); }) != 1) {
      report(at, "a file has one of text, b64, gen and extension");
    }
    if (file.contains("gen")) check_generated(file["gen"], below(at, "gen"));
    if (file.contains("extension")) check_extension(file["extension"], below(at, "extension"));
  }

  void check_generated(const Json& gen, const std::string& at) {
    constexpr std::array<std::string_view, 2> kinds{"lines", "repeat"};
    const Json kind = gen.value("kind", Json());
    check_word(kind, below(at, "kind"), "kind of generated file", kinds);
    check_object(gen, at, kind == "repeat" ? kGeneratedRepeatForm : kGeneratedLinesForm);
  }

  void check_extension(const Json& extension, const std::string& at) {
    if (!check_object(extension, at, kExtensionForm) || !extension.contains("fail")) return;
    constexpr std::array<std::string_view, 4> ways{"throw", "syntax", "no factory",
                                                   "action in factory"};
    check_word(extension["fail"], below(at, "fail"), "way to fail", ways);
  }

  void check_step(const Json& step, const std::string& at) {
    if (!check_object(step, at, kStepForm)) return;
    const auto& op = step["op"].get_ref<const std::string&>();
    const OperationForm* form = operation_named(op);
    if (form == nullptr) {
      std::vector<std::string_view> names;
      for (const auto& known : oracle_operations()) names.push_back(known.name);
      return report(below(at, "op"), "unknown op '" + op + "'" + hint(op, names));
    }
    const bool is_read = check_object(step["args"], below(at, "args"), form->args, form->takes_any);
    if (step.contains("expect")) check_expectation(step["expect"], below(at, "expect"), *form);
    if (is_read) check_operation(op, step, at);
  }

  void check_operation(std::string_view op, const Json& step, const std::string& at) {
    const Json& args = step["args"];
    if (op == "abort") return check_abort(step, at);
    if (step.contains("at")) report(below(at, "at"), "'at' belongs to abort alone", true);
    if (op == "call" || op == "start") check_call(args, below(at, "args"));
    if (op == "inject") check_injection(args, below(at, "args"));
    if (op == "session.append") check_entry(args, below(at, "args"));
    if (op == "fs") {
      constexpr std::array<std::string_view, 4> verbs{"write", "rename", "mkdir", "symlink"};
      check_word(args["do"], below(below(at, "args"), "do"), "change", verbs);
      for (const char* key : {"path", "to"}) {
        check_inside(args.value(key, Json()), below(below(at, "args"), key));
      }
    }
    if (op == "fn") {
      constexpr std::array<std::string_view, 4> names{"truncateHead", "truncateTail",
                                                      "truncateLine", "formatSize"};
      check_word(args["name"], below(below(at, "args"), "name"), "function", names);
    }
  }

  void check_abort(const Json& step, const std::string& at) {
    const Json when = step.value("at", Json::object());
    const bool is_before = when.size() == 1 && when.value("before", Json()) == "start";
    const Json event = when.value("event", Json());
    const bool is_after = when.size() == 2 && event.is_string() &&
                          is_event(event.get<std::string>()) &&
                          when.value("after_ms", Json()).is_number();
    if (is_before || is_after) return;
    report(step.contains("at") ? below(at, "at") : at,
           "abort needs at: {before: start} or {event, after_ms}");
  }

  void check_call(const Json& args, const std::string& at) {
    if (args.contains("tool") == args.contains("job")) {
      return report(at, "a call has a tool or a job");
    }
    if (args.contains("job")) return check_job(args["job"], below(at, "job"));
    check_word(args["tool"], below(at, "tool"), "tool", oracle_tools());
    if (!args.contains("input")) report(at, "key 'input' is missing");
    if (args.contains("options")) check_options(args["options"], below(at, "options"));
  }

  void check_job(const Json& job, const std::string& at) {
    if (!check_object(job, at, kJobForm)) return;
    constexpr std::array<std::string_view, 2> ways{"later", "at once"};
    if (job.contains("fail")) check_word(job["fail"], below(at, "fail"), "way to fail", ways);
    if (job.contains("nested")) check_job(job["nested"], below(at, "nested"));
  }

  void check_options(const Json& options, const std::string& at) {
    if (!check_object(options, at, kOptionsForm)) return;
    if (options.contains("spawnHook")) {
      const Json& hook = options["spawnHook"];
      check_object(hook, below(at, "spawnHook"), kSpawnHookForm);
      check_error(hook, below(at, "spawnHook"));
    }
    if (options.contains("backend")) {
      check_object(options["backend"], below(at, "backend"), kBackendForm);
    }
    check_each(options, "exec", at, [&](const Json& act, const std::string& place) {
      check_object(act, place, kExecForm);
      check_error(act, place);
    });
  }

  void check_error(const Json& json, const std::string& at) {
    if (!json.is_object() || !json.contains("error")) return;
    check_object(json["error"], below(at, "error"), kErrorForm);
  }

  void check_injection(const Json& args, const std::string& at) {
    constexpr std::array<std::string_view, 3> operations{"access", "read", "write"};
    check_word(args["operation"], below(at, "operation"), "operation", operations);
    check_error(args, at);
    if (!args.contains("error") && !args.contains("delay_ms") && !args.contains("until")) {
      report(at, "inject needs error, delay_ms or until");
    }
    if (args.contains("until")) check_event(args["until"], below(at, "until"));
  }

  void check_entry(const Json& args, const std::string& at) {
    const auto& type = args["type"].get_ref<const std::string&>();
    const auto* form = oracle_entry_form(type);
    check_word(args["type"], below(at, "type"), "type of entry", oracle_entry_types());
    if (form != nullptr) check_object(args, at, *form, true);
  }

  void check_event(const Json& event, const std::string& at) {
    if (event.is_string() && is_event(event.get_ref<const std::string&>())) return;
    report(at, "expected an event such as 'A:write:start', found " + dump_json(event));
  }

  void check_expectation(const Json& expect, const std::string& at, const OperationForm& form) {
    if (!check_object(expect, at, form.expect)) return;
    if (expect.empty()) report(at, "the expectation is empty");
    if (expect.contains("class") && !is_system_error(expect["class"].get<std::string>())) {
      check_word(expect["class"], below(at, "class"), "class", oracle_classes());
    }
    if (form.name != "call" && form.name != "start") return;
    check_each(expect, "content", at,
               [&](const Json& block, const std::string& place) { check_block(block, place); });
    if (expect.contains("updates")) {
      check_object(expect["updates"], below(at, "updates"), kUpdatesForm);
    }
    if (expect.contains("output_file")) {
      check_object(expect["output_file"], below(at, "output_file"), kOutputFileForm);
    }
  }

  void check_block(const Json& block, const std::string& at) {
    if (!check_object(block, at, kBlockForm) || !block.contains("text")) return;
    const Json& text = block["text"];
    if (text.is_object()) {
      check_object(text, below(at, "text"), kLongTextForm);
    } else if (!text.is_string()) {
      report(below(at, "text"), "'text' must be a string or the digest of a long one");
    }
  }

  void check_end(const Json& end) {
    if (!check_object(end, "/expect", kEndForm)) return;
    const Json states = end.value("files", Json::object());
    for (const auto& [path, state] : states.items()) {
      check_object(state, below("/expect/files", path), kFileStateForm);
      if (state.is_object() && state.empty()) {
        report(below("/expect/files", path), "the state is empty");
      }
    }
    for (const char* key : {"log", "never"}) {
      check_each(end, key, "/expect",
                 [&](const Json& event, const std::string& at) { check_event(event, at); });
    }
    check_each(end, "before", "/expect", [&](const Json& pair, const std::string& at) {
      if (!pair.is_array() || pair.size() != 2) return report(at, "expected a pair of events");
      for (std::size_t i = 0; i < 2; ++i) check_event(pair[i], below(at, i));
    });
  }

  /// What concerns the row as a whole.
  void check_whole(const Json& row) {
    const Json& steps = row["steps"];
    if (steps.empty()) return report("/steps", "no steps");
    bool has_expectation = !row.value("expect", Json::object()).empty();
    std::multiset<std::string> started;
    std::multiset<std::string> joined;
    for (const auto& step : steps) {
      has_expectation = has_expectation || step.contains("expect");
      const Json& args = step["args"];
      if (step["op"] == "start") started.insert(args["as"].get<std::string>());
      if (step["op"] != "join") continue;
      for (const auto& call : args["calls"]) joined.insert(call.get<std::string>());
    }
    if (!has_expectation) report("", "the row expects nothing");
    if (started != joined) report("/steps", "each started call must be joined once");
    const Json needs = row.value("needs", Json::array());
    if (row.value("setup", Json::object()).contains("uid") &&
        std::ranges::find(needs, Json("unprivileged")) == needs.end()) {
      report("/setup/uid", "uid without needs: unprivileged", true);
    }
  }
};

}  // namespace

std::vector<FormProblem> check_oracle_form(const Json& row) {
  FormCheck check;
  check.check_row(row);
  return std::move(check.problems);
}

}  // namespace plumb::simulator
