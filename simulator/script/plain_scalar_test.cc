// SPDX-License-Identifier: Apache-2.0
#include "simulator/script/plain_scalar.h"

#include <gtest/gtest.h>

namespace plumb::simulator {
namespace {

Json resolved(std::string_view text) {
  auto value = resolve_plain_scalar(text);
  return value ? *std::move(value) : Json("error: " + value.error().message);
}

// Expected values: YAML 1.2.2, section 10.3.2 (core schema).
TEST(PlainScalar, ReadsTheWordsOfTheCoreSchema) {
  EXPECT_EQ(resolved("null"), Json(nullptr));
  EXPECT_EQ(resolved("~"), Json(nullptr));
  EXPECT_EQ(resolved("True"), Json(true));
  EXPECT_EQ(resolved("false"), Json(false));
}

TEST(PlainScalar, LeavesTheWordsOfOlderYamlAsText) {
  EXPECT_EQ(resolved("yes"), Json("yes"));
  EXPECT_EQ(resolved("off"), Json("off"));
  EXPECT_EQ(resolved("1_000"), Json("1_000"));
  EXPECT_EQ(resolved("12:30"), Json("12:30"));
}

TEST(PlainScalar, ReadsIntegersInThreeBases) {
  EXPECT_EQ(resolved("0"), Json(0));
  EXPECT_EQ(resolved("-12"), Json(-12));
  EXPECT_EQ(resolved("+7"), Json(7));
  EXPECT_EQ(resolved("0644"), Json(644));
  EXPECT_EQ(resolved("0o17"), Json(15));
  EXPECT_EQ(resolved("0xff"), Json(255));
}

TEST(PlainScalar, KeepsIntegersOf64BitsExact) {
  EXPECT_EQ(dump_json(resolved("9223372036854775807")), "9223372036854775807");
  EXPECT_EQ(dump_json(resolved("18446744073709551615")), "18446744073709551615");
  EXPECT_TRUE(resolved("18446744073709551616").is_number_float());
}

TEST(PlainScalar, ReadsFloats) {
  EXPECT_EQ(resolved("0.5"), Json(0.5));
  EXPECT_EQ(resolved(".5"), Json(0.5));
  EXPECT_EQ(resolved("5."), Json(5.0));
  EXPECT_EQ(resolved("-1e3"), Json(-1000.0));
  EXPECT_EQ(resolved("1.6.0"), Json("1.6.0"));
  EXPECT_EQ(resolved("."), Json("."));
  EXPECT_EQ(resolved("1e"), Json("1e"));
}

TEST(PlainScalar, RefusesNumbersThatJsonDoesNotHave) {
  EXPECT_FALSE(resolve_plain_scalar(".nan"));
  EXPECT_FALSE(resolve_plain_scalar("-.inf"));
  EXPECT_FALSE(resolve_plain_scalar("1e999"));
}

}  // namespace
}  // namespace plumb::simulator
