// How long a waiting receiver may sleep before it looks again.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/ready_word.h"

namespace baton::core {

/// In microseconds, never negative: `left` until its deadline, at most `longest`, and not beyond
/// the next due time, if one is known. One that has just passed means no sleep at all. kLookNow is
/// no time: the caller has looked, and a signal tells of more.
[[nodiscard]] constexpr int64_t sleep_length(ReadyWord next_due, int64_t now, int64_t left,
                                             int64_t longest) noexcept {
    int64_t length = std::min(left, longest);
    if (next_due > kLookNow) {
        length = std::min(length, subtract_micros(next_due, now));
    }
    return std::max<int64_t>(length, 0);
}

} // namespace baton::core
