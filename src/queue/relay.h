// The relay: moves events from the outbox into every subscribed queue, in one transaction per
// batch.
#pragma once

#include "pg/prelude.h"

namespace baton::queue {

struct RelayResult {
    int taken;        // events removed from the outbox
    int64_t next_due; // microseconds; kNever if only a commit can bring more
};

/// Moves up to `limit` events in the caller's transaction, which must be read committed and end
/// soon. Events whose transaction still runs, or that another relay is moving, are passed over. Per
/// key the order of the outbox is kept. Events without a subscriber stay until
/// baton.outbox_retention is over, then they are dropped and logged.
RelayResult relay_batch(int limit);

} // namespace baton::queue
