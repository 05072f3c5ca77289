// SPDX-License-Identifier: Apache-2.0
#include "engine/values/shared_json.h"

#include <gtest/gtest.h>

namespace plumb {

TEST(SharedJson, IsNullByDefault) {
  const SharedJson value;

  EXPECT_TRUE(value.is_null());
  EXPECT_EQ(value.get(), Json());
  EXPECT_EQ(value.bytes(), "null");
  EXPECT_EQ(value, SharedJson(Json()));
}

TEST(SharedJson, CopiesShareOneObject) {
  const SharedJson value(Json{{"b", 1}, {"a", 2}});
  const SharedJson copy = value;  // NOLINT(performance-unnecessary-copy-initialization)

  EXPECT_TRUE(copy.same_object(value));
  EXPECT_EQ(&copy.get(), &value.get());
  EXPECT_EQ(&copy.bytes(), &value.bytes());
}

TEST(SharedJson, ComparesByValueAndOrder) {
  const SharedJson value(Json{{"b", 1}, {"a", 2}});

  EXPECT_EQ(value, SharedJson(Json{{"b", 1}, {"a", 2}}));
  EXPECT_FALSE(value.same_object(SharedJson(Json{{"b", 1}, {"a", 2}})));
  EXPECT_NE(value, SharedJson(Json{{"a", 2}, {"b", 1}}));
}

TEST(SharedJson, KeepsTheOrderOfMembersInItsBytes) {
  EXPECT_EQ(SharedJson(Json{{"b", 1}, {"a", 2}}).bytes(), R"({"b":1,"a":2})");
}

TEST(SharedJson, RunsAProducerOnceAndOnlyWhenRead) {
  int runs = 0;
  const SharedJson value = SharedJson::lazy([&runs] { return Json(++runs); });
  const SharedJson copy = value;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(runs, 0);

  EXPECT_EQ(copy.bytes(), "1");
  EXPECT_EQ(value.get(), Json(1));
  EXPECT_EQ(runs, 1);
}

}  // namespace plumb
