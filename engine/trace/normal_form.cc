// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/normal_form.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/trace/event_json.h"
#include "engine/trace/request_fold.h"

namespace plumb {
namespace {

bool is_decimal(char c) {
  return c >= '0' && c <= '9';
}

bool is_hexadecimal(char c) {
  return is_decimal(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// Whether the text at `at` has the shape: 'x' a hexadecimal digit, '9' a digit, else itself.
bool has_shape(std::string_view text, std::size_t at, std::string_view shape) {
  if (text.size() - at < shape.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const char c = text[at + i];
    const bool fits = shape[i] == 'x'   ? is_hexadecimal(c)
                      : shape[i] == '9' ? is_decimal(c)
                                        : c == shape[i];
    if (!fits) return false;
  }
  return true;
}

constexpr std::string_view kUuid = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
constexpr std::string_view kTime = "9999-99-99T99:99:99";
constexpr std::string_view kTemporaryFolder = "/tmp/";
constexpr std::array<std::string_view, 2> kHosts{"127.0.0.1:", "localhost:"};

/// Numbers that differ from run to run.
constexpr std::array<std::string_view, 9> kMeasured{"timestamp",  "durationMs", "duration_ms",
                                                    "elapsed_ms", "elapsedMs",  "wall_time_seconds",
                                                    "pid",        "startedAt",  "endedAt"};

/// Names by the order of their appearance.
class Names {
 public:
  explicit Names(std::string word) : word_(std::move(word)) {}
  std::string of(std::string_view real) {
    const auto [found, is_new] = numbers_.try_emplace(std::string(real), numbers_.size() + 1);
    return "<" + word_ + "-" + std::to_string(found->second) + ">";
  }

 private:
  std::string word_;
  std::map<std::string, std::size_t> numbers_;
};

class Normaliser {
 public:
  Json value(const Json& json);
  std::string text(std::string_view from);

 private:
  /// Reads one placeholder's worth of text at `at` into `to`. Returns what it took, or 0.
  std::size_t take(std::string_view from, std::size_t at, std::string& to);
  std::size_t take_folder(std::string_view from, std::size_t at, std::string& to);
  static std::size_t take_port(std::string_view from, std::size_t at, std::string& to);
  static std::size_t take_time(std::string_view from, std::size_t at, std::string& to);

  Names folders_{"dir"};
  Names uuids_{"uuid"};
};

std::size_t Normaliser::take_folder(std::string_view from, std::size_t at, std::string& to) {
  if (!from.substr(at).starts_with(kTemporaryFolder)) return 0;
  const auto begin = at + kTemporaryFolder.size();
  const auto end = std::min(from.find_first_of("/\"' \n\t)]}:;,", begin), from.size());
  if (end == begin) return 0;
  to += std::string(kTemporaryFolder) + folders_.of(from.substr(begin, end - begin));
  return end - at;
}

std::size_t Normaliser::take_port(std::string_view from, std::size_t at, std::string& to) {
  for (const auto host : kHosts) {
    if (!from.substr(at).starts_with(host)) continue;
    auto end = at + host.size();
    while (end < from.size() && is_decimal(from[end])) ++end;
    if (end == at + host.size()) return 0;
    to += std::string(host) + "<port>";
    return end - at;
  }
  return 0;
}

std::size_t Normaliser::take_time(std::string_view from, std::size_t at, std::string& to) {
  if (!has_shape(from, at, kTime)) return 0;
  auto end = at + kTime.size();
  while (end < from.size() && (is_decimal(from[end]) || from[end] == '.')) ++end;
  if (end < from.size() && from[end] == 'Z') ++end;
  to += "<time>";
  return end - at;
}

std::size_t Normaliser::take(std::string_view from, std::size_t at, std::string& to) {
  if (const auto taken = take_folder(from, at, to); taken > 0) return taken;
  if (const auto taken = take_port(from, at, to); taken > 0) return taken;
  if (const auto taken = take_time(from, at, to); taken > 0) return taken;
  if (!has_shape(from, at, kUuid)) return 0;
  to += uuids_.of(from.substr(at, kUuid.size()));
  return kUuid.size();
}

std::string Normaliser::text(std::string_view from) {
  std::string to;
  for (std::size_t at = 0; at < from.size();) {
    const auto taken = take(from, at, to);
    if (taken == 0) to += from[at];
    at += std::max<std::size_t>(taken, 1);
  }
  return to;
}

Json Normaliser::value(const Json& json) {
  if (json.is_string()) return text(json.get_ref<const std::string&>());
  if (json.is_array()) {
    Json list = Json::array();
    for (const auto& item : json) list.push_back(value(item));
    return list;
  }
  if (!json.is_object()) return json;
  Json object = Json::object();
  for (const auto& [name, member] : json.items()) {
    const bool is_measured = std::ranges::find(kMeasured, name) != kMeasured.end();
    object[text(name)] = is_measured && member.is_number() ? Json(0) : value(member);
  }
  return object;
}

// ---------------------------------------------------------------- order

/// The seqs of a live trace in their normal order: source by source, causes first.
std::vector<std::size_t> normal_order(const Trace& trace) {
  std::vector<std::size_t> order;
  std::vector<bool> is_taken(trace.events.size(), false);
  const auto take = [&](auto&& self, std::size_t seq) -> void {
    if (is_taken[seq]) return;
    is_taken[seq] = true;
    const auto cause = trace.events[seq].cause;
    if (cause >= 0 && cause < static_cast<std::int64_t>(seq)) {
      self(self, static_cast<std::size_t>(cause));
    }
    order.push_back(seq);
  };
  for (const Source source :
       {Source::engine, Source::port, Source::llm, Source::host, Source::probe}) {
    for (std::size_t seq = 0; seq < trace.events.size(); ++seq) {
      if (trace.events[seq].source == source) take(take, seq);
    }
  }
  return order;
}

// ---------------------------------------------------------------- events

/// Events under their new numbers.
class NormalTrace {
 public:
  explicit NormalTrace(const Trace& trace)
      : from_(trace), is_live_(trace.header.determinism == Determinism::live) {}

  Result<Trace> make();

 private:
  Result<void> read_requests();
  Result<void> add(const Event& event);
  Result<Payload> payload_of(const Event& event);
  Payload request_of(const Event& event, const ProviderRequest& request);

  const Trace& from_;
  bool is_live_;
  Trace to_;
  Normaliser normaliser_;
  RequestDeltas deltas_;
  std::map<std::int64_t, std::vector<RequestBlock>> requests_;  ///< Whole, by seq.
  std::map<std::int64_t, std::int64_t> seqs_;                   ///< Old -> new.
};

Result<void> NormalTrace::read_requests() {
  RequestFold fold;
  for (const auto& event : from_.events) {
    if (event.as<ProviderRequest>() == nullptr) continue;
    PLUMB_TRY(const auto folded, fold.fold(event));
    requests_[event.seq].assign(folded.blocks.begin(), folded.blocks.end());
  }
  return {};
}

Payload NormalTrace::request_of(const Event& event, const ProviderRequest& request) {
  std::vector<RequestBlock> blocks;
  for (const auto& block : requests_[event.seq]) {
    blocks.push_back({block.zone, SharedJson(normaliser_.value(block.body.get()))});
  }
  Json params = normaliser_.value(request.params.get());
  if (params.is_object() && params.contains("wire") && params["wire"].is_object()) {
    params["wire"].erase("bytes");
    params["wire"].erase("sha256");
  }
  auto made = deltas_.next(request.lineage, blocks, SharedJson(std::move(params)));
  made.n = request.n;
  deltas_.sent(static_cast<std::int64_t>(to_.events.size()));
  return made;
}

Result<Payload> NormalTrace::payload_of(const Event& event) {
  if (const auto* request = event.as<ProviderRequest>()) return request_of(event, *request);
  PLUMB_TRY(auto read, parse_whole_event(normaliser_.value(to_json(event))));
  if (const auto* exit = read.as<ProcessExit>(); exit != nullptr && is_live_) {
    ProcessExit normal = *exit;
    normal.chunks = std::min<std::int64_t>(normal.chunks, 1);
    normal.exited_ms = std::min<std::int64_t>(normal.exited_ms, 0);
    return Payload(std::move(normal));
  }
  return std::move(read.payload);
}

Result<void> NormalTrace::add(const Event& event) {
  Event normal = event;
  PLUMB_TRY(normal.payload, payload_of(event));
  normal.seq = static_cast<std::int64_t>(to_.events.size());
  if (is_live_) normal.at = 0;
  if (const auto cause = seqs_.find(event.cause); cause != seqs_.end()) {
    normal.cause = cause->second;
  } else {
    normal.cause = -1;
  }
  seqs_[event.seq] = normal.seq;
  to_.events.push_back(std::move(normal));
  return {};
}

Result<Trace> NormalTrace::make() {
  to_.header = from_.header;
  if (auto read = read_requests(); !read) return std::unexpected(std::move(read).error());
  std::vector<std::size_t> order(from_.events.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (is_live_) order = normal_order(from_);
  for (const auto seq : order) {
    const Event& event = from_.events[seq];
    if (is_live_ && event.as<ToolExecutionUpdate>() != nullptr) continue;
    if (auto added = add(event); !added) return std::unexpected(std::move(added).error());
  }
  return std::move(to_);
}

}  // namespace

Result<Trace> normal_form(const Trace& trace) {
  return NormalTrace(trace).make();
}

}  // namespace plumb
