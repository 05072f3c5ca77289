// SPDX-License-Identifier: Apache-2.0
#include "simulator/subjects/disk_mirror.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/kernel/folder_tree.h"
#include "engine/kernel/sim_loop.h"
#include "engine/kernel/workspace.h"

namespace plumb::simulator {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class DiskMirrors : public ::testing::Test {
 protected:
  DiskMirrors()
      : folder(*engine::Workspace::create()),
        memory(loop),
        recorder(trace, [this] { return loop.now_ms(); }),
        mirror(memory, recorder, pairs()) {
    memory.put_directory("/workspace");
    EXPECT_TRUE(engine::put_directory(folder.path()));
  }
  std::vector<engine::FolderPair> pairs() const {
    std::vector<engine::FolderPair> list;
    list.emplace_back("/workspace", folder.path());
    return list;
  }
  /// "PATH=CONTENT" of what is on disk, folders as "PATH/", links as "PATH>TARGET".
  std::vector<std::string> on_disk() const {
    std::vector<std::string> lines;
    const auto found = engine::look_at_folder(folder.path());
    for (const auto& [path, entry] : *found) {
      if (entry.kind == engine::FileKind::directory) lines.push_back(path + "/");
      if (entry.kind == engine::FileKind::symlink) lines.push_back(path + ">" + entry.content);
      if (entry.kind == engine::FileKind::file) lines.push_back(path + "=" + entry.content);
    }
    return lines;
  }
  std::string in_memory(const std::string& path) const {
    const auto files = memory.snapshot();
    const auto found = files.find(path);
    return found == files.end() ? "(none)" : found->second.content;
  }
  /// "OP PATH" of the operations that have ended.
  std::vector<std::string> recorded() const {
    std::vector<std::string> lines;
    for (const auto& event : trace.events) {
      const auto* op = event.as<FileOperation>();
      if (op != nullptr && op->phase == "end") lines.push_back(op->op + " " + op->path);
    }
    return lines;
  }

  engine::SimLoop loop;
  engine::Workspace folder;
  engine::MemoryFiles memory;
  Trace trace;
  Recorder recorder;
  DiskMirror mirror;
};

TEST_F(DiskMirrors, WriteOutWhatHasChanged) {
  memory.put_file("/workspace/a.txt", "one");
  memory.put_directory("/workspace/empty");
  memory.put_file("/elsewhere", "x");
  mirror.write_out();
  memory.put_file("/workspace/a.txt", "two");
  mirror.write_out();

  EXPECT_THAT(on_disk(), ElementsAre("a.txt=two", "empty/"));
  EXPECT_THAT(recorded(), IsEmpty());
}

TEST_F(DiskMirrors, ReadBackWhatTheOtherSideDid) {
  memory.put_file("/workspace/a.txt", "one");
  memory.put_file("/workspace/gone.txt", "x");
  mirror.write_out();
  ASSERT_TRUE(engine::put_file(folder.path_of("a.txt"), "changed"));
  ASSERT_TRUE(engine::put_file(folder.path_of("new/b.txt"), "b"));
  ASSERT_TRUE(engine::remove_entry(folder.path_of("gone.txt")));

  mirror.read_back();

  EXPECT_EQ(in_memory("/workspace/a.txt"), "changed");
  EXPECT_EQ(in_memory("/workspace/new/b.txt"), "b");
  EXPECT_EQ(in_memory("/workspace/gone.txt"), "(none)");
  EXPECT_THAT(recorded(), ElementsAre("write /workspace/a.txt", "write /workspace/new/b.txt",
                                      "remove /workspace/gone.txt"));
}

TEST_F(DiskMirrors, KeepLinksWithinTheFolder) {
  memory.put_file("/workspace/a.txt", "one");
  memory.put_symlink("/workspace/link", "/workspace/a.txt");
  mirror.write_out();
  mirror.read_back();

  EXPECT_THAT(on_disk(), ElementsAre("a.txt=one", "link>" + folder.path_of("a.txt")));
  EXPECT_EQ(in_memory("/workspace/link"), "/workspace/a.txt");
  EXPECT_THAT(recorded(), IsEmpty());
}

}  // namespace
}  // namespace plumb::simulator
