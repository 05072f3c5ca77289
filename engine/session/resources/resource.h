// SPDX-License-Identifier: Apache-2.0
// What every kind of resource has in common: where it came from, and what was wrong with it.
#pragma once

#include <string>
#include <utility>

#include "engine/tools/definition.h"

namespace plumb::engine {

/// `type`: warning, error, collision (resources.yaml diagnostic). `kind`: extension, skill, prompt,
/// context, package, settings, trust. A collision names what was claimed and who has it (RES-12).
struct ResourceDiagnostic {
  ResourceDiagnostic(std::string diagnostic_type, std::string of_kind, std::string at_path,
                     std::string text)
      : type(std::move(diagnostic_type)),
        kind(std::move(of_kind)),
        path(std::move(at_path)),
        message(std::move(text)) {}
  std::string type;
  std::string kind;
  std::string path;
  std::string message;
  std::string name;
  std::string winner;
  bool operator==(const ResourceDiagnostic&) const = default;
};

/// `name` is taken by `winner`; the one at `path` is left out.
inline ResourceDiagnostic collision(std::string kind, std::string name, std::string winner,
                                    std::string path) {
  ResourceDiagnostic found("collision", std::move(kind), std::move(path),
                           "the name '" + name + "' is taken by " + winner);
  found.name = std::move(name);
  found.winner = std::move(winner);
  return found;
}

/// A file to load, with where it was found (RES-13).
struct ResourceFile {
  ResourceFile(std::string file, SourceInfo from)
      : path(std::move(file)), source(std::move(from)) {}
  std::string path;
  SourceInfo source;
};

}  // namespace plumb::engine
