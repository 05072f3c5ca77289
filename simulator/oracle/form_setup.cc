// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <set>

#include "simulator/oracle/form_report.h"
#include "simulator/oracle/form_values.h"
#include "simulator/script/words.h"

namespace plumb::simulator {
namespace {

void check_generated(FormReport& form, const Json& gen, const std::string& at) {
  constexpr std::array<std::string_view, 2> kinds{"lines", "repeat"};
  const Json kind = gen.value("kind", Json());
  form.check_word(kind, below(at, "kind"), "kind of generated file", kinds);
  const auto fields = kind == "repeat" ? kGeneratedRepeatForm : kGeneratedLinesForm;
  if (!form.check_object(gen, at, fields) || generated_size(gen) <= kGeneratedBytesMax) return;
  form.report(at, "a generated file of more than 64 MiB");
}

void check_extension(FormReport& form, const Json& extension, const std::string& at) {
  if (!form.check_object(extension, at, kExtensionForm) || !extension.contains("fail")) return;
  constexpr std::array<std::string_view, 4> ways{"throw", "syntax", "no factory",
                                                 "action in factory"};
  form.check_word(extension["fail"], below(at, "fail"), "way to fail", ways);
}

void check_file(FormReport& form, const Json& file, const std::string& at) {
  if (!form.check_object(file, at, kFileForm)) return;
  form.check_inside(file["path"], below(at, "path"));
  constexpr std::array<const char*, 4> bodies{"text", "b64", "gen", "extension"};
  if (std::ranges::count_if(bodies, [&](const char* key) { return file.contains(key); }) != 1) {
    form.report(at, "a file has one of text, b64, gen and extension");
  }
  if (file.contains("gen")) check_generated(form, file["gen"], below(at, "gen"));
  if (file.contains("extension")) check_extension(form, file["extension"], below(at, "extension"));
}

/// The first path in `leaves` that `path` lies below, or empty.
std::string_view leaf_above(std::string_view path,
                            const std::set<std::string, std::less<>>& leaves) {
  for (std::size_t end = path.find('/'); end != path.npos; end = path.find('/', end + 1)) {
    if (leaves.contains(path.substr(0, end))) return path.substr(0, end);
  }
  return {};
}

/// A path twice, or below a file: the world could not be made.
void check_places(FormReport& form, const Json& setup) {
  std::set<std::string, std::less<>> leaves;
  std::set<std::string> folders;
  form.check_each(setup, "dirs", "/setup", [&](const Json& folder, const std::string& /*at*/) {
    folders.insert(folder.get<std::string>());
  });
  for (const char* key : {"files", "symlinks", "hardlinks"}) {
    form.check_each(setup, key, "/setup", [&](const Json& entry, const std::string& at) {
      const std::string path = entry.value("path", "");
      if (!leaves.insert(path).second || folders.contains(path)) {
        form.report(below(at, "path"), "path " + in_quotes(path) + " stands there twice");
      }
    });
  }
  form.check_each(setup, "files", "/setup", [&](const Json& entry, const std::string& at) {
    const std::string path = entry.value("path", "");
    if (leaf_above(path, leaves).empty()) return;
    form.report(below(at, "path"), "path " + in_quotes(path) + " lies below another file");
  });
}

}  // namespace

void check_setup(FormReport& form, const Json& setup) {
  if (!form.check_object(setup, "/setup", kSetupForm)) return;
  form.check_each(setup, "files", "/setup",
                  [&](const Json& file, const std::string& at) { check_file(form, file, at); });
  for (const char* key : {"symlinks", "hardlinks"}) {
    form.check_each(setup, key, "/setup", [&](const Json& link, const std::string& at) {
      if (form.check_object(link, at, kLinkForm))
        form.check_inside(link["path"], below(at, "path"));
    });
  }
  form.check_each(setup, "hardlinks", "/setup", [&](const Json& link, const std::string& at) {
    if (link.is_object()) form.check_inside(link.value("target", Json()), below(at, "target"));
  });
  form.check_each(setup, "dirs", "/setup", [&](const Json& folder, const std::string& at) {
    form.check_inside(folder, at);
  });
  if (setup.contains("home")) form.check_inside(setup["home"], "/setup/home");
  form.check_modes(setup, "/setup");
  form.check_environment(setup, "/setup");
  if (form.problems.empty()) check_places(form, setup);
}

}  // namespace plumb::simulator
