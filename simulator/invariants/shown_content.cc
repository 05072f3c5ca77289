// SPDX-License-Identifier: Apache-2.0
#include "simulator/invariants/shown_content.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/invariants/picture_view.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

/// Words in the place of what cannot be sent stay this short.
constexpr std::size_t kPlaceholderBytesMax = 100;

bool is_picture(const Json& block) {
  return view_at(block, "type") == "image";
}

std::int64_t picture_count(const Json& content) {
  return content.is_array() ? std::ranges::count_if(content, is_picture) : 0;
}

/// The bytes of "(no output)" or "[picture left out]" at the beginning of the text; 0 without one.
std::size_t placeholder_at(std::string_view text) {
  const bool is_round = text.starts_with('(');
  if (!is_round && !text.starts_with('[')) return 0;
  const auto end = text.find(is_round ? ')' : ']');
  if (end == text.npos || end >= kPlaceholderBytesMax) return 0;
  const auto inside = text.substr(1, end - 1);
  const bool has_words = std::ranges::any_of(inside, [](char c) { return c >= 'a' && c <= 'z'; });
  return has_words && inside.find('\n') == inside.npos ? end + 1 : 0;
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == text.npos;
}

/// The user message directly behind the last tool message of the batch, or null.
const Json* message_behind(const Batch& batch, const Request& request, const Story& story) {
  const auto ids = ids_of(batch, story);
  const Json* behind = nullptr;
  bool is_behind = false;
  for (const SharedJson& message : request.added) {
    const auto results = ids_of_results_in(message.get());
    const bool is_ours = std::ranges::any_of(
        results, [&](const auto& id) { return std::ranges::find(ids, id) != ids.end(); });
    if (is_ours) behind = nullptr;
    if (is_behind && !is_ours) behind = &message.get();
    is_behind = is_ours;
  }
  return behind != nullptr && view_at(*behind, "role") == "user" ? behind : nullptr;
}

/// Those of the batch's pictures that are the call's by their number; the last call that has some
/// has what is left over, too.
Json pictures_of(const Call& call, const Request& request, const Story& story) {
  Json pictures = Json::array();
  const Batch* batch = batch_of(call, story);
  const Json* behind = batch == nullptr ? nullptr : message_behind(*batch, request, story);
  const auto count = picture_count(at(result_of(call), "content"));
  if (behind == nullptr || count == 0) return pictures;
  std::int64_t before = 0;
  std::int64_t after = 0;
  bool is_before = true;
  for (const Call* other : calls_of(*batch, story)) {
    if (other == &call) is_before = false;
    if (other == &call) continue;
    (is_before ? before : after) += picture_count(at(result_of(*other), "content"));
  }
  std::int64_t index = 0;
  for (const Json& block : at(*behind, "content")) {
    if (!is_picture(block)) continue;
    const bool is_ours = index >= before && (index < before + count || after == 0);
    if (is_ours) pictures.push_back(block);
    ++index;
  }
  return pictures;
}

/// Reads the text of a tool message as the blocks that it should hold.
class ChatText {
 public:
  ChatText(std::string text, Json pictures, bool takes_pictures)
      : text_(std::move(text)),
        rest_(text_),
        pictures_(std::move(pictures)),
        takes_pictures_(takes_pictures) {}

  /// Null when it is no form of them.
  Json as(const Json& expected) {
    Json blocks = Json::array();
    for (const Json& block : expected) {
      const bool is_said = !is_picture(block) || !takes_pictures_;
      const bool is_read = is_said ? read_text(block, blocks) : read_picture(blocks);
      if (!is_read) return {};
    }
    const bool is_whole = rest_.empty() && taken_ == pictures_.size();
    return is_whole ? blocks : Json();
  }

  /// Words in the place of nothing: a message has to have some.
  bool is_placeholder() const { return !text_.empty() && placeholder_at(text_) == text_.size(); }

 private:
  bool read_text(const Json& block, Json& blocks) {
    if (!is_first_) {
      if (!rest_.starts_with('\n')) return false;
      rest_.remove_prefix(1);
    }
    is_first_ = false;
    const auto text = is_picture(block) ? std::string(rest_.substr(0, placeholder_at(rest_)))
                                        : text_at(block, "text");
    if (!rest_.starts_with(text) || (is_picture(block) && text.empty())) return false;
    rest_.remove_prefix(text.size());
    blocks.push_back(Json{{"type", "text"}, {"text", text}});
    return true;
  }

  bool read_picture(Json& blocks) {
    if (taken_ == pictures_.size()) return false;
    blocks.push_back(pictures_[taken_++]);
    return true;
  }

  std::string text_;
  std::string_view rest_;
  Json pictures_;
  std::size_t taken_ = 0;
  bool takes_pictures_;
  bool is_first_ = true;
};

/// Nothing to say in words: no text, or blank ones.
bool says_nothing(const Json& expected, bool takes_pictures) {
  return is_blank(text_in(expected)) && (takes_pictures || picture_count(expected) == 0);
}

}  // namespace

bool is_chat(const Request& request) {
  const auto& wire = at(request.request->params.get(), "wire");
  return view_at(wire, "path").find("/chat/completions") != std::string_view::npos;
}

Json shown_content(const Call& call, const Json& expected, const Story& story) {
  const Request& request = *next_request_of(call, story);
  const Json& sent = shown_result(call, story)->content.get();
  if (!is_chat(request)) return sent;
  const Json blocks = as_blocks(expected);
  const Json pictures = pictures_of(call, request, story);
  const bool takes = takes_pictures(request, story);
  Json shown = ChatText(text_in(sent), pictures, takes).as(blocks);
  const bool is_in_words =
      says_nothing(blocks, takes) && ChatText(text_in(sent), {}, takes).is_placeholder();
  if (shown.is_null() && is_in_words) {
    // Texts that say nothing stand as they are; it is the pictures that must be there.
    shown = ChatText(text_in(blocks), pictures, takes).as(blocks);
  }
  if (!shown.is_null() && picture_in(sent) == nullptr) return shown;
  Json all = sent;
  for (const Json& picture : pictures) all.push_back(picture);
  return all;
}

}  // namespace plumb::invariants
