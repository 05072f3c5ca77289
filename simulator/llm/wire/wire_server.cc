// SPDX-License-Identifier: Apache-2.0
// The HTTP of the fake LLM. Reading requests and writing responses is the library's; the sockets
// are our own, so that a connection can break where a script says so.
#include "simulator/llm/wire/wire_server.h"

#include <algorithm>
#include <cctype>
#include <mutex>
#include <thread>
#include <utility>

#include <httplib.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/kernel/owned_fd.h"
#include "engine/values/utf8.h"
#include "simulator/llm/wire/connection.h"
#include "simulator/llm/wire/connection_threads.h"
#include "simulator/llm/wire/loopback_host.h"
#include "simulator/llm/wire/wire_book.h"

namespace plumb::simulator {
namespace {

constexpr const char* kLoopback = "127.0.0.1";
constexpr int kBacklog = 4096;
constexpr std::int64_t kUntilStepMs = 2;
constexpr std::int64_t kQuietStepMs = 2;

constexpr std::string_view kLate =
    "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
constexpr std::string_view kLongHead =
    "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n"
    "Content-Length: 0\r\n\r\n";

/// The library's view of a connection.
class LibraryStream final : public httplib::Stream {
 public:
  explicit LibraryStream(Connection& connection) : connection_(connection) {}
  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }
  ssize_t read(char* data, std::size_t size) override { return connection_.read(data, size); }
  ssize_t write(const char* data, std::size_t size) override {
    return connection_.write(data, size);
  }
  void get_remote_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  void get_local_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  socket_t socket() const override { return connection_.socket(); }

 private:
  Connection& connection_;
};

/// What the thread of a connection is about. `headers`: of the request, before those that the
/// library would act upon were taken out. `has_chunks`: the client knows them, as of HTTP/1.1.
/// `is_malformed`: the length of the body is no number. `delivery`: the reply that is being
/// written.
struct Service {
  Connection& connection;
  HeaderList headers = {};
  bool has_chunks = true;
  bool is_malformed = false;
  bool is_too_large = false;
  bool was_answered = false;
  Delivery delivery = {};
  ReplyEnding ending = ReplyEnding::complete;
  std::int64_t sent = 0;
};

// Handlers of the library know nothing of the connection that they serve.
thread_local Service* t_service = nullptr;

/// The library's own pool makes all its threads at once.
class LibraryThreads final : public httplib::TaskQueue {
 public:
  explicit LibraryThreads(std::int64_t threads_max) : threads_(threads_max) {}
  void enqueue(std::function<void()> work) override { threads_.add(std::move(work)); }
  void shutdown() override { threads_.join(); }

 private:
  ConnectionThreads threads_;
};

HeaderList headers_of(const httplib::Request& request) {
  HeaderList headers;
  for (const auto& [name, value] : request.headers) {
    // The library's own notes of who talks to whom.
    if (name.starts_with("REMOTE_") || name.starts_with("LOCAL_")) continue;
    headers.emplace_back(lower_case(name), value);
  }
  return headers;
}

/// Waits and writes what a script asks for. Says how the reply has ended.
class ReplyWriter final {
 public:
  ReplyWriter(Service& service, WireBook& book)
      : service_(service), delivery_(service.delivery), book_(book) {}

  /// Nothing is written before this time has passed.
  bool wait_first() { return delivery_.delay_ms == 0 || pause(delivery_.delay_ms); }

  /// False: the connection is not to be used any more.
  bool run(httplib::DataSink& sink) {
    for (std::size_t i = 0; i < delivery_.part_ends.size(); ++i) {
      if (!wait_at(service_.sent, i)) return false;
      const std::int64_t end = delivery_.part_ends[i];
      const auto size = static_cast<std::size_t>(end - service_.sent);
      if (!sink.write(delivery_.body.data() + service_.sent, size)) return leave();
      // The last part goes out with the end of the reply.
      const bool is_last = i + 1 == delivery_.part_ends.size();
      const bool waits_after = end == delivery_.until_at || end == delivery_.stall_at;
      if ((!is_last || waits_after) && !service_.connection.flush()) return leave();
      service_.sent = end;
    }
    return wait_at(service_.sent, 0) && end();
  }

