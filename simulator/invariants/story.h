// SPDX-License-Identifier: Apache-2.0
// What a trace tells, put together while it is walked once: calls, batches, requests, runs, and the
// registry and the active set at any moment. Rules judge these views instead of looking for the
// same facts again. Nothing here knows a scenario or an engine.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/kernel/result.h"
#include "engine/trace/request_fold.h"
#include "engine/trace/trace.h"
#include "engine/values/json.h"
#include "engine/values/json_schema.h"
#include "simulator/cache_model/prefix.h"
#include "simulator/invariants/event_name.h"
#include "simulator/invariants/message_view.h"

namespace plumb::invariants {

/// Index of an event among the names of hooks, behind the kinds; kEventNameCount for others.
std::size_t hook_name_of(const Event& event);

/// The events of one call in order of seq, found by name without a search.
class CallEvents final {
 public:
  void add(const Event& event);

  auto begin() const { return events_.begin(); }
  auto end() const { return events_.end(); }
  bool empty() const { return events_.empty(); }
  const Event* front() const { return events_.front(); }
  const Event* back() const { return events_.back(); }

  /// Null when there is none.
  const Event* first(EventName name) const { return event_at(name.index(), &Place::first); }
  const Event* last(EventName name) const { return event_at(name.index(), &Place::last); }
  std::int64_t count(EventName name) const { return places_[name.index()].count; }
  /// The names that occur.
  const EventNames& names() const { return names_; }
  template <EventKind T>
  const T* first() const {
    const Event* event = event_at(EventKinds::index_of<T>(), &Place::first);
    return event == nullptr ? nullptr : event->as<T>();
  }

 private:
  /// Indexes into `events_`; they mean nothing while `count` is 0.
  struct Place {
    std::int32_t first = 0;
    std::int32_t last = 0;
    std::int32_t count = 0;
  };

  void note(std::size_t name);
  const Event* event_at(std::size_t name, std::int32_t Place::* index) const {
    const Place& place = places_[name];
    return place.count == 0 ? nullptr : events_[static_cast<std::size_t>(place.*index)];
  }

  std::vector<const Event*> events_;
  std::array<Place, kEventNameCount> places_{};
  EventNames names_;
};

/// One tool call: as the model made it, and every event that carries its id. `events` are in order
/// of seq. A call that a tool made (HOOK-29) has a `parent` and no place in a batch.
struct Call {
  std::string id;
  std::string name;
  std::string parent;
  SeenValue raw;                ///< The model's arguments, or those of the start event.
  std::string arguments_error;  ///< The provider could not read them (PIPE-15).
  std::int64_t batch = -1;      ///< Index into Story::batches, or -1.
  std::int64_t position = 0;    ///< In source order within the batch.
  bool is_cut = false;          ///< The incarnation crashed before the call ended.
  bool is_repeated = false;     ///< The answer used this id twice (BATCH-16): not judged.
  CallEvents events;
  Occasions occasions;  ///< Known when the walk is over.
};

/// The calls of one answer. `calls` index Story::calls in source order; `next_request` and
/// `request` index Story::requests, or are -1.
struct Batch {
  const Event* response = nullptr;
  std::string stop_reason;
  std::vector<std::size_t> calls;
  std::int64_t request = -1;
  std::int64_t next_request = -1;
  const Event* turn_end = nullptr;
  bool has_failed = false;  ///< The answer ended in an error or was aborted.
  bool is_cut = false;
};

/// One request as it left the engine. `declared`: tool names that the model may call, in order,
/// tool changes that messages announce included (ACTIVE-16). `results`: those among the blocks that
/// are new in this request. `previous` indexes Story::requests, or is -1.
struct Request {
  const Event* event = nullptr;
  const ProviderRequest* request = nullptr;
  std::int64_t previous = -1;
  std::int64_t batch = -1;  ///< Of the calls that answer it, an index into Story::batches, or -1.
  std::vector<std::string> declared;
  bool has_new_tools = false;   ///< The tools zone differs from that of `previous`.
  bool has_new_system = false;  ///< The system zone differs from that of `previous`.
  std::optional<simulator::CacheBreak> cache_break;
  std::optional<simulator::CacheBreak> message_break;  ///< Within the messages zone alone.
  std::vector<SharedJson> system;                      ///< Bodies of the system zone.
  std::vector<SharedJson> tools;                       ///< Bodies of the tools zone.
  std::int64_t message_count = 0;
  std::vector<SharedJson> fresh;  ///< Messages behind those of `previous`, or all after a rewrite.
  std::vector<ShownResult> results;
  std::vector<SharedJson> added;      ///< Messages among the new blocks, as sent.
  std::vector<std::string> unpaired;  ///< What is wrong with results (BATCH-17).
  /// Prompt and declarations are those of the request before in the trace, and so is all that they
  /// were made from: registry, active set, what handlers said.
  bool repeats_prompt = false;
};

struct EditCase;

/// The call that an event belongs to, as an index into Story::calls.
struct CallPlace {
  std::int64_t seq = 0;
  std::size_t call = 0;
};

/// From agent_start to agent_end.
struct Run {
  const Event* start = nullptr;
  const Event* end = nullptr;
};

/// A handler from its registration (`from`, which its turns name as their cause) until it was taken
/// back or its session was over (`to`, -1 while it stays): seqs.
struct HandlerLife {
  std::string event;
  std::string extension;
  std::int64_t from = 0;
  std::int64_t to = -1;
};

/// A tool as an extension registered it, before any merge.
struct ToolRegistration {
  std::string name;
  std::string extension;
  std::int64_t seq = 0;
};

/// The tools of a registry by name, in its order. Borrowed from the registry.
using ToolList = std::vector<std::pair<std::string_view, const Json*>>;

class Story {
 public:
  explicit Story(const TraceHeader& trace_header);
  ~Story();
  Story(const Story&) = delete;
  Story& operator=(const Story&) = delete;

