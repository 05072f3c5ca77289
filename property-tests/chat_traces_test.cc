// SPDX-License-Identifier: Apache-2.0
// The reference traces as they would be, had the engine asked in Chat Completions, over HTTP: tool
// messages have text alone and never none, pictures follow in a user message, nothing says that a
// result is an error. What is lawful in the one dialect is so in the other, and what is wrong is
// wrong.
#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/trace/request_fold.h"
#include "engine/values/json_members.h"
#include "property-tests/mutants/tamper.h"
#include "property-tests/repository_suite.h"
#include "simulator/llm/wire/neutral_request.h"
#include "simulator/subjects/session_subject.h"

namespace plumb::simulator {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

/// How a client writes results. `joins`: texts in one string, else a list of parts.
struct ChatStyle {
  bool joins = true;
  std::string nothing = "(no tool output)";
  std::string picture = "(see attached image)";
};

Json part_of(const Json& block) {
  if (text_at(block, "type") != "image") return Json{{"type", "text"}, {"text", block["text"]}};
  const auto url = "data:" + text_at(block, "mimeType") + ";base64," + text_at(block, "data");
  return Json{{"type", "image_url"}, {"image_url", {{"url", url}}}};
}

/// Writes a request body of the dialect from neutral blocks.
class ChatBody {
 public:
  explicit ChatBody(ChatStyle style) : style_(std::move(style)) {}

  Json of(const FoldedRequest& request) {
    for (const auto& block : request.blocks) add(block.zone, block.body.get());
    flush();
    return Json{{"model", "fake-1"}, {"messages", messages_}, {"tools", tools_}};
  }

 private:
  void add(Zone zone, const Json& body) {
    if (zone == Zone::system) messages_.push_back({{"role", "system"}, {"content", body}});
    if (zone == Zone::tools) tools_.push_back({{"type", "function"}, {"function", body}});
    if (zone == Zone::messages) add_message(body);
  }

  void add_message(const Json& message) {
    if (at(message, "role") == "toolResult") return add_result(message);
    flush();
    if (at(message, "role") == "assistant") return add_answer(message);
    Json parts = Json::array();
    for (const auto& block : at(message, "content")) parts.push_back(part_of(block));
    messages_.push_back({{"role", "user"}, {"content", std::move(parts)}});
  }

  void add_answer(const Json& message) {
    Json parts = Json::array();
    Json calls = Json::array();
    for (const auto& block : at(message, "content")) {
      if (at(block, "type") == "text") parts.push_back(part_of(block));
      if (at(block, "type") != "toolCall") continue;
      calls.push_back(
          {{"id", block["id"]},
           {"type", "function"},
           {"function", {{"name", block["name"]}, {"arguments", dump_json(block["arguments"])}}}});
    }
    Json answer{{"role", "assistant"}, {"content", parts.empty() ? Json() : std::move(parts)}};
    if (!calls.empty()) answer["tool_calls"] = std::move(calls);
    messages_.push_back(std::move(answer));
  }

  void add_result(const Json& message) {
    Json written{{"role", "tool"}, {"tool_call_id", message["toolCallId"]}};
    written["content"] = content_of(at(message, "content"));
    messages_.push_back(std::move(written));
  }

  Json content_of(const Json& content) {
    if (!content.is_array()) return content;
    Json parts = Json::array();
    std::string text;
    bool has_picture = false;
    for (const auto& block : content) {
      const bool is_picture = at(block, "type") == "image";
      has_picture = has_picture || is_picture;
      (is_picture ? pictures_ : parts).push_back(part_of(block));
      if (!is_picture) text += (parts.size() > 1 ? "\n" : "") + text_at(block, "text");
    }
    const bool is_blank = text.find_first_not_of(" \n") == std::string::npos;
    if (is_blank) return has_picture ? style_.picture : style_.nothing;
    return style_.joins ? Json(text) : parts;
  }

  /// All pictures of a batch come behind its last result.
  void flush() {
    if (pictures_.empty()) return;
    Json parts = Json::array({Json{{"type", "text"}, {"text", "Pictures of the results:"}}});
    for (auto& picture : pictures_) parts.push_back(std::move(picture));
    pictures_ = Json::array();
    messages_.push_back({{"role", "user"}, {"content", std::move(parts)}});
  }

  ChatStyle style_;
  Json messages_ = Json::array();
  Json tools_ = Json::array();
  Json pictures_ = Json::array();
};

/// `alter`: what else is done to each body.
Trace in_chat(Trace trace, const ChatStyle& style = {},
              const std::function<void(Json& body)>& alter = {}) {
  const Trace original = trace;
  trace.header.determinism = Determinism::live;
  RequestFold fold;
  RequestDeltas deltas;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const auto* request = original.events[i].as<ProviderRequest>();
    if (request == nullptr) continue;
    const auto folded = fold.fold(original.events[i]);
    EXPECT_TRUE(folded);
    if (!folded) return trace;
    Json body = ChatBody(style).of(*folded);
    if (alter) alter(body);
    Json params = request->params.get();
    params["wire"] = Json{{"path", "/v1/chat/completions"}};
    auto blocks = neutral_blocks(Dialect::chat, body);
    EXPECT_TRUE(blocks);
    trace.events[i].payload =
        deltas.next(request->lineage, blocks.value(), SharedJson(std::move(params)));
    deltas.sent(trace.events[i].seq);
  }
  return trace;
}

std::set<std::string> failing(const Trace& trace) {
  std::set<std::string> rules;
  for (const auto& judgement : invariants::judge(trace, repository_suite().facts)) {
    if (judgement.verdict == invariants::Verdict::fail) rules.insert(judgement.id);
  }
  return rules;
}

