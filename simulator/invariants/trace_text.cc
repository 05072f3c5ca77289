// SPDX-License-Identifier: Apache-2.0
#include "simulator/invariants/trace_text.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "engine/trace/event_json.h"
#include "engine/trace/request_fold.h"
#include "engine/values/json.h"
#include "engine/values/json_members.h"
#include "simulator/invariants/trace_line.h"

namespace plumb::invariants {
namespace {

Json text_block(const Json& text) {
  return Json{{"type", "text"}, {"text", text}};
}

/// Makes whole what a trace abridges: a kind that no line writes itself comes with what implies it.
class Builder {
 public:
  explicit Builder(std::set<std::string> written) : written_(std::move(written)) {
    trace_.header.subject = "hand-made";
    for (const auto kind : kEventKinds) trace_.header.emits.emplace_back(kind);
  }

  void hide(const Json& kind) { std::erase(trace_.header.emits, kind.get<std::string>()); }

  /// A line that comes later: what execute gave is what the end says, unless its own line says so.
  void foresee(std::string_view text) {
    if (text.contains(" raw=")) hide("session_entry");
    Line line = parse_line(text);
    const bool is_good_end = line.kind == "end" && line.take("error", false) == false;
    if (is_good_end && !line.fields.empty()) given_[line.words.front()] = result_of(line, {});
  }

  Result<void> add(std::string_view text) {
    Line line = parse_line(text);
    take_time(line);
    if (line.kind == "header") return header(line);
    if (line.kind == "request") return request(line);
    if (line.kind == "answer") return answer(line);
    if (line.kind == "end") return end(line);
    if (line.kind == "result") return result(line);
    if (line.kind == "hook") return hook(line);
    if (line.kind == "registers") return registers(line);
    if (line.kind == "takes_back") return takes_back(line);
    if (line.kind == "say") return say(line);
    if (line.kind == "start" || line.kind == "abort") return step(line);
    if (line.kind == "begin") return begin(line);
    if (line.kind == "settle") return settle(line);
    if (line.kind == "exec") return exec(line);
    if (line.kind == "run") return run();
    if (line.kind == "registry_refresh" && !line.fields.contains("candidates")) {
      line.fields["candidates"] = at(line.fields, "tools");
    }
    if (line.kind == "done") return done();
    if (line.kind == "message_end") return message_end(line);
    return event(line.kind, std::move(line.fields), line.words.empty() ? "" : line.words.front());
  }

  Trace take() { return std::move(trace_); }

 private:
  void take_time(Line& line) {
    for (const auto& word : line.words) {
      if (word.starts_with('@')) now_ = std::stoll(word.substr(1));
    }
    std::erase_if(line.words, [](const auto& word) { return word.starts_with('@'); });
  }

  Result<void> event(const std::string& kind, Json fields, const std::string& call = {}) {
    Json json{{"seq", trace_.events.size()}, {"at", now_}, {"src", "engine"}, {"kind", kind}};
    if (!call.empty()) json["call"] = call;
    for (const auto& [key, value] : fields.items()) json[key] = value;
    PLUMB_TRY(auto parsed, parse_event(json));
    if (kind == "message_start") has_open_message_ = true;
    if (kind == "message_end") has_open_message_ = false;
    trace_.events.push_back(std::move(parsed));
    return {};
  }

  Result<void> both(const char* former, const char* latter) {
    if (auto recorded = event(former, Json::object()); !recorded) return recorded;
    return event(latter, Json::object());
  }

  Result<void> done() {
    if (auto ended = both("agent_end", "agent_before_settle"); !ended) return ended;
    return event("agent_settled", Json::object());
  }

  Result<void> message_end(Line& line) {
    const Json message = at(line.fields, "message");
    const std::string call = line.words.empty() ? "" : line.words.front();
    const bool has_begun = has_open_message_ || at(line.fields, "role") == "assistant";
    if (auto begun = has_begun ? Result<void>() : event("message_start", line.fields, call);
        !begun) {
      return begun;
    }
    if (auto ended = event("message_end", std::move(line.fields), call); !ended) return ended;
    return store(message, call);
  }

  Result<void> run() {
    if (!written_.contains("before_agent_start")) {
      if (auto prepared = event("before_agent_start", {{"prompt", "hi"}}); !prepared)
        return prepared;
    }
    return both("agent_start", "turn_start");
  }

