// SPDX-License-Identifier: Apache-2.0
#include "simulator/cache_model/prefix.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "simulator/cache_model/json_difference.h"

namespace plumb::simulator {
namespace {

using Blocks = std::span<const RequestBlock>;

std::string zone_name(Zone zone) {
  constexpr std::array<std::string_view, 3> names{"system", "tools", "messages"};
  return std::string(names[static_cast<std::size_t>(zone)]);
}

/// The blocks of one zone, from `first` on; blocks lie in zone order.
Blocks zone_of(Blocks blocks, Zone zone) {
  const auto range = std::ranges::equal_range(blocks, zone, {}, &RequestBlock::zone);
  return {range.begin(), range.end()};
}

bool have_same_bytes(const RequestBlock& left, const RequestBlock& right) {
  return left.zone == right.zone &&
         (left.body.same_object(right.body) || left.body.bytes() == right.body.bytes());
}

std::string name_of(const RequestBlock& block) {
  const Json& body = block.body.get();
  for (const char* pointer : {"/name", "/function/name"}) {
    const Json* name = find_pointer(body, pointer);
    if (name != nullptr && name->is_string()) return name->get<std::string>();
  }
  return "";
}

std::vector<std::string> names_of(Blocks blocks) {
  std::vector<std::string> names;
  for (const auto& block : blocks) names.push_back(name_of(block));
  return names;
}

bool has_all(std::vector<std::string> names, std::vector<std::string> wanted) {
  std::ranges::sort(names);
  std::ranges::sort(wanted);
  return std::ranges::includes(names, wanted);
}

std::string label_tools(Blocks earlier, Blocks later) {
  const auto before = names_of(earlier);
  const auto after = names_of(later);
  if (!has_all(after, before)) return "tool_removed";
  if (!has_all(before, after)) return "tool_added";
  if (before != after) return "tool_order";
  const auto [a, b] = std::ranges::mismatch(earlier, later, have_same_bytes);
  return equal_json(a->body.get(), b->body.get()) ? "key_order" : "tool_redefined";
}

bool shows_image(const RequestBlock& block, const std::string& field) {
  const auto at = field.find('/', std::string_view("/content/").size());
  const Json* part = find_pointer(block.body.get(), field.substr(0, at));
  return part != nullptr && part->is_object() && part->value("type", Json()) == "image";
}

std::string label_messages(Blocks earlier, Blocks later, std::size_t at, const std::string& field) {
  if (at >= earlier.size() || at >= later.size()) return "history_edit";
  const auto& lost = earlier[at];
  const auto is_lost = [&](const RequestBlock& block) { return have_same_bytes(block, lost); };
  if (std::ranges::any_of(later.subspan(at), is_lost)) return "inserted_message";
  if (equal_json(lost.body.get(), later[at].body.get())) return "key_order";
  return shows_image(lost, field) ? "image" : "history_edit";
}

/// "messages/5/content/0" for a difference in a part of a message, else the block alone.
std::string block_path(Zone zone, std::size_t index, const std::string& field) {
  std::string path = zone_name(zone) + "/" + std::to_string(index);
  if (zone != Zone::messages || !field.starts_with("/content/")) return path;
  return path + field.substr(0, field.find('/', std::string_view("/content/").size()));
}

std::string shown(std::string_view bytes, std::size_t offset) {
  if (offset >= bytes.size()) return "";
  return std::string(bytes.substr(offset, static_cast<std::size_t>(kBreakShownBytesMax)));
}

std::int64_t bytes_in(Blocks blocks) {
  std::int64_t bytes = 0;
  for (const auto& block : blocks) bytes += static_cast<std::int64_t>(block.body.bytes().size());
  return bytes;
}

std::string text_at(Blocks blocks, std::size_t at) {
  return at < blocks.size() ? blocks[at].body.bytes() : std::string();
}

void show_bytes(CacheBreak& found, Blocks earlier, Blocks later, std::size_t at) {
  const std::string before = text_at(earlier, at);
  const std::string after = text_at(later, at);
  const auto differing = std::ranges::mismatch(before, after).in1 - before.begin();
  found.byte_offset = bytes_in(earlier.first(at)) + differing;
  found.before = shown(before, static_cast<std::size_t>(differing));
  found.after = shown(after, static_cast<std::size_t>(differing));
  found.lost_bytes = bytes_in(earlier.subspan(at)) - differing;
}

std::string label_of(Zone zone, Blocks earlier, Blocks later, std::size_t at,
                     const std::string& field) {
  if (zone == Zone::tools) return label_tools(earlier, later);
  if (zone == Zone::messages) return label_messages(earlier, later, at, field);
  if (at < earlier.size() && at < later.size() &&
      equal_json(earlier[at].body.get(), later[at].body.get())) {
    return "key_order";
  }
  return "system_text";
}

/// Whether both have a block of this zone at this place: only then is there a field to name.
bool is_same_zone(Blocks earlier, Blocks later, std::size_t at) {
  return at < later.size() && earlier[at].zone == later[at].zone;
}

}  // namespace

std::optional<CacheBreak> find_break(std::span<const RequestBlock> earlier,
                                     std::span<const RequestBlock> later, std::int64_t common) {
  auto at = static_cast<std::size_t>(common);
  while (at < earlier.size() && at < later.size() && have_same_bytes(earlier[at], later[at])) ++at;
  if (at >= earlier.size()) return std::nullopt;
  CacheBreak found;
  found.zone = earlier[at].zone;
  if (at < later.size()) found.zone = std::min(found.zone, later[at].zone);
  const Blocks before = zone_of(earlier, found.zone);
  const Blocks after = zone_of(later, found.zone);
  const auto start = static_cast<std::size_t>(before.data() - earlier.data());
  const std::size_t index = before.empty() ? 0 : at - start;
  if (is_same_zone(earlier, later, at)) {
    found.field = first_difference(earlier[at].body.get(), later[at].body.get());
  }
  found.path = block_path(found.zone, index, found.field);
  found.label = label_of(found.zone, before, after, index, found.field);
  show_bytes(found, earlier, later, at);
  return found;
}

void PrefixWatch::reset(const ProviderRequest& request) {
  const auto changed = [&](const char* key) {
    const Json& before = last_params_.get();
    const Json& now = request.params.get();
    return before.is_object() && now.is_object() &&
           before.value(key, Json()) != now.value(key, Json());
  };
  std::string cause = "new_session";
  if (changed("provider"))
    cause = "provider";
  else if (changed("model"))
    cause = "model";
  resets_.push_back(CacheReset{.at = request.n, .cause = std::move(cause)});
}

void PrefixWatch::see(const FoldedRequest& folded) {
  const auto* request = folded.event->as<ProviderRequest>();
  PLUMB_ASSERT(request != nullptr);
  const auto* previous = folded.previous ? folded.previous->as<ProviderRequest>() : nullptr;
  if (previous == nullptr) reset(*request);
  if (previous != nullptr && !folded.removed.empty()) {
    std::vector<RequestBlock> earlier(folded.blocks.begin(), folded.blocks.begin() + folded.common);
    earlier.insert(earlier.end(), folded.removed.begin(), folded.removed.end());
    if (auto found = find_break(earlier, folded.blocks, folded.common)) {
      found->from = previous->n;
      found->to = request->n;
      breaks_.push_back(std::move(*found));
    }
  }
  last_params_ = request->params;
}

}  // namespace plumb::simulator
