// SPDX-License-Identifier: Apache-2.0
#include "engine/values/json_members.h"

#include <gtest/gtest.h>

namespace plumb {
namespace {

TEST(JsonMembers, AreReadWhereTheyAre) {
  const Json object{{"a", "text"}, {"n", 5}};

  EXPECT_EQ(at(object, "n"), 5);
  EXPECT_EQ(text_at(object, "a"), "text");
}

TEST(JsonMembers, AreNothingWhereTheyAreNot) {
  const Json object{{"n", 5}};

  EXPECT_TRUE(at(object, "b").is_null());
  EXPECT_EQ(text_at(object, "n"), "");
  for (const Json& odd : {Json(5), Json("a"), Json::array({1}), Json()}) {
    EXPECT_TRUE(at(odd, "a").is_null());
    EXPECT_EQ(text_at(odd, "a"), "");
  }
}

}  // namespace
}  // namespace plumb
