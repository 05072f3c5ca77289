// SPDX-License-Identifier: Apache-2.0
#include "reports/write_report.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>
#include <unistd.h>

namespace plumb::reports {
namespace {

namespace fs = std::filesystem;

class WriteReport : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("plumb_write_report_" + std::to_string(::getpid()));
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path_of(const std::string& name) const { return (folder_ / name).string(); }
  std::string text_of(const std::string& name) const {
    std::ifstream file(path_of(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::ptrdiff_t file_count() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

 private:
  fs::path folder_;
};

TEST_F(WriteReport, ReplacesTheFileAndLeavesNothingBeside) {
  ASSERT_TRUE(write_report(path_of("r.json"), "a long first text"));

  ASSERT_TRUE(write_report(path_of("r.json"), "second"));

  EXPECT_EQ(text_of("r.json"), "second");
  EXPECT_EQ(file_count(), 1);
}

TEST_F(WriteReport, KeepsASymbolicLinkAndWritesItsTarget) {
  ASSERT_TRUE(write_report(path_of("real"), "old"));
  fs::create_symlink(path_of("real"), path_of("link"));

  ASSERT_TRUE(write_report(path_of("link"), "new"));

  EXPECT_TRUE(fs::is_symlink(path_of("link")));
  EXPECT_EQ(text_of("real"), "new");
}

TEST_F(WriteReport, NamesAMissingFolder) {
  const Result<void> outcome = write_report(path_of("none/r.json"), "x");

  const Error expected{ErrorCode::not_found, "cannot write: no such directory",
                       path_of("none/r.json")};
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error(), expected);
}

TEST_F(WriteReport, RefusesAFolderAndAFileUsedAsFolder) {
  ASSERT_TRUE(write_report(path_of("file"), "x"));

  EXPECT_EQ(write_report(path_of(""), "x").error().code, ErrorCode::is_directory);
  EXPECT_EQ(write_report(path_of("file/r.json"), "x").error().code, ErrorCode::not_directory);
}

TEST_F(WriteReport, ReportsAFullDevice) {
  const Result<void> outcome = write_report("/dev/full", "x");

  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message, "cannot write: no space left on device");
}

TEST_F(WriteReport, WritesToADeviceWithoutReplacingIt) {
  ASSERT_TRUE(write_report("/dev/null", "x"));

  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

/// Root may write anywhere: as long as this lives, root works as a user without rights.
class UnprivilegedUser {
 public:
  UnprivilegedUser() { EXPECT_EQ(::seteuid(is_root_ ? kNobody : ::geteuid()), 0); }
  ~UnprivilegedUser() { EXPECT_EQ(::seteuid(is_root_ ? 0 : ::geteuid()), 0); }

 private:
  static constexpr uid_t kNobody = 65534;
  bool is_root_ = ::geteuid() == 0;
};

TEST_F(WriteReport, ReportsAFolderWithoutPermission) {
  fs::create_directory(path_of("locked"));
  fs::permissions(path_of("locked"), fs::perms::owner_read | fs::perms::owner_exec);
  const UnprivilegedUser user;

  const Result<void> outcome = write_report(path_of("locked/r.json"), "x");

  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message, "cannot write: permission denied");
}

}  // namespace
}  // namespace plumb::reports
