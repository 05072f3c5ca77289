// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel/channel_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <utility>
#include <vector>

#include <poll.h>
#include <unistd.h>

#include "engine/kernel/pipe_words.h"

namespace plumb::engine {
namespace {

constexpr std::array<ChildChannel, 4> kChannels = {{{3, false}, {4, true}, {5, true}, {6, false}}};
constexpr std::size_t kToChild = 0;
constexpr std::size_t kMessages = 1;
constexpr std::size_t kQuestions = 2;
constexpr std::size_t kAnswers = 3;
/// From the end of its channels to its own end.
constexpr std::int64_t kEndWaitMs = 1'000;
constexpr std::size_t kChannelReadBytes = 65'536;
/// How much is read of one descriptor before the others have their turn.
constexpr int kReadsInARow = 64;

using Block = std::array<char, kChannelReadBytes>;

/// Bytes that are there; empty when none are. `has_ended`: none will come.
std::string_view read_some(int fd, Block& block, bool& has_ended) {
  const ssize_t count = ::read(fd, block.data(), block.size());
  if (count > 0) return {block.data(), static_cast<std::size_t>(count)};
  if (count == 0 || !is_again(errno)) has_ended = true;
  return {};
}

}  // namespace

std::int64_t WallDeadline::left_ms() const {
  const auto left = end_ - std::chrono::steady_clock::now();
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  return std::max<std::int64_t>(ms, 0);
}

Result<std::unique_ptr<ChannelProcess>> ChannelProcess::start(const ProcessSpec& spec,
                                                              ChannelLimits limits) {
  PLUMB_TRY(auto child, ChildProcess::start(spec, ChildInput::whole, kChannels));
  child.limit(limits.child);
  return std::unique_ptr<ChannelProcess>(new ChannelProcess(std::move(child), limits));
}

Result<void> ChannelProcess::send(std::string_view line, const WallDeadline& deadline) {
  return write_line(child_.channel(kToChild).get(), line, deadline);
}

Result<void> ChannelProcess::answer(std::string_view line, const WallDeadline& deadline) {
  return write_line(child_.channel(kAnswers).get(), line, deadline);
}

Result<void> ChannelProcess::write_line(int fd, std::string_view line,
                                        const WallDeadline& deadline) {
  std::string bytes(line);
  bytes += '\n';
  std::string_view left = bytes;
  while (!left.empty()) {
    const ssize_t count = write_without_signal(fd, left);
    if (count > 0) left.remove_prefix(static_cast<std::size_t>(count));
    if (count >= 0) continue;
    const bool is_closed = !is_again(errno);
    // Its end may be on its way: that says more than a pipe that nobody reads.
    if (is_closed) wait_for_end();
    if (has_ended_ || is_closed) return std::unexpected(ended());
    if (deadline.has_passed()) return fail(ErrorCode::timeout, "does not read its messages");
    wait(fd, deadline);
  }
  return {};
}

void ChannelProcess::wait(int write_fd, const WallDeadline& deadline) {
  std::vector<pollfd> fds;
  const auto add = [&fds](int fd, bool has_ended, short events) {
    if (!has_ended && fd >= 0) fds.push_back(pollfd{fd, events, 0});
  };
  add(child_.channel(kMessages).get(), messages_.has_ended, POLLIN);
  add(child_.channel(kQuestions).get(), questions_.has_ended, POLLIN);
  add(child_.out_fd().get(), out_.has_ended, POLLIN);
  add(child_.err_fd().get(), err_.has_ended, POLLIN);
  add(child_.end_fd(), has_ended_, POLLIN);
  add(write_fd, false, POLLOUT);
  const auto wait_ms = std::min<std::int64_t>(deadline.left_ms(), std::numeric_limits<int>::max());
  ::poll(fds.data(), fds.size(), static_cast<int>(wait_ms));
  pollfd end{child_.end_fd(), POLLIN, 0};
  // Looked at first: what the child has written before its end is all there then.
  if (!has_ended_ && ::poll(&end, 1, 0) > 0) has_ended_ = true;
  read_all();
}

void ChannelProcess::wait_for_end() {
  pollfd end{child_.end_fd(), POLLIN, 0};
  const WallDeadline deadline(kEndWaitMs);
  while (!has_ended_ && !deadline.has_passed()) {
    has_ended_ = ::poll(&end, 1, static_cast<int>(deadline.left_ms())) > 0;
  }
}

void ChannelProcess::read_all() {
  // Questions first: the messages before a question have then been written, too.
  read_lines(child_.channel(kQuestions).get(), questions_);
  read_lines(child_.channel(kMessages).get(), messages_);
  read_printed(child_.out_fd().get(), out_);
  read_printed(child_.err_fd().get(), err_);
}

void ChannelProcess::read_lines(int fd, Lines& lines) {
  Block block;
  for (int i = 0; i < kReadsInARow && !lines.has_ended; ++i) {
    std::string_view bytes = read_some(fd, block, lines.has_ended);
    if (bytes.empty()) return;
    for (auto end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
      lines.whole.push_back(std::exchange(lines.partial, {}).append(bytes.substr(0, end)));
      bytes.remove_prefix(end + 1);
    }
    lines.partial.append(bytes);
    if (std::ssize(lines.partial) > limits_.line_bytes_max) is_line_too_long_ = true;
    if (is_line_too_long_) return;
  }
}

void ChannelProcess::read_printed(int fd, Printed& printed) {
  Block block;
  for (int i = 0; i < kReadsInARow && !printed.has_ended; ++i) {
    const std::string_view bytes = read_some(fd, block, printed.has_ended);
    if (bytes.empty()) return;
    const auto room = std::max<std::int64_t>(limits_.output_bytes_kept - std::ssize(printed.text),
                                             std::int64_t{0});
    const auto kept = std::min(static_cast<std::size_t>(room), bytes.size());
    printed.text.append(bytes.substr(0, kept));
    printed.dropped_bytes += std::ssize(bytes) - static_cast<std::int64_t>(kept);
  }
}

std::optional<Heard> ChannelProcess::take_line() {
  const auto take = [](HeardKind kind, Lines& lines) {
    Heard heard{kind, std::move(lines.whole.front())};
    lines.whole.pop_front();
    return heard;
  };
  // A question may have been heard of before all the messages that came first.
  if (messages_.whole.empty()) read_lines(child_.channel(kMessages).get(), messages_);
  if (!messages_.whole.empty()) return take(HeardKind::message, messages_);
  if (!questions_.whole.empty()) return take(HeardKind::question, questions_);
  return std::nullopt;
}

Error ChannelProcess::ended() const {
  if (is_line_too_long_) {
    return {ErrorCode::protocol,
            "wrote a line of more than " + std::to_string(limits_.line_bytes_max) + " bytes", ""};
  }
  if (has_ended_) return {ErrorCode::protocol, exit_text(child_.peek()), ""};
  return {ErrorCode::protocol, "closed its channels", ""};
}

Result<std::optional<Heard>> ChannelProcess::hear(const WallDeadline& deadline) {
  while (true) {
    if (auto line = take_line()) return line;
    if (messages_.has_ended) wait_for_end();
    const bool is_over = is_line_too_long_ || has_ended_ || messages_.has_ended;
    if (is_over) return std::unexpected(ended());
    if (deadline.has_passed()) return std::optional<Heard>();
    wait(-1, deadline);
  }
}

std::string ChannelProcess::take_output(OutputStream stream) {
  read_printed(child_.out_fd().get(), out_);
  read_printed(child_.err_fd().get(), err_);
  Printed& printed = stream == OutputStream::out ? out_ : err_;
  std::string text = std::exchange(printed.text, {});
  const auto dropped = std::exchange(printed.dropped_bytes, 0);
  if (dropped > 0) text += "\n[" + std::to_string(dropped) + " more bytes]";
  return text;
}

void ChannelProcess::kill() {
  child_.kill_group();
}

}  // namespace plumb::engine
