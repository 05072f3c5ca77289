// SPDX-License-Identifier: Apache-2.0
// What grep shows is there, and what is there it shows. Patterns are judged where they are plain
// enough to be worked out by letters.
#include <algorithm>
#include <set>

#include "simulator/invariants/domains.h"
#include "simulator/invariants/search_view.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

constexpr std::size_t kGrepLineUnits = 500;

// ------------------------------------------------------------------ grep

bool has_match(const std::string& line, const Call& call) {
  const auto pattern = search_text(call, "pattern");
  if (search_argument(call, "ignoreCase") == true) return lower(line).contains(lower(pattern));
  return line.contains(pattern);
}

/// The lines of the match, by path, in files whose text is known.
using Matches = std::set<std::pair<std::string, std::int64_t>>;

Matches matches_in(const SearchView& view, const Call& call) {
  Matches found;
  for (const auto& [path, state] : view.below) {
    const std::string* text = view.text_of(path);
    if (text == nullptr) continue;
    std::int64_t number = 0;
    for (const auto& line : searched_lines(*text)) {
      ++number;
      if (has_match(line, call)) found.emplace(path, number);
    }
  }
  return found;
}

Matches matches_shown(const SearchView& view) {
  Matches shown;
  for (const auto& line : view.lines) {
    const auto read = grep_line(line, view);
    if (read && read->is_match) shown.emplace(read->path, read->number);
  }
  return shown;
}

bool has_plain_pattern(const SearchView&, const Call& call) {
  return is_plain(search_text(call, "pattern"));
}

/// Every match is known: the text of every file is, and no glob chooses.
bool knows_all_matches(const SearchView& view, const Call& call) {
  const bool is_text = std::ranges::all_of(view.below, [&](const auto& entry) {
    return view.text_of(entry.first) != nullptr || view.has_folder(entry.first) ||
           !at(entry.second, "link").is_null();
  });
  return is_text && has_plain_pattern(view, call) && search_text(call, "glob").empty() &&
         view.root.empty();
}

bool shows_matches(const SearchView& view, const Call& call) {
  return has_plain_pattern(view, call) && !matches_shown(view).empty();
}

/// The text of the line without what is cut off at its end.
std::string kept_part(std::string text) {
  const auto mark = text.rfind("... [");
  return text.ends_with(']') && mark != std::string::npos ? text.substr(0, mark) : text;
}

std::string lines_are_true(const SearchView& view, const Call& call) {
  for (const auto& line : view.lines) {
    const auto read = grep_line(line, view);
    if (!read) return "a line is not path:number: text of a file: " + line;
    const std::string* text = view.text_of(read->path);
    if (text == nullptr) continue;
    const auto lines = searched_lines(*text);
    if (read->number < 1 || read->number > std::ssize(lines)) return "there is no line " + line;
    const auto& whole = lines[static_cast<std::size_t>(read->number - 1)];
    if (!whole.starts_with(kept_part(read->text))) return "the line has another text: " + line;
    if (read->is_match && !has_match(whole, call)) return "the line has no match: " + line;
  }
  return "";
}

/// .gitignore counts where .git is: only names of the form *.ending are worked out.
bool is_ignored(const std::string& path, const SearchView& view) {
  const std::string* rules = view.text_of(".gitignore");
  const bool is_repository = view.has_folder(".git");
  if (rules == nullptr || !is_repository) return false;
  const auto lines = searched_lines(*rules);
  return std::ranges::any_of(lines, [&](const std::string& line) {
    return line.starts_with("*.") && path.ends_with(line.substr(1));
  });
}

bool is_by_defaults(const SearchView& view, const Call& call) {
  return knows_all_matches(view, call) && has_plain_ignore_file(view) && view.notice.empty() &&
         search_argument(call, "ignoreCase") != true && !matches_in(view, call).empty();
}

std::string finds_by_defaults(const SearchView& view, const Call& call) {
  Matches wanted = matches_in(view, call);
  std::erase_if(wanted, [&](const auto& match) { return is_ignored(match.first, view); });
  const Matches shown = matches_shown(view);
  for (const auto& [path, number] : wanted) {
    if (!shown.contains({path, number})) return "a match is left out in " + path;
  }
  return shown == wanted ? "" : "more is shown than the files that are searched have";
}

bool has_no_match(const Call& call, const Story& story) {
  if (!is_builtin_search(call, "grep", story)) return false;
  const auto view = search_view(call, story);
  return view && knows_all_matches(*view, call) && matches_in(*view, call).empty();
}

Complaint is_no_failure(const Call& call, const Story& story) {
  if (is_error(call)) return finding("no match is an error", search_end(call));
  const auto view = search_view(call, story);
  return require(!view->lines.empty() && matches_shown(*view).empty(),
                 "no match is told by no sentence", search_end(call));
}

