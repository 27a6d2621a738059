// A segment: an ordinary heap table without indexes. Opening one, and appending rows at its end.
#pragma once

#include "pg/prelude.h"
#include "shared/ready_map.h"

namespace baton::store {

/// Senders keep this until their transaction ends; it keeps the segment from being emptied.
constexpr LOCKMODE kSegmentLock = RowExclusiveLock;

/// A segment opened under kSegmentLock; relation is nullptr if it does not exist any more.
struct Segment {
    Relation relation;
    shared::SegmentKey key; // valid after the lock was granted
    uint32_t queue;
};

Segment open_segment(Oid relid, uint32_t queue);

/// The same for workers, which must not wait for users' transactions: relation is nullptr also if
/// somebody's lock stands in the way.
Segment open_segment_if_free(Oid relid, uint32_t queue);

/// Closes it; with `release` the lock goes too (only for work that is not transactional), else it
/// stays to the end.
void close_segment(const Segment &segment, bool release);

/// Whether some other transaction, a prepared one too, has a lock on the relation that this one
/// would wait for.
bool is_locked_against(Oid relid, LOCKMODE mode);

/// Appends rows and notes them for the end of the transaction. `is_ordered`: at the very end of the
/// segment, so that position follows the order of transactions that do not overlap. An active
/// snapshot is needed (TOAST). The segment stays locked. Tuples get their t_self.
void append_rows(const Segment &segment, HeapTuple *tuples, int count, bool is_ordered);

/// False for an unlogged segment on a standby, which has none of its rows.
bool has_storage(Relation relation);

/// True if a segment of so many blocks wants a successor.
bool is_full(BlockNumber nblocks);

} // namespace baton::store
