// Random bits mapped onto a range: both ends, and evenness.
#include "core/uniform.h"
#include "random.h"

#include <array>
#include <limits>

#include <gtest/gtest.h>

namespace baton::core {
namespace {

TEST(UniformUpTo, ReachesBothEnds) {
    constexpr uint64_t kHighest = std::numeric_limits<uint64_t>::max();
    for (const uint64_t limit : {uint64_t{0}, uint64_t{1}, uint64_t{999}, kHighest - 1, kHighest}) {
        EXPECT_EQ(uniform_up_to(limit, 0), 0U);
        EXPECT_EQ(uniform_up_to(limit, kHighest), limit);
    }
}

TEST(UniformUpTo, IsEven) {
    Random random(1);
    std::array<int, 10> counts{};
    for (int i = 0; i < 100000; ++i) {
        ++counts.at(uniform_up_to(9, random.next()));
    }
    for (const int count : counts) {
        EXPECT_NEAR(count, 10000, 700);
    }
}

} // namespace
} // namespace baton::core
