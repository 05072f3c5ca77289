// SPDX-License-Identifier: Apache-2.0
// Bytes as the text that a model can be shown: what is not UTF-8 becomes U+FFFD, counted as web
// decoders count (READ-18, BASH-36).
#pragma once

#include <string>
#include <string_view>

namespace plumb::engine {

std::string decode_text(std::string bytes);

/// The same for bytes that come in pieces: a character may lie across pieces.
class TextDecoder final {
 public:
  std::string feed(std::string_view bytes);
  /// What is left unfinished.
  std::string finish();

 private:
  std::string unfinished_;
};

}  // namespace plumb::engine
