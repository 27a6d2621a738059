// When a lease ends although the clock may have been set back since it was given.
// The rule needs no memory: it judges by the row's two times and the clock alone.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/micros.h"

namespace baton::core {

/// A lease may seem to begin this far ahead of the clock without the clock being suspected.
inline constexpr int64_t kClockTolerance = 5 * kSecond;

/// The time at which the row's lease ends, in microseconds on the scale of `now`. A result <= now
/// means that the row can be claimed.
///
/// leased_at is when the current term of the lease was given, by receive or by the last extend;
/// visible_at is its end. leased_at = 0 means never leased (a delayed message).
///
/// Rule: the lease ends at visible_at, unless leased_at lies further ahead of the clock than both
/// kClockTolerance and the lease's own duration (visible_at - leased_at): then it ends now.
///
/// Reason: leased_at ahead of the clock proves a step back of at least that much, but not how long
/// ago, so the time that the lease has really run is unknown. Counting the duration from now would
/// never end, and waiting for visible_at costs the step on top. A step that is small beside the
/// lease is therefore waited out, and after a larger one the lease is given up as after a step
/// forward: the message may be handed out again early, and the token fences the first consumer.
/// So, whatever the step, a lease lasts after it at most
///     duration + max(kClockTolerance, duration)
/// (and never more than duration + step) as seen by a receiver that looks meanwhile.
[[nodiscard]] constexpr int64_t effective_lease_end(int64_t leased_at, int64_t visible_at,
                                                    int64_t now) noexcept {
    if (leased_at == 0 || visible_at <= now) {
        return visible_at;
    }
    const int64_t ahead = subtract_micros(leased_at, now);
    const int64_t duration = subtract_micros(visible_at, leased_at);
    return ahead > std::max(kClockTolerance, duration) ? now : visible_at;
}

} // namespace baton::core
