// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/session_policies.h"

#include <gtest/gtest.h>

namespace plumb::engine {
namespace {

AssistantMessage failure(std::string message, std::int64_t status = 0) {
  AssistantMessage answer;
  answer.stop_reason = StopReason::error;
  answer.error_message = std::move(message);
  answer.error_status = status;
  return answer;
}

TEST(Retry, GoesByTheStatus) {  // WIRE-80
  for (const std::int64_t status : {408, 409, 429, 500, 502, 503, 504, 529}) {
    EXPECT_TRUE(is_retryable(failure("no words", status))) << status;
  }
  for (const std::int64_t status : {200, 400, 401, 403, 404, 413}) {
    EXPECT_FALSE(is_retryable(failure("connection: overloaded", status))) << status;
  }
}

TEST(Retry, FindsNoStatusInOtherNumbers) {  // EVENT-30
  EXPECT_FALSE(is_retryable(failure("context of 150000 tokens exceeds the limit")));
  EXPECT_FALSE(is_retryable(failure("400 context of 500 tokens")));
  EXPECT_FALSE(is_retryable(failure("at most 500 tools, not 503")));
  EXPECT_FALSE(is_retryable(failure("5000 is too much")));
  EXPECT_TRUE(is_retryable(failure("503 try again")));
  EXPECT_TRUE(is_retryable(failure("529")));
}

TEST(Retry, FindsWholeWordsOnly) {  // EVENT-30
  EXPECT_TRUE(is_retryable(failure("Overloaded_error: the model is Overloaded")));
  EXPECT_TRUE(is_retryable(failure("rate_limit_error")));
  EXPECT_TRUE(is_retryable(failure("connection error: the stream ended early")));
  EXPECT_FALSE(is_retryable(failure("unknown tool networking")));
  EXPECT_FALSE(is_retryable(failure("disconnectionist")));
}

TEST(Retry, LeavesWhatLasts) {  // WIRE-97
  EXPECT_FALSE(is_retryable(failure("rate limit: insufficient_quota", 429)));
  EXPECT_FALSE(is_retryable(failure("429 billing hard limit")));
  AssistantMessage answer;
  answer.error_message = "429";
  EXPECT_FALSE(is_retryable(answer));
}

}  // namespace
}  // namespace plumb::engine
