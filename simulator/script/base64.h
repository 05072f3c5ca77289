// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace plumb::simulator {

/// The bytes of base64 text (RFC 4648, padded); line breaks and blanks are skipped. None when it is
/// something else.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace plumb::simulator