  const TraceHeader& header;
  EventNames emitted;  ///< The kinds that the subject can show.
  std::deque<Call> calls;
  std::map<std::string, std::vector<std::size_t>, std::less<>> calls_by_id;  ///< Oldest first.
  std::deque<Batch> batches;
  std::deque<Request> requests;
  std::vector<Run> runs;
  std::vector<const Event*> registries;                  ///< registry_refresh
  std::vector<ToolList> tool_lists;                      ///< Of each of them.
  std::vector<std::vector<std::string_view>> contested;  ///< Of each: names with two candidates.
  std::vector<const Event*> active_sets;                 ///< active_set
  std::vector<const Event*> diagnostics;
  std::vector<const Event*> extension_errors;
  std::vector<const Event*> file_operations;
  std::vector<const Event*> notes;     ///< notify
  std::vector<const Event*> messages;  ///< message_end
  std::vector<std::size_t> answers;    ///< Those of them that are the model's, by index.
  std::vector<const Event*> steps;
  std::vector<const Event*> hooks;      ///< hook_call and hook_return that belong to no call
  std::vector<const Event*> prompts;    ///< before_agent_start
  std::vector<const Event*> entries;    ///< session_entry
  std::vector<const Event*> loads;      ///< load
  std::vector<std::string> load_order;  ///< Paths of extensions.
  std::deque<HandlerLife> handlers;
  std::vector<ToolRegistration> tool_registrations;
  std::vector<std::int64_t> shutdowns;    ///< session_shutdown
  std::vector<CallPlace> calls_by_event;  ///< In order of seq.
  std::vector<std::int64_t> aborts;       ///< Seqs at which an abort was asked for.
  std::vector<std::int64_t> crashes;
  const FinalFiles* final_files = nullptr;
  std::int64_t last_seq = -1;
  std::string damage;  ///< Why requests could not be rebuilt, or "": then nothing can be judged.

