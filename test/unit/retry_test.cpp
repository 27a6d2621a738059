// The retry decision: every class against every rule, and the order of the rules.
// Each test starts from a message that may simply be retried and changes one thing.
#include "core/retry.h"

#include <limits>
#include <type_traits>

#include <gtest/gtest.h>

namespace baton::core {
namespace {

static_assert(std::is_trivially_destructible_v<RetryPolicy> &&
              std::is_trivially_destructible_v<RetryInput> &&
              std::is_trivially_destructible_v<RetryDecision>);

constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();
constexpr int64_t kNow = 800'000'000 * kSecond;

constexpr RetryPolicy kPolicy{.base_us = kSecond,
                              .cap_us = 60 * kSecond,
                              .jitter = Jitter::kNone,
                              .max_attempts = 5,
                              .max_elapsed_us = 0,
                              .idempotent_effects = false};

constexpr RetryInput kInput{.failure = FailureClass::kTransient,
                            .attempts = 3,
                            .first_attempt_at = kNow - 10 * kSecond,
                            .now = kNow,
                            .requested_delay_us = std::nullopt,
                            .random = 0};

void expect_dead(const RetryPolicy &policy, const RetryInput &input, DeadReason reason) {
    const RetryDecision decision = decide_retry(policy, input);
    EXPECT_TRUE(decision.is_dead);
    EXPECT_EQ(decision.reason, reason);
    EXPECT_EQ(decision.delay_us, 0);
}

void expect_retry(const RetryPolicy &policy, const RetryInput &input, int64_t delay_us) {
    const RetryDecision decision = decide_retry(policy, input);
    EXPECT_FALSE(decision.is_dead);
    EXPECT_EQ(decision.reason, DeadReason::kNone);
    EXPECT_EQ(decision.delay_us, delay_us);
}

RetryInput with(FailureClass failure, std::optional<int64_t> requested_delay_us = std::nullopt) {
    RetryInput input = kInput;
    input.failure = failure;
    input.requested_delay_us = requested_delay_us;
    return input;
}

TEST(Retry, TransientWaitsForTheBackoff) {
    RetryInput input = kInput;
    for (int32_t attempts = 1; attempts < kPolicy.max_attempts; ++attempts) {
        input.attempts = attempts;
        expect_retry(kPolicy, input, kSecond << (attempts - 1));
    }
}

TEST(Retry, JitterUsesTheGivenRandomness) {
    RetryPolicy policy = kPolicy;
    policy.jitter = Jitter::kFull;
    RetryInput input = kInput;
    expect_retry(policy, input, 0);
    input.random = uint64_t{1} << 63;
    expect_retry(policy, input, 2 * kSecond);
    policy.jitter = Jitter::kEqual;
    expect_retry(policy, input, 3 * kSecond);
}

TEST(Retry, PermanentIsDead) {
    expect_dead(kPolicy, with(FailureClass::kPermanent), DeadReason::kPermanent);
    expect_dead(kPolicy, with(FailureClass::kPermanent, 0), DeadReason::kPermanent);
}

TEST(Retry, AmbiguousNeedsIdempotentEffects) {
    expect_dead(kPolicy, with(FailureClass::kAmbiguous), DeadReason::kAmbiguous);
    RetryPolicy policy = kPolicy;
    policy.idempotent_effects = true;
    expect_retry(policy, with(FailureClass::kAmbiguous), 4 * kSecond);
    expect_retry(policy, with(FailureClass::kAmbiguous, kSecond), kSecond);
}

TEST(Retry, ExhaustedAttempts) {
    RetryInput input = kInput;
    input.attempts = kPolicy.max_attempts - 1;
    expect_retry(kPolicy, input, 8 * kSecond);
    for (const int32_t attempts : {5, 6, std::numeric_limits<int32_t>::max()}) {
        input.attempts = attempts;
        expect_dead(kPolicy, input, DeadReason::kExhausted);
        input.requested_delay_us = 0; // asking for a delay does not buy an attempt
        expect_dead(kPolicy, input, DeadReason::kExhausted);
    }
}

TEST(Retry, MaxElapsed) {
    RetryPolicy policy = kPolicy;
    policy.max_elapsed_us = 10 * kSecond;
    expect_dead(policy, kInput, DeadReason::kMaxElapsed);
    policy.max_elapsed_us = 10 * kSecond + 1;
    expect_retry(policy, kInput, 4 * kSecond);
    policy.max_elapsed_us = 0;
    expect_retry(policy, kInput, 4 * kSecond);
}

TEST(Retry, ElapsedDoesNotOverflow) {
    RetryPolicy policy = kPolicy;
    policy.max_elapsed_us = 10 * kSecond;
    RetryInput input = kInput;
    input.first_attempt_at = kHighest; // the clock was set back
    expect_retry(policy, input, 4 * kSecond);
    input.first_attempt_at = kLowest;
    expect_dead(policy, input, DeadReason::kMaxElapsed);
}

TEST(Retry, OverloadTakesTheLongerDelay) {
    expect_retry(kPolicy, with(FailureClass::kOverload), 4 * kSecond);
    expect_retry(kPolicy, with(FailureClass::kOverload, kSecond), 4 * kSecond);
    expect_retry(kPolicy, with(FailureClass::kOverload, 90 * kSecond), 90 * kSecond);
}

TEST(Retry, RequestedDelayIsExactAndHeld) {
    expect_retry(kPolicy, with(FailureClass::kTransient, 0), 0);
    expect_retry(kPolicy, with(FailureClass::kTransient, 1), 1);
    expect_retry(kPolicy, with(FailureClass::kTransient, 90 * kSecond), 90 * kSecond);
    expect_retry(kPolicy, with(FailureClass::kTransient, -1), 0);
    expect_retry(kPolicy, with(FailureClass::kTransient, kLowest), 0);
    expect_retry(kPolicy, with(FailureClass::kTransient, kMaxRequestedDelay), kMaxRequestedDelay);
    expect_retry(kPolicy, with(FailureClass::kTransient, kHighest), kMaxRequestedDelay);
    expect_retry(kPolicy, with(FailureClass::kOverload, kHighest), kMaxRequestedDelay);
}

TEST(Retry, FirstMatchingRuleNamesTheReason) {
    RetryPolicy policy = kPolicy;
    policy.max_elapsed_us = 1;
    RetryInput input = with(FailureClass::kPermanent);
    input.attempts = 100;
    expect_dead(policy, input, DeadReason::kPermanent);
    input.failure = FailureClass::kAmbiguous;
    expect_dead(policy, input, DeadReason::kAmbiguous);
    policy.idempotent_effects = true;
    expect_dead(policy, input, DeadReason::kExhausted);
    input.attempts = 1;
    expect_dead(policy, input, DeadReason::kMaxElapsed);
}

TEST(Retry, FailureClassNamesRoundTrip) {
    for (const std::string_view name : kFailureClassNames) {
        const std::optional<FailureClass> failure = parse_failure_class(name);
        ASSERT_TRUE(failure);
        EXPECT_EQ(name_of(*failure), name);
    }
    EXPECT_EQ(parse_failure_class("transient"), FailureClass::kTransient);
    EXPECT_EQ(parse_failure_class("overload"), FailureClass::kOverload);
    EXPECT_EQ(parse_failure_class("ambiguous"), FailureClass::kAmbiguous);
    EXPECT_EQ(parse_failure_class("permanent"), FailureClass::kPermanent);
    for (const std::string_view name : {"", "Transient", "transien", "permanent "}) {
        EXPECT_EQ(parse_failure_class(name), std::nullopt) << name;
    }
    EXPECT_STREQ(name_of(static_cast<FailureClass>(4)), "unknown");
}

TEST(Retry, DeadReasonNames) {
    EXPECT_STREQ(name_of(DeadReason::kNone), "none");
    EXPECT_STREQ(name_of(DeadReason::kExhausted), "exhausted");
    EXPECT_STREQ(name_of(DeadReason::kMaxElapsed), "max_elapsed");
    EXPECT_STREQ(name_of(DeadReason::kPermanent), "permanent");
    EXPECT_STREQ(name_of(DeadReason::kAmbiguous), "ambiguous");
    EXPECT_STREQ(name_of(DeadReason::kExpired), "expired");
    EXPECT_STREQ(name_of(DeadReason::kLeaseExpired), "lease_expired");
    EXPECT_STREQ(name_of(DeadReason::kManual), "manual");
    EXPECT_STREQ(name_of(static_cast<DeadReason>(8)), "unknown");
}

} // namespace
} // namespace baton::core
