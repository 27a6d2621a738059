// Messages with a long delay: they wait in baton._later, so that they do not keep a segment alive,
// and the worker moves them into their queue when they are due.
#pragma once

#include "pg/prelude.h"
#include "queue/queue_info.h"
#include "queue/row_reader.h"
#include "store/row.h"

namespace baton::queue {

/// True if a message due at that time belongs into baton._later.
bool is_for_later(int64_t due_at, int64_t now);

/// Stores rows in the caller's transaction; the worker hears of them at commit.
void append_later(const QueueInfo &queue, const store::RowValues *rows, int count);

struct PromotionResult {
    int moved;
    int64_t next_due; // microseconds; kNever if nothing waits
};

/// Moves up to `limit` due messages into their queues, in the caller's transaction. `from` is where
/// to begin: entries due before it are known to be gone. Rows that somebody else deletes, and those
/// of a queue that is locked, are passed over.
PromotionResult promote_due(int64_t from, int limit);

/// Visits the queue's rows in baton._later; the row looks like a segment's.
void visit_later(const QueueInfo &queue, RowVisitor visit, void *argument);

/// Deletes one row that a visitor saw. False if somebody else did.
bool delete_later(ItemPointer tid);

/// Deletes all rows of the queue. Returns how many.
int64_t delete_all_later(const QueueInfo &queue);

} // namespace baton::queue
