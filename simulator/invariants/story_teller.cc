// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "engine/values/json_members.h"
#include "simulator/invariants/story.h"

namespace plumb::invariants {
namespace {

std::string tool_name(const Json& body) {
  const Json& name = at(body, "name");
  return name.is_string() ? name.get<std::string>() : text_at(at(body, "function"), "name");
}

bool announces_tools(const Json& message) {
  return view_at(message, "role") == "system" &&
         (message.contains("toolsAdded") || message.contains("toolsRemoved"));
}

void add_once(std::vector<std::string>& names, std::string name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
}

void apply_announcement(const Json& message, std::vector<std::string>& names) {
  for (const auto& entry : at(message, "toolsRemoved")) {
    std::erase(names, entry.is_string() ? entry.get<std::string>() : tool_name(entry));
  }
  for (const auto& entry : at(message, "toolsAdded")) {
    add_once(names, tool_name(entry));
  }
}

std::vector<RequestBlock> blocks_of(std::span<const RequestBlock> blocks, Zone zone) {
  std::vector<RequestBlock> found;
  for (const auto& block : blocks) {
    if (block.zone == zone) found.push_back(block);
  }
  return found;
}

std::span<const RequestBlock> shared_blocks(const FoldedRequest& folded) {
  return folded.blocks.first(static_cast<std::size_t>(folded.common));
}

std::span<const RequestBlock> new_blocks(const FoldedRequest& folded) {
  return folded.blocks.subspan(static_cast<std::size_t>(folded.common));
}

/// Whether a zone has other bytes than in the request before, whatever moved in front of it.
bool has_change(const FoldedRequest& folded, Zone zone) {
  const auto gone = blocks_of(folded.removed, zone);
  const auto came = blocks_of(new_blocks(folded), zone);
  return gone.size() != came.size() || simulator::find_break(gone, came).has_value();
}

std::optional<simulator::CacheBreak> break_in_messages(const FoldedRequest& folded) {
  if (folded.removed.empty()) return std::nullopt;
  auto earlier = blocks_of(shared_blocks(folded), Zone::messages);
  const auto gone = blocks_of(folded.removed, Zone::messages);
  earlier.insert(earlier.end(), gone.begin(), gone.end());
  return simulator::find_break(earlier, blocks_of(folded.blocks, Zone::messages));
}

ToolList tools_by_name(const RegistryRefresh& registry) {
  ToolList tools;
  if (!registry.tools.get().is_array()) return tools;
  for (const auto& tool : registry.tools.get()) tools.emplace_back(view_at(tool, "name"), &tool);
  return tools;
}

std::vector<std::string_view> contested_in(const RegistryRefresh& registry) {
  std::vector<std::string_view> names;
  const Json& candidates = registry.candidates.get();
  if (!candidates.is_array()) return names;
  for (const auto& candidate : candidates) names.push_back(view_at(candidate, "name"));
  std::ranges::sort(names);
  std::vector<std::string_view> contested;
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (names[i] == names[i - 1]) contested.push_back(names[i]);
  }
  return contested;
}

}  // namespace

void StoryTeller::see(const Event& event) {
  story_.last_seq = event.seq;
  keep(event);
  switch (event.payload.index()) {
    case EventKinds::index_of<ProviderRequest>():
      see_request(event);
      break;
    case EventKinds::index_of<ProviderResponse>():
      see_response(event);
      break;
    case EventKinds::index_of<TurnEnd>():
      see_turn_end(event);
      break;
    case EventKinds::index_of<Crash>():
      cut_open_calls();
      break;
    default:
      break;
  }
  if (!event.call.empty()) see_call_event(event);
}

/// The list in which events of a kind are kept just as they are, or null.
std::vector<const Event*>* StoryTeller::list_of(std::size_t kind) {
  switch (kind) {
    case EventKinds::index_of<ActiveSet>():
      return &story_.active_sets;
    case EventKinds::index_of<Diagnostic>():
      return &story_.diagnostics;
    case EventKinds::index_of<ExtensionError>():
      return &story_.extension_errors;
    case EventKinds::index_of<FileOperation>():
      return &story_.file_operations;
    case EventKinds::index_of<BeforeAgentStart>():
      return &story_.prompts;
    case EventKinds::index_of<SessionEntry>():
      return &story_.entries;
    case EventKinds::index_of<Load>():
      return &story_.loads;
    case EventKinds::index_of<Notify>():
      return &story_.notes;
    case EventKinds::index_of<Step>():
      return &story_.steps;
    case EventKinds::index_of<RegistryRefresh>():
      return &story_.registries;
    case EventKinds::index_of<MessageEnd>():
      return &story_.messages;
    default:
      return nullptr;
  }
}

