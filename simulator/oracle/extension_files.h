// SPDX-License-Identifier: Apache-2.0
// Extension files of rows: a file that holds its description as JSON, run through the engine's own
// extension runner.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/extensions/runner.h"
#include "engine/session/resources/loader.h"
#include "engine/values/json.h"

namespace plumb::simulator {

/// One loop, which outlives it.
class OracleExtensions final : public engine::ExtensionCode {
 public:
  OracleExtensions(engine::Loop& loop, engine::Files& files) : loop_(loop), files_(files) {}

  /// Extensions that a row gives as functions: {name, id?, builtin?, replaceable?, commands?}.
  void set_inlined(Json inlined) { inlined_ = std::move(inlined); }
  std::vector<engine::InlineExtension> inlined() const;

  engine::Task<Result<engine::RegisteredNames>> load(engine::SourceInfo source) override;
  void forget() override {}

  void note(std::string event) { log_.push_back(std::move(event)); }
  /// What factories logged since the last call.
  std::vector<std::string> take_log() { return std::exchange(log_, {}); }

 private:
  engine::Task<Result<Json>> description_of(std::string path);
  engine::Task<Result<void>> run_factory(engine::ExtensionApi& api, Json description);
  Result<void> register_names(engine::ExtensionApi& api, const Json& description);

  engine::Loop& loop_;
  engine::Files& files_;
  Json inlined_ = Json::array();
  std::vector<std::string> log_;
  Json description_;
  Result<void> outcome_;
  engine::RegisteredNames names_;
};

}  // namespace plumb::simulator
