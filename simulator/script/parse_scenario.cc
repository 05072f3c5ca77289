// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "simulator/script/formats.h"
#include "simulator/script/parse.h"
#include "simulator/script/scenario_schema.h"
#include "simulator/script/shape.h"
#include "simulator/script/source.h"

namespace plumb::simulator {
namespace {

Scenario parse_parts(const YamlDocument& document) {
  const Fields root(document.view());
  Scenario scenario;
  scenario.file = document.file;
  scenario.title = root.text("scenario");
  for (const YamlView& rule : root.list("rules")) {
    scenario.rules.push_back({rule.value->get<std::string>(), rule.place()});
  }
  scenario.pains = root.texts("pain");
  if (root.text("edition") == to_string(Edition::pi_1_6_0)) scenario.edition = Edition::pi_1_6_0;
  scenario.engine = root.text("engine", scenario.engine);
  scenario.subjects = root.texts("subjects");
  parse_world(root, scenario);
  scenario.steps = parse_steps(root);
  scenario.variants = parse_variants(root.find("variants"));
  scenario.expect = parse_expectations(root.find("expect"));
  scenario.waits = parse_waits(root);
  return scenario;
}

Checked<Scenario> fail_with_one(Error error) {
  std::vector<Error> errors;
  errors.push_back(std::move(error));
  return std::unexpected(std::move(errors));
}

}  // namespace

Checked<Scenario> parse_scenario(std::string_view text, const std::string& file,
                                 const Catalogue& catalogue, const DefinitionCheck& compiles) {
  auto document = parse_yaml(text, file, kScenarioBytesMax);
  if (!document) return fail_with_one(std::move(document).error());
  const FormatCheck check = [&](std::string_view format, const std::string& value) {
    return check_format(format, value, &catalogue);
  };
  auto errors = check_shape(*document, scenario_schema(), check);
  if (errors.empty()) errors = check_sizes(*document);
  if (!errors.empty()) return std::unexpected(std::move(errors));
  Scenario scenario = parse_parts(*document);
  errors = check_scenario(scenario, *document);
  if (errors.empty() && compiles) errors = check_definitions(*document, compiles);
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return scenario;
}

Checked<Scenario> load_scenario(const std::string& path, const Catalogue& catalogue,
                                const DefinitionCheck& compiles) {
  const auto text = read_source(path, kScenarioBytesMax);
  if (!text) return fail_with_one(text.error());
  return parse_scenario(*text, path, catalogue, compiles);
}

}  // namespace plumb::simulator
