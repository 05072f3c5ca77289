// SPDX-License-Identifier: Apache-2.0
// What the files hold while a trace goes on, by the digests that the port recorded: from the
// listing at the start, operation by operation, to the listing at the end.
#pragma once

#include <string>
#include <vector>

#include "simulator/invariants/finding.h"
#include "simulator/invariants/story.h"

namespace plumb::invariants {

/// Where the record contradicts itself. Nothing is said of files that a process, the host or
/// another name may have changed.
struct FileLedger {
  /// Reads that gave other bytes than the file had: the end of the operation, and what is wrong.
  struct OddRead {
    const Event* event;
    Finding finding;
  };
  std::vector<OddRead> reads;
  /// Files that at the end are not what was put into them last, or that nobody made or removed.
  std::vector<Finding> endings;
  /// Operations that end without having begun, or twice.
  std::vector<Finding> pairs;
};

FileLedger file_ledger(const Story& story);

}  // namespace plumb::invariants
