// SPDX-License-Identifier: Apache-2.0
// What tools and extensions are given of the session.
#include "engine/session/core.h"

namespace plumb::engine {

namespace {

/// Reads the session at the moment of each question (TOOL-08).
class SessionToolContext final : public ToolContext {
 public:
  SessionToolContext(ExtensionHost& host, const CallView& call)
      : host_(host), tool_(call.name), call_(call.id) {}
  std::string cwd() const override { return host_.cwd(); }
  std::string model() const override { return host_.model(); }
  bool has_ui() const override { return host_.ui().is_attached(); }
  bool is_idle() const override { return host_.is_idle(); }
  std::string system_prompt() const override { return host_.system_prompt(); }
  SharedJson session_entries() const override { return host_.session_entries(); }
  void abort() override {
    host_.notify(tool_, "abort", Json(), call_);
    host_.abort();
  }
  /// This session keeps its whole conversation: there is nothing to compact.
  void compact() override {}

 private:
  ExtensionHost& host_;
  std::string tool_;
  std::string call_;
};

MessagePtr user_message(std::string text) {
  UserMessage message;
  message.content.emplace_back(TextBlock{std::move(text)});
  return std::make_shared<const Message>(std::move(message));
}

std::string_view mode_name(Delivery deliver_as) {
  return deliver_as == Delivery::follow_up ? "follow_up" : "steer";
}

}  // namespace

std::unique_ptr<ToolContext> Session::Core::make_context(const CallView& call) {
  return std::make_unique<SessionToolContext>(*this, call);
}

Task<void> Session::Core::deliver_result(std::string call_id, ToolResultMessage message) {
  turn_results_.push_back(call_id);
  auto shared = std::make_shared<const Message>(std::move(message));
  std::string entry = co_await deliver(std::move(shared), std::move(call_id));
  turn_entries_.push_back(std::move(entry));
}

std::string Session::Core::append_entry(std::string type, Json data) {
  return transcript_.add_entry(std::move(type), std::move(data));
}

Task<std::string> Session::Core::append_custom(std::string type, Json data) {
  std::string id = append_entry(std::move(type), std::move(data));
  co_await flush_entries();
  co_return id;
}

void Session::Core::send_message(CustomMessage message, SendOptions options) {
  auto shared = std::make_shared<const Message>(std::move(message));
  if (options.deliver_as == Delivery::next_turn) {
    later_mark_.write();
    next_turn_.push_back(std::move(shared));
  } else if (!options.trigger_turn && !is_idle()) {
    later_mark_.write();
    after_turn_.push_back(std::move(shared));
  } else if (!options.trigger_turn) {
    transcript_.add_message(shared, share(shared));
  } else if (options.deliver_as == Delivery::follow_up) {
    follow_ups_.push(std::move(shared));
  } else {
    steering_.push(std::move(shared));
  }
}

void Session::Core::queue_user_message(std::string text, Delivery deliver_as) {
  if (deliver_as == Delivery::next_turn) {
    later_mark_.write();
    next_turn_.push_back(user_message(std::move(text)));
  } else if (deliver_as == Delivery::follow_up) {
    follow_ups_.push(user_message(std::move(text)));
  } else {
    steering_.push(user_message(std::move(text)));
  }
}

void Session::Core::queue_input(std::string text, Delivery deliver_as) {
  Input event;
  event.text = text;
  event.mode = mode_name(deliver_as);
  record(std::move(event));
  queue_user_message(std::move(text), deliver_as);
}

void Session::Core::abort() {
  run_mark_.read();
  if (run_) {
    run_->controller.abort("aborted");
  } else {
    run_mark_.write();
    is_prompt_aborted_ = true;
  }
}

AbortSignal Session::Core::signal() const {
  run_mark_.read();
  return run_ ? run_->controller.signal() : AbortSignal();
}

std::string Session::Core::system_prompt() const {
  return current_prompt();
}

void Session::Core::notify(std::string by, std::string topic, Json data, std::string call) {
  Notify event;
  event.by = std::move(by);
  event.topic = std::move(topic);
  event.data = SharedJson(std::move(data));
  ports_.recorder.record(Source::probe, std::move(event), std::move(call));
}

}  // namespace plumb::engine