 private:
  bool leave() {
    service_.ending = ReplyEnding::client_left;
    return false;
  }

  bool pause(std::int64_t ms) {
    if (!service_.connection.flush()) return leave();
    switch (service_.connection.pause(ms)) {
      case Connection::Wait::gone:
        return leave();
      case Connection::Wait::stopping:
        service_.ending = ReplyEnding::stopped;
        service_.connection.drop();
        return false;
      case Connection::Wait::over:
      case Connection::Wait::ready:
        break;
    }
    return true;
  }

  bool wait_at(std::int64_t byte, std::size_t part) {
    if (part > 0 && delivery_.part_delay_ms > 0 && !pause(delivery_.part_delay_ms)) return false;
    if (byte == delivery_.until_at && !wait_for_event()) return false;
    if (byte != delivery_.stall_at) return true;
    delivery_.stall_at = -1;
    return pause(delivery_.stall_ms);
  }

  bool wait_for_event() {
    delivery_.until_at = -1;
    std::int64_t waited = 0;
    while (!book_.options().has_happened(delivery_.until)) {
      if (waited >= book_.options().until_timeout_ms) {
        book_.give_up(delivery_);
        service_.ending = ReplyEnding::stopped;
        service_.connection.drop();
        return false;
      }
      if (!pause(kUntilStepMs)) return false;
      waited += kUntilStepMs;
    }
    return true;
  }

  bool end() {
    service_.ending = delivery_.ending;
    if (delivery_.ending == ReplyEnding::complete) return true;
    // What was written must arrive before the connection breaks.
    service_.connection.flush();
    if (delivery_.ending == ReplyEnding::reset) service_.connection.drop();
    service_.connection.close_after_this();
    return false;
  }