void StoryTeller::keep(const Event& event) {
  if (auto* list = list_of(event.payload.index())) list->push_back(&event);
  switch (event.payload.index()) {
    case EventKinds::index_of<MessageEnd>():
      if (is_assistant(event.as<MessageEnd>()->message.get())) {
        story_.answers.push_back(story_.messages.size() - 1);
      }
      break;
    case EventKinds::index_of<HookCall>():
    case EventKinds::index_of<HookReturn>():
      if (event.call.empty()) story_.hooks.push_back(&event);
      break;
    case EventKinds::index_of<RegistryRefresh>():
      story_.tool_lists.push_back(tools_by_name(*event.as<RegistryRefresh>()));
      story_.contested.push_back(contested_in(*event.as<RegistryRefresh>()));
      break;
    case EventKinds::index_of<FinalFiles>():
      story_.final_files = event.as<FinalFiles>();
      break;
    case EventKinds::index_of<AgentStart>():
      story_.runs.push_back(Run{.start = &event});
      break;
    case EventKinds::index_of<AgentEnd>():
      if (!story_.runs.empty()) story_.runs.back().end = &event;
      break;
    default:
      keep_rare(event);
  }
}

/// What happens once in a run, if at all.
void StoryTeller::keep_rare(const Event& event) {
  if (const auto* note = event.as<Notify>()) see_note(event, *note);
  if (const auto* step = event.as<Step>()) {
    story_.see_host(*step);
    if (step->step == "abort") story_.aborts.push_back(event.seq);
  }
  if (event.as<SessionShutdown>() != nullptr) story_.shutdowns.push_back(event.seq);
  if (event.as<Crash>() != nullptr) story_.crashes.push_back(event.seq);
  if (const auto* load = event.as<Load>()) add_once(story_.load_order, load->extension);
  if (event.as<Crash>() != nullptr || event.as<Load>() != nullptr) end_handlers(event);
}

/// The notes by which a trace shows what extensions registered and took back.
void StoryTeller::see_note(const Event& event, const Notify& note) {
  if (note.topic == "abort") story_.aborts.push_back(event.seq);
  const Json& data = note.data.get();
  if (note.topic == "registration" && data.is_object()) {
    const std::string name = text_at(data, "name");
    if (view_at(data, "what") == "tool") {
      story_.tool_registrations.push_back({name, note.by, event.seq});
    } else {
      story_.handlers.push_back({name, note.by, event.seq});
    }
  }
  if (note.topic != "registration_removed") return;
  for (auto& life : story_.handlers) {
    if (life.from == event.cause) life.to = event.seq;
  }
}

/// A crash and a new load end the handlers that there were; a failed load ends its own.
void StoryTeller::end_handlers(const Event& event) {
  const bool is_crash = event.as<Crash>() != nullptr;
  const auto* load = event.as<Load>();
  const bool is_new_load = load != nullptr && load->phase == "begin" && !story_.shutdowns.empty() &&
                           story_.shutdowns.back() > last_end_;
  const bool has_failed = load != nullptr && load->phase == "failed";
  if (is_crash || is_new_load) last_end_ = event.seq;
  for (auto& life : story_.handlers) {
    const bool is_over =
        is_crash || is_new_load || (has_failed && life.extension == load->extension);
    if (is_over && life.to < 0) life.to = event.seq;
  }
}

/// The newest call of that id, which may be a new one. Events of a call often come together.
std::size_t StoryTeller::index_of_call(const std::string& id) {
  if (last_call_ != kNone && story_.calls[last_call_].id == id) return last_call_;
  auto& calls = story_.calls_by_id[id];
  if (calls.empty()) {
    calls.push_back(story_.calls.size());
    story_.calls.emplace_back().id = id;
  }
  return last_call_ = calls.back();
}

void StoryTeller::see_call_event(const Event& event) {
  const std::size_t index = index_of_call(event.call);
  Call& call = story_.calls[index];
  call.events.add(event);
  story_.calls_by_event.push_back({event.seq, index});
  const auto* start = event.as<ToolExecutionStart>();
  if (start == nullptr) return;
  call.parent = start->parent;
  if (call.batch >= 0) return;
  call.name = start->name;
  call.raw = SeenValue(start->args);
}

