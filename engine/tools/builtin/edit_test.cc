// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/edit.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/tools/builtin/file_tools_fixture.h"

namespace plumb::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(EditTool, ReplacesAndReportsForModelAndHost) {  // EDIT-38, EDIT-39, EDIT-43
  FileWorld world;
  world.files.put_file("/w/f.txt", "a\nb\n");

  const auto call = world.edit("f.txt", {{"a", "A"}, {"b", "B"}});

  EXPECT_EQ(world.content("/w/f.txt"), "A\nB\n");
  EXPECT_EQ(text_of(call), "Replaced 2 blocks in f.txt");
  const Json& details = call.result.details.get();
  EXPECT_EQ(details["diff"], "-1 a\n-2 b\n+1 A\n+2 B");
  EXPECT_THAT(details["patch"].get<std::string>(), HasSubstr("--- f.txt\n+++ f.txt\n@@ -1,2 +1,2"));
  EXPECT_EQ(details["firstChangedLine"], 1);
  EXPECT_FALSE(to_request_json(Message(world.host.messages[0])).contains("details"));
}

TEST(EditTool, ChecksReadsAndWritesOnceInItsTurn) {  // EDIT-16, EDIT-71, QUEUE-05
  FileWorld world;
  world.files.put_file("/w/f.txt", "a");

  world.edit("f.txt", {{"a", "A"}});

  EXPECT_THAT(world.noting.log, ElementsAre("real_path /w/f.txt", "access /w/f.txt",
                                            "read /w/f.txt", "write /w/f.txt"));
  EXPECT_EQ(world.all<QueueAcquire>().size(), 1U);
  EXPECT_EQ(world.all<QueueRelease>().size(), 1U);
}

TEST(EditTool, WritesNothingWhenOneEditFails) {  // EDIT-15, EDIT-07
  FileWorld world;
  world.files.put_file("/w/f.txt", "abc");

  const auto call = world.edit("f.txt", {{"a", "A"}, {"zzz", "x"}});

  EXPECT_EQ(call.cause, Cause::execute_failed);
  EXPECT_THAT(text_of(call), HasSubstr("edits[1]"));
  EXPECT_THAT(world.noting.file_log(), ElementsAre("access /w/f.txt", "read /w/f.txt"));
}

TEST(EditTool, RefusesAnEmptyListBeforeAnyFileAccess) {  // EDIT-18
  FileWorld world;

  const auto call = world.edit("nope.txt", {});

  EXPECT_TRUE(call.result.is_error);
  EXPECT_THAT(text_of(call), HasSubstr("edits is empty"));
  EXPECT_THAT(world.noting.log, IsEmpty());
}

TEST(EditTool, NamesPathAndCodeOfAMissingFile) {  // EDIT-20, EDIT-21
  FileWorld world;

  const auto call = world.edit("nope.txt", {{"a", "b"}});

  EXPECT_THAT(text_of(call), HasSubstr("edit nope.txt: ENOENT"));
  EXPECT_THAT(world.content("/w/nope.txt"), HasSubstr("ENOENT"));
}

TEST(EditTool, RefusesAFileThatMayNotBeWrittenUnread) {  // EDIT-19
  FileWorld world;
  world.files.put_file("/w/f.txt", "a", 0444);

  const auto call = world.edit("f.txt", {{"a", "b"}});

  EXPECT_THAT(text_of(call), HasSubstr("EACCES"));
  EXPECT_THAT(world.noting.file_log(), ElementsAre("access /w/f.txt"));
}

TEST(EditTool, ChangesTheTargetOfALink) {  // EDIT-31
  FileWorld world;
  world.files.put_file("/w/real.txt", "a", 0640);
  world.files.put_symlink("/w/link.txt", "real.txt");

  world.edit("link.txt", {{"a", "b"}});

  EXPECT_EQ(world.content("/w/real.txt"), "b");
  EXPECT_TRUE(world.files.perform_now(FileRequest(FileOp::read_link, "/w/link.txt")).has_value());
}

TEST(EditTool, StopsAtEachAwaitAfterAnAbort) {  // EDIT-54, EDIT-55
  for (const auto op : {FileOp::real_path, FileOp::access, FileOp::read}) {
    FileWorld world;
    world.files.put_file("/w/f.txt", "a");
    world.noting.on_op = [&](const FileRequest& request) {
      if (request.op == op) world.controller.abort("user");
    };

    const auto call = world.edit("f.txt", {{"a", "b"}});

    EXPECT_EQ(text_of(call), "Operation aborted");
    EXPECT_EQ(world.content("/w/f.txt"), "a");
    EXPECT_THAT(world.noting.log.back(), HasSubstr(std::string(file_op_name(op))));
  }
}

TEST(EditTool, ReportsAnAbortDuringTheWriteAfterTheWrite) {  // EDIT-56, QUEUE-06
  FileWorld world;
  world.files.put_file("/w/f.txt", "a");
  world.noting.on_op = [&](const FileRequest& request) {
    if (request.op == FileOp::write) world.controller.abort("user");
  };

  const auto call = world.edit("f.txt", {{"a", "b"}});

  EXPECT_EQ(text_of(call), "Operation aborted");
  EXPECT_EQ(world.content("/w/f.txt"), "b");
}

