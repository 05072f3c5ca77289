// SPDX-License-Identifier: Apache-2.0
#include "simulator/script/formats.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "engine/trace/event.h"
#include "engine/trace/pattern.h"
#include "simulator/script/base64.h"
#include "simulator/script/words.h"

namespace plumb::simulator {
namespace {

/// Kinds of subjects that this version does not yet bring; rules may already need them.
constexpr std::array<std::string_view, 23> kFurtherKinds = {"abort_mark",
                                                            "approval",
                                                            "audit_record",
                                                            "backend_effect",
                                                            "capability_grant",
                                                            "capability_consume",
                                                            "commit",
                                                            "compaction_end",
                                                            "env_build",
                                                            "journal",
                                                            "memo",
                                                            "queue_update",
                                                            "render",
                                                            "report",
                                                            "resolve",
                                                            "resource_close",
                                                            "resource_open",
                                                            "store_state",
                                                            "task_state",
                                                            "trust_decision",
                                                            "vm_call",
                                                            "vm_deliver",
                                                            "vm_idle"};

bool is_digit_text(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<std::string_view> split_path(std::string_view path) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t slash = path.find('/');
    parts.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    path.remove_prefix(slash + 1);
  }
}

std::string check_event_pattern(const std::string& text) {
  const auto pattern = parse_event_pattern(text);
  return pattern ? "" : pattern.error().message;
}

std::string check_json_pointer(const std::string& text) {
  const std::string problem = in_quotes(text) + " is no JSON Pointer, expected ";
  if (!text.empty() && text.front() != '/') return problem + "'/' first, as in '/path/0'";
  for (std::size_t at = text.find('~'); at != std::string::npos; at = text.find('~', at + 1)) {
    if (at + 1 == text.size() || (text[at + 1] != '0' && text[at + 1] != '1')) {
      return problem + "'~0' or '~1' for '~' and '/'";
    }
  }
  return "";
}

std::string check_workspace_path(const std::string& text) {
  const std::string problem = "path " + in_quotes(text);
  if (text.empty()) return "path is empty, expected one within the workspace";
  if (text.contains('\0')) return "path has a NUL character, expected text";
  if (text.front() == '/') return problem + " is absolute, expected one within the workspace";
  if (text == ".") return "";
  const auto parts = split_path(text.starts_with("~/") ? std::string_view(text).substr(2) : text);
  if (std::ranges::find(parts, "..") != parts.end()) {
    return problem + " leaves the workspace, expected one within it";
  }
  const auto is_odd = [](std::string_view part) { return part.empty() || part == "."; };
  if (std::ranges::any_of(parts, is_odd)) {
    return problem + " has an empty part or '.', expected names between slashes";
  }
  return "";
}

std::string check_file_path(const std::string& text) {
  if (text == ".") return "path '.' is the workspace itself, expected a file in it";
  return check_workspace_path(text);
}

/// The system ends its texts there.
std::string check_no_nul(const std::string& text) {
  return text.contains('\0') ? "text with a NUL character, which no command can have" : "";
}

std::string check_variable_name(const std::string& text) {
  if (!text.empty() && !text.contains('=') && !text.contains('\0')) return "";
  return "variable " + in_quotes(text) + ", expected a name without '='";
}

std::string check_octal_mode(const std::string& text) {
  const bool is_octal = std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '7'; });
  if (is_octal && text.size() >= 3 && text.size() <= 4) return "";
  return "mode " + in_quotes(text) + ", expected octal digits in quotes, as in '0644'";
}

std::string check_entry(const std::string& text) {
  const std::size_t blank = text.find(' ');
  const std::string_view role = std::string_view(text).substr(0, blank);
  const bool is_role = role == "user" || role == "assistant" || role == "toolResult";
  const bool is_numbered =
      blank != std::string::npos && is_digit_text(std::string_view(text).substr(blank + 1));
  if (text == "start" || (is_role && is_numbered)) return "";
  return "entry " + in_quotes(text) + ", expected start, or a role and a number, as in 'user 2'";
}

std::string check_request_number(const std::string& text) {
  if (is_digit_text(text) && text.front() != '0' && text.size() <= 6) return "";
  return "request " + in_quotes(text) + ", expected count or a number from 1";
}

std::string check_rule_id(const std::string& text, const Catalogue* catalogue) {
  if (catalogue == nullptr || catalogue->find(text) != nullptr) return "";
  const std::string close = catalogue->suggest(text);
  return "unknown rule " + in_quotes(text) +
         (close.empty() ? "" : "; did you mean " + in_quotes(close) + "?");
}

/// LETTERS-NUMBER, as in EDIT-03.
std::string check_new_rule_id(const std::string& text) {
  const std::size_t dash = text.find('-');
  const std::string_view letters = std::string_view(text).substr(0, dash);
  const bool is_upper =
      !letters.empty() && std::ranges::all_of(letters, [](char c) { return c >= 'A' && c <= 'Z'; });
  if (is_upper && dash != std::string::npos && is_digit_text(text.substr(dash + 1))) return "";
  return "rule id " + in_quotes(text) + ", expected letters, a dash and a number, as in 'EDIT-03'";
}

bool is_event_kind(std::string_view text) {
  return std::ranges::find(kEventKinds, text) != kEventKinds.end() ||
         std::ranges::find(kFurtherKinds, text) != kFurtherKinds.end();
}

std::string check_event_kind(const std::string& text) {
  if (is_event_kind(text)) return "";
  std::vector<std::string> known(kEventKinds.begin(), kEventKinds.end());
  known.insert(known.end(), kFurtherKinds.begin(), kFurtherKinds.end());
  return "unknown event kind " + in_quotes(text) + advice(text, known);
}

std::string check_base64(const std::string& text) {
  return decode_base64(text) ? "" : "text that is no base64";
}

}  // namespace

std::string check_format(std::string_view format, const std::string& text,
                         const Catalogue* catalogue) {
  using Check = std::string (*)(const std::string&);
  static constexpr std::array<std::pair<std::string_view, Check>, 12> kChecks = {{
      {"event-pattern", check_event_pattern},
      {"json-pointer", check_json_pointer},
      {"workspace-path", check_workspace_path},
      {"octal-mode", check_octal_mode},
      {"entry", check_entry},
      {"request-number", check_request_number},
      {"new-rule-id", check_new_rule_id},
      {"event-kind", check_event_kind},
      {"base64", check_base64},
      {"file-path", check_file_path},
      {"no-nul", check_no_nul},
      {"variable-name", check_variable_name},
  }};
  if (format == "rule-id") return check_rule_id(text, catalogue);
  const auto* check = std::ranges::find(kChecks, format, &decltype(kChecks)::value_type::first);
  PLUMB_ASSERT(check != kChecks.end());
  return check->second(text);
}

}  // namespace plumb::simulator
