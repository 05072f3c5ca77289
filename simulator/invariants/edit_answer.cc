// SPDX-License-Identifier: Apache-2.0
// What edit tells the model and the host: its declaration, its errors, its diffs.
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <memory>
#include <utility>

#include "engine/trace/request_fold.h"
#include "engine/values/utf8.h"
#include "simulator/invariants/domains.h"
#include "simulator/invariants/edit_case.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

bool has_any_of(const std::string& text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](auto word) { return text.contains(word); });
}

// ------------------------------------------------------------------ declaration

/// What a request says of the built-in edit: its declaration, and the system prompt.
struct DeclaredEdit {
  Json tool;
  std::string prompt;
};

using DeclarationVerdict = std::string (*)(const DeclaredEdit&);

/// Recorded requests may have a length and a digest in the place of a text: "<text of NAME, ...>".
bool withholds_text(const DeclaredEdit& declared) {
  const auto text = dump_json(declared.tool) + declared.prompt;
  return text.contains("\"<text of ") && text.contains(" bytes, sha256 ");
}

Finding wording_unknown(const Event& event) {
  Finding found = finding("the trace withholds the words of the declaration", &event);
  found.is_unknowable = true;
  return found;
}

std::string merge_verdict(const DeclaredEdit& declared) {
  const std::string text = lower_case(dump_json(declared.tool) + declared.prompt);
  if (!has_any_of(text, {"unique", "exactly once", "only once"})) return "nothing says unique";
  if (!has_any_of(text, {"disjoint", "overlap"})) return "nothing says disjoint";
  return has_any_of(text, {"merge", "one edit", "single edit"}) ? "" : "nothing says to merge";
}

std::string form_verdict(const DeclaredEdit& declared) {
  const Json& parameters = at(declared.tool, "parameters");
  const Json& schema = parameters.is_null() ? at(declared.tool, "input_schema") : parameters;
  for (const char* key : {"oldText", "newText"}) {
    if (!at(at(schema, "properties"), key).is_null()) {
      return std::string("the schema has a top-level ") + key;
    }
  }
  const std::string text = lower_case(text_at(declared.tool, "description") + declared.prompt);
  const bool advertises = has_any_of(text, {"json string", "legacy", "deprecated", "top-level"});
  return advertises ? "the description speaks of older forms" : "";
}

class EditDeclaration final : public Checker {
 public:
  EditDeclaration(DeclarationVerdict verdict, bool asks_for_words)
      : verdict_(verdict), asks_for_words_(asks_for_words) {}

  void see(const Event& event, const Story& story, Report& report) override {
    if (story.requests.empty() || story.requests.back().event != &event) return;
    const Json* entry = story.tool_at("edit", event.seq);
    if (entry != nullptr && view_at(*entry, "level") != "builtin") return;
    const Json* tool = declaration_in(story.requests.back());
    if (tool == nullptr) return;
    const auto declared = declared_in(story.requests.back(), *tool);
    report.trigger();
    const auto odd = verdict_(declared);
    if (withholds_text(declared) && odd.empty() != asks_for_words_) {
      report.complain(wording_unknown(event));
      return;
    }
    report.complain(require(odd.empty(), "the declaration of edit: " + odd, &event));
  }

 private:
  static const Json* declaration_in(const Request& request) {
    const Json* declaration = nullptr;
    for (const auto& tool : request.tools) {
      if (view_at(tool.get(), "name") == "edit") declaration = &tool.get();
    }
    return declaration;
  }
  static DeclaredEdit declared_in(const Request& request, const Json& tool) {
    DeclaredEdit declared;
    for (const auto& text : request.system) declared.prompt += text.bytes();
    declared.tool = tool;
    return declared;
  }

  DeclarationVerdict verdict_;
  bool asks_for_words_;
};

/// `asks_for_words`: the declaration must say something, else it must not.
Rule edit_declaration(std::string id, std::string how, DeclarationVerdict verdict,
                      bool asks_for_words) {
  return Rule{.id = std::move(id),
              .how = std::move(how),
              .kinds = {"provider_request"},
              .start = [verdict, asks_for_words] {
                return std::make_unique<EditDeclaration>(verdict, asks_for_words);
              }};
}

// ------------------------------------------------------------------ errors (EDIT-09)

bool misses_its_place(const EditCase& edit, const Story& story) {
  return (edit.fault == EditFault::not_found || edit.fault == EditFault::repeated) &&
         ran_undisturbed(edit, story) && is_error(*edit.call);
}

Complaint says_what_to_do(const EditCase& edit, const Story& story) {
  const auto* shown = shown_result(*edit.call, story);
  const std::string text =
      lower_case(shown != nullptr ? text_in(shown->content.get()) : result_text(*edit.call));
  return require(has_any_of(text, {"read", "exact", "context", "unique"}),
                 "the error does not say how to go on", edit_end_event(edit));
}

