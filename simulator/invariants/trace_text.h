// SPDX-License-Identifier: Apache-2.0
// Hand-made traces for tests, one event a line, written so that a reader sees the story and a
// tamper is one word. Only tests include this.
//
//   good RULE...               rules that the trace exercises and keeps
//   bad RULE: EDIT ;; EDIT     the trace with these changes breaks the rule
//   abridges RULE...           rules that the trace breaks by what it leaves out, and only by that
//   [label:] KIND key=value... one event; values are JSON or bare words; @12 sets the clock
//
// Edits: `drop L`, `move L after M`, `copy L after M`, `L = LINE` (another line in its place).
// Besides event kinds there are lines that stand for what an engine does together:
//   header [edition=..] [live=true] [virtual=false] [hides=[KIND,..]]   what the subject is
//   start {...}                the host's step "start"
//   abort                      the host's step "abort"
//   request [tools=[..]] [system=".."] [raw=[..]] [lineage=..]   everything said so far is sent
//   answer [stop=..] [text=..] [calls=[[id,name,{..}],..]]
//   begin ID | settle ID [text=..] [throw=..] [result={..}] | exec ID ... (both)
//   end ID [text=..] [error=true] [cause=..] [result={..}]       call_outcome and end event
//   result ID                  message_start, message_end, and the message for the next request
//   run | done                 agent_start, turn_start | agent_end, agent_settled
// A trace without lines of these kinds has before_agent_start in each `run` and a session_entry
// after each `say`, `answer` and `result`, which are messages; one with `raw` shows no store. The
// candidates of a registry are its tools unless given. A
// request that declares other tools than the last one of its lineage announces them.
//   say text=..                the user's message, for the next request
//   registers tool|handler NAME [extension=..] | takes_back handler=N
//   hook EVENT ID [extension=..] [index=..] [handler=N] [input=..] [after=..] [returns=..]
//        [error=..] [ms=..]         N counts the lines `registers handler` from 0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/kernel/result.h"
#include "engine/trace/trace.h"

namespace plumb::invariants {

struct TamperedLines {
  std::string rule;
  std::string edits;
};

struct TraceText {
  std::string file;
  std::vector<std::string> lines;
  std::vector<std::string> good;
  std::vector<std::string> abridged;
  std::vector<TamperedLines> bad;
};

TraceText read_trace_text(std::string file, std::string_view text);
/// The lines with the edits of a `bad` line applied.
Result<TraceText> tamper(TraceText text, std::string_view edits);
Result<Trace> build_trace(const TraceText& text);

}  // namespace plumb::invariants
