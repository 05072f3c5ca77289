// SPDX-License-Identifier: Apache-2.0
// The steps of reading a scenario whose shape has been checked. Internal to this room.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/script/error_list.h"
#include "simulator/script/fields.h"
#include "simulator/script/scenario.h"

namespace plumb::simulator {

/// Files and outputs of a scenario together, once they have been repeated.
inline constexpr std::int64_t kScenarioMadeBytesMax = 16 << 20;

/// Workspace, settings, tools, faults, processes, answers and extensions.
void parse_world(const Fields& root, Scenario& scenario);
FileScript parse_file(const std::string& path, YamlView view);
ExtensionScript parse_extension(YamlView view);

std::vector<Step> parse_steps(const Fields& root);
std::optional<Variants> parse_variants(std::optional<YamlView> view);
Expectations parse_expectations(std::optional<YamlView> view);
TextMatch parse_match(std::optional<YamlView> view);

/// Everything in the scripts that waits for something, in the order of the file.
std::vector<WaitScript> parse_waits(const Fields& root);

/// What the scripts' own compiler says, each at the place that it blames.
std::vector<Error> check_definitions(const YamlDocument& document, const DefinitionCheck& compiles);

/// Places by name.
using NamedPlaces = std::map<std::string, Place, std::less<>>;
std::vector<std::string> names_of(const NamedPlaces& places);

/// Handlers, verbs and tools that could have no effect. `calls`: of the model.
void check_scripts(const Fields& root, const NamedPlaces& calls, ErrorList& errors);

/// Scripted commands whose keys contradict each other or the workspace.
void check_processes(const Scenario& scenario, const Fields& root, ErrorList& errors);

/// Faults of replies that could have no effect, or contradict the reply; requests that cannot come.
/// `calls`: of the model.
void check_replies(const Scenario& scenario, const NamedPlaces& calls, ErrorList& errors);

/// Conditions on files that exclude each other.
void check_expected_files(const Fields& root, ErrorList& errors);

/// What `repeat` and `numbers` make, before it is made.
std::vector<Error> check_sizes(const YamlDocument& document);

/// Patterns and expectations that could never fail, or never hold.
void check_claims(const Scenario& scenario, const NamedPlaces& calls, ErrorList& errors);

/// The call that a nested call "c1/2" belongs to.
std::string_view outermost(std::string_view call);

/// What the shape cannot say: ids that occur twice, replies before any input, latches that nobody
/// opens, keys that exclude each other. In the order of the file.
std::vector<Error> check_scenario(const Scenario& scenario, const YamlDocument& document);

/// The same text `count` times.
std::string repeated(std::string_view text, std::int64_t count);

}  // namespace plumb::simulator
