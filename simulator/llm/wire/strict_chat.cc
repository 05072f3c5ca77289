// SPDX-License-Identifier: Apache-2.0
// What OpenAI's Chat Completions API refuses (WIRE-72).
#include <algorithm>
#include <array>

#include "simulator/llm/wire/body_checker.h"

namespace plumb::simulator {
namespace {

class ChatChecker final {
 public:
  std::vector<RequestProblem> run(const Json& body) {
    checker_.check_model(body);
    check_tools(at(body, "tools"));
    const Json& messages = at(body, "messages");
    if (!messages.is_array() || messages.empty()) {
      checker_.report("empty_messages", "messages", "expected one message at least");
      return checker_.take();
    }
    for (std::size_t i = 0; i < messages.size(); ++i) {
      position_ = "messages[" + std::to_string(i) + "]";
      check_message(messages[i]);
    }
    checker_.close_calls(position_);
    return checker_.take();
  }

 private:
  void check_tools(const Json& tools) {
    if (!tools.is_array()) return;
    for (std::size_t i = 0; i < tools.size(); ++i) {
      if (view_at(tools[i], "type") != "function") continue;
      const Json& function = at(tools[i], "function");
      checker_.check_tool(view_at(function, "name"), at(function, "parameters"),
                          "tools[" + std::to_string(i) + "].function");
    }
  }

  void check_message(const Json& message) {
    const auto role = view_at(message, "role");
    if (role == "tool") {
      return checker_.take_result(view_at(message, "tool_call_id"), position_);
    }
    checker_.close_calls(position_);
    static constexpr std::array<std::string_view, 5> kRoles = {"system", "developer", "user",
                                                               "assistant", "function"};
    if (std::ranges::find(kRoles, role) == kRoles.end()) {
      checker_.report(
          "unknown_role", position_ + ".role",
          "role " + in_quotes(role) + ", expected system, developer, user, assistant or tool");
    }
    if (role == "assistant") return check_answer(message);
    const Json& content = at(message, "content");
    if (!content.is_string() && !content.is_array()) {
      checker_.report("bad_content", position_ + ".content", "expected a text or a list of parts");
    }
  }

  void check_answer(const Json& message) {
    const Json& calls = at(message, "tool_calls");
    if (calls.is_null()) {
      const bool is_empty = at(message, "content").is_null() && at(message, "refusal").is_null() &&
                            at(message, "function_call").is_null();
      if (is_empty) {
        checker_.report("empty_message", position_,
                        "an assistant message needs content, a refusal or tool calls");
      }
      return;
    }
    if (!calls.is_array() || calls.empty()) {
      return checker_.report("empty_calls", position_ + ".tool_calls",
                             "expected a list of one call at least");
    }
    std::set<std::string, std::less<>> ids;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const std::string place = position_ + ".tool_calls[" + std::to_string(i) + "]";
      const auto id = view_at(calls[i], "id");
      if (!ids.insert(std::string(id)).second) {
        checker_.report("duplicate_call", place + ".id",
                        "call id " + in_quotes(id) + " occurs twice", id);
      }
      check_call(calls[i], place);
    }
  }

  void check_call(const Json& call, const std::string& place) {
    const auto id = view_at(call, "id");
    if (id.empty()) checker_.report("bad_call_id", place + ".id", "a call needs an id");
    const auto type = view_at(call, "type");
    if (type.empty() || type == "function") {
      const Json& function = at(call, "function");
      const auto name = view_at(function, "name");
      if (!is_wire_word(name, kToolNameBytesMax)) {
        checker_.report("bad_call_name", place + ".function.name",
                        "tool name " + in_quotes(name) + ", expected letters, digits, '_' and '-'",
                        id);
      }
      if (!at(function, "arguments").is_string()) {
        checker_.report("bad_arguments", place + ".function.arguments",
                        "the arguments of a call are no text", id);
      }
    }
    checker_.open_call(id);
  }

  BodyChecker checker_;
  std::string position_;
};

}  // namespace

std::vector<RequestProblem> check_chat_body(const Json& body) {
  return ChatChecker().run(body);
}

}  // namespace plumb::simulator
