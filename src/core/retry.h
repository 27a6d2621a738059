// What becomes of a message whose attempt failed: another attempt after a delay, or dead letter.
// Times are microseconds, passed in together with the randomness.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/backoff.h"
#include "core/micros.h"

namespace baton::core {

/// What kind of failure the consumer reported; the values are stored, so they never change.
enum class FailureClass : uint8_t {
    kTransient, // may work next time
    kOverload,  // the dependency asks for less
    kAmbiguous, // nobody knows whether the effect happened
    kPermanent, // will never work
};

/// The names users write, in the order of the enumerators.
inline constexpr std::array<std::string_view, 4> kFailureClassNames{"transient", "overload",
                                                                    "ambiguous", "permanent"};

/// The class of that name (exact, lower case), or nothing.
[[nodiscard]] std::optional<FailureClass> parse_failure_class(std::string_view name) noexcept;

/// The name of a class; "unknown" for a value that is none.
[[nodiscard]] const char *name_of(FailureClass failure) noexcept;

/// Why a message became a dead letter; the values are stored, so they never change.
enum class DeadReason : uint8_t {
    kNone,
    kExhausted,
    kMaxElapsed,
    kPermanent,
    kAmbiguous,
    kExpired,
    kLeaseExpired,
    kManual,
};

/// The name of a reason; "unknown" for a value that is none.
[[nodiscard]] const char *name_of(DeadReason reason) noexcept;

/// The longest delay a caller can ask for, in microseconds.
inline constexpr int64_t kMaxRequestedDelay = 10 * kYear;

/// What the queue, or the message's own options, say about retries.
struct RetryPolicy {
    int64_t base_us;
    int64_t cap_us;
    Jitter jitter;
    int32_t max_attempts;
    int64_t max_elapsed_us; // since the first attempt; 0 = no limit
    bool idempotent_effects;
};

/// What happened.
struct RetryInput {
    FailureClass failure;
    int32_t attempts; // used up so far, the failed one included
    int64_t first_attempt_at;
    int64_t now;
    std::optional<int64_t> requested_delay_us; // by the consumer; held within 0..10 years
    uint64_t random;                           // 64 random bits for the jitter
};

/// What to do. delay_us is 0 for the dead, reason is kNone for the living.
struct RetryDecision {
    bool is_dead;
    DeadReason reason;
    int64_t delay_us;
};

/// Decides, first match wins: permanent: dead. Ambiguous without idempotent effects: dead. No
/// attempts left: dead. Too long since the first attempt: dead. Overload: after the longer of the
/// requested delay and the backoff. Else after exactly the requested delay, if any, or the backoff.
[[nodiscard]] RetryDecision decide_retry(const RetryPolicy &policy,
                                         const RetryInput &input) noexcept;

} // namespace baton::core
