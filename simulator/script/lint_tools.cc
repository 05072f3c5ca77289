// SPDX-License-Identifier: Apache-2.0
// What a reader would miss in scripted tools: descriptions that leave the model alone (TOOL-20),
// results that say nothing (RESULT-08). Words alone are looked at, so this warns and never fails.
#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <utility>

#include "simulator/script/lint.h"
#include "simulator/script/words.h"

namespace plumb::simulator {
namespace {

/// Lower-case words; everything else parts them.
std::vector<std::string> words_in(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0) {
      words.back() += static_cast<char>(std::tolower(letter));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

/// One of the four points of a description, and the beginnings of words that speak of it.
struct DescriptionPoint {
  std::string_view missing;
  std::array<std::string_view, 12> beginnings;
};

constexpr std::array<DescriptionPoint, 4> kPoints{{
    {"when to call it",
     {"use", "call", "when", "before", "after", "whenever", "instead", "if", "once", "for"}},
    {"where its inputs come from",
     {"from", "path", "id", "ids", "name", "given", "input", "argument", "as", "take", "by", "of"}},
    {"whether it changes anything outside",
     {"chang", "writ", "creat", "delet", "remov", "updat", "send", "replac", "read", "nothing",
      "modif", "insert"}},
    {"what it returns",
     {"return", "giv", "answer", "result", "show", "list", "output", "report", "tell"}},
}};

bool speaks_of(const std::vector<std::string>& words, const DescriptionPoint& point) {
  return std::ranges::any_of(words, [&](const std::string& word) {
    return std::ranges::any_of(point.beginnings, [&](std::string_view beginning) {
      return !beginning.empty() && word.starts_with(beginning);
    });
  });
}

class ToolLint final {
 public:
  ToolLint(const Scenario& scenario, std::vector<Error>& warnings)
      : scenario_(scenario), warnings_(warnings) {}

  void look_at(const Json& tool, Place place) {
    const std::string name = tool.value("name", std::string());
    const auto words = words_in(tool.value("description", std::string()));
    for (const auto& point : kPoints) {
      if (speaks_of(words, point)) continue;
      warn(place, "the description of tool " + in_quotes(name) + " does not say " +
                      std::string(point.missing) + " (TOOL-20)");
    }
    for (const auto& verb : tool.value("do", Json::array())) look_at_result(name, verb, place);
  }

 private:
  void warn(Place place, std::string message) {
    warnings_.push_back({ErrorCode::rejected, std::move(message), located(scenario_.file, place)});
  }

  void look_at_result(const std::string& name, const Json& verb, Place place) {
    if (!verb.is_object() || !verb.contains("result") || !verb["result"].is_string()) return;
    constexpr std::array<std::string_view, 6> kBare{"done",    "ok",       "okay",
                                                    "success", "finished", "completed"};
    const auto words = words_in(verb["result"].get<std::string>());
    if (words.size() != 1 || std::ranges::find(kBare, words.front()) == kBare.end()) return;
    warn(place, "tool " + in_quotes(name) + " succeeds with a bare " +
                    in_quotes(verb["result"].get<std::string>()) +
                    ", which tells the model nothing of the outcome (RESULT-08)");
  }

  const Scenario& scenario_;
  std::vector<Error>& warnings_;
};

}  // namespace

std::vector<Error> tool_warnings(const Scenario& scenario) {
  std::vector<Error> warnings;
  ToolLint lint(scenario, warnings);
  for (std::size_t i = 0; i < scenario.tools.sdk.size(); ++i) {
    lint.look_at(scenario.tools.sdk[i], scenario.tools.sdk_places[i]);
  }
  for (const auto& extension : scenario.extensions) {
    for (const auto& tool : extension.definition.value("tools", Json::array())) {
      lint.look_at(tool, extension.place);
    }
  }
  return warnings;
}

}  // namespace plumb::simulator
