// SPDX-License-Identifier: Apache-2.0
#include "engine/values/sha256.h"

#include <array>

#include <openssl/evp.h>

#include "engine/kernel/result.h"

namespace plumb {

namespace {

// Fetched once and never changed: EVP_sha256() looks the algorithm up again for every digest.
const EVP_MD* fetched_sha256() {
  static const std::unique_ptr<EVP_MD, void (*)(EVP_MD*)> digest(
      EVP_MD_fetch(nullptr, "SHA256", nullptr), EVP_MD_free);
  PLUMB_ASSERT(digest != nullptr);
  return digest.get();
}

}  // namespace

struct Hasher::Context {
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> digest{EVP_MD_CTX_new(), EVP_MD_CTX_free};

  void start() {
    PLUMB_ASSERT(digest != nullptr);
    PLUMB_ASSERT(EVP_DigestInit_ex2(digest.get(), fetched_sha256(), nullptr) == 1);
  }
};

Hasher::Hasher() : context_(std::make_unique<Context>()) {
  context_->start();
}
Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;

Hasher& Hasher::update(std::string_view bytes) {
  PLUMB_ASSERT(EVP_DigestUpdate(context_->digest.get(), bytes.data(), bytes.size()) == 1);
  return *this;
}

std::string Hasher::finish() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<unsigned char, 32> digest{};
  PLUMB_ASSERT(EVP_DigestFinal_ex(context_->digest.get(), digest.data(), nullptr) == 1);
  context_->start();
  std::string hex;
  for (const unsigned char byte : digest) {
    hex += kDigits[byte >> 4U];
    hex += kDigits[byte & 0xFU];
  }
  return hex;
}

std::string sha256_hex(std::string_view bytes) {
  return Hasher().update(bytes).finish();
}

std::string chain_hash(std::string_view previous_hex, std::string_view bytes) {
  return Hasher().update(previous_hex).update(bytes).finish();
}

}  // namespace plumb
