// Creating, adding and retiring segments of a chain: catalog rows and tables, through SQL as the
// extension's owner.
#pragma once

#include "pg/prelude.h"

namespace baton::queue {

/// Gives the queue one more segment at the end of its chain: a spare one if there is, else a new
/// table. Segments belong to the extension's owner: whoever owns a table can change its columns,
/// and rows are read without looking at them. Takes effect at commit. The caller has the identity
/// of the extension's owner and an open SqlSession.
void add_segment(uint32_t queue, bool is_unlogged);

/// Makes the outbox's first segment if there is none. In a publisher's transaction this keeps
/// others from creating segments until it ends, so the worker tries to be first.
void ensure_outbox();

/// The worker's call: the same, once the database has a queue. (A database that has none may want
/// to drop the extension without further ado.)
void prepare_outbox();

/// Takes an emptied segment out of the chain: it becomes a spare. Spares are never dropped before
/// their queue is, for a dump that has just listed the tables would fail to lock a dropped one.
void retire_segment(uint32_t queue, int32_t slot);

} // namespace baton::queue
