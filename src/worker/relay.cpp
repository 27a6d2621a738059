// The chore that moves events from the outbox to the subscribed queues.

#include "core/ready_word.h"
#include "pg/clock.h"
#include "pg/settings.h"
#include "queue/relay.h"
#include "queue/segments.h"
#include "worker/chores.h"

namespace baton::worker {

int64_t relay_chore() {
    queue::prepare_outbox();
    queue::RelayResult result = queue::relay_batch(pg::settings.relay_batch_size);
    if (result.next_due == core::kNever)
        return kUntilWoken;
    // Events that could not be taken now stand with running transactions; those wake the relay when
    // they commit.
    constexpr int64_t kLeastPause = 10000;
    if (result.taken > 0 && result.next_due == core::kLookNow)
        return 0;
    return std::max(result.next_due - pg::clock_now(), kLeastPause);
}

} // namespace baton::worker
