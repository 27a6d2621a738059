// Times and durations in microseconds: the units and an arithmetic that saturates.
// Values come from disk and from users, so no sum or difference may overflow.
#pragma once

#include <cstdint>
#include <limits>

namespace baton::core {

inline constexpr int64_t kSecond = 1'000'000;
inline constexpr int64_t kYear = int64_t{365} * 24 * 3600 * kSecond;

/// Sum of two microsecond values, held at the ends of int64 instead of overflowing.
[[nodiscard]] constexpr int64_t add_micros(int64_t a, int64_t b) noexcept {
    int64_t sum = 0;
    if (!__builtin_add_overflow(a, b, &sum)) {
        return sum;
    }
    return a < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

/// a - b in microseconds, held at the ends of int64 instead of overflowing.
[[nodiscard]] constexpr int64_t subtract_micros(int64_t a, int64_t b) noexcept {
    int64_t difference = 0;
    if (!__builtin_sub_overflow(a, b, &difference)) {
        return difference;
    }
    return a < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

} // namespace baton::core