  /// A message reaches the store.
  Result<void> store(const Json& message, const std::string& call = {}) {
    if (written_.contains("session_entry")) return {};
    const auto id = "e" + std::to_string(++entries_);
    return event("session_entry", {{"id", id}, {"type", "message"}, {"data", message}}, call);
  }

  Result<void> header(Line& line) {
    trace_.header.edition = line.take("edition", "seed").get<std::string>();
    trace_.header.is_clock_virtual = line.take("virtual", true).get<bool>();
    if (line.take("live", false) == true) trace_.header.determinism = Determinism::live;
    for (const auto& kind : line.take("hides", Json::array())) hide(kind);
    return {};
  }

  Result<void> step(Line& line) {
    const Json data = line.words.empty() ? Json() : value_of(line.words.front());
    return event("step", {{"step", line.kind}, {"data", data}});
  }

  Result<void> say(Line& line) {
    messages_.push_back(
        {{"role", "user"}, {"content", Json::array({text_block(line.take("text"))})}});
    return tell(messages_.back());
  }

  /// A message that is told of and stored.
  Result<void> tell(const Json& message, const std::string& call = {}) {
    const Json fields{{"role", message["role"]}, {"message", message}};
    if (auto recorded = event("message_start", fields, call); !recorded) return recorded;
    if (auto recorded = event("message_end", fields, call); !recorded) return recorded;
    return store(message, call);
  }

  void put(std::vector<RequestBlock>& blocks, Zone zone, const Json& list) {
    for (const auto& body : list) {
      const bool is_tool_name = zone == Zone::tools && body.is_string();
      const Json full = is_tool_name ? Json{{"name", body}} : body;
      blocks.push_back(RequestBlock{zone, SharedJson(full)});
    }
  }

  static Json name_of_tool(const Json& tool) { return tool.is_string() ? tool : at(tool, "name"); }

  static Json declaration_of(const Json& tool) {
    return tool.is_string() ? Json{{"name", tool}} : tool;
  }

  static bool names(const Json& tools, const Json& name) {
    return std::ranges::any_of(tools, [&](const Json& one) { return name_of_tool(one) == name; });
  }

  /// Says what a request declares otherwise than the last one of its lineage.
  void announce(const std::string& lineage) {
    const auto last = declared_.find(lineage);
    const Json before = last == declared_.end() ? tools_ : last->second;
    declared_[lineage] = tools_;
    Json message{{"role", "system"}};
    for (const auto& tool : tools_) {
      if (!names(before, name_of_tool(tool))) message["toolsAdded"].push_back(declaration_of(tool));
    }
    for (const auto& tool : before) {
      const Json name = name_of_tool(tool);
      if (!names(tools_, name)) message["toolsRemoved"].push_back({{"name", name}});
    }
    if (message.size() > 1) messages_.push_back(std::move(message));
  }

  Result<void> request(Line& line) {
    const auto lineage = line.take("lineage", "main").get<std::string>();
    tools_ = line.take("tools", tools_);
    system_ = line.take("system", system_);
    announce(lineage);
    messages_ = line.take("raw", messages_);
    std::vector<RequestBlock> blocks;
    put(blocks, Zone::system, Json::array({system_}));
    put(blocks, Zone::tools, tools_);
    put(blocks, Zone::messages, messages_);
    auto payload = deltas_.next(lineage, blocks, SharedJson(Json{{"model", "m"}}));
    n_ = payload.n;
    Event sent;
    sent.seq = static_cast<std::int64_t>(trace_.events.size());
    sent.at = now_;
    sent.source = Source::port;
    sent.payload = std::move(payload);
    trace_.events.push_back(std::move(sent));
    deltas_.sent(trace_.events.back().seq);
    return {};
  }

  Result<void> answer(Line& line) {
    Json content = Json::array();
    if (line.fields.contains("text")) content.push_back(text_block(line.take("text")));
    for (const auto& call : line.take("calls", Json::array())) {
      Json block{{"type", "toolCall"}, {"id", call[0]}, {"name", call[1]}, {"arguments", call[2]}};
      names_[call[0].get<std::string>()] = call[1];
      raw_[call[0].get<std::string>()] = call[2];
      content.push_back(block);
      if (call.size() > 3) content.back()["argumentsError"] = call[3];
    }
    const std::string stop = line.take("stop", "toolUse").get<std::string>();
    Json message{{"role", "assistant"}, {"content", content}, {"stopReason", stop}};
    if (stop == "error" || stop == "aborted") message["errorMessage"] = stop;
    Json sent{{"role", "assistant"}, {"content", content}};
    messages_.push_back(sent);
    if (auto answered =
            event("provider_response", {{"n", n_}, {"stop_reason", stop}, {"message", message}});
        !answered)
      return answered;
    return tell(message);
  }

