// SPDX-License-Identifier: Apache-2.0
// A file's text between its bytes and the form in which edits are matched: line ends as LF, and
// back again with the texts of the edits in place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/tools/builtin/edit_needles.h"

namespace plumb::engine {

/// The bytes of a file: its byte order mark or nothing, and the text (EDIT-22).
struct MarkedText {
  std::string_view mark;
  std::string_view raw;
};

/// Only one mark is taken off (EDIT-23).
MarkedText split_mark(std::string_view bytes);

/// CRLF and CR as LF. `crlf_at`: offsets of those line feeds that stand for a CRLF, ascending.
struct UnifiedText {
  std::string text;
  std::vector<std::int64_t> crlf_at;
};

UnifiedText unify_line_ends(std::string_view raw);

/// The offset in the raw text of an offset in the unified one: each CRLF before it adds a byte.
std::int64_t raw_offset(const UnifiedText& unified, std::int64_t offset);

/// The line end that line breaks of a replacement at `begin` get (EDIT-28): that of the line it
/// starts in, else that of the line before; a lone CR only in a file without any LF.
class LineEnds {
 public:
  /// Both outlive this.
  LineEnds(std::string_view raw, const UnifiedText& unified);

  std::string_view at(std::int64_t begin) const;

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
  /// `size`: bytes that there is to be room for.
  explicit PieceJoiner(std::size_t size = 0) { bytes_.reserve(size); }
  void append(std::string_view piece) {
    if (piece.empty()) return;
    if (piece.front() == '\n' && !bytes_.empty() && bytes_.back() == '\r') bytes_ += '\n';
    bytes_ += piece;
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// The plan of needles that were found once each in the unified form of `file` and know their line
/// end, but for its `before`. Refuses overlaps, and a result that equals `before`, the original in
/// LF (EDIT-11, EDIT-34, EDIT-35).
EditPlan plan_splices(const MarkedText& file, const UnifiedText& unified,
                      const std::vector<Needle>& needles, std::string_view before);

/// The plan of needles that were found once each in the text of `file` itself.
EditPlan plan_as_written(const MarkedText& file, UnifiedText unified, std::vector<Needle> needles);

}  // namespace plumb::engine
