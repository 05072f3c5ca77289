// SPDX-License-Identifier: Apache-2.0
// Executes the steps of a row that need an engine: a session with one extension that notes what it
// is told.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/session/session.h"
#include "simulator/oracle/row.h"
#include "simulator/oracle/row_sessions.h"
#include "simulator/oracle/verdict.h"

namespace plumb::simulator {

/// One row; one loop. Borrows the sessions of the row, the engine's one included.
class EngineSteps final {
 public:
  EngineSteps(engine::Env& env, RowSessions& sessions);
  ~EngineSteps();

  static bool handles(std::string_view op);
  /// One step and its judgement; `path` is the step's place in the row. Errors: protocol, when the
  /// row has no engine for it.
  engine::Task<Result<Differences>> run(OracleStep step, std::string path);

 private:
  class Silent;

  engine::Task<Result<Json>> perform(OracleStep step);
  engine::Task<Result<Json>> start(Json args);
  engine::Task<Result<Json>> navigate(Json args);
  engine::Task<Result<void>> make_extension(engine::ExtensionApi* api);
  void try_in_factory(engine::ExtensionApi& api);
  engine::Task<engine::HandlerResult> handle(std::string event, engine::HandlerContext context);
  Json seen(const std::string& event, const Json& fields) const;
  Json actual_state();

  engine::Env& env_;
  RowSessions& sessions_;
  Trace trace_;
  Recorder recorder_;
  engine::Policies policies_;
  std::unique_ptr<Silent> model_;
  std::unique_ptr<engine::Session> session_;
  std::vector<std::string> watched_;
  std::vector<std::string> tried_;
  std::string state_type_;
  std::map<std::string, Json> answers_;
  Json events_ = Json::array();
  Json factory_calls_ = Json::object();
};

}  // namespace plumb::simulator
