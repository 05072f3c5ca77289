// SPDX-License-Identifier: Apache-2.0
#include "engine/extensions/extension_api.h"

#include <exception>

#include "engine/extensions/runner.h"

namespace plumb::engine {

Thrown thrown_now() {
  try {
    throw;
  } catch (const std::exception& error) {
    return Thrown(error.what());
  } catch (const std::string& text) {
    return Thrown(text, false);
  } catch (const char* text) {
    return Thrown(text, false);
  } catch (...) {
    return Thrown("a value of unknown type", false);
  }
}

Result<void> ExtensionApi::register_tool(ToolDefinition definition) {
  return runner_.add_tool(extension_, std::move(definition));
}

Result<Unsubscribe> ExtensionApi::on(std::string event, Handler handler) {
  return runner_.add_handler(extension_, std::move(event), std::move(handler));
}

Result<void> ExtensionApi::register_command(std::string name, std::string description,
                                            CommandHandler handler) {
  return runner_.add_command(extension_, std::move(name), std::move(description),
                             std::move(handler));
}

Result<void> ExtensionApi::register_flag(std::string name, Json value) {
  return runner_.add_flag(extension_, std::move(name), std::move(value));
}

Json ExtensionApi::flags() const {
  return runner_.flags();
}

Result<ExtensionHost*> ExtensionApi::host() const {
  return runner_.live_host(extension_);
}

const std::string& ExtensionApi::path() const {
  return runner_.path_of(extension_);
}

Result<Json> ExtensionApi::get_all_tools() const {
  PLUMB_TRY(const auto* session, host());
  return session->all_tools();
}

Result<std::vector<std::string>> ExtensionApi::get_active_tools() const {
  PLUMB_TRY(const auto* session, host());
  return session->active_tools();
}

Result<void> ExtensionApi::set_active_tools(std::vector<std::string> names) {
  PLUMB_TRY(auto* session, host());
  session->set_active_tools(std::move(names), path());
  return {};
}

Result<std::string> ExtensionApi::append_entry(std::string type, Json data) {
  PLUMB_TRY(auto* session, host());
  return session->append_entry(std::move(type), std::move(data));
}

Result<void> ExtensionApi::send_message(CustomMessage message, SendOptions options) {
  PLUMB_TRY(auto* session, host());
  session->send_message(std::move(message), options);
  return {};
}

Result<void> ExtensionApi::abort() {
  PLUMB_TRY(auto* session, host());
  session->notify(path(), "abort", Json(), std::string());
  session->abort();
  return {};
}

Result<void> ExtensionApi::notify(std::string topic, Json data) {
  PLUMB_TRY(auto* session, host());
  session->notify(path(), std::move(topic), std::move(data), std::string());
  return {};
}

}  // namespace plumb::engine
