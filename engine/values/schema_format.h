// SPDX-License-Identifier: Apache-2.0
// Inside of the JSON Schema validator: the formats that may be asserted.
#pragma once

#include <string_view>

namespace plumb {

/// Whether `text` is in the named format. Known: date-time, date, time, email, hostname, ipv4,
/// ipv6, uri, uuid, json-pointer, regex. Unknown formats fit everything, as the specification says.
bool matches_format(std::string_view format, std::string_view text);

}  // namespace plumb
