// SPDX-License-Identifier: Apache-2.0
#include "simulator/oracle/form.h"

#include <algorithm>
#include <array>
#include <set>

#include "simulator/oracle/form_report.h"
#include "simulator/oracle/form_values.h"
#include "simulator/script/words.h"

namespace plumb::simulator {
namespace {

const OperationForm* operation_named(std::string_view name) {
  const auto all = oracle_operations();
  const auto found = std::ranges::find(all, name, &OperationForm::name);
  return found == all.end() ? nullptr : &*found;
}

void check_subject(FormReport& form, std::string_view subject, const std::string& at,
                   bool at_key = false) {
  while (true) {
    const auto word = subject.substr(0, subject.find('+'));
    if (std::ranges::count(oracle_subjects(), word) == 0) {
      return form.report(at, "unknown tool " + in_quotes(word) + hint(word, oracle_subjects()),
                         at_key);
    }
    if (word.size() == subject.size()) return;
    subject.remove_prefix(word.size() + 1);
  }
}

void check_edition(FormReport& form, const Json& row) {
  if (!row.contains("edition")) return;
  form.check_word(row["edition"], "/edition", "edition", oracle_editions());
}

void check_change(FormReport& form, const Json& args, const std::string& at) {
  constexpr std::array<std::string_view, 4> verbs{"write", "rename", "mkdir", "symlink"};
  constexpr std::array<const char*, 4> needed{"text", "to", "path", "target"};
  const auto verb = std::ranges::find(verbs, args["do"].get_ref<const std::string&>());
  form.check_word(args["do"], below(at, "do"), "change", verbs);
  for (const char* key : {"path", "to"}) form.check_inside(args.value(key, Json()), below(at, key));
  if (verb == verbs.end() || args.contains("extension")) return;
  const std::string key = needed.at(static_cast<std::size_t>(verb - verbs.begin()));
  if (!args.contains(key)) form.report(at, "key '" + key + "' is missing");
}

void check_function(FormReport& form, const Json& args, const std::string& at) {
  constexpr std::array<std::string_view, 4> names{"truncateHead", "truncateTail", "truncateLine",
                                                  "formatSize"};
  const auto& name = args["name"].get_ref<const std::string&>();
  form.check_word(args["name"], below(at, "name"), "function", names);
  form.check_kind(args["content"], below(at, "content"), "content",
                  name == "formatSize" ? "count" : "string");
  const Json options = args.value("options", Json());
  if (options.is_null()) return;
  if (name == "truncateLine") {
    return form.check_kind(options, below(at, "options"), "options", "count");
  }
  form.check_object(options, below(at, "options"), kCapsForm);
}

void check_abort(FormReport& form, const Json& step, const std::string& at) {
  const Json when = step.value("at", Json::object());
  const bool is_before = when.size() == 1 && when.value("before", Json()) == "start";
  const Json event = when.value("event", Json());
  const bool is_after =
      when.size() == 2 && event.is_string() && is_of_kind(when.value("after_ms", Json()), "ms");
  if (!is_before && !is_after) {
    form.report(step.contains("at") ? below(at, "at") : at,
                "abort needs at: {before: start} or {event, after_ms}");
  }
  if (is_after) form.check_event(event, below(below(at, "at"), "event"));
  form.check_call_name(step["args"]["call"], below(below(at, "args"), "call"));
}

void check_job(FormReport& form, const Json& job, const std::string& at) {
  if (!form.check_object(job, at, kJobForm)) return;
  constexpr std::array<std::string_view, 2> ways{"later", "at once"};
  if (job.contains("fail")) form.check_word(job["fail"], below(at, "fail"), "way to fail", ways);
  if (job.contains("nested")) check_job(form, job["nested"], below(at, "nested"));
}

void check_hook(FormReport& form, const Json& hook, const std::string& at) {
  if (!form.check_object(hook, at, kSpawnHookForm)) return;
  form.check_error(hook, at);
  form.check_environment(hook, at);
  if (hook.contains("cwd")) form.check_inside(hook["cwd"], below(at, "cwd"));
}

void check_backend(FormReport& form, const Json& backend, const std::string& at) {
  if (!form.check_object(backend, at, kBackendForm)) return;
  for (const char* operation : {"access", "read", "stream"}) {
    if (!backend.contains(operation)) continue;
    form.check_object(backend[operation], below(at, operation), kBackendOperationForm);
    form.check_error(backend[operation], below(at, operation));
  }
}

void check_options(FormReport& form, const Json& options, const std::string& at) {
  if (!form.check_object(options, at, kOptionsForm)) return;
  if (options.contains("spawnHook")) check_hook(form, options["spawnHook"], below(at, "spawnHook"));
  if (options.contains("backend")) check_backend(form, options["backend"], below(at, "backend"));
  form.check_each(options, "exec", at, [&](const Json& act, const std::string& place) {
    form.check_object(act, place, kExecForm);
    form.check_error(act, place);
  });
}

void check_call(FormReport& form, const Json& args, const std::string& at) {
  if (args.contains("tool") == args.contains("job")) {
    return form.report(at, "a call has a tool or a job");
  }
  if (args.contains("job")) return check_job(form, args["job"], below(at, "job"));
  form.check_word(args["tool"], below(at, "tool"), "tool", oracle_tools());
  if (!args.contains("input")) form.report(at, "key 'input' is missing");
  if (args.contains("options")) check_options(form, args["options"], below(at, "options"));
}

void check_injection(FormReport& form, const Json& args, const std::string& at) {
  constexpr std::array<std::string_view, 3> operations{"access", "read", "write"};
  form.check_word(args["operation"], below(at, "operation"), "operation", operations);
  form.check_error(args, at);
  if (!args.contains("error") && !args.contains("delay_ms") && !args.contains("until")) {
    form.report(at, "inject needs error, delay_ms or until");
  }
  if (args.contains("until")) form.check_event(args["until"], below(at, "until"));
  form.check_call_name(args["call"], below(at, "call"));
}

void check_entry(FormReport& form, const Json& args, const std::string& at) {
  const auto& type = args["type"].get_ref<const std::string&>();
  const auto* fields = oracle_entry_form(type);
  form.check_word(args["type"], below(at, "type"), "type of entry", oracle_entry_types());
  if (fields != nullptr) form.check_object(args, at, *fields, true);
}

void check_operation(FormReport& form, std::string_view op, const Json& step,
                     const std::string& at) {
  const Json& args = step["args"];
  if (op == "abort") return check_abort(form, step, at);
  if (step.contains("at")) form.report(below(at, "at"), "'at' belongs to abort alone", true);
  if (op == "call" || op == "start") check_call(form, args, below(at, "args"));
  if (op == "inject") check_injection(form, args, below(at, "args"));
  if (op == "session.append") check_entry(form, args, below(at, "args"));
  if (op == "fs") check_change(form, args, below(at, "args"));
  if (op == "fn") check_function(form, args, below(at, "args"));
}

void check_step(FormReport& form, const Json& step, const std::string& at) {
  if (!form.check_object(step, at, kStepForm)) return;
  const auto& op = step["op"].get_ref<const std::string&>();
  const OperationForm* operation = operation_named(op);
  if (operation == nullptr) {
    std::vector<std::string_view> names;
    for (const auto& known : oracle_operations()) names.push_back(known.name);
    return form.report(below(at, "op"), "unknown op " + in_quotes(op) + hint(op, names));
  }
  const bool is_read =
      form.check_object(step["args"], below(at, "args"), operation->args, operation->takes_any);
  if (step.contains("expect")) {
    check_expectation(form, step["expect"], below(at, "expect"), *operation);
  }
  if (is_read) check_operation(form, op, step, at);
}

void collect_job(FormReport& form, const Json& job) {
  if (!job.is_object()) return;
  if (job.contains("as") && job["as"].is_string()) form.calls.insert(job["as"].get<std::string>());
  collect_job(form, job.value("nested", Json()));
}

void collect_calls(FormReport& form, const Json& steps) {
  for (const auto& step : steps) {
    const Json args = step.is_object() ? step.value("args", Json()) : Json();
    const Json op = args.is_object() ? step.value("op", Json()) : Json();
    if (op != "call" && op != "start") continue;
    const Json name = args.value("as", Json("A"));
    if (name.is_string()) form.calls.insert(name.get<std::string>());
    collect_job(form, args.value("job", Json()));
  }
}

/// Whether each start has its join behind it, before the name is used again.
bool are_joined(const Json& steps) {
  std::set<std::string> open;
  for (const auto& step : steps) {
    const Json& args = step["args"];
    const bool is_call = step["op"] == "call";
    if (is_call && open.contains(args.value("as", "A"))) return false;
    if (step["op"] == "start" && !open.insert(args["as"].get<std::string>()).second) return false;
    if (step["op"] != "join") continue;
    for (const auto& call : args["calls"]) {
      if (open.erase(call.get<std::string>()) == 0) return false;
    }
  }
  return open.empty();
}

/// What concerns the row as a whole.
void check_whole(FormReport& form, const Json& row) {
  const Json& steps = row["steps"];
  if (steps.empty()) return form.report("/steps", "no steps");
  bool has_expectation = !row.value("expect", Json::object()).empty();
  for (const auto& step : steps) has_expectation = has_expectation || step.contains("expect");
  if (!are_joined(steps)) form.report("/steps", "each started call must be joined once");
  if (!has_expectation) form.report("", "the row expects nothing");
  const Json needs = row.value("needs", Json::array());
  if (row.value("setup", Json::object()).contains("uid") &&
      std::ranges::find(needs, Json("unprivileged")) == needs.end()) {
    form.report("/setup/uid", "uid without needs: unprivileged", true);
  }
}

void check_words(FormReport& form, const Json& json, const char* key, std::string_view what,
                 std::span<const std::string_view> known) {
  form.check_each(json, key, "", [&](const Json& word, const std::string& at) {
    form.check_word(word, at, what, known);
  });
}

void check_row(FormReport& form, const Json& row) {
  if (!form.check_object(row, "", kRowForm)) return;
  check_subject(form, row["tool"].get_ref<const std::string&>(), "/tool");
  check_words(form, row, "needs", "need", oracle_needs());
  check_edition(form, row);
  collect_calls(form, row["steps"]);
  form.check_each(row, "quirk", "", [&](const Json& quirk, const std::string& at) {
    if (!form.check_object(quirk, at, kQuirkForm) || !quirk.contains("field")) return;
    form.check_word(quirk["field"], below(at, "field"), "expectation", oracle_expectations());
  });
  if (row.contains("setup")) check_setup(form, row["setup"]);
  form.check_each(row, "steps", "",
                  [&](const Json& step, const std::string& at) { check_step(form, step, at); });
  if (row.contains("expect")) check_end(form, row["expect"]);
  if (form.problems.empty()) check_whole(form, row);
}

void check_meta(FormReport& form, const Json& meta) {
  if (!form.check_object(meta, "", kMetaForm, true)) return;
  if (meta["meta"] != Json(true)) form.report("/meta", "'meta' must be true");
  if (meta.contains("schema") && meta["schema"] != kOracleSchema) {
    form.report("/schema", "unknown schema " + dump_json(meta["schema"]) + ", expected " +
                               std::to_string(kOracleSchema));
  }
  const Json counts = meta.value("counts", Json::object());
  for (const auto& [tool, count] : counts.items()) {
    check_subject(form, tool, below("/counts", tool), true);
    form.check_kind(count, below("/counts", tool), tool, "count");
  }
}

}  // namespace

std::vector<FormProblem> check_oracle_meta(const Json& meta) {
  FormReport form;
  check_meta(form, meta);
  return std::move(form.problems);
}

std::vector<FormProblem> check_oracle_form(const Json& row) {
  FormReport form;
  check_row(form, row);
  return std::move(form.problems);
}

}  // namespace plumb::simulator
