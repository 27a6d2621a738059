// Pausing the deliveries of a queue, and resuming them.
#pragma once

#include "pg/prelude.h"
#include "queue/queue_info.h"

namespace baton::queue {

/// Stops the handing out of messages, for other sessions from this transaction's commit on. A queue
/// that is paused gets the new reason and end. `until`: nothing = until resumed; 22023 if it is not
/// ahead. True if the queue was not paused.
bool pause_queue(const QueueInfo &queue, text *reason, std::optional<int64_t> until);

/// Ends a pause; true if there was one.
bool resume_queue(const QueueInfo &queue);

} // namespace baton::queue
