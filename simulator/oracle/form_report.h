// SPDX-License-Identifier: Apache-2.0
// What the checks of an oracle record's form share: they say what is wrong at a value's JSON
// Pointer `at`, in the order in which they look.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/oracle/form.h"
#include "simulator/oracle/form_tables.h"

namespace plumb::simulator {

/// The pointer to a member, or to an element.
std::string below(const std::string& pointer, std::string_view token);
std::string below(const std::string& pointer, std::size_t index);

/// "; did you mean 'x'?", or "".
std::string hint(std::string_view word, std::span<const std::string_view> known);

/// One entry of a field list: "NAME:KIND", "NAME:KIND!" for one that must be there.
struct FieldForm {
  std::string_view name;
  std::string_view kind;
  bool is_required = false;
};

/// One record.
class FormReport final {
 public:
  void report(std::string pointer, std::string message, bool at_key = false);

  /// Whether all that must be there is, of the right kind, and nothing else. `list`: a field list
  /// of form_tables.h.
  bool check_object(const Json& json, const std::string& at, std::string_view list,
                    bool takes_any = false);
  void check_kind(const Json& value, const std::string& at, std::string_view name,
                  std::string_view kind);
  /// Texts that are none of the known words.
  void check_word(const Json& word, const std::string& at, std::string_view what,
                  std::span<const std::string_view> known);
  /// What a row makes and changes lies in its own folder.
  void check_inside(const Json& path, const std::string& at);
  /// The member `modes`: paths and their permission bits.
  void check_modes(const Json& json, const std::string& at);
  /// The member `env`.
  void check_environment(const Json& json, const std::string& at);
  /// The member `error`.
  void check_error(const Json& json, const std::string& at);
  void check_event(const Json& event, const std::string& at);
  /// What happens to a call that the row does not make never happens.
  void check_call_name(const Json& name, const std::string& at);

  /// Calls `check(element, at)` for the elements of a member that is a list.
  template <class Check>
  void check_each(const Json& json, const char* key, const std::string& at, Check check) {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_array()) return;
    for (std::size_t i = 0; i < found->size(); ++i) check((*found)[i], below(below(at, key), i));
  }

  std::vector<FormProblem> problems;
  std::set<std::string> calls;  ///< Names of the row's calls and jobs.

 private:
  void check_keys(const Json& json, const std::string& at, const std::vector<FieldForm>& fields);
  void check_no_zero(const Json& text, const std::string& at);
};

void check_setup(FormReport& form, const Json& setup);
/// What a step expects of its operation.
void check_expectation(FormReport& form, const Json& expect, const std::string& at,
                       const OperationForm& operation);
/// What a row expects at its end.
void check_end(FormReport& form, const Json& end);

}  // namespace plumb::simulator
