// SPDX-License-Identifier: Apache-2.0
// Any text as a line of an adapter: it is a message, or refused as a break of the protocol with a
// sentence. An event that was read is one that a trace can hold.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "engine/trace/event_json.h"
#include "simulator/subjects/external/adapter_message.h"
#include "simulator/subjects/external/placeholders.h"

namespace {

void check_event(const plumb::simulator::AdapterEvent& read) {
  plumb::Event event;
  event.source = read.source;
  event.call = read.call;
  event.payload = read.payload;
  if (!plumb::parse_whole_event(plumb::to_json(event))) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  const auto message = plumb::simulator::read_adapter_line(line);
  if (!message) {
    if (message.error().code != plumb::ErrorCode::protocol) std::abort();
    if (message.error().message.empty()) std::abort();
  } else if (const auto* event = std::get_if<plumb::simulator::AdapterEvent>(&*message)) {
    check_event(*event);
  }
  plumb::simulator::LivePlaceholders placeholders;
  placeholders.add("/tmp/plumb-x/workspace", "/workspace");
  placeholders.shown(placeholders.real(line));
  return 0;
}
