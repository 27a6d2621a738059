// The arithmetic of the ready map: what one 64-bit word of a block says and when it is due.
// Words are microseconds on the server's timestamp scale; negative ones mark a scan in progress.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/micros.h"

namespace baton::core {

/// The earliest time at which a block can hold something to claim, or one of the values below.
using ReadyWord = int64_t;

/// Look at the block now.
inline constexpr ReadyWord kLookNow = 0;

/// Nothing to find in the block until somebody stores another word.
inline constexpr ReadyWord kNever = std::numeric_limits<ReadyWord>::max();

/// The word a scanner stores while it evaluates a block: always negative, and different for every
/// (backend, counter) with a backend number below 2^31, so that a swap from it only succeeds for
/// the scan that stored it. The counter may wrap around.
[[nodiscard]] constexpr ReadyWord scanning_word(uint32_t backend, uint32_t counter) noexcept {
    const uint64_t bits = uint64_t{1} << 63 | uint64_t{backend} << 32 | counter;
    return static_cast<ReadyWord>(bits);
}

/// Whether the block should be looked at: its time has come, a scan is or was in progress, or the
/// word lies more than horizon microseconds (the longest possible delay) ahead and so must be
/// damaged or written before the clock was set back.
[[nodiscard]] constexpr bool is_due(ReadyWord word, int64_t now, int64_t horizon) noexcept {
    if (word == kNever) {
        return false;
    }
    return word <= std::max(now, kLookNow) || word > add_micros(now, horizon);
}

/// The earlier of two words; a scan in progress counts as kLookNow.
[[nodiscard]] constexpr ReadyWord earlier(ReadyWord a, ReadyWord b) noexcept {
    return std::max(std::min(a, b), kLookNow);
}

/// How long, in microseconds, to leave a block alone that held only rows in progress, after it
/// was already looked at `tries` times in vain: 1, 2, 4, 8, 16, 32 and then always 60 seconds.
[[nodiscard]] constexpr int64_t safety_net(int tries) noexcept {
    constexpr int kLastDoubling = 5;
    if (tries > kLastDoubling) {
        return 60 * kSecond;
    }
    return kSecond << std::max(tries, 0);
}

} // namespace baton::core
