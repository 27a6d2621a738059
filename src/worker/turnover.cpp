// The chore that empties segments whose rows are dead to everybody.

#include "pg/clock.h"
#include "pg/settings.h"
#include "queue/maintenance.h"
#include "worker/chores.h"

namespace baton::worker {

int64_t turnover_chore() {
    constexpr int64_t kRound = 60 * pg::kMicrosPerSecond;
    constexpr int64_t kRetry = 2 * pg::kMicrosPerSecond;
    switch (queue::turn_over_one()) {
    case queue::Turnover::kEmptied:
        return int64_t{pg::settings.turnover_interval_ms} * 1000;
    case queue::Turnover::kLater:
        return kRetry;
    case queue::Turnover::kNothing:
        break;
    }
    return kRound;
}

} // namespace baton::worker
