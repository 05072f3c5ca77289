// SPDX-License-Identifier: Apache-2.0
#include "engine/session/resources/prompt_templates.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/session/resources/front_matter.h"
#include "engine/session/resources/text_words.h"
#include "engine/values/json_members.h"

namespace plumb::engine {
namespace {

/// Splits a line into words. A quote that nothing closes is read again as a letter; behind it no
/// other word can begin with such a quote, or that one would have closed it.
class ArgumentSplitter final {
 public:
  explicit ArgumentSplitter(std::string_view line) : line_(line) {}

  std::vector<std::string> split() {
    while (at_ < line_.size()) {
      const auto blank = white_space_at(line_, static_cast<std::int64_t>(at_));
      const char c = line_[at_];
      if (blank > 0) {
        end_word();
        at_ += static_cast<std::size_t>(blank);
      } else if ((c == '"' || c == '\'') && !has_word_ && read_quoted(c)) {
        has_word_ = true;
      } else {
        word_ += c;
        has_word_ = true;
        ++at_;
      }
    }
    end_word();
    return std::move(words_);
  }

 private:
  /// False for a quote that is never closed: it is a letter like others.
  bool read_quoted(char quote) {
    std::string text;
    std::size_t at = at_ + 1;
    for (; at < line_.size() && line_[at] != quote; ++at) {
      if (line_[at] == '\\' && at + 1 < line_.size() && line_[at + 1] == quote) ++at;
      text += line_[at];
    }
    if (at == line_.size()) return false;
    word_ += text;
    at_ = at + 1;
    return true;
  }

  void end_word() {
    if (has_word_) words_.push_back(std::exchange(word_, {}));
    has_word_ = false;
  }

  std::string_view line_;
  std::size_t at_ = 0;
  std::string word_;
  bool has_word_ = false;
  std::vector<std::string> words_;
};

std::string joined(std::span<const std::string> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) text += (i > 0 ? " " : "") + words[i];
  return text;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Reads placeholders where a `$` stands.
class Placeholder final {
 public:
  Placeholder(std::string_view text, std::span<const std::string> arguments)
      : text_(text), arguments_(arguments) {}

  /// What stands for the placeholder at the beginning of the text; nothing if there is none.
  std::optional<std::string> read() {
    at_ = 1;
    if (skip("ARGUMENTS") || skip("@")) return joined(arguments_);
    if (const auto number = read_number()) return argument(*number);
    return skip("{") ? read_braces() : std::nullopt;
  }

  std::size_t length() const { return at_; }

 private:
  bool skip(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  /// Numbers beyond every list count as one such.
  std::optional<std::int64_t> read_number() {
    constexpr std::int64_t kNumberMax = 1'000'000'000;
    const std::size_t begin = at_;
    std::int64_t number = 0;
    for (; at_ < text_.size() && is_digit(text_[at_]); ++at_) {
      number = std::min<std::int64_t>(number * 10 + (text_[at_] - '0'), kNumberMax);
    }
    if (at_ == begin) return std::nullopt;
    return number;
  }

  std::string argument(std::int64_t number) const {
    const bool is_there = number >= 1 && number <= std::ssize(arguments_);
    return is_there ? arguments_[static_cast<std::size_t>(number - 1)] : std::string();
  }

  std::optional<std::string> read_braces() {
    if (skip("@:") && !text_.substr(at_).starts_with('-')) return read_slice();
    at_ = 2;
    std::string value;
    if (skip("ARGUMENTS") || skip("@")) {
      value = joined(arguments_);
    } else if (const auto number = read_number()) {
      value = argument(*number);
    } else {
      return std::nullopt;
    }
    if (!skip(":-")) return std::nullopt;
    const auto end = text_.find('}', at_);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string otherwise(text_.substr(at_, end - at_));
    at_ = end + 1;
    return value.empty() ? otherwise : value;
  }

  /// `${@:N}` and `${@:N:L}`, behind the colon.
  std::optional<std::string> read_slice() {
    const auto first = read_number();
    if (!first) return std::nullopt;
    std::optional<std::int64_t> count;
    if (skip(":") && !(count = read_number())) return std::nullopt;
    if (!skip("}")) return std::nullopt;
    const auto size = std::ssize(arguments_);
    const auto begin = std::clamp<std::int64_t>(*first - 1, 0, size);
    const auto taken = std::min(count.value_or(size), size - begin);
    return joined(
        arguments_.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(taken)));
  }

