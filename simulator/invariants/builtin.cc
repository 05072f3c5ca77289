// SPDX-License-Identifier: Apache-2.0
// What the built-in tools declare and answer, as far as events and requests alone tell it.
#include <algorithm>
#include <charconv>
#include <memory>
#include <string>
#include <utility>

#include "engine/trace/request_fold.h"
#include "simulator/invariants/domains.h"
#include "simulator/invariants/edit_case.h"
#include "simulator/invariants/picture_view.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

// ------------------------------------------------------------------ declarations

/// "" or what is wrong with a schema.
using SchemaVerdict = std::string (*)(const Json& schema);

/// Whether an object schema has just these members and requires just these of them.
std::string members_differ(const Json& schema, std::vector<std::string> members,
                           std::vector<std::string> required) {
  if (view_at(schema, "type") != "object") return "is no object";
  for (const char* key : {"anyOf", "oneOf", "allOf", "not", "$ref"}) {
    if (!at(schema, key).is_null()) return std::string("has other forms by ") + key;
  }
  std::vector<std::string> declared;
  for (const auto& [name, member] : at(schema, "properties").items()) declared.push_back(name);
  auto needed = strings_in(at(schema, "required"));
  for (auto* names : {&declared, &members, &needed, &required}) std::ranges::sort(*names);
  if (declared != members) return "has the members " + dump_json(as_json(declared));
  if (needed != required) return "requires " + dump_json(as_json(needed));
  return "";
}

std::string type_differs(const Json& schema, const char* member, const char* type) {
  const Json& declared = at(at(at(schema, "properties"), member), "type");
  return declared == type ? "" : std::string("has a ") + member + " of type " + dump_json(declared);
}

std::string read_schema_verdict(const Json& schema) {
  auto odd = members_differ(schema, {"path", "offset", "limit"}, {"path"});
  if (odd.empty()) odd = type_differs(schema, "path", "string");
  if (odd.empty()) odd = type_differs(schema, "offset", "number");
  return odd.empty() ? type_differs(schema, "limit", "number") : odd;
}

/// BASH-01. A timeout in anything but seconds would be called something else.
std::string bash_schema_verdict(const Json& schema) {
  auto odd = members_differ(schema, {"command", "timeout"}, {"command"});
  if (odd.empty()) odd = type_differs(schema, "command", "string");
  if (odd.empty()) odd = type_differs(schema, "timeout", "number");
  const Json& timeout = at(at(schema, "properties"), "timeout");
  return odd.empty() && !at(timeout, "default").is_null() ? "has a default timeout" : odd;
}

std::string edit_schema_verdict(const Json& schema) {
  auto odd = members_differ(schema, {"path", "edits"}, {"path", "edits"});
  if (odd.empty()) odd = type_differs(schema, "path", "string");
  if (odd.empty()) odd = type_differs(schema, "edits", "array");
  if (!odd.empty()) return odd;
  const Json& entry = at(at(at(schema, "properties"), "edits"), "items");
  odd = members_differ(entry, {"oldText", "newText"}, {"oldText", "newText"});
  if (odd.empty()) odd = type_differs(entry, "oldText", "string");
  if (odd.empty()) odd = type_differs(entry, "newText", "string");
  return odd.empty() ? "" : "has an entry that " + odd;
}

bool is_builtin(std::string_view name, std::int64_t seq, const Story& story) {
  const Json* entry = story.tool_at(name, seq);
  return entry == nullptr || view_at(*entry, "level") == "builtin";
}

/// The declaration of a built-in tool in each request.
class DeclarationChecker final : public Checker {
 public:
  DeclarationChecker(std::string tool, SchemaVerdict verdict)
      : tool_(std::move(tool)), verdict_(verdict) {}

  void see(const Event& event, const Story& story, Report& report) override {
    if (story.requests.empty() || story.requests.back().event != &event) return;
    for (const auto& tool : story.requests.back().tools) {
      const Json& declaration = tool.get();
      if (view_at(declaration, "name") != tool_ || !is_builtin(tool_, event.seq, story)) continue;
      judge_schema(declaration, event, report);
    }
  }

 private:
  void judge_schema(const Json& declaration, const Event& event, Report& report) const {
    const Json& parameters = at(declaration, "parameters");
    const Json& schema = parameters.is_null() ? at(declaration, "input_schema") : parameters;
    if (schema.is_null()) return;
    report.trigger();
    const auto odd = verdict_(schema);
    report.complain(require(odd.empty(), "the declared schema of " + tool_ + " " + odd, &event));
  }

  std::string tool_;
  SchemaVerdict verdict_;
};

Rule declaration_rule(std::string id, std::string how, std::string tool, SchemaVerdict verdict) {
  return Rule{.id = std::move(id),
              .how = std::move(how),
              .kinds = {"provider_request"},
              .start = [tool = std::move(tool), verdict] {
                return std::make_unique<DeclarationChecker>(tool, verdict);
              }};
}

// ------------------------------------------------------------------ results

