// Pauses: the moment at which one ends, and which ends can be asked for.
#include "core/pause.h"

#include <array>
#include <limits>

#include <gtest/gtest.h>

#include "core/micros.h"
#include "core/ready_word.h"

namespace baton::core {
namespace {

constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();
// Clocks before 2000 are negative.
constexpr std::array kClocks = {-30 * kYear, int64_t{-1}, int64_t{0}, int64_t{1}, 26 * kYear};

TEST(Pause, NoneIsNeverInForce) {
    for (const int64_t now : kClocks) {
        for (const int64_t until : {kLowest, int64_t{0}, now, now + 1, kHighest}) {
            EXPECT_FALSE(is_paused({false, until}, now));
        }
    }
}

TEST(Pause, EndsAtItsTimeAndNotBefore) {
    for (const int64_t now : kClocks) {
        EXPECT_TRUE(is_paused({true, now + 1}, now));
        EXPECT_FALSE(is_paused({true, now}, now));
        EXPECT_FALSE(is_paused({true, now - 1}, now));
        EXPECT_FALSE(is_paused({true, kLowest}, now));
    }
}

TEST(Pause, WithoutATimeLastsUntilResumed) {
    for (const int64_t now : kClocks) {
        const std::optional<int64_t> end = pause_end(std::nullopt, now);
        ASSERT_TRUE(end);
        EXPECT_EQ(*end, kUntilResumed);
        EXPECT_TRUE(is_paused({true, *end}, kHighest - 1));
    }
    static_assert(kUntilResumed == kNever); // so a waiter can take it for the next time to look
}

TEST(Pause, InfinityIsUntilResumed) {
    EXPECT_EQ(pause_end(kHighest, 0), kUntilResumed);
    EXPECT_FALSE(pause_end(kLowest, 0));
}

TEST(Pause, OnlyATimeAheadCanBeAskedFor) {
    for (const int64_t now : kClocks) {
        EXPECT_EQ(pause_end(now + 1, now), now + 1);
        EXPECT_FALSE(pause_end(now, now));
        EXPECT_FALSE(pause_end(now - 1, now));
    }
}

TEST(Pause, WhatIsAcceptedIsInForce) {
    for (const int64_t now : kClocks) {
        for (int64_t until = now - 3; until <= now + 3; ++until) {
            const std::optional<int64_t> end = pause_end(until, now);
            EXPECT_EQ(end.has_value(), is_paused({true, until}, now));
        }
    }
}

} // namespace
} // namespace baton::core