  Result<void> begin(Line& line) {
    const auto id = line.words.front();
    names_[id] = line.take("name", names_[id]);
    begun_.insert(id);
    const Json args = line.take("args", raw_[id]);
    return event("execute_begin",
                 {{"name", names_[id]},
                  {"owner", line.take("owner", "")},
                  {"args", args},
                  {"signal_aborted", line.take("aborted", false)}},
                 id);
  }

  static Json result_of(Line& line, const Json& otherwise) {
    const bool has_own = line.fields.contains("text") || otherwise.is_null();
    Json result = line.take("result", has_own ? Json::object() : otherwise);
    if (!result.contains("content")) {
      result["content"] = Json::array({text_block(line.take("text", "ok"))});
    }
    return result;
  }

  Result<void> settle(Line& line) {
    const auto id = line.words.front();
    const Json thrown = line.take("throw");
    const Json result = thrown.is_null() ? result_of(line, given_[id]) : Json();
    settled_[id] = thrown.is_null() ? result : Json{{"content", Json::array({text_block(thrown)})}};
    const bool is_failure = at(result, "isError") == true;
    const auto* outcome = !thrown.is_null() ? "threw" : is_failure ? "returned_error" : "ok";
    return event("execute_end",
                 {{"name", names_[id]},
                  {"outcome", outcome},
                  {"result", result},
                  {"error", thrown.is_null() ? Json("") : thrown}},
                 id);
  }

  Result<void> exec(Line& line) {
    if (auto begun = begin(line); !begun) return begun;
    now_ += line.take("ms", 0).get<std::int64_t>();
    return settle(line);
  }
  Result<void> end(Line& line) {
    const auto id = line.words.front();
    const bool is_error = line.take("error", false).get<bool>();
    const Json cause = line.take("cause", is_error ? "blocked" : "ok");
    Json result = result_of(line, settled_[id]);
    result.erase("isError");
    ends_[id] = {{"result", result}, {"is_error", line.take("flag", is_error)}};
    if (auto recorded = event("call_outcome", {{"outcome", cause}}, id); !recorded) return recorded;
    return event("tool_execution_end",
                 {{"name", line.take("name", names_[id])},
                  {"result", result},
                  {"is_error", is_error},
                  {"ran", begun_.contains(id)},
                  {"parent", id.contains('/') ? id.substr(0, id.rfind('/')) : ""}},
                 id);
  }

  Result<void> result(Line& line) {
    const auto id = line.words.front();
    Json message{{"role", "toolResult"}, {"toolCallId", id}, {"toolName", names_[id]}};
    message["content"] = line.take("content", ends_[id]["result"]["content"]);
    message["isError"] = line.take("flag", ends_[id]["is_error"]);
    if (auto told = tell(message, id); !told) return told;
    if (line.take("unsent", false) == true) return {};
    message["content"] = line.take("shown", message["content"]);
    messages_.push_back(message);
    return {};
  }

  Result<void> registers(Line& line) {
    const std::string what = line.words.at(0);
    if (what == "handler") handlers_.push_back(static_cast<std::int64_t>(trace_.events.size()));
    return event("notify", {{"by", line.take("extension", "<inline:a>")},
                            {"topic", "registration"},
                            {"data", {{"what", what}, {"name", line.words.at(1)}}}});
  }

  Result<void> takes_back(Line& line) {
    return event("notify", {{"topic", "registration_removed"},
                            {"cause", handlers_.at(line.take("handler", 0).get<std::size_t>())}});
  }

  Result<void> hook(Line& line) {
    const std::string name = line.words.front();
    const std::string id = line.words.size() > 1 ? line.words[1] : std::string();
    const Json extension = line.take("extension", "<inline:a>");
    const Json index = line.take("index", 0);
    const Json input = line.take("input", raw_.contains(id) ? raw_[id] : Json());
    Json call{{"event", name}, {"extension", extension}, {"index", index}, {"input", input}};
    const auto handler = static_cast<std::size_t>(line.take("handler", handlers_.size()));
    if (handler < handlers_.size()) call["cause"] = handlers_[handler];
    if (auto recorded = event("hook_call", call, id); !recorded) return recorded;
    now_ += line.take("ms", 0).get<std::int64_t>();
    Json returned{{"event", name}, {"extension", extension}, {"index", index}};
    returned["input_after"] = line.take("after", input);
    returned["result"] = line.take("returns");
    returned["error"] = line.take("error", "");
    return event("hook_return", returned, id);
  }

