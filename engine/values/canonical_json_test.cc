// SPDX-License-Identifier: Apache-2.0
#include "engine/values/canonical_json.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include <gtest/gtest.h>

#include "engine/values/sha256.h"

namespace plumb {

namespace {

std::string canonical_of(std::string_view text) {
  const auto value = parse_json(text);
  if (!value) return "refused: " + value.error().message;
  const auto canonical = canonical_json(*value, LargeIntegers::refuse);
  return canonical ? *canonical : "refused: " + canonical.error().message;
}

struct JcsVector {
  std::string_view input;
  std::string_view canonical;
  std::string_view digest;
};

// The vectors of the rule catalogue (approval domain, jcs_vectors).
constexpr JcsVector kJcsVectors[] = {
    {R"({ "sql" : "DELETE FROM notes WHERE id=1" })", R"({"sql":"DELETE FROM notes WHERE id=1"})",
     "a9fc54799fd0e41534b2c382603203b9724c6da65c692452de4ffb6efa2167c1"},
    {R"({"sql":"delete from notes where id=1"})", R"({"sql":"delete from notes where id=1"})",
     "90875671010343d8fa894467ba7281b218e2c426d36371ab88ed8b28e65488ff"},
    {R"({"b":1.0,"a":{"d":true,"c":null}})", R"({"a":{"c":null,"d":true},"b":1})",
     "c6bcd213f27729acf865ace85779165d187ed34a6b109ec0d251a86115a3c587"},
    {R"({"n":[1e21,1e20,1e-7,0.000001,-0,4.50,333333333.33333329]})",
     R"({"n":[1e+21,100000000000000000000,1e-7,0.000001,0,4.5,333333333.3333333]})",
     "873184b2688d3be0335cb9c78a0b2953a77b3f9a732971a3f51c5c8573e95935"},
    {"{}", "{}", "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"},
    {R"({"command":"rm -rf build"})", R"({"command":"rm -rf build"})",
     "ad1686665270a1d1d4adc015808205829ec2078bbeee89be03d1b3a0245f32a0"},
    {R"({"path":"a.txt","edits":[{"oldText":"x","newText":"y"}]})",
     R"({"edits":[{"newText":"y","oldText":"x"}],"path":"a.txt"})",
     "77c9efcfafbd6b8072a3279c03deed7625cd8e630ac44c6c664be4beeaf9f5c2"},
    {R"({"s":"\u00e9"})", "{\"s\":\"\u00e9\"}",
     "86028b41ba792eaf82aa26a45b218f6734f7f1096a86f1746c8296e088a0ccb4"},
    {R"({"s":"e\u0301"})", "{\"s\":\"e\u0301\"}",
     "1fc0bd7cc93fca8092a2041d7d01842876422aa7e2838acf42c14578e9f2be05"},
    {R"({"\u20ac":1,"\r":2,"\u05d3\u05d1\u05e9":3,"1":4,"\ud83d\ude00":5,)"
     R"("\u0080":6,"\u00f6":7,"\ufb33":8})",
     "{\"\\r\":2,\"1\":4,\"\u0080\":6,\"\u00f6\":7,\"\u05d3\u05d1\u05e9\":3,\"\u20ac\":1,"
     "\"\U0001F600\":5,\"\uFB33\":8}",
     "d86a85b39836e25855147dd7037f1f97d39bca8fccc6173823eb5d03ffbc45c0"},
};

}  // namespace

TEST(CanonicalJson, AgreesWithTheCatalogueVectors) {  // APPR-22, APPR-23, APPR-24
  for (const JcsVector& vector : kJcsVectors) {
    EXPECT_EQ(canonical_of(vector.input), vector.canonical);
    EXPECT_EQ(sha256_hex(canonical_of(vector.input)), vector.digest) << vector.input;
  }
}

TEST(CanonicalJson, RefusesWhatTheCatalogueRefuses) {  // APPR-23, APPR-24
  for (const std::string_view text :
       {R"({"x":9007199254740993})", R"({"x":-9007199254740992})", R"({"x":18446744073709551615})",
        R"({"x":1,"x":2})", R"({"x":"\ud800"})"}) {
    EXPECT_TRUE(canonical_of(text).starts_with("refused")) << text;
  }
  EXPECT_EQ(canonical_of("[9007199254740991,-9007199254740991]"),
            "[9007199254740991,-9007199254740991]");
}

TEST(CanonicalJson, ReadsLargeIntegersAsDoublesByDefault) {
  EXPECT_EQ(canonical_json(Json(9007199254740993)), "9007199254740992");
  EXPECT_EQ(canonical_json(Json(UINT64_MAX)), "18446744073709552000");
}

TEST(CanonicalJson, NamesWhereTheRefusedValueIs) {
  const auto result = canonical_json(Json{{"a/b", {1, std::nan("")}}});

  EXPECT_EQ(result.error(), (Error{ErrorCode::rejected, "a number that is not finite", "/a~1b/1"}));
  EXPECT_FALSE(canonical_json(Json("\xFF")).has_value());
  EXPECT_FALSE(canonical_json(Json{{"\xFF", 1}}).has_value());
  EXPECT_FALSE(canonical_json(Json(std::numeric_limits<double>::infinity())).has_value());
}

TEST(CanonicalJson, LimitsTheDepth) {
  Json value;
  for (int i = 0; i < 512; ++i) value = Json::array({std::move(value)});
  EXPECT_TRUE(canonical_json(value).has_value());

  value = Json::array({std::move(value)});
  EXPECT_EQ(canonical_json(value).error().code, ErrorCode::exhausted);
}

TEST(CanonicalJson, EscapesOnlyWhatTheRfcEscapes) {  // APPR-24
  EXPECT_EQ(canonical_of(R"("\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/\u007f")"),
            "\"\u20ac$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\x7F\"");
}

// RFC 8785, appendix B.
TEST(EcmascriptNumber, AgreesWithTheSamplesOfTheRfc) {  // APPR-23
  const std::pair<std::uint64_t, std::string_view> samples[] = {
      {0x0000000000000000, "0"},
      {0x8000000000000000, "0"},
      {0x0000000000000001, "5e-324"},
      {0x8000000000000001, "-5e-324"},
      {0x7fefffffffffffff, "1.7976931348623157e+308"},
      {0xffefffffffffffff, "-1.7976931348623157e+308"},
      {0x4340000000000000, "9007199254740992"},
      {0xc340000000000000, "-9007199254740992"},
      {0x4430000000000000, "295147905179352830000"},
      {0x44b52d02c7e14af5, "9.999999999999997e+22"},
      {0x44b52d02c7e14af6, "1e+23"},
      {0x44b52d02c7e14af7, "1.0000000000000001e+23"},
      {0x444b1ae4d6e2ef4e, "999999999999999700000"},
      {0x444b1ae4d6e2ef4f, "999999999999999900000"},
      {0x444b1ae4d6e2ef50, "1e+21"},
      {0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"},
      {0x3eb0c6f7a0b5ed8d, "0.000001"},
      {0x41b3de4355555553, "333333333.3333332"},
      {0x41b3de4355555554, "333333333.33333325"},
      {0x41b3de4355555555, "333333333.3333333"},
      {0x41b3de4355555556, "333333333.3333334"},
      {0x41b3de4355555557, "333333333.33333343"},
      {0xbecbf647612f3696, "-0.0000033333333333333333"},
      {0x43143ff3c1cb0959, "1424953923781206.2"},
  };
  for (const auto& [bits, text] : samples) {
    EXPECT_EQ(ecmascript_number(std::bit_cast<double>(bits)), text);
  }
}

TEST(EcmascriptNumber, ReadsBackEqual) {
  std::mt19937_64 random(8785);
  for (int run = 0; run < 20'000; ++run) {
    const auto value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    EXPECT_EQ(parse_json(ecmascript_number(value))->get<double>(), value);
  }
}

}  // namespace plumb
