// Row by row over one page.

#include "store/row_scan.h"

#include "store/row.h"

namespace baton::store {

RowScan begin_row_scan(Relation relation, Buffer buffer) {
    Page page = BufferGetPage(buffer);
    OffsetNumber last = PageIsNew(page) ? InvalidOffsetNumber : PageGetMaxOffsetNumber(page);
    return {buffer,
            page,
            BufferGetBlockNumber(buffer),
            RelationGetRelid(relation),
            InvalidOffsetNumber,
            last,
            {},
            HEAPTUPLE_DEAD};
}

HeapTupleData row_at(const RowScan &scan, OffsetNumber offset) {
    ItemId item = PageGetItemId(scan.page, offset);
    HeapTupleData tuple = {};
    tuple.t_data = reinterpret_cast<HeapTupleHeader>(PageGetItem(scan.page, item));
    tuple.t_len = ItemIdGetLength(item);
    tuple.t_tableOid = scan.relid;
    ItemPointerSet(&tuple.t_self, scan.block, offset);
    return tuple;
}

bool next_row(RowScan &scan) {
    while (scan.offset < scan.last) {
        ++scan.offset;
        if (!ItemIdIsNormal(PageGetItemId(scan.page, scan.offset)))
            continue;
        scan.tuple = row_at(scan, scan.offset);
        TransactionId dead_after = InvalidTransactionId;
        scan.state = HeapTupleSatisfiesVacuumHorizon(&scan.tuple, scan.buffer, &dead_after);
        if (scan.state != HEAPTUPLE_DEAD && scan.state != HEAPTUPLE_RECENTLY_DEAD)
            return true;
    }
    return false;
}

core::RowFacts facts_of(Relation relation, HeapTupleData &tuple, const core::RetryPolicy &retry) {
    const RowControl &row = *control_of(tuple.t_data);
    int64_t expires_at = core::kNeverExpires;
    if (row.flags & kHasExpiry) {
        bool is_null = false;
        Datum value = heap_getattr(&tuple, kExpiresAt, RelationGetDescr(relation), &is_null);
        if (!is_null)
            expires_at = DatumGetInt64(value);
    }
    return {.visible_at = row.visible_at,
            .leased_at = row.leased_at,
            .first_attempt_at = row.first_attempt_at,
            .expires_at = expires_at,
            .attempts = row.attempts,
            .max_attempts = retry.max_attempts,
            .max_elapsed = retry.max_elapsed_us,
            .is_leased = row.nonce != 0};
}

} // namespace baton::store
