// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/edit_planner.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace plumb::engine {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// CRLF and CR as LF. `crlf_at`: offsets of those line feeds that stand for a CRLF, ascending.
struct UnifiedText {
  std::string text;
  std::vector<std::int64_t> crlf_at;
  bool has_lone_cr = false;
};

std::size_t index(std::int64_t offset) {
  return static_cast<std::size_t>(offset);
}

UnifiedText unify_line_ends(std::string_view raw) {
  UnifiedText unified;
  unified.text.reserve(raw.size());
  std::size_t begin = 0;
  for (auto cr = raw.find('\r'); cr != raw.npos; cr = raw.find('\r', begin)) {
    unified.text.append(raw, begin, cr - begin);
    const bool is_crlf = cr + 1 < raw.size() && raw[cr + 1] == '\n';
    if (is_crlf) unified.crlf_at.push_back(std::ssize(unified.text));
    unified.has_lone_cr = unified.has_lone_cr || !is_crlf;
    unified.text += '\n';
    begin = cr + (is_crlf ? 2 : 1);
  }
  unified.text.append(raw, begin);
  return unified;
}

/// The offset in the raw text of an offset in the unified one: each CRLF before it adds a byte.
std::int64_t raw_offset(const UnifiedText& unified, std::int64_t offset) {
  const auto before = std::ranges::lower_bound(unified.crlf_at, offset);
  return offset + (before - unified.crlf_at.begin());
}

/// One edit in LF and where it was found.
struct Needle {
  std::string old_text;
  std::string new_text;
  std::int64_t count = 0;
  ByteRange range;

  /// Counts a hit that does not overlap the last one (EDIT-10).
  void hit(std::int64_t at) {
    if (count > 0 && at < next) return;
    if (count == 0) range = ByteRange{at, at + std::ssize(old_text)};
    next = at + std::ssize(old_text);
    ++count;
  }
  std::int64_t next = 0;
};