  /// The state at `seq`: what the last such event before it says; null before the first.
  const RegistryRefresh* registry_at(std::int64_t seq) const;
  const ActiveSet* active_at(std::int64_t seq) const;
  /// The registry's entry for a name at `seq`, or null.
  const Json* tool_at(std::string_view name, std::int64_t seq) const;
  /// Whether the registry had several candidates for a name at `seq`.
  bool is_contested_at(std::string_view name, std::int64_t seq) const;
  /// Data of the host's step "start": the scenario's tools and settings; an empty object if absent.
  const Json& host() const { return *host_; }
  /// The settings among them; null if there are none.
  const Json& settings() const { return *settings_; }
  void see_host(const Step& step);
  /// The folder that relative paths belong to, or "" if the trace does not tell.
  std::string workspace() const;
  /// The first abort after `from` and before `to`, or -1.
  std::int64_t abort_between(std::int64_t from, std::int64_t to) const;
  /// Whether the order of two events is certain: one source, one process, or a chain of causes.
  bool is_order_certain(const Event& left, const Event& right) const;
  /// Seq of the first agent_end after `seq`, or the end of the trace.
  std::int64_t run_end_after(std::int64_t seq) const;
  bool is_edition(std::string_view edition) const { return header.edition == edition; }
  /// The edit calls, worked out when the walk is over.
  const std::vector<EditCase>& edits() const { return edits_; }
  /// The schema of a tool that a registry of the trace lists, compiled once; null when it can not
  /// be used.
  const JsonSchema* schema(const Json& parameters) const;
  /// section_text of a request of this story, cut out once for each prompt.
  const std::string& section(const Request& request, std::string_view name) const;
  void finish();

  /// What rules judge one by one, known when the walk is over: calls and batches that a crash did
  /// not cut (of the calls, those with a repeated id can not be judged either), all requests, all
  /// edits, and the story itself.
  std::vector<const Call*> judged_calls;
  Occasions occasions_of_calls;  ///< Of any of them.
  bool asks_of_all = false;      ///< JudgeOptions.
  std::vector<const Batch*> judged_batches;
  std::vector<const Request*> judged_requests;
  std::vector<const EditCase*> judged_edits;
  const std::array<const Story*, 1> itself{this};

 private:
  const Json* host_;
  const Json* settings_;
  std::vector<EditCase> edits_;
  /// By their place in the registry. One loop: a cache behind constant questions.
  mutable std::map<const Json*, std::optional<JsonSchema>> schemas_;
  /// By the prompt's only block, or else by the request.
  mutable std::map<std::pair<const void*, std::string>, std::string> sections_;
};

/// Builds a Story event by event; one walk serves all rules.
class StoryTeller {
 public:
  explicit StoryTeller(Story& story) : story_(story) {}

  void see(const Event& event);

 private:
  void keep(const Event& event);
  void keep_rare(const Event& event);
  std::vector<const Event*>* list_of(std::size_t kind);
  void see_note(const Event& event, const Notify& note);
  void end_handlers(const Event& event);
  void see_call_event(const Event& event);
  std::size_t index_of_call(const std::string& id);
  void see_request(const Event& event);
  void see_response(const Event& event);
  void see_turn_end(const Event& event);
  void cut_open_calls();
  void list_call(ShownCall shown, Batch& batch);
  std::size_t place_of_listed(const std::string& id, std::vector<std::size_t>& known);
  void find_fresh(const FoldedRequest& folded, Request& request);
  static void list_added(const FoldedRequest& folded, Request& request);
  void follow_previous(const FoldedRequest& folded, Request& request);
  void declare_tools(const FoldedRequest& folded, Request& request);
  using Ids = std::vector<std::string_view>;
  void pair_answer(Ids called, Ids answered, Request& request) const;
  void pair_results(const FoldedRequest& folded, Request& request);
  bool repeats_last_prompt(const Request& request);

  Story& story_;
  RequestFold fold_;
  simulator::PrefixWatch watch_;
  std::map<std::int64_t, std::size_t> requests_;        ///< By n.
  std::map<std::string, std::size_t> lineages_;         ///< The last request of each.
  std::map<std::string, std::vector<Json>> announced_;  ///< Tool changes by lineage.
  std::set<std::string> dead_;            ///< Calls of answers that failed: they get no result.
  std::int64_t last_end_ = -1;            ///< Of the handlers of an earlier load.
  std::size_t turn_batch_ = 0;            ///< First batch of the running turn.
  std::size_t last_call_ = kNone;         ///< Of the event before, if it is the newest of its id.
  std::array<std::size_t, 4> sources_{};  ///< How much the last prompt could be made from.

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
};

}  // namespace plumb::invariants
