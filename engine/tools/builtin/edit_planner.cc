// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/edit_planner.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <unordered_map>
#include <utility>

namespace plumb::engine {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// From this many needles on, one pass with a rolling hash beats one search a needle.
constexpr std::size_t kSearchesMax = 8;

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

/// A hash of a window of bytes that moves on by one byte in constant time.
class RollingHash {
 public:
  explicit RollingHash(std::size_t window) {
    for (std::size_t i = 1; i < window; ++i) top_ *= kBase;
  }
  static std::uint64_t of(std::string_view window) {
    std::uint64_t hash = 0;
    for (const char c : window) hash = hash * kBase + byte(c);
    return hash;
  }
  std::uint64_t move(std::uint64_t hash, char gone, char come) const {
    return (hash - byte(gone) * top_) * kBase + byte(come);
  }

 private:
  static constexpr std::uint64_t kBase = 0x100000001B3;
  static std::uint64_t byte(char c) { return static_cast<unsigned char>(c) + 1U; }
  std::uint64_t top_ = 1;
};

void try_hit(std::string_view text, std::size_t at, Needle& needle) {
  if (text.substr(at).starts_with(needle.old_text)) needle.hit(static_cast<std::int64_t>(at));
}

/// All needles in one pass: windows as long as the shortest needle, hashed as they go by.
void search_all(std::string_view text, std::vector<Needle>& needles) {
  const auto shortest =
      std::ranges::min(needles, {}, [](const Needle& one) { return one.old_text.size(); });
  const std::size_t window = shortest.old_text.size();
  if (text.size() < window) return;
  std::unordered_map<std::uint64_t, std::vector<Needle*>> by_hash;
  for (auto& needle : needles) {
    by_hash[RollingHash::of(std::string_view(needle.old_text).substr(0, window))].push_back(
        &needle);
  }
  const RollingHash rolling(window);
  std::uint64_t hash = RollingHash::of(text.substr(0, window));
  for (std::size_t at = 0;; ++at) {
    const auto found = by_hash.find(hash);
    if (found != by_hash.end()) {
      for (Needle* needle : found->second) try_hit(text, at, *needle);
    }
    if (at + window == text.size()) return;
    hash = rolling.move(hash, text[at], text[at + window]);
  }
}

void search(std::string_view text, std::vector<Needle>& needles) {
  if (needles.size() > kSearchesMax) return search_all(text, needles);
  for (auto& needle : needles) search_one(text, needle);
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
