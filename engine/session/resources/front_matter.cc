// SPDX-License-Identifier: Apache-2.0
#include "engine/session/resources/front_matter.h"

#include <algorithm>
#include <charconv>
#include <exception>
#include <initializer_list>
#include <utility>

#include <yaml-cpp/yaml.h>

#include "engine/session/resources/resource_files.h"
#include "engine/session/resources/text_words.h"

namespace plumb::engine {
namespace {

std::string with_line_feeds(std::string text) {
  std::string lines;
  lines.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      lines += text[i];
    } else if (i + 1 == text.size() || text[i + 1] != '\n') {
      lines += '\n';
    }
  }
  return lines;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

/// Of YAML's core schema: what a plain word stands for.
Json plain_value(const std::string& word) {
  if (is_one_of(word, {"", "~", "null", "Null", "NULL"})) return nullptr;
  if (is_one_of(word, {"true", "True", "TRUE"})) return true;
  if (is_one_of(word, {"false", "False", "FALSE"})) return false;
  double number = 0;
  const char* begin = word.data() + (word.starts_with('+') ? 1 : 0);
  const char* end = word.data() + word.size();
  const bool may_be_number =
      begin != end && (*begin == '-' || *begin == '.' || (*begin >= '0' && *begin <= '9'));
  if (!may_be_number) return word;
  const auto read = std::from_chars(begin, end, number);
  return read.ec == std::errc() && read.ptr == end ? Json(number) : Json(word);
}

Error block_error(const YAML::Mark& mark, const std::string& why) {
  const std::string place = mark.is_null() ? std::string()
                                           : " at line " + std::to_string(mark.line + 1) +
                                                 ", column " + std::to_string(mark.column + 1);
  return Error{ErrorCode::invalid, "front matter: " + why + place, ""};
}

/// Turns nodes into JSON. Aliases stand for whole trees again and again: their nodes are counted.
class BlockReader final {
 public:
  Result<Json> read(const YAML::Node& node, std::int64_t depth = 0) {
    if (depth > kFrontMatterDepthMax) {
      return std::unexpected(block_error(node.Mark(), "nested too deep"));
    }
    if (++count_ > kFrontMatterNodesMax) {
      return std::unexpected(block_error(node.Mark(), "too many values"));
    }
    if (node.IsMap()) return read_object(node, depth);
    if (node.IsSequence()) return read_list(node, depth);
    if (!node.IsScalar()) return Json();
    return node.Tag() == "?" ? plain_value(node.Scalar()) : Json(node.Scalar());
  }

 private:
  Result<Json> read_object(const YAML::Node& node, std::int64_t depth) {
    Json object = Json::object();
    for (const auto& member : node) {
      if (!member.first.IsScalar()) {
        return std::unexpected(block_error(member.first.Mark(), "a key is no word"));
      }
      const std::string& key = member.first.Scalar();
      if (object.contains(key)) {
        return std::unexpected(block_error(member.first.Mark(), "key '" + key + "' occurs twice"));
      }
      PLUMB_TRY(object[key], read(member.second, depth + 1));
    }
    return object;
  }

  Result<Json> read_list(const YAML::Node& node, std::int64_t depth) {
    Json list = Json::array();
    for (const auto& item : node) {
      PLUMB_TRY(Json value, read(item, depth + 1));
      list.push_back(std::move(value));
    }
    return list;
  }

  std::int64_t count_ = 0;
};

Result<Json> parse_block(const std::string& text) {
  try {
    PLUMB_TRY(Json value, BlockReader().read(YAML::Load(text)));
    return value.is_object() ? value : Json::object();
  } catch (const YAML::Exception& error) {
    return std::unexpected(block_error(error.mark, error.msg));
  } catch (const std::exception& error) {
    return fail(ErrorCode::invalid, std::string("front matter: ") + error.what());
  }
}

}  // namespace

Result<FrontMatter> parse_front_matter(std::string_view text) {
  const std::string lines = with_line_feeds(without_mark(std::string(text)));
  FrontMatter matter;
  const auto end = lines.starts_with("---") ? lines.find("\n---", 3) : std::string::npos;
  if (end == std::string::npos) {
    matter.body = lines;
    return matter;
  }
  matter.body = trimmed_words(std::string_view(lines).substr(end + 4));
  if (end > 4) {
    PLUMB_TRY(matter.fields, parse_block(lines.substr(4, end - 4)));
  }
  return matter;
}

}  // namespace plumb::engine