void StoryTeller::declare_tools(const FoldedRequest& folded, Request& request) {
  for (const auto& block : folded.blocks) {
    if (block.zone == Zone::messages) break;
    if (block.zone == Zone::tools) add_once(request.declared, tool_name(block.body.get()));
  }
  auto& announced = announced_[request.request->lineage];
  const bool is_rewritten = !folded.removed.empty();
  if (is_rewritten) announced.clear();
  const auto from = is_rewritten ? 0 : static_cast<std::size_t>(folded.common);
  for (const auto& block : folded.blocks.subspan(from)) {
    if (block.zone == Zone::tools || !announces_tools(block.body.get())) continue;
    announced.push_back(block.body.get());
  }
  for (const auto& message : announced) apply_announcement(message, request.declared);
}

/// `answered`: the ids of the results that follow on the answer that made the calls.
void StoryTeller::pair_answer(Ids called, Ids answered, Request& request) const {
  std::ranges::sort(called);
  std::ranges::sort(answered);
  if (called == answered) return;
  const auto count_in = [](const Ids& ids, std::string_view id) {
    return std::ranges::equal_range(ids, id).size();
  };
  // An answer may use an id twice: then there are as many results (BATCH-16).
  for (const auto id : std::set<std::string_view>(called.begin(), called.end())) {
    const auto wanted = count_in(called, id);
    const auto count = count_in(answered, id);
    const std::string name(id);
    if (count < wanted && !dead_.contains(name))
      request.unpaired.push_back(name + " has no result");
    if (count > wanted) request.unpaired.push_back(name + " has too many");
  }
  for (const auto id : std::set<std::string_view>(answered.begin(), answered.end())) {
    if (count_in(called, id) > 0) continue;
    request.unpaired.push_back("a result names " + std::string(id) +
                               ", which the last answer did not call");
  }
}

/// Looks at the last answer and what follows it: earlier ones were looked at when they were last,
/// unless the messages that were sent before are other ones now.
void StoryTeller::pair_results(const FoldedRequest& folded, Request& request) {
  const bool is_rewritten = folded.previous == nullptr || !folded.removed.empty();
  Ids answered;
  for (auto block = folded.blocks.rbegin(); block != folded.blocks.rend(); ++block) {
    if (block->zone != Zone::messages) break;
    const Json& body = block->body.get();
    add_ids_of_results(body, answered);
    if (!is_assistant(body)) continue;
    pair_answer(ids_of_calls_in(body), std::exchange(answered, {}), request);
    if (!is_rewritten) return;
  }
  pair_answer({}, std::move(answered), request);
}

/// What earlier requests did not say: a change of prompt or tools sends old messages again.
void StoryTeller::find_fresh(const FoldedRequest& folded, Request& request) {
  // Blocks lie in the order of their zones.
  const auto messages =
      std::ranges::lower_bound(folded.blocks, Zone::messages, {}, &RequestBlock::zone);
  request.message_count = folded.blocks.end() - messages;
  const auto last = lineages_.find(request.request->lineage);
  std::int64_t known = 0;
  if (last != lineages_.end() && folded.previous != nullptr && !request.message_break) {
    known = std::min(story_.requests[last->second].message_count, request.message_count);
  }
  request.fresh.reserve(static_cast<std::size_t>(request.message_count - known));
  for (auto block = messages + known; block != folded.blocks.end(); ++block) {
    request.fresh.push_back(block->body);
  }
}

/// Whether the prompt is that of the last request, as are its sources. Asked once a request.
bool StoryTeller::repeats_last_prompt(const Request& request) {
  const std::array sources{story_.registries.size(), story_.active_sets.size(),
                           story_.prompts.size(), story_.hooks.size()};
  const bool has_same_sources = std::exchange(sources_, sources) == sources;
  if (!has_same_sources || story_.requests.empty()) return false;
  const auto announces = [](const Request& one) {
    return std::ranges::any_of(one.fresh,
                               [](const auto& body) { return announces_tools(body.get()); });
  };
  const Request& last = story_.requests.back();
  return std::ranges::equal(last.system, request.system, &SharedJson::same_object) &&
         std::ranges::equal(last.tools, request.tools, &SharedJson::same_object) &&
         last.declared == request.declared && !announces(last) && !announces(request);
}

/// The new messages, and the results among them.
void StoryTeller::list_added(const FoldedRequest& folded, Request& request) {
  const auto blocks = new_blocks(folded);
  request.added.reserve(blocks.size());
  for (const auto& block : blocks) {
    if (block.zone != Zone::messages) continue;
    request.added.push_back(block.body);
    add_results(block.body.get(), request.results);
  }
}

