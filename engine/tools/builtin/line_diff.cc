// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/line_diff.h"

#include <algorithm>
#include <span>
#include <utility>

#include "engine/tools/builtin/line_scan.h"
#include "engine/tools/builtin/truncation.h"

namespace plumb::engine {
namespace {

constexpr std::int64_t kContextLines = 4;

/// Steps of the shortest-script search; beyond them the rest counts as one change.
constexpr std::int64_t kCostMax = 1000;

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

/// The lines of a text with their line feeds (only the last may lack one), numbered from 0: those
/// of a window, since two long texts are mostly alike.
class Lines {
 public:
  /// `window` begins with line `first` of a text of `total` lines.
  Lines(std::string_view window, std::int64_t first, std::int64_t total)
      : first_(first), total_(total) {
    lines_.reserve(at(count_line_feeds(window) + 1));
    while (!window.empty()) {
      const auto line_feed = window.find('\n');
      const auto length = line_feed == window.npos ? window.size() : line_feed + 1;
      lines_.push_back(window.substr(0, length));
      window.remove_prefix(length);
    }
  }

  std::string_view operator[](std::int64_t line) const { return lines_[at(line - first_)]; }
  std::int64_t first() const { return first_; }
  /// Behind the last line of the window.
  std::int64_t end() const { return first_ + std::ssize(lines_); }
  std::int64_t total() const { return total_; }
  std::span<const std::string_view> part(std::int64_t begin, std::int64_t end) const {
    return std::span(lines_).subspan(at(begin - first_), at(end - begin));
  }

 private:
  std::vector<std::string_view> lines_;
  std::int64_t first_;
  std::int64_t total_;
};

using SomeLines = std::span<const std::string_view>;

/// Myers' greedy search for a shortest edit script, on the part that is not common at both ends.
class ShortestScript {
 public:
  ShortestScript(const Lines& before, const Lines& after) {
    trim(before, after);
    before_ = before.part(begin_, old_end_);
    after_ = after.part(begin_, new_end_);
  }

  std::vector<LineChange> run() {
    const std::int64_t cost = find_cost();
    if (cost < 0) return {LineChange{begin_, old_end_, begin_, new_end_}};
    return walk_back(cost);
  }

 private:
  void trim(const Lines& before, const Lines& after) {
    const std::int64_t shorter = std::min(before.end(), after.end());
    begin_ = before.first();
    while (begin_ < shorter && before[begin_] == after[begin_]) ++begin_;
    old_end_ = before.end();
    new_end_ = after.end();
    while (old_end_ > begin_ && new_end_ > begin_ && before[old_end_ - 1] == after[new_end_ - 1]) {
      --old_end_;
      --new_end_;
    }
  }

  /// The furthest old line reached on diagonal `k` with `cost` steps, from the row before.
  static std::int64_t step(const std::vector<std::int64_t>& row, std::int64_t cost,
                           std::int64_t k) {
    const std::int64_t middle = cost;  // row index of diagonal 0 in a row of 2 * cost + 1
    const bool goes_down =
        k == -cost || (k != cost && row[at(middle + k - 1)] < row[at(middle + k + 1)]);
    return goes_down ? row[at(middle + k + 1)] : row[at(middle + k - 1)] + 1;
  }

  std::int64_t slide(std::int64_t x, std::int64_t k) const {
    while (x < old_count() && x - k < new_count() && before_[at(x)] == after_[at(x - k)]) {
      ++x;
    }
    return x;
  }

  /// Fills `rows_`; the cost at which both ends are reached, or -1 beyond the limit. Row d keeps
  /// diagonals -d-1 .. d+1, so that step reads it for cost d + 1.
  std::int64_t find_cost() {
    rows_.push_back({0, 0, 0});
    for (std::int64_t cost = 0; cost <= kCostMax; ++cost) {
      std::vector<std::int64_t> row(at(2 * (cost + 1) + 1), -1);
      for (std::int64_t k = -cost; k <= cost; k += 2) {
        const std::int64_t start = cost == 0 ? 0 : step(rows_.back(), cost, k);
        const std::int64_t x = slide(start, k);
        row[at(cost + 1 + k)] = x;
        if (x < old_count() || x - k < new_count()) continue;
        rows_.push_back(std::move(row));
        return cost;
      }
      rows_.push_back(std::move(row));
    }
    return -1;
  }

  std::vector<LineChange> walk_back(std::int64_t cost) {
    std::vector<LineChange> changes;
    std::int64_t x = old_count();
    std::int64_t y = new_count();
    for (; cost > 0; --cost) {
      const auto& row = rows_[at(cost)];
      const std::int64_t k = x - y;
      const bool goes_down =
          k == -cost || (k != cost && row[at(cost + k - 1)] < row[at(cost + k + 1)]);
      const std::int64_t old_x = row[at(goes_down ? cost + k + 1 : cost + k - 1)];
      const std::int64_t old_y = old_x - (goes_down ? k + 1 : k - 1);
      add_front(changes, old_x, old_y, goes_down);
      x = old_x;
      y = old_y;
    }
    std::ranges::reverse(changes);
    return changes;
  }

