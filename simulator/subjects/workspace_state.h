// SPDX-License-Identifier: Apache-2.0
// What a trace shows of a file when a run has settled (final_files).
#pragma once

#include "engine/kernel/memory_tree.h"
#include "engine/values/json.h"

namespace plumb::simulator {

/// {text, sha256, mode}, {bytes, sha256, mode} for what is long or no text, {link}, {dir: true}.
Json file_state(const engine::SnapshotEntry& entry);

}  // namespace plumb::simulator
