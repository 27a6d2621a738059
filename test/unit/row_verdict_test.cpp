// What a receiver may do with a row.

#include "core/row_verdict.h"

#include <gtest/gtest.h>

namespace baton::core {
namespace {

constexpr int64_t kNow = 1'000'000 * kSecond;

RowFacts fresh() {
    return {.visible_at = kNow - kSecond,
            .leased_at = 0,
            .first_attempt_at = 0,
            .expires_at = kNeverExpires,
            .attempts = 0,
            .max_attempts = 3,
            .max_elapsed = 0,
            .is_leased = false};
}

TEST(JudgeRow, DeliversAFreshRow) {
    EXPECT_EQ(judge_row(fresh(), kNow).verdict, Verdict::kReady);
}

TEST(JudgeRow, DeliversAtTheVeryMomentItIsDue) {
    RowFacts row = fresh();
    row.visible_at = kNow;
    EXPECT_EQ(judge_row(row, kNow).verdict, Verdict::kReady);
}

TEST(JudgeRow, WaitsUntilItIsDue) {
    RowFacts row = fresh();
    row.visible_at = kNow + 1;
    RowVerdict verdict = judge_row(row, kNow);
    EXPECT_EQ(verdict.verdict, Verdict::kWait);
    EXPECT_EQ(verdict.due_at, kNow + 1);
}

TEST(JudgeRow, WaitsForALeaseEvenIfTheMessageExpired) {
    RowFacts row = fresh();
    row.visible_at = kNow + kSecond;
    row.leased_at = kNow - kSecond;
    row.is_leased = true;
    row.expires_at = kNow - kSecond;
    EXPECT_EQ(judge_row(row, kNow).verdict, Verdict::kWait);
}

TEST(JudgeRow, BuriesWhatExpired) {
    RowFacts row = fresh();
    row.expires_at = kNow;
    EXPECT_EQ(judge_row(row, kNow).verdict, Verdict::kBury);
    EXPECT_EQ(judge_row(row, kNow).reason, DeadReason::kExpired);
}

TEST(JudgeRow, BuriesWhatUsedUpItsAttempts) {
    RowFacts row = fresh();
    row.attempts = 3;
    EXPECT_EQ(judge_row(row, kNow).reason, DeadReason::kExhausted);
    row.is_leased = true;
    EXPECT_EQ(judge_row(row, kNow).reason, DeadReason::kLeaseExpired);
    row.attempts = 2;
    EXPECT_EQ(judge_row(row, kNow).verdict, Verdict::kReady);
}

TEST(JudgeRow, BuriesWhatRanTooLong) {
    RowFacts row = fresh();
    row.max_elapsed = 10 * kSecond;
    EXPECT_EQ(judge_row(row, kNow).verdict, Verdict::kReady) << "never attempted";
    row.first_attempt_at = kNow - 10 * kSecond;
    EXPECT_EQ(judge_row(row, kNow).reason, DeadReason::kMaxElapsed);
    row.first_attempt_at += 1;
    EXPECT_EQ(judge_row(row, kNow).verdict, Verdict::kReady);
}

TEST(JudgeTakeOver, TakesWhatNobodyHolds) {
    RowFacts row = fresh();
    row.visible_at = kNow + kYear; // delayed
    EXPECT_EQ(judge_take_over(row, kNow, false).verdict, Verdict::kReady);
    row.attempts = 99; // a dead one too
    EXPECT_EQ(judge_take_over(row, kNow, false).verdict, Verdict::kReady);
}

TEST(JudgeTakeOver, TakesLeasedRowsOnlyIfTold) {
    RowFacts row = fresh();
    row.visible_at = kNow + kSecond;
    row.leased_at = kNow - kSecond;
    row.is_leased = true;
    EXPECT_EQ(judge_take_over(row, kNow, false).verdict, Verdict::kWait);
    EXPECT_EQ(judge_take_over(row, kNow, true).verdict, Verdict::kReady);
    row.visible_at = kNow; // its lease ran out
    EXPECT_EQ(judge_take_over(row, kNow, false).verdict, Verdict::kReady);
}

} // namespace
} // namespace baton::core
