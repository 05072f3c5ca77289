// SPDX-License-Identifier: Apache-2.0
// The messages of an adapter as data (adapters/PROTOCOL.md).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/kernel/result.h"
#include "engine/trace/trace.h"
#include "engine/values/json.h"

namespace plumb::simulator {

/// Who speaks and what it can do.
struct AdapterHello {
  std::string name;
  std::string version;
  std::string engine;
  std::string edition;
  std::vector<std::string> emits;
  std::vector<std::string> steps;
  std::vector<std::string> apis;
  std::vector<std::string> supports;
  std::vector<std::string> claims;
  std::map<std::string, std::string> declares;
  bool operator==(const AdapterHello&) const = default;
};

/// `ref`: the adapter's own name of the event; `cause`: the ref of an earlier one.
struct AdapterEvent {
  Source source = Source::engine;
  Payload payload;
  std::string call;
  std::string ref;
  std::string cause;
  bool operator==(const AdapterEvent&) const = default;
};

struct DialogOpened {
  std::string ask;
  std::string method;
  std::string title;
  std::string message;
  std::vector<std::string> options;
  std::string call;
  bool operator==(const DialogOpened&) const = default;
};

/// `by`: abort, timeout.
struct DialogClosed {
  std::string ask;
  std::string by;
  bool operator==(const DialogClosed&) const = default;
};

/// `code` empty: it was carried out; else unsupported or failed.
struct AdapterAnswer {
  std::int64_t id = 0;
  std::string code;
  std::string message;
  bool operator==(const AdapterAnswer&) const = default;
};

struct AdapterLog {
  std::string text;
  bool operator==(const AdapterLog&) const = default;
};

using AdapterMessage =
    std::variant<AdapterHello, AdapterEvent, DialogOpened, DialogClosed, AdapterAnswer, AdapterLog>;

/// Checks against the schema and reads. Errors: protocol; what is wrong, and what was expected.
Result<AdapterMessage> read_adapter_message(const Json& message);

/// The same for a line as it came. Text that is no JSON is a protocol error, too.
Result<AdapterMessage> read_adapter_line(std::string_view line);

}  // namespace plumb::simulator
