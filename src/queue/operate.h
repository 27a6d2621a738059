// What an operator does to single messages: cancel, bury, take leases away. Linear in the backlog.
#pragma once

#include "pg/prelude.h"
#include "queue/dead_letter.h"
#include "queue/queue_info.h"

namespace baton::queue {

/// Deletes a message that no consumer holds, in the caller's transaction. False if there is none of
/// that id, or a consumer holds it.
bool cancel(const QueueInfo &queue, const pg_uuid_t *id);

/// Moves a message to the dead letters in the caller's transaction, from under its consumer if need
/// be. False if there is none of that id.
bool bury_message(const QueueInfo &queue, const pg_uuid_t *id, const Death &death);

/// Ends all leases of a consumer at once, whatever becomes of the transaction; its attempts count.
/// Returns how many.
int64_t release_consumer(const QueueInfo &queue, text *consumer);

} // namespace baton::queue
