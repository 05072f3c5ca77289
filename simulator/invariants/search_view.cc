// SPDX-License-Identifier: Apache-2.0
#include "simulator/invariants/search_view.h"

#include <algorithm>
#include <cmath>

#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

/// The key of the searched path, "" for the workspace; nothing for what lies elsewhere.
std::optional<std::string> searched_key(const Call& call, const Story& story) {
  if (setting("cwd", story).is_string() && setting("cwd", story) != ".") return std::nullopt;
  std::string path = search_text(call, "path");
  while (path.ends_with('/')) path.pop_back();
  if (path.empty() || path == "." || path == story.workspace()) return "";
  const auto key = linked_key(path, story);
  if (first_file(key, story) == nullptr) return std::nullopt;
  return key;
}

void take_apart(SearchView& view, const std::string& text) {
  std::string body = text;
  const auto notice = text.starts_with('[') ? 0 : text.rfind("\n\n[");
  if (notice != std::string::npos && text.ends_with(']')) {
    view.notice = text.substr(notice);
    body = text.substr(0, notice);
  }
  view.lines = searched_lines(body);
}

bool is_plain_letter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == ' ' ||
         c == '_' || c == '-';
}

}  // namespace

bool SearchView::has_folder(const std::string& path) const {
  const auto found = below.find(path);
  if (found != below.end()) return at(found->second, "dir") == true;
  const auto first = below.lower_bound(path + "/");
  return first != below.end() && first->first.starts_with(path + "/");
}

const std::string* SearchView::text_of(const std::string& path) const {
  const auto found = below.find(path);
  if (found == below.end()) return nullptr;
  const Json& text = at(found->second, "text");
  return text.is_string() ? text.get_ptr<const std::string*>() : nullptr;
}

const Event* search_end(const Call& call) {
  return first(call, "tool_execution_end");
}

bool is_builtin_search(const Call& call, std::string_view tool, const Story& story) {
  if (call.name != tool || begin_of(call) == nullptr || end_of(call) == nullptr) return false;
  const Json* entry = tool_of(call, story);
  return (entry == nullptr || view_at(*entry, "level") == "builtin") &&
         abort_during(call, story) < 0 && has_own_result(call);
}

std::optional<SearchView> search_view(const Call& call, const Story& story) {
  if (story.final_files == nullptr) return std::nullopt;
  const Json& listing = story.final_files->before.get();
  if (!listing.is_object() || listing != story.final_files->files.get()) return std::nullopt;
  const auto key = searched_key(call, story);
  if (!key) return std::nullopt;
  SearchView view;
  view.root = *key;
  const Json* root = view.root.empty() ? nullptr : first_file(view.root, story);
  view.is_folder = root == nullptr || at(*root, "dir") == true;
  if (!view.is_folder) view.below[view.root.substr(view.root.rfind('/') + 1)] = *root;
  const std::string prefix = view.root.empty() ? "" : view.root + "/";
  for (const auto& [path, state] : listing.items()) {
    const bool is_below = view.is_folder && path.starts_with(prefix) && path != view.root;
    if (is_below) view.below[path.substr(prefix.size())] = state;
  }
  take_apart(view, result_text(call));
  return view;
}

const Json& search_argument(const Call& call, const char* key) {
  return at(begin_of(call)->args.get(), key);
}

std::string search_text(const Call& call, const char* key) {
  return text_at(begin_of(call)->args.get(), key);
}

std::int64_t search_limit(const Call& call, std::int64_t fallback) {
  const Json& given = search_argument(call, "limit");
  if (!given.is_number()) return fallback;
  return static_cast<std::int64_t>(std::clamp(std::floor(given.get<double>()), 1.0, 9.0e15));
}

std::optional<GrepLine> grep_line(const std::string& line, const SearchView& view) {
  for (const auto& [path, state] : view.below) {
    const bool is_at = line.starts_with(path) && line.size() > path.size() &&
                       (line[path.size()] == ':' || line[path.size()] == '-');
    if (!is_at) continue;
    const char mark = line[path.size()];
    const auto begin = path.size() + 1;
    const auto end = line.find_first_not_of("0123456789", begin);
    const bool has_number = end != std::string::npos && end > begin && end - begin < 10;
    if (!has_number || line.compare(end, 2, std::string(1, mark) + " ") != 0) continue;
    return GrepLine{path, std::stoll(line.substr(begin, end - begin)), line.substr(end + 2),
                    mark == ':'};
  }
  return std::nullopt;
}

std::vector<std::string> searched_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t from = 0; from < text.size();) {
    const auto end = std::min(text.find('\n', from), text.size());
    const bool has_return = end > from && text[end - 1] == '\r';
    lines.push_back(text.substr(from, end - from - (has_return ? 1 : 0)));
    from = end + 1;
  }
  return lines;
}

bool is_plain(std::string_view pattern) {
  return !pattern.empty() && std::ranges::all_of(pattern, is_plain_letter);
}

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

bool has_ignore_files(const SearchView& view) {
  return std::ranges::any_of(view.below, [](const auto& entry) {
    const auto name = std::string_view(entry.first).substr(entry.first.rfind('/') + 1);
    return name == ".gitignore" || name == ".ignore" || name == ".rgignore" || name == ".fdignore";
  });
}

bool has_plain_ignore_file(const SearchView& view) {
  const std::string* rules = view.text_of(".gitignore");
  if (rules == nullptr) return !has_ignore_files(view);
  const auto lines = searched_lines(*rules);
  return std::ranges::all_of(lines, [](const std::string& line) {
    return line.starts_with("*.") && is_plain(line.substr(2));
  });
}

std::optional<PlainGlob> plain_glob(std::string text) {
  PlainGlob glob;
  glob.is_negated = text.starts_with('!');
  if (glob.is_negated) text.erase(0, 1);
  if (text.starts_with("./")) text.erase(0, 2);
  const auto star = text.find("*.");
  if (star == std::string::npos || !is_plain(text.substr(star + 2))) return std::nullopt;
  glob.ending = text.substr(star + 1);
  glob.folder = text.substr(0, star == 0 ? 0 : star - 1);
  const bool is_folder = star == 0 || (text[star - 1] == '/' && is_plain(glob.folder));
  return is_folder ? std::optional(glob) : std::nullopt;
}

std::string limit_is_told(std::int64_t limit, std::int64_t total, std::int64_t shown,
                          const SearchView& view) {
  if (shown != std::min(limit, total)) return "not as many are shown as the limit says";
  if (total <= limit) return view.notice.empty() ? "" : "a notice says that there is more";
  return says_number(view.notice, 2 * limit) ? "" : "no notice names the doubled limit";
}

std::string detail_is(const Call& call, const char* key, std::int64_t limit, bool is_reached) {
  const Json& detail = at(at(result_of(call), "details"), key);
  const bool is_told = is_reached ? detail == limit : detail.is_null();
  return is_told ? "" : std::string("details.") + key + " is not what was reached";
}

Condition<Call> has_search(std::string tool, SearchTest test) {
  return [tool = std::move(tool), test](const Call& call, const Story& story) {
    if (!is_builtin_search(call, tool, story) || is_error(call)) return false;
    const auto view = search_view(call, story);
    return view && test(*view, call);
  };
}

std::function<Complaint(const Call&, const Story&)> search_is(SearchVerdict verdict) {
  return [verdict](const Call& call, const Story& story) -> Complaint {
    const std::string odd = verdict(*search_view(call, story), call);
    return require(odd.empty(), odd, search_end(call));
  };
}

}  // namespace plumb::invariants
