// SPDX-License-Identifier: Apache-2.0
#include "engine/values/suggest.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace plumb {

namespace {

char folded(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

// Levenshtein distance: insert, delete, replace cost one each; another case costs nothing.
std::int64_t edit_distance(std::string_view left, std::string_view right) {
  std::vector<std::int64_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::int64_t diagonal = row[0];
    row[0] = static_cast<std::int64_t>(i) + 1;
    for (std::size_t k = 0; k < right.size(); ++k) {
      const std::int64_t replaced = diagonal + (folded(left[i]) == folded(right[k]) ? 0 : 1);
      diagonal = row[k + 1];
      row[k + 1] = std::min({replaced, diagonal + 1, row[k] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string did_you_mean(std::string_view word, std::span<const std::string_view> known) {
  const auto length = static_cast<std::int64_t>(word.size());
  std::int64_t closest = std::max<std::int64_t>(2, length / 3) + 1;
  std::string_view suggestion;
  for (const std::string_view candidate : known) {
    // No less than the difference in length, which is cheaper to tell.
    if (std::abs(length - std::ssize(candidate)) >= closest) continue;
    const std::int64_t distance = edit_distance(word, candidate);
    // A suggestion that shares nothing with the word would only confuse.
    if (distance >= closest || distance >= length) continue;
    closest = distance;
    suggestion = candidate;
  }
  return std::string(suggestion);
}

std::string suggestion_for(std::string_view word, std::span<const std::string_view> known) {
  const std::string hint = did_you_mean(word, known);
  return hint.empty() ? "" : "; did you mean '" + hint + "'?";
}

}  // namespace plumb
