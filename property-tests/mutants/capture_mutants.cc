// SPDX-License-Identifier: Apache-2.0
// Mutants of what any stream of events and requests shows: declared schemas and results of the
// built-in tools.
#include <algorithm>
#include <utility>

#include "property-tests/mutants/mutant.h"

namespace plumb::simulator {
namespace {

/// Declares another schema for a built-in tool; what it executes stays.
Mutant schema_mutant(std::string name, std::string rule, std::string change, std::string tool,
                     std::function<void(Json&)> alter) {
  Mutant mutant;
  mutant.name = std::move(name);
  mutant.kind = MutantKind::extension;
  mutant.rule = std::move(rule);
  mutant.change = std::move(change);
  mutant.alterations.session = [tool = std::move(tool),
                                alter = std::move(alter)](engine::SessionOptions& options) {
    for (auto& definition : options.builtin_tools) {
      if (definition.name != tool) continue;
      Json schema = definition.parameters.get();
      alter(schema);
      definition.parameters = SharedJson(std::move(schema));
    }
  };
  return mutant;
}

void show_old_form(Json& schema) {
  schema["properties"]["oldText"] = Json{{"type", "string"}};
  schema["properties"]["newText"] = Json{{"type", "string"}};
}

void call_offset_start(Json& schema) {
  schema["properties"]["start"] = schema["properties"]["offset"];
  schema["properties"].erase("offset");
}

/// The diff of an edit stands in the text that the model reads.
engine::ToolResultMessage message_with_diff(const engine::FinishedCall& call) {
  auto message = engine::result_message(call);
  const Json& details = call.result.details.get();
  if (!details.is_object() || !details.contains("diff")) return message;
  for (auto& block : message.content) {
    auto* text = std::get_if<engine::TextBlock>(&block);
    if (text != nullptr) text->text += "\n" + details["diff"].get<std::string>();
  }
  return message;
}

}  // namespace

std::vector<Mutant> capture_mutants() {
  std::vector<Mutant> list;
  list.push_back(
      trips_also(schema_mutant("edit-schema-shows-old-form", "EDIT-01",
                               "the schema of edit lists oldText and newText beside edits", "edit",
                               show_old_form),
                 {"EDIT-51"}));
  list.push_back(schema_mutant("read-schema-says-start", "READ-01",
                               "the schema of read calls the offset start", "read",
                               call_offset_start));
  list.push_back(policy_mutant(
      "edit-diff-goes-to-the-model", "EDIT-43", "the diff is appended to the result's text",
      [](engine::Policies& policies) { policies.result_message = message_with_diff; }));
  list.back().also = {"RESULT-01", "RESULT-02"};
  return list;
}

}  // namespace plumb::simulator
