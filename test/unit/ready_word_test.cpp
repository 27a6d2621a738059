// Ready words: special values, scan marks, when a word is due, and the safety net.
// A word that cannot be right must always read as "look now".
#include "core/ready_word.h"

#include <array>
#include <set>

#include <gtest/gtest.h>

namespace baton::core {
namespace {

constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
constexpr int64_t kNow = 800'000'000 * kSecond;
constexpr int64_t kHorizon = kYear;
constexpr uint32_t kMaxBackend = (uint32_t{1} << 31) - 1;
constexpr uint32_t kMaxCounter = std::numeric_limits<uint32_t>::max();

TEST(ReadyWord, ScanningIsNegativeAndUnique) {
    std::set<ReadyWord> seen;
    size_t made = 0;
    for (const uint32_t backend : {0U, 1U, 2U, 1000U, 0x3ffffU, kMaxBackend - 1, kMaxBackend}) {
        for (const uint32_t counter : {0U, 1U, 2U, 0x7fffffffU, 0x80000000U, kMaxCounter}) {
            const ReadyWord word = scanning_word(backend, counter);
            EXPECT_LT(word, 0);
            EXPECT_TRUE(is_due(word, kNow, kHorizon));
            seen.insert(word);
            ++made;
        }
    }
    EXPECT_EQ(seen.size(), made);
}

TEST(ReadyWord, ScanningStaysNegativeForAnyBackend) {
    EXPECT_LT(scanning_word(kMaxCounter, kMaxCounter), 0);
    EXPECT_LT(scanning_word(kMaxBackend + 1, 0), 0);
}

TEST(ReadyWord, DueWhenItsTimeHasCome) {
    EXPECT_TRUE(is_due(kLookNow, kNow, kHorizon));
    EXPECT_TRUE(is_due(kNow - 1, kNow, kHorizon));
    EXPECT_TRUE(is_due(kNow, kNow, kHorizon));
    EXPECT_FALSE(is_due(kNow + 1, kNow, kHorizon));
    EXPECT_FALSE(is_due(kNow + kHorizon, kNow, kHorizon));
}

TEST(ReadyWord, DueWhenItCannotBeRight) {
    EXPECT_TRUE(is_due(kNow + kHorizon + 1, kNow, kHorizon));
    EXPECT_TRUE(is_due(kNever - 1, kNow, kHorizon));
    EXPECT_TRUE(is_due(-1, kNow, kHorizon));
    EXPECT_TRUE(is_due(kLowest, kNow, kHorizon));
}

TEST(ReadyWord, NeverIsNeverDue) {
    for (const int64_t now : {kLowest, int64_t{0}, kNow, kNever - 1, kNever}) {
        EXPECT_FALSE(is_due(kNever, now, kHorizon));
        EXPECT_FALSE(is_due(kNever, now, kNever));
    }
}

TEST(ReadyWord, ExtremeClocksDoNotOverflow) {
    EXPECT_FALSE(is_due(kNever - 1, kNever - 2, kHorizon));
    EXPECT_TRUE(is_due(kNow, kNever, kNever));
    EXPECT_TRUE(is_due(kLookNow, kLowest, 0)); // before the epoch "look now" still means it
    EXPECT_TRUE(is_due(-5, -10, kHorizon));
}

TEST(ReadyWord, EarlierTreatsScanningAsNow) {
    EXPECT_EQ(earlier(5, 7), 5);
    EXPECT_EQ(earlier(7, 5), 5);
    EXPECT_EQ(earlier(kNever, 7), 7);
    EXPECT_EQ(earlier(kNever, kNever), kNever);
    EXPECT_EQ(earlier(kLookNow, 7), kLookNow);
    EXPECT_EQ(earlier(-3, 7), kLookNow);
    EXPECT_EQ(earlier(kNever, kLowest), kLookNow);
    EXPECT_EQ(earlier(-3, -2), kLookNow);
}

TEST(ReadyWord, SafetyNetGrowsToAMinute) {
    constexpr std::array<int64_t, 9> kSeconds{1, 2, 4, 8, 16, 32, 60, 60, 60};
    for (size_t i = 0; i < kSeconds.size(); ++i) {
        EXPECT_EQ(safety_net(static_cast<int>(i)), kSeconds[i] * kSecond);
    }
    EXPECT_EQ(safety_net(std::numeric_limits<int>::max()), 60 * kSecond);
    EXPECT_EQ(safety_net(-1), kSecond);
    EXPECT_EQ(safety_net(std::numeric_limits<int>::min()), kSecond);
}

} // namespace
} // namespace baton::core
