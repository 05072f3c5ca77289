// SPDX-License-Identifier: Apache-2.0
#include "engine/extensions/script_program.h"

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/extensions/script_values.h"
#include "engine/extensions/scripted.h"
#include "engine/kernel/sim_loop.h"

namespace plumb::engine {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::UnorderedElementsAreArray;

Error refusal_of(std::string_view text) {
  SimLoop loop;
  ScriptWorld world(loop);
  const auto definition = parse_json(text);
  EXPECT_TRUE(definition);
  const auto factory = make_scripted_extension(*definition, "<inline:x>", world);
  EXPECT_FALSE(factory);
  return factory ? Error{} : factory.error();
}

TEST(ScriptProgram, UnknownVerbIsLocatedWithASuggestion) {
  const Error error = refusal_of(R"({"on": {"tool_call": [{"do": [{"blok": "x"}]}]}})");

  EXPECT_EQ(error.message, "unknown verb 'blok'; did you mean 'block'?");
  EXPECT_EQ(error.where, "/on/tool_call/0/do/0/blok");
}

TEST(ScriptProgram, WrongShapeIsLocated) {
  const Error error = refusal_of(R"({"on": {"tool_call": [{"do": [{"delay": "soon"}]}]}})");

  EXPECT_THAT(error.message, HasSubstr("'ms' must be a whole number"));
  EXPECT_EQ(error.where, "/on/tool_call/0/do/0/delay/ms");
}

TEST(ScriptProgram, VerbOutOfPlaceIsRefused) {
  const Error error = refusal_of(R"({"tools": [{"name": "t", "do": [{"block": "no"}]}]})");

  EXPECT_EQ(error.message, "'block' cannot be used in a tool");
  EXPECT_EQ(error.where, "/tools/0/do/0/block");
}

TEST(ScriptProgram, UnknownKeyIsRefused) {
  const Error error = refusal_of(R"({"tools": [{"name": "t", "descripton": "d"}]})");

  EXPECT_EQ(error.message, "unknown key 'descripton'; did you mean 'description'?");
  EXPECT_EQ(error.where, "/tools/0/descripton");
}

TEST(ScriptProgram, UnknownReferenceIsRefused) {
  const Error error =
      refusal_of(R"({"on": {"tool_call": [{"do": [{"note": {"topic": "t", "data": "$arg"}}]}]}})");

  EXPECT_EQ(error.message, "unknown reference '$arg'; did you mean '$args'?");
}

TEST(ScriptProgram, NestedToolsAreCheckedToo) {
  const Error error = refusal_of(
      R"({"on": {"input": [{"do": [{"register": {"name": "t", "do": [{"nope": 1}]}}]}]}})");

  EXPECT_EQ(error.where, "/on/input/0/do/0/register/do/0/nope");
}

TEST(ScriptProgram, DialogsHaveABranchForEachAnswer) {
  const auto steps = parse_json(R"([{"ask": {"method": "confirm", "title": "t",
    "answers": {"maybe": ["allow"]}, "yes": ["allow"], "no": [{"block": "no"}]}}])");
  ASSERT_TRUE(steps);

  const auto program = compile_program(*steps, ScriptPlace::handler, "");

  ASSERT_TRUE(program) << program.error().message;
  std::vector<std::string> answers;
  for (const Branch& branch : program->front().branches) answers.push_back(branch.answer);
  EXPECT_EQ(answers, (std::vector<std::string>{"maybe", "true", "false"}));
}

/// The names in a schema of verbs: those with an argument and those without.
std::vector<std::string> verbs_of_schema() {
  std::ifstream file("scenarios/scenario.schema.json");
  std::stringstream text;
  text << file.rdbuf();
  const auto schema = parse_json(text.str());
  EXPECT_TRUE(schema);
  const Json& ways = (*schema)["$defs"]["verb"]["anyOf"];
  std::vector<std::string> names = ways[0]["enum"];
  for (const auto& [name, form] : ways[1]["properties"].items()) names.push_back(name);
  return names;
}

TEST(ScriptProgram, KnowsTheVerbsOfThePublishedSchema) {
  const auto names = verbs_of_schema();

  EXPECT_THAT(verb_names(), UnorderedElementsAreArray(names));
  for (const auto& name : names) {
    const Json steps = Json::array({Json{{name, nullptr}}});
    const auto compiled = compile_program(steps, ScriptPlace::handler, "");
    const std::string error = compiled ? "" : compiled.error().message;
    EXPECT_THAT(error, Not(HasSubstr("unknown verb"))) << name;
  }
}

TEST(ScriptValues, ReferencesBecomeValuesAndTexts) {
  const ReferenceLookup lookup = [](std::string_view name) {
    return name == "args" ? Json{{"n", 7}, {"t", "x"}} : Json(nullptr);
  };

  EXPECT_EQ(resolve_value(Json("$args/n"), lookup), Json(7));
  EXPECT_EQ(resolve_value(Json("n is ${args/n}, t is ${args/t}"), lookup), Json("n is 7, t is x"));
  EXPECT_EQ(resolve_value(Json("$$args"), lookup), Json("$args"));
  EXPECT_EQ(resolve_value(Json("$5"), lookup), Json("$5"));
  EXPECT_EQ(resolve_value(Json::array({"$args/t"}), lookup), Json::array({"x"}));
}

TEST(ScriptValues, SetsAndUnsetsInPlace) {
  Json root = Json::object();

  EXPECT_TRUE(set_at_pointer(root, "/a/b~1c", Json(1)));
  EXPECT_TRUE(set_at_pointer(root, "/list", Json::array({1, 2})));
  EXPECT_TRUE(set_at_pointer(root, "/list/-", Json(3)));
  EXPECT_FALSE(set_at_pointer(root, "/list/x", Json(3)));
  unset_at_pointer(root, "/list/0");
  unset_at_pointer(root, "/none/0");

  EXPECT_EQ(dump_json(root), R"({"a":{"b/c":1},"list":[2,3]})");
}

}  // namespace
}  // namespace plumb::engine