Trace trace_of(const Scenario& scenario, const Alterations& alterations = {}) {
  SessionSubject subject;
  RunOptions options;
  options.alterations = alterations;
  return subject.run(scenario, options).trace;
}

const Scenario& scenario_at(const std::string& file) {
  const auto& all = repository_suite().scenarios;
  const auto found = std::ranges::find(all, file, &Scenario::file);
  EXPECT_NE(found, all.end()) << file;
  return *found;
}

const std::vector<std::string> kRules{"RESULT-01", "RESULT-18", "RESULT-20"};
const std::string kPictures = "scenarios/result/RESULT-20-images-keep-their-place.yaml";

TEST(ChatTraces, AreAsGoodAsTheReference) {
  for (const auto& scenario : repository_suite().scenarios) {
    const Trace trace = trace_of(scenario);
    const auto known = failing(trace);
    if (!known.empty()) continue;
    for (const bool joins : {true, false}) {
      const auto rules = failing(in_chat(trace, {.joins = joins}));
      EXPECT_THAT(rules, IsEmpty()) << scenario.file << (joins ? " joined" : " in parts");
    }
  }
}

TEST(ChatTraces, ShowWhatIsTamperedWith) {  // RESULT-01, RESULT-18, RESULT-20
  const auto tampers = load_tampers("scenarios/rules");
  ASSERT_TRUE(tampers.has_value());
  std::set<std::string> told;
  for (const auto& tamper : *tampers) {
    if (std::ranges::find(kRules, tamper.rule) == kRules.end()) continue;
    const auto wrong = apply_tamper(in_chat(trace_of(scenario_at(tamper.scenario))), tamper);
    ASSERT_TRUE(wrong.has_value()) << tamper.file;

    EXPECT_THAT(failing(*wrong), Contains(tamper.rule)) << tamper.file;
    told.insert(tamper.rule);
  }
  EXPECT_EQ(told.size(), kRules.size());
}

TEST(ChatTraces, ShowWhatWrongEnginesDo) {  // RESULT-01, RESULT-20
  std::int64_t count = 0;
  for (const auto& mutant : all_mutants()) {
    if (std::ranges::find(kRules, mutant.rule) == kRules.end()) continue;
    std::set<std::string> rules;
    for (const auto& scenario : repository_suite().scenarios) {
      if (std::ranges::find(scenario.rules, mutant.rule, &RuleReference::id) ==
          scenario.rules.end()) {
        continue;
      }
      rules.merge(failing(in_chat(trace_of(scenario, mutant.alterations))));
    }

    EXPECT_THAT(rules, Contains(mutant.rule)) << mutant.name;
    ++count;
  }
  EXPECT_GE(count, 2);
}

/// The rules that fail when every body of the scenario is altered.
std::set<std::string> failing_with(const std::string& file,
                                   const std::function<void(Json& body)>& alter) {
  return failing(in_chat(trace_of(scenario_at(file)), {}, alter));
}

/// Calls `change` with the messages and the index of each that fits.
std::function<void(Json&)> where(const std::function<bool(const Json&)>& fits,
                                 const std::function<void(Json&, std::size_t)>& change) {
  return [fits, change](Json& body) {
    Json& messages = body["messages"];
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (fits(messages[i])) return change(messages, i);
    }
  };
}

bool is_tool(const Json& message) {
  return at(message, "role") == "tool";
}

bool has_pictures(const Json& message) {
  const Json& content = at(message, "content");
  return content.is_array() && std::ranges::any_of(content, [](const Json& part) {
           return at(part, "type") == "image_url";
         });
}

TEST(ChatTraces, ShowPicturesThatAreLostOrAstray) {  // RESULT-01, RESULT-20, WIRE-118
  const auto lost = [](Json& all, std::size_t i) { all.erase(i); };
  const auto other = [](Json& all, std::size_t i) {
    all[i]["content"][1]["image_url"]["url"] = "data:image/png;base64,AAAA";
  };
  const auto doubled = [](Json& all, std::size_t i) {
    all[i]["content"].push_back(all[i]["content"][1]);
  };
  const auto before = [](Json& all, std::size_t i) { std::swap(all[i], all[i - 1]); };

  EXPECT_THAT(failing_with(kPictures, where(has_pictures, lost)), Contains("RESULT-20"));
  EXPECT_THAT(failing_with(kPictures, where(has_pictures, other)), Contains("RESULT-01"));
  EXPECT_THAT(failing_with(kPictures, where(has_pictures, doubled)), Contains("RESULT-20"));
  EXPECT_THAT(failing_with(kPictures, where(has_pictures, before)), Contains("RESULT-01"));
}

TEST(ChatTraces, ShowTextsThatAreNotTheResults) {  // RESULT-01, RESULT-18
  const std::string file = "scenarios/result/RESULT-09-usage-of-a-tool-is-kept.yaml";
  const auto says = [](const Json& content) {
    return where(is_tool, [content](Json& all, std::size_t i) { all[i]["content"] = content; });
  };

  EXPECT_THAT(failing_with(file, says("[nothing to tell]")), IsEmpty());
  EXPECT_THAT(failing_with(file, says("")), IsEmpty());
  for (const Json& wrong : {Json("null"), Json("[]"), Json("{}"), Json("[1]"), Json("done"),
                            Json("(no tool output) and more"), Json()}) {
    EXPECT_THAT(failing_with(file, says(wrong)), Contains("RESULT-18")) << wrong.dump();
  }
  EXPECT_THAT(failing_with(kPictures, says("forged")), Contains("RESULT-01"));
  EXPECT_THAT(failing_with(kPictures, says("(see attached image)")), Contains("RESULT-01"));
}

}  // namespace
}  // namespace plumb::simulator
