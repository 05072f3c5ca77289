// SPDX-License-Identifier: Apache-2.0
// Scripts in compiled form: the closed set of verbs with checked arguments. A definition is read
// once; what runs later cannot have a wrong shape any more.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/kernel/result.h"
#include "engine/values/json.h"

namespace plumb::engine {

enum class VerbKind : std::uint8_t {
  abort,
  add_handler,
  allow,
  append,
  append_file,
  attempt,  ///< Spelled `try`.
  ask,
  block,
  call_tool,
  choose,       ///< Spelled `if`.
  define_tool,  ///< Spelled `define`.
  delay,
  in_turn,
  later,
  latch,
  note,
  patch,
  read_file,
  register_tool,  ///< Spelled `register`.
  remove_handler,
  replace,
  result,
  return_value,  ///< Spelled `return`.
  send,
  set,
  set_active,
  sleep,
  throw_error,  ///< Spelled `throw`.
  throw_value,
  unset,
  update,
  wait_abort,
  write_file,
};

/// Where a script stands; each verb may be used in some of them only.
enum class ScriptPlace : std::uint8_t { factory, handler, tool, prepare };

struct Branch;
struct HandlerScript;

/// One step. `arguments` is an object even where the definition used the short form.
struct Verb {
  VerbKind kind = VerbKind::allow;
  Json arguments;
  bool is_literal = false;       ///< The arguments refer to nothing: they are used as they are.
  std::vector<Branch> branches;  ///< Of ask (by answer), of if (then, else), later, in_turn.
  // Shared by the copies of a program; immutable once compiled.
  std::shared_ptr<const HandlerScript> handler;  ///< Of add_handler.
};

using Program = std::vector<Verb>;

/// `answer`: the text of an answer, or "*" for any other.
struct Branch {
  std::string answer;
  Program body;
};

/// When a handler's script runs. Absent parts always fit. `match`: JSON pointer into {event fields,
/// input} -> a value, or {contains | equals | missing}.
struct HandlerCondition {
  std::string tool;
  std::string call;
  std::int64_t nth = 0;  ///< Of the dispatches that fit the rest; 0 for each.
  Json match = Json::object();
};

struct HandlerScript {
  std::string event;
  std::string id;
  HandlerCondition when;
  Program body;
};

/// Every verb that a script may name.
std::vector<std::string_view> verb_names();

/// Errors: invalid, with the JSON pointer of the bad place as `where`. `at` is the pointer of
/// `steps`.
Result<Program> compile_program(const Json& steps, ScriptPlace place, const std::string& at);
Result<HandlerScript> compile_handler(const Json& handler, std::string event,
                                      const std::string& at);

/// The shapes of a verb's arguments once their references are replaced: what a reference stands for
/// may be of any type. Members that are absent are not asked for again. Errors: rejected, with
/// words for whoever wrote the script.
Result<void> check_resolved(VerbKind kind, const Json& arguments);

/// Fails for a member that is not in `known` (with a suggestion) and for a value that is no object.
Result<void> check_members(const Json& object, std::span<const std::string_view> known,
                           const std::string& at);

}  // namespace plumb::engine