void search_one(std::string_view text, Needle& needle) {
  const std::string& wanted = needle.old_text;
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

/// All needles in one pass that skips ahead (Wu and Manber): of the window of the shortest needle's
/// length only the last block is looked at; a table says how far it is from the end of any needle's
/// window.
class NeedleScan {
 public:
  explicit NeedleScan(std::vector<Needle>& needles) : buckets_(kTableSize) {
    window_ = needles.front().old_text.size();
    for (const auto& needle : needles) window_ = std::min(window_, needle.old_text.size());
    block_ = std::min(kBlockMax, window_);
    skips_.assign(kTableSize, static_cast<std::uint32_t>(window_ - block_ + 1));
    for (auto& needle : needles) add(needle);
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

  std::size_t hash_of(const char* block) const {
    std::uint32_t bytes = 0;
    for (std::size_t i = 0; i < block_; ++i) {
      bytes = bytes << 8 | static_cast<unsigned char>(block[i]);
    }
    return bytes * 0x9E3779B1U >> 17;
  }
  void add(Needle& needle) {
    for (std::size_t at = 0; at + block_ <= window_; ++at) {
      const auto hash = hash_of(needle.old_text.data() + at);
      const auto distance = static_cast<std::uint32_t>(window_ - block_ - at);
      skips_[hash] = std::min(skips_[hash], distance);
      if (distance == 0) buckets_[hash].push_back(&needle);
    }
  }
  void try_all(std::string_view text, std::size_t at, std::size_t hash) {
    for (Needle* needle : buckets_[hash]) {
      if (text.substr(at).starts_with(needle->old_text)) {
        needle->hit(static_cast<std::int64_t>(at));
      }
    }
  }

  std::size_t window_ = 0;
  std::size_t block_ = 0;
  std::vector<std::uint32_t> skips_;  ///< By the block's hash.
  std::vector<std::vector<Needle*>> buckets_;
};

void search(std::string_view text, std::vector<Needle>& needles) {
  if (needles.size() == 1) return search_one(text, needles.front());
  NeedleScan(needles).run(text);
}

EditPlan refused(EditProblem problem, std::int64_t edit, std::int64_t other = -1) {
  EditPlan plan;
  plan.problem = problem;
  plan.edit = edit;
  plan.other = other;
  return plan;
}

/// The first needle in list order that does not occur exactly once (EDIT-05, EDIT-36).
EditPlan check_counts(const std::vector<Needle>& needles) {
  for (std::int64_t i = 0; i < std::ssize(needles); ++i) {
    const Needle& needle = needles[index(i)];
    if (needle.count == 0) return refused(EditProblem::not_found, i);
    if (needle.count == 1) continue;
    EditPlan plan = refused(EditProblem::not_unique, i);
    plan.count = needle.count;
    return plan;
  }
  return {};
}

/// Indexes of the needles in the order of the file.
std::vector<std::int64_t> file_order(const std::vector<Needle>& needles) {
  std::vector<std::int64_t> order(needles.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
  std::ranges::sort(order, {},
                    [&](std::int64_t i) { return std::pair(needles[index(i)].range.begin, i); });
  return order;
}

EditPlan check_overlaps(const std::vector<Needle>& needles,
                        const std::vector<std::int64_t>& order) {
  for (std::size_t i = 1; i < order.size(); ++i) {
    const Needle& before = needles[index(order[i - 1])];
    const Needle& after = needles[index(order[i])];
    if (before.range.end > after.range.begin) {
      return refused(EditProblem::overlap, order[i - 1], order[i]);
    }
  }
  return {};
}

/// The line end that line breaks of a replacement at `begin` get (EDIT-28): that of the line it
/// starts in, else that of the line before; a lone CR only in a file without any LF.
class LineEnds {
 public:
  LineEnds(std::string_view raw, const UnifiedText& unified) : raw_(raw), unified_(unified) {
    has_line_feed_ = raw.find('\n') != raw.npos;
    for (auto lf = raw.find('\n'); lf != raw.npos; lf = raw.find('\n', lf + 1)) {
      if (lf != 0 && raw[lf - 1] == '\r') continue;
      has_bare_line_feed_ = true;
      break;
    }
  }

  std::string_view at(std::int64_t begin) const {
    const std::string_view text = unified_.text;
    auto line_break = text.find('\n', index(begin));
    if (line_break == text.npos && begin > 0) line_break = text.rfind('\n', index(begin - 1));
    if (line_break == text.npos) return "\n";
    const auto raw_at = index(raw_offset(unified_, static_cast<std::int64_t>(line_break)));
    if (raw_[raw_at] == '\n') return "\n";
    if (raw_.substr(raw_at).starts_with("\r\n")) return "\r\n";
    if (!has_line_feed_) return "\r";
    return has_bare_line_feed_ ? "\n" : "\r\n";
  }

 private:
  std::string_view raw_;
  const UnifiedText& unified_;
  bool has_line_feed_ = false;
  bool has_bare_line_feed_ = false;
};

/// Joins pieces so that a lone CR at the end of one and an LF at the start of the next stay two
/// line breaks (EDIT-29).
class PieceJoiner {
 public:
  explicit PieceJoiner(std::string_view head) : bytes_(head) {}

  void append(std::string_view piece) {
    if (piece.empty()) return;
    if (piece.front() == '\n' && !bytes_.empty() && bytes_.back() == '\r') bytes_ += '\n';
    bytes_ += piece;
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

std::string with_line_ends(const std::string& text, std::string_view line_end) {
  if (line_end == "\n") return text;
  std::string converted;
  converted.reserve(text.size());
  for (const char c : text) {
    if (c == '\n') {
      converted += line_end;
    } else {
      converted += c;
    }
  }
  return converted;
}

std::string splice_text(const std::string& text, const std::vector<Needle>& needles,
                        const std::vector<std::int64_t>& order) {
  std::string spliced;
  std::int64_t from = 0;
  for (const auto i : order) {
    const Needle& needle = needles[index(i)];
    spliced.append(text, index(from), index(needle.range.begin - from));
    spliced += needle.new_text;
    from = needle.range.end;
  }
  spliced.append(text, index(from));
  return spliced;
}

std::string splice_raw(std::string_view raw, const UnifiedText& unified,
                       const std::vector<Needle>& needles, const std::vector<std::int64_t>& order) {
  const LineEnds line_ends(raw, unified);
  PieceJoiner joiner("");
  std::int64_t from = 0;
  for (const auto i : order) {
    const Needle& needle = needles[index(i)];
    const std::int64_t begin = raw_offset(unified, needle.range.begin);
    joiner.append(raw.substr(index(from), index(begin - from)));
    joiner.append(with_line_ends(needle.new_text, line_ends.at(needle.range.begin)));
    from = raw_offset(unified, needle.range.end);
  }
  joiner.append(raw.substr(index(from)));
  return joiner.take();
}

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

/// "edits[2]" when there are several edits, else "oldText" alone.
std::string edit_name(std::int64_t edit, std::int64_t edit_count) {
  return edit_count > 1 ? "oldText of edits[" + std::to_string(edit) + "]" : "oldText";
}

}  // namespace

std::string_view to_string(EditProblem problem) {
  constexpr std::array<std::string_view, 6> names{"none",       "empty_old_text", "not_found",
                                                  "not_unique", "overlap",        "no_change"};
  return names[static_cast<std::size_t>(problem)];
}

EditPlan plan_edits(std::string_view original, std::span<const TextEdit> edits) {
  for (std::size_t i = 0; i < edits.size(); ++i) {
    if (edits[i].old_text.empty()) {
      return refused(EditProblem::empty_old_text, static_cast<std::int64_t>(i));
    }
  }
  const bool has_mark = original.starts_with(kByteOrderMark);
  const std::string_view raw = has_mark ? original.substr(kByteOrderMark.size()) : original;
  const UnifiedText unified = unify_line_ends(raw);
  std::vector<Needle> needles = needles_of(edits);
  search(unified.text, needles);
  if (auto plan = check_counts(needles); plan.problem != EditProblem::none) return plan;
  const auto order = file_order(needles);
  if (auto plan = check_overlaps(needles, order); plan.problem != EditProblem::none) return plan;

  EditPlan plan;
  plan.after = splice_text(unified.text, needles, order);
  if (plan.after == unified.text) return refused(EditProblem::no_change, -1);
  plan.bytes = splice_raw(raw, unified, needles, order);
  if (has_mark) plan.bytes.insert(0, kByteOrderMark);
  plan.before = unified.text;
  return plan;
}

std::string describe_problem(const EditPlan& plan, std::string_view path, std::int64_t edit_count) {
  const std::string file(path);
  const std::string name = edit_name(plan.edit, edit_count);
  switch (plan.problem) {
    case EditProblem::empty_old_text:
      return name + " is empty: give the exact text of " + file + " that is to be replaced";
    case EditProblem::not_found:
      return name + " was not found in " + file +
             ": it must match the file exactly, whitespace and line breaks included. Read the "
             "place again and copy the text from there";
    case EditProblem::not_unique:
      return name + " occurs " + std::to_string(plan.count) + " times in " + file +
             ": it must be unique. Read a smaller part of the file again and give more context "
             "around the text that is meant";
    case EditProblem::overlap:
      return "edits[" + std::to_string(plan.edit) + "] and edits[" + std::to_string(plan.other) +
             "] overlap in " + file +
             ": nothing was written. Merge them into one edit or make their texts disjoint";
    case EditProblem::no_change:
      return "the edits leave " + file + " as it is: oldText and newText give the same content";
    case EditProblem::none:
      break;
  }
  return "";
}

}  // namespace plumb::engine
