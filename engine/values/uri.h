// SPDX-License-Identifier: Apache-2.0
// Just enough of RFC 3986 to resolve `$id` and `$ref`.
#pragma once

#include <string>
#include <string_view>

namespace plumb {

/// `reference` resolved against `base`, both without regard to fragments (RFC 3986, section 5.2).
std::string resolve_uri(std::string_view base, std::string_view reference);

/// What stands after '#', percent-decoded; empty without one.
std::string uri_fragment(std::string_view uri);

}  // namespace plumb
