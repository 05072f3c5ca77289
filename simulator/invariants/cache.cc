// SPDX-License-Identifier: Apache-2.0
// Prefix stability: what of a request may differ from the one before it in the same lineage.
#include <algorithm>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/registry_view.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

const Request* predecessor(const Request& request, const Story& story) {
  if (request.previous < 0) return nullptr;
  return &story.requests[static_cast<std::size_t>(request.previous)];
}

/// A break as a finding: the field and the first differing bytes of both.
Finding break_finding(const std::string& message, const simulator::CacheBreak& found,
                      const Request& request, const Story& story) {
  Finding result = finding(message + ": " + found.path + found.field + " at byte " +
                               std::to_string(found.byte_offset) + " (" + found.label + ")",
                           request.event);
  result.expected = found.before;
  result.actual = found.after;
  if (const Request* previous = predecessor(request, story)) {
    result.related = {previous->event->seq};
  }
  return result;
}

struct SetChange {
  std::vector<std::string> added;
  std::vector<std::string> removed;
  bool is_set = false;  ///< Somebody set or changed it, maybe to the same names.
};

std::vector<std::string> without(std::vector<std::string> names,
                                 const std::vector<std::string>& others) {
  std::erase_if(names, [&](const auto& name) { return contains(others, name); });
  return names;
}

/// What happened to the active set between a request and the one before it.
SetChange change_before(const Request& request, const Story& story) {
  SetChange change;
  const Request* previous = predecessor(request, story);
  if (previous == nullptr) return change;
  const ActiveSet* first_set = nullptr;
  const ActiveSet* last_set = nullptr;
  for (const Event* event : story.active_sets) {
    if (event->seq < previous->event->seq || event->seq > request.event->seq) continue;
    last_set = event->as<ActiveSet>();
    if (first_set == nullptr) first_set = last_set;
  }
  if (first_set == nullptr) return change;
  change.added = without(last_set->after, first_set->before);
  change.removed = without(first_set->before, last_set->after);
  change.is_set = true;
  return change;
}

/// A handler rewrote the messages of this request or of the one before it on purpose (EVENT-22).
bool was_rewritten(const Request& request, const Story& story) {
  const Request* previous = predecessor(request, story);
  return is_rewritten(request, story) || (previous != nullptr && is_rewritten(*previous, story));
}

bool repeats_messages(const Request& request, const Story& story) {
  return predecessor(request, story) != nullptr && !was_rewritten(request, story);
}

Complaint messages_are_kept(const Request& request, const Story& story) {
  if (!request.message_break) return std::nullopt;
  return break_finding("an earlier message changed", *request.message_break, request, story);
}

/// CACHE-10 within a run: neither the registry nor the active set changed.
bool has_equal_tools(const Request& request, const Story& story) {
  const Request* previous = predecessor(request, story);
  if (previous == nullptr || request.declared.empty()) return false;
  const auto change = change_before(request, story);
  return change.added.empty() && change.removed.empty() &&
         story.registry_at(previous->event->seq) == story.registry_at(request.event->seq);
}

Complaint tools_are_equal(const Request& request, const Story& story) {
  if (!request.has_new_tools || !request.cache_break) return std::nullopt;
  return break_finding("the same tools were sent with other bytes", *request.cache_break, request,
                       story);
}

bool is_native(const Story& story) {
  const auto choice = story.header.declares.find("tool_changes");
  return choice != story.header.declares.end() && choice->second == "native";
}

bool adds_a_tool(const Request& request, const Story& story) {
  const auto change = change_before(request, story);
  return !is_native(story) && !change.added.empty() && change.removed.empty() &&
         !was_rewritten(request, story);
}

bool removes_a_tool(const Request& request, const Story& story) {
  return !is_native(story) && !change_before(request, story).removed.empty() &&
         !was_rewritten(request, story);
}

Complaint list_is_complete(const Request& request, const Story& story) {
  const auto change = change_before(request, story);
  for (const auto& name : change.added) {
    if (!contains(request.declared, name)) {
      return finding("the request does not declare the new " + name, request.event);
    }
  }
  for (const auto& name : change.removed) {
    if (contains(request.declared, name)) {
      return finding("the request still declares " + name, request.event);
    }
  }
  return std::nullopt;
}

