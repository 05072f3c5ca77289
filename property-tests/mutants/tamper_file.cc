// SPDX-License-Identifier: Apache-2.0
// Reads tamper files.
#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "engine/values/suggest.h"
#include "property-tests/mutants/tamper.h"
#include "simulator/script/source.h"
#include "simulator/script/yaml.h"

namespace plumb::simulator {
namespace {

constexpr std::int64_t kTamperBytesMax = 1 << 16;

class TamperReader {
 public:
  explicit TamperReader(const YamlDocument& document) : document_(document) {}

  Checked<Tamper> read();

 private:
  void complain(Place place, std::string message) {
    errors_.push_back({ErrorCode::invalid, std::move(message), located(document_.file, place)});
  }
  void check_keys(YamlView map, std::span<const std::string_view> known);
  std::string text(YamlView map, std::string_view key);
  std::vector<std::string> texts(YamlView map, std::string_view key);
  EventPattern pattern(YamlView map, std::string_view key);
  void read_edit(YamlView map, Tamper& tamper);
  void read_move(YamlView map, TamperEdit& edit);
  void read_set(YamlView map, TamperEdit& edit);

  const YamlDocument& document_;
  std::vector<Error> errors_;
};

void TamperReader::check_keys(YamlView map, std::span<const std::string_view> known) {
  std::int64_t position = 0;
  for (const auto& [key, value] : map.value->items()) {
    const YamlView member = map.member_at(position++);
    if (std::ranges::find(known, key) != known.end()) continue;
    const auto hint = did_you_mean(key, known);
    complain(member.key_place(),
             "unknown key '" + key + "'" + (hint.empty() ? "" : "; did you mean '" + hint + "'?"));
  }
}

std::string TamperReader::text(YamlView map, std::string_view key) {
  const auto member = map.find(key);
  if (!member || !member->value->is_string()) {
    complain(member ? member->place() : map.place(), "'" + std::string(key) + "' must be a text");
    return "";
  }
  return member->value->get<std::string>();
}

std::vector<std::string> TamperReader::texts(YamlView map, std::string_view key) {
  std::vector<std::string> list;
  const auto member = map.find(key);
  if (!member) return list;
  for (std::int64_t i = 0; member->value->is_array() && i < member->size(); ++i) {
    const Json& value = *member->element(i).value;
    if (value.is_string()) list.push_back(value.get<std::string>());
  }
  if (!member->value->is_array() || static_cast<std::int64_t>(list.size()) != member->size()) {
    complain(member->place(), "'" + std::string(key) + "' must be a list of texts");
  }
  return list;
}

EventPattern TamperReader::pattern(YamlView map, std::string_view key) {
  const auto written = text(map, key);
  if (written.empty()) return {};
  auto parsed = parse_event_pattern(written);
  if (parsed) return *std::move(parsed);
  complain(map.find(key)->place(), parsed.error().message);
  return {};
}

void TamperReader::read_move(YamlView map, TamperEdit& edit) {
  edit.is_before = map.find("before").has_value();
  if (edit.is_before == map.find("after").has_value()) {
    return complain(map.place(), "'move' needs either 'before' or 'after'");
  }
  edit.where = pattern(map, edit.is_before ? "before" : "after");
}

void TamperReader::read_set(YamlView map, TamperEdit& edit) {
  edit.field = text(map, "field");
  if (!edit.field.starts_with("/")) {
    complain(map.place(), "'field' must be a JSON Pointer such as /args/path");
  }
  const auto value = map.find("value");
  if (!value) return complain(map.place(), "'set' needs 'value'");
  edit.value = *value->value;
}

void TamperReader::read_edit(YamlView map, Tamper& tamper) {
  using Action = TamperEdit::Action;
  constexpr std::array<std::string_view, 8> kKeys{"drop",   "duplicate", "move",  "set",
                                                  "before", "after",     "field", "value"};
  if (!map.value->is_object()) return complain(map.place(), "an edit must be a map");
  check_keys(map, kKeys);
  for (std::size_t i = 0; i < 4; ++i) {
    if (!map.find(kKeys[i])) continue;
    TamperEdit edit;
    edit.action = static_cast<Action>(i);
    edit.what = pattern(map, kKeys[i]);
    if (edit.action == Action::move) read_move(map, edit);
    if (edit.action == Action::set) read_set(map, edit);
    tamper.edits.push_back(std::move(edit));
    return;
  }
  complain(map.place(), "an edit must be drop, duplicate, move or set");
}

Checked<Tamper> TamperReader::read() {
  constexpr std::array<std::string_view, 4> kKeys{"rule", "scenario", "tamper", "also"};
  const YamlView root = document_.view();
  Tamper tamper;
  tamper.file = document_.file;
  if (root.value->is_object()) {
    check_keys(root, kKeys);
    tamper.rule = text(root, "rule");
    tamper.scenario = text(root, "scenario");
    tamper.also = texts(root, "also");
    const auto edits = root.find("tamper");
    if (!edits || !edits->value->is_array() || edits->size() == 0) {
      complain(root.place(), "'tamper' must be a list of edits");
    } else {
      for (std::int64_t i = 0; i < edits->size(); ++i) read_edit(edits->element(i), tamper);
    }
  } else {
    complain(root.place(), "a tamper file must be a map");
  }
  if (!errors_.empty()) return std::unexpected(std::move(errors_));
  return tamper;
}

}  // namespace

Checked<Tamper> parse_tamper(std::string_view text, const std::string& file) {
  auto document = parse_yaml(text, file, kTamperBytesMax);
  if (!document) return std::unexpected(std::vector<Error>{std::move(document).error()});
  return TamperReader(*document).read();
}

namespace {

Checked<std::vector<std::string>> tamper_files(const std::string& rules_folder) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator it(rules_folder, error), end; it != end && !error;
       it.increment(error)) {
    if (it.depth() > 0 && it->path().extension() == ".yaml") files.push_back(it->path().string());
  }
  if (error) {
    return std::unexpected(
        std::vector<Error>{{ErrorCode::not_found, "cannot read the folder", rules_folder}});
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

Checked<std::vector<Tamper>> load_tampers(const std::string& rules_folder) {
  const auto files = tamper_files(rules_folder);
  if (!files) return std::unexpected(files.error());
  std::vector<Tamper> tampers;
  std::vector<Error> errors;
  for (const auto& file : *files) {
    const auto text = read_source(file, kTamperBytesMax);
    if (!text) {
      errors.push_back(text.error());
      continue;
    }
    auto tamper = parse_tamper(*text, file);
    if (tamper) {
      tampers.push_back(*std::move(tamper));
    } else {
      errors.insert(errors.end(), tamper.error().begin(), tamper.error().end());
    }
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return tampers;
}

}  // namespace plumb::simulator
