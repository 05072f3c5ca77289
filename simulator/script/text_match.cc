// SPDX-License-Identifier: Apache-2.0
#include "simulator/script/text_match.h"

namespace plumb::simulator {

std::vector<TextMismatch> mismatches(const TextMatch& match, std::string_view text) {
  std::vector<TextMismatch> found;
  if (match.equals && *match.equals != text) found.push_back({"differs", *match.equals});
  for (const std::string& part : match.contains) {
    if (!text.contains(part)) found.push_back({"lacks a text", part});
  }
  for (const std::string& part : match.lacks) {
    if (text.contains(part)) found.push_back({"has a text that must not be there", part});
  }
  if (match.starts && !text.starts_with(*match.starts)) {
    found.push_back({"starts otherwise", *match.starts});
  }
  if (match.ends && !text.ends_with(*match.ends)) found.push_back({"ends otherwise", *match.ends});
  return found;
}

}  // namespace plumb::simulator
