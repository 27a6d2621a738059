// Saturating microseconds.
// Every combination of the extreme values is compared with 128-bit arithmetic.
#include "core/micros.h"

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

namespace baton::core {
namespace {

__extension__ using Wide = __int128;

constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();
constexpr std::array<int64_t, 11> kSamples{kLowest, kLowest + 1,  kLowest / 2,  -kSecond, -1, 0, 1,
                                           kSecond, kHighest / 2, kHighest - 1, kHighest};

int64_t held(Wide value) {
    return static_cast<int64_t>(std::clamp<Wide>(value, kLowest, kHighest));
}

TEST(Micros, AddSaturates) {
    for (const int64_t a : kSamples) {
        for (const int64_t b : kSamples) {
            EXPECT_EQ(add_micros(a, b), held(Wide{a} + b)) << a << " + " << b;
        }
    }
}

TEST(Micros, SubtractSaturates) {
    for (const int64_t a : kSamples) {
        for (const int64_t b : kSamples) {
            EXPECT_EQ(subtract_micros(a, b), held(Wide{a} - b)) << a << " - " << b;
        }
    }
}

TEST(Micros, WorksAtCompileTime) {
    static_assert(add_micros(kHighest, 1) == kHighest);
    static_assert(subtract_micros(kLowest, 1) == kLowest);
    static_assert(kYear == int64_t{31'536'000} * kSecond);
}

} // namespace
} // namespace baton::core
