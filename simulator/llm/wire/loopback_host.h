// SPDX-License-Identifier: Apache-2.0
// Who a request on loopback is from, as far as it says so itself: a page of some other site, in a
// browser on this machine, reaches loopback too.
#pragma once

#include <string>
#include <string_view>

#include "simulator/llm/wire/exchange.h"

namespace plumb::simulator {

/// localhost or a name below it, an address of 127.0.0.0/8, or [::1]; with a port or without.
bool is_loopback_host(std::string_view host);

/// What makes a request a stranger's, as "host 'a.example'": a Host or the Origin of a web page
/// that is not on loopback; "" if nothing does. Names of headers are in lower case.
std::string foreign_source(const HeaderList& headers);

}  // namespace plumb::simulator