  std::set<std::string> written_;  ///< Kinds of the lines.
  Trace trace_;
  RequestDeltas deltas_;
  std::int64_t now_ = 0;
  std::int64_t n_ = 0;
  bool has_open_message_ = false;
  std::int64_t entries_ = 0;
  Json system_ = "be brief\n<tools>\n(none)\n</tools>";
  Json tools_ = Json::array();
  Json messages_ = Json::array();
  std::map<std::string, Json> declared_;  ///< Tools of the last request of each lineage.
  std::vector<std::int64_t> handlers_;    ///< Seqs of their registrations.
  std::set<std::string> begun_;           ///< Calls whose execute was entered.
  std::map<std::string, Json> names_;
  std::map<std::string, Json> raw_;
  std::map<std::string, Json> given_;    ///< Results of ends to come.
  std::map<std::string, Json> settled_;  ///< What execute gave.
  std::map<std::string, Json> ends_;
};

using Lines = std::vector<std::string>;

Result<std::size_t> find_label(const Lines& lines, std::string_view label) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (label_of(lines[i]) == label) return i;
  }
  return fail(ErrorCode::invalid, "no line is labelled '" + std::string(label) + "'");
}

Result<void> apply_edit(Lines& lines, std::string_view edit) {
  const auto words = words_of(edit);
  const auto assign = edit.find(" = ");
  if (words.size() == 2 && words[0] == "drop") {
    PLUMB_TRY(const auto place, find_label(lines, words[1]));
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(place));
    return {};
  }
  if (words.size() == 4 && words[2] == "after") {
    PLUMB_TRY(const auto from, find_label(lines, words[1]));
    const std::string line = lines[from];
    if (words[0] == "move") lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(from));
    PLUMB_TRY(const auto to, find_label(lines, words[3]));
    const bool is_copy = words[0] == "copy";
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(to) + 1,
                 is_copy ? line.substr(label_of(line).size() + 1) : line);
    return {};
  }
  if (assign == std::string_view::npos)
    return fail(ErrorCode::invalid, "no such edit: " + std::string(edit));
  PLUMB_TRY(const auto place, find_label(lines, trimmed(edit.substr(0, assign))));
  lines[place] = label_of(lines[place]) + ": " + std::string(edit.substr(assign + 3));
  return {};
}

}  // namespace

TraceText read_trace_text(std::string file, std::string_view text) {
  TraceText result;
  result.file = std::move(file);
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto line = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with("good ")) {
      for (auto& rule : words_of(line.substr(5))) result.good.push_back(std::move(rule));
    } else if (line.starts_with("abridges ")) {
      for (auto& rule : words_of(line.substr(9))) result.abridged.push_back(std::move(rule));
    } else if (line.starts_with("bad ")) {
      const auto colon = line.find(": ");
      result.bad.push_back(
          {std::string(line.substr(4, colon - 4)), std::string(line.substr(colon + 2))});
    } else {
      result.lines.emplace_back(line);
    }
  }
  return result;
}

Result<TraceText> tamper(TraceText text, std::string_view edits) {
  while (!edits.empty()) {
    const auto end = edits.find(" ;; ");
    if (auto applied = apply_edit(text.lines, edits.substr(0, end)); !applied) {
      return std::unexpected(applied.error());
    }
    edits.remove_prefix(end == std::string_view::npos ? edits.size() : end + 4);
  }
  return text;
}

Result<Trace> build_trace(const TraceText& text) {
  std::set<std::string> written;
  for (const auto& line : text.lines) written.insert(parse_line(line).kind);
  Builder builder(std::move(written));
  const bool has_raw =
      std::ranges::any_of(text.lines, [](const auto& line) { return line.contains(" raw="); });
  if (has_raw) builder.hide("session_entry");
  for (const auto& line : text.lines) builder.foresee(line);
  for (const auto& line : text.lines) {
    if (auto added = builder.add(line); !added) {
      return fail(ErrorCode::invalid, text.file + ": '" + line + "': " + added.error().message);
    }
  }
  return builder.take();
}

}  // namespace plumb::invariants
