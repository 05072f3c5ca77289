// SPDX-License-Identifier: Apache-2.0
// Rules about several runs, and what of a run they compare.
#include <algorithm>
#include <set>
#include <string>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

Json final_files(const Trace& trace) {
  for (const auto& event : trace.events) {
    if (const auto* files = event.as<FinalFiles>()) return files->files.get();
  }
  return {};
}

/// What the model was sent, request by request, as digests of all bytes.
Json request_hashes(const Trace& trace) {
  Json hashes = Json::array();
  for (const auto& event : trace.events) {
    if (const auto* request = event.as<ProviderRequest>()) hashes.push_back(request->hash.hex());
  }
  return hashes;
}

/// The tools of each request as sent.
Json tool_bytes(const Trace& trace) {
  Json zones = Json::array();
  RequestFold fold;
  for (const auto& event : trace.events) {
    if (event.as<ProviderRequest>() == nullptr) continue;
    const auto folded = fold.fold(event);
    if (!folded) return {};
    std::string bytes;
    for (const auto& block : folded->blocks) {
      if (block.zone == Zone::tools) bytes += block.body.bytes() + "\n";
    }
    zones.push_back(bytes);
  }
  return zones;
}

/// Requests, and which calls ran with which arguments: what an observer must not change.
Json course(const Trace& trace) {
  Json calls = Json::array();
  for (const auto& event : trace.events) {
    if (const auto* begun = event.as<ExecuteBegin>()) {
      calls.push_back(
          Json{{"call", event.call}, {"name", begun->name}, {"args", begun->args.get()}});
    }
  }
  return Json{{"requests", request_hashes(trace)}, {"calls", calls}};
}

/// What happens after the last load: requests, executed calls and the handlers that are called.
Json course_after_load(const Trace& trace) {
  Trace rest;
  rest.header = trace.header;
  for (const auto& event : trace.events) {
    if (event.as<SessionStart>() != nullptr) rest.events.clear();
    rest.events.push_back(event);
  }
  Json told = course(rest);
  told["handlers"] = Json::array();
  for (const auto& event : rest.events) {
    const auto* hook = event.as<HookCall>();
    if (hook == nullptr) continue;
    told["handlers"].push_back(
        Json{{"event", hook->event}, {"extension", hook->extension}, {"index", hook->index}});
  }
  return told;
}

/// Requests, and when calls begin and end.
Json order_of_calls(const Trace& trace) {
  Json calls = Json::array();
  for (const auto& event : trace.events) {
    const bool begins = event.as<ExecuteBegin>() != nullptr;
    if (!begins && event.as<ExecuteEnd>() == nullptr) continue;
    calls.push_back(Json{{"call", event.call}, {"what", event.kind()}});
  }
  return Json{{"requests", request_hashes(trace)}, {"calls", calls}};
}

/// Some extension was loaded and registered nothing.
bool has_an_empty_extension(const Trace& trace) {
  std::set<std::string> loaded;
  for (const auto& event : trace.events) {
    const auto* load = event.as<Load>();
    if (load != nullptr && load->phase == "end") loaded.insert(load->extension);
  }
  for (const auto& event : trace.events) {
    const auto* note = event.as<Notify>();
    if (note != nullptr && note->topic == "registration") loaded.erase(note->by);
  }
  return !loaded.empty();
}

bool takes_an_extension_out(const Trace& trace) {
  return std::ranges::any_of(trace.events, [](const Event& event) {
    const auto* step = event.as<Step>();
    return step != nullptr && step->step == "uninstall";
  });
}

}  // namespace

std::vector<RelationRule> relation_rules() {
  return {
      relation("EDIT-04", "the files at the end are the same for every order of a call's edits")
          .variants("permute: edits")
          .equal(final_files),
      relation("CACHE-10", "the tools of each request have the same bytes in every run")
          .variants("seeds")
          .equal(tool_bytes),
      relation(
          "EVENT-24",
          "requests and executed calls are the same with and without handlers of notifications")
          .variants("without_extension")
          .equal(course),
      relation("EXT-23",
               "requests and the order in which calls begin and end are the same with and without "
               "an extension that registers nothing")
          .variants("without_extension")
          .when(has_an_empty_extension)
          .equal(order_of_calls),
      relation(
          "EXT-33",
          "after the last load requests, executed calls and handler calls are the same whether "
          "an extension was taken out or was never there")
          .variants("without_extension")
          .when(takes_an_extension_out)
          .equal(course_after_load),
  };
}

}  // namespace plumb::invariants