  std::string_view text_;
  std::span<const std::string> arguments_;
  std::size_t at_ = 0;
};

/// The first line with more than blanks, cut.
std::string first_line(std::string_view body) {
  while (!body.empty()) {
    const auto end = std::min(body.find('\n'), body.size());
    const auto line = body.substr(0, end);
    body.remove_prefix(std::min(end + 1, body.size()));
    if (trimmed_words(line).empty()) continue;
    const auto cut = utf16_prefix(line, kTemplateDescriptionMax);
    return std::string(cut) + (cut.size() < line.size() ? "..." : "");
  }
  return "";
}

}  // namespace

std::vector<std::string> split_arguments(std::string_view line) {
  return ArgumentSplitter(line).split();
}

Result<std::string> substitute_arguments(std::string_view text,
                                         std::span<const std::string> arguments) {
  std::string out;
  while (!text.empty()) {
    const auto dollar = std::min(text.find('$'), text.size());
    out += text.substr(0, dollar);
    text.remove_prefix(dollar);
    if (!text.empty()) {
      Placeholder placeholder(text, arguments);
      const auto value = placeholder.read();
      out += value ? *value : "$";
      text.remove_prefix(value ? placeholder.length() : 1);
    }
    if (std::ssize(out) > kTemplateBytesMax) {
      return fail(ErrorCode::exhausted, "the expanded template is longer than 16 MiB");
    }
  }
  return out;
}

Result<std::string> expand_template(std::string_view text,
                                    std::span<const PromptTemplate> templates) {
  if (!text.starts_with('/')) return std::string(text);
  std::int64_t end = 1;
  while (end < std::ssize(text) && white_space_at(text, end) == 0) ++end;
  const auto name = text.substr(1, static_cast<std::size_t>(end) - 1);
  const auto found = std::ranges::find(templates, name, &PromptTemplate::name);
  if (name.empty() || found == templates.end()) return std::string(text);
  const auto arguments = split_arguments(text.substr(static_cast<std::size_t>(end)));
  return substitute_arguments(found->content, arguments);
}

Task<TemplateList> TemplateFinder::load(std::vector<ResourceFile> paths) {
  list_ = TemplateList();
  collisions_.clear();
  keys_.clear();
  for (const auto& given : paths) {
    const auto kind = co_await files_.kind(given.path);
    if (!kind) continue;
    if (*kind != FileKind::directory) {
      if (given.path.ends_with(".md")) co_await load_file(given);
      continue;
    }
    const auto entries = co_await files_.entries(given.path);
    for (const auto& entry : entries) {
      if (entry.is_folder || !entry.name.ends_with(".md")) continue;
      ResourceFile one(entry.path, given.source);
      co_await load_file(std::move(one));
    }
  }
  for (auto& found : collisions_) list_.diagnostics.push_back(std::move(found));
  co_return std::exchange(list_, {});
}

Task<void> TemplateFinder::load_file(ResourceFile file) {
  const auto text = co_await files_.read(file.path);
  const auto matter = text ? parse_front_matter(*text) : std::unexpected(text.error());
  if (!matter) {
    list_.diagnostics.emplace_back("warning", "prompt", file.path, matter.error().message);
    co_return;
  }
  PromptTemplate read;
  read.name = base_name(file.path);
  read.name.resize(read.name.size() - 3);
  read.description = text_at(matter->fields, "description");
  if (read.description.empty()) read.description = first_line(matter->body);
  read.argument_hint = text_at(matter->fields, "argument-hint");
  read.content = matter->body;
  read.file = file.path;
  read.source = std::move(file.source);
  read.source.path = read.file;
  const auto key = co_await files_.key(read.file);
  if (std::ranges::find(keys_, key) != keys_.end()) co_return;
  keys_.push_back(key);
  const auto owner = std::ranges::find(list_.templates, read.name, &PromptTemplate::name);
  if (owner == list_.templates.end()) {
    list_.templates.push_back(std::move(read));
  } else {
    collisions_.push_back(collision("prompt", read.name, owner->file, read.file));
  }
}

}  // namespace plumb::engine
