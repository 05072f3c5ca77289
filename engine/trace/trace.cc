// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/trace.h"

#include "engine/kernel/result.h"
#include "engine/trace/visit_payload.h"

namespace plumb {

bool Payload::operator==(const Payload& other) const {
  if (index_ != other.index_) return false;
  bool is_equal = value_ == other.value_;
  visit_payload(*this, [&]<class Kind>(const Kind& value) {
    const auto* others = other.as<Kind>();
    is_equal = is_equal || (others != nullptr && value == *others);
  });
  return is_equal;
}

std::int64_t Recorder::record(Source source, Payload payload, std::string call,
                              std::int64_t cause) {
  if (is_severed_) return -1;
  const auto seq = static_cast<std::int64_t>(trace_.events.size());
  trace_.events.emplace_back(seq, now_ms_(), source, std::move(call), cause, std::move(payload));
  if (listener_ && !is_telling_) tell();
  return seq;
}

void Recorder::listen(std::function<void(const Event&)> listener) {
  PLUMB_ASSERT(!is_telling_);
  listener_ = std::move(listener);
  heard_count_ = trace_.events.size();
}

/// The trace may move its events while the listener records: it sees a copy.
void Recorder::tell() {
  is_telling_ = true;
  while (heard_count_ < trace_.events.size()) {
    const Event event = trace_.events[heard_count_++];
    listener_(event);
  }
  is_telling_ = false;
}

}  // namespace plumb
