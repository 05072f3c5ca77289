// SPDX-License-Identifier: Apache-2.0
// The YAML block between two lines of `---` at the head of a skill or a template.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/values/json.h"

namespace plumb::engine {

/// Nesting and values of a front matter.
inline constexpr std::int64_t kFrontMatterDepthMax = 32;
inline constexpr std::int64_t kFrontMatterNodesMax = 10'000;

/// `fields`: an object, empty where there is no block. `body`: what follows, without blanks around
/// it if there was a block. A byte order mark is gone, lines end with LF (SKILL-13).
struct FrontMatter {
  Json fields = Json::object();
  std::string body;
};

/// Errors: invalid, for a block that is no YAML or names a key twice, with line and column.
Result<FrontMatter> parse_front_matter(std::string_view text);

}  // namespace plumb::engine
