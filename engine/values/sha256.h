// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4), for prefix chains, approval hashes and digests in reports.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace plumb {

/// Digests many texts with one context. Thread-compatible.
class Hasher final {
 public:
  Hasher();
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;

  Hasher& update(std::string_view bytes);

  /// The digest of everything since the last `finish`, as 64 lower-case hex digits; starts anew.
  std::string finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

/// The digest of `bytes` as 64 lower-case hex digits.
std::string sha256_hex(std::string_view bytes);

/// One link of a chain: the digest of `previous_hex` (as text, empty at the start) followed by
/// `bytes`.
std::string chain_hash(std::string_view previous_hex, std::string_view bytes);

}  // namespace plumb
