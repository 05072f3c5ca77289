// SPDX-License-Identifier: Apache-2.0
// What handlers of context and of message_end may change: the one a request, the other a message.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/trace/request_fold.h"
#include "simulator/invariants/domains.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

void add_user_text(const Json& message, std::vector<std::string>& texts) {
  if (text_at(message, "role") != kUserRole) return;
  std::string text = text_in(at(message, "content"));
  if (!text.empty()) texts.push_back(std::move(text));
}

std::vector<std::string> user_texts(const Json& messages) {
  std::vector<std::string> texts;
  if (!messages.is_array()) return texts;
  for (const Json& message : messages) add_user_text(message, texts);
  return texts;
}

const Json& messages_of(const HookReturn& returned) {
  return at(returned.result.get(), "messages");
}

bool changes_messages(const HookReturn& returned) {
  return returned.event == "context" && returned.error.empty() && messages_of(returned).is_array();
}

/// Steps after which the conversation is another part of what is stored.
bool moves_elsewhere(const Step& step) {
  return step.step == "navigate" || step.step == "fork" || step.step == "new_session" ||
         step.step == "resume";
}

/// EVENT-22: told by the texts of the user's messages.
class ContextChecker final : public Checker {
 public:
  static std::vector<std::string_view> kinds() {
    return {"hook_call", "hook_return", "provider_request", "session_entry", "step"};
  }

  void see(const Event& event, const Story&, Report& report) override {
    if (const auto* step = event.as<Step>()) has_moved_ = has_moved_ || moves_elsewhere(*step);
    if (const auto* entry = event.as<SessionEntry>(); entry && entry->type == "message") {
      add_user_text(entry->data.get(), stored_);
    }
    if (const auto* hook = event.as<HookCall>()) enter(*hook, event, report);
    const auto* returned = event.as<HookReturn>();
    if (returned != nullptr && changes_messages(*returned)) {
      report.trigger();
      changed_ = user_texts(messages_of(*returned));
    }
    if (event.as<ProviderRequest>() != nullptr) judge(event, report);
  }

 private:
  void enter(const HookCall& hook, const Event& event, Report& report) {
    if (hook.event != "context" || hook.index != 0) return;
    changed_.reset();
    if (has_moved_) return;
    report.complain(differ("handlers of context do not begin with what is stored", as_json(stored_),
                           as_json(user_texts(at(hook.input.get(), "messages"))), &event));
  }
  void judge(const Event& event, Report& report) {
    const auto folded = fold_.fold(event);
    if (!folded || event.as<ProviderRequest>()->lineage != "main") return;
    const auto changed = std::exchange(changed_, std::nullopt);
    if (!changed) return;
    std::vector<std::string> sent;
    for (const auto& block : folded->blocks) {
      if (block.zone == Zone::messages) add_user_text(block.body.get(), sent);
    }
    report.complain(differ("the request does not hold what handlers of context made of it",
                           as_json(*changed), as_json(sent), &event));
  }

  RequestFold fold_;
  std::vector<std::string> stored_;
  std::optional<std::vector<std::string>> changed_;
  bool has_moved_ = false;
};

/// EVENT-23.
class KeptPromptChecker final : public Checker {
 public:
  static std::vector<std::string_view> kinds() {
    return {"hook_call", "hook_return", "provider_request"};
  }

  void see(const Event& event, const Story& story, Report& report) override {
    if (const auto* hook = event.as<HookCall>(); hook && hook->event == "context") {
      if (hook->index == 0) has_change_ = false;
      for (const Json& message : at(hook->input.get(), "messages")) {
        report.complain(require(text_at(message, "role") != "system",
                                "a handler of context sees a system message", &event));
      }
    }
    const auto* returned = event.as<HookReturn>();
    if (returned != nullptr && changes_messages(*returned)) has_change_ = true;
    if (event.as<ProviderRequest>() == nullptr || story.requests.empty()) return;
    if (!std::exchange(has_change_, false)) return;
    report.trigger();
    const Request& request = story.requests.back();
    report.complain(require(!request.system.empty(), "a request without the prompt", &event));
    const ActiveSet* active = story.active_at(event.seq);
    const bool has_tools = active != nullptr && !active->after.empty();
    report.complain(require(!has_tools || !request.declared.empty(),
                            "a request without the active tools", &event));
  }

 private:
  bool has_change_ = false;
};

/// EVENT-25.
class ReplacementChecker final : public Checker {
 public:
  static std::vector<std::string_view> kinds() {
    return {"hook_call", "hook_return", "message_end", "session_entry", "extension_error", "crash"};
  }

  void see(const Event& event, const Story&, Report& report) override {
    if (event.as<Crash>() != nullptr) *this = {};
    if (const auto* hook = event.as<HookCall>()) enter(*hook, event, report);
    if (const auto* returned = event.as<HookReturn>()) leave(*returned, event, report);
    const auto* error = event.as<ExtensionError>();
    if (error != nullptr && error->event == "message_end") refused_ = nullptr;
    if (const auto* ended = event.as<MessageEnd>()) end(*ended, event, report);
    const auto* entry = event.as<SessionEntry>();
    if (entry == nullptr || entry->type != "message" || !stored_) return;
    report.complain(differ("what is stored is not the replaced message", Json(*stored_),
                           Json(text_in(at(entry->data.get(), "content"))), &event));
    stored_.reset();
  }

 private:
  void enter(const HookCall& hook, const Event& event, Report& report) {
    if (hook.event != "message_end") return;
    const Json& message = at(hook.input.get(), "message");
    if (hook.index == 0) {
      text_.reset();
      role_ = text_at(message, "role");
    }
    if (!text_) return;
    report.complain(differ("a handler of message_end does not see the replaced message",
                           Json(*text_), Json(text_in(at(message, "content"))), &event));
  }
  void leave(const HookReturn& returned, const Event& event, Report& report) {
    const Json& message = at(returned.result.get(), "message");
    if (returned.event != "message_end" || !message.is_object()) return;
    report.trigger();
    const std::string role = text_at(message, "role");
    if (!role.empty() && !role_.empty() && role != role_) {
      refused_ = &event;
    } else if (message.contains("content")) {
      text_ = text_in(at(message, "content"));
    }
  }
  void end(const MessageEnd& ended, const Event& event, Report& report) {
    report.complain(
        require(refused_ == nullptr, "a replacement of another role is not reported", refused_));
    refused_ = nullptr;
    if (text_ && !role_.empty()) {
      report.complain(
          differ("the role of a replaced message", Json(role_), Json(ended.role), &event));
      report.complain(differ("the message is not the replaced one", Json(*text_),
                             Json(text_in(at(ended.message.get(), "content"))), &event));
    }
    stored_ = std::exchange(text_, std::nullopt);
  }

  std::string role_;
  std::optional<std::string> text_;  ///< Of the replaced message.
  std::optional<std::string> stored_;
  const Event* refused_ = nullptr;
};

}  // namespace

std::vector<Rule> request_hook_rules() {
  return {
      rule("EVENT-22",
           "a request holds the user's messages as context handlers left them; those of the next "
           "request begin with the stored ones")
          .by<ContextChecker>(ContextChecker::kinds()),
      rule("EVENT-23",
           "context handlers see no system message, and a request whose messages they changed has "
           "the prompt and the active tools")
          .by<KeptPromptChecker>(KeptPromptChecker::kinds()),
      rule("EVENT-25",
           "a replacement of message_end of the same role is what the next handler sees, what "
           "ends and what is stored; one of another role is reported and dropped")
          .by<ReplacementChecker>(ReplacementChecker::kinds()),
  };
}

}  // namespace plumb::invariants
