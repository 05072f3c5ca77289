// SPDX-License-Identifier: Apache-2.0
#include "simulator/llm/strictness.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "engine/values/json_members.h"
#include "simulator/script/words.h"

namespace plumb::simulator {
namespace {

constexpr std::size_t kToolNameMax = 128;

/// The ids of the calls in an assistant message, in order.
std::vector<std::string_view> call_ids(const Json& message) {
  std::vector<std::string_view> ids;
  const Json& content = at(message, "content");
  if (!content.is_array()) return ids;
  for (const Json& block : content) {
    if (view_at(block, "type") == "toolCall") ids.push_back(view_at(block, "id"));
  }
  return ids;
}

/// Walks the messages once: a conversation repeats itself in every request, so that what is right
/// must cost little. Views are of the request's own values.
class RequestChecker final {
 public:
  using Locate = std::function<std::string(const std::string&)>;

  RequestChecker(const engine::ModelRequest& request, const Locate& locate)
      : request_(request), locate_(locate) {}

  /// `first`: a message that is no result, with all before it known to be right.
  std::vector<LlmError> run(std::size_t first) {
    check_tools();
    if (request_.messages.empty()) {
      report("empty_messages", "", "request without a message, expected one at least");
    }
    for (at_ = first; at_ < request_.messages.size(); ++at_) {
      check_message(request_.messages[at_].get());
    }
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
    const Json& parameters = at(declaration, "parameters");
    const bool is_schema = parameters.is_object() && (view_at(parameters, "type") == "object" ||
                                                      !parameters.contains("type"));
    if (!is_schema) {
      report("bad_tool", "",
             "parameters of tool " + in_quotes(tool.name) + ", expected the schema of an object");
    }
  }

  void check_message(const Json& message) {
    const std::string_view role = view_at(message, "role");
    if (role == "toolResult") return check_result(view_at(message, "toolCallId"));
    static constexpr std::array<std::string_view, 3> kRoles = {"system", "user", "assistant"};
    if (std::ranges::find(kRoles, role) == kRoles.end()) {
      report("unknown_role", "",
             "role " + in_quotes(role) + ", expected system, user, assistant or toolResult");
    }
    close_answer();
    if (role != "assistant") return;
    for (const auto id : call_ids(message)) answer_.push_back({id, false});
  }

  void check_result(std::string_view id) {
    const std::size_t call = first_open(id);
    if (call == answer_.size()) return refuse_result(id);
    if (call < answered_end_) {
      report("result_order", std::string(id), named(id) + " stands after that of a later call");
    }
    answer_[call].has_result = true;
    answered_end_ = std::max(answered_end_, call + 1);
    if (call == open_begin_) ++open_begin_;
    results_.push_back(id);
  }

  /// The first call of that id without a result, or the end: an answer may repeat an id (BATCH-16).
  std::size_t first_open(std::string_view id) const {
    std::size_t call = open_begin_;
    while (call < answer_.size() && (answer_[call].has_result || answer_[call].id != id)) ++call;
    return call;
  }

  static std::string named(std::string_view id) { return "result of call " + in_quotes(id); }

  /// Whether one of the first `count` messages makes the call.
  bool is_call(std::string_view id, std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i) {
      const auto ids = call_ids(request_.messages[i].get());
      if (std::ranges::find(ids, id) != ids.end()) return true;
    }
    return false;
  }

  void refuse_result(std::string_view id) {
    const std::string call(id);
    if (!is_call(id, request_.messages.size())) {
      return report("orphan_result", call, named(id) + ", which no answer of the request made");
    }
    if (!is_call(id, at_)) {
      return report("early_result", call, named(id) + " stands before the answer with that call");
    }
    if (std::ranges::find(results_, id) != results_.end()) {
      return report("duplicate_result", call, named(id) + " stands twice");
    }
    report("late_result", call, named(id) + " does not follow on the answer");
  }

  /// The answer before is complete now: each of its calls must have had its result.
  void close_answer() {
    for (const auto& call : answer_) {
      if (call.has_result) continue;
      report("missing_result", std::string(call.id),
             "call " + in_quotes(call.id) + " has no result directly after its answer");
    }
    answer_.clear();
    open_begin_ = answered_end_ = 0;
  }

  struct AnsweredCall {
    std::string_view id;
    bool has_result = false;
  };

  const engine::ModelRequest& request_;
  const Locate& locate_;
  std::size_t at_ = 0;                ///< The message that is looked at.
  std::vector<AnsweredCall> answer_;  ///< The calls of the last answer.
  std::size_t open_begin_ = 0;        ///< All calls before it have their results.
  std::size_t answered_end_ = 0;      ///< Behind the last one that has its result.
  std::vector<std::string_view> results_;
  std::vector<LlmError> errors_;
};

/// The last message that both lists share and that is no result: there, all answers before it have
/// been complete already.
std::size_t first_new_exchange(const SharedJsonList& messages, const SharedJsonList& accepted) {
  std::size_t first = messages.common_with(accepted);
  while (first > 0) {
    --first;
    if (view_at(messages[first].get(), "role") != "toolResult") break;
  }
  return first;
}

}  // namespace

std::vector<LlmError> check_request(const engine::ModelRequest& request,
                                    const std::function<std::string(const std::string&)>& locate,
                                    const SharedJsonList& accepted) {
  const std::size_t first = first_new_exchange(request.messages, accepted);
  auto errors = RequestChecker(request, locate).run(first);
  // What is wrong may be about an earlier message.
  if (first > 0 && !errors.empty()) return RequestChecker(request, locate).run(0);
  return errors;
}

}  // namespace plumb::simulator
