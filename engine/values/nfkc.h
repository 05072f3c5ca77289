// SPDX-License-Identifier: Apache-2.0
// Unicode normalisation form KC: compatibility forms and composed or decomposed accents become one.
#pragma once

#include <string>
#include <string_view>

namespace plumb {

/// `text` in NFKC. Bytes that are not UTF-8 stay as they are, and so do line breaks. Thread-safe.
std::string nfkc(std::string_view text);

}  // namespace plumb
