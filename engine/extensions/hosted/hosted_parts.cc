// SPDX-License-Identifier: Apache-2.0
// Handlers, tools and commands that live in the host, as the engine calls them.
#include <stdexcept>
#include <utility>

#include "engine/extensions/hosted/host_services.h"

namespace plumb::engine {
namespace {

/// Names a signal for the host and tells it of the abort, as long as the request is open.
class ToldSignal {
 public:
  ToldSignal(NodeHost& process, const AbortSignal& signal, std::string name)
      : name_(std::move(name)), registration_(signal.on_abort([&process, name = name_, signal] {
          process.notify("abort", Json{{"signal", name}, {"reason", signal.reason()}});
        })) {}

 private:
  std::string name_;
  AbortRegistration registration_;
};

/// The member of an event that handlers change in place, as extensions know it.
std::string shared_member(const std::string& event) {
  return event == "before_agent_start" ? "systemPromptOptions" : "input";
}

Json event_of(const HandlerContext& context) {
  Json event{{"type", context.event}};
  event.update(context.data);
  if (context.input) event[shared_member(context.event)] = *context.input;
  return event;
}

Thrown thrown_of(const HostFailure& failure) {
  return Thrown(failure.message, failure.is_error_object);
}

[[noreturn]] void raise_in_tool(const HostFailure& failure) {
  if (failure.is_error_object) throw std::runtime_error(failure.message);
  throw std::string(failure.message);
}

/// What hosted functions have in common: who they belong to.
class HostedPart {
 public:
  HostedPart(HostServices& services, const HostedOwner& owner)
      : services_(&services), extension_(owner.id), path_(owner.api.path()) {}

 protected:
  HostRequest request(std::string method, std::string activity) const {
    HostRequest request(std::move(method), Json{{"extension", extension_}});
    request.extension = path_;
    request.activity = std::move(activity);
    return request;
  }
  HostServices& services() const { return *services_; }
  const std::string& path() const { return path_; }

 private:
  HostServices* services_;
  std::int64_t extension_;
  std::string path_;
};

class HostedHandler final : public HostedPart {
 public:
  HostedHandler(HostServices& services, const HostedOwner& owner, const Json& entry)
      : HostedPart(services, owner),
        index_(number_in(entry, "index")),
        event_(text_in(entry, "event")) {}

  Task<HandlerResult> operator()(HandlerContext context) const {
    HostRequest asked = request("handler", "its handler of " + event_ + " ran");
    asked.call = context.call;
    asked.params["index"] = index_;
    asked.params["event"] = event_of(context);
    if (context.input) asked.params["shared"] = shared_member(context.event);
    asked.params["facts"] = services().facts();
    return run(&services(), std::move(asked), std::move(context));
  }

 private:
  static Task<HandlerResult> run(HostServices* services, HostRequest asked,
                                 HandlerContext context) {
    const std::string path = asked.extension;
    const std::string name = services->next_signal();
    asked.params["signal"] = name;
    const ToldSignal told(services->process(), context.signal, name);
    HostReply reply = co_await services->process().request(std::move(asked));
    if (!reply) co_return std::unexpected(thrown_of(reply.error()));
    services->report_missing(path, *reply);
    if (context.input && reply->contains("after")) *context.input = (*reply)["after"];
    if (!reply->contains("returned")) co_return std::optional<Json>();
    co_return std::optional<Json>((*reply)["returned"]);
  }

  std::int64_t index_;
  std::string event_;
};

class HostedExecute final : public HostedPart {
 public:
  HostedExecute(HostServices& services, const HostedOwner& owner, std::string name)
      : HostedPart(services, owner), name_(std::move(name)) {}

  Task<ToolResult> operator()(ToolCall call) const {
    HostRequest asked = request("tool.execute", "its tool " + name_ + " ran");
    asked.call = call.id;
    asked.params["tool"] = name_;
    asked.params["callId"] = call.id;
    asked.params["params"] = *call.params;
    asked.params["facts"] = services().facts();
    asked.on_update = call.on_update;
    asked.execute_tool = call.execute_tool;
    return run(&services(), std::move(asked), std::move(call));
  }

