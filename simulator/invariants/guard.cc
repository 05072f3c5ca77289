// SPDX-License-Identifier: Apache-2.0
// What tools and gates owe on their own side: the last look at the arguments, a gate without a
// user, the signal, sequential marks, secrets. They tell of themselves by notes; what they do shows
// at the ports.
#include <algorithm>

#include "simulator/invariants/bash_view.h"
#include "simulator/invariants/domains.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

bool changes_the_world(const Event& event) {
  if (event.as<ProcessStart>() != nullptr) return true;
  const auto* operation = event.as<FileOperation>();
  if (operation == nullptr || operation->phase != "begin") return false;
  return operation->op == "write" || operation->op == "append" || operation->op == "remove" ||
         operation->op == "rename";
}

/// What execute did to files and processes.
std::vector<const Event*> effects_of(const Call& call) {
  std::vector<const Event*> effects;
  const auto begun = seq_of(call, "execute_begin");
  for (const Event* event : call.events) {
    if (begun >= 0 && event->seq > begun && changes_the_world(*event)) effects.push_back(event);
  }
  return effects;
}

const Event* guard_end(const Call& call) {
  return first(call, "tool_execution_end");
}

/// The last note of a topic before `seq`, or null.
const Event* note_before(const Call& call, std::string_view topic, std::int64_t seq) {
  const Event* found = nullptr;
  for (const Event* event : call.events) {
    const auto* note = event->as<Notify>();
    if (note != nullptr && note->topic == topic && event->seq < seq) found = event;
  }
  return found;
}

const Json& noted_args(const Event& note) {
  return at(note.as<Notify>()->data.get(), "args");
}

// ------------------------------------------------------------------ approvals

/// A note `approval` holds the arguments that somebody agreed to.
bool was_approved_and_ran(const Call& call, const Story& story) {
  return has_executed(call) &&
         note_before(call, "approval", seq_of(call, "execute_begin")) != nullptr &&
         abort_during(call, story) < 0;
}

Complaint approval_covers_effects(const Call& call, const Story&) {
  for (const Event* effect : effects_of(call)) {
    const Event* approval = note_before(call, "approval", effect->seq);
    if (auto other = differ("the call acts with other arguments than were approved",
                            noted_args(*approval), begin_of(call)->args.get(), effect)) {
      return other;
    }
  }
  return std::nullopt;
}

/// A note `final_check` of the tool holds the arguments that it looked at and its verdict.
Complaint last_layer_decides(const Call& call, const Story& story) {
  const auto begun = seq_of(call, "execute_begin");
  for (const Event* effect : effects_of(call)) {
    const Event* check = note_before(call, "final_check", effect->seq);
    if (check == nullptr || check->seq < begun) {
      return finding("the call acts without a final check in its execute", effect);
    }
    if (auto other = differ("the final check looked at other arguments than execute got",
                            begin_of(call)->args.get(), noted_args(*check), effect)) {
      return other;
    }
    if (view_at(check->as<Notify>()->data.get(), "verdict") != "allow") {
      return finding("the call acts although the final check said no", effect);
    }
  }
  const Event* check = note_before(call, "final_check", story.last_seq + 1);
  const bool is_denied =
      check != nullptr && view_at(check->as<Notify>()->data.get(), "verdict") == "deny";
  return require(!is_denied || is_error(call), "a call that the final check denied succeeds",
                 guard_end(call));
}

// ------------------------------------------------------------------ own checks

/// The tool says in its annotations that it checks its arguments itself.
bool got_unfit_arguments(const Call& call, const Story& story) {
  const Json* tool = tool_of(call, story);
  if (tool == nullptr || !has_executed(call) || settled_of(call) == nullptr) return false;
  if (at(at(*tool, "annotations"), "checksArguments") != true) return false;
  const Json& minimum = at(at(*tool, "annotations"), "minimum");
  if (!minimum.is_object()) return false;
  const Json& args = begin_of(call)->args.get();
  const auto limits = minimum.items();
  return std::any_of(limits.begin(), limits.end(), [&](const auto& limit) {
    return at(args, limit.key()).is_number() && at(args, limit.key()) < limit.value();
  });
}

