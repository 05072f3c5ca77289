// SPDX-License-Identifier: Apache-2.0
#include "simulator/oracle/row.h"

#include <map>
#include <utility>

#include "simulator/oracle/form.h"
#include "simulator/oracle/json_place.h"
#include "simulator/script/words.h"

namespace plumb::simulator {
namespace {

std::string text_member(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Json member_or(const Json& json, const char* key, Json otherwise) {
  const auto found = json.find(key);
  if (found == json.end()) return otherwise;
  return *found;
}

OracleRow row_of(const Json& json, std::int64_t line) {
  OracleRow row;
  row.id = text_member(json, "id");
  row.tool = text_member(json, "tool");
  row.group = text_member(json, "group");
  row.edition = text_member(json, "edition");
  row.line = line;
  for (const auto& need : member_or(json, "needs", Json::array())) {
    row.needs.push_back(need.get<std::string>());
  }
  for (const auto& quirk : member_or(json, "quirk", Json::array())) {
    row.quirks.push_back(
        {text_member(quirk, "rule"), text_member(quirk, "field"), text_member(quirk, "why")});
  }
  row.setup = member_or(json, "setup", Json::object());
  row.expect = member_or(json, "expect", Json::object());
  for (const auto& step : json["steps"]) {
    row.steps.push_back({text_member(step, "op"), step["args"], member_or(step, "at", nullptr),
                         member_or(step, "expect", nullptr)});
  }
  return row;
}

/// Longer lines are no rows: the largest file that a row may hold has room in one.
constexpr std::int64_t kLineBytesMax = 16 << 20;

class OracleReader final {
 public:
  explicit OracleReader(std::string_view file) { result_.path = file; }

  void read_line(std::string_view text, std::int64_t line) {
    if (text.find_first_not_of(" \t\r") == text.npos) return;
    const bool is_first = std::exchange(is_first_, false);
    if (std::ssize(text) > kLineBytesMax) {
      return report("line is larger than " + std::to_string(kLineBytesMax) + " bytes", line, 1);
    }
    const auto json = parse_json(text, result_.path, line);
    if (!json) {
      result_.errors.push_back(json.error());
    } else if (is_first && json->is_object() && json->contains("meta")) {
      read_meta(*json, text, line);
    } else {
      read_row(*json, text, line);
    }
  }

  OracleFile finish() {
    // Lines that cannot be read are missing in the counts.
    if (result_.errors.empty()) check_counts();
    if (result_.errors.empty() && result_.rows.empty()) {
      report("no rows, expected one a line", 1, 1);
    }
    return std::move(result_);
  }

 private:
  void read_meta(const Json& meta, std::string_view text, std::int64_t line) {
    const auto problems = check_oracle_meta(meta);
    if (!problems.empty()) return report(problems.front(), text, line);
    const Json counts = meta.value("counts", Json::object());
    for (const auto& [tool, count] : counts.items()) {
      promised_[tool] = {count.get<std::int64_t>(), line,
                         json_column(text, "/counts/" + pointer_escape(tool), false)};
    }
  }

  /// One error a row: what comes first is often the cause of the others.
  void read_row(const Json& json, std::string_view text, std::int64_t line) {
    auto problems = check_oracle_form(json);
    if (problems.empty() && !remember(json, line)) {
      problems.push_back({"/id",
                          "id " + in_quotes(text_member(json, "id")) + " stands in line " +
                              std::to_string(lines_[text_member(json, "id")]) + " too",
                          false});
    }
    if (!problems.empty()) return report(problems.front(), text, line);
    ++counted_[text_member(json, "tool")];
    result_.rows.push_back(row_of(json, line));
  }

  bool remember(const Json& json, std::int64_t line) {
    return lines_.emplace(text_member(json, "id"), line).second;
  }

  /// A file that lost its end announces more of several tools: one error says so.
  void check_counts() {
    std::int64_t others = -1;
    std::string message;
    Promise at;
    for (const auto& [tool, promise] : promised_) {
      if (counted_[tool] == promise.count || ++others > 0) continue;
      message = std::to_string(promise.count) + " rows of " + tool + " are announced, " +
                std::to_string(counted_[tool]) + " are there";
      at = promise;
    }
    if (message.empty()) return;
    if (others > 0) message += "; " + std::to_string(others) + " more counts are wrong";
    report(std::move(message), at.line, at.column);
  }

  void report(const FormProblem& problem, std::string_view text, std::int64_t line) {
    report(problem.message, line, json_column(text, problem.pointer, problem.at_key));
  }

  void report(std::string message, std::int64_t line, std::int64_t column) {
    result_.errors.push_back(
        Error{ErrorCode::invalid, std::move(message),
              result_.path + ":" + std::to_string(line) + ":" + std::to_string(column)});
  }

  /// So many rows of a tool, and where that is said.
  struct Promise {
    std::int64_t count = 0;
    std::int64_t line = 0;
    std::int64_t column = 0;
  };

  OracleFile result_;
  std::map<std::string, std::int64_t> lines_;
  std::map<std::string, std::int64_t> counted_;
  std::map<std::string, Promise> promised_;
  bool is_first_ = true;
};

}  // namespace

OracleFile read_oracle(std::string_view text, std::string_view file) {
  OracleReader reader(file);
  std::int64_t line = 0;
  while (!text.empty()) {
    const auto end = text.find('\n');
    reader.read_line(text.substr(0, end), ++line);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return reader.finish();
}

}  // namespace plumb::simulator
