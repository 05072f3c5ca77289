// SPDX-License-Identifier: Apache-2.0
#include "simulator/invariants/story.h"

#include <algorithm>
#include <utility>

#include "engine/values/json_members.h"
#include "simulator/invariants/edit_case.h"

namespace plumb::invariants {
namespace {

const Event* last_at(const std::vector<const Event*>& events, std::int64_t seq) {
  const auto after = std::ranges::upper_bound(events, seq, {}, &Event::seq);
  return after == events.begin() ? nullptr : *std::prev(after);
}

bool is_ancestor(const Event& older, const Event& younger) {
  return younger.cause == older.seq;
}

const Json& no_host() {
  static const Json kNothing = Json::object();
  return kNothing;
}

/// Its events' names, and its traits.
Occasions occasions_of(const Call& call) {
  Occasions occasions(call.events.names().to_ullong());
  for (std::size_t i = 0; i < kToolTraits.size(); ++i) {
    if (call.name == kToolTraits[i]) occasions[kEventNameCount + i] = true;
  }
  const auto* end = call.events.first<ToolExecutionEnd>();
  const auto* settled = call.events.first<ExecuteEnd>();
  occasions[Occasion("is nested").index()] = !call.parent.empty();
  occasions[Occasion("is an error").index()] = end != nullptr && end->is_error;
  occasions[Occasion("threw").index()] = settled != nullptr && settled->outcome == "threw";
  return occasions;
}

}  // namespace

std::size_t hook_name_of(const Event& event) {
  const auto* entered = event.as<HookCall>();
  const auto* returned = event.as<HookReturn>();
  if (entered == nullptr && returned == nullptr) return kEventNameCount;
  const std::string& name = entered != nullptr ? entered->event : returned->event;
  const std::size_t index = kEventKindCount + (returned != nullptr ? 1 : 0);
  if (name == "tool_call") return index;
  return name == "tool_result" ? index + 2 : kEventNameCount;
}

void CallEvents::add(const Event& event) {
  note(event.payload.index());
  const std::size_t hook = hook_name_of(event);
  if (hook < kEventNameCount) note(hook);
  events_.push_back(&event);
}

/// Of the event that comes next.
void CallEvents::note(std::size_t name) {
  Place& place = places_[name];
  const auto index = static_cast<std::int32_t>(events_.size());
  if (place.count++ == 0) place.first = index;
  names_[name] = true;
  place.last = index;
}

Story::Story(const TraceHeader& trace_header)
    : header(trace_header), host_(&no_host()), settings_(&at(no_host(), "settings")) {
  for (std::size_t kind = 0; kind < kEventKindCount; ++kind) {
    emitted[kind] = std::ranges::find(header.emits, kEventKinds[kind]) != header.emits.end();
  }
}
Story::~Story() = default;

void Story::finish() {
  edits_ = edit_cases(*this);
  for (auto& call : calls) {
    call.occasions = occasions_of(call);
    if (call.is_cut || call.is_repeated) continue;
    judged_calls.push_back(&call);
    occasions_of_calls |= call.occasions;
  }
  for (const auto& batch : batches) {
    if (!batch.is_cut) judged_batches.push_back(&batch);
  }
  for (const auto& request : requests) judged_requests.push_back(&request);
  for (const auto& edit : edits_) judged_edits.push_back(&edit);
}

const JsonSchema* Story::schema(const Json& parameters) const {
  const auto known = schemas_.find(&parameters);
  if (known != schemas_.end()) return known->second ? &*known->second : nullptr;
  auto compiled = compile_schema(parameters);
  auto& kept = schemas_[&parameters];
  if (compiled) kept.emplace(*std::move(compiled));
  return kept ? &*kept : nullptr;
}

const RegistryRefresh* Story::registry_at(std::int64_t seq) const {
  const Event* event = last_at(registries, seq);
  return event == nullptr ? nullptr : event->as<RegistryRefresh>();
}

const ActiveSet* Story::active_at(std::int64_t seq) const {
  const Event* event = last_at(active_sets, seq);
  return event == nullptr ? nullptr : event->as<ActiveSet>();
}

const Json* Story::tool_at(std::string_view name, std::int64_t seq) const {
  const auto after = std::ranges::upper_bound(registries, seq, {}, &Event::seq);
  if (after == registries.begin()) return nullptr;
  const auto& tools = tool_lists[static_cast<std::size_t>(after - registries.begin()) - 1];
  const auto found = std::ranges::find(tools, name, &ToolList::value_type::first);
  return found == tools.end() ? nullptr : found->second;
}

bool Story::is_contested_at(std::string_view name, std::int64_t seq) const {
  const auto after = std::ranges::upper_bound(registries, seq, {}, &Event::seq);
  if (after == registries.begin()) return false;
  const auto& names = contested[static_cast<std::size_t>(after - registries.begin()) - 1];
  return std::ranges::find(names, name) != names.end();
}

/// The first start counts.
void Story::see_host(const Step& step) {
  const bool is_start = host_ == &no_host() && step.step == "start";
  if (!is_start || !step.data.get().is_object()) return;
  host_ = &step.data.get();
  settings_ = &at(*host_, "settings");
}

std::string Story::workspace() const {
  const auto found = host().find("workspace");
  return found != host().end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::int64_t Story::abort_between(std::int64_t from, std::int64_t to) const {
  const auto found = std::ranges::upper_bound(aborts, from);
  return found != aborts.end() && *found < to ? *found : -1;
}

bool Story::is_order_certain(const Event& left, const Event& right) const {
  return header.determinism != Determinism::live || left.source == right.source ||
         is_ancestor(left, right) || is_ancestor(right, left);
}

std::int64_t Story::run_end_after(std::int64_t seq) const {
  for (const auto& run : runs) {
    if (run.end != nullptr && run.end->seq > seq) return run.end->seq;
  }
  return last_seq + 1;
}

}  // namespace plumb::invariants
