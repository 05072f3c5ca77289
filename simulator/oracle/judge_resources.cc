// SPDX-License-Identifier: Apache-2.0
#include "simulator/oracle/judge_resources.h"

#include <algorithm>
#include <vector>

#include "engine/values/json_members.h"
#include "simulator/oracle/compare.h"

namespace plumb::simulator {
namespace {

/// Entries without their words: of {path, text} the path, of [type, text] the type.
Json without_words(const Json& list) {
  if (!list.is_array()) return list;
  Json kept = Json::array();
  for (const auto& entry : list) {
    const bool is_pair = entry.is_array() && !entry.empty();
    kept.push_back(is_pair ? entry[0] : entry.is_object() ? at(entry, "path") : entry);
  }
  return kept;
}

Differences judge_words(const Json& words, const std::string& text, const std::string& path,
                        bool is_wanted) {
  Differences found;
  for (const auto& word : words.is_array() ? words : Json::array({words})) {
    if (text.contains(word.get<std::string>()) == is_wanted) continue;
    append(found, {Difference{path, (is_wanted ? "" : "no ") + shown(word), shown(text)}});
  }
  return found;
}

Json names_of(const Json& texts) {
  Json names = Json::array();
  for (const auto& [name, text] : texts.items()) names.push_back(name);
  return names;
}

/// Where the observed engine has a section about its own documents, another has none.
Json without_documents(Json names) {
  const auto found = std::find(names.begin(), names.end(), Json("docs"));
  if (found != names.end()) names.erase(found);
  return names;
}

/// The strings stand in the section in this order.
Differences judge_order(const Json& in_order, const Json& texts, const std::string& path) {
  Differences found;
  for (const auto& [section, words] : in_order.items()) {
    const std::string text = text_at(texts, section);
    std::size_t place = 0;
    for (const auto& word : words) {
      const auto next = text.find(word.get<std::string>(), place);
      if (next == std::string::npos) {
        append(found, {Difference{path + "/" + section, shown(word), shown(Json(text))}});
        break;
      }
      place = next + 1;
    }
  }
  return found;
}

Differences judge_key(const std::string& key, const Json& expected, const Json& actual,
                      const std::string& path, const Placeholders& places) {
  const Json& texts = at(actual, "texts");
  const bool is_of_sections = texts.is_object();
  if (key == "contains" || key == "lacks") {
    if (!at(actual, "text").is_string()) return {Difference{path, "a text", "none"}};
    return judge_words(expected, text_at(actual, "text"), path, key == "contains");
  }
  if (key == "sections" && is_of_sections) {
    return compare_partly(without_documents(expected), names_of(texts), path, places);
  }
  if (key == "in_order") return judge_order(filled(expected, places), texts, path);
  if (key == "has") {
    Differences found;
    const Json sections = filled(expected, places);
    for (const auto& [section, words] : sections.items()) {
      append(found, judge_words(words, text_at(texts, section), path + "/" + section, true));
    }
    return found;
  }
  if (key == "errors" || key == "diagnostics") {
    return compare_partly(without_words(expected), without_words(at(actual, key)), path, places);
  }
  return compare_partly(expected, at(actual, key), path, places);
}

}  // namespace

Differences judge_resources(const Json& expect, const Result<Json>& actual, const std::string& path,
                            const Placeholders& places) {
  const std::string wanted = text_at(expect, "class");
  const bool may_fail = !wanted.empty() && wanted != "ok";
  if (!actual || may_fail) {
    // What loads a session tells failures by their words alone.
    if (!actual && wanted == "error") return {};
    return {Difference{path + "/class", may_fail ? wanted : "ok",
                       actual ? "ok" : "error: " + actual.error().message}};
  }
  Differences found;
  for (const auto& [key, expected] : expect.items()) {
    if (key == "class") continue;
    append(found, judge_key(key, expected, *actual, path + "/" + key, places));
  }
  return found;
}

}  // namespace plumb::simulator
