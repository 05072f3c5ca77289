// SPDX-License-Identifier: Apache-2.0
// Generated files and edits against a model that is too simple to be wrong. Inputs are valid by
// construction: a file is a list of pieces, needles are pieces that occur once.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/tools/builtin/edit_planner.h"
#include "engine/tools/builtin/line_diff.h"

namespace plumb::engine {
namespace {

/// A file as pieces of text: even ones stay, odd ones are replaced. Each odd piece holds a number
/// of its own, so it occurs once.
struct Pieces {
  std::vector<std::string> texts;
  std::vector<std::string> replacements;  ///< One for each odd piece.

  std::string joined() const {
    std::string all;
    for (const auto& text : texts) all += text;
    return all;
  }
  std::string edited() const {
    std::string all;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      all += i % 2 == 0 ? texts[i] : replacements[i / 2];
    }
    return all;
  }
  std::vector<TextEdit> edits() const {
    std::vector<TextEdit> list;
    for (std::size_t i = 1; i < texts.size(); i += 2)
      list.push_back({texts[i], replacements[i / 2]});
    return list;
  }
};

/// Words, blanks, line breaks of three kinds, characters of two and four bytes.
rc::Gen<std::string> filler(bool has_carriage_returns) {
  std::vector<std::string> parts{"a", "b", " ", "\n", "\t", "\xC3\xA9", "\xF0\x9F\x98\x80", "$&"};
  if (has_carriage_returns) parts.insert(parts.end(), {"\r\n", "\r"});
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(parts)),
                      [](const std::vector<std::string>& chosen) {
                        std::string text;
                        for (const auto& one : chosen) text += one;
                        return text;
                      });
}

Pieces some_pieces(bool has_carriage_returns) {
  Pieces pieces;
  const int edit_count = *rc::gen::inRange(1, 14);
  for (int i = 0; i < edit_count; ++i) {
    const std::string number = "<" + std::to_string(i) + ">";
    pieces.texts.push_back(*filler(has_carriage_returns));
    pieces.texts.push_back(number + *filler(has_carriage_returns) + number);
    pieces.replacements.push_back(*filler(has_carriage_returns));
  }
  pieces.texts.push_back(*filler(has_carriage_returns));
  return pieces;
}

std::string in_line_feeds(const std::string& text) {
  std::string unified;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      unified += text[i];
    } else if (i + 1 == text.size() || text[i + 1] != '\n') {
      unified += '\n';
    }
  }
  return unified;
}

/// Applies a unified patch, hunk by hunk; refuses a line that does not fit.
std::string patched(const std::string& before, const std::string& patch) {
  const auto lines_of = [](const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
      const auto line_feed = text.find('\n', at);
      const auto end = line_feed == text.npos ? text.size() : line_feed + 1;
      lines.push_back(text.substr(at, end - at));
      at = end;
    }
    return lines;
  };
  const auto old_lines = lines_of(before);
  std::size_t next = 0;
  std::string after;
  std::string* last = nullptr;
  std::vector<std::pair<char, std::string>> body;
  for (const auto& line : lines_of(patch)) {
    if (line.starts_with("--- ") || line.starts_with("+++ ")) continue;
    if (line.starts_with("\\")) {
      last->pop_back();
    } else {
      body.emplace_back(line[0], line.substr(1));
      last = &body.back().second;
    }
  }
  for (const auto& [mark, text] : body) {
    if (mark == '@') {
      const auto begin = std::stoul(text.substr(text.find('-') + 1));
      const auto count = std::stoul(text.substr(text.find(',') + 1));
      for (const auto until = count == 0 ? begin : begin - 1; next < until; ++next) {
        after += old_lines[next];
      }
    } else if (mark == '+') {
      after += text;
    } else {
      RC_ASSERT(next < old_lines.size());
      RC_ASSERT(old_lines[next] == text);
      if (mark == ' ') after += text;
      ++next;
    }
  }
  for (; next < old_lines.size(); ++next) after += old_lines[next];
  return after;
}

RC_GTEST_PROP(EditPlannerProperty, EqualsTheJoinedPieces, ()) {  // EDIT-02, EDIT-14, EDIT-33
  const Pieces pieces = some_pieces(false);

  const EditPlan plan = plan_edits(pieces.joined(), pieces.edits());

  RC_ASSERT(plan.problem == EditProblem::none);
  RC_ASSERT(plan.bytes == pieces.edited());
  RC_ASSERT(plan.after == pieces.edited());
}

