// SPDX-License-Identifier: Apache-2.0
// The reference session engine behind the adapter protocol (PROTOCOL.md), as any other engine would
// be joined: a process of its own, real files, and the model over HTTP (Anthropic Messages,
// streamed). Nothing of the harness is linked in.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include "engine/extensions/scripted.h"
#include "engine/kernel/event.h"
#include "engine/kernel/real_files.h"
#include "engine/kernel/real_loop.h"
#include "engine/kernel/real_processes.h"
#include "engine/session/session.h"
#include "engine/tools/builtin/edit.h"
#include "engine/tools/builtin/read.h"
#include "engine/tools/builtin/write.h"
#include "engine/trace/event_json.h"
#include "engine/values/json_members.h"
#include "simulator/subjects/adapters/messages_provider.h"

namespace plumb::engine {
namespace {

// ------------------------------------------------------------------ lines

void write_out(std::string text) {
  text += '\n';
  std::string_view left = text;
  while (!left.empty()) {
    const ssize_t count = ::write(STDOUT_FILENO, left.data(), left.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;  // Nobody listens any more.
    left.remove_prefix(static_cast<std::size_t>(count));
  }
}

void send(const Json& message) {
  write_out(dump_json(message));
}

void send_done(const Json& id) {
  send(Json{{"type", "done"}, {"id", id}});
}

void send_error(const Json& id, std::string_view code, const std::string& message) {
  send(Json{{"type", "error"}, {"id", id}, {"code", code}, {"message", message}});
}

/// Lines of standard input; what has been read too far is kept for whoever asks next.
class Input {
 public:
  /// False at the end.
  bool read_more() {
    std::array<char, 65'536> bytes;
    const ssize_t count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) return true;
    if (count > 0) buffer_.append(bytes.data(), static_cast<std::size_t>(count));
    return count > 0;
  }
  std::optional<Json> next() {
    const auto end = buffer_.find('\n');
    if (end == std::string::npos) return std::nullopt;
    auto message = parse_json(std::string_view(buffer_).substr(0, end));
    buffer_.erase(0, end + 1);
    return message ? *std::move(message) : Json();
  }

 private:
  std::string buffer_;
};

// ------------------------------------------------------------------ dialogs

/// Asks the harness. A question that the engine takes back is closed as its frame goes.
class AdapterUser final : public UserInterface {
 public:
  AdapterUser(Loop& loop, bool is_attached) : loop_(loop), is_attached_(is_attached) {}

  bool is_attached() const override { return is_attached_; }
  void set_attached(bool is_attached) { is_attached_ = is_attached; }
  void answer(const std::string& ask, const Json& value) {
    const auto found = open_.find(ask);
    if (found == open_.end()) return;
    found->second->value = value;
    found->second->answered.set();
  }
  Task<DialogAnswer> ask(Dialog dialog) override;

 private:
  struct Question {
    Question(Loop& loop, std::string name) : answered(loop, std::move(name)) {}
    Event answered;
    Json value;
  };
  /// Takes the question back unless it was answered.
  struct Closing {
    AdapterUser& user;
    std::string ask;
    AbortSignal signal;
    bool is_answered = false;
    ~Closing() {
      user.open_.erase(ask);
      const char* const reason = signal.aborted() ? "abort" : "timeout";
      if (!is_answered) send(Json{{"type", "ui"}, {"ask", ask}, {"closed", reason}});
    }
  };

