// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/edit_needles.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/tools/builtin/edit_splice.h"

namespace plumb::engine {
namespace {

std::size_t list_index(std::int64_t offset) {
  return static_cast<std::size_t>(offset);
}

/// All needles in one pass that skips ahead (Wu and Manber): of the window of the shortest needle's
/// length only the last block is looked at; a table says how far it is from the end of any needle's
/// window.
class NeedleScan {
 public:
  explicit NeedleScan(std::vector<Needle>& needles) {
    window_ = needles.front().old_text.size();
    for (const auto& needle : needles) window_ = std::min(window_, needle.old_text.size());
    block_ = std::min(kBlockMax, window_);
    skips_.assign(kTableSize, static_cast<std::uint32_t>(window_ - block_ + 1));
    for (auto& needle : needles) add(needle);
    std::ranges::sort(endings_, {}, &Ending::key);
  }

  void run(std::string_view text) {
    for (std::size_t end = window_; end <= text.size();) {
      const auto hash = hash_of(text.data() + end - block_);
      const std::uint32_t skip = skips_[hash];
      if (skip == 0) try_all(text, end - window_, hash);
      end += std::max<std::uint32_t>(skip, 1);
    }
  }

 private:
  static constexpr std::size_t kBlockMax = 3;
  static constexpr std::size_t kTableSize = 1 << 15;
  static constexpr std::size_t kHashedMax = 64;

  /// A needle by its window: by the hash of the last block, then by that of the beginning, since
  /// many windows may end alike.
  struct Ending {
    std::pair<std::size_t, std::uint64_t> key;
    Needle* needle = nullptr;
  };

  std::size_t hash_of(const char* block) const {
    std::uint32_t bytes = 0;
    for (std::size_t i = 0; i < block_; ++i) {
      bytes = bytes << 8 | static_cast<unsigned char>(block[i]);
    }
    return bytes * 0x9E3779B1U >> 17;
  }
  std::uint64_t window_hash(const char* window) const {
    const std::size_t length = std::min(window_, kHashedMax);
    std::uint64_t hash = 0;
    for (std::size_t at = 0; at < length; at += sizeof hash) {
      std::uint64_t piece = 0;
      std::memcpy(&piece, window + at, std::min(sizeof piece, length - at));
      hash = (hash ^ piece) * 0x9E3779B97F4A7C15U;
      hash ^= hash >> 32;
    }
    return hash;
  }
  void add(Needle& needle) {
    for (std::size_t at = 0; at + block_ <= window_; ++at) {
      const auto hash = hash_of(needle.old_text.data() + at);
      const auto distance = static_cast<std::uint32_t>(window_ - block_ - at);
      skips_[hash] = std::min(skips_[hash], distance);
      if (distance > 0) continue;
      endings_.push_back({{hash, window_hash(needle.old_text.data())}, &needle});
    }
  }
  void try_all(std::string_view text, std::size_t at, std::size_t hash) {
    const std::pair key(hash, window_hash(text.data() + at));
    for (const auto& [_, needle] : std::ranges::equal_range(endings_, key, {}, &Ending::key)) {
      if (text.substr(at).starts_with(needle->old_text)) {
        needle->hit(static_cast<std::int64_t>(at));
      }
    }
  }

  std::size_t window_ = 0;
  std::size_t block_ = 0;
  std::vector<std::uint32_t> skips_;  ///< By the block's hash.
  std::vector<Ending> endings_;       ///< Sorted by key.
};

}  // namespace

std::vector<Needle> needles_of(std::span<const TextEdit> edits) {
  std::vector<Needle> needles;
  needles.reserve(edits.size());
  for (const auto& edit : edits) {
    Needle needle;
    needle.old_text = unify_line_ends(edit.old_text).text;
    needle.new_text = unify_line_ends(edit.new_text).text;
    needles.push_back(std::move(needle));
  }
  return needles;
}

void find_needle(std::string_view text, Needle& needle) {
  const std::string& wanted = needle.old_text;
  if (wanted.empty()) return;
  const char* const end = text.data() + text.size();
  const char* from = text.data();
  while (from != nullptr && std::cmp_less_equal(wanted.size(), end - from)) {
    const void* const found =
        memmem(from, static_cast<std::size_t>(end - from), wanted.data(), wanted.size());
    if (found == nullptr) return;
    from = static_cast<const char*>(found);
    needle.hit(from - text.data());
    from += wanted.size();
  }
}

void find_needles(std::string_view text, std::vector<Needle>& needles) {
  if (needles.empty()) return;
  if (needles.size() == 1) return find_needle(text, needles.front());
  NeedleScan(needles).run(text);
}

EditPlan refused_plan(EditProblem problem, std::int64_t edit, std::int64_t other) {
  EditPlan plan;
  plan.problem = problem;
  plan.edit = edit;
  plan.other = other;
  return plan;
}

EditPlan check_texts(std::span<const TextEdit> edits) {
  for (std::size_t i = 0; i < edits.size(); ++i) {
    if (!edits[i].old_text.empty()) continue;
    return refused_plan(EditProblem::empty_old_text, static_cast<std::int64_t>(i));
  }
  return {};
}

EditPlan check_counts(const std::vector<Needle>& needles) {
  for (std::int64_t i = 0; i < std::ssize(needles); ++i) {
    const Needle& needle = needles[list_index(i)];
    if (needle.count == 0) return refused_plan(EditProblem::not_found, i);
    if (needle.count == 1) continue;
    EditPlan plan = refused_plan(EditProblem::not_unique, i);
    plan.count = needle.count;
    return plan;
  }
  return {};
}

std::vector<std::int64_t> file_order(const std::vector<Needle>& needles) {
  std::vector<std::int64_t> order(needles.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
  std::ranges::sort(
      order, {}, [&](std::int64_t i) { return std::pair(needles[list_index(i)].range.begin, i); });
  return order;
}

EditPlan check_overlaps(const std::vector<Needle>& needles,
                        const std::vector<std::int64_t>& order) {
  for (std::size_t i = 1; i < order.size(); ++i) {
    const Needle& before = needles[list_index(order[i - 1])];
    const Needle& after = needles[list_index(order[i])];
    if (before.range.end > after.range.begin) {
      return refused_plan(EditProblem::overlap, order[i - 1], order[i]);
    }
  }
  return {};
}

}  // namespace plumb::engine
