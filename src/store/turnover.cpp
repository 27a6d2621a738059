// Emptying segments.

#include "store/turnover.h"

#include "shared/pending.h"
#include "store/row_scan.h"
#include "store/segment.h"

namespace baton::store {
namespace {

/// A refused conditional AccessExclusiveLock has already cost a transaction id, so look first.
bool lock_if_free(Oid relid) {
    return !is_locked_against(relid, AccessExclusiveLock) &&
           ConditionalLockRelationOid(relid, AccessExclusiveLock);
}

bool is_page_dead(Relation relation, BlockNumber block, TransactionId horizon) {
    bool is_dead = true;
    Buffer buffer = ReadBufferExtended(relation, MAIN_FORKNUM, block, RBM_NORMAL, nullptr);
    LockBuffer(buffer, BUFFER_LOCK_SHARE);
    RowScan scan = begin_row_scan(relation, buffer);
    for (OffsetNumber offset = FirstOffsetNumber; is_dead && offset <= scan.last; ++offset) {
        if (!ItemIdIsNormal(PageGetItemId(scan.page, offset)))
            continue;
        HeapTupleData tuple = row_at(scan, offset);
        is_dead = HeapTupleSatisfiesVacuum(&tuple, horizon, buffer) == HEAPTUPLE_DEAD;
    }
    UnlockReleaseBuffer(buffer);
    return is_dead;
}

void give_new_storage(Relation relation, Oid toast) {
    pg::new_storage(relation);
    if (OidIsValid(toast)) {
        Relation toast_relation = relation_open(toast, NoLock);
        pg::new_storage(toast_relation);
        relation_close(toast_relation, NoLock);
    }
    pg::rebuild_indexes(RelationGetRelid(relation));
}

} // namespace

bool is_dead_to_all(Relation relation) {
    TransactionId horizon = GetOldestNonRemovableTransactionId(relation);
    BlockNumber nblocks = RelationGetNumberOfBlocks(relation);
    for (BlockNumber block = 0; block < nblocks; ++block) {
        CHECK_FOR_INTERRUPTS();
        if (!is_page_dead(relation, block, horizon))
            return false;
    }
    return true;
}

EmptyResult empty_segment(Oid relid, uint32_t queue) {
    Segment segment = open_segment_if_free(relid, queue);
    if (!segment.relation)
        return EmptyResult::kBusy;
    Oid toast = segment.relation->rd_rel->reltoastrelid;
    close_segment(segment, true);
    if (OidIsValid(toast) && !lock_if_free(toast))
        return EmptyResult::kBusy;
    if (!lock_if_free(relid))
        return EmptyResult::kBusy; // the TOAST lock goes with this transaction, which ends now
    Relation relation = try_relation_open(relid, NoLock);
    if (!relation)
        return EmptyResult::kGone;
    if (relation->rd_rel->reltoastrelid != toast || !is_dead_to_all(relation)) {
        relation_close(relation, NoLock);
        return EmptyResult::kNotDead;
    }
    shared::SegmentKey old_key = {MyDatabaseId, pg::file_number(relation)};
    give_new_storage(relation, toast);
    CommandCounterIncrement();
    shared::forget_segment({MyDatabaseId, pg::file_number(relation)});
    shared::note_forget_at_commit(old_key, queue);
    relation_close(relation, NoLock);
    return EmptyResult::kEmptied;
}

} // namespace baton::store
