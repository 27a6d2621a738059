// Lease ends under a clock that is set back.
// The bound of the documented rule is checked by replaying steps of every size.
#include "core/lease_clock.h"

#include <array>
#include <limits>

#include <gtest/gtest.h>

namespace baton::core {
namespace {

constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();
constexpr int64_t kMinute = 60 * kSecond;
constexpr int64_t kHour = 60 * kMinute;
constexpr int64_t kLeasedAt = 800'000'000 * kSecond;

TEST(LeaseClock, PlainWhileTheClockIsRight) {
    const int64_t end = kLeasedAt + 30 * kSecond;
    for (const int64_t later : {int64_t{0}, int64_t{1}, 29 * kSecond, 30 * kSecond, kHour}) {
        EXPECT_EQ(effective_lease_end(kLeasedAt, end, kLeasedAt + later), end);
    }
}

TEST(LeaseClock, NeverLeasedIsPlain) {
    for (const int64_t visible_at : {int64_t{0}, kLeasedAt, kLeasedAt + kYear, kHighest, kLowest}) {
        EXPECT_EQ(effective_lease_end(0, visible_at, kLeasedAt), visible_at);
        EXPECT_EQ(effective_lease_end(0, visible_at, kLowest), visible_at);
    }
}

TEST(LeaseClock, SmallStepsAreWaitedOut) {
    const int64_t end = kLeasedAt + kSecond;
    EXPECT_EQ(effective_lease_end(kLeasedAt, end, kLeasedAt - kClockTolerance), end);
    EXPECT_EQ(effective_lease_end(kLeasedAt, end, kLeasedAt - kClockTolerance - 1),
              kLeasedAt - kClockTolerance - 1);
}

TEST(LeaseClock, StepsUpToTheDurationAreWaitedOut) {
    const int64_t end = kLeasedAt + 12 * kHour;
    EXPECT_EQ(effective_lease_end(kLeasedAt, end, kLeasedAt - 6 * kSecond), end);
    EXPECT_EQ(effective_lease_end(kLeasedAt, end, kLeasedAt - 12 * kHour), end);
    EXPECT_EQ(effective_lease_end(kLeasedAt, end, kLeasedAt - 12 * kHour - 1),
              kLeasedAt - 12 * kHour - 1);
}

TEST(LeaseClock, LargeStepsEndTheLease) {
    const int64_t now = kLeasedAt - kHour;
    EXPECT_EQ(effective_lease_end(kLeasedAt, kLeasedAt + 30 * kSecond, now), now);
}

TEST(LeaseClock, ReleasedRowsStayClaimable) {
    const int64_t now = kLeasedAt - kHour;
    EXPECT_EQ(effective_lease_end(kLeasedAt, 0, now), 0);
    EXPECT_EQ(effective_lease_end(kLeasedAt, now, now), now);
}

TEST(LeaseClock, BoundHoldsForEveryStep) {
    constexpr std::array<int64_t, 7> kSpans{
        1, kSecond, 5 * kSecond, 30 * kSecond, 10 * kMinute, kHour, 12 * kHour};
    for (const int64_t duration : kSpans) {
        for (const int64_t step : kSpans) {
            // The clock is set back right after the lease was given, the worst moment; a receiver
            // looks at the time the rule names, and once more should it then name a later one.
            const int64_t stepped = kLeasedAt - step;
            const int64_t end = effective_lease_end(kLeasedAt, kLeasedAt + duration, stepped);
            EXPECT_LE(end - stepped, duration + std::max(kClockTolerance, duration));
            EXPECT_LE(end - stepped, duration + step);
            EXPECT_LE(effective_lease_end(kLeasedAt, kLeasedAt + duration, end), end);
        }
    }
}

TEST(LeaseClock, DamagedTimesDoNotOverflow) {
    constexpr std::array<int64_t, 7> kValues{kLowest, kLowest + 1,  -1,      0,
                                             1,       kHighest - 1, kHighest};
    for (const int64_t leased_at : kValues) {
        for (const int64_t visible_at : kValues) {
            for (const int64_t now : kValues) {
                const int64_t end = effective_lease_end(leased_at, visible_at, now);
                EXPECT_TRUE(end == visible_at || end == now);
                EXPECT_LE(end, std::max(visible_at, now));
            }
        }
    }
    EXPECT_EQ(effective_lease_end(kHighest, kHighest, kLeasedAt), kLeasedAt);
}

} // namespace
} // namespace baton::core
