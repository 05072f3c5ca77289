// SPDX-License-Identifier: Apache-2.0
// The one YAML reader: YAML text becomes a JSON value and a tree of places of the same shape. Plain
// scalars follow the core schema of YAML 1.2 (null, true, false, numbers), quoted ones are text.
// Refused is whatever two readers could understand differently, or what could be made to explode.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/values/json.h"
#include "simulator/script/place.h"

namespace plumb::simulator {

inline constexpr std::int64_t kYamlDepthMax = 100;
/// Values that aliases may copy in one document.
inline constexpr std::int64_t kYamlAliasValuesMax = 10'000;
/// Bytes of text and keys that they may copy.
inline constexpr std::int64_t kYamlAliasBytesMax = 4 << 20;

/// Places of a value: `value` where it begins, `key` where its key stands in a map. `children` are
/// parallel to the elements or members of the value.
struct PlaceTree {
  Place value;
  Place key;
  std::vector<PlaceTree> children;
};

/// A value of a document together with its place; borrows both.
struct YamlView {
  const Json* value = nullptr;
  const PlaceTree* places = nullptr;

  Place place() const { return places->value; }
  Place key_place() const { return places->key; }
  std::int64_t size() const { return static_cast<std::int64_t>(value->size()); }
  /// An element of a list, by position.
  YamlView element(std::int64_t index) const;
  /// A member of a map, by position.
  YamlView member_at(std::int64_t index) const;
  /// A member of a map by key; none when the value is no map.
  std::optional<YamlView> find(std::string_view key) const;
};

struct YamlDocument {
  std::string file;
  Json root;
  PlaceTree places;

  YamlView view() const { return {&root, &places}; }
};

/// Reads one document. Errors: invalid, with the place, for text that is not YAML, a key twice in
/// a map, a key that is no scalar, `<<`, a tag, a second document, a tab as indentation, a NUL or
/// other control character, bytes that are not UTF-8, an empty document; exhausted, for nesting
/// beyond kYamlDepthMax, aliases beyond kYamlAliasValuesMax or kYamlAliasBytesMax and text beyond
/// `bytes_max`.
Result<YamlDocument> parse_yaml(std::string_view text, const std::string& file,
                                std::int64_t bytes_max);

/// The same by the library alone, which `parse_yaml` asks only for text that is not of the plainest
/// style.
Result<YamlDocument> parse_any_yaml(std::string_view text, const std::string& file,
                                    std::int64_t bytes_max);

}  // namespace plumb::simulator