Complaint refuses_by_itself(const Call& call, const Story&) {
  if (!effects_of(call).empty()) {
    return finding("the tool acts on arguments that do not fit", effects_of(call).front());
  }
  return require(settled_of(call)->outcome != "ok", "the tool runs with arguments that do not fit",
                 first(call, "execute_end"));
}

// ------------------------------------------------------------------ a gate without a user

/// HOOK-25: a gate that asked in vain blocks, with a reason.
class SilentGateChecker final : public Checker {
 public:
  static std::vector<std::string_view> kinds() { return {"ui_answer", "hook_return"}; }

  void see(const Event& event, const Story& story, Report& report) override {
    const auto* answer = event.as<UiAnswer>();
    if (answer != nullptr && answer->by == "no_ui") unanswered_.emplace_back(event.call);
    const auto* returned = event.as<HookReturn>();
    if (returned == nullptr || returned->event != "tool_call") return;
    if (std::erase(unanswered_, event.call) == 0) return;
    if (abort_during(*call_of(event, story), story) >= 0) return;
    report.trigger();
    calls_.push_back(event.call);
    const bool is_closed = is_block(*returned) || !returned->error.empty();
    report.complain(require(is_closed, "a gate that nobody answered lets the call pass", &event));
    const bool has_reason =
        !returned->error.empty() || !text_at(returned->result.get(), "reason").empty();
    report.complain(require(has_reason, "a gate that nobody answered gives no reason", &event));
  }

  void finish(const Story& story, Report& report) override {
    for (const auto& id : calls_) {
      const Call* call = call_before(id, story.last_seq + 1, story);
      report.complain(require(!has_executed(*call), "a call that nobody approved is executed",
                              first(*call, "execute_begin")));
    }
  }

 private:
  std::vector<std::string> unanswered_;
  std::vector<std::string> calls_;
};

// ------------------------------------------------------------------ order-dependent tools

/// A file that a call read and then wrote, from the one to the other.
struct UpdateSpan {
  const Call* call = nullptr;
  std::string path;
  const Event* read = nullptr;
  const Event* written = nullptr;
};

void add_spans(const Call& call, std::vector<UpdateSpan>& spans) {
  for (const Event* event : all(call, "file_op")) {
    const auto* operation = event->as<FileOperation>();
    if (operation->op == "read" && operation->phase == "begin") {
      spans.push_back({&call, operation->real_path, event, nullptr});
    }
    if (operation->op != "write" || operation->phase != "end") continue;
    for (auto& span : spans) {
      if (span.call == &call && span.path == operation->real_path) span.written = event;
    }
  }
}

std::vector<UpdateSpan> updates_in(const Batch& batch, const Story& story) {
  std::vector<UpdateSpan> spans;
  for (const auto* call : calls_of(batch, story)) add_spans(*call, spans);
  std::erase_if(spans, [](const UpdateSpan& span) { return span.written == nullptr; });
  return spans;
}

bool updates_one_file_twice(const Batch& batch, const Story& story) {
  const auto spans = updates_in(batch, story);
  for (const auto& one : spans) {
    for (const auto& other : spans) {
      if (one.call != other.call && one.path == other.path) return true;
    }
  }
  return false;
}

Complaint updates_do_not_overlap(const Batch& batch, const Story& story) {
  const auto spans = updates_in(batch, story);
  for (const auto& one : spans) {
    for (const auto& other : spans) {
      const bool is_later = other.read->seq > one.read->seq && one.call != other.call;
      if (!is_later || one.path != other.path || other.read->seq > one.written->seq) continue;
      return contrast(
          "calls " + one.call->id + " and " + other.call->id + " update one file at a time: " +
              one.call->name + " is not marked sequential and takes no lock",
          "call " + one.call->id + " writes " + one.path + " before call " + other.call->id +
              " reads it",
          "call " + other.call->id + " reads at seq " + std::to_string(other.read->seq) +
              ", call " + one.call->id + " writes at seq " + std::to_string(one.written->seq),
          other.read);
    }
  }
  return std::nullopt;
}