RC_GTEST_PROP(EditPlannerProperty, DoesNotDependOnTheOrderOfEdits, ()) {  // EDIT-04
  const Pieces pieces = some_pieces(true);
  const std::vector<TextEdit> edits = pieces.edits();
  std::vector<TextEdit> turned = edits;
  std::ranges::rotate(turned,
                      turned.begin() + *rc::gen::inRange<std::ptrdiff_t>(0, std::ssize(turned)));
  std::ranges::reverse(turned);

  RC_ASSERT(plan_edits(pieces.joined(), turned).bytes == plan_edits(pieces.joined(), edits).bytes);
}

RC_GTEST_PROP(EditPlannerProperty, BytesAndTextSayTheSame, ()) {  // EDIT-24..29
  const Pieces pieces = some_pieces(true);
  const std::string mark = *rc::gen::element<std::string>("", "\xEF\xBB\xBF");

  const EditPlan plan = plan_edits(mark + pieces.joined(), pieces.edits());

  RC_PRE(plan.problem == EditProblem::none);
  RC_ASSERT(plan.bytes.starts_with(mark));
  RC_ASSERT(in_line_feeds(plan.bytes.substr(mark.size())) == plan.after);
}

RC_GTEST_PROP(EditPlannerProperty, KeepsAFilesOnlyLineEnd, ()) {  // EDIT-26
  const Pieces pieces = some_pieces(false);
  std::string crlf;
  for (const char c : pieces.joined()) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  RC_PRE(crlf.find('\n') != crlf.npos);

  const EditPlan plan = plan_edits(crlf, pieces.edits());

  RC_ASSERT(plan.problem == EditProblem::none);
  for (std::size_t i = 0; i < plan.bytes.size(); ++i) {
    if (plan.bytes[i] == '\n') RC_ASSERT(i > 0 && plan.bytes[i - 1] == '\r');
  }
}

RC_GTEST_PROP(EditPlannerProperty, RefusesANeedleThatOccursTwice, ()) {  // EDIT-05, EDIT-08
  Pieces pieces = some_pieces(true);
  const std::string twice = pieces.texts[1];
  pieces.texts.back() += twice;

  const EditPlan plan = plan_edits(pieces.joined(), pieces.edits());

  RC_ASSERT(plan.problem == EditProblem::not_unique);
  RC_ASSERT(plan.edit == 0);
  RC_ASSERT(plan.count == 2);
}

RC_GTEST_PROP(EditPlannerProperty, RefusesOverlaps, ()) {  // EDIT-11, EDIT-12
  const Pieces pieces = some_pieces(true);
  std::vector<TextEdit> edits = pieces.edits();
  // From the end of the first needle on, into what follows it.
  RC_PRE(pieces.joined().find(pieces.texts[1] + pieces.texts[2]) != std::string::npos);
  edits.push_back({pieces.texts[1].substr(1) + pieces.texts[2], "x"});

  const EditPlan plan = plan_edits(pieces.joined(), edits);

  RC_ASSERT(plan.problem == EditProblem::overlap);
  RC_ASSERT(plan.edit == 0);
  RC_ASSERT(plan.other == std::ssize(edits) - 1);
}

// ------------------------------------------------------------------ the naive model

/// One character of a file as it is matched, and its bytes.
struct Unit {
  char seen = 0;
  std::string raw;
};

std::vector<Unit> units_of(const std::string& body) {
  std::vector<Unit> units;
  for (std::size_t i = 0; i < body.size(); ++i) {
    const bool is_pair = body[i] == '\r' && i + 1 < body.size() && body[i + 1] == '\n';
    units.push_back({body[i] == '\r' ? '\n' : body[i], body.substr(i, is_pair ? 2 : 1)});
    i += is_pair ? 1 : 0;
  }
  return units;
}

std::vector<std::size_t> places_of(const std::string& text, const std::string& wanted) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i + wanted.size() <= text.size(); ++i) {
    if (text.compare(i, wanted.size(), wanted) != 0) continue;
    places.push_back(i);
    i += wanted.size() - 1;
  }
  return places;
}

/// The end of the first line break at or behind `from`, else of the last before it.
std::string line_end_at(const std::vector<Unit>& units, std::size_t from) {
  std::string end;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (units[i].seen != '\n') continue;
    end = units[i].raw;
    if (i >= from) break;
  }
  if (end != "\r") return end.empty() ? "\n" : end;
  bool has_pair = false;
  for (const auto& unit : units) {
    if (unit.raw == "\n") return "\n";
    has_pair = has_pair || unit.raw == "\r\n";
  }
  return has_pair ? "\r\n" : "\r";
}

