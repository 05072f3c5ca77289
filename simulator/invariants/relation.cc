// SPDX-License-Identifier: Apache-2.0
// Rules about several runs, and what of a run they compare.
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
    if (const auto* request = event.as<ProviderRequest>()) hashes.push_back(request->hash);
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
      relation("EXT-33",
               "requests and executed calls are the same whether an extension is switched off or "
               "was never there")
          .variants("without_extension")
          .equal(course),
  };
}

}  // namespace plumb::invariants
