// SPDX-License-Identifier: Apache-2.0
// Any text as a trace: it is read or refused with its place; what was read is written and read
// back as the same.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/trace/jsonl.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto trace = plumb::read_trace(text, "fuzz.jsonl");
  if (!trace) {
    if (!trace.error().where.starts_with("fuzz.jsonl")) std::abort();
    return 0;
  }
  const std::string written = plumb::write_trace(*trace);
  const auto again = plumb::read_trace(written, "again.jsonl");
  if (!again || plumb::write_trace(*again) != written) std::abort();
  return 0;
}
