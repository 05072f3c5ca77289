// SPDX-License-Identifier: Apache-2.0
#include "engine/session/resources/project_trust.h"

#include <utility>

namespace plumb::engine {

Task<std::optional<bool>> ProjectTrust::known(std::string cwd, std::string home) {
  const auto found = decisions_.find(normal_path(cwd));
  if (found == decisions_.end()) co_return std::nullopt;
  const TrustDecision decision = found->second;
  if (decision.by != "unprotected") co_return decision.is_trusted;
  TrustScan scan(files_);
  const bool is_protected = co_await scan.needs_decision(std::move(cwd), std::move(home));
  if (is_protected) co_return std::nullopt;
  co_return decision.is_trusted;
}

Task<TrustDecision> ProjectTrust::decide(TrustQuestion question) {
  const std::string folder = normal_path(question.cwd);
  TrustDecision decision = co_await decider_.decide(std::move(question));
  decisions_.insert_or_assign(folder, decision);
  co_return decision;
}

bool ProjectTrust::is_trusted(const std::string& cwd) const {
  const auto found = decisions_.find(normal_path(cwd));
  return found != decisions_.end() && found->second.is_trusted;
}

}  // namespace plumb::engine
