// SPDX-License-Identifier: Apache-2.0
// The official JSON Schema test suite, read where it lies: beside the repository, or as Debian's
// package (draft 7 only). Without either, the vectors of json_schema_test.cc stand alone and this
// says so.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "engine/values/json_schema.h"

namespace plumb {

namespace {

namespace fs = std::filesystem;

// Debian's python3-jsonschema has the meta-schemas, which a handful of tests refer to.
constexpr std::string_view kMetaSchemas = "/usr/lib/python3/dist-packages/jsonschema/schemas";

std::optional<Json> read_suite_json(const fs::path& path) {
  const std::ifstream file(path);
  if (!file) return {};
  std::ostringstream text;
  text << file.rdbuf();
  auto value = parse_json(text.str(), path.string());
  EXPECT_TRUE(value.has_value()) << value.error().where << ": " << value.error().message;
  return value ? std::optional(*std::move(value)) : std::nullopt;
}

std::optional<fs::path> suite_root() {
  for (const fs::path& root :
       {fs::current_path().parent_path() / "shared" / "json-schema-test-suite",
        fs::path("/usr/share/json-schema-test-suite")}) {
    if (fs::exists(root / "tests")) return root;
  }
  return {};
}

std::optional<Json> find_vocabulary(const std::string& uri) {
  const auto all = read_suite_json(fs::path(kMetaSchemas) / "vocabularies.json");
  const auto found = all ? all->find(uri) : Json::const_iterator();
  return all && found != all->end() ? std::optional<Json>(*found) : std::nullopt;
}

std::optional<Json> load_meta_schema(const std::string& uri) {
  const std::map<std::string, std::string> files = {
      {"http://json-schema.org/draft-06/schema", "draft6.json"},
      {"http://json-schema.org/draft-07/schema", "draft7.json"},
      {"https://json-schema.org/draft/2019-09/schema", "draft2019-09.json"},
      {"https://json-schema.org/draft/2020-12/schema", "draft2020-12.json"}};
  const auto found = files.find(uri);
  if (found == files.end()) return find_vocabulary(uri);
  return read_suite_json(fs::path(kMetaSchemas) / found->second);
}

std::optional<Json> load_suite_document(const fs::path& root, const std::string& uri) {
  constexpr std::string_view kServer = "http://localhost:1234/";
  if (uri.starts_with(kServer))
    return read_suite_json(root / "remotes" / uri.substr(kServer.size()));
  return uri.contains("json-schema.org/") ? load_meta_schema(uri) : std::nullopt;
}

struct SuiteDraft {
  std::string folder;
  SchemaDraft draft;
  std::int64_t required_tests;
};

const SuiteDraft kSuiteDrafts[] = {{"draft7", SchemaDraft::draft_7, 927},
                                   {"draft2019-09", SchemaDraft::draft_2019_09, 1259},
                                   {"draft2020-12", SchemaDraft::draft_2020_12, 1299}};

/// Runs files of one draft and counts.
struct SuiteRun {
  fs::path root;
  SchemaOptions options;
  std::int64_t passed = 0;
  std::int64_t skipped = 0;

  void run_folder(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".json") files.push_back(entry.path());
    }
    std::ranges::sort(files);
    for (const fs::path& file : files) run_file(file);
  }

  void run_file(const fs::path& file) {
    const auto groups = read_suite_json(file);
    ASSERT_TRUE(groups.has_value()) << file;
    for (const Json& group : *groups) {
      SCOPED_TRACE(file.filename().string() + ": " + group["description"].get<std::string>());
      run_group(group);
    }
  }

  void run_group(const Json& group) {
    const Json& tests = group["tests"];
    const bool needs_meta_schema = dump_json(group["schema"]).contains("\"$ref\":\"http") &&
                                   dump_json(group["schema"]).contains("json-schema.org/draft");
    if (needs_meta_schema && !fs::exists(kMetaSchemas)) {
      skipped += static_cast<std::int64_t>(tests.size());
      return;
    }
    const auto schema = compile_schema(group["schema"], options);
    ASSERT_TRUE(schema.has_value()) << schema.error().where << ": " << schema.error().message;
    for (const Json& test : tests) run_test(*schema, test);
  }

  void run_test(const JsonSchema& schema, const Json& test) {
    const bool is_accepted = schema.accepts(test["data"]);
    EXPECT_EQ(is_accepted, test["valid"].get<bool>()) << test["description"];
    EXPECT_EQ(is_accepted, schema.validate(test["data"]).empty()) << test["description"];
    if (is_accepted == test["valid"].get<bool>()) ++passed;
  }
};

SuiteRun suite_run(const fs::path& root, SchemaDraft draft) {
  SuiteRun run;
  run.root = root;
  run.options.draft = draft;
  run.options.load = [root](const std::string& uri) { return load_suite_document(root, uri); };
  return run;
}

}  // namespace

TEST(JsonSchemaSuite, PassesEveryRequiredTest) {
  const auto root = suite_root();
  if (!root) {
    std::cout << "no JSON Schema test suite found: only our own vectors were checked\n";
    return;
  }
  const bool is_whole = fs::exists(*root / "tests" / "draft2020-12");
  for (const auto& [folder, draft, required_tests] : kSuiteDrafts) {
    if (!fs::exists(*root / "tests" / folder)) continue;
    SuiteRun run = suite_run(*root, draft);
    run.run_folder(*root / "tests" / folder);
    std::cout << folder << ": " << run.passed << " passed, " << run.skipped
              << " need a meta-schema that is not installed\n";
    if (!is_whole) continue;
    EXPECT_EQ(run.passed + run.skipped, required_tests);
  }
}

TEST(JsonSchemaSuite, PassesTheOptionalPatternTests) {
  const auto root = suite_root();
  for (const auto& [folder, draft, required_tests] : kSuiteDrafts) {
    const fs::path optional = root.value_or("") / "tests" / folder / "optional";
    if (!fs::exists(optional / "non-bmp-regex.json")) continue;
    SuiteRun run = suite_run(*root, draft);
    run.run_file(optional / "ecmascript-regex.json");
    run.run_file(optional / "non-bmp-regex.json");
    std::cout << folder << ", patterns: " << run.passed << " passed\n";
    EXPECT_EQ(run.passed, 86);
  }
}

TEST(JsonSchemaSuite, PassesTheOptionalFormatTests) {
  const auto root = suite_root();
  const fs::path folder = root.value_or("") / "tests/draft2020-12/optional/format";
  if (!fs::exists(folder)) return;
  SuiteRun run = suite_run(*root, SchemaDraft::draft_2020_12);
  run.options.assert_formats = true;
  for (const std::string name :
       {"date-time", "date", "time", "email", "ipv4", "ipv6", "uri", "uuid", "json-pointer"}) {
    run.run_file(folder / (name + ".json"));
  }
  std::cout << "formats: " << run.passed << " passed\n";
}

}  // namespace plumb