TEST(EditTool, PrefersTheAbortToOtherErrors) {  // EDIT-57
  FileWorld world;
  world.noting.on_op = [&](const FileRequest& request) {
    if (request.op == FileOp::access) world.controller.abort("user");
  };

  EXPECT_EQ(text_of(world.edit("nope.txt", {{"a", "b"}})), "Operation aborted");
}

TEST(EditTool, FreesTheQueueAfterAFailedWrite) {  // EDIT-72, QUEUE-08
  FileWorld world;
  world.files.put_file("/w/f.txt", "a");
  FaultPlan plan;
  FileFault broken;
  broken.op = FileOp::write;
  broken.io_error = "EIO: i/o error";
  plan.add(broken);
  world.files.set_faults(&plan);

  const auto first = world.edit("f.txt", {{"a", "b"}});
  const auto second = world.edit("f.txt", {{"a", "c"}});

  EXPECT_THAT(text_of(first), HasSubstr("EIO"));
  EXPECT_FALSE(second.result.is_error);
  EXPECT_EQ(world.content("/w/f.txt"), "c");
}

TEST(EditTool, OrdersTheCallsOfABatch) {  // QUEUE-02, QUEUE-04
  FileWorld world;
  world.files.put_file("/w/f.txt", "a");
  const auto edit_json = [](const char* from, const char* to) {
    return Json{{"path", "f.txt"}, {"oldText", from}, {"newText", to}};
  };

  const auto outcome = world.run(
      {call_of("c1", "edit", edit_json("a", "b")), call_of("c2", "edit", edit_json("b", "c"))});

  EXPECT_FALSE(outcome.calls[0].result.is_error);
  EXPECT_FALSE(outcome.calls[1].result.is_error);
  EXPECT_EQ(world.content("/w/f.txt"), "c");
}

TEST(EditTool, FoldsOlderArgumentShapes) {  // EDIT-44..48
  const auto prepared = [](const char* json) {
    return dump_json(prepare_edit_arguments(parse_json(json).value()));
  };

  EXPECT_EQ(
      prepared(
          R"({"path":"f","edits":[{"oldText":"c","newText":"C"}],"oldText":"a","newText":"A"})"),
      R"({"path":"f","edits":[{"oldText":"c","newText":"C"},{"oldText":"a","newText":"A"}]})");
  EXPECT_EQ(prepared(R"({"path":"f","oldText":"a","newText":"A"})"),
            R"({"path":"f","edits":[{"oldText":"a","newText":"A"}]})");
  EXPECT_EQ(prepared(R"({"path":"f","edits":"[{\"oldText\":\"a\",\"newText\":\"b\"}]"})"),
            R"({"path":"f","edits":[{"oldText":"a","newText":"b"}]})");
  EXPECT_EQ(prepared(R"({"edits":{"oldText":"a","newText":"b"}})"),
            R"({"edits":[{"oldText":"a","newText":"b"}]})");
  EXPECT_EQ(prepared(R"({"edits":"{\"oldText\":\"a\",\"newText\":\"b\"}"})"),
            R"({"edits":[{"oldText":"a","newText":"b"}]})");
  for (const auto* unusable : {R"({"edits":"{\"oldText\":\"a\"}"})", R"({"edits":"not json"})",
                               R"({"oldText":"a"})", R"({"edits":"5"})", R"("text")", "null"}) {
    EXPECT_EQ(prepared(unusable), unusable);
  }
}

TEST(EditTool, FillsNoStringFromNull) {  // EDIT-53
  FileWorld world;
  world.files.put_file("/w/f.txt", "a");

  const auto call = world.call(
      "edit", Json{{"path", "f.txt"},
                   {"edits", Json::array({Json{{"oldText", "a"}, {"newText", nullptr}}})}});

  EXPECT_EQ(call.cause, Cause::invalid_arguments);
  EXPECT_EQ(world.content("/w/f.txt"), "a");
}

TEST(EditTool, SurvivesWhatHandlersLeave) {  // PIPE-07, PIPE-11
  FileWorld world;
  world.files.put_file("/w/f.txt", "a");
  world.hooks.before = [](const CallView& call) {
    (*call.input)["edits"] = "nonsense";
    return BeforeOutcome();
  };

  EXPECT_EQ(world.edit("f.txt", {{"a", "b"}}).cause, Cause::execute_failed);
}

TEST(EditTool, AsksForUniqueDisjointMergedEdits) {  // EDIT-13, EDIT-51
  FileWorld world;
  const auto turn = world.turn();

  const std::string& description = find_active(*turn, "edit")->definition.description;

  EXPECT_THAT(description, HasSubstr("unique"));
  EXPECT_THAT(description, HasSubstr("disjoint"));
  EXPECT_THAT(description, HasSubstr("merge"));
}

}  // namespace
}  // namespace plumb::engine
