// SPDX-License-Identifier: Apache-2.0
// The short way and the library read the same, wherever the short way reads anything.
#include "simulator/script/plain_yaml.h"

#include <gtest/gtest.h>
#include <yaml-cpp/eventhandler.h>

#include "simulator/script/source.h"
#include "simulator/script/yaml.h"

namespace plumb::simulator {
namespace {

constexpr std::int64_t kPlainBytesMax = 4 << 20;

/// Takes everything and keeps nothing.
class NoEvents final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnAlias(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnScalar(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                const std::string& /*text*/) override {}
  void OnSequenceStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/,
                       YAML::anchor_t /*anchor*/, YAML::EmitterStyle::value /*style*/) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {}
  void OnMapEnd() override {}
};

bool is_plain(std::string_view text) {
  NoEvents events;
  return read_plain_yaml(text, events);
}

bool is_same(const PlaceTree& a, const PlaceTree& b) {
  if (a.value != b.value || a.key != b.key || a.children.size() != b.children.size()) return false;
  for (std::size_t i = 0; i < a.children.size(); ++i) {
    if (!is_same(a.children[i], b.children[i])) return false;
  }
  return true;
}

/// Both ways say the same: value and places, or the error.
void expect_same(std::string_view text, const std::string& file) {
  const auto short_way = parse_yaml(text, file, kPlainBytesMax);
  const auto long_way = parse_any_yaml(text, file, kPlainBytesMax);

  ASSERT_EQ(short_way.has_value(), long_way.has_value()) << file;
  if (!long_way) {
    EXPECT_EQ(error_line(short_way.error()), error_line(long_way.error()));
    return;
  }
  EXPECT_EQ(short_way->root, long_way->root) << file;
  EXPECT_TRUE(is_same(short_way->places, long_way->places)) << file;
}

std::string text_of(const std::string& file) {
  return read_source(file, kPlainBytesMax).value_or("");
}

TEST(PlainYaml, ReadsTheCatalogueAsTheLibraryDoes) {
  const auto files = list_yaml_files("scenarios/rules");
  for (const auto& file : files.value()) {
    const auto text = text_of(file);

    EXPECT_TRUE(is_plain(text)) << file;
    expect_same(text, file);
  }
}

TEST(PlainYaml, ReadsEveryOtherFileAsTheLibraryDoes) {
  const auto files = find_scenarios({"scenarios", "fixtures"});
  for (const auto& file : files.value()) expect_same(text_of(file), file);
  const auto broken = list_yaml_files("fixtures/broken_rules");
  for (const auto& file : broken.value()) expect_same(text_of(file), file);
}

TEST(PlainYaml, ReadsThePlainestStyle) {
  for (const std::string_view text : {
           "a: b\n",
           "# c\n\na: b c\n\n# d\nb:\n  - x: 1\n    y: 'q # r'\n  - \"z\"\n",
           "a:\n- b\n- c: [d, e-1.0]\n  f: >-\n    one\n    two\n\ng: |\n  h: i\n  # no comment\n",
           "- - a\n  - b\n-   c: d\n    e: true\n",
           "a: >\n  b\n  c\nd: |-\n  e\n",
           "a: b\na: c\n",
           "a:\n  é: x\n",
           "a: []\nb: [[c], [], d e, \"f\\n\\\"\\\\\", 'g']\n",
           "a: {b: c, d: {e: [1, 2.5, true]}, f: \"\"}\n- {b: c}\n",
           "- {b: c, b: d}\n",
           "a: {b: \"é\", c: d}\n",
           "a: null\nb: [null, {c: Null}]\nd: NULL\n",
           "a: {b: $c.d/0, e: /f, g: .5, h: (i)}\nj: /k $l\n",
       }) {
    expect_same(text, "f");
  }
  EXPECT_TRUE(is_plain("a:\n- b\n- c: [d, e-1.0]\n  f: >-\n    one\n    two\n\ng: |\n  h: i\n"));
}

TEST(PlainYaml, LeavesTheRestToTheLibrary) {
  for (const std::string_view text : {
           "a: b",
           "a:\n",
           "a: null\n",
           "a: ~\n",
           "null: a\n",
           "a: b: c\n",
           "a: b # c\n",
           "a: b\n  c\n",
           "a: \"b\\n\"\n",
           "a: \"b\n  c\"\n",
           "a: 'b''c'\n",
           "a: {}\n",
           "a: {b}\n",
           "a: {b: }\n",
           "a: {b: null}\n",
           "a: {b: c,}\n",
           "a: {b: c, }\n",
           "a: {b: c d:}\n",
           "a: {\"b\": c}\n",
           "a: {b: c} # d\n",
           "a: {b: c} d\n",
           "a: {b: c]\n",
           "a: {b: c\n",
           "a: [b: c]\n",
           "a: [b: c, d]\n",
           "a: [b,c]\n",
           "a: [b , c]\n",
           "a: [b,\n  c]\n",
           "a: [b #c]\n",
           "a: [b# c]\n",
           "a: [- b]\n",
           "a: [b-]\n",
           "a: ['b''c']\n",
           "a: [\"\\t\"]\n",
           "a: [\"b]\n",
           "a: \"b\\\n",
           "a: &x b\n",
           "a: *x\n",
           "a: !t b\n",
           "a: >+\n  b\n",
           "a: >2\n  b\n",
           "a: >-\n  b\n\n  c\n",
           "a: >-\n  b\n    c\n",
           "a: >-\n    b\n  c\n",
           "a: |\n  b\n # c\n",
           "a: - b\n",
           "- a\n - b\n",
           "- a\nb: c\n",
           "a: b\n c: d\n",
           "  a: b\nc: d\n",
           "a: b\n---\nc: d\n",
           "%YAML 1.2\n---\na: b\n",
           "a:\tb\n",
           "a: b\r\n",
           "? a\n: b\n",
           "-\n  a: b\n",
           "a: ''\n",
           "a b: c\n",
           "a: b\n...\n",
           "a: @b\n",
           "",
           "\n",
       }) {
    expect_same(text, "f");
  }
  for (const std::string_view text :
       {"a: ~\n", "a: b\n  c\n", "a: {b: }\n", "a: >-\n  b\n\n  c\n"}) {
    EXPECT_FALSE(is_plain(text)) << text;
  }
}

TEST(PlainYaml, LeavesLongKeysToTheLibrary) {
  for (const std::size_t length : {1000U, 1020U, 1030U, 5000U}) {
    expect_same(std::string(length, 'k') + ": x\n", "f");
    expect_same("a: {" + std::string(length, 'k') + ": x}\n", "f");
  }
}

TEST(PlainYaml, LeavesDeepTextToTheLibrary) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "- ";

  EXPECT_FALSE(is_plain(text + "a\n"));
}

}  // namespace
}  // namespace plumb::simulator
