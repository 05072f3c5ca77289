// SPDX-License-Identifier: Apache-2.0
#include "simulator/script/source.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace plumb::simulator {
namespace {

namespace fs = std::filesystem;

/// A folder with scenarios in an order that no listing gives by itself.
class SourceFiles : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "plumb_source_test";
    fs::remove_all(root_);
    for (const char* file : {"b/z.yaml", "b/a.yml", "a.yaml", "b/notes.txt", "rules/r.yaml",
                             ".hidden/h.yaml", "B.yaml", "empty/readme.txt"}) {
      const fs::path path = fs::path(root_) / file;
      fs::create_directories(path.parent_path());
      std::ofstream(path) << "text";
    }
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string at(const std::string& path) const { return root_ + "/" + path; }

  std::string root_;
};

TEST_F(SourceFiles, FindsScenariosSortedByBytes) {
  const auto files = find_scenarios({root_});

  ASSERT_TRUE(files);
  EXPECT_EQ(*files, (std::vector{at("B.yaml"), at("a.yaml"), at("b/a.yml"), at("b/z.yaml")}));
}

TEST_F(SourceFiles, NamesEachFileOnce) {
  const auto files = find_scenarios({at("b/z.yaml"), at("b")});

  ASSERT_TRUE(files);
  EXPECT_EQ(*files, (std::vector{at("b/a.yml"), at("b/z.yaml")}));
}

TEST_F(SourceFiles, ReportsEveryPathThatNamesNothing) {
  const auto files = find_scenarios({at("missing.yaml"), at("empty"), at("a.yaml")});

  ASSERT_FALSE(files);
  ASSERT_EQ(files.error().size(), 2U);
  EXPECT_EQ(error_line(files.error()[0]), at("missing.yaml") + ": no such file or folder");
  EXPECT_EQ(error_line(files.error()[1]),
            at("empty") + ": no scenario in this folder, expected *.yaml files");
}

TEST_F(SourceFiles, RefusesNoPathAtAll) {
  EXPECT_FALSE(find_scenarios({}));
}

TEST_F(SourceFiles, ReadsUpToTheLimit) {
  EXPECT_EQ(*read_source(at("a.yaml"), 4), "text");
  EXPECT_EQ(read_source(at("a.yaml"), 3).error().code, ErrorCode::exhausted);
  EXPECT_EQ(read_source(at("b"), 10).error().code, ErrorCode::is_directory);
  EXPECT_EQ(read_source(at("missing"), 10).error().code, ErrorCode::not_found);
}

TEST_F(SourceFiles, ListsOneFolderOnly) {
  EXPECT_EQ(*list_yaml_files(root_), (std::vector{at("B.yaml"), at("a.yaml")}));
  EXPECT_EQ(list_yaml_files(at("a.yaml")).error().code, ErrorCode::not_directory);
}

}  // namespace
}  // namespace plumb::simulator
