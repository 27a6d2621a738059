// The chores that move delayed messages into their queues: when the next one is due, and a full
// look for those whose transaction ended after they were due.

#include "core/ready_word.h"
#include "pg/clock.h"
#include "queue/later.h"
#include "worker/chores.h"

namespace baton::worker {
namespace {

constexpr int kBatch = 1000;

int64_t pause_until(const queue::PromotionResult &result) {
    if (result.next_due == core::kNever)
        return kUntilWoken;
    return std::max<int64_t>(result.next_due - pg::clock_now(), 0);
}

} // namespace

int64_t later_chore() {
    // Entries due before the last promoted one are gone, though they may stand in the index for as
    // long as some old snapshot sees them.
    static constinit int64_t from = 0;
    queue::PromotionResult result = queue::promote_due(from, kBatch);
    if (result.next_due != core::kNever)
        from = std::min(result.next_due, pg::clock_now());
    return pause_until(result);
}

int64_t overdue_chore() {
    constexpr int64_t kRound = 60 * pg::kMicrosPerSecond;
    queue::PromotionResult result = queue::promote_due(0, kBatch);
    return result.moved == kBatch ? 0 : kRound;
}

} // namespace baton::worker
