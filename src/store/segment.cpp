// Opens segments and appends rows with the heap's own insertion, without indexes, free space map or
// triggers.

#include "store/segment.h"

#include "pg/settings.h"
#include "shared/pending.h"
#include "shared/roster.h"

namespace baton::store {
namespace {

constexpr int kInsertOptions = HEAP_INSERT_SKIP_FSM;
constexpr int kBatch = 256;
// An insertion target further from the end than this is given up, so that arrival order stays
// roughly position order.
constexpr BlockNumber kNearEnd = 16;

/// Slots for heap_multi_insert, made once per backend: it only carries tuples in them, so one row
/// type serves all.
TupleTableSlot **batch_slots(TupleDesc type) {
    static constinit TupleTableSlot **slots = nullptr;
    if (!slots) {
        MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);
        auto **made = static_cast<TupleTableSlot **>(palloc0(sizeof(TupleTableSlot *) * kBatch));
        TupleDesc own = CreateTupleDescCopy(type);
        for (int i = 0; i < kBatch; ++i)
            made[i] = MakeSingleTupleTableSlot(own, &TTSOpsHeapTuple);
        slots = made;
        MemoryContextSwitchTo(old);
    }
    return slots;
}

void choose_target(Relation relation, bool is_ordered) {
    BlockNumber target = RelationGetTargetBlock(relation);
    if (target == InvalidBlockNumber)
        return;
    if (is_ordered || target + kNearEnd < RelationGetNumberOfBlocks(relation))
        RelationSetTargetBlock(relation, InvalidBlockNumber);
}

void insert_batch(const Segment &segment, HeapTuple *tuples, int count) {
    TupleTableSlot **slots = batch_slots(RelationGetDescr(segment.relation));
    for (int i = 0; i < count; ++i)
        ExecStoreHeapTuple(tuples[i], slots[i], false);
    heap_multi_insert(segment.relation, slots, count, GetCurrentCommandId(true), kInsertOptions,
                      nullptr);
    for (int i = 0; i < count; ++i) {
        tuples[i]->t_self = slots[i]->tts_tid;
        ExecClearTuple(slots[i]);
    }
}

void note_blocks(const Segment &segment, HeapTuple *tuples, int count) {
    BlockNumber lo = ItemPointerGetBlockNumber(&tuples[0]->t_self);
    BlockNumber hi = lo;
    uint64_t rows = 0;
    for (int i = 0; i < count; ++i) {
        BlockNumber block = ItemPointerGetBlockNumber(&tuples[i]->t_self);
        if (block != hi && block != hi + 1) {
            shared::note_inserted(segment.key, segment.queue, lo, hi, rows);
            lo = block;
            rows = 0;
        }
        hi = block;
        ++rows;
    }
    shared::note_inserted(segment.key, segment.queue, lo, hi, rows);
}

} // namespace

Segment open_segment(Oid relid, uint32_t queue) {
    Relation relation = try_relation_open(relid, kSegmentLock);
    if (!relation)
        return {nullptr, {}, queue};
    return {relation, {MyDatabaseId, pg::file_number(relation)}, queue};
}

Segment open_segment_if_free(Oid relid, uint32_t queue) {
    if (!ConditionalLockRelationOid(relid, kSegmentLock))
        return {nullptr, {}, queue};
    Segment segment = open_segment(relid, queue);
    UnlockRelationOid(relid, kSegmentLock);
    return segment;
}

void close_segment(const Segment &segment, bool release) {
    relation_close(segment.relation, release ? kSegmentLock : NoLock);
}

bool is_locked_against(Oid relid, LOCKMODE mode) {
    LOCKTAG tag;
    SET_LOCKTAG_RELATION(tag, MyDatabaseId, relid);
    int count = 0;
    VirtualTransactionId *holders = GetLockConflicts(&tag, mode, &count);
    pfree(holders);
    return count > 0;
}

void append_rows(const Segment &segment, HeapTuple *tuples, int count, bool is_ordered) {
    choose_target(segment.relation, is_ordered);
    if (count == 1)
        heap_insert(segment.relation, tuples[0], GetCurrentCommandId(true), kInsertOptions,
                    nullptr);
    else
        for (int done = 0; done < count; done += kBatch)
            insert_batch(segment, tuples + done, std::min(kBatch, count - done));
    note_blocks(segment, tuples, count);
    if (is_full(ItemPointerGetBlockNumber(&tuples[count - 1]->t_self) + 1))
        shared::note_work(shared::kWorkExtend);
}

bool has_storage(Relation relation) {
    return relation->rd_rel->relpersistence != RELPERSISTENCE_UNLOGGED || !RecoveryInProgress();
}

bool is_full(BlockNumber nblocks) {
    return int64_t{nblocks} * (BLCKSZ / 1024) >= pg::settings.segment_size_kb;
}

} // namespace baton::store