bool has_grep_limit(const SearchView& view, const Call& call) {
  return knows_all_matches(view, call) && !has_ignore_files(view) &&
         at(at(result_of(call), "details"), "truncation").is_null() &&
         std::ssize(matches_in(view, call)) >= search_limit(call, 100);
}

std::string grep_keeps_its_limit(const SearchView& view, const Call& call) {
  const auto limit = search_limit(call, 100);
  const auto total = std::ssize(matches_in(view, call));
  const auto odd = limit_is_told(limit, total, std::ssize(matches_shown(view)), view);
  return odd.empty() ? detail_is(call, "matchLimitReached", limit, total > limit) : odd;
}

bool shows_a_long_line(const SearchView& view, const Call& call) {
  const auto matches = matches_in(view, call);
  return has_plain_pattern(view, call) && std::ranges::any_of(matches, [&](const auto& match) {
           const auto lines = searched_lines(*view.text_of(match.first));
           return lines[static_cast<std::size_t>(match.second - 1)].size() > 4 * kGrepLineUnits;
         });
}

std::string cuts_long_lines(const SearchView& view, const Call& call) {
  for (const auto& line : view.lines) {
    const auto read = grep_line(line, view);
    if (read && kept_part(read->text).size() > 4 * kGrepLineUnits) return "a line is not cut";
    if (line.contains("\xEF\xBF\xBD")) return "a line is cut within a character";
  }
  if (at(at(result_of(call), "details"), "linesTruncated") != true) {
    return "details.linesTruncated is not true";
  }
  return says_number(view.notice, 500) ? "" : "no notice names the 500 characters";
}

bool has_plain_glob(const SearchView& view, const Call& call) {
  return has_plain_pattern(view, call) && !has_ignore_files(view) && view.notice.empty() &&
         plain_glob(search_text(call, "glob")).has_value();
}

std::string searches_what_the_glob_says(const SearchView& view, const Call& call) {
  const auto glob = *plain_glob(search_text(call, "glob"));
  Matches wanted = matches_in(view, call);
  std::erase_if(wanted,
                [&](const auto& match) { return glob.matches(match.first) == glob.is_negated; });
  return matches_shown(view) == wanted ? "" : "other files are searched than the glob names";
}

/// Nothing is at the path, or the pattern is open.
bool cannot_grep(const Call& call, const Story& story) {
  if (!is_builtin_search(call, "grep", story) || story.final_files == nullptr) return false;
  const auto pattern = search_text(call, "pattern");
  const auto path = search_text(call, "path");
  const bool is_literal = search_argument(call, "literal") == true;
  const bool is_open = !is_literal && (pattern == "(" || pattern == "[");
  const bool is_missing = is_plain(path) && first_file(path, story) == nullptr;
  return is_open || is_missing || pattern.starts_with('-');
}

Complaint fails_or_searches(const Call& call, const Story& story) {
  if (!search_text(call, "pattern").starts_with('-')) {
    return require(is_error(call), "what cannot be searched is no error", search_end(call));
  }
  if (is_error(call)) return finding("a pattern with a dash is an error", search_end(call));
  const auto view = search_view(call, story);
  if (!view || !knows_all_matches(*view, call) || has_ignore_files(*view)) return std::nullopt;
  return require(matches_shown(*view) == matches_in(*view, call),
                 "a pattern with a dash is not searched for", search_end(call));
}

}  // namespace

std::vector<Rule> grep_rules() {
  return {
      rule("GREP-02", "each line of grep names a file below the path, a line of it and its text")
          .for_each_call()
          .when(has_search("grep", shows_matches))
          .expect(search_is(lines_are_true)),
      rule("GREP-03", "grep shows every match of a plain pattern in files that are not ignored")
          .for_each_call()
          .when(has_search("grep", is_by_defaults))
          .expect(search_is(finds_by_defaults)),
      rule("GREP-04", "a plain pattern that no file has is a success with a sentence")
          .for_each_call()
          .when(has_no_match)
          .expect(is_no_failure),
      rule("GREP-05", "as many matches as the limit; notice and details only if there are more")
          .for_each_call()
          .when(has_search("grep", has_grep_limit))
          .expect(search_is(grep_keeps_its_limit)),
      rule("GREP-07", "a line above 500 characters is cut between characters, and that is told")
          .for_each_call()
          .when(has_search("grep", shows_a_long_line))
          .expect(search_is(cuts_long_lines)),
      rule("GREP-08", "*.x is about names at any depth, folder/*.x about the folder; ! negates")
          .for_each_call()
          .when(has_search("grep", has_plain_glob))
          .expect(search_is(searches_what_the_glob_says)),
      rule("GREP-09",
           "a missing path and an open pattern are errors, a dash begins an ordinary pattern")
          .for_each_call()
          .when(cannot_grep)
          .expect(fails_or_searches),
  };
}

}  // namespace plumb::invariants
