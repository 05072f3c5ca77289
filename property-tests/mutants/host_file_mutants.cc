// SPDX-License-Identifier: Apache-2.0
// Mutants of what the host replaces or knows: READ-22 to READ-24, READ-31, READ-32, WRITE-09.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "engine/kernel/files.h"
#include "engine/kernel/loop.h"
#include "engine/tools/builtin/image_file.h"
#include "property-tests/mutants/mutant.h"
#include "property-tests/mutants/outer_files.h"

namespace plumb::simulator {
namespace {

using engine::FileOp;
using engine::FileReply;
using engine::FileRequest;
using engine::Task;
using engine::ToolCall;
using engine::ToolResult;
using RunHostTool = std::function<Task<ToolResult>(ToolCall)>;

std::string path_in_workspace(const ToolCall& call) {
  return "/workspace/" + call.params->value("path", std::string());
}

// ------------------------------------------------------------------ the local file as well

/// The port of a run, for tools that go behind the host's operations. The run's world sets it
/// before it makes its tools.
struct LocalFiles {
  engine::Files* port = nullptr;
};

using AlsoLocally = Task<ToolResult> (*)(RunHostTool, ToolCall, std::shared_ptr<LocalFiles>);

RunHostTool wrapped(RunHostTool inner, AlsoLocally wrapper, std::shared_ptr<LocalFiles> local) {
  return [wrapper, local = std::move(local), inner = std::move(inner)](ToolCall call) {
    return wrapper(inner, std::move(call), local);
  };
}

/// `tool` does something to the local file beside what the host does.
Mutant local_too(Mutant mutant, std::string tool, AlsoLocally wrapper) {
  mutant.kind = MutantKind::extension;
  mutant.alterations.for_run = [tool, wrapper](Alterations& own) {
    // Shared by the two alterations of the run: the port, and the tool that uses it.
    const auto local = std::make_shared<LocalFiles>();
    own.files = [local](engine::Files& inner, engine::Loop&) {
      local->port = &inner;
      return std::make_unique<OuterFiles>(inner);
    };
    own.session = [tool, wrapper, local](engine::SessionOptions& options) {
      for (auto& definition : options.builtin_tools) {
        if (definition.name != tool) continue;
        definition.execute = wrapped(definition.execute, wrapper, local);
      }
    };
  };
  return mutant;
}

Task<ToolResult> check_locally(RunHostTool inner, ToolCall call,
                               std::shared_ptr<LocalFiles> local) {
  const auto looked =
      co_await local->port->access(path_in_workspace(call), engine::AccessMode::read);
  static_cast<void>(looked.has_value());
  ToolResult result = co_await inner(std::move(call));
  co_return result;
}

Task<ToolResult> write_locally(RunHostTool inner, ToolCall call,
                               std::shared_ptr<LocalFiles> local) {
  std::string content = call.params->value("content", std::string());
  const auto written = co_await local->port->write(path_in_workspace(call), std::move(content));
  static_cast<void>(written.has_value());
  ToolResult result = co_await inner(std::move(call));
  co_return result;
}

// ------------------------------------------------------------------ one backend for all

/// What is written goes elsewhere, where only later reads find it.
class WritesElsewhere final : public OuterFiles {
 public:
  using OuterFiles::OuterFiles;

  Task<Result<FileReply>> perform(FileRequest request) override {
    if (request.op == FileOp::write) return keep(std::move(request));
    return inner_.perform(std::move(request));
  }

 private:
  Task<Result<FileReply>> keep(FileRequest request) {
    kept_[request.path] = std::move(request.content);
    co_return FileReply();
  }

  std::map<std::string, std::string> kept_;
};

Mutant writes_follow_reads() {
  Mutant mutant =
      trips_also(files_mutant<WritesElsewhere>("read-moves-the-other-tools", "READ-32",
                                               "edit and write go where the replaced read goes"),
                 {"EDIT-02", "EDIT-16", "EDIT-71", "WRITE-01"});
  return mutant;
}

// ------------------------------------------------------------------ pictures

/// Whatever the host says of models, the engine decides without it.
Mutant ignores_the_model() {
  Mutant mutant = policy_mutant("read-ignores-the-models-limits", "READ-23",
                                "the tool's own limits always count", {});
  mutant.alterations.session = [](engine::SessionOptions& options) { options.models.clear(); };
  return mutant;
}

Task<ToolResult> say_no_size(RunHostTool inner, ToolCall call) {
  ToolResult result = co_await inner(std::move(call));
  for (auto& block : result.content) {
    auto* text = std::get_if<engine::TextBlock>(&block);
    if (text != nullptr) text->text = text->text.substr(0, text->text.find("\n[Shown"));
  }
  co_return result;
}

Task<ToolResult> drop_the_picture(RunHostTool inner, ToolCall call) {
  ToolResult result = co_await inner(std::move(call));
  if (result.details.is_null()) co_return result;
  std::erase_if(result.content, [](const auto& block) {
    return std::holds_alternative<engine::ImageBlock>(block);
  });
  result.structured_content = SharedJson(Json(engine::text_of(result.content)));
  co_return result;
}

Mutant read_wrapped(std::string name, std::string rule, std::string change,
                    Task<ToolResult> (*wrapper)(RunHostTool, ToolCall)) {
  return broken_tool(std::move(name), std::move(rule), std::move(change), "read",
                     [wrapper](engine::ToolDefinition& tool) {
                       tool.execute = [wrapper, inner = tool.execute](ToolCall call) {
                         return wrapper(inner, std::move(call));
                       };
                     });
}

}  // namespace

std::vector<Mutant> host_file_mutants() {
  return {
      local_too(port_mutant("read-checks-the-local-file", "READ-31",
                            "the local file is looked at before the host is asked"),
                "read", check_locally),
      writes_follow_reads(),
      trips_also(local_too(port_mutant("write-touches-the-disk-too", "WRITE-09",
                                       "the local file is written beside the host's"),
                           "write", write_locally),
                 {"QUEUE-05"}),
      ignores_the_model(),
      read_wrapped("read-makes-pictures-smaller-silently", "READ-22",
                   "no text tells of the original", say_no_size),
      read_wrapped("read-drops-what-the-model-cannot-see", "READ-24",
                   "the picture is not in the record", drop_the_picture),
  };
}

}  // namespace plumb::simulator
