// SPDX-License-Identifier: Apache-2.0
// What find and ls show is there, and what is there they show. Patterns are judged where they are
// plain enough to be worked out by letters.
#include <algorithm>
#include <set>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/search_view.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

// ------------------------------------------------------------------ find

bool shows_paths(const SearchView& view, const Call&) {
  return view.is_folder && !view.lines.empty() &&
         (view.below.contains(view.lines[0]) || view.lines[0].ends_with('/') ||
          view.lines[0].contains('/'));
}

std::string paths_are_there(const SearchView& view, const Call&) {
  for (const auto& line : view.lines) {
    const bool is_folder = line.ends_with('/');
    const auto path = line.substr(0, line.size() - (is_folder ? 1 : 0));
    if (!view.below.contains(path) && !view.has_folder(path)) return "there is no " + line;
    if (view.has_folder(path) != is_folder) return "/ is not at the end of a folder: " + line;
  }
  return "";
}

/// The paths that a pattern of the form *.ending or folder/*.ending finds.
std::set<std::string> paths_wanted(const SearchView& view, const Call& call) {
  const auto text = search_text(call, "pattern");
  const auto glob = *plain_glob(text);
  const bool sees_case = lower(text) != text;
  std::set<std::string> wanted;
  for (const auto& [path, state] : view.below) {
    const bool is_match = sees_case ? glob.matches(path) : glob.matches(lower(path));
    if (is_match) wanted.insert(view.has_folder(path) ? path + "/" : path);
  }
  return wanted;
}

/// Folders of a name are compared as they are written.
bool has_plain_find(const SearchView& view, const Call& call) {
  const auto glob = plain_glob(search_text(call, "pattern"));
  return view.is_folder && glob && !glob->is_negated && glob->folder == lower(glob->folder);
}

bool finds_by_pattern(const SearchView& view, const Call& call) {
  return has_plain_find(view, call) && !has_ignore_files(view) && view.notice.empty() &&
         !paths_wanted(view, call).empty();
}

std::string finds_just_those(const SearchView& view, const Call& call) {
  const std::set<std::string> shown(view.lines.begin(), view.lines.end());
  return shown == paths_wanted(view, call) ? "" : "other paths are shown than the pattern means";
}

/// With one ignore file, at the top, of names like *.ending.
bool finds_beside_ignored(const SearchView& view, const Call& call) {
  return has_plain_find(view, call) && view.text_of(".gitignore") != nullptr &&
         has_plain_ignore_file(view) && view.notice.empty();
}

std::string leaves_out_just_the_ignored(const SearchView& view, const Call& call) {
  auto wanted = paths_wanted(view, call);
  for (const auto& rule : searched_lines(*view.text_of(".gitignore"))) {
    std::erase_if(wanted, [&](const auto& path) { return path.ends_with(rule.substr(1)); });
  }
  std::set<std::string> shown(view.lines.begin(), view.lines.end());
  if (wanted.empty()) shown = paths_are_there(view, call).empty() ? shown : wanted;
  return shown == wanted ? "" : "an ignored path is shown, or another one left out";
}

bool has_find_limit(const SearchView& view, const Call& call) {
  return has_plain_find(view, call) && !has_ignore_files(view);
}

std::string find_keeps_its_limit(const SearchView& view, const Call& call) {
  const auto limit = search_limit(call, 1000);
  const auto total = std::ssize(paths_wanted(view, call));
  if (total == 0) return view.lines.empty() ? "nothing found is told by no sentence" : "";
  const auto odd = limit_is_told(limit, total, std::ssize(view.lines), view);
  return odd.empty() ? detail_is(call, "resultLimitReached", limit, total > limit) : odd;
}

bool is_no_folder(const std::string& path, const Story& story) {
  if (!is_plain(path) || story.final_files == nullptr) return false;
  const Json* state = first_file(path, story);
  return state == nullptr ? final_file(path, story) == nullptr : !at(*state, "sha256").is_null();
}

bool finds_in_no_folder(const Call& call, const Story& story) {
  return is_builtin_search(call, "find", story) && is_no_folder(search_text(call, "path"), story);
}

Complaint fails_without_a_folder(const Call& call, const Story&) {
  return require(is_error(call), "what is no folder is no error", search_end(call));
}

// ------------------------------------------------------------------ ls

