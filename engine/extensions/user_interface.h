// SPDX-License-Identifier: Apache-2.0
// The user-interface port: dialogs that the host shows for tools and extensions (EXT-32). The
// engine has no interface of its own; without one every answer is no (HOOK-26).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/kernel/abort_signal.h"
#include "engine/kernel/task.h"
#include "engine/trace/trace.h"
#include "engine/values/json.h"

namespace plumb::engine {

/// A question to the user. `method`: confirm, select, input, editor. `options`: of a select.
struct Dialog {
  Dialog(std::string dialog_method, std::string dialog_title)
      : method(std::move(dialog_method)), title(std::move(dialog_title)) {}
  std::string method;
  std::string title;
  std::string message;
  std::vector<std::string> options;
  std::int64_t timeout_ms = 0;  ///< 0 waits without limit.
  AbortSignal signal;           ///< Takes the question back.
};

/// `value`: a boolean for confirm; a string, or null for dismissed, for the others. `by`: user,
/// timeout, abort, no_ui.
struct DialogAnswer {
  explicit DialogAnswer(Json answer, std::string answered_by = "user")
      : value(std::move(answer)), by(std::move(answered_by)) {}
  Json value;
  std::string by;
  bool operator==(const DialogAnswer&) const = default;
};

/// What a dialog gives when nobody answers: false for confirm, else null (HOOK-26).
Json unanswered_value(std::string_view method);

/// Called on the engine's loop only. Implementations answer as the user does or wait for ever:
/// timeouts and aborts are LimitedUserInterface's.
class UserInterface {
 public:
  virtual ~UserInterface() = default;
  /// What extensions see as hasUI (HOOK-25).
  virtual bool is_attached() const = 0;
  virtual Task<DialogAnswer> ask(Dialog dialog) = 0;
};

/// No user: answers no at once (HOOK-26).
class NoUserInterface final : public UserInterface {
 public:
  bool is_attached() const override { return false; }
  Task<DialogAnswer> ask(Dialog dialog) override;
};

/// Ends a question at its timeout or when its signal aborts (HOOK-26).
class LimitedUserInterface final : public UserInterface {
 public:
  explicit LimitedUserInterface(UserInterface& inner) : inner_(inner) {}
  bool is_attached() const override { return inner_.is_attached(); }
  Task<DialogAnswer> ask(Dialog dialog) override;

 private:
  UserInterface& inner_;
};

/// Records ui_ask and ui_answer, with the fiber's label as call.
class RecordedUserInterface final : public UserInterface {
 public:
  RecordedUserInterface(UserInterface& inner, Recorder& recorder)
      : inner_(inner), recorder_(recorder) {}
  bool is_attached() const override { return inner_.is_attached(); }
  Task<DialogAnswer> ask(Dialog dialog) override;

 private:
  UserInterface& inner_;
  Recorder& recorder_;
};

}  // namespace plumb::engine