/// The request is now the last of its lineage, and the next one after the calls before it.
void StoryTeller::follow_previous(const FoldedRequest& folded, Request& request) {
  const std::size_t index = story_.requests.size();
  const auto [last, is_first] = lineages_.try_emplace(request.request->lineage, index);
  const std::size_t previous = std::exchange(last->second, index);
  if (is_first || folded.previous == nullptr) return;
  request.previous = static_cast<std::int64_t>(previous);
  const std::int64_t batch = story_.requests[previous].batch;
  if (batch < 0) return;
  story_.batches[static_cast<std::size_t>(batch)].next_request = static_cast<std::int64_t>(index);
}

void StoryTeller::see_request(const Event& event) {
  const auto folded = fold_.fold(event);
  if (!folded) {
    story_.damage = folded.error().message;
    return;
  }
  Request request;
  request.event = &event;
  request.request = event.as<ProviderRequest>();
  const std::size_t breaks = watch_.breaks().size();
  watch_.see(*folded);
  if (watch_.breaks().size() > breaks) request.cache_break = watch_.breaks().back();
  request.has_new_tools = has_change(*folded, Zone::tools);
  request.has_new_system = has_change(*folded, Zone::system);
  request.message_break = break_in_messages(*folded);
  declare_tools(*folded, request);
  pair_results(*folded, request);
  find_fresh(*folded, request);
  for (const auto& block : folded->blocks) {
    if (block.zone == Zone::messages) break;
    (block.zone == Zone::system ? request.system : request.tools).push_back(block.body);
  }
  list_added(*folded, request);
  request.repeats_prompt = repeats_last_prompt(request);
  follow_previous(*folded, request);
  requests_[request.request->n] = story_.requests.size();
  story_.requests.push_back(std::move(request));
}

void StoryTeller::list_call(ShownCall shown, Batch& batch) {
  auto& known = story_.calls_by_id[shown.id];
  if (!known.empty() && std::ranges::find(batch.calls, known.back()) != batch.calls.end()) {
    story_.calls[known.back()].is_repeated = true;
    return;
  }
  last_call_ = kNone;
  const std::size_t place = place_of_listed(shown.id, known);
  Call& call = story_.calls[place];
  call.name = std::move(shown.name);
  call.raw = std::move(shown.arguments);
  call.arguments_error = std::move(shown.arguments_error);
  call.batch = static_cast<std::int64_t>(story_.batches.size());
  call.position = static_cast<std::int64_t>(batch.calls.size());
  batch.calls.push_back(place);
}

/// A new call, unless it was heard of before the answer that makes it: in a live trace news of the
/// answer may come late.
std::size_t StoryTeller::place_of_listed(const std::string& id, std::vector<std::size_t>& known) {
  if (story_.header.determinism == Determinism::live && !known.empty()) {
    const Call& call = story_.calls[known.back()];
    if (call.batch < 0 && call.parent.empty()) return known.back();
  }
  known.push_back(story_.calls.size());
  story_.calls.emplace_back().id = id;
  return story_.calls.size() - 1;
}

void StoryTeller::see_response(const Event& event) {
  const auto* response = event.as<ProviderResponse>();
  auto shown = calls_in(response->message.get());
  if (shown.empty()) return;
  Batch batch;
  batch.response = &event;
  batch.stop_reason = response->stop_reason;
  const std::string_view stop = batch.stop_reason;
  batch.has_failed = stop == "error" || stop == "aborted";
  if (batch.has_failed) {
    for (const auto& call : shown) dead_.insert(call.id);
  }
  for (auto& call : shown) list_call(std::move(call), batch);
  const auto request = requests_.find(response->n);
  if (request != requests_.end()) {
    batch.request = static_cast<std::int64_t>(request->second);
    story_.requests[request->second].batch = static_cast<std::int64_t>(story_.batches.size());
  }
  story_.batches.push_back(std::move(batch));
}

void StoryTeller::see_turn_end(const Event& event) {
  for (; turn_batch_ < story_.batches.size(); ++turn_batch_) {
    story_.batches[turn_batch_].turn_end = &event;
  }
}

void StoryTeller::cut_open_calls() {
  for (auto& call : story_.calls) {
    if (call.events.count("tool_execution_end") == 0) call.is_cut = true;
  }
  for (; turn_batch_ < story_.batches.size(); ++turn_batch_) {
    story_.batches[turn_batch_].is_cut = true;
  }
}

}  // namespace plumb::invariants
