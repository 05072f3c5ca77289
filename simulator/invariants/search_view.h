// SPDX-License-Identifier: Apache-2.0
// What a call of the built-in grep, find or ls searched and showed. Worked out from the listing of
// the workspace, for runs that change no file.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/invariants/rule.h"
#include "simulator/invariants/story.h"

namespace plumb::invariants {

/// A line that grep shows: a match, or a line of its context.
struct GrepLine {
  std::string path;
  std::int64_t number = 0;
  std::string text;
  bool is_match = false;
};

struct SearchView {
  /// The searched folder or file in the listing's words; "" is the workspace.
  std::string root;
  bool is_folder = false;
  /// What lies below the folder, by its path from there; of a file, its name alone.
  std::map<std::string, Json> below;
  std::vector<std::string> lines;  ///< As shown, without the notice.
  std::string notice;              ///< In brackets at the end, or "".

  bool has_folder(const std::string& path) const;
  /// The text of a file below; null if it is none or is not known.
  const std::string* text_of(const std::string& path) const;
};

const Event* search_end(const Call& call);
/// Whether it is a call of that built-in tool that ran to its end, whose result nobody touched.
bool is_builtin_search(const Call& call, std::string_view tool, const Story& story);
/// Nothing if the listing does not tell what is searched, or a file changes in the run.
std::optional<SearchView> search_view(const Call& call, const Story& story);
/// An argument, or null.
const Json& search_argument(const Call& call, const char* key);
std::string search_text(const Call& call, const char* key);
/// The limit as the tool has to take it: whole and at least 1.
std::int64_t search_limit(const Call& call, std::int64_t fallback);
/// The line as grep writes it; nothing if it is not of that form or names no file below.
std::optional<GrepLine> grep_line(const std::string& line, const SearchView& view);
/// The lines of a text, without line feeds and carriage returns before them.
std::vector<std::string> searched_lines(const std::string& text);

/// A pattern of letters, digits, blanks, _ and - stands for itself.
bool is_plain(std::string_view pattern);
/// In small letters, as far as ASCII goes.
std::string lower(std::string text);
/// Ignore files lie below: they would have to be read.
bool has_ignore_files(const SearchView& view);
/// There is none but a .gitignore at the top with lines of the form *.ending, or none at all.
bool has_plain_ignore_file(const SearchView& view);

/// *.ending, or folder/*.ending, perhaps with ./ or ! in front.
struct PlainGlob {
  std::string folder;
  std::string ending;
  bool is_negated = false;

  bool matches(const std::string& path) const {
    const auto slash = path.rfind('/');
    const auto in = slash == std::string::npos ? "" : path.substr(0, slash);
    return path.ends_with(ending) && (folder.empty() || in == folder);
  }
};

/// Nothing if the glob is of another form.
std::optional<PlainGlob> plain_glob(std::string text);

/// What is wrong with the number of results of a limit and with its notice, or "".
std::string limit_is_told(std::int64_t limit, std::int64_t total, std::int64_t shown,
                          const SearchView& view);
/// The same of the member of the details that names the limit.
std::string detail_is(const Call& call, const char* key, std::int64_t limit, bool is_reached);

using SearchTest = bool (*)(const SearchView& view, const Call& call);

/// A successful call of the tool in a known folder or file.
Condition<Call> has_search(std::string tool, SearchTest test);

using SearchVerdict = std::string (*)(const SearchView& view, const Call& call);

/// Complains of what the verdict says; "" is nothing.
std::function<Complaint(const Call&, const Story&)> search_is(SearchVerdict verdict);

}  // namespace plumb::invariants
