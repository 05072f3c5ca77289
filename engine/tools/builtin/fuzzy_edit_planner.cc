// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/fuzzy_edit_planner.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/tools/builtin/edit_needles.h"
#include "engine/tools/builtin/edit_splice.h"
#include "engine/tools/builtin/normalised_text.h"

namespace plumb::engine {
namespace {

/// Where the lines of a text in LF begin; the last has no line feed and may be empty.
class LineStarts {
 public:
  explicit LineStarts(std::string_view text) : text_(text), starts_{0} {
    for (auto at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1)) {
      starts_.push_back(static_cast<std::int64_t>(at) + 1);
    }
  }
  std::size_t count() const { return starts_.size(); }
  std::int64_t start(std::size_t line) const { return starts_[line]; }
  /// Where its line feed is, or the text's end.
  std::int64_t end(std::size_t line) const {
    return line + 1 < starts_.size() ? starts_[line + 1] - 1 : std::ssize(text_);
  }
  std::size_t line_of(std::int64_t offset) const {
    const auto after = std::ranges::upper_bound(starts_, offset);
    return static_cast<std::size_t>(after - starts_.begin()) - 1;
  }
  std::string_view text_of(std::size_t line) const {
    const auto from = static_cast<std::size_t>(start(line));
    return text_.substr(from, static_cast<std::size_t>(end(line)) - from);
  }

 private:
  std::string_view text_;
  std::vector<std::int64_t> starts_;
};

std::string_view between(std::string_view text, std::int64_t begin, std::int64_t end) {
  return text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
}

/// Lines that a replaced range has a character of.
std::vector<bool> touched_lines(const std::vector<Needle>& needles, const LineStarts& lines) {
  std::vector<bool> touched(lines.count());
  for (const auto& needle : needles) {
    const std::size_t last = lines.line_of(needle.range.end - 1);
    for (std::size_t i = lines.line_of(needle.range.begin); i <= last; ++i) touched[i] = true;
  }
  return touched;
}

/// The raw text with the touched lines in their normalised form; all line ends stay (EDIT-62).
std::string with_normalised_lines(std::string_view raw, const UnifiedText& unified,
                                  const LineStarts& normalised, const std::vector<bool>& touched) {
  const LineStarts lines(unified.text);
  PieceJoiner joiner;
  for (std::size_t i = 0; i < lines.count(); ++i) {
    joiner.append(touched[i] ? normalised.text_of(i) : lines.text_of(i));
    if (i + 1 == lines.count()) break;
    joiner.append(
        between(raw, raw_offset(unified, lines.end(i)), raw_offset(unified, lines.start(i + 1))));
  }
  return joiner.take();
}

/// Takes a range over to the same characters of the same lines in another text.
ByteRange moved_range(const ByteRange& range, const LineStarts& from, const LineStarts& to) {
  const std::size_t first = from.line_of(range.begin);
  const std::size_t last = from.line_of(range.end - 1);
  return ByteRange{range.begin - from.start(first) + to.start(first),
                   range.end - from.start(last) + to.start(last)};
}

/// The plan of needles that were found in the normalised text (EDIT-61, EDIT-62): they are made in
/// the original whose touched lines are normalised, so that every other line is as it was.
EditPlan plan_in_normalised(const MarkedText& file, const UnifiedText& unified,
                            std::string_view normalised, std::vector<Needle> needles) {
  const LineStarts lines(normalised);
  const LineStarts original_lines(unified.text);
  const LineEnds line_ends(file.raw, unified);
  const std::string raw =
      with_normalised_lines(file.raw, unified, lines, touched_lines(needles, lines));
  const UnifiedText partly = unify_line_ends(raw);
  const LineStarts partly_lines(partly.text);
  for (auto& needle : needles) {
    const std::size_t line = lines.line_of(needle.range.begin);
    needle.line_end = line_ends.at(original_lines.start(line));
    needle.range = moved_range(needle.range, lines, partly_lines);
  }
  EditPlan plan = plan_splices(MarkedText{file.mark, raw}, partly, needles, unified.text);
  if (plan.problem == EditProblem::none) plan.before = unified.text;
  return plan;
}

Needle found_in(std::string_view text, Needle needle) {
  needle.count = 0;
  find_needle(text, needle);
  return needle;
}

/// The needles in normalised form, as far as something is left of them, and their places.
std::vector<Needle> find_normalised(std::string_view normalised, std::vector<Needle> needles) {
  for (auto& needle : needles) {
    needle.old_text = normalised_text(needle.old_text);
    needle = found_in(normalised, std::move(needle));
  }
  return needles;
}

/// It ends in blanks or consists of blanks, which its normalised form lacks.
bool loses_end_blanks(std::string_view old_text) {
  if (old_text.find_first_not_of('\n') == old_text.npos) return false;
  const std::string_view kept = without_end_blanks(old_text);
  return kept.empty() || (kept.size() < old_text.size() && old_text.back() != '\n');
}

/// Other places come only from the blanks that normalising drops from the end of the needle, which
/// occurs once as it is written (EDIT-63, EDIT-64).
bool repeats_by_lost_blanks(std::string_view text, const Needle& literal) {
  if (literal.count != 1 || !loses_end_blanks(literal.old_text)) return false;
  Needle kept = literal;
  kept.old_text = normalised_characters(literal.old_text);
  return found_in(normalised_characters(text), std::move(kept)).count <= 1;
}

}  // namespace

EditPlan plan_edits_pi(std::string_view original, std::span<const TextEdit> edits) {
  if (auto plan = check_texts(edits); plan.problem != EditProblem::none) return plan;
  const MarkedText file = split_mark(original);
  UnifiedText unified = unify_line_ends(file.raw);
  const std::string normalised = normalised_text(unified.text);
  std::vector<Needle> literal = needles_of(edits);
  find_needles(unified.text, literal);
  const std::vector<Needle> loose = find_normalised(normalised, literal);

  std::vector<Needle> needles = literal;
  bool is_moved = false;
  for (std::size_t i = 0; i < needles.size(); ++i) {
    is_moved = is_moved || (literal[i].count == 0 && loose[i].count > 0);
  }
  for (std::size_t i = 0; i < needles.size(); ++i) {
    if (is_moved) needles[i] = found_in(normalised, literal[i]);
    if (is_moved && needles[i].count == 0) needles[i] = loose[i];
    const bool is_exempt =
        needles[i].count == 1 && repeats_by_lost_blanks(unified.text, literal[i]);
    if (!is_exempt) needles[i].count = std::max(needles[i].count, loose[i].count);
  }
  if (auto plan = check_counts(needles); plan.problem != EditProblem::none) return plan;
  if (!is_moved) return plan_as_written(file, std::move(unified), std::move(needles));
  return plan_in_normalised(file, unified, normalised, std::move(needles));
}

}  // namespace plumb::engine
