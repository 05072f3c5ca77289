// SPDX-License-Identifier: Apache-2.0
#include "engine/extensions/script_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "engine/values/suggest.h"

namespace plumb::engine {

namespace {

constexpr std::array<std::string_view, 15> kNames = {"args",           "input",
                                                     "event",          "call",
                                                     "active",         "flags",
                                                     "tools",          "last",
                                                     "signal.aborted", "ctx.model",
                                                     "ctx.cwd",        "ctx.has_ui",
                                                     "ctx.is_idle",    "ctx.system_prompt",
                                                     "ctx.entries"};

struct Reference {
  std::string name;
  std::string pointer;
};

bool is_reference_start(char character) {
  return character >= 'a' && character <= 'z';
}

Reference split_reference(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return Reference{std::string(text), ""};
  return Reference{std::string(text.substr(0, slash)), std::string(text.substr(slash))};
}

/// "$name/pointer" as a whole text.
std::optional<Reference> whole_reference(std::string_view text) {
  if (text.size() < 2 || text[0] != '$' || !is_reference_start(text[1])) return std::nullopt;
  return split_reference(text.substr(1));
}

Json follow(const Reference& reference, const ReferenceLookup& lookup) {
  const Json root = lookup(reference.name);
  const Json* found = find_pointer(root, reference.pointer);
  return found == nullptr ? Json(nullptr) : *found;
}

/// Calls `on_text` and `on_reference` for the pieces of a text with "${...}" in it.
template <class OnText, class OnReference>
void split_text(std::string_view text, OnText on_text, OnReference on_reference) {
  while (!text.empty()) {
    const auto begin = text.find("${");
    const auto end = begin == std::string_view::npos ? begin : text.find('}', begin);
    if (end == std::string_view::npos) break;
    on_text(text.substr(0, begin));
    on_reference(split_reference(text.substr(begin + 2, end - begin - 2)));
    text.remove_prefix(end + 1);
  }
  on_text(text);
}

Json resolve_text(const std::string& text, const ReferenceLookup& lookup) {
  if (text.starts_with("$$")) return text.substr(1);
  if (const auto whole = whole_reference(text)) return follow(*whole, lookup);
  std::string resolved;
  split_text(
      text, [&](std::string_view piece) { resolved += piece; },
      [&](const Reference& reference) {
        const Json value = follow(reference, lookup);
        resolved += value.is_string() ? value.get<std::string>() : dump_json(value);
      });
  return resolved;
}

Result<void> check_reference(const Reference& reference, const std::string& at) {
  if (std::ranges::find(kNames, reference.name) != kNames.end()) return {};
  std::string message = "unknown reference '$" + reference.name + "'";
  const std::string near = did_you_mean(reference.name, kNames);
  if (!near.empty()) message += "; did you mean '$" + near + "'?";
  return fail(ErrorCode::invalid, std::move(message), at);
}

Result<void> check_text(const std::string& text, const std::string& at) {
  if (text.starts_with("$$")) return {};
  if (const auto whole = whole_reference(text)) return check_reference(*whole, at);
  Result<void> checked;
  split_text(
      text, [](std::string_view) {},
      [&](const Reference& reference) {
        if (checked) checked = check_reference(reference, at);
      });
  return checked;
}

std::vector<std::string> pointer_tokens(std::string_view pointer) {
  std::vector<std::string> tokens;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const auto end = std::min(pointer.find('/'), pointer.size());
    std::string token(pointer.substr(0, end));
    for (auto at = token.find('~'); at != std::string::npos; at = token.find('~', at + 1)) {
      if (token.compare(at, 2, "~1") == 0) token.replace(at, 2, "/");
      if (token.compare(at, 2, "~0") == 0) token.replace(at, 2, "~");
    }
    tokens.push_back(std::move(token));
    pointer.remove_prefix(end);
  }
  return tokens;
}

std::optional<std::size_t> array_index(const std::string& token) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
  if (error != std::errc() || end != token.data() + token.size()) return std::nullopt;
  return index;
}

/// The child that `token` names, made when an object (or null) lacks it; null when there is no way.
Json* child_of(Json& parent, const std::string& token) {
  if (parent.is_null()) parent = Json::object();
  if (parent.is_object()) return &parent[token];
  if (!parent.is_array()) return nullptr;
  if (token == "-") return &parent.emplace_back();
  const auto index = array_index(token);
  if (!index || *index > parent.size()) return nullptr;
  if (*index == parent.size()) return &parent.emplace_back();
  return &parent[*index];
}

Json* existing_child(Json& parent, const std::string& token) {
  if (parent.is_object()) {
    const auto found = parent.find(token);
    return found == parent.end() ? nullptr : &*found;
  }
  const auto index = parent.is_array() ? array_index(token) : std::nullopt;
  return index && *index < parent.size() ? &parent[*index] : nullptr;
}

}  // namespace

Json resolve_value(const Json& value, const ReferenceLookup& lookup) {
  if (value.is_string()) return resolve_text(value.get_ref<const std::string&>(), lookup);
  if (!value.is_structured()) return value;
  Json resolved = value;
  for (auto& child : resolved) child = resolve_value(child, lookup);
  return resolved;
}

bool may_refer(const Json& value) {
  if (value.is_string()) return value.get_ref<const std::string&>().contains('$');
  return value.is_structured() && std::ranges::any_of(value, may_refer);
}

Result<void> check_references(const Json& value, const std::string& at) {
  if (value.is_string()) return check_text(value.get_ref<const std::string&>(), at);
  if (!value.is_structured()) return {};
  for (const auto& [key, child] : value.items()) {
    const auto checked = check_references(child, at + "/" + pointer_escape(key));
    if (!checked) return checked;
  }
  return {};
}

Result<void> set_at_pointer(Json& root, std::string_view pointer, Json value) {
  if (!pointer.empty() && pointer.front() != '/') {
    return fail(ErrorCode::rejected, "'" + std::string(pointer) + "' is no JSON pointer");
  }
  Json* place = &root;
  for (const auto& token : pointer_tokens(pointer)) {
    place = child_of(*place, token);
    if (place == nullptr) {
      return fail(ErrorCode::rejected, "no place at '" + std::string(pointer) + "'");
    }
  }
  *place = std::move(value);
  return {};
}

void unset_at_pointer(Json& root, std::string_view pointer) {
  auto tokens = pointer_tokens(pointer);
  if (tokens.empty()) return;
  const std::string last = std::move(tokens.back());
  tokens.pop_back();
  Json* parent = &root;
  for (const auto& token : tokens) {
    parent = existing_child(*parent, token);
    if (parent == nullptr) return;
  }
  if (existing_child(*parent, last) == nullptr) return;
  if (parent->is_object()) {
    parent->erase(last);
  } else {
    parent->erase(*array_index(last));
  }
}

}  // namespace plumb::engine
