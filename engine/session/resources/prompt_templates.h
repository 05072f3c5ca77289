// SPDX-License-Identifier: Apache-2.0
// Prompt templates: texts with parameters that a user calls as /name. They cost nothing until one
// is used (RES-27).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/session/resources/resource.h"
#include "engine/session/resources/resource_files.h"

namespace plumb::engine {

/// A description taken from the first line is cut here (RES-32). UTF-16 code units.
inline constexpr std::int64_t kTemplateDescriptionMax = 60;
/// What one expansion may make. Repeated placeholders multiply long arguments.
inline constexpr std::int64_t kTemplateBytesMax = std::int64_t{16} << 20;

struct PromptTemplate {
  std::string name;
  std::string description;
  std::string argument_hint;
  std::string content;
  std::string file;
  SourceInfo source;
  bool operator==(const PromptTemplate&) const = default;
};

struct TemplateList {
  std::vector<PromptTemplate> templates;
  std::vector<ResourceDiagnostic> diagnostics;  ///< Collisions come last.
};

/// Words of an argument line (RES-30).
std::vector<std::string> split_arguments(std::string_view line);
/// `text` with its placeholders replaced (RES-31). Errors: exhausted, beyond kTemplateBytesMax.
Result<std::string> substitute_arguments(std::string_view text,
                                         std::span<const std::string> arguments);
/// `text` as it is, or the template that it names with its arguments put in (RES-28). Errors: as
/// above.
Result<std::string> expand_template(std::string_view text,
                                    std::span<const PromptTemplate> templates);

/// One loop.
class TemplateFinder final {
 public:
  explicit TemplateFinder(ResourceFiles& files) : files_(files) {}

  /// Loads files, and of folders the .md files directly in them. The first of a name wins (RES-12).
  /// What is not there is passed over.
  Task<TemplateList> load(std::vector<ResourceFile> paths);

 private:
  Task<void> load_file(ResourceFile file);

  ResourceFiles& files_;
  TemplateList list_;
  std::vector<ResourceDiagnostic> collisions_;
  std::vector<std::string> keys_;  ///< Real files read (RES-11).
};

}  // namespace plumb::engine
