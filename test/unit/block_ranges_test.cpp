// Block ranges: merging, growing coarser, and the promise never to lose a block.
// Random sets are compared with a plain list of everything that was added.
#include "core/block_ranges.h"

#include <limits>
#include <set>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "core/uniform.h"
#include "random.h"

namespace baton::core {
namespace {

static_assert(std::is_trivially_destructible_v<BlockRanges<8>> &&
              std::is_trivially_copyable_v<BlockRanges<8>>);
constinit BlockRanges<4> constant_start;

constexpr uint32_t kHighest = std::numeric_limits<uint32_t>::max();

template <size_t N>
std::vector<BlockRange> listed(const BlockRanges<N> &set) {
    return {set.ranges().begin(), set.ranges().end()};
}

using List = std::vector<BlockRange>;

/// Within capacity, sorted, and with at least one block missing between neighbours.
template <size_t N>
void expect_sound(const BlockRanges<N> &set) {
    const auto ranges = set.ranges();
    ASSERT_LE(ranges.size(), N);
    ASSERT_EQ(set.empty(), ranges.empty());
    for (size_t i = 0; i < ranges.size(); ++i) {
        ASSERT_LE(ranges[i].first, ranges[i].last);
        if (i > 0) {
            ASSERT_GT(ranges[i].first, uint64_t{ranges[i - 1].last} + 1);
        }
    }
}

template <size_t N>
bool covers(const BlockRanges<N> &set, uint32_t block) {
    for (const BlockRange &range : set.ranges()) {
        if (range.first <= block && block <= range.last) {
            return true;
        }
    }
    return false;
}

TEST(BlockRanges, StartsEmptyAndClears) {
    EXPECT_TRUE(constant_start.empty());
    constant_start.add(3);
    EXPECT_FALSE(constant_start.empty());
    constant_start.clear();
    EXPECT_TRUE(constant_start.empty());
    EXPECT_TRUE(constant_start.ranges().empty());
}

TEST(BlockRanges, KeepsOrder) {
    BlockRanges<4> set;
    set.add(50);
    set.add(10, 12);
    set.add(30);
    EXPECT_EQ(listed(set), (List{{10, 12}, {30, 30}, {50, 50}}));
}

TEST(BlockRanges, MergesTouchingAndOverlapping) {
    BlockRanges<4> set;
    set.add(10);
    set.add(11);
    set.add(9);
    EXPECT_EQ(listed(set), (List{{9, 11}}));
    set.add(10);
    EXPECT_EQ(listed(set), (List{{9, 11}}));
    set.add(13);
    EXPECT_EQ(listed(set), (List{{9, 11}, {13, 13}}));
    set.add(12);
    EXPECT_EQ(listed(set), (List{{9, 13}}));
    set.add(20, 30);
    set.add(40, 50);
    set.add(25, 45);
    EXPECT_EQ(listed(set), (List{{9, 13}, {20, 50}}));
    set.add(0, 100);
    EXPECT_EQ(listed(set), (List{{0, 100}}));
}

TEST(BlockRanges, EndsInEitherOrder) {
    BlockRanges<4> set;
    set.add(9, 5);
    EXPECT_EQ(listed(set), (List{{5, 9}}));
}

TEST(BlockRanges, FullSetClosesTheSmallestGap) {
    BlockRanges<3> set;
    set.add(0);
    set.add(100);
    set.add(110);
    set.add(1000);
    EXPECT_EQ(listed(set), (List{{0, 0}, {100, 110}, {1000, 1000}}));
    set.add(995); // the newcomer itself is nearest to its neighbour
    EXPECT_EQ(listed(set), (List{{0, 0}, {100, 110}, {995, 1000}}));
    set.add(3);
    EXPECT_EQ(listed(set), (List{{0, 3}, {100, 110}, {995, 1000}}));
}

TEST(BlockRanges, FullSetStillMergesWithoutLosingPrecision) {
    BlockRanges<2> set;
    set.add(10);
    set.add(20);
    set.add(21);
    EXPECT_EQ(listed(set), (List{{10, 10}, {20, 21}}));
    set.add(11, 19);
    EXPECT_EQ(listed(set), (List{{10, 21}}));
}

TEST(BlockRanges, EndsOfTheNumbers) {
    BlockRanges<4> set;
    set.add(kHighest);
    set.add(0);
    EXPECT_EQ(listed(set), (List{{0, 0}, {kHighest, kHighest}}));
    set.add(kHighest - 1);
    set.add(1);
    EXPECT_EQ(listed(set), (List{{0, 1}, {kHighest - 1, kHighest}}));
    set.add(0, kHighest);
    EXPECT_EQ(listed(set), (List{{0, kHighest}}));
}

TEST(BlockRanges, OneRangeIsEnough) {
    BlockRanges<1> set;
    set.add(10);
    set.add(30);
    set.add(20);
    EXPECT_EQ(listed(set), (List{{10, 30}}));
}

TEST(BlockRanges, MergesAnotherSet) {
    BlockRanges<4> set;
    set.add(1);
    set.add(10);
    BlockRanges<2> other;
    other.add(2, 3);
    other.add(20);
    set.merge(other);
    EXPECT_EQ(listed(set), (List{{1, 3}, {10, 10}, {20, 20}}));
    set.merge(set);
    EXPECT_EQ(listed(set), (List{{1, 3}, {10, 10}, {20, 20}}));
    set.merge(BlockRanges<8>{});
    EXPECT_EQ(listed(set), (List{{1, 3}, {10, 10}, {20, 20}}));
}

template <size_t N>
void check_random_sets(uint64_t seed, uint32_t universe) {
    Random random(seed);
    for (int round = 0; round < 300; ++round) {
        BlockRanges<N> set;
        std::set<uint32_t> added;
        const uint64_t adds = 1 + uniform_up_to(40, random.next());
        for (uint64_t i = 0; i < adds; ++i) {
            const auto first = static_cast<uint32_t>(uniform_up_to(universe, random.next()));
            const auto length = static_cast<uint32_t>(uniform_up_to(4, random.next()));
            const uint32_t last = std::min(first + length, universe);
            set.add(first, last);
            for (uint32_t block = first; block <= last; ++block) {
                added.insert(block);
            }
            expect_sound(set);
            if (testing::Test::HasFatalFailure()) {
                return;
            }
        }
        size_t covered = 0;
        for (uint32_t block = 0; block <= universe; ++block) {
            const bool is_covered = covers(set, block);
            covered += is_covered ? 1 : 0;
            ASSERT_TRUE(is_covered || !added.contains(block)) << block;
        }
        ASSERT_TRUE(covers(set, *added.begin()) && covers(set, *added.rbegin()));
        ASSERT_EQ(set.ranges().front().first, *added.begin());
        ASSERT_EQ(set.ranges().back().last, *added.rbegin());
        if (adds <= N) {
            ASSERT_EQ(covered, added.size()); // with room for all it is exact
        }
    }
}

TEST(BlockRanges, RandomSetsNeverLoseABlock) {
    check_random_sets<1>(1, 100);
    check_random_sets<2>(2, 200);
    check_random_sets<8>(3, 300);
    check_random_sets<16>(4, 1000);
    check_random_sets<64>(5, 1000);
}

TEST(BlockRanges, RandomMergesNeverLoseABlock) {
    Random random(6);
    for (int round = 0; round < 300; ++round) {
        BlockRanges<4> a;
        BlockRanges<8> b;
        std::vector<uint32_t> added;
        for (int i = 0; i < 12; ++i) {
            added.push_back(static_cast<uint32_t>(uniform_up_to(500, random.next())));
            a.add(added.back());
            added.push_back(static_cast<uint32_t>(uniform_up_to(500, random.next())));
            b.add(added.back());
        }
        a.merge(b);
        expect_sound(a);
        for (const uint32_t block : added) {
            ASSERT_TRUE(covers(a, block));
        }
    }
}

} // namespace
} // namespace baton::core
