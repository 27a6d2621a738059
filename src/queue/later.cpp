// Direct access to baton._later and its indexes: no plan, no statistics.

#include "queue/later.h"

#include "core/ready_word.h"
#include "pg/clock.h"
#include "pg/settings.h"
#include "queue/extension.h"
#include "queue/send.h"
#include "shared/pending.h"

namespace baton::queue {
namespace {

// baton._later has the columns of a message's row, then the queue's number.
constexpr int kLaterColumns = store::kRowAttributes + 1;

Oid index_named(const char *name) {
    return relation_named(name);
}

struct Due {
    uint32_t queue;
    store::RowValues row;
};

int compare_due(const void *a, const void *b) {
    uint32_t left = static_cast<const Due *>(a)->queue;
    uint32_t right = static_cast<const Due *>(b)->queue;
    return left < right ? -1 : left > right ? 1 : 0;
}

bool delete_row(Relation relation, ItemPointer tid) {
    TM_FailureData failure;
    return heap_delete(relation, tid, GetCurrentCommandId(true), InvalidSnapshot, false, &failure,
                       false) == TM_Ok;
}

Due due_from(HeapTuple tuple, TupleDesc columns) {
    Datum values[kLaterColumns];
    bool nulls[kLaterColumns];
    heap_deform_tuple(heap_copytuple(tuple), columns, values, nulls);
    Due due = {DatumGetUInt32(values[kLaterColumns - 1]), {}};
    std::copy_n(values, int{store::kRowAttributes}, due.row.values);
    std::copy_n(nulls, int{store::kRowAttributes}, due.row.nulls);
    return due;
}

uint32_t queue_of(HeapTuple tuple, TupleDesc columns) {
    bool is_null = false;
    return DatumGetUInt32(heap_getattr(tuple, kLaterColumns, columns, &is_null));
}

/// Takes due rows off the table, in the order of their time. Those of a queue that somebody holds
/// the lock of stay.
int take_due(Relation relation, int64_t from, int64_t now, int limit, Due *due, int64_t *next_due) {
    int count = 0;
    *next_due = core::kNever;
    Relation index = index_open(index_named("_later_by_due"), AccessShareLock);
    Snapshot snapshot = RegisterSnapshot(GetLatestSnapshot());
    ScanKeyData key;
    ScanKeyInit(&key, store::kVisibleAt, BTGreaterEqualStrategyNumber, F_TIMESTAMPTZ_GE,
                TimestampTzGetDatum(from));
    SysScanDesc scan = systable_beginscan_ordered(relation, index, snapshot, 1, &key);
    while (HeapTuple tuple = systable_getnext_ordered(scan, ForwardScanDirection)) {
        CHECK_FOR_INTERRUPTS();
        int64_t visible_at = store::control_of(tuple->t_data)->visible_at;
        if (visible_at > now || count == limit) {
            *next_due = visible_at;
            break;
        }
        if (!can_append(queue_of(tuple, RelationGetDescr(relation))))
            continue;
        if (delete_row(relation, &tuple->t_self))
            due[count++] = due_from(tuple, RelationGetDescr(relation));
    }
    systable_endscan_ordered(scan);
    UnregisterSnapshot(snapshot);
    index_close(index, AccessShareLock);
    return count;
}

/// Appends what was taken, queue by queue.
void deliver(Due *due, int count) {
    auto *rows = static_cast<store::RowValues *>(
        palloc(sizeof(store::RowValues) * static_cast<Size>(std::max(count, 1))));
    pg_qsort(due, static_cast<size_t>(count), sizeof(Due), compare_due);
    for (int i = 0; i < count;) {
        uint32_t target = due[i].queue;
        int n = 0;
        for (; i < count && due[i].queue == target; ++i)
            rows[n++] = due[i].row;
        if (std::optional<QueueInfo> queue = find_queue_by_id(target))
            append(*queue, rows, n);
    }
}

SysScanDesc scan_queue(Relation relation, const QueueInfo &queue, Snapshot snapshot,
                       ScanKeyData *key) {
    ScanKeyInit(key, kLaterColumns, BTEqualStrategyNumber, F_INT4EQ, UInt32GetDatum(queue.id));
    return systable_beginscan(relation, index_named("_later_by_queue"), true, snapshot, 1, key);
}

} // namespace

bool is_for_later(int64_t due_at, int64_t now) {
    return due_at - now > int64_t{pg::settings.later_threshold_s} * pg::kMicrosPerSecond;
}

void append_later(const QueueInfo &queue, const store::RowValues *rows, int count) {
    Relation relation = table_open(relation_named("_later"), RowExclusiveLock);
    CatalogIndexState indexes = CatalogOpenIndexes(relation);
    for (int i = 0; i < count; ++i) {
        Datum values[kLaterColumns];
        bool nulls[kLaterColumns];
        std::copy_n(rows[i].values, int{store::kRowAttributes}, values);
        std::copy_n(rows[i].nulls, int{store::kRowAttributes}, nulls);
        values[kLaterColumns - 1] = UInt32GetDatum(queue.id);
        nulls[kLaterColumns - 1] = false;
        HeapTuple tuple = heap_form_tuple(RelationGetDescr(relation), values, nulls);
        CatalogTupleInsertWithInfo(relation, tuple, indexes);
        heap_freetuple(tuple);
        shared::note_later(DatumGetTimestampTz(values[store::kVisibleAt - 1]));
    }
    CatalogCloseIndexes(indexes);
    table_close(relation, NoLock);
}

PromotionResult promote_due(int64_t from, int limit) {
    PromotionResult result = {};
    auto *due = static_cast<Due *>(
        palloc_extended(sizeof(Due) * static_cast<Size>(limit), MCXT_ALLOC_HUGE));
    Relation relation = table_open(relation_named("_later"), RowExclusiveLock);
    result.moved = take_due(relation, from, pg::clock_now(), limit, due, &result.next_due);
    deliver(due, result.moved);
    table_close(relation, NoLock);
    return result;
}

void visit_later(const QueueInfo &queue, RowVisitor visit, void *argument) {
    Relation relation = table_open(relation_named("_later"), AccessShareLock);
    ScanKeyData key;
    SysScanDesc scan = scan_queue(relation, queue, GetActiveSnapshot(), &key);
    bool goes_on = true;
    while (goes_on) {
        HeapTuple row = systable_getnext(scan);
        goes_on = HeapTupleIsValid(row) && visit(row, relation, argument);
    }
    systable_endscan(scan);
    table_close(relation, AccessShareLock);
}

bool delete_later(ItemPointer tid) {
    Relation relation = table_open(relation_named("_later"), RowExclusiveLock);
    bool is_deleted = delete_row(relation, tid);
    table_close(relation, NoLock);
    return is_deleted;
}

int64_t delete_all_later(const QueueInfo &queue) {
    int64_t deleted = 0;
    Relation relation = table_open(relation_named("_later"), RowExclusiveLock);
    Snapshot snapshot = RegisterSnapshot(GetLatestSnapshot());
    ScanKeyData key;
    SysScanDesc scan = scan_queue(relation, queue, snapshot, &key);
    while (HeapTuple row = systable_getnext(scan))
        deleted += delete_row(relation, &row->t_self) ? 1 : 0;
    systable_endscan(scan);
    UnregisterSnapshot(snapshot);
    table_close(relation, NoLock);
    return deleted;
}

} // namespace baton::queue
