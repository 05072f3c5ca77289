// SPDX-License-Identifier: Apache-2.0
// What Anthropic's Messages API refuses (WIRE-71).
#include <algorithm>

#include "simulator/llm/wire/body_checker.h"

namespace plumb::simulator {
namespace {

class MessagesChecker final {
 public:
  std::vector<RequestProblem> run(const Json& body) {
    checker_.check_model(body);
    const Json& tokens = at(body, "max_tokens");
    if (!tokens.is_number_integer() || tokens.get<std::int64_t>() < 1) {
      checker_.report("missing_max_tokens", "max_tokens", "expected a number of tokens from 1");
    }
    check_tools(at(body, "tools"));
    check_list(at(body, "messages"));
    return checker_.take();
  }

 private:
  void check_tools(const Json& tools) {
    if (!tools.is_array()) return;
    for (std::size_t i = 0; i < tools.size(); ++i) {
      const Json& tool = tools[i];
      const auto type = view_at(tool, "type");
      // A tool that runs at the provider brings no schema.
      if (!type.empty() && type != "custom") continue;
      const std::string position = "tools." + std::to_string(i);
      if (at(tool, "input_schema").is_null()) {
        checker_.report("bad_tool", position, "a tool needs an input_schema");
      }
      checker_.check_tool(view_at(tool, "name"), at(tool, "input_schema"), position);
    }
  }

  void check_list(const Json& messages) {
    if (!messages.is_array() || messages.empty()) {
      return checker_.report("empty_messages", "messages", "expected one message at least");
    }
    if (view_at(messages[0], "role") == "assistant") {
      checker_.report("first_assistant", "messages.0", "the first message is the assistant's");
    }
    for (std::size_t i = 0; i < messages.size(); ++i) {
      position_ = "messages." + std::to_string(i);
      check_message(messages[i], i + 1 == messages.size());
    }
    checker_.close_calls(position_);
  }

  void check_message(const Json& message, bool is_last) {
    const auto role = view_at(message, "role");
    if (role != "user" && role != "assistant" && role != "system") {
      checker_.report("unknown_role", position_ + ".role",
                      "role " + in_quotes(role) + ", expected user or assistant");
    }
    const Json& content = at(message, "content");
    if (!content.is_string() && !content.is_array()) {
      checker_.report("bad_content", position_ + ".content", "expected a text or a list of blocks");
    } else if (content.empty() || content == Json("")) {
      if (!is_last) checker_.report("empty_content", position_, "the message has no content");
    }
    if (role != "user") checker_.close_calls(position_);
    check_blocks(content, role);
  }

  void check_blocks(const Json& content, std::string_view role) {
    if (content.is_string()) {
      const auto& text = content.get_ref<const std::string&>();
      if (!text.empty()) check_text(text, position_ + ".content");
    }
    bool follows_other = false;
    for (std::size_t i = 0; content.is_array() && i < content.size(); ++i) {
      const std::string place = position_ + ".content." + std::to_string(i);
      const auto type = view_at(content[i], "type");
      if (type == "text") check_text(view_at(content[i], "text"), place);
      if (type == "tool_result" && follows_other && checker_.has_open_calls()) {
        checker_.report("results_not_first", place, "a tool_result after other content");
      }
      if (type == "tool_result") {
        checker_.take_result(view_at(content[i], "tool_use_id"), place);
      } else {
        follows_other = true;
      }
    }
    // The results belong into the one message that follows on the calls.
    if (role == "user") checker_.close_calls(position_);
    for (std::size_t i = 0; role == "assistant" && content.is_array() && i < content.size(); ++i) {
      if (view_at(content[i], "type") != "tool_use") continue;
      check_call(content[i], position_ + ".content." + std::to_string(i));
    }
  }

  void check_text(std::string_view text, const std::string& place) {
    if (text.find_first_not_of(" \t\r\n\f\v") != std::string_view::npos) return;
    checker_.report("blank_text", place, "a text block needs more than blanks");
  }

  void check_call(const Json& call, const std::string& place) {
    const auto id = view_at(call, "id");
    if (!is_wire_word(id, kCallIdBytesMax)) {
      checker_.report(
          "bad_call_id", place + ".id",
          "call id " + in_quotes(id) + ", expected 1 to 64 letters, digits, '_' and '-'", id);
    }
    if (checker_.was_seen(id)) {
      checker_.report("duplicate_call", place + ".id", "call id " + in_quotes(id) + " occurs twice",
                      id);
    }
    const auto name = view_at(call, "name");
    if (!is_wire_word(name, kToolNameBytesMax)) {
      checker_.report("bad_call_name", place + ".name",
                      "tool name " + in_quotes(name) + ", expected letters, digits, '_' and '-'",
                      id);
    }
    if (!at(call, "input").is_object()) {
      checker_.report("bad_arguments", place + ".input", "the input of a call is no object", id);
    }
    checker_.open_call(id);
  }

  BodyChecker checker_;
  std::string position_;
};

}  // namespace

std::vector<RequestProblem> check_messages_body(const Json& body) {
  return MessagesChecker().run(body);
}

}  // namespace plumb::simulator
