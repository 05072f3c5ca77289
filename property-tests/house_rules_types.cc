// SPDX-License-Identifier: Apache-2.0
// One name, one type: two types of one name in one namespace end up in one program as one, which no
// compiler and no linker tells.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "property-tests/house_rules.h"

namespace plumb {
namespace {

/// The type that a line at the first column begins to define.
std::optional<std::string_view> type_in(std::string_view line) {
  constexpr std::array<std::string_view, 4> kWords{"enum class ", "class ", "struct ", "union "};
  for (const auto word : kWords) {
    if (!line.starts_with(word)) continue;
    line.remove_prefix(word.size());
    if (line.ends_with(';')) return std::nullopt;
    if (line.starts_with("[[")) line.remove_prefix(std::min(line.find("]] ") + 3, line.size()));
    const auto end = line.find_first_of(" :{<");
    // A type within another has that one's name before its own.
    if (end != line.npos && line.substr(end).starts_with("::")) return std::nullopt;
    return line.substr(0, end);
  }
  return std::nullopt;
}

/// Follows namespaces, which stand at the first column and are closed by name.
class Namespaces {
 public:
  void see(std::string_view line) {
    if (line == "namespace {") {
      open_.emplace_back();
    } else if (line.starts_with("namespace ") && line.ends_with(" {")) {
      open_.emplace_back(line.substr(10, line.find_last_not_of(" {") - 9));
    } else if (line.starts_with("}  //") && line.contains("namespace") && !open_.empty()) {
      open_.pop_back();
    }
  }
  bool is_file_local() const {
    for (const auto& name : open_) {
      if (name.empty()) return true;
    }
    return false;
  }
  std::string name() const {
    std::string text;
    for (const auto& name : open_) text += name + "::";
    return text;
  }

 private:
  std::vector<std::string> open_;
};

}  // namespace

Violations check_type_names(std::span<const SourceFile> files) {
  Violations found;
  std::map<std::string, std::string> owners;
  for (const auto& file : files) {
    if (!is_cpp(file.path)) continue;
    Namespaces namespaces;
    std::int64_t number = 0;
    for (const auto line : lines_of(file.text)) {
      ++number;
      namespaces.see(line);
      const auto type = type_in(line);
      if (!type || type->empty() || namespaces.is_file_local()) continue;
      const std::string name = namespaces.name() + std::string(*type);
      const auto [owner, is_new] = owners.try_emplace(name, file.path);
      if (is_new || owner->second == file.path) continue;
      found.push_back({file.path, number, "type", name + " is also a type of " + owner->second});
    }
  }
  return found;
}

}  // namespace plumb
