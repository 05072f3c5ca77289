// SPDX-License-Identifier: Apache-2.0
// What `plumb run` judges, as the command line names it: our own session, an adapter, or a command
// that knows nothing of us.
#pragma once

#include <memory>
#include <string>

#include "simulator/cli/options.h"
#include "simulator/cli/subject_pool.h"

namespace plumb::simulator {

/// `name`: for reports. `reproduce_with`: further words of a command that repeats a run. `edition`:
/// empty when the scenario decides.
struct ChosenSubject {
  std::string name;
  std::string edition;
  std::string reproduce_with;
  bool is_live = false;
  std::unique_ptr<SubjectPool> pool;
};

/// Starts a live subject once and has it play the smoke test. Errors: invalid, for words that name
/// no subject or contradict each other; protocol, for an adapter that fails before it is judged.
Result<ChosenSubject> choose_subject(const RunCommand& command);

}  // namespace plumb::simulator
