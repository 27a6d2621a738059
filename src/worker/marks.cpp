// The chore that writes low marks down, so that a restart does not make receivers read dead rows.

#include "pg/clock.h"
#include "queue/low_marks.h"
#include "worker/chores.h"

namespace baton::worker {

int64_t marks_chore() {
    constexpr int64_t kRound = 60 * pg::kMicrosPerSecond;
    (void)queue::write_low_marks();
    return kRound;
}

} // namespace baton::worker
