// SPDX-License-Identifier: Apache-2.0
#include "simulator/oracle/judge_content.h"

#include <algorithm>
#include <array>
#include <set>

#include "engine/tools/builtin/image_file.h"
#include "simulator/oracle/compare.h"
#include "simulator/oracle/texts.h"
#include "simulator/script/base64.h"

namespace plumb::simulator {
namespace {

constexpr std::array<std::string_view, 5> kShowingTools{"read", "bash", "grep", "find", "ls"};

/// How the texts of a call are to be read.
enum class TextKind : std::uint8_t {
  words,    ///< The engine's own: only that there is a text.
  numbers,  ///< The engine's own, with numbers that must be there.
  shown,    ///< What a file or a command gave, perhaps with a notice.
  failed,   ///< The same with a status after it.
};

/// `input_file`: what the call was to read; of a picture, also of one that is left out, tells a
/// sentence.
TextKind text_kind_of(const Json& expect, const CallRecord& call, std::string_view input_file) {
  const bool is_ok = expect.value("class", "ok") == "ok";
  if (std::ranges::find(kShowingTools, call.tool) == kShowingTools.end()) return TextKind::words;
  if (!is_ok) return call.tool == "bash" ? TextKind::failed : TextKind::words;
  const Json content = expect.value("content", Json::array());
  const bool has_picture = std::ranges::any_of(
      content, [](const Json& block) { return block.value("type", Json()) == "image"; });
  const bool is_of_picture = call.tool == "read" && !engine::image_type_of(input_file).empty();
  return has_picture || is_of_picture ? TextKind::numbers : TextKind::shown;
}

/// A command without output shows a placeholder in the engine's own words.
bool is_without_output(const Json& expect) {
  const Json* output = find_pointer(expect, "/structured/output");
  return output != nullptr && output->is_string() && output->get_ref<const std::string&>().empty();
}

std::string_view trimmed_end(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

std::vector<std::string> strings_of(const Json& list) {
  return list.is_array() ? list.get<std::vector<std::string>>() : std::vector<std::string>();
}

class BlockJudge final {
 public:
  BlockJudge(const Json& expect, const CallRecord& call, const JudgeContext& context)
      : expect_(expect),
        call_(call),
        context_(context),
        kind_(text_kind_of(expect, call, context.input_file)) {}

  Differences judge(const std::string& path) {
    const Json& blocks = expect_["content"];
    const auto& actual = call_.result.content;
    if (blocks.size() != actual.size()) {
      found_.push_back(
          {path, std::to_string(blocks.size()) + " blocks",
           std::to_string(actual.size()) + " blocks: " + shown(engine::to_json(actual))});
      return std::move(found_);
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      path_ = path + "/" + std::to_string(i);
      judge_block(blocks[i], actual[i]);
    }
    return std::move(found_);
  }

 private:
  void miss(const std::string& key, const Json& expected, const Json& actual) {
    found_.push_back({path_ + key, shown(expected), shown(actual)});
  }

  void judge_block(const Json& expected, const engine::ContentBlock& actual) {
    const bool wants_picture =
        expected.value("type", Json()) == "image" || expected.contains("mimeType");
    if (const auto* picture = std::get_if<engine::ImageBlock>(&actual)) {
      return wants_picture ? judge_picture(expected, *picture) : miss("/type", "text", "image");
    }
    const auto* text = std::get_if<engine::TextBlock>(&actual);
    if (text == nullptr) return miss("/type", expected.value("type", Json()), "another kind");
    if (wants_picture) return miss("/type", "image", "text");
    if (expected.contains("sortedLines") || expected.contains("lines_from")) {
      return judge_lines(expected, text->text);
    }
    judge_text(expected, text->text);
  }

  void judge_picture(const Json& expected, const engine::ImageBlock& picture) {
    const std::string bytes = decode_base64(picture.data).value_or("");
    Json actual{{"type", "image"}, {"mimeType", picture.mime_type}};
    actual["sameBytesAsFile"] = bytes == context_.input_file;
    if (expected.value("sameBytesAsFile", false)) actual["bytes"] = bytes.size();
    if (const auto size = engine::pixel_size_of(bytes, picture.mime_type)) {
      actual["width"] = size->width;
      actual["height"] = size->height;
    }
    Json wanted = expected;
    // The size of a picture that was encoded anew depends on the encoder.
    if (!expected.value("sameBytesAsFile", false)) wanted.erase("bytes");
    append(found_, compare_partly(wanted, actual, path_, context_.places));
  }

  /// Lines whose order is not settled, and a notice.
  void judge_lines(const Json& expected, std::string_view text) {
    const ShownText actual = take_apart(text, false);
    std::vector<std::string> lines;
    for (std::string_view rest = actual.body; !rest.empty();) {
      const auto end = std::min(rest.find('\n'), rest.size());
      lines.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    std::ranges::sort(lines);
    if (expected.contains("sortedLines")) {
      auto wanted = strings_of(expected["sortedLines"]);
      std::ranges::sort(wanted);
      if (lines != wanted) miss("/sortedLines", wanted, lines);
    } else {
      judge_sample(expected, lines);
    }
    judge_notice(expected, "", actual.notice);
  }

  /// So many different lines out of a set: a list of them, or what they begin with.
  void judge_sample(const Json& expected, const std::vector<std::string>& lines) {
    const Json& from = expected["lines_from"];
    const std::set<std::string> different(lines.begin(), lines.end());
    const Json& count = expected.value("lines", Json());
    if (count.is_number() &&
        (std::ssize(lines) != count.get<std::int64_t>() || different.size() != lines.size())) {
      miss("/lines", count, lines);
    }
    const auto known = strings_of(from);
    for (const auto& line : lines) {
      const bool is_known =
          from.is_array()
              ? std::ranges::find(known, line) != known.end()
              : !from.is_string() || line.starts_with(from.get_ref<const std::string&>());
      if (!is_known) miss("/lines_from", from, line);
    }
  }

  void judge_text(const Json& expected, std::string_view actual) {
    if (!expected.contains("text") || kind_ == TextKind::words) return;
    const Json& wanted = expected["text"];
    if (kind_ == TextKind::numbers) return judge_numbers("/text", wanted, actual);
    const bool is_failed = kind_ == TextKind::failed;
    const bool is_bare = expected.contains("notice_numbers") || expected.contains("status_numbers");
    const std::string whole =
        is_digest(wanted) ? wanted.value("tail", "") : wanted.get<std::string>();
    ShownText parts;
    parts.body = whole;
    if (!is_bare) parts = take_apart(whole, is_failed);
    const ShownText given = take_apart(actual, is_failed);
    judge_notice(expected, parts.notice, given.notice);
    if (is_failed) judge_status(expected, parts.status, given.status);
    if (is_without_output(expect_)) return;
    if (is_digest(wanted)) {
      judge_long(wanted, std::string(parts.notice) + std::string(parts.status), given.body);
    } else {
      judge_body(parts.body, given.body);
    }
  }

  void judge_body(std::string_view wanted, std::string_view given) {
    // A failure's status follows after a blank line, whether the output ended its last line or not.
    if (kind_ == TextKind::failed) {
      wanted = trimmed_end(wanted);
      given = trimmed_end(given);
    }
    if (matches_text(wanted, given, context_.places)) return;
    miss("/text", std::string(wanted), std::string(given));
  }

  /// The digest covers the observed engine's own sentences: they are put behind our body.
  void judge_long(const Json& wanted, const std::string& sentences, std::string_view body) {
    Differences best = compare_digest(wanted, std::string(body) + sentences, path_ + "/text");
    if (!best.empty() && kind_ == TextKind::failed) {
      const auto ended = compare_digest(wanted, std::string(body) + "\n" + sentences, path_);
      if (ended.empty()) return;
    }
    append(found_, std::move(best));
  }

  void judge_notice(const Json& expected, std::string_view wanted, std::string_view given) {
    std::vector<std::string> numbers = numbers_of_notice(wanted);
    bool is_wanted = !wanted.empty();
    if (expected.contains("notice")) {
      const Json& notice = expected["notice"];
      is_wanted = notice.is_string() && !notice.get_ref<const std::string&>().empty();
      if (is_wanted) numbers = numbers_of_notice(notice.get_ref<const std::string&>());
    }
    if (expected.contains("notice_numbers")) {
      is_wanted = true;
      numbers = strings_of(expected["notice_numbers"]);
    }
    if (is_wanted != !given.empty()) {
      return miss("/notice", is_wanted ? Json(numbers) : Json("none"), std::string(given));
    }
    if (!are_among(numbers, numbers_in(given))) miss("/notice", numbers, std::string(given));
  }

  void judge_status(const Json& expected, std::string_view wanted, std::string_view given) {
    const Json error_class = expect_.value("class", Json());
    if (error_class != "exit" && error_class != "timeout") return;
    const auto numbers = expected.contains("status_numbers")
                             ? strings_of(expected["status_numbers"])
                             : numbers_in(wanted);
    if (!are_among(numbers, numbers_in(given))) miss("/status", numbers, std::string(given));
  }

  void judge_numbers(const std::string& key, const Json& wanted, std::string_view given) {
    if (!wanted.is_string()) return;
    const auto numbers = numbers_in(wanted.get_ref<const std::string&>());
    if (!are_among(numbers, numbers_in(given))) miss(key, numbers, std::string(given));
  }

  const Json& expect_;
  const CallRecord& call_;
  const JudgeContext& context_;
  TextKind kind_;
  std::string path_;
  Differences found_;
};

}  // namespace

Differences judge_content(const Json& expect, const CallRecord& call, const std::string& path,
                          const JudgeContext& context) {
  return BlockJudge(expect, call, context).judge(path);
}

}  // namespace plumb::simulator
