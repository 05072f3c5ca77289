// SPDX-License-Identifier: Apache-2.0
// Judges the expectation of a call, a job or a plain function.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulator/oracle/call_record.h"
#include "simulator/oracle/placeholders.h"
#include "simulator/oracle/verdict.h"

namespace plumb::simulator {

/// A file of the host, as far as expectations ask: nothing when it is not there.
struct HostFile {
  std::string bytes;
  std::int64_t mode = 0;
};

/// What a judgement needs besides the record. `set_aside`: keys that are not judged; `input_file`:
/// the bytes of the file that the call named, for pictures; `output_file`: that of
/// `output_path_of`.
struct JudgeContext {
  Placeholders places;
  std::vector<std::string> set_aside;
  std::string input_file;
  std::optional<HostFile> output_file;
};

/// The path of the file that holds a command's whole output: in details or structured content, else
/// named in the text; "" when there is none.
std::string output_path_of(const CallRecord& call, const Placeholders& places);

/// Judges `expect` (null: the call must succeed) below `path`.
Differences judge_call(const Json& expect, const CallRecord& call, const std::string& path,
                       const JudgeContext& context);

/// Permission bits as rows write them: "644".
std::string octal_text(std::int64_t mode);

}  // namespace plumb::simulator
