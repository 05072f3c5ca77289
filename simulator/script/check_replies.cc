// SPDX-License-Identifier: Apache-2.0
// Faults of replies: what each kind needs of the reply and which of the other keys it reads. What
// requests replies are meant for.
#include <algorithm>
#include <array>
#include <string_view>

#include "simulator/script/error_list.h"
#include "simulator/script/parse.h"
#include "simulator/script/words.h"

namespace plumb::simulator {
namespace {

/// `calls_min`: of the reply. The flags: keys that the kind reads.
struct FaultForm {
  std::string_view kind;
  std::size_t calls_min;
  bool reads_at;
  bool reads_call;
  bool reads_close;
  bool reads_ms;
};

constexpr std::array<FaultForm, 6> kFaultForms = {{
    {"cut", 0, true, false, true, false},
    {"stall", 0, true, false, false, true},
    {"cut_arguments", 1, true, true, false, false},
    {"garbled_arguments", 1, true, true, false, false},
    {"length", 0, true, false, false, false},
    {"duplicate_ids", 2, false, false, false, false},
}};

void check_fault_keys(const ReplyFaultScript& fault, const FaultForm& form, ErrorList& errors) {
  const auto refuse = [&](bool is_given, bool is_read, std::string_view key) {
    if (!is_given || is_read) return;
    errors.add(fault.place, in_quotes(key) + " has no effect on a fault of kind " + fault.kind);
  };
  refuse(fault.at >= 0, form.reads_at, "at");
  refuse(!fault.call.empty(), form.reads_call, "call");
  refuse(fault.close != "reset", form.reads_close, "close");
  refuse(fault.ms >= 0, form.reads_ms, "ms");
}

void check_reply_fault(const ModelStep& reply, ErrorList& errors) {
  const ReplyFaultScript& fault = *reply.fault;
  const auto* form = std::ranges::find(kFaultForms, fault.kind, &FaultForm::kind);
  if (form == kFaultForms.end()) return;
  check_fault_keys(fault, *form, errors);
  if (reply.fail) {
    errors.add(fault.place, "'fault' beside 'fail', expected one of them");
  }
  if (reply.calls.size() < form->calls_min) {
    errors.add(fault.place, "fault of kind " + fault.kind + " needs a reply with " +
                                (form->calls_min == 1 ? "a call" : "two calls"));
  }
  std::vector<std::string> calls;
  for (const CallScript& call : reply.calls) calls.push_back(call.id);
  if (fault.call.empty() || std::ranges::find(calls, fault.call) != calls.end()) return;
  errors.add(fault.place,
             "fault of unknown call " + in_quotes(fault.call) + advice(fault.call, calls));
}

void check_match(const RequestMatch& match, const NamedPlaces& calls, ErrorList& errors) {
  for (const auto& [call, text] : match.results) {
    if (calls.contains(call)) continue;
    errors.add(match.place, "match of the result of unknown call " + in_quotes(call) +
                                advice(call, names_of(calls)));
  }
}

}  // namespace

void check_replies(const Scenario& scenario, const NamedPlaces& calls, ErrorList& errors) {
  for (const Step& step : scenario.steps) {
    const auto* reply = std::get_if<ModelStep>(&step.action);
    if (reply == nullptr) continue;
    if (reply->fault) check_reply_fault(*reply, errors);
    if (reply->match) check_match(*reply->match, calls, errors);
  }
}

}  // namespace plumb::simulator
