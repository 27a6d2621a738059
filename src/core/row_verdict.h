// What a receiver may do with a row that no running transaction holds: claim it, wait, or bury it.
// Decided from the row's control words and the queue's policy alone.
#pragma once

#include <cstdint>

#include "core/lease_clock.h"
#include "core/retry.h"

namespace baton::core {

/// The part of a row that decides; times are microseconds, 0 = never.
struct RowFacts {
    int64_t visible_at;
    int64_t leased_at;
    int64_t first_attempt_at;
    int64_t expires_at; // kNeverExpires = none
    int32_t attempts;
    int32_t max_attempts; // the message's own or the queue's
    int64_t max_elapsed;  // 0 = none
    bool is_leased;       // an attempt holds or held it and has not given it back
};

inline constexpr int64_t kNeverExpires = std::numeric_limits<int64_t>::max();

enum class Verdict : uint8_t { kReady, kWait, kBury };

struct RowVerdict {
    Verdict verdict;
    int64_t due_at;    // kWait: when to look again
    DeadReason reason; // kBury: why
};

/// Judges a row. First match wins: not due yet: wait. Expired: bury. Attempts used up: bury, as
/// kLeaseExpired if the last attempt never reported. Too long since the first attempt: bury. Else
/// ready.
[[nodiscard]] constexpr RowVerdict judge_row(const RowFacts &row, int64_t now) noexcept {
    const int64_t due_at = effective_lease_end(row.leased_at, row.visible_at, now);
    if (due_at > now) {
        return {Verdict::kWait, due_at, DeadReason::kNone};
    }
    if (row.expires_at <= now) {
        return {Verdict::kBury, now, DeadReason::kExpired};
    }
    if (row.attempts >= row.max_attempts) {
        return {Verdict::kBury, now,
                row.is_leased ? DeadReason::kLeaseExpired : DeadReason::kExhausted};
    }
    if (row.max_elapsed > 0 && row.first_attempt_at != 0 &&
        subtract_micros(now, row.first_attempt_at) >= row.max_elapsed) {
        return {Verdict::kBury, now, DeadReason::kMaxElapsed};
    }
    return {Verdict::kReady, now, DeadReason::kNone};
}

/// Judges a row that somebody takes from its consumers (purge, cancel): ready unless an attempt
/// holds it.
[[nodiscard]] constexpr RowVerdict judge_take_over(const RowFacts &row, int64_t now,
                                                   bool with_leased) noexcept {
    const int64_t due_at = effective_lease_end(row.leased_at, row.visible_at, now);
    if (row.is_leased && due_at > now && !with_leased) {
        return {Verdict::kWait, due_at, DeadReason::kNone};
    }
    return {Verdict::kReady, now, DeadReason::kNone};
}

} // namespace baton::core