// ------------------------------------------------------------------ the signal

/// A call with work at the ports that was running when the abort came.
bool works_at_abort(const Call& call, const Story& story) {
  const auto abort = abort_during(call, story);
  const bool has_work =
      first(call, "file_op") != nullptr || first(call, "process_start") != nullptr;
  return abort >= 0 && has_work && has_executed(call) && settled_of(call) != nullptr &&
         seq_of(call, "execute_begin") < abort && seq_of(call, "execute_end") > abort;
}

/// The log of what bash showed until then: it keeps that of an aborted command too (BASH-04,
/// BASH-15).
bool is_log_of_bash(const Event& effect, const Call& call, const Story& story) {
  const auto* operation = effect.as<FileOperation>();
  if (operation == nullptr || !is_bash_name(call, story)) return false;
  const Json& details = at(settled_of(call)->result.get(), "details");
  return operation->path == text_at(details, "fullOutputPath");
}

Complaint work_ends_with_the_signal(const Call& call, const Story& story) {
  const auto abort = abort_during(call, story);
  for (const Event* effect : effects_of(call)) {
    if (effect->seq > abort && !is_log_of_bash(*effect, call, story))
      return finding("the tool's work goes on after the abort", effect);
  }
  return std::nullopt;
}

// ------------------------------------------------------------------ secrets

/// RESULT-21: a text that the host declared secret reaches neither the model nor the store.
class SecretChecker final : public Checker {
 public:
  static std::vector<std::string_view> kinds() {
    return {"execute_end", "provider_request", "session_entry"};
  }

  void see(const Event& event, const Story& story, Report& report) override {
    for (const auto& secret : strings_in(setting("secrets", story))) {
      const auto* settled = event.as<ExecuteEnd>();
      if (settled != nullptr && settled->result.bytes().contains(secret)) report.trigger();
      if (const auto* request = event.as<ProviderRequest>()) {
        report.complain(require(!adds(*request, secret), "a secret is sent to the model", &event));
      }
      if (const auto* entry = event.as<SessionEntry>()) {
        report.complain(
            require(!entry->data.bytes().contains(secret), "a secret is stored", &event));
      }
    }
  }

 private:
  static bool adds(const ProviderRequest& request, std::string_view text) {
    return std::ranges::any_of(request.append, [&](const RequestBlock& block) {
      return block.body.bytes().contains(text);
    });
  }
};

}  // namespace

std::vector<Rule> guard_rules() {
  return {
      rule("PIPE-10",
           "an approved call acts only after a final_check note of its execute that allows the "
           "arguments it got; a denied one is an error; triggered by a note approval")
          .for_each_call()
          .among({"notify"})
          .when(was_approved_and_ran)
          .expect(last_layer_decides),
      rule("PIPE-11",
           "a tool that checks its arguments itself (annotations checksArguments, minimum) refuses "
           "what falls below")
          .for_each_call()
          .when(got_unfit_arguments)
          .expect(refuses_by_itself),
      rule("HOOK-10",
           "a call acts on files and processes only with the arguments of its last approval note")
          .for_each_call()
          .among({"notify"})
          .when(was_approved_and_ran)
          .expect(approval_covers_effects),
      rule("HOOK-25",
           "a tool_call handler whose dialog got no answer for want of a user blocks with a reason")
          .by<SilentGateChecker>(SilentGateChecker::kinds()),
      rule("BATCH-18",
           "two calls of a batch that read and then write one file do so one after the other")
          .for_each_batch()
          .when(updates_one_file_twice)
          .expect(updates_do_not_overlap),
      rule("ABORT-05",
           "a tool that was running at the abort begins no write, append or process after it; "
           "triggered by one with work at the ports")
          .for_each_call()
          .among({"file_op", "process_start"})
          .when(works_at_abort)
          .expect(work_ends_with_the_signal),
      rule("RESULT-21",
           "no request and no stored entry holds a text of the settings' secrets; triggered by a "
           "tool that returns one")
          .by<SecretChecker>(SecretChecker::kinds()),
  };
}

}  // namespace plumb::invariants
