// Reading low marks past any snapshot, writing them through SQL.

#include "queue/low_marks.h"

#include "pg/sql.h"
#include "queue/extension.h"
#include "queue/queue_ids.h"
#include "queue/queue_info.h"

namespace baton::queue {
namespace {

enum LowMarkColumn : int { kSegment = 1, kFile, kBlock };

constexpr uint32_t kLeastStep = 1024 * 1024 / BLCKSZ;

/// 0 if there is none for the segment's present file.
uint32_t written_mark(const store::Segment &segment) {
    uint32_t mark = 0;
    Relation relation = table_open(extension().low_mark, AccessShareLock);
    Snapshot snapshot = RegisterSnapshot(GetLatestSnapshot());
    ScanKeyData key;
    ScanKeyInit(&key, kSegment, BTEqualStrategyNumber, F_OIDEQ,
                ObjectIdGetDatum(RelationGetRelid(segment.relation)));
    SysScanDesc scan =
        systable_beginscan(relation, extension().low_mark_by_segment, true, snapshot, 1, &key);
    HeapTuple tuple = systable_getnext(scan);
    if (HeapTupleIsValid(tuple)) {
        bool is_null = false;
        TupleDesc columns = RelationGetDescr(relation);
        Datum file = heap_getattr(tuple, kFile, columns, &is_null);
        if (DatumGetObjectId(file) == segment.key.file)
            mark = static_cast<uint32_t>(
                DatumGetInt64(heap_getattr(tuple, kBlock, columns, &is_null)));
    }
    systable_endscan(scan);
    UnregisterSnapshot(snapshot);
    table_close(relation, AccessShareLock);
    return mark;
}

bool has_moved(const store::Segment &segment, uint32_t mark, bool can_rise) {
    if (segment.relation->rd_rel->relpersistence != RELPERSISTENCE_PERMANENT)
        return false;
    uint32_t written = written_mark(segment);
    return mark < written || (can_rise && mark >= written + kLeastStep);
}

void write_mark(const store::Segment &segment, uint32_t mark) {
    pg::SqlArgument arguments[] = {
        {OIDOID, ObjectIdGetDatum(RelationGetRelid(segment.relation)), false},
        {OIDOID, ObjectIdGetDatum(segment.key.file), false},
        {INT8OID, Int64GetDatum(mark), false}};
    (void)pg::run_sql("INSERT INTO baton._low_mark (segment, file, block) VALUES ($1, $2, $3) "
                      "ON CONFLICT (segment) DO UPDATE SET file = $2, block = $3",
                      arguments);
}

int write_marks_of(uint32_t queue) {
    int written = 0;
    Chain chain = chain_of(queue);
    for (int i = 0; i < chain.count; ++i) {
        store::Segment segment = store::open_segment_if_free(chain.segments[i], queue);
        if (!segment.relation)
            continue;
        bool can_rise =
            i + 1 < chain.count && !store::is_locked_against(chain.segments[i], ShareLock);
        uint32_t mark = shared::peek_segment(segment.key).low_block; // after that
        if (shared::has_segment(segment.key) && has_moved(segment, mark, can_rise)) {
            write_mark(segment, mark);
            ++written;
        }
        store::close_segment(segment, true);
    }
    return written;
}

void forget_dropped() {
    (void)pg::run_sql("DELETE FROM baton._low_mark WHERE NOT EXISTS "
                      "(SELECT FROM pg_catalog.pg_class WHERE oid = segment)");
}

} // namespace

shared::SegmentView view_segment(const store::Segment &segment) {
    if (shared::has_segment(segment.key))
        return shared::peek_segment(segment.key);
    return shared::view_segment(segment.key, written_mark(segment));
}

int write_low_marks() {
    int written = 0;
    QueueIds queues = all_queues();
    Identity caller = become_owner();
    pg::SqlSession session = pg::begin_sql();
    for (int i = 0; i < queues.count; ++i) {
        CHECK_FOR_INTERRUPTS();
        written += write_marks_of(queues.ids[i]);
    }
    if (written > 0)
        forget_dropped();
    pg::end_sql(session);
    leave(caller);
    CommandCounterIncrement();
    return written;
}

void forget_low_mark(Oid segment) {
    pg::SqlArgument arguments[] = {{OIDOID, ObjectIdGetDatum(segment), false}};
    (void)pg::run_sql("DELETE FROM baton._low_mark WHERE segment = $1", arguments);
}

} // namespace baton::queue
