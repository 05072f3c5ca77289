// SPDX-License-Identifier: Apache-2.0
#include "simulator/script/yaml.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "engine/values/utf8.h"
#include "simulator/script/plain_scalar.h"
#include "simulator/script/plain_yaml.h"

namespace plumb::simulator {
namespace {

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (true) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

Place place_of_offset(std::string_view text, std::size_t offset) {
  Place place{1, 1};
  std::size_t line_begin = 0;
  for (std::size_t i = 0; i < offset; ++i) {
    if (text[i] != '\n') continue;
    place.line += 1;
    line_begin = i + 1;
  }
  place.column += count_code_points(text.substr(line_begin, offset - line_begin));
  return place;
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\n' && c != '\r' && c != '\t') || byte == 0x7f;
}

std::string control_name(char c) {
  static constexpr std::string_view kDigits = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  return std::string("U+00") + kDigits[byte >> 4] + kDigits[byte & 15];
}

/// What can be said of the bytes before any parsing: too many, no text at all, tabs for blanks.
Result<void> check_bytes(std::string_view text, const std::string& file, std::int64_t bytes_max) {
  if (std::ssize(text) > bytes_max) {
    return fail(ErrorCode::exhausted, "file is larger than " + std::to_string(bytes_max) + " bytes",
                located(file, place_of_offset(text, static_cast<std::size_t>(bytes_max))));
  }
  const auto refuse = [&](std::size_t offset, std::string message) {
    return fail(ErrorCode::invalid, std::move(message),
                located(file, place_of_offset(text, offset)));
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_control(text[i])) {
      return refuse(i, "control character " + control_name(text[i]) + ", expected text");
    }
    if (text[i] == '\t' && (i == 0 || text[i - 1] == '\n')) {
      return refuse(i, "tab as indentation, expected blanks");
    }
  }
  const std::int64_t invalid = find_invalid_utf8(text);
  if (invalid >= 0) return refuse(static_cast<std::size_t>(invalid), "bytes that are not UTF-8");
  return {};
}

/// A value under construction, or finished and named by an anchor.
struct Frame {
  Json value;
  PlaceTree places;
  YAML::anchor_t anchor = 0;
  std::set<std::string, std::less<>> keys;
  std::optional<std::string> key;  ///< A key whose value is not yet there.
  Place key_place;
};

struct Anchored {
  Json value;
  PlaceTree places;
  std::int64_t count = 0;
  std::int64_t bytes = 0;
};

std::int64_t bytes_of_text(const Json& value) {
  if (value.is_string()) return std::ssize(value.get_ref<const std::string&>());
  std::int64_t bytes = 0;
  if (value.is_array()) {
    for (const Json& element : value) bytes += bytes_of_text(element);
  }
  if (value.is_object()) {
    for (const auto& [key, member] : value.items())
      bytes += std::ssize(key) + bytes_of_text(member);
  }
  return bytes;
}

std::int64_t count_values(const PlaceTree& tree) {
  std::int64_t count = 1;
  for (const PlaceTree& child : tree.children) count += count_values(child);
  return count;
}

/// Builds the value from the parser's events. After the first error it ignores what follows.
class DocumentBuilder final : public YAML::EventHandler {
 public:
  DocumentBuilder(std::vector<std::string_view> lines, const std::string& file)
      : lines_(std::move(lines)), file_(file) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (is_done_) refuse(place_of(mark), "second document in one file, expected one");
  }
  void OnDocumentEnd() override { is_done_ = true; }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    take_scalar(place_of(mark), Json(nullptr), "", anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    const Place place = place_of(mark);
    if (tag == "!") return take_scalar(place, Json(text), text, anchor);
    if (tag != "?") return refuse(place, "tag '" + tag + "' is not supported");
    auto value = resolve_plain_scalar(text);
    if (!value) return refuse(place, value.error().message);
    if (is_key_next() && text == "<<") return refuse(place, "merge key '<<' is not supported");
    take_scalar(place, *std::move(value), text, anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const Place place = place_of(mark);
    if (error_) return;
    if (is_key_next()) return refuse(place, "alias as a key, expected text");
    const auto found = anchored_.find(anchor);
    if (found == anchored_.end()) return refuse(place, "alias within the value that it names");
    alias_values_ += found->second.count;
    if (alias_values_ > kYamlAliasValuesMax) {
      return refuse(place,
                    "aliases copy more than " + std::to_string(kYamlAliasValuesMax) + " values",
                    ErrorCode::exhausted);
    }
    alias_bytes_ += found->second.bytes;
    if (alias_bytes_ > kYamlAliasBytesMax) {
      return refuse(
          place, "aliases copy more than " + std::to_string(kYamlAliasBytesMax) + " bytes of text",
          ErrorCode::exhausted);
    }
    PlaceTree places = found->second.places;
    places.value = place;
    add(Json(found->second.value), std::move(places));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(place_of(mark), tag, anchor, Json::array());
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(place_of(mark), tag, anchor, Json::object());
  }
  void OnMapEnd() override { close(); }

  /// A mark counts from 0 in bytes; a place counts from 1 in code points.
  Place place_of(const YAML::Mark& mark) const {
    if (mark.line < 0 || mark.column < 0) return {};
    const auto line = static_cast<std::size_t>(mark.line);
    const auto column = static_cast<std::size_t>(mark.column);
    if (line >= lines_.size()) return {mark.line + 1, 1};
    // Marks come in order but for a few; counting on from the last one keeps a long line linear.
    if (line != counted_line_ || column < counted_bytes_) {
      counted_line_ = line;
      counted_bytes_ = counted_points_ = 0;
    }
    const auto more = lines_[line].substr(std::min(counted_bytes_, lines_[line].size()));
    counted_points_ +=
        static_cast<std::size_t>(count_code_points(more.substr(0, column - counted_bytes_)));
    counted_bytes_ = column;
    return {mark.line + 1, static_cast<std::int64_t>(counted_points_) + 1};
  }

  Result<YamlDocument> finish() {
    if (error_) return std::unexpected(*std::move(error_));
    if (!root_ || root_->value.is_null()) {
      return fail(ErrorCode::invalid, "empty document, expected a map", located(file_, {1, 1}));
    }
    return YamlDocument{file_, std::move(root_->value), std::move(root_->places)};
  }

  bool has_error() const { return error_.has_value(); }

 private:
  bool is_key_next() const {
    return !stack_.empty() && stack_.back().value.is_object() && !stack_.back().key;
  }

  void refuse(Place place, std::string message, ErrorCode code = ErrorCode::invalid) {
    if (!error_) error_ = Error{code, std::move(message), located(file_, place)};
  }

  void take_scalar(Place place, Json value, const std::string& text, YAML::anchor_t anchor) {
    if (error_) return;
    if (is_key_next()) return take_key(place, value, text);
    PlaceTree places;
    places.value = place;
    remember(anchor, value, places);
    add(std::move(value), std::move(places));
  }

  void take_key(Place place, const Json& value, const std::string& text) {
    if (value.is_null()) return refuse(place, "key without text, expected text");
    Frame& frame = stack_.back();
    if (!frame.keys.insert(text).second) {
      return refuse(place, "key '" + text + "' occurs twice in this map");
    }
    frame.key = text;
    frame.key_place = place;
  }

  void open(Place place, const std::string& tag, YAML::anchor_t anchor, Json value) {
    if (error_) return;
    if (is_key_next()) return refuse(place, "list or map as a key, expected text");
    if (!tag.empty() && tag != "?" && tag != "!") {
      return refuse(place, "tag '" + tag + "' is not supported");
    }
    if (std::ssize(stack_) >= kYamlDepthMax) {
      return refuse(place, "nested deeper than " + std::to_string(kYamlDepthMax),
                    ErrorCode::exhausted);
    }
    Frame frame;
    frame.value = std::move(value);
    frame.places.value = place;
    frame.anchor = anchor;
    stack_.push_back(std::move(frame));
  }

  void close() {
    if (error_) return;
    Frame frame = std::move(stack_.back());
    stack_.pop_back();
    remember(frame.anchor, frame.value, frame.places);
    add(std::move(frame.value), std::move(frame.places));
  }

  void remember(YAML::anchor_t anchor, const Json& value, const PlaceTree& places) {
    if (anchor != 0)
      anchored_[anchor] = Anchored{value, places, count_values(places), bytes_of_text(value)};
  }

  void add(Json value, PlaceTree places) {
    if (stack_.empty()) {
      root_.emplace();
      root_->value = std::move(value);
      root_->places = std::move(places);
      return;
    }
    Frame& frame = stack_.back();
    if (frame.value.is_array()) {
      places.key = places.value;
      frame.value.push_back(std::move(value));
    } else {
      places.key = frame.key_place;
      // Keys are known to differ: the search of operator[] would make a map cost the square of its
      // size.
      frame.value.get_ref<Json::object_t&>().emplace_back(*std::exchange(frame.key, std::nullopt),
                                                          std::move(value));
    }
    frame.places.children.push_back(std::move(places));
  }

  std::vector<std::string_view> lines_;
  const std::string& file_;
  std::vector<Frame> stack_;
  std::map<YAML::anchor_t, Anchored> anchored_;
  std::int64_t alias_values_ = 0;
  std::int64_t alias_bytes_ = 0;
  // Where place_of counted last.
  mutable std::size_t counted_line_ = 0;
  mutable std::size_t counted_bytes_ = 0;
  mutable std::size_t counted_points_ = 0;
  std::optional<Frame> root_;
  bool is_done_ = false;
  std::optional<Error> error_;
};

}  // namespace

