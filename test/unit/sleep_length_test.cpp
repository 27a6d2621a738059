// A waiter sleeps until something can be due, and no longer.
#include "core/sleep_length.h"

#include <gtest/gtest.h>

namespace baton::core {
namespace {

constexpr int64_t kNow = 800 * kYear / 30;

TEST(SleepLength, EndsAtTheFirstOfDueTimeDeadlineAndLongest) {
    EXPECT_EQ(sleep_length(kNow + 3, kNow, 5, 7), 3);
    EXPECT_EQ(sleep_length(kNow + 9, kNow, 5, 7), 5);
    EXPECT_EQ(sleep_length(kNow + 9, kNow, 8, 7), 7);
}

TEST(SleepLength, IsNothingForADueTimeThatPassedSinceTheLook) {
    EXPECT_EQ(sleep_length(kNow, kNow, 5, 7), 0);
    EXPECT_EQ(sleep_length(kNow - 1, kNow, 5, 7), 0);
}

TEST(SleepLength, WaitsForASignalIfNoTimeIsKnown) {
    EXPECT_EQ(sleep_length(kLookNow, kNow, 5, 7), 5);
    EXPECT_EQ(sleep_length(kNever, kNow, 50, 7), 7);
}

TEST(SleepLength, IsNothingAfterTheDeadline) {
    EXPECT_EQ(sleep_length(kNow + 3, kNow, -1, 7), 0);
    EXPECT_EQ(sleep_length(kNever, -kNow, 0, 7), 0);
}

} // namespace
} // namespace baton::core
