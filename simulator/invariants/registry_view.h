// SPDX-License-Identifier: Apache-2.0
// The registry's snapshots and the host's filters, as registry_refresh and the step "start" record
// them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/invariants/story.h"

namespace plumb::invariants {

/// One registration before the merge.
struct Candidate {
  std::string name;
  std::string level;  ///< builtin, extension or sdk.
  std::string path;   ///< Of its source.
  const Json* entry = nullptr;
};

std::vector<Candidate> candidates_in(const RegistryRefresh& registry);
/// Candidates by name, in their order.
std::map<std::string, std::vector<Candidate>> rivals_in(const RegistryRefresh& registry);
/// What extensions registered since the load that is in force at `seq`, in the order in which the
/// calls arrived; a definition that was refused as invalid is none.
std::vector<ToolRegistration> registrations_at(std::int64_t seq, const Story& story);
/// Extensions by tool name, each in the order of its first registration of the name.
std::map<std::string, std::vector<std::string>> registrants_at(std::int64_t seq,
                                                               const Story& story);
/// Seq of the last shutdown or crash before `seq`, or -1.
std::int64_t load_before(std::int64_t seq, const Story& story);
/// The names of a list of tools, or of names.
std::vector<std::string> names_in(const Json& list);
const Json* find_entry(const Json& list, std::string_view name);
/// sourceInfo.path of an entry, "" if absent.
std::string path_of(const Json& entry);

/// The host's filters (REG-08 to REG-15). Lists made only of +name and -name are no filters.
struct Filters {
  std::optional<std::vector<std::string>> allow;
  std::vector<std::string> exclude;
};

Filters filters_of(const Story& story);
/// `*` matches any run of characters; the whole name counts (REG-14).
bool fits_pattern(std::string_view pattern, std::string_view name);
bool is_allowed_by(const Filters& filters, std::string_view name);
bool is_excluded_by(const Filters& filters, std::string_view name);
/// The host's filters keep a tool of this name out.
bool is_filtered(std::string_view name, const Story& story);

}  // namespace plumb::invariants
