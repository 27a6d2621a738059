// The chore that gives full segments a successor. Senders wake it; the regular round is for lost
// wake-ups.

#include "pg/clock.h"
#include "queue/maintenance.h"
#include "worker/chores.h"

namespace baton::worker {

int64_t extend_chore() {
    constexpr int64_t kRound = 60 * pg::kMicrosPerSecond;
    return queue::extend_chains() > 0 ? 0 : kRound;
}

} // namespace baton::worker
