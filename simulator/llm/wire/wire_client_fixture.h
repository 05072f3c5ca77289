// SPDX-License-Identifier: Apache-2.0
// A client that may be as rude as a test wants: bytes in, bytes out, over loopback.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/kernel/owned_fd.h"

namespace plumb::simulator {

class WireClient {
 public:
  explicit WireClient(std::int64_t port)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): as the socket interface is.
    is_open_ =
        ::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
    EXPECT_TRUE(is_open_);
  }

  /// False: the server does not take them all.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  /// What comes until the server closes, until `needle` has come, or until nothing does for 5 s.
  std::string receive(std::string_view needle = "") {
    std::string text;
    while (needle.empty() || !text.contains(needle)) {
      pollfd entry{socket_.get(), POLLIN, 0};
      if (::poll(&entry, 1, 5000) <= 0) return text + "(nothing for 5 s)";
      char bytes[4096];
      const ssize_t count = ::recv(socket_.get(), bytes, sizeof(bytes), 0);
      was_reset_ = count < 0;
      if (count <= 0) return text;
      text.append(bytes, static_cast<std::size_t>(count));
    }
    return text;
  }

  bool was_reset() const { return was_reset_; }
  void end_of_requests() { ::shutdown(socket_.get(), SHUT_WR); }
  void close() { socket_.close(); }

 private:
  engine::OwnedFd socket_;
  bool is_open_ = false;
  bool was_reset_ = false;
};

/// A POST with its length.
inline std::string http_post(const std::string& path, const std::string& body,
                             const std::string& headers = "") {
  return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nx-api-key: k\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace plumb::simulator
