// SPDX-License-Identifier: Apache-2.0
// Checks a YAML document against its published JSON Schema, so that an editor and the reader cannot
// disagree: the schema file is built into the program. A schema validator's messages speak of
// schemas; these speak of keys, and point at the line. Understood are the keywords that the
// schemas of this project use; a test holds that they use no others.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/script/yaml.h"

namespace plumb::simulator {

/// What is wrong with a text of this format, or "". Formats: event-pattern, json-pointer, ...
using FormatCheck = std::function<std::string(std::string_view format, const std::string& text)>;

/// All errors, in the order of the document.
std::vector<Error> check_shape(const YamlDocument& document, const Json& schema,
                               const FormatCheck& check_format);

/// Keywords in `schema` that check_shape does not understand, as JSON Pointers; for tests.
std::vector<std::string> unknown_keywords(const Json& schema);

}  // namespace plumb::simulator
