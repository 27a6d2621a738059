// The chore that looks again, queue by queue, at blocks that the ready map believes dead.

#include "pg/clock.h"
#include "queue/maintenance.h"
#include "worker/chores.h"

namespace baton::worker {

int64_t sweep_chore() {
    constexpr int64_t kRound = 60 * pg::kMicrosPerSecond;
    (void)queue::sweep_one();
    return kRound;
}

} // namespace baton::worker
