// The chore that counts the messages of unlogged queues.

#include "pg/clock.h"
#include "pg/process.h"
#include "queue/unlogged.h"
#include "worker/chores.h"

namespace baton::worker {

int64_t unlogged_chore() {
    constexpr int64_t kRound = pg::kMicrosPerSecond;
    constexpr int64_t kRoundWithout = 60 * pg::kMicrosPerSecond;
    constexpr int64_t kLeastShare = 100; // counting takes at most a hundredth of the time
    int64_t begun_at = pg::steady_now();
    if (queue::count_unlogged() == 0)
        return kRoundWithout;
    return std::max(kRound, (pg::steady_now() - begun_at) * kLeastShare);
}

} // namespace baton::worker
