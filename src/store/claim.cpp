// Reads a block under its exclusive lock, judges every row without a snapshot, and writes the
// leases of all claimed rows in one generic WAL record.

#include "store/claim.h"

#include "pg/random.h"
#include "pg/settings.h"
#include "shared/control.h"
#include "store/row.h"
#include "store/row_scan.h"

namespace baton::store {
namespace {

struct PageFindings {
    OffsetNumber ready[MaxHeapTuplesPerPage];
    int ready_count;
    shared::BlockFinding map;
    bool is_flush_needed;
};

bool is_seen(const ClaimRequest &request, HeapTupleHeader header) {
    if (!request.seen_by || HeapTupleHeaderXminFrozen(header))
        return true;
    return !XidInMVCCSnapshot(HeapTupleHeaderGetXmin(header), request.seen_by);
}

void add_buried(const Segment &segment, const HeapTupleData &tuple, core::DeadReason reason,
                ClaimedRows &found) {
    HeapTupleData copy = tuple;
    BuryRow &row = found.buried[found.buried_count++];
    row.tuple = heap_copytuple(&copy);
    row.receipt = receipt_of(segment, row.tuple);
    row.reason = reason;
}

ClaimPolicy policy_for(const Segment &segment, HeapTupleData &tuple, const ClaimRequest &request) {
    if (!(control_of(tuple.t_data)->flags & kHasOptions) || !request.row_policy)
        return request.policy;
    return request.row_policy(&tuple, RelationGetDescr(segment.relation),
                              request.row_policy_argument);
}

core::RowVerdict verdict_on(const Segment &segment, HeapTupleData &tuple,
                            const ClaimRequest &request) {
    core::RowFacts facts =
        facts_of(segment.relation, tuple, policy_for(segment, tuple, request).retry);
    if (request.kind == ClaimKind::kTakeOver || request.kind == ClaimKind::kTakeOverLeased)
        return core::judge_take_over(facts, request.now,
                                     request.kind == ClaimKind::kTakeOverLeased);
    core::RowVerdict verdict = core::judge_row(facts, request.now);
    if (verdict.verdict == core::Verdict::kReady && request.filter) {
        int64_t later =
            request.filter(&tuple, RelationGetDescr(segment.relation), request.filter_argument);
        if (later != 0)
            return {core::Verdict::kWait, later, core::DeadReason::kNone};
    }
    return verdict;
}

/// Decides about one live row.
void judge(const Segment &segment, HeapTupleData &tuple, const ClaimRequest &request,
           ClaimedRows &found, PageFindings &page) {
    const RowControl &row = *control_of(tuple.t_data);
    core::RowVerdict verdict = verdict_on(segment, tuple, request);
    if (verdict.verdict == core::Verdict::kWait) {
        page.map.next = core::earlier(page.map.next, verdict.due_at);
        return;
    }
    bool has_room = verdict.verdict == core::Verdict::kBury
                        ? found.buried_count < found.buried_limit
                        : found.count + page.ready_count < found.limit;
    if (!has_room || !is_seen(request, tuple.t_data)) {
        page.map.next = core::kLookNow;
    } else if (verdict.verdict == core::Verdict::kBury) {
        add_buried(segment, tuple, verdict.reason, found);
        page.map.is_in_progress = true; // being buried by this transaction
    } else {
        page.ready[page.ready_count++] = tuple.t_self.ip_posid;
        page.is_flush_needed |= row.enqueued_at < shared::control().started_at;
    }
}

void read_page(const Segment &segment, Buffer buffer, const ClaimRequest &request,
               ClaimedRows &found, PageFindings &page) {
    RowScan scan = begin_row_scan(segment.relation, buffer);
    while (next_row(scan)) {
        ++page.map.live_rows;
        if (scan.state == HEAPTUPLE_LIVE)
            judge(segment, scan.tuple, request, found, page);
        else
            page.map.is_in_progress = true;
    }
}

/// A popped row that is not consumed after all is retried with backoff, but not before the popping
/// transaction had some time to end.
int64_t pop_timeout(const RowControl &row, const core::RetryPolicy &retry) {
    constexpr int64_t kLeast = 5 * core::kSecond;
    int64_t ceiling = core::backoff_ceiling(retry.base_us, retry.cap_us, int64_t{row.attempts} + 1);
    return std::max(kLeast, core::backoff_delay(ceiling, retry.jitter, pg::random_bits()));
}

/// Writes the new lease. Returns its end.
int64_t lease_row(RowControl *row, const ClaimRequest &request, const ClaimPolicy &policy,
                  uint32_t nonce) {
    int64_t length = request.kind == ClaimKind::kPop ? pop_timeout(*row, policy.retry)
                                                     : policy.visibility_timeout;
    row->visible_at = core::add_micros(request.now, length);
    ++row->token;
    row->nonce = static_cast<int32_t>(nonce);
    row->leased_at = request.now;
    if (request.kind != ClaimKind::kDeliver && request.kind != ClaimKind::kPop) {
        row->flags |= kTakenAway;
        return row->visible_at;
    }
    row->flags &= ~kTakenAway;
    if (row->first_attempt_at == 0)
        row->first_attempt_at = request.now;
    ++row->attempts;
    row->consumer = request.consumer;
    return row->visible_at;
}

bool must_flush(bool is_older_than_start) {
    switch (pg::settings.flush_leases) {
    case pg::kFlushAlways:
        return true;
    case pg::kFlushAfterCrash:
        return is_older_than_start && shared::control().is_unclean_start;
    default:
        return false;
    }
}

void copy_ready(const Segment &segment, Buffer buffer, ClaimedRows &found, PageFindings &page) {
    RowScan scan = begin_row_scan(segment.relation, buffer);
    for (int i = 0; i < page.ready_count; ++i) {
        HeapTupleData tuple = row_at(scan, page.ready[i]);
        ClaimedRow &row = found.rows[found.count++];
        row.tuple = heap_copytuple(&tuple);
        row.receipt = receipt_of(segment, row.tuple);
    }
    page.map.is_in_progress = true; // the caller's transaction takes them
}

/// Leases the page's ready rows. All that can fail comes before the first change of a page.
XLogRecPtr write_leases(const Segment &segment, Buffer buffer, const ClaimRequest &request,
                        ClaimedRows &found, PageFindings &page) {
    RowScan scan = begin_row_scan(segment.relation, buffer);
    for (int i = 0; i < page.ready_count; ++i) {
        HeapTupleData tuple = row_at(scan, page.ready[i]);
        found.rows[found.count + i].tuple = heap_copytuple(&tuple);
    }
    GenericXLogState *record = GenericXLogStart(segment.relation);
    Page image = GenericXLogRegisterBuffer(record, buffer, 0);
    for (int i = 0; i < page.ready_count; ++i) {
        ClaimedRow &row = found.rows[found.count + i];
        RowControl *copy = control_of(row.tuple->t_data);
        ClaimPolicy policy = policy_for(segment, *row.tuple, request);
        int64_t end = lease_row(copy, request, policy, pg::random_nonce());
        page.map.next = core::earlier(page.map.next, end);
        ItemId item = PageGetItemId(image, page.ready[i]);
        *control_of(reinterpret_cast<HeapTupleHeader>(PageGetItem(image, item))) = *copy;
        row.receipt = receipt_of(segment, row.tuple);
    }
    XLogRecPtr lsn = GenericXLogFinish(record);
    found.count += page.ready_count;
    return lsn;
}

} // namespace

core::Receipt receipt_of(const Segment &segment, HeapTuple tuple) {
    const RowControl &row = *control_of(tuple->t_data);
    return {.queue = segment.queue,
            .generation = segment.key.file,
            .block = ItemPointerGetBlockNumber(&tuple->t_self),
            .offset = ItemPointerGetOffsetNumber(&tuple->t_self),
            .token = static_cast<uint32_t>(row.token),
            .nonce = static_cast<uint32_t>(row.nonce)};
}

bool claim_block(const Segment &segment, BlockNumber block, const ClaimRequest &request,
                 ClaimedRows &found, bool can_wait) {
    PageFindings page = {};
    page.map.next = core::kNever;
    XLogRecPtr lsn = InvalidXLogRecPtr;
    Buffer buffer = ReadBuffer(segment.relation, block);
    if (!can_wait && !ConditionalLockBuffer(buffer)) {
        ReleaseBuffer(buffer);
        return false;
    }
    if (can_wait)
        LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
    core::ReadyWord scan = shared::begin_block_scan(segment.key, block);
    read_page(segment, buffer, request, found, page);
    if (page.ready_count > 0 && request.kind == ClaimKind::kLook)
        copy_ready(segment, buffer, found, page);
    else if (page.ready_count > 0)
        lsn = write_leases(segment, buffer, request, found, page);
    shared::end_block_scan(segment.key, block, scan, request.now, page.map);
    UnlockReleaseBuffer(buffer);
    if (page.ready_count > 0 && !XLogRecPtrIsInvalid(lsn) && must_flush(page.is_flush_needed))
        XLogFlush(lsn);
    return true;
}

} // namespace baton::store
