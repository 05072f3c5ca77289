// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/edit_splice.h"

#include <algorithm>

namespace plumb::engine {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::size_t text_index(std::int64_t offset) {
  return static_cast<std::size_t>(offset);
}

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

/// More than the new texts with any line ends can take. A long text must not grow piece by piece.
std::size_t added_size(const std::vector<Needle>& needles) {
  std::size_t size = 0;
  for (const auto& needle : needles) size += 2 * needle.new_text.size() + 1;
  return size;
}

std::string splice_text(const std::string& text, const std::vector<Needle>& needles,
                        const std::vector<std::int64_t>& order) {
  std::string spliced;
  spliced.reserve(text.size() + added_size(needles));
  std::int64_t from = 0;
  for (const auto i : order) {
    const Needle& needle = needles[text_index(i)];
    spliced.append(text, text_index(from), text_index(needle.range.begin - from));
    spliced += needle.new_text;
    from = needle.range.end;
  }
  spliced.append(text, text_index(from));
  return spliced;
}

std::string splice_raw(const MarkedText& file, const UnifiedText& unified,
                       const std::vector<Needle>& needles, const std::vector<std::int64_t>& order) {
  const std::string_view raw = file.raw;
  PieceJoiner joiner(file.mark.size() + raw.size() + added_size(needles));
  joiner.append(file.mark);
  std::int64_t from = 0;
  for (const auto i : order) {
    const Needle& needle = needles[text_index(i)];
    const std::int64_t begin = raw_offset(unified, needle.range.begin);
    joiner.append(raw.substr(text_index(from), text_index(begin - from)));
    joiner.append(with_line_ends(needle.new_text, needle.line_end));
    from = raw_offset(unified, needle.range.end);
  }
  joiner.append(raw.substr(text_index(from)));
  return joiner.take();
}

}  // namespace

MarkedText split_mark(std::string_view bytes) {
  const std::size_t mark = bytes.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  return MarkedText{bytes.substr(0, mark), bytes.substr(mark)};
}

UnifiedText unify_line_ends(std::string_view raw) {
  UnifiedText unified;
  unified.text.reserve(raw.size());
  std::size_t begin = 0;
  for (auto cr = raw.find('\r'); cr != raw.npos; cr = raw.find('\r', begin)) {
    unified.text.append(raw, begin, cr - begin);
    const bool is_crlf = cr + 1 < raw.size() && raw[cr + 1] == '\n';
    if (is_crlf) unified.crlf_at.push_back(std::ssize(unified.text));
    unified.text += '\n';
    begin = cr + (is_crlf ? 2 : 1);
  }
  unified.text.append(raw, begin);
  return unified;
}

std::int64_t raw_offset(const UnifiedText& unified, std::int64_t offset) {
  const auto before = std::ranges::lower_bound(unified.crlf_at, offset);
  return offset + (before - unified.crlf_at.begin());
}

LineEnds::LineEnds(std::string_view raw, const UnifiedText& unified)
    : raw_(raw), unified_(unified), has_line_feed_(raw.contains('\n')) {
  for (auto lf = raw.find('\n'); lf != raw.npos; lf = raw.find('\n', lf + 1)) {
    if (lf != 0 && raw[lf - 1] == '\r') continue;
    has_bare_line_feed_ = true;
    break;
  }
}

std::string_view LineEnds::at(std::int64_t begin) const {
  const std::string_view text = unified_.text;
  auto line_break = text.find('\n', text_index(begin));
  if (line_break == text.npos && begin > 0) line_break = text.rfind('\n', text_index(begin - 1));
  if (line_break == text.npos) return "\n";
  const auto raw_at = text_index(raw_offset(unified_, static_cast<std::int64_t>(line_break)));
  if (raw_[raw_at] == '\n') return "\n";
  if (raw_.substr(raw_at).starts_with("\r\n")) return "\r\n";
  if (!has_line_feed_) return "\r";
  return has_bare_line_feed_ ? "\n" : "\r\n";
}

EditPlan plan_splices(const MarkedText& file, const UnifiedText& unified,
                      const std::vector<Needle>& needles, std::string_view before) {
  const auto order = file_order(needles);
  if (auto plan = check_overlaps(needles, order); plan.problem != EditProblem::none) return plan;
  EditPlan plan;
  plan.after = splice_text(unified.text, needles, order);
  if (plan.after == before) return refused_plan(EditProblem::no_change, -1);
  plan.bytes = splice_raw(file, unified, needles, order);
  return plan;
}

EditPlan plan_as_written(const MarkedText& file, UnifiedText unified, std::vector<Needle> needles) {
  const LineEnds line_ends(file.raw, unified);
  for (auto& needle : needles) needle.line_end = line_ends.at(needle.range.begin);
  EditPlan plan = plan_splices(file, unified, needles, unified.text);
  if (plan.problem == EditProblem::none) plan.before = std::move(unified.text);
  return plan;
}

}  // namespace plumb::engine
