// SPDX-License-Identifier: Apache-2.0
// Any bytes as the body of a request, in both dialects, streaming or not as they say: it is
// answered, or refused in the provider's own shape; a stream is whole events.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "simulator/llm/wire/wire_book.h"

namespace {

using namespace plumb::simulator;

PlayerScript fuzz_script() {
  PlayerScript script;
  script.file = "fuzz.yaml";
  ModelStep reply;
  reply.text = "text";
  reply.thinking = "hm";
  reply.chunk = 1;
  CallScript call;
  call.id = "c1";
  call.tool = "read";
  reply.calls.push_back(call);
  script.tracks["main"] = {{reply, {1, 1}}};
  return script;
}

WireOptions fuzz_options() {
  WireOptions options;
  options.loops = true;
  options.needs_key = false;
  options.computes_usage = true;
  options.journal_max = 1;
  return options;
}

void check(const Delivery& delivery, Dialect dialect) {
  if (delivery.is_stream) {
    if (delivery.status != 200 || !delivery.body.ends_with("\n\n")) std::abort();
    return;
  }
  const auto body = plumb::parse_json(delivery.body);
  if (!body || !body->is_object()) std::abort();
  if (delivery.status == 200) return;
  if (delivery.status != 400 || !body->contains("error")) std::abort();
  const char* member = dialect == Dialect::messages ? "type" : "param";
  const bool has_shape =
      dialect == Dialect::messages ? body->contains(member) : (*body)["error"].contains(member);
  if (!has_shape) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static WireBook book(fuzz_script(), fuzz_options());
  for (const Dialect dialect : {Dialect::messages, Dialect::chat}) {
    HttpRequest request;
    request.method = "POST";
    request.path = dialect == Dialect::messages ? "/v1/messages" : "/v1/chat/completions";
    request.body.assign(reinterpret_cast<const char*>(data), size);
    check(book.answer(std::move(request)), dialect);
  }
  return 0;
}
