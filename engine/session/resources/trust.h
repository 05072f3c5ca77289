// SPDX-License-Identifier: Apache-2.0
// Project trust: whether code and settings of a working directory may be loaded (TRUST-01 to
// TRUST-24). It gates what is loaded at start; it is no permission policy for tools (TRUST-08) and
// no sandbox: context files and the session folder act before it (TRUST-07).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/extensions/extension_api.h"
#include "engine/extensions/user_interface.h"
#include "engine/session/resources/resource_files.h"

namespace plumb::engine {

/// A stored decision to make; without one the entry goes (TRUST-13).
struct TrustUpdate {
  TrustUpdate(std::string folder, std::optional<bool> value)
      : path(std::move(folder)), decision(value) {}
  std::string path;
  std::optional<bool> decision;
};

/// `trust.json` of the user's folder: {real path: true | false | null}, keys sorted. One loop.
class TrustStore final {
 public:
  TrustStore(ResourceFiles& files, std::string user_folder);

  /// The decision of the closest folder at or above `cwd`; nothing without one. Errors: invalid,
  /// for a file that is no object of decisions (TRUST-14).
  Task<Result<std::optional<bool>>> get(std::string cwd);
  /// Errors: as get, and those of writing.
  Task<Result<void>> set(std::vector<TrustUpdate> updates);
  const std::string& path() const { return path_; }

 private:
  Task<Result<Json>> read();

  ResourceFiles& files_;
  std::string path_;
};

/// Whether the folder holds what needs a decision (TRUST-05).
class TrustScan final {
 public:
  explicit TrustScan(ResourceFiles& files) : files_(files) {}
  Task<bool> needs_decision(std::string cwd, std::string home);

 private:
  ResourceFiles& files_;
};

/// Takes the event {cwd}, gives {trusted: yes | no | undecided, remember?}.
using TrustCall = std::function<Task<HandlerResult>(Json event)>;

/// A project_trust handler.
struct TrustHandler {
  TrustHandler(std::string path, TrustCall handler)
      : extension(std::move(path)), call(std::make_shared<const TrustCall>(std::move(handler))) {}
  std::string extension;
  // Shared: it runs to its end even if its extension goes meanwhile.
  std::shared_ptr<const TrustCall> call;
};

/// What a decision depends on, besides the store and the user.
struct TrustQuestion {
  std::string cwd;
  std::string home;
  std::optional<bool> given;           ///< Of the command line.
  std::string default_answer = "ask";  ///< always, never, ask: of the user's settings (TRUST-15).
  std::vector<TrustHandler> handlers;  ///< Load order, then registration order.
};

/// `by`: given, unprotected, saved, handler, default, user, no_ui, error. `failures`: handlers that
/// were reported and skipped {extension, what} (TRUST-11).
struct TrustDecision {
  bool is_trusted = false;
  std::string by;
  std::string extension;  ///< Of by handler.
  bool is_stored = false;
  std::vector<std::pair<std::string, std::string>> failures;
};

/// Decides in the order of TRUST-09. A store that cannot be read or written decides no, by error,
/// unless the command line decided (TRUST-14). One loop.
class TrustDecider final {
 public:
  TrustDecider(ResourceFiles& files, TrustStore& store, UserInterface& ui)
      : files_(files), store_(store), ui_(ui) {}

  Task<TrustDecision> decide(TrustQuestion question);

 private:
  Task<TrustDecision> of_store(TrustDecision decision, std::string cwd, bool otherwise);
  /// Completes `decision`, which outlives the call.
  Task<bool> ask_handlers(TrustQuestion question, TrustDecision& decision);
  Task<TrustDecision> ask_user(TrustDecision decision, std::string cwd);
  Task<TrustDecision> store(TrustDecision decision, std::vector<TrustUpdate> updates);

  ResourceFiles& files_;
  TrustStore& store_;
  UserInterface& ui_;
};

}  // namespace plumb::engine