  Loop& loop_;
  bool is_attached_;
  std::int64_t count_ = 0;
  std::map<std::string, Question*> open_;
};

Task<DialogAnswer> AdapterUser::ask(Dialog dialog) {
  Fiber& fiber = co_await current_fiber();
  const std::string ask = "ask-" + std::to_string(++count_);
  Json message{{"type", "ui"}, {"ask", ask}, {"method", dialog.method}, {"title", dialog.title}};
  if (!dialog.message.empty()) message["message"] = dialog.message;
  if (!dialog.options.empty()) message["options"] = dialog.options;
  if (!fiber.label.empty()) message["call"] = fiber.label;
  Question question(loop_, ask);
  open_[ask] = &question;
  Closing closing{*this, ask, dialog.signal};
  send(message);
  co_await question.answered.wait();
  closing.is_answered = true;
  co_return DialogAnswer(question.value);
}

// ------------------------------------------------------------------ one session

constexpr std::array<std::string_view, 12> kHarnessReports{"provider_request",
                                                           "provider_response",
                                                           "llm_error",
                                                           "file_op",
                                                           "process_start",
                                                           "process_exit",
                                                           "ui_ask",
                                                           "ui_answer",
                                                           "step",
                                                           "final_files",
                                                           "crash",
                                                           "resume"};

bool is_reported(std::string_view kind) {
  return std::ranges::find(kHarnessReports, kind) == kHarnessReports.end();
}

Json hello_message() {
  Json emits = Json::array();
  for (const auto kind : kEventKinds) {
    if (is_reported(kind)) emits.push_back(kind);
  }
  return Json{
      {"type", "hello"},
      {"protocol", "plumb-adapter/1"},
      {"name", "reference"},
      {"version", "1"},
      {"engine", "session"},
      {"edition", "seed"},
      {"emits", std::move(emits)},
      {"steps", {"user", "steer", "follow_up", "abort", "configure", "reload", "uninstall"}},
      {"apis", {"anthropic-messages"}},
      {"supports",
       {"settings.execution", "settings.steering", "settings.follow_up", "settings.ui",
        "settings.trust", "settings.thinking", "settings.system", "settings.append_system",
        "settings.cwd", "settings.retries", "settings.retry_delay_ms", "settings.turns_max",
        "settings.secrets", "tools.active", "tools.allow", "tools.exclude", "tools.sdk",
        "extensions"}}};
}

std::vector<std::string> names_at(const Json& object, const char* name) {
  return object.contains(name) ? object[name].get<std::vector<std::string>>()
                               : std::vector<std::string>();
}

/// From `start` to `end`. The loop is the session's own, and goes with everything on it.
class AdapterSession {
 public:
  explicit AdapterSession(const Json& start)
      : start_(start),
        recorder_(trace_, [this] { return loop_.now_ms(); }),
        policies_(policies_of(text_at(start, "edition"))),
        files_(loop_),
        processes_(loop_),
        rng_(0),
        env_(loop_, files_, processes_, rng_),
        queue_(loop_, env_.files, recorder_, policies_),
        provider_(loop_, text_at(start, "base_url")),
        user_(loop_, at(start, "settings").value("ui", true)),
        scripts_(loop_) {
    recorder_.listen([this](const plumb::Event& event) { report(event); });
    SessionPorts ports(env_, provider_, recorder_);
    if (user_.is_attached()) ports.ui = &user_;
    session_ = std::make_unique<Session>(options(), ports, policies_);
    scripts_.host = &session_->host();
    scripts_.queue = &queue_;
  }
  ~AdapterSession() {
    recorder_.listen({});
    loop_.destroy_fibers();
  }

  /// Ends with the session, or at the end of the input.
  void serve(Input& input) { static_cast<void>(loop_.run(serve_messages(input))); }

 private:
  SessionOptions options();
  void add_extensions(SessionOptions& options);
  void report(const plumb::Event& event);
  void report_usage();
  Task<void> serve_messages(Input& input);
  bool handle(Json message);
  void configure(const Json& message);
  void apply(const Json& message);
  Task<void> finish(Task<Result<void>> work, Json id);