  Service& service_;
  Delivery& delivery_;
  WireBook& book_;
};

/// Hands the delivery over to the library.
void send(Service& service, WireBook& book, Delivery delivery, httplib::Response& response) {
  service.was_answered = true;
  service.delivery = std::move(delivery);
  const Delivery& reply = service.delivery;
  ReplyWriter writer(service, book);
  response.status = reply.status == 0 ? 500 : reply.status;
  for (const auto& [name, value] : reply.headers) response.set_header(name, value);
  if (!writer.wait_first()) return service.connection.drop();
  if (reply.status == 0) {
    service.ending = reply.ending;
    return service.connection.drop();
  }
  const auto provider = [&service, &book](std::size_t /*offset*/, httplib::DataSink& sink) {
    const bool is_written = ReplyWriter(service, book).run(sink);
    // Only a stream is ended by its writer.
    if (is_written && sink.done) sink.done();
    return is_written;
  };
  if (reply.is_stream && !service.has_chunks) {
    // The end of the connection is the end of the stream.
    service.connection.close_after_this();
    response.set_header("Connection", "close");
    response.set_content_provider(reply.content_type, provider);
  } else if (reply.is_stream) {
    response.set_chunked_content_provider(reply.content_type, provider);
  } else if (reply.body.empty()) {
    response.set_content("", reply.content_type);
  } else {
    response.set_content_provider(
        reply.body.size(), reply.content_type,
        [provider](std::size_t offset, std::size_t /*length*/, httplib::DataSink& sink) {
          return provider(offset, sink);
        });
  }
}

class LibraryServer final : public httplib::Server {
 public:
  LibraryServer(WireBook& book, int stop_fd) : book_(book), stop_fd_(stop_fd) {
    const WireOptions& options = book.options();
    set_tcp_nodelay(true);
    set_keep_alive_max_count(1'000'000'000);
    set_keep_alive_timeout(std::max<std::int64_t>(1, options.keep_alive_ms / 1000));
    set_payload_max_length(static_cast<std::size_t>(options.body_bytes_max));
    set_socket_options([this](socket_t socket) {
      const int on = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
      listener_ = socket;
    });
    new_task_queue = [threads = options.threads_max] { return new LibraryThreads(threads); };
    set_routes();
  }

  /// False: the port is taken.
  bool bind(std::int64_t port) {
    if (port == 0) {
      port_ = bind_to_any_port(kLoopback);
    } else {
      port_ = bind_to_port(kLoopback, static_cast<int>(port)) ? static_cast<int>(port) : -1;
    }
    // The library's own queue of five lets a crowd of clients starve.
    return port_ > 0 && ::listen(listener_, kBacklog) == 0;
  }
  int port() const { return port_; }

 private:
  void set_routes() {
    const auto plain = [this](const httplib::Request& request, httplib::Response& response) {
      handle(request, request.body, response);
    };
    const auto reading = [this](const httplib::Request& request, httplib::Response& response,
                                const httplib::ContentReader& reader) {
      handle_body(request, reader, response);
    };
    Get(".*", plain).Options(".*", plain).Delete(".*", plain);
    Post(".*", reading).Put(".*", reading).Patch(".*", reading);
    set_error_handler(httplib::Server::Handler(
        [this](const httplib::Request& request, httplib::Response& response) {
          if (!t_service->was_answered) refuse(request, response.status, "", response);
        }));
    set_exception_handler([this](const httplib::Request& request, httplib::Response& response,
                                 const std::exception_ptr& /*error*/) {
      refuse(request, 500, "the server failed", response);
    });
  }

  static HttpRequest request_of(const httplib::Request& request, std::string body) {
    return {request.method, request.path, request.target, t_service->headers, std::move(body)};
  }

  void handle_body(const httplib::Request& request, const httplib::ContentReader& reader,
                   httplib::Response& response) {
    std::string body;
    const auto take = [&](const char* data, std::size_t size) {
      const bool fits =
          std::ssize(body) + static_cast<std::int64_t>(size) <= book_.options().body_bytes_max;
      t_service->is_too_large = !fits;
      if (fits) body.append(data, size);
      return fits;
    };
    if (request.is_multipart_form_data()) {
      return refuse(request, 400, "the request body is no JSON but a form", response);
    }
    if (!reader(take)) {
      const int status = response.status > 0 ? response.status : 400;
      return refuse(request, status, "", response);
    }
    handle(request, std::move(body), response);
  }

  void handle(const httplib::Request& request, std::string body, httplib::Response& response) {
    t_service->connection.end_of_request();
    const std::string stranger = foreign_source(t_service->headers);
    if (!stranger.empty()) {
      return refuse(request, 403, stranger + " is not on loopback", response);
    }
    if (t_service->is_malformed) return refuse(request, 400, "", response);
    send(*t_service, book_, book_.answer(request_of(request, std::move(body))), response);
  }

  /// The rest of the request is not read: the connection ends with the reply.
  void refuse(const httplib::Request& request, int status, std::string message,
              httplib::Response& response) {
    if (t_service->connection.is_late()) status = 408;
    if (t_service->connection.has_long_head()) status = 431;
    if (t_service->is_too_large) status = 413;
    if (t_service->is_malformed) status = 400;
    if (message.empty()) message = words_of(status);
    t_service->connection.close_after_this();
    response.set_header("Connection", "close");
    send(*t_service, book_, book_.refuse(request_of(request, ""), status, message), response);
    const Delivery& reply = t_service->delivery;
    // An error handler may not stream.
    response.set_content(reply.body, reply.content_type);
    t_service->sent = std::ssize(reply.body);
  }

  static std::string words_of(int status) {
    if (status == 408) return "the request did not arrive in time";
    if (status == 413) return "the request body is too large";
    if (status == 414) return "the URL is too long";
    if (status == 431) return "the headers are too long";
    return "the request is no valid HTTP";
  }

  bool process_and_close_socket(socket_t socket) override {
    const WireOptions& options = book_.options();
    Connection connection(
        socket, stop_fd_,
        {options.read_timeout_ms, options.write_timeout_ms, options.keep_alive_ms});
    while (connection.wait_for_request() == Connection::Wait::ready && serve_one(connection)) {
    }
    return true;
  }

  /// Whether another request may follow.
  bool serve_one(Connection& connection) {
    Service service{connection};
    t_service = &service;
    LibraryStream stream(connection);
    bool is_closed = false;
    const auto set_up = [this](httplib::Request& request) { take_headers(request); };
    const bool is_done = process(stream, is_closed, set_up);
    // The library says nothing to a client whose headers do not come.
    if (!service.was_answered && connection.is_late()) {
      connection.write(kLate.data(), kLate.size());
    }
    if (!service.was_answered && connection.has_long_head()) {
      connection.write(kLongHead.data(), kLongHead.size());
    }
    const bool arrived = connection.flush();
    if (!arrived && service.ending == ReplyEnding::complete) {
      service.ending = ReplyEnding::client_left;
    }
    if (service.was_answered) book_.end(service.delivery, service.ending, service.sent);
    t_service = nullptr;
    if (!is_done || is_closed) connection.close_after_this();
    return !connection.closes();
  }

  /// The library throws where memory is short or a pattern is too deep: that costs a connection.
  bool process(httplib::Stream& stream, bool& is_closed,
               const std::function<void(httplib::Request&)>& set_up) {
    try {
      return process_request(stream, false, is_closed, set_up);
    } catch (const std::exception&) {
      t_service->connection.drop();
      return false;
    }
  }

  /// Whatever a client accepts, it gets the bytes as they are, all of them.
  void take_headers(httplib::Request& request) {
    t_service->connection.end_of_head();
    t_service->headers = headers_of(request);
    t_service->has_chunks = request.version != "HTTP/1.0";
    request.headers.erase("Accept-Encoding");
    request.ranges.clear();
    const std::string length = request.get_header_value("Content-Length");
    if (!std::ranges::all_of(length, [](unsigned char c) { return std::isdigit(c) != 0; })) {
      t_service->is_malformed = true;
      t_service->connection.refuse_body();
    } else if (!length.empty() &&
               std::strtoull(length.c_str(), nullptr, 10) >
                   static_cast<unsigned long long>(book_.options().body_bytes_max)) {
      t_service->is_too_large = true;
      t_service->connection.refuse_body();
    }
  }

  WireBook& book_;
  int stop_fd_;
  int listener_ = -1;
  int port_ = -1;
};

}  // namespace

class WireServer::Inside final {
 public:
  Inside(PlayerScript script, WireOptions options)
      : book(std::move(script), std::move(options)),
        stop_event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        server(book, stop_event_.get()) {}

