// SPDX-License-Identifier: Apache-2.0
#include "simulator/oracle/observed_operations.h"

#include <memory>
#include <utility>

#include "engine/kernel/event.h"

namespace plumb::simulator {

using engine::FileOperations;
using engine::Task;

namespace {

/// Shared by the operations of one call.
class OperationWatch final : public std::enable_shared_from_this<OperationWatch> {
 public:
  OperationWatch(const ToolKit& kit, std::string call, FileOperations inner)
      : loop_(kit.env.loop),
        log_(kit.log),
        injections_(kit.injections),
        call_(std::move(call)),
        inner_(std::move(inner)) {}

  Task<Result<void>> access(std::string path, bool writes) {
    begin("access");
    auto done = co_await disturb("access");
    if (done) done = co_await (writes ? inner_.check_write : inner_.check_read)(std::move(path));
    end("access", done.has_value());
    co_return done;
  }

  /// A read goes on when nobody waits for it any more, as the system's reads do.
  Task<Result<std::string>> read(std::string path) {
    begin("read");
    // Shared by who waits and the read itself, whichever ends first.
    const auto reading = std::make_shared<Reading>(loop_);
    loop_.spawn(finish_read(shared_from_this(), reading, std::move(path)), call_);
    co_await reading->done.wait();
    co_return std::move(reading->bytes);
  }

  Task<Result<void>> write(std::string path, std::string bytes) {
    begin("write");
    auto done = co_await disturb("write");
    if (done) done = co_await inner_.write_file(std::move(path), std::move(bytes));
    end("write", done.has_value());
    co_return done;
  }

 private:
  struct Reading {
    explicit Reading(engine::Loop& loop) : done(loop, "the end of a read") {}
    engine::Event done;
    Result<std::string> bytes = "";
  };

  static Task<void> finish_read(std::shared_ptr<OperationWatch> watch,
                                std::shared_ptr<Reading> reading, std::string path) {
    const auto disturbed = co_await watch->disturb("read");
    if (disturbed) {
      reading->bytes = co_await watch->inner_.read_file(std::move(path));
    } else {
      reading->bytes = std::unexpected(disturbed.error());
    }
    watch->end("read", reading->bytes.has_value());
    reading->done.set();
  }

  void begin(const std::string& operation) { log_.add(call_ + ":" + operation + ":start"); }
  void end(const std::string& operation, bool is_done) {
    log_.add(call_ + ":" + operation + (is_done ? ":end" : ":fail"));
  }

  Task<Result<void>> disturb(std::string operation) {
    const auto found = injections_.find(std::pair(call_, std::move(operation)));
    if (found == injections_.end()) co_return Result<void>();
    const Injection injection = found->second;
    if (injection.delay_ms > 0) co_await loop_.sleep_ms(injection.delay_ms);
    if (!injection.until.empty()) co_await log_.happened(injection.until).wait();
    if (injection.error) co_return std::unexpected(*injection.error);
    co_return Result<void>();
  }

  engine::Loop& loop_;
  EventLog& log_;
  const Injections& injections_;
  std::string call_;
  FileOperations inner_;
};

/// The outcome that a row spells for an operation of a backend.
Result<void> backend_outcome(const Json& backend, const char* operation) {
  const auto found = backend.find(operation);
  if (found == backend.end()) {
    return fail(ErrorCode::protocol, std::string("the backend has no ") + operation);
  }
  if (!found->is_object() || !found->contains("error")) return {};
  return std::unexpected(oracle_error((*found)["error"]));
}

std::string backend_text(const Json& backend, const char* operation) {
  const auto found = backend.find(operation);
  if (found == backend.end() || !found->is_object()) return "";
  return found->value("text", std::string());
}

Task<Result<void>> told(Result<void> outcome) {
  co_return outcome;
}

Task<Result<std::string>> told_text(Result<void> outcome, std::string text) {
  if (!outcome) co_return std::unexpected(outcome.error());
  co_return text;
}

Task<bool> told_existence(bool exists) {
  co_return exists;
}

Task<Result<std::vector<std::string>>> told_paths(std::vector<std::string> paths) {
  co_return paths;
}

Task<Result<void>> streamed(std::string text, std::size_t chunk_bytes,
                            std::function<void(std::string_view)> take) {
  for (std::size_t at = 0; at < text.size(); at += chunk_bytes) {
    take(std::string_view(text).substr(at, chunk_bytes));
  }
  co_return Result<void>();
}

}  // namespace

FileOperations observed_operations(const ToolKit& kit, std::string call, FileOperations inner) {
  FileOperations operations = inner;
  const auto watch = std::make_shared<OperationWatch>(kit, std::move(call), std::move(inner));
  operations.check_read = [watch](std::string path) {
    return watch->access(std::move(path), false);
  };
  operations.check_write = [watch](std::string path) {
    return watch->access(std::move(path), true);
  };
  operations.read_file = [watch](std::string path) { return watch->read(std::move(path)); };
  operations.write_file = [watch](std::string path, std::string bytes) {
    return watch->write(std::move(path), std::move(bytes));
  };
  return operations;
}

FileOperations backend_operations(const Json& backend) {
  FileOperations operations;
  operations.check_read = [backend](const std::string&) {
    return told(backend_outcome(backend, "access"));
  };
  operations.check_write = operations.check_read;
  operations.read_file = [backend](const std::string&) {
    return told_text(backend_outcome(backend, "read"), backend_text(backend, "read"));
  };
  operations.write_file = [backend](const std::string&, const std::string&) {
    return told(backend_outcome(backend, "write"));
  };
  operations.make_folders = [](const std::string&) { return told(Result<void>()); };
  if (backend.contains("stream")) {
    const Json& stream = backend["stream"];
    const auto chunk = std::max<std::int64_t>(stream.value("chunk_bytes", std::int64_t{65536}), 1);
    operations.stream_file = [text = backend_text(backend, "stream"), chunk](
                                 const std::string&, std::function<void(std::string_view)> take) {
      return streamed(text, static_cast<std::size_t>(chunk), std::move(take));
    };
  }
  return operations;
}

engine::FindOperations backend_search(const Json& backend) {
  engine::FindOperations operations;
  operations.exists = [exists = backend.value("exists", true)](const std::string&) {
    return told_existence(exists);
  };
  std::vector<std::string> given;
  for (const auto& path : backend.value("glob", Json::array())) {
    if (path.is_string()) given.push_back(path.get<std::string>());
  }
  operations.glob = [given](const engine::HostGlobRequest& request) {
    const auto count = std::min<std::int64_t>(std::ssize(given), request.limit);
    return told_paths(std::vector<std::string>(given.begin(), given.begin() + count));
  };
  return operations;
}

}  // namespace plumb::simulator