  /// One deleted or inserted line, joined to the change right behind it.
  void add_front(std::vector<LineChange>& changes, std::int64_t x, std::int64_t y,
                 bool is_insertion) const {
    LineChange change{begin_ + x, begin_ + x + (is_insertion ? 0 : 1), begin_ + y,
                      begin_ + y + (is_insertion ? 1 : 0)};
    if (!changes.empty() && changes.back().old_begin == change.old_end &&
        changes.back().new_begin == change.new_end) {
      changes.back().old_begin = change.old_begin;
      changes.back().new_begin = change.new_begin;
      return;
    }
    changes.push_back(change);
  }

  std::int64_t old_count() const { return old_end_ - begin_; }
  std::int64_t new_count() const { return new_end_ - begin_; }

  SomeLines before_;  ///< From `begin_` on, as `after_`; those of the caller.
  SomeLines after_;
  std::int64_t begin_ = 0;
  std::int64_t old_end_ = 0;
  std::int64_t new_end_ = 0;
  std::vector<std::vector<std::int64_t>> rows_;
};

/// Changes that share context lines, with the lines that a hunk shows.
struct Hunk {
  std::span<const LineChange> changes;
  LineChange shown;
};

std::vector<Hunk> hunks_of(std::span<const LineChange> changes, std::int64_t old_count,
                           std::int64_t new_count) {
  std::vector<Hunk> hunks;
  for (std::size_t begin = 0; begin < changes.size();) {
    std::size_t end = begin + 1;
    while (end < changes.size() &&
           changes[end].old_begin - changes[end - 1].old_end <= 2 * kContextLines) {
      ++end;
    }
    const LineChange& first = changes[begin];
    const LineChange& last = changes[end - 1];
    const std::int64_t lead = std::min(kContextLines, first.old_begin);
    const std::int64_t trail =
        std::min({kContextLines, old_count - last.old_end, new_count - last.new_end});
    hunks.push_back({changes.subspan(begin, end - begin),
                     {first.old_begin - lead, last.old_end + trail, first.new_begin - lead,
                      last.new_end + trail}});
    begin = end;
  }
  return hunks;
}

void add_patch_line(std::string& patch, char mark, std::string_view line) {
  patch += mark;
  patch += line;
  if (!line.ends_with('\n')) patch += "\n\\ No newline at end of file\n";
}

/// An empty side names the line before it, as patch programs expect.
std::string patch_range(char mark, std::int64_t begin, std::int64_t end) {
  const std::int64_t first = end == begin ? begin : begin + 1;
  return mark + std::to_string(first) + "," + std::to_string(end - begin);
}

/// What a hunk shows, line by line: the mark, the number of the line (from 0) and its text.
template <class Show>
void walk_hunk(const Hunk& hunk, const Lines& before, const Lines& after, Show show) {
  std::int64_t old_line = hunk.shown.old_begin;
  const auto context_until = [&](std::int64_t end) {
    for (; old_line < end; ++old_line) show(' ', old_line, before[old_line]);
  };
  for (const auto& change : hunk.changes) {
    context_until(change.old_begin);
    for (; old_line < change.old_end; ++old_line) show('-', old_line, before[old_line]);
    for (auto i = change.new_begin; i < change.new_end; ++i) show('+', i, after[i]);
  }
  context_until(hunk.shown.old_end);
}

/// Collects the numbered lines of a display diff.
class DisplayText {
 public:
  explicit DisplayText(std::size_t width) : width_(width) {}

  void add_line(char mark, std::int64_t number, std::string_view line) {
    const std::string digits = std::to_string(number + 1);
    start(mark);
    text_.append(width_ - digits.size(), ' ');
    text_ += digits;
    text_ += ' ';
    text_ += line.substr(0, line.size() - (line.ends_with('\n') ? 1 : 0));
  }
  void add_gap() {
    start(' ');
    text_.append(width_, ' ');
    text_ += " ...";
  }
  std::string take() { return std::move(text_); }

 private:
  void start(char mark) {
    if (!text_.empty()) text_ += '\n';
    text_ += mark;
  }