/// Everything one step after the other, one needle after the other.
EditPlan naive_plan(const std::string& original, const std::vector<TextEdit>& edits) {
  const bool has_mark = original.starts_with("\xEF\xBB\xBF");
  const auto units = units_of(original.substr(has_mark ? 3 : 0));
  EditPlan plan;
  for (const auto& unit : units) plan.before += unit.seen;
  std::vector<std::pair<std::size_t, std::size_t>> order;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    const auto places = places_of(plan.before, in_line_feeds(edits[i].old_text));
    EditPlan refused;
    refused.edit = static_cast<std::int64_t>(i);
    refused.problem = places.empty() ? EditProblem::not_found : EditProblem::not_unique;
    refused.count = places.empty() ? 0 : std::ssize(places);
    if (places.size() != 1) return refused;
    order.emplace_back(places[0], i);
  }
  std::ranges::sort(order);
  std::size_t at = 0;
  std::string raw = has_mark ? "\xEF\xBB\xBF" : "";
  const auto add = [&](const std::string& piece) {
    if (piece.starts_with('\n') && raw.ends_with('\r')) raw += '\n';
    raw += piece;
  };
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto& [begin, i] = order[k];
    if (begin < at) {
      EditPlan refused;
      refused.problem = EditProblem::overlap;
      refused.edit = static_cast<std::int64_t>(order[k - 1].second);
      refused.other = static_cast<std::int64_t>(i);
      return refused;
    }
    for (; at < begin; ++at) add(units[at].raw);
    std::string inserted;
    for (const char c : in_line_feeds(edits[i].new_text)) {
      inserted += c == '\n' ? line_end_at(units, begin) : std::string(1, c);
    }
    add(inserted);
    at = begin + in_line_feeds(edits[i].old_text).size();
  }
  for (; at < units.size(); ++at) add(units[at].raw);
  plan.bytes = raw;
  return plan;
}

/// Short texts of few letters, so that needles occur often, overlap and touch.
std::string few_letters(std::size_t size_max) {
  const auto chosen = *rc::gen::container<std::vector<std::string>>(
      rc::gen::elementOf(std::vector<std::string>{"a", "a", "b", "c", "\n", "\r\n", "\r"}));
  std::string text;
  for (std::size_t i = 0; i < std::min(chosen.size(), size_max); ++i) text += chosen[i];
  return text;
}

RC_GTEST_PROP(EditPlannerProperty, EqualsTheNaiveModel, ()) {  // EDIT-02, EDIT-05..36
  const std::string mark = *rc::gen::element<std::string>("", "\xEF\xBB\xBF");
  const std::string original = mark + few_letters(40);
  std::vector<TextEdit> edits;
  const int edit_count = *rc::gen::inRange(1, 5);
  for (int i = 0; i < edit_count; ++i) {
    const auto from = *rc::gen::inRange<std::size_t>(0, original.size() + 1);
    std::string wanted = original.substr(from, *rc::gen::inRange<std::size_t>(1, 7));
    if (wanted.empty() || wanted[0] < 0) wanted = "zz";
    edits.push_back({wanted, few_letters(4)});
  }

  const EditPlan plan = plan_edits(original, edits);
  const EditPlan model = naive_plan(original, edits);

  if (plan.problem == EditProblem::no_change) {
    RC_ASSERT(in_line_feeds(model.bytes) == in_line_feeds(original));
  } else {
    RC_ASSERT(plan.problem == model.problem);
    RC_ASSERT(plan.edit == model.edit);
    RC_ASSERT(plan.other == model.other);
    RC_ASSERT(plan.count == model.count);
    RC_ASSERT(plan.bytes == model.bytes);
  }
}

RC_GTEST_PROP(LineDiffProperty, PatchesTurnOneTextIntoTheOther, ()) {  // EDIT-39, EDIT-40
  const std::string before = *filler(false);
  const std::string after = *filler(false);

  RC_ASSERT(patched(before, unified_patch("f", before, after)) == after);
}

RC_GTEST_PROP(LineDiffProperty, PatchesOfEditsApply, ()) {  // EDIT-39
  const Pieces pieces = some_pieces(true);

  const EditPlan plan = plan_edits(pieces.joined(), pieces.edits());

  RC_PRE(plan.problem == EditProblem::none);
  RC_ASSERT(patched(plan.before, unified_patch("f", plan.before, plan.after)) == plan.after);
}

}  // namespace
}  // namespace plumb::engine
