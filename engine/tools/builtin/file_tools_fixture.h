// SPDX-License-Identifier: Apache-2.0
// A world with the built-in file tools read, edit and write over files in memory that note every
// operation.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "engine/tools/builtin/edit.h"
#include "engine/tools/builtin/edit_planner.h"
#include "engine/tools/builtin/mutation_queue.h"
#include "engine/tools/builtin/read.h"
#include "engine/tools/builtin/write.h"
#include "engine/tools/tools_fixture.h"

namespace plumb::engine {

/// Notes each operation on its way to the files.
class NotingFiles final : public Files {
 public:
  explicit NotingFiles(Files& inner) : inner_(inner) {}
  Task<Result<FileReply>> perform(FileRequest request) override {
    log.push_back(std::string(file_op_name(request.op)) + " " + request.path);
    if (on_op) on_op(request);
    return inner_.perform(std::move(request));
  }
  /// What was done to the file itself, without the queue's look-ups.
  std::vector<std::string> file_log() const {
    std::vector<std::string> found;
    for (const auto& line : log) {
      if (!line.starts_with("real")) found.push_back(line);
    }
    return found;
  }

  std::vector<std::string> log;
  std::function<void(const FileRequest&)> on_op;

 private:
  Files& inner_;
};

struct FileWorld : ToolsWorld {
  FileWorld() {
    files.put_directory("/w");
    host.active = {"read", "edit", "write"};
    ReadOptions reading;
    reading.operations = local_operations(noting);
    add_definition(read_tool(std::move(reading)));
    add_definition(edit_tool(EditOptions(local_operations(noting), queue, policies)));
    add_definition(write_tool(WriteOptions(local_operations(noting), queue, policies)));
  }

  FinishedCall call(std::string name, Json arguments) {
    return run({call_of("c1", std::move(name), std::move(arguments))}).calls[0];
  }
  FinishedCall edit(std::string path, std::vector<TextEdit> edits) {
    Json list = Json::array();
    for (auto& one : edits) {
      list.push_back(Json{{"oldText", one.old_text}, {"newText", one.new_text}});
    }
    return call("edit", Json{{"path", std::move(path)}, {"edits", std::move(list)}});
  }
  std::string content(const std::string& path) {
    const auto reply = files.perform_now(FileRequest(FileOp::read, path));
    return reply ? reply->text : "(" + reply.error().message + ")";
  }

  NotingFiles noting{files};
  MutationQueue queue{loop, noting, recorder, policies};
};

/// "line 1" to "line COUNT".
inline std::string numbered_lines(int count) {
  std::string text;
  for (int i = 1; i <= count; ++i) text += "line " + std::to_string(i) + "\n";
  return text;
}

}  // namespace plumb::engine
