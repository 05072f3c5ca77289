// SPDX-License-Identifier: Apache-2.0
// Writing a report so that a reader never sees half of it, and a full disk never passes unnoticed.
#pragma once

#include <string>
#include <string_view>

#include "engine/kernel/result.h"

namespace plumb::reports {

/// Writes a file beside `path`, flushes it, and renames it over `path`; a device or pipe is written
/// directly. On an error the old file is untouched and nothing is left behind.
/// Errors: the code that fits, `where` = path, message "cannot write: ..." with the reason in
/// words.
Result<void> write_report(const std::string& path, std::string_view text);

}  // namespace plumb::reports