/// An announcement alone is what engines with native tool changes do.
Complaint tools_are_sent_anew(const Request& request, const Story&) {
  return require(request.has_new_tools, "the request repeats the tools from before the change",
                 request.event);
}

Complaint breaks_in_the_prefix(const Request& request, const Story&) {
  const bool is_broken = request.cache_break && request.cache_break->zone != Zone::messages;
  return require(is_broken, "the changed tools do not show in the request's prefix", request.event);
}

/// The request that follows in the same lineage, if nothing changed before it.
const Request* quiet_successor(const Request& request, const Story& story) {
  for (const auto& later : story.requests) {
    if (predecessor(later, story) != &request) continue;
    const auto change = change_before(later, story);
    return change.is_set || was_rewritten(later, story) ? nullptr : &later;
  }
  return nullptr;
}

Complaint is_stable_afterwards(const Request& request, const Story& story) {
  const Request* next = quiet_successor(request, story);
  if (next == nullptr || !next->cache_break) return std::nullopt;
  return break_finding("a second break follows the change", *next->cache_break, *next, story);
}

bool changes_both_zones(const Request& request, const Story& story) {
  return change_before(request, story).is_set && request.has_new_tools && request.has_new_system &&
         quiet_successor(request, story) != nullptr;
}

bool sets_equal_names(const Request& request, const Story& story) {
  const auto change = change_before(request, story);
  return change.is_set && change.added.empty() && change.removed.empty() &&
         !was_rewritten(request, story);
}

Complaint has_no_break(const Request& request, const Story& story) {
  if (!request.cache_break) return std::nullopt;
  return break_finding("the prefix broke although nothing of it changed", *request.cache_break,
                       request, story);
}

// ------------------------------------------------------------------ CACHE-34

std::vector<std::string> registered_before(const Request& request, const Story& story) {
  const Request* previous = predecessor(request, story);
  if (previous == nullptr) return {};
  const auto* now = story.registry_at(request.event->seq);
  const auto* then = story.registry_at(previous->event->seq);
  if (now == nullptr || then == nullptr || now == then) return {};
  return without(names_in(now->tools.get()), names_in(then->tools.get()));
}

bool registers_between(const Request& request, const Story& story) {
  return !registered_before(request, story).empty() && !was_rewritten(request, story) &&
         !is_native(story);
}

Complaint only_activation_breaks(const Request& request, const Story& story) {
  const auto change = change_before(request, story);
  const bool is_active = !change.added.empty() || !change.removed.empty();
  if (is_active) return breaks_in_the_prefix(request, story);
  return has_no_break(request, story);
}

}  // namespace

std::vector<Rule> cache_rules() {
  return {
      rule("CACHE-10",
           "while registry and active set stay the same, the tools of a request have the bytes of "
           "the one before")
          .for_each_request()
          .when(has_equal_tools)
          .expect(tools_are_equal),
      rule("CACHE-11",
           "a request repeats the messages of the one before byte for byte, unless a context "
           "handler rewrote them")
          .for_each_request()
          .when(repeats_messages)
          .expect(messages_are_kept),
      rule("CACHE-21",
           "after a purely additive change of the active set the next request declares all, breaks "
           "once and is stable again (declares tool_changes: native excepted)")
          .for_each_request()
          .when(adds_a_tool)
          .expect(list_is_complete)
          .expect(tools_are_sent_anew)
          .expect(breaks_in_the_prefix)
          .expect(is_stable_afterwards),
      rule("CACHE-24",
           "a change of tools and prompt text together breaks once: the request after it has none")
          .for_each_request()
          .when(changes_both_zones)
          .expect(is_stable_afterwards),
      rule("CACHE-25",
           "after a removal the next request lacks the tool, breaks once and is stable again")
          .for_each_request()
          .when(removes_a_tool)
          .expect(list_is_complete)
          .expect(tools_are_sent_anew)
          .expect(breaks_in_the_prefix)
          .expect(is_stable_afterwards),
      rule("CACHE-26", "setting the same names in another order leaves the request's prefix alone")
          .for_each_request()
          .when(sets_equal_names)
          .expect(has_no_break),
      rule(
          "CACHE-34",
          "a registration after the first request breaks the prefix only if the active set changed")
          .for_each_request()
          .when(registers_between)
          .expect(only_activation_breaks),
  };
}

}  // namespace plumb::invariants
