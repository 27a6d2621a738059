// The chore that gives back what the ready map keeps for storage files that are gone.

#include "pg/clock.h"
#include "queue/stale_entries.h"
#include "worker/chores.h"

namespace baton::worker {

int64_t map_chore() {
    constexpr int64_t kRound = 60 * pg::kMicrosPerSecond;
    queue::forget_stale_entries();
    return kRound;
}

} // namespace baton::worker
