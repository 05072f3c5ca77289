// SPDX-License-Identifier: Apache-2.0
#include "simulator/llm/strictness.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "engine/values/json_members.h"
#include "simulator/script/words.h"

namespace plumb::simulator {
namespace {

constexpr std::size_t kToolNameMax = 128;

/// The ids of the calls in an assistant message, in order.
std::vector<std::string> call_ids(const Json& message) {
  std::vector<std::string> ids;
  const auto content = message.find("content");
  if (content == message.end() || !content->is_array()) return ids;
  for (const Json& block : *content) {
    if (block.is_object() && text_at(block, "type") == "toolCall") {
      ids.push_back(text_at(block, "id"));
    }
  }
  return ids;
}

/// Walks the messages once; `open` are the calls of the last answer that still lack a result.
class RequestChecker final {
 public:
  using Locate = std::function<std::string(const std::string&)>;

  RequestChecker(const engine::ModelRequest& request, const Locate& locate)
      : request_(request), locate_(locate) {}

  std::vector<LlmError> run() {
    check_tools();
    if (request_.messages.empty()) {
      report("empty_messages", "", "request without a message, expected one at least");
    }
    for (const SharedJson& message : request_.messages) {
      for (const std::string& id : call_ids(message.get())) all_calls_.insert(id);
    }
    for (const SharedJson& message : request_.messages) check_message(message.get());
    close_answer();
    return std::move(errors_);
  }

 private:
  void report(std::string code, const std::string& call, std::string message) {
    errors_.push_back({std::move(code), std::move(message), locate_(call)});
  }

  void check_tools() {
    std::set<std::string, std::less<>> names;
    for (const engine::ToolDeclaration& tool : request_.tools) {
      if (!names.insert(tool.name).second) {
        report("duplicate_tool", "", "tool " + in_quotes(tool.name) + " is declared twice");
      }
      check_tool(tool);
    }
  }

  void check_tool(const engine::ToolDeclaration& tool) {
    const auto is_allowed = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '_' || c == '-';
    };
    const bool is_name = !tool.name.empty() && tool.name.size() <= kToolNameMax &&
                         std::ranges::all_of(tool.name, is_allowed);
    if (!is_name) {
      report("bad_tool", "",
             "tool name " + in_quotes(tool.name) + ", expected letters, digits, '_' and '-'");
    }
    const Json& declaration = tool.json.get();
    const auto parameters = declaration.find("parameters");
    const bool is_schema = parameters != declaration.end() && parameters->is_object() &&
                           (!parameters->contains("type") || (*parameters)["type"] == "object");
    if (!is_schema) {
      report("bad_tool", "",
             "parameters of tool " + in_quotes(tool.name) + ", expected the schema of an object");
    }
  }

  void check_message(const Json& message) {
    const std::string role = text_at(message, "role");
    if (role == "toolResult") return check_result(text_at(message, "toolCallId"));
    static constexpr std::array<std::string_view, 3> kRoles = {"system", "user", "assistant"};
    if (std::ranges::find(kRoles, role) == kRoles.end()) {
      report("unknown_role", "",
             "role " + in_quotes(role) + ", expected system, user, assistant or toolResult");
    }
    close_answer();
    if (role != "assistant") return;
    answer_ = call_ids(message);
    seen_calls_.insert(answer_.begin(), answer_.end());
  }

  void check_result(const std::string& id) {
    const std::string result = "result of call " + in_quotes(id);
    if (!all_calls_.contains(id)) {
      return report("orphan_result", id, result + ", which no answer of the request made");
    }
    if (!seen_calls_.contains(id)) {
      return report("early_result", id, result + " stands before the answer with that call");
    }
    if (std::ranges::find(answer_, id) == answer_.end()) {
      return results_.contains(id)
                 ? report("duplicate_result", id, result + " stands twice")
                 : report("late_result", id, result + " does not follow on the answer");
    }
    take_result(id, result);
  }

  /// The first call of that id without a result: an answer may repeat an id (BATCH-16).
  void take_result(const std::string& id, const std::string& result) {
    for (std::size_t i = 0; i < answer_.size(); ++i) {
      const auto position = static_cast<std::int64_t>(i);
      if (answer_[i] != id || answered_.contains(position)) continue;
      if (!answered_.empty() && *answered_.rbegin() > position) {
        report("result_order", id, result + " stands after that of a later call");
      }
      answered_.insert(position);
      results_.insert(id);
      return;
    }
    report("duplicate_result", id, result + " stands twice");
  }

  /// The answer before is complete now: each of its calls must have had its result.
  void close_answer() {
    for (std::size_t i = 0; i < answer_.size(); ++i) {
      if (answered_.contains(static_cast<std::int64_t>(i))) continue;
      report("missing_result", answer_[i],
             "call " + in_quotes(answer_[i]) + " has no result directly after its answer");
    }
    answer_.clear();
    answered_.clear();
  }

  const engine::ModelRequest& request_;
  const Locate& locate_;
  std::set<std::string, std::less<>> all_calls_;
  std::set<std::string, std::less<>> seen_calls_;
  std::set<std::string, std::less<>> results_;
  std::vector<std::string> answer_;
  std::set<std::int64_t> answered_;
  std::vector<LlmError> errors_;
};

}  // namespace

std::vector<LlmError> check_request(const engine::ModelRequest& request,
                                    const std::function<std::string(const std::string&)>& locate) {
  return RequestChecker(request, locate).run();
}

}  // namespace plumb::simulator