/// The entries of the folder as they are to be shown.
std::set<std::string> entries_of(const SearchView& view, const Story& story) {
  std::set<std::string> entries;
  const std::string prefix = view.root.empty() ? "" : view.root + "/";
  for (const auto& [path, state] : view.below) {
    const auto name = path.substr(0, path.find('/'));
    const auto target = linked_key(prefix + name, story);
    const Json* end = first_file(target, story);
    const bool is_folder = view.has_folder(name) || (end != nullptr && at(*end, "dir") == true);
    const bool is_there = is_folder || (end != nullptr && at(*end, "link").is_null());
    if (is_there) entries.insert(is_folder ? name + "/" : name);
  }
  return entries;
}

Condition<Call> lists_a_folder(bool (*test)(const SearchView&, const Call&, std::int64_t total)) {
  return [test](const Call& call, const Story& story) {
    if (!is_builtin_search(call, "ls", story) || is_error(call)) return false;
    const auto view = search_view(call, story);
    return view && view->is_folder && test(*view, call, std::ssize(entries_of(*view, story)));
  };
}

bool has_all_entries(const SearchView&, const Call& call, std::int64_t total) {
  return total > 0 && total <= search_limit(call, 500);
}

bool reaches_its_limit(const SearchView&, const Call& call, std::int64_t total) {
  return total >= search_limit(call, 500);
}

/// Names of letters and digits are in the order that everybody agrees on.
bool is_in_order(const std::vector<std::string>& lines) {
  std::vector<std::string> plain;
  for (const auto& line : lines) {
    const auto name = lower(line.substr(0, line.find('/')));
    const bool is_simple = std::ranges::all_of(
        name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); });
    if (is_simple) plain.push_back(name);
  }
  return std::ranges::is_sorted(plain);
}

Complaint lists_the_entries(const Call& call, const Story& story) {
  const auto view = search_view(call, story);
  const std::set<std::string> shown(view->lines.begin(), view->lines.end());
  if (shown != entries_of(*view, story)) {
    return finding("other entries are listed than the folder has", search_end(call));
  }
  return require(is_in_order(view->lines), "the entries are not in the order of their names",
                 search_end(call));
}

Complaint ls_keeps_its_limit(const Call& call, const Story& story) {
  const auto view = search_view(call, story);
  const auto limit = search_limit(call, 500);
  const auto total = std::ssize(entries_of(*view, story));
  auto odd = limit_is_told(limit, total, std::ssize(view->lines), *view);
  if (odd.empty()) odd = detail_is(call, "entryLimitReached", limit, total > limit);
  return require(odd.empty(), odd, search_end(call));
}

bool lists_no_folder(const Call& call, const Story& story) {
  return is_builtin_search(call, "ls", story) && is_no_folder(search_text(call, "path"), story);
}

Complaint names_the_path(const Call& call, const Story& story) {
  if (!is_error(call)) return finding("what is no folder is no error", search_end(call));
  const auto path = story.workspace() + "/" + search_text(call, "path");
  return require(result_text(call).contains(path), "the error does not name the absolute path",
                 search_end(call));
}

}  // namespace

std::vector<Rule> find_rules() {
  return {
      rule("FIND-01", "find shows paths that are there, below the path, folders with a / behind")
          .for_each_call()
          .when(has_search("find", shows_paths))
          .expect(search_is(paths_are_there)),
      rule("FIND-02", "*.x finds names at any depth, folder/*.x in the folder, small letters any")
          .for_each_call()
          .when(has_search("find", finds_by_pattern))
          .expect(search_is(finds_just_those)),
      rule("FIND-03", "find leaves out what .gitignore names, with or without a repository")
          .for_each_call()
          .when(has_search("find", finds_beside_ignored))
          .expect(search_is(leaves_out_just_the_ignored)),
      rule("FIND-04", "as many paths as the limit; notice and details only if there are more")
          .for_each_call()
          .when(has_search("find", has_find_limit))
          .expect(search_is(find_keeps_its_limit)),
      rule("FIND-05", "a path that is no folder is an error")
          .for_each_call()
          .when(finds_in_no_folder)
          .expect(fails_without_a_folder),
  };
}

std::vector<Rule> ls_rules() {
  return {
      rule("LS-01", "ls lists every entry, folders with a / behind, without regard to case")
          .for_each_call()
          .when(lists_a_folder(has_all_entries))
          .expect(lists_the_entries),
      rule("LS-03", "as many entries as the limit; notice and details only if there are more")
          .for_each_call()
          .when(lists_a_folder(reaches_its_limit))
          .expect(ls_keeps_its_limit),
      rule("LS-04", "a missing path and a file are errors that name the absolute path")
          .for_each_call()
          .when(lists_no_folder)
          .expect(names_the_path),
  };
}

}  // namespace plumb::invariants
