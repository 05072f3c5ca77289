// SPDX-License-Identifier: Apache-2.0
#include "engine/session/session.h"

#include "engine/session/core.h"

namespace plumb::engine {

Session::Session(SessionOptions options, SessionPorts ports, const Policies& policies)
    : core_(std::make_unique<Core>(std::move(options), ports, policies)) {}

Session::~Session() = default;

Task<Result<void>> Session::start(std::string reason) {
  return core_->start(std::move(reason));
}

Task<Result<void>> Session::prompt(std::string text) {
  return core_->prompt(std::move(text));
}

void Session::steer(std::string text) {
  core_->queue_input(std::move(text), Delivery::steer);
}

void Session::follow_up(std::string text) {
  core_->queue_input(std::move(text), Delivery::follow_up);
}

void Session::abort() {
  core_->abort();
}

Task<void> Session::wait_until_idle() {
  return core_->wait_until_idle();
}

Task<Result<void>> Session::reload(std::optional<std::vector<ExtensionSource>> extensions) {
  return core_->reload(std::move(extensions));
}

Task<void> Session::shutdown(std::string reason) {
  return core_->shutdown(std::move(reason));
}

Task<void> Session::install(ExtensionSource extension) {
  return core_->install(std::move(extension));
}

Task<Result<std::optional<Json>>> Session::user_bash(std::string command) {
  return core_->user_bash(std::move(command));
}

Task<Result<Navigation>> Session::navigate(std::string entry, NavigateOptions wanted) {
  return core_->navigate(std::move(entry), std::move(wanted));
}

Task<Result<bool>> Session::resume(std::string path) {
  return core_->switch_to("resume", std::move(path));
}

Task<Result<bool>> Session::new_session() {
  return core_->switch_to("new", "");
}

Task<Result<bool>> Session::fork(std::string entry) {
  return core_->fork(std::move(entry));
}

void Session::use_store(SessionStorePtr store) {
  core_->use_first(std::move(store));
}

const SessionStore& Session::store() const {
  return core_->transcript().store();
}

Task<std::string> Session::append_custom(std::string type, Json data) {
  return core_->append_custom(std::move(type), std::move(data));
}

bool Session::is_idle() const {
  return core_->is_idle() && !core_->is_busy();
}

void Session::set_active_tools(std::vector<std::string> names) {
  core_->set_active_tools(std::move(names), "host");
}

std::vector<std::string> Session::active_tools() const {
  return core_->active_tools();
}

void Session::set_model(std::string model) {
  core_->set_model(std::move(model));
}

void Session::set_tool_execution(ExecutionMode mode) {
  core_->set_tool_execution(mode);
}

void Session::set_queue_modes(QueueMode steering, QueueMode follow_up) {
  core_->steering().set_mode(steering);
  core_->follow_ups().set_mode(follow_up);
}

Result<void> Session::add_sdk_tool(ToolDefinition definition) {
  return core_->add_sdk_tool(std::move(definition));
}

std::int64_t Session::pending_count() const {
  return core_->steering().size() + core_->follow_ups().size();
}

const std::vector<MessagePtr>& Session::messages() const {
  return core_->transcript().messages();
}

ModelProfile Session::model_profile() const {
  return core_->model_profile();
}

Usage Session::total_usage() const {
  return core_->total_usage();
}

ExtensionHost& Session::host() {
  return *core_;
}

}  // namespace plumb::engine
