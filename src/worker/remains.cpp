// The chore that clears what is left of queues whose owner's tables were dropped.

#include "pg/clock.h"
#include "queue/admin.h"
#include "worker/chores.h"

namespace baton::worker {

int64_t remains_chore() {
    constexpr int64_t kRetry = 10 * pg::kMicrosPerSecond;
    switch (queue::clear_remains()) {
    case queue::Cleared::kOne:
        return 0;
    case queue::Cleared::kBusy:
        return kRetry;
    case queue::Cleared::kNothing:
        break;
    }
    return kUntilWoken;
}

} // namespace baton::worker
