// SPDX-License-Identifier: Apache-2.0
#include "engine/values/nfkc.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include <utf8proc.h>

#include "engine/values/utf8.h"

namespace plumb {
namespace {

bool is_ascii_text(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

struct FreeBytes {
  void operator()(utf8proc_uint8_t* bytes) const { std::free(bytes); }
};

/// Appends the form of `text`, which is valid UTF-8; what the library refuses stays as it is.
void append_form(std::string& form, std::string_view text) {
  if (is_ascii_text(text)) {
    form += text;
    return;
  }
  constexpr auto kOptions =
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPAT | UTF8PROC_COMPOSE);
  utf8proc_uint8_t* bytes = nullptr;
  const auto length = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                   static_cast<utf8proc_ssize_t>(text.size()), &bytes, kOptions);
  const std::unique_ptr<utf8proc_uint8_t, FreeBytes> owned(bytes);
  if (length < 0) {
    form += text;
  } else {
    form.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length));
  }
}

}  // namespace

std::string nfkc(std::string_view text) {
  std::string form;
  form.reserve(text.size());
  while (!text.empty()) {
    const std::int64_t invalid = find_invalid_utf8(text);
    if (invalid < 0) {
      append_form(form, text);
      return form;
    }
    const auto valid = static_cast<std::size_t>(invalid);
    append_form(form, text.substr(0, valid));
    form += text[valid];
    text.remove_prefix(valid + 1);
  }
  return form;
}

}  // namespace plumb
