// SPDX-License-Identifier: Apache-2.0
// The output of a running command: its end for the model, both ends for programs, all of it in a
// log file once it is too long to be shown. Memory stays bounded, however much comes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/kernel/event.h"
#include "engine/kernel/files.h"
#include "engine/kernel/loop.h"
#include "engine/kernel/task.h"
#include "engine/tools/builtin/text_decoding.h"
#include "engine/tools/builtin/truncation.h"

namespace plumb::engine {

/// What programs get in full (BASH-37).
inline constexpr std::int64_t kProgramBytesMax = 1'048'576;

/// Keeps text in at most about 2 MiB. Pure; one loop.
class ShellOutput final {
 public:
  void feed(std::string_view bytes) { add(decoder_.feed(bytes)); }
  /// A character that never became complete is text, too (BASH-36).
  void finish() { add(decoder_.finish()); }

  bool is_empty() const { return total_bytes_ == 0; }
  /// Whether a cap is exceeded (BASH-38).
  bool is_cut() const;
  /// The end of the text, with the totals of all of it (BASH-03, BASH-20).
  Truncation shown() const;
  /// Bytes of the last line, however much of it is kept (BASH-07).
  std::int64_t last_line_bytes() const;
  /// Up to 1 MiB as it is; of more the first and the last half around a mark (BASH-37).
  std::string for_programs() const;
  bool is_cut_for_programs() const { return total_bytes_ > kProgramBytesMax; }

 private:
  void add(const std::string& text);
  std::int64_t lines() const;

  TextDecoder decoder_;
  std::string head_;  ///< The first half MiB, once there is more than 1 MiB.
  std::string tail_;  ///< All, or at least the last half MiB.
  std::int64_t total_bytes_ = 0;
  std::int64_t line_feeds_ = 0;
  std::int64_t line_bytes_ = 0;        ///< Of the line that has not ended.
  std::int64_t ended_line_bytes_ = 0;  ///< Of the one before.
};

/// The log of one command: a new file of the owner's, every byte in it (BASH-04, BASH-05). Nothing
/// is written before `start`. One loop. `files` outlives it.
class ShellLog final {
 public:
  ShellLog(Loop& loop, Files& files, std::string path);

  void add(std::string_view bytes);
  void start();
  bool is_started() const { return is_started_; }
  const std::string& path() const { return path_; }
  /// Why it is not complete; empty when it is.
  const std::string& failure() const { return failure_; }

  /// Whether so much waits to be written that the command should.
  bool is_full() const;
  Task<void> room();
  /// Writes whatever is added; never ends.
  Task<void> keep();
  /// Until the file is there.
  Task<void> opened();
  /// Until everything is written.
  Task<void> flushed();

 private:
  Task<void> write_pending();

  Files& files_;
  std::string path_;
  std::string pending_;
  std::string failure_;
  bool is_started_ = false;
  bool is_open_ = false;
  bool is_writing_ = false;
  Event work_;
  Event progress_;
};

}  // namespace plumb::engine
