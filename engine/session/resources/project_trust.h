// SPDX-License-Identifier: Apache-2.0
// What a process knows of the folders that it worked in: one question a folder (TRUST-23), and
// none that a silent yes leaves out for ever (TRUST-20).
#pragma once

#include <map>
#include <optional>
#include <string>

#include "engine/session/resources/trust.h"

namespace plumb::engine {

/// One loop. Borrows everything.
class ProjectTrust final {
 public:
  ProjectTrust(ResourceFiles& files, TrustStore& store, UserInterface& ui)
      : files_(files), decider_(files, store, ui) {}

  /// The decision that holds for `cwd` without asking again. Nothing for a folder that was never
  /// decided, or that was trusted for want of anything to protect and now has something.
  Task<std::optional<bool>> known(std::string cwd, std::string home);
  /// Decides and keeps the answer.
  Task<TrustDecision> decide(TrustQuestion question);
  /// Whether the folder is trusted now, temporary decisions and those of the command line included
  /// (TRUST-21). False where nothing was decided.
  bool is_trusted(const std::string& cwd) const;

 private:
  ResourceFiles& files_;
  TrustDecider decider_;
  std::map<std::string, TrustDecision> decisions_;
};

}  // namespace plumb::engine
