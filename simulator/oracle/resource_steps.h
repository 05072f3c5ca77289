// SPDX-License-Identifier: Apache-2.0
// Executes the steps of a row that are about trust, loading, skills, prompts and context files.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/session/resources/loader.h"
#include "simulator/oracle/extension_files.h"
#include "simulator/oracle/row.h"
#include "simulator/oracle/verdict.h"
#include "simulator/oracle/world.h"

namespace plumb::simulator {

/// One row; one loop. Borrows the world. `user_folder`: the row's `agent` folder.
class ResourceSteps final {
 public:
  ResourceSteps(engine::Loop& loop, OracleWorld& world, std::string user_folder);

  static bool handles(std::string_view op);
  /// One step and its judgement; `path` is the step's place in the row. Errors: the step cannot be
  /// made at all.
  engine::Task<Result<Differences>> run(OracleStep step, std::string path);

 private:
  engine::Task<Result<Json>> perform(OracleStep step);
  engine::Task<Result<Json>> trust(std::string op, Json args);
  engine::Task<Result<Json>> decide(Json args);
  engine::Task<Result<Json>> load(Json args);
  engine::Task<bool> is_known_trusted(Json args);
  engine::Task<bool> decide_on_the_way(std::vector<engine::LoadedExtension> early);
  engine::Task<Result<Json>> settings(std::string op, Json args);
  engine::Task<Result<Json>> skills(Json args);
  engine::Task<Result<Json>> templates(Json args);
  engine::Task<Result<Json>> context(Json args);
  Json listing(const engine::LoadedResources& loaded);
  engine::ResourcePlaces places(const std::string& cwd) const;
  std::string absolute(const std::string& path) const;
  std::string relative(const std::string& path) const;

  OracleWorld& world_;
  std::string user_folder_;
  engine::ResourceFiles files_;
  OracleExtensions extensions_;
  std::unique_ptr<engine::ResourceLoader> loader_;
  bool was_trusted_ = false;
};

}  // namespace plumb::simulator
