// SPDX-License-Identifier: Apache-2.0
#include "engine/values/shared_json_list.h"

#include <gtest/gtest.h>

namespace plumb {
namespace {

SharedJsonList numbers(int count) {
  SharedJsonList list;
  for (int i = 0; i < count; ++i) list.emplace_back(Json(i));
  return list;
}

TEST(SharedJsonList, CopiesShareTheirBeginningAndGrowApart) {
  SharedJsonList one = numbers(3);
  SharedJsonList other = one;
  one.emplace_back(Json("one"));
  other.emplace_back(Json("other"));
  EXPECT_EQ(one.size(), 4U);
  EXPECT_EQ(one.back().get(), "one");
  EXPECT_EQ(other.back().get(), "other");
  EXPECT_EQ(one.common_with(other), 3U);
  EXPECT_NE(one, other);
  EXPECT_EQ(one.first(3), other.first(3));
}

TEST(SharedJsonList, ElementsOfAShorterListStayWhereTheyAre) {
  SharedJsonList longer = numbers(1);
  const SharedJsonList shorter = longer;
  const SharedJson* place = &shorter[0];
  for (int i = 0; i < 1000; ++i) longer.emplace_back(Json(i));
  EXPECT_EQ(&shorter[0], place);
  EXPECT_EQ(longer.size(), 1001U);
  EXPECT_EQ(longer.common_with(shorter), 1U);
}

TEST(SharedJsonList, ComparesByValueAndCountsTheSameObjects) {
  const SharedJsonList one = numbers(4);
  const SharedJsonList other = numbers(4);
  EXPECT_EQ(one, other);
  EXPECT_EQ(one.common_with(other), 0U);
  EXPECT_EQ(SharedJsonList(std::vector<SharedJson>(one.begin(), one.end())).common_with(one), 4U);
  EXPECT_EQ(SharedJsonList(), SharedJsonList(std::vector<SharedJson>()));
  EXPECT_TRUE(SharedJsonList().empty());
}

}  // namespace
}  // namespace plumb