  ~Inside() { stop(); }

  bool start() {
    if (!server.bind(book.options().port)) return false;
    thread_ = std::thread([this] { server.listen_after_bind(); });
    while (!server.is_running()) std::this_thread::yield();
    return true;
  }

  void stop() {
    const std::lock_guard lock(stopping_);
    if (!thread_.joinable()) return;
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(stop_event_.get(), &one, sizeof(one));
    server.stop();
    thread_.join();
  }

  /// True if the server did not stop within the time.
  bool pause(std::int64_t ms) const { return ::poll(nullptr, 0, static_cast<int>(ms)) == 0; }

  WireBook book;

 private:
  engine::OwnedFd stop_event_;

 public:
  LibraryServer server;

 private:
  std::mutex stopping_;
  std::thread thread_;
};

WireServer::WireServer(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}

WireServer::~WireServer() = default;

Result<std::unique_ptr<WireServer>> WireServer::start(PlayerScript script, WireOptions options) {
  const std::string port = std::to_string(options.port);
  auto inside = std::make_unique<Inside>(std::move(script), std::move(options));
  if (!inside->start()) {
    return fail(ErrorCode::io, "port " + port + " of " + kLoopback + " cannot be bound");
  }
  return std::unique_ptr<WireServer>(new WireServer(std::move(inside)));
}

std::int64_t WireServer::port() const {
  return inside_->server.port();
}

void WireServer::replay(PlayerScript script) {
  inside_->book.replay(std::move(script));
}

std::vector<Exchange> WireServer::take_exchanges() {
  return inside_->book.take();
}

bool WireServer::wait_until_quiet(std::int64_t timeout_ms) {
  std::int64_t waited = 0;
  while (inside_->book.open_count() > 0) {
    if (waited >= timeout_ms) return false;
    inside_->pause(kQuietStepMs);
    waited += kQuietStepMs;
  }
  return true;
}

std::vector<LlmError> WireServer::settle() {
  return inside_->book.left_over();
}

std::vector<LlmError> WireServer::errors() {
  return inside_->book.errors();
}

WireTotals WireServer::totals() {
  return inside_->book.totals();
}

void WireServer::stop() {
  inside_->stop();
}

}  // namespace plumb::simulator
