// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/shell_output.h"

#include <utility>

namespace plumb::engine {
namespace {

constexpr std::int64_t kHalfBytes = kProgramBytesMax / 2;
constexpr std::int64_t kPendingBytesMax = 262'144;
constexpr std::int64_t kLogMode = 0600;
/// More than is ever shown, so that a cut line at its beginning is never taken for a whole one.
constexpr std::int64_t kShownWindowBytes = 2 * kShownBytesMax;

bool goes_on_at(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
}

/// At most the last `bytes` of `text`, from a character's beginning.
std::string_view end_of(std::string_view text, std::int64_t bytes) {
  if (std::ssize(text) <= bytes) return text;
  auto begin = text.size() - static_cast<std::size_t>(bytes);
  while (goes_on_at(text, begin)) ++begin;
  return text.substr(begin);
}

/// At most the first `bytes`, to a character's end.
std::string_view beginning_of(std::string_view text, std::int64_t bytes) {
  auto end = static_cast<std::size_t>(bytes);
  while (goes_on_at(text, end)) --end;
  return text.substr(0, end);
}

}  // namespace

void ShellOutput::add(const std::string& text) {
  std::string_view left = text;
  for (auto at = left.find('\n'); at != left.npos; at = left.find('\n')) {
    ended_line_bytes_ = std::exchange(line_bytes_, 0) + static_cast<std::int64_t>(at);
    ++line_feeds_;
    left.remove_prefix(at + 1);
  }
  line_bytes_ += std::ssize(left);
  total_bytes_ += std::ssize(text);
  tail_ += text;
  if (std::ssize(tail_) <= kProgramBytesMax) return;
  if (head_.empty()) head_ = beginning_of(tail_, kHalfBytes);
  tail_ = std::string(end_of(tail_, kHalfBytes));
}

std::int64_t ShellOutput::lines() const {
  return line_feeds_ + (line_bytes_ > 0 ? 1 : 0);
}

bool ShellOutput::is_cut() const {
  return total_bytes_ > kShownBytesMax || lines() > kShownLinesMax;
}

std::int64_t ShellOutput::last_line_bytes() const {
  return line_bytes_ > 0 ? line_bytes_ : ended_line_bytes_;
}

Truncation ShellOutput::shown() const {
  Truncation truncation = truncate_tail(end_of(tail_, kShownWindowBytes));
  truncation.total_bytes = total_bytes_;
  truncation.total_lines = lines();
  return truncation;
}

std::string ShellOutput::for_programs() const {
  if (!is_cut_for_programs()) return tail_;
  const std::string_view end = end_of(tail_, kHalfBytes);
  const std::int64_t omitted = total_bytes_ - std::ssize(head_) - std::ssize(end);
  return head_ + "\n\n[... " + std::to_string(omitted) + " bytes omitted ...]\n\n" +
         std::string(end);
}

ShellLog::ShellLog(Loop& loop, Files& files, std::string path)
    : files_(files),
      path_(std::move(path)),
      work_(loop, "output for the log of a command"),
      progress_(loop, "the log of a command") {}

void ShellLog::add(std::string_view bytes) {
  if (!failure_.empty()) return;
  pending_ += bytes;
  if (is_started_) work_.set();
}

void ShellLog::start() {
  if (is_started_) return;
  is_started_ = true;
  work_.set();
}

bool ShellLog::is_full() const {
  return is_started_ && std::ssize(pending_) > kPendingBytesMax;
}

Task<void> ShellLog::write_pending() {
  is_writing_ = true;
  std::string block = std::exchange(pending_, std::string());
  // Not with ?: the compiler destroys one result of two awaits twice.
  Result<void> written;
  if (is_open_) {
    written = co_await files_.append(path_, std::move(block));
  } else {
    written = co_await files_.create(path_, std::move(block), kLogMode);
  }
  is_writing_ = false;
  is_open_ = true;
  if (!written) {
    failure_ = written.error().message;
    pending_.clear();
  }
  progress_.set();
}

Task<void> ShellLog::keep() {
  while (true) {
    co_await work_.wait();
    work_.reset();
    while (!pending_.empty()) co_await write_pending();
  }
}

Task<void> ShellLog::room() {
  while (is_full()) {
    progress_.reset();
    co_await progress_.wait();
  }
}

Task<void> ShellLog::opened() {
  while (is_started_ && !is_open_) {
    progress_.reset();
    co_await progress_.wait();
  }
}

Task<void> ShellLog::flushed() {
  while (is_started_ && (is_writing_ || !pending_.empty())) {
    progress_.reset();
    co_await progress_.wait();
  }
}

}  // namespace plumb::engine