/// A call of the tool that succeeded and whose result no handler touched.
Condition<Call> succeeded(std::string tool) {
  return [tool = std::move(tool)](const Call& call, const Story& story) {
    const Event* end = first(call, "tool_execution_end");
    return call.name == tool && end != nullptr && !is_error(call) &&
           is_builtin(tool, end->seq, story) && has_own_result(call);
  };
}

const Json& arguments_of(const Call& call) {
  const auto* begin = begin_of(call);
  return begin == nullptr ? call.raw.get() : begin->args.get();
}

std::string path_given(const Call& call) {
  return text_at(arguments_of(call), "path");
}

bool is_sent(const Call& call, const Story& story) {
  return shown_result(call, story) != nullptr;
}

/// EDIT-38.
Complaint tells_count_and_path(const Call& call, const Story& story) {
  const auto* shown = shown_result(call, story);
  const Event* request = next_request_of(call, story)->event;
  const Json& content = shown->content.get();
  if (content.size() != 1 || view_at(content.front(), "type") != "text") {
    return finding("the result of edit is not one text block", request);
  }
  std::string text = text_in(content);
  const auto path = path_given(call);
  const auto place = text.find(path);
  if (place == std::string::npos) return finding("the result does not name the path", request);
  const auto changes = changes_in(arguments_of(call));
  if (!changes) return std::nullopt;
  text.erase(place, path.size());
  return require(says_number(text, std::ssize(*changes)),
                 "the result does not name the number of edits", request);
}

std::string inside_quotes(const std::string& text) {
  const std::string written = dump_json(Json(text));
  return written.substr(1, written.size() - 2);
}

/// The display diff and the patch of a result.
std::vector<std::string> diffs_of(const Call& call) {
  std::vector<std::string> texts;
  for (const char* key : {"diff", "patch"}) {
    auto text = text_at(at(result_of(call), "details"), key);
    if (!text.empty()) texts.push_back(std::move(text));
  }
  return texts;
}

bool has_diffs(const Call& call, const Story&) {
  return !diffs_of(call).empty();
}

/// EDIT-43.
Complaint diffs_are_not_sent(const Call& call, const Story& story) {
  const auto bytes = shown_result(call, story)->bytes();
  for (const auto& text : diffs_of(call)) {
    if (bytes.find(inside_quotes(text)) == std::string::npos) continue;
    return finding("the model sees the diff of call " + call.id,
                   next_request_of(call, story)->event);
  }
  return std::nullopt;
}

// ------------------------------------------------------------------ the patch (EDIT-40)

constexpr std::int64_t kContextLines = 4;

std::string patch_of(const Call& call) {
  return text_at(at(result_of(call), "details"), "patch");
}

bool has_patch_text(const Call& call, const Story&) {
  return !patch_of(call).empty();
}

/// Takes the number that stands behind one mark.
bool takes_number_behind(std::string_view& rest, char mark, std::vector<std::int64_t>& numbers) {
  if (!rest.starts_with(mark)) return false;
  rest.remove_prefix(1);
  std::int64_t number = 0;
  const char* const begin = std::to_address(rest.begin());
  const auto parsed = std::from_chars(begin, std::to_address(rest.end()), number);
  if (parsed.ec != std::errc{}) return false;
  numbers.push_back(number);
  rest.remove_prefix(static_cast<std::size_t>(parsed.ptr - begin));
  return true;
}

/// "@@ -a,b +c,d @@" as {a, b, c, d}; a length that is left out is 1. Empty if it is none.
std::vector<std::int64_t> hunk_numbers(std::string_view line) {
  if (!line.starts_with("@@ -") || !line.ends_with(" @@")) return {};
  std::vector<std::int64_t> numbers;
  std::string_view rest = line.substr(3, line.size() - 6);
  for (const char sign : {'-', '+'}) {
    if (!takes_number_behind(rest, sign, numbers)) return {};
    if (!rest.starts_with(',')) {
      numbers.push_back(1);
    } else if (!takes_number_behind(rest, ',', numbers)) {
      return {};
    }
    while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  }
  return rest.empty() ? numbers : std::vector<std::int64_t>();
}

/// Walks the lines of a patch and keeps the first thing that is wrong.
class PatchWalk {
 public:
  explicit PatchWalk(const std::string& path) : path_(path) {}

  void add(std::string_view line) {
    if (!problem_.empty()) return;
    if (number_++ < 2) return header(line);
    if (line.starts_with("@@")) return begin_hunk(line);
    if (numbers_.empty()) return complain("a line between headers and hunks");
    if (line == "\\ No newline at end of file") return;
    if (line.empty()) return complain("a line without a mark");
    if (line.ends_with('\r')) return complain("a carriage return");
    body(line.front());
  }
  void finish() {
    end_hunk();
    if (number_ < 3) complain("no hunk");
  }

  /// "" when the form is right.
  const std::string& problem() const { return problem_; }