 private:
  static Task<ToolResult> run(HostServices* services, HostRequest asked, ToolCall call) {
    const std::string path = asked.extension;
    const std::string name = services->next_signal();
    asked.params["signal"] = name;
    const ToldSignal told(services->process(), call.signal, name);
    HostReply reply = co_await services->process().request(std::move(asked));
    if (!reply) raise_in_tool(reply.error());
    services->report_missing(path, *reply);
    if (reply->contains("params")) *call.params = (*reply)["params"];
    auto result = parse_tool_result(value_in(*reply, "result"));
    if (!result) co_return failed_result(result.error().message);
    co_return *std::move(result);
  }

  std::string name_;
};

class HostedPrepare final : public HostedPart {
 public:
  HostedPrepare(HostServices& services, const HostedOwner& owner, std::string name)
      : HostedPart(services, owner), name_(std::move(name)) {}

  Json operator()(Json raw) const {
    HostRequest asked = request("tool.prepare", "its tool " + name_ + " prepared arguments");
    asked.params["tool"] = name_;
    asked.params["args"] = std::move(raw);
    const HostReply reply = services().process().request_now(std::move(asked));
    if (!reply) raise_in_tool(reply.error());
    return value_in(*reply, "args");
  }

 private:
  std::string name_;
};

class HostedCommand final : public HostedPart {
 public:
  HostedCommand(HostServices& services, const HostedOwner& owner, std::string name)
      : HostedPart(services, owner), name_(std::move(name)) {}

  Task<HandlerResult> operator()(std::string arguments) const {
    HostRequest asked = request("command", "its command /" + name_ + " ran");
    asked.params["name"] = name_;
    asked.params["args"] = std::move(arguments);
    asked.params["facts"] = services().facts();
    return run(&services(), std::move(asked));
  }

 private:
  static Task<HandlerResult> run(HostServices* services, HostRequest asked) {
    const std::string path = asked.extension;
    HostReply reply = co_await services->process().request(std::move(asked));
    if (!reply) co_return std::unexpected(thrown_of(reply.error()));
    services->report_missing(path, *reply);
    co_return std::optional<Json>();
  }

  std::string name_;
};

SharedJson member_in(const Json& entry, const char* name) {
  return entry.contains(name) ? SharedJson(entry[name]) : SharedJson();
}

}  // namespace

Result<ToolDefinition> hosted_tool(HostServices& services, const HostedOwner& owner,
                                   const Json& entry) {
  ToolDefinition tool;
  tool.name = text_in(entry, "name");
  tool.label = text_in(entry, "label");
  tool.description = text_in(entry, "description");
  tool.parameters = member_in(entry, "parameters");
  tool.prompt_snippet = text_in(entry, "promptSnippet");
  tool.prompt_guidelines = texts_in(value_in(entry, "promptGuidelines"));
  if (text_in(entry, "executionMode") == "sequential") {
    tool.execution_mode = ExecutionMode::sequential;
  }
  if (const std::string exposure = text_in(entry, "exposure"); !exposure.empty()) {
    PLUMB_TRY(tool.exposure, parse_exposure(exposure));
  }
  tool.default_active = value_in(entry, "defaultActive") != Json(false);
  tool.output_schema = member_in(entry, "outputSchema");
  tool.annotations = member_in(entry, "annotations");
  tool.name_space = member_in(entry, "namespace");
  tool.execute = HostedExecute(services, owner, tool.name);
  if (value_in(entry, "hasPrepareArguments") == Json(true)) {
    tool.prepare_arguments = HostedPrepare(services, owner, tool.name);
  }
  return tool;
}

Handler hosted_handler(HostServices& services, const HostedOwner& owner, const Json& entry) {
  return HostedHandler(services, owner, entry);
}

CommandHandler hosted_command(HostServices& services, const HostedOwner& owner,
                              const std::string& name) {
  return HostedCommand(services, owner, name);
}

}  // namespace plumb::engine
