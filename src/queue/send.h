// Sending: new rows at the end of a queue's chain, in the caller's transaction.
#pragma once

#include "pg/prelude.h"
#include "queue/queue_info.h"
#include "store/row.h"

namespace baton::queue {

/// Appends rows to the queue's current segment and notes them for the end of the transaction.
/// An active snapshot is needed. Raises XX000 if the queue has no segment.
void append(const QueueInfo &queue, store::RowValues *rows, int count);

/// For workers, which must not wait for users' transactions: takes the lock that append needs, to
/// the end of the transaction. False if somebody's lock stands in the way; then append would wait.
bool can_append(uint32_t queue);

/// Sends rows that are all due at `due_at`: appends them, or stores them for later if that is far
/// ahead of `now`.
void send_rows(const QueueInfo &queue, store::RowValues *rows, int count, int64_t due_at,
               int64_t now);

} // namespace baton::queue