 private:
  void complain(std::string text) {
    if (problem_.empty()) problem_ = std::move(text);
  }
  void header(std::string_view line) {
    const std::string wanted = (number_ == 1 ? "--- " : "+++ ") + path_;
    if (line != wanted) complain("header '" + std::string(line) + "'");
  }
  void begin_hunk(std::string_view line) {
    end_hunk();
    numbers_ = hunk_numbers(line);
    if (numbers_.size() != 4) complain("hunk header '" + std::string(line) + "'");
    old_ = new_ = leading_ = context_ = changes_ = 0;
  }
  void body(char mark) {
    if (mark != ' ' && mark != '-' && mark != '+') return complain("a line without a mark");
    old_ += mark != '+' ? 1 : 0;
    new_ += mark != '-' ? 1 : 0;
    if (mark == ' ') {
      ++context_;
      return;
    }
    if (changes_++ == 0)
      leading_ = context_;
    else if (context_ > 2 * kContextLines)
      complain("one hunk over a long gap");
    context_ = 0;
  }
  /// Less context than 4 lines only where the file begins; where it ends the patch cannot tell.
  void end_hunk() {
    if (numbers_.size() != 4) return;
    if (old_ != numbers_[1] || new_ != numbers_[3]) complain("a hunk of another length");
    if (leading_ > kContextLines || context_ > kContextLines) complain("more than 4 context lines");
    if (leading_ < kContextLines && numbers_[0] > 1) complain("less than 4 context lines");
  }

  const std::string& path_;
  std::string problem_;
  std::int64_t number_ = 0;
  std::vector<std::int64_t> numbers_;
  std::int64_t old_ = 0;
  std::int64_t new_ = 0;
  std::int64_t leading_ = 0;
  std::int64_t context_ = 0;
  std::int64_t changes_ = 0;
};

Complaint patch_has_its_form(const Call& call, const Story&) {
  const auto path = path_given(call);
  PatchWalk walk(path);
  const std::string patch = patch_of(call);
  for (std::string_view rest = patch; !rest.empty();) {
    const auto end = std::min(rest.find('\n'), rest.size());
    walk.add(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  walk.finish();
  return require(walk.problem().empty(), "the patch has " + walk.problem(),
                 first(call, "tool_execution_end"));
}

// ------------------------------------------------------------------ for programs (READ-30)

Complaint program_result_agrees(const Call& call, const Story&) {
  const Event* end = first(call, "tool_execution_end");
  const Json& content = at(result_of(call), "content");
  const Json& structured = at(result_of(call), "structuredContent");
  const Json* image = picture_in(content);
  if (image == nullptr) {
    // An image that was left out is told by text alone (READ-25).
    if (view_at(structured, "type") == "image") return std::nullopt;
    return differ("structuredContent is not the text that was read", Json(text_in(content)),
                  structured, end);
  }
  const Json wanted{{"type", "image"},
                    {"data", at(*image, "data")},
                    {"mimeType", at(*image, "mimeType")},
                    {"note", at(structured, "note")}};
  if (!at(structured, "note").is_string()) return finding("structuredContent has no note", end);
  return differ("structuredContent is not the image that was read", wanted, structured, end);
}

}  // namespace

std::vector<Rule> builtin_rules() {
  return {
      declaration_rule("READ-01",
                       "the schema that requests declare for the built-in read has path (string), "
                       "required, and offset and limit (number)",
                       "read", read_schema_verdict),
      declaration_rule("BASH-01",
                       "the schema that requests declare for the built-in bash has command "
                       "(string), required, and timeout (number) without a default",
                       "bash", bash_schema_verdict),
      declaration_rule("EDIT-01",
                       "the schema that requests declare for the built-in edit has path (string) "
                       "and edits (list of {oldText, newText}), all required, and nothing else",
                       "edit", edit_schema_verdict),
      rule(
          "EDIT-38",
          "the request after a successful edit shows one text block with the path as given and the "
          "number of edits; triggered when no handler touched the result")
          .for_each_call()
          .among({"edit"})
          .when(succeeded("edit"))
          .when(is_sent)
          .expect(tells_count_and_path),
      rule("EDIT-40",
           "details.patch has two headers with the path as given, hunks with 4 lines of context "
           "and right lengths, and nothing else")
          .for_each_call()
          .among({"edit"})
          .when(succeeded("edit"))
          .when(has_patch_text)
          .expect(patch_has_its_form),
      rule("EDIT-43",
           "neither details.diff nor details.patch of a successful edit stands in what the next "
           "request shows of the call")
          .for_each_call()
          .among({"edit"})
          .when(succeeded("edit"))
          .when(is_sent)
          .when(has_diffs)
          .expect(diffs_are_not_sent),
      rule("READ-30",
           "structuredContent of a successful read is its text, or {type: image, data, mimeType, "
           "note} of its image")
          .for_each_call()
          .among({"read"})
          .when(succeeded("read"))
          .expect(program_result_agrees),
  };
}

}  // namespace plumb::invariants