// ------------------------------------------------------------------ diffs (EDIT-39, EDIT-42)

std::vector<std::string> numbered_lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t from = 0; from < text.size();) {
    const auto end = std::min(text.find('\n', from), text.size() - 1);
    lines.push_back(text.substr(from, end + 1 - from));
    from = end + 1;
  }
  return lines;
}

/// The old side of "@@ -a,b +c,d @@": the line (from 0) at which the hunk begins.
std::size_t hunk_begin(const std::string& line) {
  std::size_t begin = 0;
  std::size_t count = 1;
  const char* const end = line.data() + line.size();
  const auto parsed =
      std::from_chars(line.data() + std::min<std::size_t>(4, line.size()), end, begin);
  if (parsed.ptr < end && *parsed.ptr == ',') std::from_chars(parsed.ptr + 1, end, count);
  return count == 0 || begin == 0 ? begin : begin - 1;
}

/// The text after a patch, or nothing when it does not fit.
class PatchedText {
 public:
  explicit PatchedText(const std::string& before) : old_(numbered_lines_of(before)) {}

  std::optional<std::string> apply(const std::string& patch) {
    auto lines = numbered_lines_of(patch);
    for (std::size_t i = 2; i < lines.size(); ++i) {
      const bool ends_here = i + 1 < lines.size() && lines[i + 1].starts_with('\\');
      if (lines[i].starts_with('\\')) continue;
      if (ends_here) lines[i].pop_back();
      if (!take(lines[i])) return std::nullopt;
    }
    copy_until(old_.size());
    return text_;
  }

 private:
  bool take(const std::string& line) {
    if (line.starts_with("@@")) return copy_until(hunk_begin(line));
    const std::string rest = line.empty() ? "" : line.substr(1);
    if (line.starts_with('+')) {
      text_ += rest;
      return true;
    }
    if (next_ >= old_.size() || old_[next_] != rest) return false;
    if (line.starts_with(' ')) text_ += rest;
    ++next_;
    return line.starts_with(' ') || line.starts_with('-');
  }
  bool copy_until(std::size_t line) {
    if (line < next_ || line > old_.size()) return false;
    for (; next_ < line; ++next_) text_ += old_[next_];
    return true;
  }

  std::vector<std::string> old_;
  std::size_t next_ = 0;
  std::string text_;
};

bool has_succeeded(const EditCase& edit, const Story& story) {
  return ran_with(edit, EditFault::none, story) && edit.expected && !is_error(*edit.call);
}

Complaint patch_gives_the_new_text(const EditCase& edit, const Story&) {
  const Json& details = at(result_of(*edit.call), "details");
  if (text_at(details, "diff").empty()) return finding("no display diff", edit_end_event(edit));
  const auto patch = text_at(details, "patch");
  if (patch.empty()) return finding("no patch", edit_end_event(edit));
  const auto patched = PatchedText(normal_text(*edit.original)).apply(patch);
  if (!patched) return finding("the patch does not fit the file", edit_end_event(edit));
  return differ("the patch of " + edit.path, Json(normal_text(*edit.expected)), Json(*patched),
                edit_end_event(edit));
}

Complaint first_line_is_told(const EditCase& edit, const Story&) {
  const auto old_lines = numbered_lines_of(normal_text(*edit.original));
  const auto new_lines = numbered_lines_of(normal_text(*edit.expected));
  const auto [old_at, new_at] = std::ranges::mismatch(old_lines, new_lines);
  const auto line = new_at - new_lines.begin() + 1;
  return differ("firstChangedLine", Json(line),
                at(at(result_of(*edit.call), "details"), "firstChangedLine"), edit_end_event(edit));
}

}  // namespace

std::vector<Rule> edit_answer_rules() {
  return {
      rule("EDIT-09", "the error of a text that is missing or repeated says how to go on")
          .for_each_edit()
          .when(misses_its_place)
          .expect(says_what_to_do),
      edit_declaration("EDIT-13",
                       "the declaration or the prompt says that oldTexts are unique and disjoint, "
                       "and that neighbouring changes are merged",
                       merge_verdict, true),
      rule("EDIT-39",
           "details of a successful edit have a diff, and a patch that makes the new text of the "
           "old one, both in LF and without a mark")
          .for_each_edit()
          .when(has_succeeded)
          .expect(patch_gives_the_new_text),
      rule("EDIT-42", "details.firstChangedLine is the first line that differs, in the new text")
          .for_each_edit()
          .when(has_succeeded)
          .expect(first_line_is_told),
      edit_declaration("EDIT-51",
                       "the declared schema has no top-level oldText or newText, and no text "
                       "speaks of older forms",
                       form_verdict, false),
  };
}

}  // namespace plumb::invariants
