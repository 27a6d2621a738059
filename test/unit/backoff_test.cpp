// Backoff: the doubling ceiling and the jitter below it.
// The ceiling is compared with 128-bit arithmetic over every attempt that can matter.
#include "core/backoff.h"

#include <algorithm>
#include <array>
#include <limits>

#include <gtest/gtest.h>

#include "core/micros.h"
#include "core/uniform.h"
#include "random.h"

namespace baton::core {
namespace {

__extension__ using Wide = __int128;

constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();

int64_t ceiling_by_doubling(int64_t base, int64_t cap, int64_t attempt) {
    Wide value = std::max<int64_t>(base, 0);
    const Wide limit = std::max<int64_t>(cap, 0);
    for (int64_t i = 1; i < attempt && value > 0 && value < limit; ++i) {
        value *= 2;
    }
    return static_cast<int64_t>(std::min(value, limit));
}

TEST(BackoffCeiling, DoublesUpToTheCap) {
    const std::array<int64_t, 9> seconds{1, 2, 4, 8, 16, 32, 60, 60, 60};
    for (size_t i = 0; i < seconds.size(); ++i) {
        EXPECT_EQ(backoff_ceiling(kSecond, 60 * kSecond, static_cast<int64_t>(i) + 1),
                  seconds[i] * kSecond);
    }
}

TEST(BackoffCeiling, EveryAttemptAgainstWideArithmetic) {
    const std::array<int64_t, 14> values{kLowest,
                                         -1,
                                         0,
                                         1,
                                         2,
                                         3,
                                         999,
                                         kSecond,
                                         60 * kSecond,
                                         kYear,
                                         kHighest / 2,
                                         kHighest / 2 + 1,
                                         kHighest - 1,
                                         kHighest};
    for (const int64_t base : values) {
        for (const int64_t cap : values) {
            for (int64_t attempt = -2; attempt <= 200; ++attempt) {
                ASSERT_EQ(backoff_ceiling(base, cap, attempt),
                          ceiling_by_doubling(base, cap, attempt))
                    << base << " " << cap << " " << attempt;
            }
        }
    }
}

TEST(BackoffCeiling, ExtremeAttempts) {
    for (const int64_t attempt : {kLowest, kLowest + 1, int64_t{-1}, int64_t{0}}) {
        EXPECT_EQ(backoff_ceiling(5, 100, attempt), 5);
    }
    for (const int64_t attempt : {int64_t{1} << 32, kHighest - 1, kHighest}) {
        EXPECT_EQ(backoff_ceiling(5, 100, attempt), 100);
        EXPECT_EQ(backoff_ceiling(0, 100, attempt), 0);
        EXPECT_EQ(backoff_ceiling(1, kHighest, attempt), kHighest);
    }
}

TEST(BackoffDelay, EndsOfEachJitter) {
    constexpr uint64_t kAllOnes = std::numeric_limits<uint64_t>::max();
    for (const int64_t ceiling : {int64_t{0}, int64_t{1}, int64_t{2}, int64_t{7}, kHighest}) {
        EXPECT_EQ(backoff_delay(ceiling, Jitter::kFull, 0), 0);
        EXPECT_EQ(backoff_delay(ceiling, Jitter::kFull, kAllOnes), ceiling);
        EXPECT_EQ(backoff_delay(ceiling, Jitter::kEqual, 0), ceiling / 2);
        EXPECT_EQ(backoff_delay(ceiling, Jitter::kEqual, kAllOnes), ceiling);
        EXPECT_EQ(backoff_delay(ceiling, Jitter::kNone, 0), ceiling);
        EXPECT_EQ(backoff_delay(ceiling, Jitter::kNone, kAllOnes), ceiling);
    }
    for (const Jitter jitter : {Jitter::kFull, Jitter::kEqual, Jitter::kNone}) {
        EXPECT_EQ(backoff_delay(-1, jitter, kAllOnes), 0);
        EXPECT_EQ(backoff_delay(kLowest, jitter, kAllOnes), 0);
    }
}

TEST(BackoffDelay, StaysInRangeAndIsEven) {
    Random random(3);
    std::array<int, 10> counts{};
    for (int i = 0; i < 100000; ++i) {
        const int64_t full = backoff_delay(9, Jitter::kFull, random.next());
        ASSERT_GE(full, 0);
        ++counts.at(static_cast<size_t>(full));
        const int64_t equal = backoff_delay(9, Jitter::kEqual, random.next());
        ASSERT_GE(equal, 4);
        ASSERT_LE(equal, 9);
    }
    for (const int count : counts) {
        EXPECT_NEAR(count, 10000, 700);
    }
}

TEST(ParseJitter, KnowsExactlyItsNames) {
    EXPECT_EQ(parse_jitter("full"), Jitter::kFull);
    EXPECT_EQ(parse_jitter("equal"), Jitter::kEqual);
    EXPECT_EQ(parse_jitter("none"), Jitter::kNone);
    for (const std::string_view name : {"", "Full", "ful", "fulls", "none "}) {
        EXPECT_EQ(parse_jitter(name), std::nullopt) << name;
    }
}

} // namespace
} // namespace baton::core