  Json start_;
  RealLoop loop_;
  Trace trace_;
  Recorder recorder_;
  Policies policies_;
  RealFiles files_;
  RealProcesses processes_;
  Rng rng_;
  Env env_;
  MutationQueue queue_;
  MessagesProvider provider_;
  AdapterUser user_;
  ScriptWorld scripts_;
  std::optional<Error> refusal_;
  std::vector<ExtensionSource> extensions_;
  std::unique_ptr<Session> session_;
};

void AdapterSession::report(const plumb::Event& event) {
  if (!is_reported(event.kind())) return;
  Json data = to_json(event);
  Json message{{"type", "event"}, {"kind", event.kind()}};
  message["src"] = event.source == Source::engine ? "engine" : "probe";
  if (!event.call.empty()) message["call"] = event.call;
  message["ref"] = std::to_string(event.seq);
  const bool has_cause =
      event.cause >= 0 && is_reported(trace_.events[static_cast<std::size_t>(event.cause)].kind());
  if (has_cause) message["cause"] = std::to_string(event.cause);
  for (const char* name : {"seq", "at", "src", "kind", "call", "cause"}) data.erase(name);
  message["data"] = data.is_null() ? Json::object() : std::move(data);
  send(message);
}

/// What the session counted, for rules about its totals (RESULT-09).
void AdapterSession::report_usage() {
  const Usage usage = session_->total_usage();
  Json data{{"input", usage.input},
            {"output", usage.output},
            {"cacheRead", usage.cache_read},
            {"cacheWrite", usage.cache_write}};
  recorder_.record(Source::host, Notify{"<host>", "session_usage", SharedJson(std::move(data))});
}

void AdapterSession::add_extensions(SessionOptions& options) {
  for (const auto& definition : at(start_, "extensions")) {
    auto source = scripted_source(definition);
    auto factory = make_scripted_extension(definition, source.path, scripts_);
    if (!factory) refusal_ = factory.error();
    if (!factory) continue;
    options.extensions.emplace_back(std::move(source), *std::move(factory));
    options.extensions.back().is_replaceable = definition.value("builtin", false);
  }
  for (const auto& definition : at(start_, "tools").value("sdk", Json::array())) {
    auto tool = make_scripted_tool(definition, "sdk", scripts_);
    if (!tool) refusal_ = tool.error();
    if (tool) options.sdk_tools.push_back(*std::move(tool));
  }
  extensions_ = options.extensions;
}

SessionOptions AdapterSession::options() {
  const Json& settings = at(start_, "settings");
  const Json& tools = at(start_, "tools");
  SessionOptions options;
  const auto cwd = settings.value("cwd", std::string("."));
  options.cwd = text_at(start_, "workspace") + (cwd == "." ? "" : "/" + cwd);
  options.prompt.cwd_shown = options.cwd;
  options.model = text_at(start_, "model");
  if (text_at(settings, "execution") == "sequential") {
    options.tool_execution = ExecutionMode::sequential;
  }
  if (text_at(settings, "steering") == "all") options.steering = QueueMode::all;
  if (text_at(settings, "follow_up") == "all") options.follow_up = QueueMode::all;
  if (settings.contains("system")) options.prompt.custom = text_at(settings, "system");
  options.prompt.appended = text_at(settings, "append_system");
  options.retry.count_max = settings.value("retries", options.retry.count_max);
  options.retry.delay_ms = settings.value("retry_delay_ms", options.retry.delay_ms);
  options.turns_max = settings.value("turns_max", options.turns_max);
  if (tools.contains("allow")) options.filters.allowed = names_at(tools, "allow");
  options.filters.excluded = names_at(tools, "exclude");
  if (tools.contains("active")) options.active.initial = names_at(tools, "active");
  const auto operations = local_operations(env_.files);
  ReadOptions reading{operations, options.cwd, text_at(start_, "home")};
  options.builtin_tools.push_back(read_tool(std::move(reading)));
  EditOptions edit(operations, queue_, policies_);
  edit.cwd = options.cwd;
  edit.home = text_at(start_, "home");
  options.builtin_tools.push_back(edit_tool(edit));
  options.builtin_tools.push_back(write_tool(std::move(edit)));
  add_extensions(options);
  return options;
}

void AdapterSession::configure(const Json& message) {
  if (message.contains("active")) session_->set_active_tools(names_at(message, "active"));
  if (message.contains("model")) session_->set_model(text_at(message, "model"));
  if (message.contains("ui")) user_.set_attached(message["ui"] == true);
}

Task<void> AdapterSession::finish(Task<Result<void>> work, Json id) {
  Task<Result<void>> running = std::move(work);
  auto done = co_await std::move(running);
  if (done) {
    send_done(id);
  } else {
    send_error(id, "failed", done.error().message);
  }
}

void AdapterSession::apply(const Json& message) {
  const auto step = text_at(message, "step");
  const auto text = text_at(message, "text");
  const Json& id = message["id"];
  if (step == "user") {
    loop_.spawn(finish(session_->prompt(text), id), "");
    return;
  }
  if (step == "uninstall") {
    const auto gone = "<inline:" + text_at(message, "name") + ">";
    std::erase_if(extensions_, [&gone](const auto& one) { return one.source.path == gone; });
    loop_.spawn(finish(session_->reload(extensions_), id), "");
    return;
  }
  if (step == "reload") {
    loop_.spawn(finish(session_->reload(), id), "");
    return;
  }
  // What follows from it comes after its answer.
  send_done(id);
  if (step == "steer") session_->steer(text);
  if (step == "follow_up") session_->follow_up(text);
  if (step == "abort") session_->abort();
  if (step == "configure") configure(message);
}

/// False when the session has been asked to end.
bool AdapterSession::handle(Json message) {
  const auto type = text_at(message, "type");
  if (type == "ui") user_.answer(text_at(message, "ask"), at(message, "answer"));
  if (type == "step") apply(message);
  return type != "end";
}

Task<void> AdapterSession::serve_messages(Input& input) {
  if (refusal_) {
    send_error(start_["id"], "failed", refusal_->message);
    co_return;
  }
  loop_.spawn(finish(session_->start(), start_["id"]), "");
  while (true) {
    while (auto message = input.next()) {
      const Json id = at(*message, "id");
      if (handle(*std::move(message))) continue;
      report_usage();
      co_await session_->shutdown();
      send_done(id);
      co_return;
    }
    co_await loop_.readable(STDIN_FILENO);
    if (!input.read_more()) co_return;
  }
}

void serve_input() {
  Input input;
  do {
    while (const auto message = input.next()) {
      const auto type = text_at(*message, "type");
      if (type == "hello") send(hello_message());
      if (type == "start") AdapterSession(*message).serve(input);
      if (type == "step" || type == "end") send_error(at(*message, "id"), "failed", "no session");
    }
  } while (input.read_more());
}

}  // namespace
}  // namespace plumb::engine

int main() {
  plumb::engine::serve_input();
  return 0;
}
