// The retry decision.
// Rules and their order are documented at decide_retry.
#include "core/retry.h"

#include <algorithm>
#include <cstddef>

namespace baton::core {
namespace {

constexpr std::array<const char *, 8> kDeadReasonNames{"none",          "exhausted", "max_elapsed",
                                                       "permanent",     "ambiguous", "expired",
                                                       "lease_expired", "manual"};

DeadReason reason_to_give_up(const RetryPolicy &policy, const RetryInput &input) noexcept {
    if (input.failure == FailureClass::kPermanent) {
        return DeadReason::kPermanent;
    }
    if (input.failure == FailureClass::kAmbiguous && !policy.idempotent_effects) {
        return DeadReason::kAmbiguous;
    }
    if (input.attempts >= policy.max_attempts) {
        return DeadReason::kExhausted;
    }
    const int64_t elapsed = subtract_micros(input.now, input.first_attempt_at);
    if (policy.max_elapsed_us > 0 && elapsed >= policy.max_elapsed_us) {
        return DeadReason::kMaxElapsed;
    }
    return DeadReason::kNone;
}

int64_t delay_before_next(const RetryPolicy &policy, const RetryInput &input) noexcept {
    const int64_t ceiling = backoff_ceiling(policy.base_us, policy.cap_us, input.attempts);
    const int64_t backoff = backoff_delay(ceiling, policy.jitter, input.random);
    if (!input.requested_delay_us) {
        return backoff;
    }
    const int64_t requested = std::clamp<int64_t>(*input.requested_delay_us, 0, kMaxRequestedDelay);
    return input.failure == FailureClass::kOverload ? std::max(requested, backoff) : requested;
}

} // namespace

std::optional<FailureClass> parse_failure_class(std::string_view name) noexcept {
    for (size_t i = 0; i < kFailureClassNames.size(); ++i) {
        if (kFailureClassNames[i] == name) {
            return static_cast<FailureClass>(i);
        }
    }
    return std::nullopt;
}

const char *name_of(FailureClass failure) noexcept {
    const auto index = static_cast<size_t>(failure);
    return index < kFailureClassNames.size() ? kFailureClassNames[index].data() : "unknown";
}

const char *name_of(DeadReason reason) noexcept {
    const auto index = static_cast<size_t>(reason);
    return index < kDeadReasonNames.size() ? kDeadReasonNames[index] : "unknown";
}

RetryDecision decide_retry(const RetryPolicy &policy, const RetryInput &input) noexcept {
    const DeadReason reason = reason_to_give_up(policy, input);
    if (reason != DeadReason::kNone) {
        return {.is_dead = true, .reason = reason, .delay_us = 0};
    }
    return {.is_dead = false, .reason = reason, .delay_us = delay_before_next(policy, input)};
}

} // namespace baton::core
