// SPDX-License-Identifier: Apache-2.0
// Executes the session steps of a row.
#pragma once

#include <optional>
#include <string>

#include "simulator/oracle/row.h"
#include "simulator/oracle/row_sessions.h"
#include "simulator/oracle/verdict.h"

namespace plumb::simulator {

/// One row; one loop. Borrows the world.
class SessionSteps final {
 public:
  explicit SessionSteps(RowSessions& world) : world_(world) {}

  static bool handles(std::string_view op);
  /// One step and its judgement; `path` is the step's place in the row. Errors: the step cannot be
  /// made at all.
  engine::Task<Result<Differences>> run(OracleStep step, std::string path);

 private:
  engine::Task<Result<void>> perform(OracleStep step);
  engine::Task<Result<void>> create(Json args);
  engine::Task<Result<void>> open(Json args);
  engine::Task<Result<void>> fork(Json args);
  engine::Task<Result<void>> branch_file(Json args);
  engine::Task<Result<void>> append(Json args);
  engine::Task<Result<void>> move(Json args);
  engine::Task<Result<void>> leave(Json args);
  engine::Task<Differences> query(Json args, Json expect, std::string path);

  RowSessions& world_;
};

}  // namespace plumb::simulator
