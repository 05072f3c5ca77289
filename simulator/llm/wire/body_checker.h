// SPDX-License-Identifier: Apache-2.0
// What the checks of both dialects share: problems as they are found, the model, the tools, the
// ids of calls.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/values/json_members.h"
#include "simulator/llm/wire/wire_request.h"
#include "simulator/script/words.h"

namespace plumb::simulator {

/// A call of the last answer, and whether its result has come. Views are of the body.
struct OpenCall {
  std::string_view id;
  bool has_result = false;
};

class BodyChecker {
 public:
  void report(std::string code, std::string position, std::string message, std::string_view call) {
    problems_.push_back(
        {std::move(code), std::move(position), std::move(message), std::string(call)});
  }
  void report(std::string code, std::string position, std::string message) {
    report(std::move(code), std::move(position), std::move(message), "");
  }

  void check_model(const Json& body) {
    if (text_at(body, "model").empty()) {
      report("missing_model", "model", "a model is needed, as a text");
    }
  }

  /// `schema`: of the declared tool.
  void check_tool(std::string_view name, const Json& schema, const std::string& position) {
    if (!names_.insert(std::string(name)).second) {
      report("duplicate_tool", position, "tool " + in_quotes(name) + " is declared twice");
    }
    if (!is_wire_word(name, kToolNameBytesMax)) {
      report("bad_tool", position,
             "tool name " + in_quotes(name) + ", expected letters, digits, '_' and '-'");
    }
    const bool is_absent = schema.is_null();
    if (!is_absent && (!schema.is_object() || view_at(schema, "type") != "object")) {
      report("bad_tool", position, "the schema of tool " + in_quotes(name) + " has no type object");
    }
  }

  /// A result for `id` in a place where the open calls are waited for.
  void take_result(std::string_view id, const std::string& position) {
    const auto call = std::ranges::find(open_, id, &OpenCall::id);
    if (call == open_.end()) return refuse_result(id, position);
    if (std::exchange(call->has_result, true)) {
      report("duplicate_result", position, "a second result of call " + in_quotes(id), id);
    }
  }

  /// A result where no call waits for one.
  void refuse_result(std::string_view id, const std::string& position) {
    if (!seen_.contains(id)) {
      return report("orphan_result", position,
                    "result of call " + in_quotes(id) + ", which no answer made", id);
    }
    report("late_result", position,
           "result of call " + in_quotes(id) + " does not follow directly on its answer", id);
  }

  void open_call(std::string_view id) {
    seen_.insert(std::string(id));
    open_.push_back({id, false});
  }

  /// The place for results is over.
  void close_calls(const std::string& position) {
    for (const OpenCall& call : open_) {
      if (call.has_result) continue;
      report("missing_result", position,
             "call " + in_quotes(call.id) + " has no result directly after its answer", call.id);
    }
    open_.clear();
  }

  bool has_open_calls() const { return !open_.empty(); }
  bool was_seen(std::string_view id) const { return seen_.contains(id); }
  std::vector<RequestProblem> take() { return std::move(problems_); }

 private:
  std::vector<RequestProblem> problems_;
  std::vector<OpenCall> open_;
  std::set<std::string, std::less<>> seen_;
  std::set<std::string, std::less<>> names_;
};

}  // namespace plumb::simulator
