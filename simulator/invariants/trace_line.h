// SPDX-License-Identifier: Apache-2.0
// One line of a hand-made trace, taken apart. Only tests include this.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/values/json.h"

namespace plumb::invariants {

/// One line taken apart: its kind, its plain words and its key=value pairs.
struct Line {
  std::string kind;
  std::vector<std::string> words;
  Json fields = Json::object();

  Json take(const char* key, Json otherwise = {}) {
    if (!fields.contains(key)) return otherwise;
    Json value = fields[key];
    fields.erase(key);
    return value;
  }
};

std::string_view trimmed(std::string_view text);
/// Words of a line; blanks within quotes and brackets do not split.
std::vector<std::string> words_of(std::string_view line);
std::string label_of(std::string_view line);
Line parse_line(std::string_view text);

}  // namespace plumb::invariants
