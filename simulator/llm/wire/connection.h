// SPDX-License-Identifier: Apache-2.0
// One accepted connection on loopback: reads with a deadline, writes that are held back until they
// are worth a packet, waits that notice a client that leaves and a server that stops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <sys/types.h>

#include "engine/kernel/owned_fd.h"

namespace plumb::simulator {

struct ConnectionLimits {
  std::int64_t read_timeout_ms = 30'000;  ///< For a whole request.
  std::int64_t write_timeout_ms = 30'000;
  std::int64_t keep_alive_ms = 60'000;
  std::int64_t head_bytes_max = 256 << 10;  ///< Of a request, before its body.
};

/// Used by the one thread that serves the connection. Owns the socket.
class Connection final {
 public:
  enum class Wait : std::uint8_t { over, ready, gone, stopping };

  /// `stop_fd`: readable once the server stops.
  Connection(int socket, int stop_fd, ConnectionLimits limits);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Waits for the next request's first byte; `over`: none came.
  Wait wait_for_request();
  /// What is read from now on is the request's body.
  void end_of_head() { is_in_head_ = false; }
  /// The request has been read: its deadline no longer counts.
  void end_of_request();

  /// Bytes read; 0: the client has ended its side; -1: too late, stopping, too long a head, or body
  /// refused.
  ssize_t read(char* data, std::size_t size);
  /// From now on the client's bytes are not waited for.
  void refuse_body() { refuses_body_ = true; }
  bool is_late() const { return is_late_; }
  bool has_long_head() const { return head_bytes_ > limits_.head_bytes_max; }

  /// Holds the bytes back until flush, or until they are many.
  ssize_t write(const char* data, std::size_t size);
  /// False: the client is gone.
  bool flush();

  /// Waits so long, below 0 for ever; `over`: the time is up. A client that has closed its side by
  /// then is gone.
  Wait pause(std::int64_t ms);
  bool is_stopping() const;

  /// The connection will break off: nothing further is written, and the client sees a reset.
  void drop() { is_dropped_ = true; }
  bool is_dropped() const { return is_dropped_; }
  void close_after_this() { closes_ = true; }
  bool closes() const { return closes_ || is_dropped_ || is_gone_; }

  int socket() const { return socket_; }

 private:
  bool wait_for_bytes();
  bool send_all(const char* data, std::size_t size);
  void linger();

  int socket_;
  int stop_fd_;
  ConnectionLimits limits_;
  engine::OwnedFd deadline_;
  std::string in_;
  std::size_t in_at_ = 0;
  std::string out_;
  std::int64_t head_bytes_ = 0;
  bool is_in_head_ = true;
  bool has_deadline_ = false;
  bool is_late_ = false;
  bool is_gone_ = false;
  bool is_dropped_ = false;
  bool closes_ = false;
  bool refuses_body_ = false;
};

}  // namespace plumb::simulator
