// Reading and clearing a queue's rows outside of delivery: peek, purge, and whether there are any.
#pragma once

#include "pg/prelude.h"
#include "queue/queue_info.h"

namespace baton::queue {

/// Called for each row that the caller's snapshot sees, oldest segment first. False ends the
/// reading. The row's control words may be changing meanwhile; the row is valid during the call.
using RowVisitor = bool (*)(HeapTuple row, Relation segment, void *argument);

/// Visits the rows of a queue; linear in the backlog.
void visit_rows(const QueueInfo &queue, RowVisitor visit, void *argument);

/// True if the segment has a row that is not deleted.
bool has_rows(Oid segment);

/// Deletes all rows in the caller's transaction, leased ones only with `include_leased`. Rows are
/// first taken over, so that no consumer gets or settles them meanwhile; after a rollback they come
/// back within seconds.
int64_t delete_rows(const QueueInfo &queue, bool include_leased);

} // namespace baton::queue
