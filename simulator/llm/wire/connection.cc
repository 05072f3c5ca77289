// SPDX-License-Identifier: Apache-2.0
#include "simulator/llm/wire/connection.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace plumb::simulator {
namespace {

constexpr std::size_t kReadBytes = std::size_t{16} * 1024;
constexpr std::size_t kHeldBytesMax = std::size_t{64} * 1024;
/// What a client may still send after it was refused, and for how long it is listened to.
constexpr std::int64_t kLingerBytesMax = 256 << 20;
constexpr int kLingerWaits = 20;
constexpr int kLingerWaitMs = 100;

int bounded(std::int64_t ms) {
  return ms < 0 ? -1 : static_cast<int>(std::min<std::int64_t>(ms, 1'000'000'000));
}

void set_deadline(int timer, std::int64_t ms) {
  itimerspec spec{};
  spec.it_value.tv_sec = ms / 1000;
  spec.it_value.tv_nsec = ms % 1000 * 1'000'000;
  timerfd_settime(timer, 0, &spec, nullptr);
}

/// poll, however often a signal interrupts it.
int poll_again(pollfd* entries, nfds_t count, int timeout_ms) {
  int ready = -1;
  do {
    ready = ::poll(entries, count, timeout_ms);
  } while (ready < 0 && errno == EINTR);
  return ready;
}

}  // namespace

Connection::Connection(int socket, int stop_fd, ConnectionLimits limits)
    : socket_(socket),
      stop_fd_(stop_fd),
      limits_(limits),
      deadline_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
  const int on = 1;
  // Nagle against delayed acknowledgements costs 40 ms a reply.
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

Connection::~Connection() {
  if (is_dropped_) {
    const ::linger at_once = {1, 0};
    setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  } else if (closes_ && !is_gone_) {
    linger();
  }
  ::close(socket_);
}

/// What a client is still sending would turn the reply that it has not read yet into a reset.
void Connection::linger() {
  ::shutdown(socket_, SHUT_WR);
  std::array<char, kReadBytes> bytes{};
  std::int64_t total = 0;
  for (int waits = 0; waits < kLingerWaits && total < kLingerBytesMax && !is_stopping();) {
    pollfd entry{socket_, POLLIN, 0};
    if (poll_again(&entry, 1, kLingerWaitMs) == 0) {
      ++waits;
      continue;
    }
    const ssize_t count = ::recv(socket_, bytes.data(), bytes.size(), 0);
    if (count <= 0) return;
    total += count;
  }
}

Connection::Wait Connection::wait_for_request() {
  head_bytes_ = 0;
  is_in_head_ = true;
  if (in_at_ == in_.size()) {
    std::array<pollfd, 2> entries = {{{socket_, POLLIN, 0}, {stop_fd_, POLLIN, 0}}};
    const int ready = poll_again(entries.data(), entries.size(), bounded(limits_.keep_alive_ms));
    if (ready <= 0) return Wait::over;
    if (entries[1].revents != 0) return Wait::stopping;
  }
  return Wait::ready;
}

void Connection::end_of_request() {
  if (has_deadline_) set_deadline(deadline_.get(), 0);
  has_deadline_ = false;
}

/// What of a request has not come with its first bytes must come in time.
bool Connection::wait_for_bytes() {
  if (!has_deadline_) set_deadline(deadline_.get(), limits_.read_timeout_ms);
  has_deadline_ = true;
  std::array<pollfd, 3> entries = {
      {{socket_, POLLIN, 0}, {stop_fd_, POLLIN, 0}, {deadline_.get(), POLLIN, 0}}};
  poll_again(entries.data(), entries.size(), bounded(limits_.read_timeout_ms));
  if (entries[0].revents != 0) return true;
  is_late_ = entries[1].revents == 0;
  return false;
}

ssize_t Connection::read(char* data, std::size_t size) {
  if (has_long_head()) return -1;
  if (in_at_ == in_.size()) {
    if (refuses_body_ || is_late_) return -1;
    // Whoever waits for our bytes, as for 100 Continue, sends none before.
    if (!flush()) return -1;
    in_.resize(kReadBytes);
    in_at_ = 0;
    ssize_t count = ::recv(socket_, in_.data(), in_.size(), MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
      count = wait_for_bytes() ? ::recv(socket_, in_.data(), in_.size(), MSG_DONTWAIT) : -1;
    }
    in_.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    if (count <= 0) return count;
  }
  const std::size_t count = std::min(size, in_.size() - in_at_);
  if (is_in_head_) head_bytes_ += static_cast<std::int64_t>(count);
  std::copy_n(in_.data() + in_at_, count, data);
  in_at_ += count;
  return static_cast<ssize_t>(count);
}

ssize_t Connection::write(const char* data, std::size_t size) {
  if (is_dropped_) return static_cast<ssize_t>(size);
  out_.append(data, size);
  if (out_.size() >= kHeldBytesMax && !flush()) return -1;
  return is_gone_ ? -1 : static_cast<ssize_t>(size);
}

bool Connection::flush() {
  if (is_gone_) return false;
  if (out_.empty() || is_dropped_) return true;
  is_gone_ = !send_all(out_.data(), out_.size());
  out_.clear();
  return !is_gone_;
}

bool Connection::send_all(const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t sent = ::send(socket_, data, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      data += sent;
      size -= static_cast<std::size_t>(sent);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
    std::array<pollfd, 2> entries = {{{socket_, POLLOUT, 0}, {stop_fd_, POLLIN, 0}}};
    const int ready = poll_again(entries.data(), entries.size(), bounded(limits_.write_timeout_ms));
    if (ready <= 0 || entries[1].revents != 0) return false;
  }
  return true;
}

Connection::Wait Connection::pause(std::int64_t ms) {
  std::array<pollfd, 2> entries = {{{socket_, POLLRDHUP, 0}, {stop_fd_, POLLIN, 0}}};
  const int ready = poll_again(entries.data(), entries.size(), bounded(ms));
  if (entries[1].revents != 0) return Wait::stopping;
  if (ready > 0) {
    is_gone_ = true;
    return Wait::gone;
  }
  return Wait::over;
}

bool Connection::is_stopping() const {
  pollfd entry{stop_fd_, POLLIN, 0};
  return poll_again(&entry, 1, 0) > 0;
}

}  // namespace plumb::simulator
