// SPDX-License-Identifier: Apache-2.0
#include "engine/extensions/runner.h"

#include <algorithm>

#include "engine/extensions/guarded_call.h"

namespace plumb::engine {

namespace {

Task<Result<void>> load_guarded(ExtensionFactory factory, ExtensionApi* api) {
  std::optional<Thrown> thrown;
  try {
    Result<void> loaded = co_await factory(*api);
    co_return loaded;
  } catch (...) {
    thrown.emplace(thrown_now());
  }
  co_return fail(ErrorCode::rejected, thrown->message);
}

}  // namespace

Task<void> ExtensionRunner::load(std::vector<ExtensionSource> sources) {
  const std::int64_t first = std::ssize(extensions_);
  for (auto& source : sources) {
    const auto index = std::ssize(extensions_);
    auto extension = std::make_unique<Extension>();
    extension->source = std::move(source.source);
    extension->is_replaceable = source.is_replaceable;
    extension->load_order = index - first_live_;
    extension->api = std::make_unique<ExtensionApi>(*this, index);
    extensions_.push_back(std::move(extension));
    co_await load_one(index, std::move(source.factory));
  }
  settle_replaceable(first);
}

Task<void> ExtensionRunner::load_one(std::int64_t extension, ExtensionFactory factory) {
  Extension& loading = *extensions_[static_cast<std::size_t>(extension)];
  record_load(loading, "begin", "");
  const Result<void> loaded = co_await load_guarded(std::move(factory), loading.api.get());
  finish_load(loading, extension, loaded);
}

void ExtensionRunner::finish_load(Extension& extension, std::int64_t number,
                                  const Result<void>& loaded) {
  mark_.write();
  if (!loaded) {
    extension.phase = Phase::dead;
    extension.pending_tools.clear();
    take_back(number);
    record_load(extension, "failed", loaded.error().message);
    return;
  }
  extension.phase = Phase::live;
  for (const auto& tool : extension.pending_tools) tools_.push_back({number, "tool", tool.name});
  if (!extension.is_replaceable) register_pending(extension);
  record_load(extension, "end", "");
}

void ExtensionRunner::register_pending(Extension& extension) {
  for (auto& tool : std::exchange(extension.pending_tools, {})) {
    // A definition that cannot be registered has left its diagnostic (TOOL-05); the rest stays.
    (void)register_tool(extension, std::move(tool));
  }
}

void ExtensionRunner::record_load(const Extension& extension, std::string phase,
                                  std::string error) {
  Load event;
  event.extension = extension.source.path;
  event.phase = std::move(phase);
  event.error = std::move(error);
  recorder_.record(Source::probe, std::move(event));
}

Result<void> ExtensionRunner::register_tool(const Extension& owner, ToolDefinition definition) {
  record_registration(owner.source.path, "tool", definition.name);
  return registry_.register_tool(owner.source, owner.load_order, std::move(definition));
}

std::int64_t ExtensionRunner::record_registration(const std::string& path, std::string_view what,
                                                  const std::string& name) {
  Notify event;
  event.by = path;
  event.topic = "registration";
  event.data = SharedJson(Json{{"what", what}, {"name", name}});
  return recorder_.record(Source::probe, std::move(event));
}

void ExtensionRunner::clear() {
  mark_.write();
  for (auto& extension : extensions_) extension->phase = Phase::dead;
  first_live_ = std::ssize(extensions_);
  registrations_.clear();
  commands_.clear();
  flags_.clear();
  tools_.clear();
  registry_.clear_extensions();
}

bool ExtensionRunner::wants(std::string_view kind) const {
  mark_.read();
  return std::ranges::any_of(
      registrations_, [&](const Registration& registration) { return registration.event == kind; });
}

std::vector<ExtensionRunner::Turn> ExtensionRunner::turns(std::string_view event) const {
  mark_.read();
  std::vector<const Registration*> found;
  std::vector<HandlerSlot> slots;
  for (const Registration& registration : registrations_) {
    const Extension& owner = *extensions_[static_cast<std::size_t>(registration.extension)];
    const bool hears = policies_.session.handler_hears(registration.event, event);
    if (!hears || owner.phase != Phase::live) continue;
    found.push_back(&registration);
    slots.push_back(HandlerSlot{owner.load_order, registration.number});
  }
  std::vector<Turn> chain;
  for (const std::size_t place : policies_.session.handler_order(slots)) {
    chain.emplace_back(*found[place], std::ssize(chain));
  }
  return chain;
}

bool ExtensionRunner::may_run(const Turn& turn) const {
  mark_.read();
  const bool is_registered =
      std::ranges::any_of(registrations_, [&](const Registration& registration) {
        return registration.number == turn.registration.number;
      });
  return is_registered || policies_.session.removed_handler_still_runs(turn.registration.event);
}

HandlerContext ExtensionRunner::make_context(std::string event, std::string call, Json data) const {
  HandlerContext context(std::move(event), std::move(call), std::move(data));
  context.host = host_;
  if (host_ != nullptr) context.signal = host_->signal();
  return context;
}

Task<HandlerResult> ExtensionRunner::run_handler(Turn turn, HandlerContext context) {
  const std::string call = context.call;
  const std::shared_ptr<Json> input = context.input;
  const bool shows_input = input != nullptr && context.event == "tool_call";
  if (loop_ != nullptr && input != nullptr) loop_->note(TouchKind::store, call, false);
  // cppcheck-suppress nullPointerRedundantCheck  // shows_input says that it is there
  const SharedJson seen(shows_input ? *input : context.data);
  const std::string dispatched = context.event;
  HookCall entered = hook_call_of(turn, seen);
  entered.event = dispatched;
  const auto asked =
      recorder_.record(Source::probe, std::move(entered), call, turn.registration.seq);

  HandlerResult result = co_await call_guarded(turn.registration.handler, std::move(context));

  if (loop_ != nullptr && input != nullptr) loop_->note(TouchKind::store, call, false);
  HookReturn event;
  event.event = dispatched;
  event.extension = path_of(turn.registration.extension);
  event.index = turn.index;
  if (input) event.input_after = SharedJson(*input);
  if (result && *result) event.result = SharedJson(**result);
  if (!result) event.error = result.error().message;
  recorder_.record(Source::probe, std::move(event), call, asked);
  co_return result;
}

HookCall ExtensionRunner::hook_call_of(const Turn& turn, SharedJson seen) const {
  HookCall event;
  event.extension = path_of(turn.registration.extension);
  event.index = turn.index;
  event.input = std::move(seen);
  return event;
}

Task<std::optional<Json>> ExtensionRunner::run_isolated(Turn turn, HandlerContext context) {
  const std::string path = path_of(turn.registration.extension);
  const std::string event = context.event;
  HandlerResult result = co_await run_handler(std::move(turn), std::move(context));
  if (result) co_return *std::move(result);
  report(path, event, result.error().message);
  co_return std::nullopt;
}

void ExtensionRunner::report(const std::string& extension, std::string_view event,
                             const std::string& error) {
  plumb::ExtensionError reported;
  reported.extension = extension;
  reported.event = std::string(event);
  reported.error = error;
  recorder_.record(Source::engine, std::move(reported));
}

const std::string& ExtensionRunner::path_of(std::int64_t extension) const {
  return extensions_[static_cast<std::size_t>(extension)]->source.path;
}

Result<void> ExtensionRunner::add_tool(std::int64_t extension, ToolDefinition definition) {
  Extension& owner = *extensions_[static_cast<std::size_t>(extension)];
  if (owner.phase == Phase::dead) return dead_error(owner);
  if (owner.phase == Phase::loading) {
    owner.pending_tools.push_back(std::move(definition));
    return {};
  }
  return register_tool(owner, std::move(definition));
}

Result<Unsubscribe> ExtensionRunner::add_handler(std::int64_t extension, std::string event,
                                                 Handler handler) {
  const Extension& owner = *extensions_[static_cast<std::size_t>(extension)];
  if (owner.phase == Phase::dead) return dead_error(owner);
  mark_.write();
  Registration registration;
  registration.number = next_registration_++;
  registration.extension = extension;
  registration.event = std::move(event);
  registration.handler = std::make_shared<const Handler>(std::move(handler));
  const std::int64_t number = registration.number;
  registration.seq = record_registration(owner.source.path, "handler", registration.event);
  if (owner.phase == Phase::live) note_handlers(registration, "handler_added");
  registrations_.push_back(std::move(registration));
  return Unsubscribe([this, number] { remove_handler(number); });
}

void ExtensionRunner::remove_handler(std::int64_t number) {
  const auto found = std::ranges::find(registrations_, number, &Registration::number);
  if (found == registrations_.end()) return;
  mark_.write();
  note_handlers(*found, "handler_removed");
  Notify event;
  event.by = path_of(found->extension);
  event.topic = "registration_removed";
  recorder_.record(Source::probe, std::move(event), "", found->seq);
  registrations_.erase(found);
}

void ExtensionRunner::note_handlers(const Registration& registration, std::string topic) {
  Notify event;
  event.by = path_of(registration.extension);
  event.topic = std::move(topic);
  event.data = SharedJson(Json(registration.event));
  recorder_.record(Source::probe, std::move(event));
}

Result<ExtensionHost*> ExtensionRunner::live_host(std::int64_t extension) const {
  const Extension& owner = *extensions_[static_cast<std::size_t>(extension)];
  if (owner.phase == Phase::dead) return dead_error(owner);
  if (owner.phase == Phase::loading || host_ == nullptr) {
    return fail(ErrorCode::rejected,
                "the extension runtime is not initialised: actions work after loading");
  }
  return host_;
}

std::unexpected<Error> ExtensionRunner::dead_error(const Extension& extension) {
  return fail(ErrorCode::rejected,
              "the extension '" + extension.source.path + "' is stale: it is no longer loaded");
}

}  // namespace plumb::engine
