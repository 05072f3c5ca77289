// SPDX-License-Identifier: Apache-2.0
#include "simulator/oracle/judge_call.h"

#include <algorithm>
#include <array>

#include "simulator/oracle/compare.h"
#include "simulator/oracle/judge_content.h"
#include "simulator/oracle/texts.h"

namespace plumb::simulator {
namespace {

/// The last partial text, "" without one.
std::string last_text(const CallRecord& call) {
  return call.updates.empty() ? "" : engine::text_of(call.updates.back().partial.content);
}

/// An expected class "error" is any failure of a call that has ended.
bool is_class(const std::string& expected, const std::string& actual) {
  if (expected == actual) return true;
  return expected == "error" && actual != "ok" && actual != "unsettled";
}

std::string text_member(const SharedJson& json, const char* key) {
  const Json* found = find_pointer(json.get(), std::string("/") + key);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

class CallJudge final {
 public:
  CallJudge(const Json& expect, const CallRecord& call, const JudgeContext& context)
      : expect_(expect), call_(call), context_(context) {}

  Differences judge(const std::string& path) {
    path_ = path;
    judge_class();
    if (!expect_.is_object()) return std::move(found_);
    if (wants("content")) {
      append(found_, judge_content(expect_, call_, path_ + "/content", context_));
    }
    judge_values();
    judge_updates();
    if (wants("within_ms")) {
      require("within_ms", expect_["within_ms"], call_.settled_ms - call_.started_ms,
              call_.settled_ms - call_.started_ms <= expect_["within_ms"].get<std::int64_t>());
    }
    if (wants("output_file")) judge_output_file();
    return std::move(found_);
  }

 private:
  bool wants(const char* key) const {
    return expect_.contains(key) &&
           std::ranges::find(context_.set_aside, key) == context_.set_aside.end();
  }

  void require(const std::string& key, const Json& expected, const Json& actual, bool holds) {
    if (!holds) found_.push_back({path_ + "/" + key, shown(expected), shown(actual)});
  }

  void judge_class() {
    const bool is_given = expect_.is_object() && expect_.contains("class");
    if (is_given && !wants("class")) return;
    const std::string expected = is_given ? expect_["class"].get<std::string>() : "ok";
    if (is_class(expected, call_.error_class)) return;
    const std::string text = engine::text_of(call_.result.content);
    found_.push_back(
        {path_ + "/class", expected, call_.error_class + (text.empty() ? "" : " (" + text + ")")});
  }

  void judge_values() {
    if (wants("details")) judge_details();
    if (wants("structured")) judge_structured();
    for (const auto& [key, actual] : {std::pair("transcript_input_after", &call_.transcript_input),
                                      std::pair("value", &call_.value)}) {
      if (!wants(key)) continue;
      append(found_, compare_partly(expect_[key], *actual, path_ + "/" + key, context_.places));
    }
  }

  void judge_details() {
    Json expected = expect_["details"];
    const Json actual = call_.result.details.get();
    if (expected.is_object() && expected.contains("truncation")) {
      Json& cut = expected["truncation"];
      if (cut.is_object() && cut.contains("contentIsPrefixOfText")) {
        cut.erase("contentIsPrefixOfText");
        judge_prefix(actual);
      }
    }
    append(found_, compare_partly(expected, actual, path_ + "/details", context_.places));
  }

  /// The cut content stands at the beginning of the text.
  void judge_prefix(const Json& details) {
    const Json* content = find_pointer(details, "/truncation/content");
    const std::string text = engine::text_of(call_.result.content);
    const bool holds = content != nullptr && content->is_string() &&
                       text.starts_with(content->get_ref<const std::string&>());
    require("details/truncation/contentIsPrefixOfText", true,
            content == nullptr ? Json("no content") : *content, holds);
  }

  void judge_structured() {
    const Json& expected = expect_["structured"];
    const Json actual = call_.result.structured_content.get();
    if (expected == "same-as-text") {
      const std::string text = engine::text_of(call_.result.content);
      return require("structured", text, actual, actual == Json(text));
    }
    Json wanted = expected;
    // The note of a picture is in the engine's own words.
    if (wanted.is_object() && wanted.value("type", Json()) == "image") {
      require("structured/note", "a text",
              actual.is_object() ? actual.value("note", Json()) : Json(),
              actual.is_object() && actual.value("note", Json()).is_string());
      wanted.erase("note");
    }
    append(found_, compare_partly(wanted, actual, path_ + "/structured", context_.places));
  }

  void judge_updates() {
    const auto& updates = call_.updates;
    if (wants("updates")) judge_update_count(std::ssize(updates));
    if (wants("first_update_blocks")) {
      const Json blocks =
          updates.empty() ? Json("no update") : Json(updates.front().partial.content.size());
      require("first_update_blocks", expect_["first_update_blocks"], blocks,
              equal_json(blocks, expect_["first_update_blocks"]));
    }
    if (wants("update_gap_ms_min")) judge_gaps();
    if (wants("updates_grow") && expect_["updates_grow"] == Json(true)) judge_growth();
    if (wants("last_update_ends")) {
      const std::string text = last_text(call_);
      require("last_update_ends", expect_["last_update_ends"], text,
              text.ends_with(expect_["last_update_ends"].get_ref<const std::string&>()));
    }
    if (wants("update_truncated_by")) judge_cut_update();
    if (wants("update_output_file")) judge_update_file();
  }

  void judge_update_count(std::int64_t count) {
    const Json& limits = expect_["updates"];
    require("updates/exactly", limits.value("exactly", Json()), count,
            !limits.contains("exactly") || limits["exactly"].get<std::int64_t>() == count);
    require("updates/min", limits.value("min", Json()), count,
            !limits.contains("min") || limits["min"].get<std::int64_t>() <= count);
    require("updates/max", limits.value("max", Json()), count,
            !limits.contains("max") || limits["max"].get<std::int64_t>() >= count);
  }

  /// Between inner updates: the first is sent at the start, the last one at the end.
  void judge_gaps() {
    const auto& updates = call_.updates;
    for (std::size_t i = 2; i + 1 < updates.size(); ++i) {
      const auto gap = updates[i].at_ms - updates[i - 1].at_ms;
      require("update_gap_ms_min", expect_["update_gap_ms_min"], gap,
              gap >= expect_["update_gap_ms_min"].get<std::int64_t>());
    }
  }

  void judge_growth() {
    std::string before;
    for (const auto& update : call_.updates) {
      std::string text = engine::text_of(update.partial.content);
      require("updates_grow", before, text, text.starts_with(before));
      before = std::move(text);
    }
  }

  void judge_cut_update() {
    const Json& expected = expect_["update_truncated_by"];
    Json seen = "no cut update";
    for (const auto& update : call_.updates) {
      const Json* by = find_pointer(update.partial.details.get(), "/truncation/truncatedBy");
      if (by != nullptr && !by->is_null()) seen = *by;
    }
    const bool is_none = expected.is_null() || expected == Json(false);
    require("update_truncated_by", expected, seen,
            is_none ? seen == "no cut update" : seen == expected);
  }

  /// Whether an update names the file of the whole output.
  void judge_update_file() {
    const Json& expected = expect_["update_output_file"];
    Json seen;
    for (const auto& update : call_.updates) {
      const Json* named = find_pointer(update.partial.details.get(), "/fullOutputPath");
      if (named != nullptr) seen = *named;
    }
    const bool wants_none = expected.is_null() || expected == Json(false);
    const bool fits =
        !expected.is_string() ||
        (seen.is_string() && matches_text(expected.get_ref<const std::string&>(),
                                          seen.get_ref<const std::string&>(), context_.places));
    require("update_output_file", expected, seen, fits && seen.is_null() == wants_none);
  }

  void judge_output_file() {
    const Json& expected = expect_["output_file"];
    const auto& file = context_.output_file;
    if (!file) return require("output_file", expected, "no such file", false);
    const auto lines = std::ranges::count(file->bytes, '\n') +
                       (!file->bytes.empty() && file->bytes.back() != '\n' ? 1 : 0);
    const Json actual{
        {"bytes", file->bytes.size()}, {"lines", lines}, {"mode", octal_text(file->mode)}};
    append(found_, compare_partly(expected, actual, path_ + "/output_file", context_.places));
  }

  const Json& expect_;
  const CallRecord& call_;
  const JudgeContext& context_;
  std::string path_;
  Differences found_;
};

}  // namespace

std::string output_path_of(const CallRecord& call, const Placeholders& places) {
  std::string path = text_member(call.result.details, "fullOutputPath");
  if (path.empty()) path = text_member(call.result.structured_content, "full_output_path");
  if (!path.empty()) return path;
  const std::string text = engine::text_of(call.result.content);
  const auto end = text.rfind(".log");
  const auto begin = end == text.npos ? text.npos : text.rfind(places.scratch + "/", end);
  return begin == text.npos ? "" : text.substr(begin, end + 4 - begin);
}

std::string octal_text(std::int64_t mode) {
  std::string text;
  for (; mode > 0; mode /= 8) text.insert(text.begin(), static_cast<char>('0' + mode % 8));
  return text.empty() ? "0" : text;
}

Differences judge_call(const Json& expect, const CallRecord& call, const std::string& path,
                       const JudgeContext& context) {
  return CallJudge(expect, call, context).judge(path);
}

}  // namespace plumb::simulator
