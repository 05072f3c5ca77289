// SPDX-License-Identifier: Apache-2.0
// The built-in edit tool (EDIT-*).
#pragma once

#include <string>

#include "engine/tools/builtin/file_operations.h"
#include "engine/tools/builtin/mutation_queue.h"
#include "engine/tools/definition.h"

namespace plumb::engine {

struct Policies;

/// `queue` and `policies` outlive the tool.
struct EditOptions {
  EditOptions(FileOperations files, MutationQueue& mutation_queue, const Policies& policy_value)
      : operations(std::move(files)), queue(mutation_queue), policies(policy_value) {}
  FileOperations operations;
  MutationQueue& queue;
  const Policies& policies;
  std::string cwd;
  std::string home;
};

ToolDefinition edit_tool(EditOptions options);

/// Folds the accepted older argument shapes into `edits` (EDIT-44..48). Never throws.
Json prepare_edit_arguments(Json raw);

}  // namespace plumb::engine
