// The random generator.
// Checks the published sequence, distinct seeds, and evenness of the mapping to a range.
#include "core/random.h"

#include <array>
#include <limits>
#include <set>
#include <type_traits>

#include <gtest/gtest.h>

namespace baton::core {
namespace {

static_assert(std::is_trivially_destructible_v<Random>);
constinit Random constant_start(1, 2);

/// The authors' xoshiro256** written out once more, started from a state that is read back.
struct Reference {
    std::array<uint64_t, 4> s;

    static uint64_t rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

    uint64_t next() {
        const uint64_t result = rotate(s[1] * 5, 7) * 9;
        const uint64_t t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = rotate(s[3], 45);
        return result;
    }
};

TEST(Random, FollowsXoshiro256StarStar) {
    Random random(0x0123456789abcdef, 0xfedcba9876543210);
    Reference reference{std::bit_cast<std::array<uint64_t, 4>>(random)};
    for (int i = 0; i < 1000; ++i) {
        ASSERT_EQ(random.next(), reference.next());
    }
}

TEST(Random, PublishedFirstOutputs) {
    // First outputs of xoshiro256** from the state {1, 2, 3, 4}, as other libraries test it.
    auto random = std::bit_cast<Random>(std::array<uint64_t, 4>{1, 2, 3, 4});
    EXPECT_EQ(random.next(), 11520U);
    EXPECT_EQ(random.next(), 0U);
    EXPECT_EQ(random.next(), 1509978240U);
    EXPECT_EQ(random.next(), 1215971899390074240U);
}

TEST(Random, EqualSeedsAgreeAndOthersDiffer) {
    Random a(7);
    Random b(7, 0);
    EXPECT_EQ(a.next(), b.next());
    std::set<uint64_t> first;
    for (uint64_t seed = 0; seed < 1000; ++seed) {
        first.insert(Random(seed).next());
        first.insert(Random(0, seed + 1).next());
    }
    EXPECT_EQ(first.size(), 2000U);
}

TEST(Random, ZeroSeedIsNotStuck) {
    Random random(0, 0);
    std::set<uint64_t> seen;
    for (int i = 0; i < 1000; ++i) {
        seen.insert(random.next());
    }
    EXPECT_EQ(seen.size(), 1000U);
}

TEST(Random, BitsAreBalanced) {
    std::array<int, 64> ones{};
    constexpr int kHalf = 10000;
    for (int i = 0; i < 2 * kHalf; ++i) {
        const uint64_t value = constant_start.next();
        for (size_t bit = 0; bit < ones.size(); ++bit) {
            ones[bit] += static_cast<int>((value >> bit) & 1U);
        }
    }
    for (const int count : ones) {
        EXPECT_NEAR(count, kHalf, 500); // about seven standard deviations
    }
}

TEST(UniformUpTo, ReachesBothEnds) {
    constexpr uint64_t kHighest = std::numeric_limits<uint64_t>::max();
    for (const uint64_t limit : {uint64_t{0}, uint64_t{1}, uint64_t{999}, kHighest - 1, kHighest}) {
        EXPECT_EQ(uniform_up_to(limit, 0), 0U);
        EXPECT_EQ(uniform_up_to(limit, kHighest), limit);
    }
}

TEST(UniformUpTo, IsEven) {
    std::array<int, 10> counts{};
    for (int i = 0; i < 100000; ++i) {
        ++counts.at(uniform_up_to(9, constant_start.next()));
    }
    for (const int count : counts) {
        EXPECT_NEAR(count, 10000, 700);
    }
}

} // namespace
} // namespace baton::core
