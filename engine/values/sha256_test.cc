// SPDX-License-Identifier: Apache-2.0
#include "engine/values/sha256.h"

#include <gtest/gtest.h>

namespace plumb {

// The first three vectors are those of FIPS 180-4's examples.
TEST(Sha256, AgreesWithThePublishedVectors) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256, ReadsNulBytes) {
  EXPECT_EQ(sha256_hex(std::string(1, '\0')),
            "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d");
}

TEST(Sha256, HasherStartsAnewAfterEachDigest) {
  Hasher hasher;

  EXPECT_EQ(hasher.update("a").update("bc").finish(), sha256_hex("abc"));
  EXPECT_EQ(hasher.update("abc").finish(), sha256_hex("abc"));
  EXPECT_EQ(hasher.finish(), sha256_hex(""));
}

TEST(Sha256, ChainDependsOnEveryLink) {
  const std::string first = chain_hash("", "abc");

  EXPECT_EQ(first, sha256_hex("abc"));
  EXPECT_EQ(chain_hash(first, "x"), sha256_hex(first + "x"));
  EXPECT_NE(chain_hash(chain_hash("", "a"), "b"), chain_hash("", "ab"));
}

}  // namespace plumb