  std::size_t width_;
  std::string text_;
};

/// What two texts have in common at both ends, in bytes: whole lines, but for as many as a hunk
/// shows around a change.
struct CommonEnds {
  std::size_t head = 0;
  std::size_t tail = 0;
};

/// Where the line begins that is `count` lines before that of the byte at `place`.
std::size_t lines_before(std::string_view text, std::size_t place, std::int64_t count) {
  for (; place > 0; --count) {
    const auto line_feed = text.rfind('\n', place - 1);
    if (line_feed == text.npos) return 0;
    if (count == 0) return line_feed + 1;
    place = line_feed;
  }
  return 0;
}

/// How many bytes both begin with.
std::size_t common_head(std::string_view left, std::string_view right) {
  constexpr std::size_t kBlock = 4096;
  const auto shorter = std::min(left.size(), right.size());
  std::size_t length = 0;
  while (length + kBlock <= shorter &&
         left.substr(length, kBlock) == right.substr(length, kBlock)) {
    length += kBlock;
  }
  while (length < shorter && left[length] == right[length]) ++length;
  return length;
}

/// How many bytes both end with.
std::size_t common_tail(std::string_view left, std::string_view right) {
  constexpr std::size_t kBlock = 4096;
  const auto shorter = std::min(left.size(), right.size());
  left.remove_prefix(left.size() - shorter);
  right.remove_prefix(right.size() - shorter);
  std::size_t rest = shorter;
  while (rest >= kBlock &&
         left.substr(rest - kBlock, kBlock) == right.substr(rest - kBlock, kBlock)) {
    rest -= kBlock;
  }
  while (rest > 0 && left[rest - 1] == right[rest - 1]) --rest;
  return shorter - rest;
}

CommonEnds common_ends(std::string_view before, std::string_view after) {
  const auto head = common_head(before, after);
  const auto tail = common_tail(before.substr(head), after.substr(head));
  // The line that the tail begins in may differ.
  const auto rest = skip_lines(before.substr(before.size() - tail), kContextLines + 1);
  return {lines_before(before, head, kContextLines), rest.size()};
}

/// Two texts as lines, compared once.
struct Comparison {
  Lines before;
  Lines after;
  std::vector<LineChange> changes;

  Comparison(std::string_view old_text, std::string_view new_text)
      : Comparison(old_text, new_text, common_ends(old_text, new_text)) {}
  std::vector<Hunk> hunks() const { return hunks_of(changes, before.total(), after.total()); }

 private:
  Comparison(std::string_view old_text, std::string_view new_text, CommonEnds ends)
      : before(window(old_text, ends)), after(window(new_text, ends)) {
    if (old_text != new_text) changes = ShortestScript(before, after).run();
  }
  static Lines window(std::string_view text, CommonEnds ends) {
    const auto first = count_line_feeds(text.substr(0, ends.head));
    const auto middle = text.substr(ends.head, text.size() - ends.head - ends.tail);
    const auto total =
        first + count_lines(middle) + count_lines(text.substr(text.size() - ends.tail));
    return Lines(middle, first, total);
  }
};

std::string patch_of(std::string_view path, const Comparison& compared) {
  if (compared.changes.empty()) return "";
  std::string patch = "--- " + std::string(path) + "\n+++ " + std::string(path) + "\n";
  for (const auto& hunk : compared.hunks()) {
    patch += "@@ " + patch_range('-', hunk.shown.old_begin, hunk.shown.old_end) + " " +
             patch_range('+', hunk.shown.new_begin, hunk.shown.new_end) + " @@\n";
    walk_hunk(
        hunk, compared.before, compared.after,
        [&](char mark, std::int64_t, std::string_view line) { add_patch_line(patch, mark, line); });
  }
  return patch;
}

std::string display_of(const Comparison& compared) {
  const auto hunks = compared.hunks();
  const auto line_count = std::max(compared.before.total(), compared.after.total());
  DisplayText text(std::to_string(line_count).size());
  std::int64_t shown_end = 0;
  for (const auto& hunk : hunks) {
    if (hunk.shown.old_begin > shown_end) text.add_gap();
    walk_hunk(hunk, compared.before, compared.after,
              [&](char mark, std::int64_t number, std::string_view line) {
                text.add_line(mark, number, line);
              });
    shown_end = hunk.shown.old_end;
  }
  if (!hunks.empty() && shown_end < compared.before.total()) text.add_gap();
  return text.take();
}

std::int64_t first_line_of(const Comparison& compared) {
  return compared.changes.empty() ? 0 : compared.changes.front().new_begin + 1;
}

}  // namespace

std::vector<LineChange> diff_lines(std::string_view before, std::string_view after) {
  return Comparison(before, after).changes;
}

std::string unified_patch(std::string_view path, std::string_view before, std::string_view after) {
  return patch_of(path, Comparison(before, after));
}

std::string display_diff(std::string_view before, std::string_view after) {
  return display_of(Comparison(before, after));
}

std::int64_t first_changed_line(std::string_view before, std::string_view after) {
  return first_line_of(Comparison(before, after));
}

ChangeText describe_change(std::string_view path, std::string_view before, std::string_view after) {
  const Comparison compared(before, after);
  return {patch_of(path, compared), display_of(compared), first_line_of(compared)};
}

}  // namespace plumb::engine