YamlView YamlView::element(std::int64_t index) const {
  const auto at = static_cast<std::size_t>(index);
  return {&value->at(at), &places->children.at(at)};
}

YamlView YamlView::member_at(std::int64_t index) const {
  const auto& members = value->get_ref<const Json::object_t&>();
  return {&(members.begin() + index)->second,
          &places->children.at(static_cast<std::size_t>(index))};
}

std::optional<YamlView> YamlView::find(std::string_view key) const {
  if (!value->is_object()) return std::nullopt;
  const auto& members = value->get_ref<const Json::object_t&>();
  const auto found = std::ranges::find(
      members, key, [](const auto& member) -> std::string_view { return member.first; });
  if (found == members.end()) return std::nullopt;
  return member_at(found - members.begin());
}

Result<YamlDocument> parse_any_yaml(std::string_view text, const std::string& file,
                                    std::int64_t bytes_max) {
  if (auto checked = check_bytes(text, file, bytes_max); !checked) {
    return std::unexpected(std::move(checked).error());
  }
  DocumentBuilder builder(split_lines(text), file);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    if (!builder.has_error()) parser.HandleNextDocument(builder);
  } catch (const YAML::Exception& exception) {
    if (builder.has_error()) return builder.finish();
    return fail(ErrorCode::invalid, "not YAML: " + exception.msg,
                located(file, builder.place_of(exception.mark)));
  }
  return builder.finish();
}

Result<YamlDocument> parse_yaml(std::string_view text, const std::string& file,
                                std::int64_t bytes_max) {
  if (auto checked = check_bytes(text, file, bytes_max); !checked) {
    return std::unexpected(std::move(checked).error());
  }
  DocumentBuilder builder(split_lines(text), file);
  if (read_plain_yaml(text, builder)) return builder.finish();
  return parse_any_yaml(text, file, bytes_max);
}

}  // namespace plumb::simulator
